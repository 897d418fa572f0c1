"""Block-sparse attention (MoBA) of a decode step: speed against block size and context, all of the cache beside it.

Eight heads of 64 with a cache each, on a U55C.  The router, the choice of blocks and DMAs that read the chosen ones
alone are in the design.  A head attends to 1,024 positions, whatever the blocks; both read int8 and go over keys and
values in one pass under a running maximum, with the same lanes to share.  The mean keys are in the HBM: they change
when a block is full.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sttest.boards.resources import total
from sttest.compile.compiler import compile_text
from sttest.compile.options import CompileOptions
from sttest.compile.resources.design import design_resources, die_of
from sttest.core.processes import run_all
from sttest.core.results import ResultFolder, Row
from sttest.sim import simulate
from sttest.studies.drawing import write_study_figure
from sttest.studies.lines import Line, print_lines, rows_of
from sttest_systems.attention_cascades.attention_alone import AttentionShape
from sttest_systems.attention_cascades.cascades import attention_text
from sttest_systems.block_sparse.attention import SparseShape
from sttest_systems.block_sparse.design import cache_bytes, sparse_text

BOARD, HEADS, HEAD_DIM, ATTENDED, CHUNK = "u55c", 8, 64, 1024, 64
CONTEXTS, BLOCKS = (4096, 16384, 65536), (64, 128, 256, 512)
OPTIONS = {"precision": "w4a8", "attention": "one-pass", "attention_maximum": "running", "overall_unroll": 4096}
PUBLISHED = (
    (
        "speed-up over all of the cache, small blocks, most",
        14.7,
        "ratio",
        "Xiao et al., FlashMoBA, arXiv 2511.11571 abstract: over FlashAttention-2 for small blocks",
    ),
)


def shape_of(context: int, block: int) -> SparseShape:
    """A step behind so many positions in blocks."""
    return SparseShape(HEADS, HEAD_DIM, block, context // block, ATTENDED // block)


def run_step(key: Mapping[str, Any]) -> dict[str, Any]:
    """Compiles and simulates a step.

    Args:
        key: ``context``, ``block`` (0 for all of the cache) and ``engine``.
    """
    context, block = key["context"], key["block"]
    text = (
        sparse_text(shape_of(context, block)) if block else attention_text(AttentionShape(HEADS, 1, context, HEAD_DIM))
    )
    design = compile_text(text, "step", BOARD, CompileOptions(attention_chunk=block or CHUNK, **OPTIONS))
    run = simulate(design.graph, key["engine"])
    if run.cycles is None:
        raise AssertionError(f"{key}: the sized design deadlocks")
    shares = design_resources(design).total.shares_of(total(die_of(design.board, "published").budgets))
    return {"cycles": run.cycles, "bytes": cache_bytes(design), "lut": shares.lut, "dsp": shares.dsp}


def reproduce(out: Path, *, engine: str = "maxplus", jobs: int = 2) -> list[Line]:
    """Prints the table and writes ``out``."""
    work = {
        (context, block): {"context": context, "block": block, "engine": engine}
        for context in CONTEXTS
        for block in (0, *BLOCKS)
    }
    steps = dict(run_all(run_step, work, jobs, "block-sparse"))
    lines = [line for context in CONTEXTS for line in _of_context(context, steps)]
    print_lines(lines, "Block-sparse attention on a U55C")
    config = {
        "heads": HEADS,
        "head_dim": HEAD_DIM,
        "attended": ATTENDED,
        "contexts": CONTEXTS,
        "blocks": BLOCKS,
        "options": OPTIONS,
        "shapes": [asdict(shape_of(context, block)) for context in CONTEXTS for block in BLOCKS],
    }
    with ResultFolder(out, made_by=__name__, config=config) as folder:
        folder.add(*rows_of(lines, "block-sparse", engine, board=BOARD, phase="decode"))
        for metric, value, unit, source in PUBLISHED:
            folder.add(Row("block-sparse", metric, value, unit, "published", board="flashmoba", source=source))
        write_study_figure(folder)
    return lines


def _of_context(context: int, steps: Mapping[tuple[int, int], Mapping[str, Any]]) -> Iterator[Line]:
    dense = steps[context, 0]
    for block in (0, *BLOCKS):
        step = steps[context, block]
        where = f"[{context:,} positions: {f'blocks of {block}' if block else 'all'}]"
        yield Line(f"cycles {where}", step["cycles"], "cycles")
        yield Line(f"bytes of keys, values and means {where}", step["bytes"], "bytes")
        for resource in ("lut", "dsp"):
            yield Line(f"{resource.upper()} of the budget {where}", step[resource], "ratio", "derived")
        if block:
            yield Line(f"speed-up over all of the cache {where}", dense["cycles"] / step["cycles"], "ratio", "derived")
            yield Line(f"fewer bytes {where}", dense["bytes"] / step["bytes"], "ratio", "derived")
