"""Intermediate results before and after fusion, four models (StreamTensor Fig. 10a).

Before fusion every kernel writes its results to memory.  The compiled designs have more kernels than the model has
operations (quantizers, sums per weight group, rescaling), so two counts stand side by side: results of all kernels
of the design, and results of the model's own operations in 32 bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from experiments.blocks import BlockRun, BlockTime
from experiments.designs import BOARD, card, simulate_models
from experiments.drawing import write_figure
from experiments.published import published_text
from sttest.compile.compiler import fusion_report
from sttest.compile.opt import new_context, parse
from sttest.compile.options import CompileOptions
from sttest.compile.pipeline import tiling_passes
from sttest.core.processes import process_pool
from sttest.core.results import ResultFolder, Row
from sttest.core.tables import print_table
from sttest.studies.steps import step_counter

MODELS = ("gpt2", "qwen", "llama", "gemma")
LENGTHS = (32, 64, 128)
CONTEXTS = (32, 64, 128, 256)
PUBLISHED = (0.148, 0.168)
_QUANTITY = "fused_over_original_intermediates"


@dataclass(frozen=True)
class Intermediates:
    """Bytes of one block: before fusion by both counts, and what is on chip after it."""

    shape: BlockRun
    kernels: int
    kernel_bytes: int
    model_bytes: int
    fused_bytes: int
    fifo_bytes: int

    @property
    def ratios(self) -> tuple[float, float]:
        """After over before, by results of all kernels and by results of the model's operations."""
        return self.fused_bytes / self.kernel_bytes, self.fused_bytes / self.model_bytes


def model_bytes(shape: BlockRun) -> int:
    """Results that the model's own operations hand to each other, in 32 bit: the block without quantization."""
    module = parse(shape.text(), str(shape), new_context())
    for each in tiling_passes(CompileOptions(precision="fp32")):
        each.apply(new_context(), module)
    onchip_bytes = card().fabric.usable_onchip_bytes
    return fusion_report(module, onchip_bytes).total_original_bytes


def measure(engine: str, jobs: int) -> list[Intermediates]:
    """All prefill blocks and one decode block of every model."""
    say = step_counter(1 + len(MODELS) * (len(LENGTHS) + len(CONTEXTS)))
    blocks = simulate_models(MODELS, LENGTHS, CONTEXTS, engine, jobs, say)
    times: dict[BlockRun, BlockTime] = {}
    for model, found in blocks.items():
        times |= {BlockRun(model, "prefill", tokens): block for tokens, block in found.prefill.items()}
        times[BlockRun(model, "decode", 1, LENGTHS[-1])] = found.decode[LENGTHS[-1]]
    with process_pool(jobs) as pool:
        unquantized = pool.map(model_bytes, times)
        return [
            Intermediates(shape, block.kernels, block.original_bytes, unfused, block.fused_bytes, block.fifo_bits // 8)
            for (shape, block), unfused in zip(times.items(), unquantized, strict=True)
        ]


def reproduce(out: Path, *, engine: str = "maxplus", jobs: int = 2) -> list[Intermediates]:
    """Prints the table and writes ``out``."""
    found = measure(engine, jobs)
    print_table(
        ("block", "kernels", "kernels' results KiB", "model's results KiB", "fused KiB", "of it FIFOs",
         "fused/kernels'", "fused/model's", "published"),
        [
            (str(each.shape), each.kernels, *(f"{size / 1024:.0f}" for size in
             (each.kernel_bytes, each.model_bytes, each.fused_bytes, each.fifo_bytes)),
             *(f"{ratio:.3f}" for ratio in each.ratios), published_text(_QUANTITY, "all"))
            for each in found
        ],
        title="intermediate results of one block (parameters excluded)",
    )  # fmt: skip
    with ResultFolder(out, made_by=__name__, config={"engine": engine, "lengths": LENGTHS}) as folder:
        for each in found:
            folder.add(*_rows(each))
        write_figure(folder)
    return found


def _rows(each: Intermediates) -> Iterator[Row]:
    shape = each.shape
    size = f"n={shape.tokens}" if shape.phase == "prefill" else f"c={shape.context}"
    low, high = PUBLISHED
    bytes_of = {
        "intermediates before fusion, all kernels": each.kernel_bytes,
        "intermediates before fusion, the model's operations in 32 bit": each.model_bytes,
        "intermediates after fusion": each.fused_bytes,
        "FIFOs": each.fifo_bytes,
    }
    for metric, value in bytes_of.items():
        yield Row(
            "onchip",
            f"{metric} {size}",
            value,
            "bytes",
            "simulated",
            model=shape.model,
            board=BOARD,
            phase=shape.phase,
            note="absolute sizes not published",
        )
    for of, ratio in zip(("all kernels", "the model's operations"), each.ratios, strict=True):
        nearest = min((low, high), key=lambda end: abs(ratio - end))
        yield Row(
            "onchip",
            f"fused over original, {of} {size}",
            ratio,
            "ratio",
            "simulated",
            model=shape.model,
            board=BOARD,
            phase=shape.phase,
            reference=nearest,
            source="StreamTensor Fig. 10(a)",
            note=f"published range {low}-{high}, length not stated; reference: its nearest end",
        )
