"""How often the bits of DSP operands toggle in a decode block, from its RTL under Verilator.

    python -m benchmarks.toggles FOLDER

The block is a small GPT-2's with seeded weights and inputs, quantized by W4A8.  What a DSP costs in the boards' files
rests on these figures (docs/how-it-works/energy.md).  Prints a line per process and the mean over all slices at work.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.rtl_toggles import Toggles, kernel_with_dsps, operand_toggles
from sttest.boards.operators import operators
from sttest.compile.compiler import CompiledDesign, compile_text
from sttest.compile.ir.module_walk import only_kernel
from sttest.compile.options import CompileOptions
from sttest.compile.reference_graph import value_graph
from sttest.compile.reports import kernel_table
from sttest.core.tables import print_table
from sttest.crosscheck.case import WeightSource, make_case
from sttest.frontend.shipped import lowered_text
from sttest.models.program import BlockShape
from sttest.models.quant.scheme import load_scheme
from sttest.models.registry import model_config
from sttest.reference.engine import run
from sttest.targets.rtl.kernel_run import LAUNCHES

CONTEXT = 32
OPTIONS = CompileOptions(overall_unroll=300, vector_bits=128, gemv_lanes=32, first_lanes=1)
"""Few lanes, since each DSP is simulated."""


@dataclass(frozen=True)
class Measured:
    """Toggles of a process, per step in which its DSPs have something to compute."""

    toggles: Toggles
    steps_at_work: float  # of all launches

    @property
    def bit_steps(self) -> float:
        """Bits of operands times steps at work."""
        return self.toggles.operand_bits * self.steps_at_work

    @property
    def per_bit_and_cycle(self) -> float:
        """The share of the bits that toggle in a cycle at work; what else toggles is counted with it."""
        return self.toggles.toggled_bits / self.bit_steps


def measure(folder: Path) -> list[Measured]:
    """Runs the block; raises what :func:`operand_toggles` raises, and AssertionError for another result than PyTorch's.

    Args:
        folder: folder of the build, which is made anew.
    """
    design = compile_text(lowered_text("gpt2", "decode", small=True), "kernel", "u55c", OPTIONS)
    values = value_graph(design.module, "kernel")
    shape = BlockShape("decode", 1, CONTEXT)
    case = make_case(model_config("small-gpt2"), shape, load_scheme(OPTIONS.precision), WeightSource())
    images = case.images(values)
    wanted = run(values, images).results
    kernel = kernel_with_dsps(
        only_kernel(design.module, "toggles", design.name), design.graph, operators(design.board), values
    )
    found, memory = operand_toggles(
        kernel, images | {name: np.zeros_like(each) for name, each in wanted.items()}, folder
    )
    if wrong := [name for name, image in wanted.items() if not np.array_equal(memory[name], image)]:
        raise AssertionError(f"the kernel left something else in {wrong}")
    return [Measured(each, LAUNCHES * steps_at_work(design, each.process)) for each in found]


def steps_at_work(design: CompiledDesign, task: str) -> float:
    """Steps of a task in a launch: its products over those of a step."""
    (row,) = (each for each in kernel_table(design) if each["kernel"] == task)
    return row["work"] / row["lanes"]


def mean(found: Sequence[Measured]) -> float:
    """Over all slices and their cycles at work."""
    return sum(each.toggles.toggled_bits for each in found) / sum(each.bit_steps for each in found)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs what is asked for; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.toggles", description=__doc__)
    parser.add_argument("folder", type=Path, help="for the build")
    found = measure(parser.parse_args(arguments).folder)
    print_table(
        ("process", "DSPs", "operand bits", "per bit and cycle at work"),
        [
            (each.toggles.process, each.toggles.dsps, each.toggles.operand_bits, f"{each.per_bit_and_cycle:.3f}")
            for each in found
        ],
        title="toggles of DSP operands, small GPT-2, decode",
    )
    print(f"mean over all slices at work: {mean(found):.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
