"""Nano-batches: a batch of decode steps in parts, so that one's attention reads while another's products compute.

NanoFlow publishes up to 1.91 times the throughput of TensorRT-LLM, which runs one operation after the other.  Here
GPT-2 Medium on a U55C, 8 sequences with 768 cached tokens each, on an engine for all products with weights:

* the batch in one, streamed: sequences follow each other through the block, so that operators overlap by themselves;
* the batch in two parts (:mod:`sttest_systems.nano_batches.program`), weights read once per part, or kept on chip.

For each the share of time in which compute and memory are busy at once (:mod:`sttest.sim.overlap`).  If they took turns
that share of the time would be spent twice; one more than it is what overlap gains in that design.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sttest.compile.compiler import compile_text, on_chip
from sttest.compile.options import CompileOptions
from sttest.core.processes import run_all
from sttest.core.results import ResultFolder
from sttest.frontend.lowering import lower_isolated
from sttest.models.registry import get_config
from sttest.sim import simulate
from sttest.sim.graph import MemoryPort, TimedGraph
from sttest.sim.overlap import COMPUTE, MEMORY, overlap
from sttest.studies.lines import Line, print_lines, rows_of
from sttest.studies.steps import step_counter
from sttest_systems.nano_batches.program import nano_program

MODEL, BOARD, BATCH, CONTEXT = "gpt2", "u55c", 8, 768
WIDTHS: dict[str, dict[str, Any]] = {
    "2048 lanes": {"share": "weights", "gemv_lanes": 2048, "overall_unroll": 4608, "vector_bits": 1024},
    "4096 lanes": {"share": "weights", "gemv_lanes": 4096, "overall_unroll": 4608},
}
ONE, TWO, KEPT = "batch in one", "two parts", "two parts, weights kept"
WAYS: dict[str, dict[str, Any]] = {
    ONE: {"parts": 1, "kept": False},
    TWO: {"parts": 2, "kept": False},
    KEPT: {"parts": 2, "kept": True},
}


@dataclass(frozen=True)
class Step:
    """A layer of a step, of all sequences."""

    cycles: int
    moved_bytes: int
    held_bytes: int  # bytes in FIFOs, converters and tiles of DMAs
    # shares of the time: at least one task computes, at least one channel transfers, both at once
    compute: float
    memory: float
    both: float
    overlapped: float  # overlap as a share of the time of the less busy of the two
    channels: float  # mean share of the channels that transfer


def run_step(key: Mapping[str, Any]) -> Step:
    """Compiles and simulates a layer.

    Args:
        key: ``parts``, ``kept``, ``options`` and ``engine``.
    """
    arguments = {"config": get_config(MODEL), "context": CONTEXT, "batch": BATCH}
    text = lower_isolated(nano_program, {**arguments, "parts": key["parts"], "kept": key["kept"]})
    design = compile_text(text, "nano-batches", BOARD, CompileOptions(precision="w4a8", **key["options"]))
    run = simulate(design.graph, key["engine"], record=True)
    if run.cycles is None:
        raise AssertionError(f"{key}: the design deadlocks")
    cycles, found = run.cycles, overlap(run)
    memory = found.use[MEMORY].to_dict(cycles)
    return Step(
        cycles,
        _moved_bytes(design.graph),
        on_chip(design.module).total_bytes,
        found.use[COMPUTE].busy_cycles / cycles,
        memory["busy_share"],
        found.together(COMPUTE, MEMORY),
        found.overlapped or 0.0,
        memory["unit_share"],
    )


def _moved_bytes(graph: TimedGraph) -> int:
    return sum(port.tokens * port.token_bytes for port in graph.processes if isinstance(port, MemoryPort))


def reproduce(out: Path, *, engine: str = "maxplus", jobs: int = 2) -> list[Line]:
    """Prints the table and writes ``out``."""
    work: dict[tuple[str, str], dict[str, Any]] = {
        (width, way): {"engine": engine, **parts, "options": options}
        for width, options in WIDTHS.items()
        for way, parts in WAYS.items()
    }
    say, steps = step_counter(len(work)), dict[tuple[str, str], Step]()
    for key, step in run_all(run_step, work, jobs, "nano-batches"):
        steps[key] = step
        say(f"simulated {key[1]}, {key[0]}")
    lines = [line for key in work for line in _of_step(key, steps[key])]
    lines += _speedups(steps)
    print_lines(lines, f"Nano-batches, {BATCH} sequences, {CONTEXT} cached tokens")
    config = {"widths": WIDTHS, "ways": WAYS, "batch": BATCH, "context": CONTEXT}
    with ResultFolder(out, made_by=__name__, config=config) as folder:
        folder.add(*rows_of(lines, "nano-batches", engine, model=MODEL, board=BOARD, phase="decode"))
    return lines


def _of_step(key: tuple[str, str], step: Step) -> Iterator[Line]:
    where = f"[{key[1]}, {key[0]}]"
    yield Line(f"layer {where}", step.cycles, "cycles", note="all sequences")
    yield Line(f"bytes moved per layer {where}", step.moved_bytes, "bytes")
    yield Line(f"held on chip {where}", step.held_bytes, "bytes", "derived")
    shares = {
        "compute busy": step.compute,
        "memory busy": step.memory,
        "compute and memory busy": step.both,
        "channels busy, mean": step.channels,
    }
    for name, share in shares.items():
        yield Line(f"{name} {where}", share, "ratio", note="of the time")
    note = "of the time of the less busy of compute and memory"
    yield Line(f"overlapped {where}", step.overlapped, "ratio", note=note)
    note = "time if compute and memory took turns, over the time"
    yield Line(f"gain of overlap {where}", 1 + step.both, "ratio", "derived", note)


def _speedups(steps: Mapping[tuple[str, str], Step]) -> Iterator[Line]:
    for width in WIDTHS:
        for way in (TWO, KEPT):
            ratio = steps[width, ONE].cycles / steps[width, way].cycles
            yield Line(f"speed-up of {way} over {ONE} [{width}]", ratio, "ratio", "derived", "launches left out")
