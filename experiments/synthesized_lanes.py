"""Rows of `boards/data/synthesized_lanes.yaml`: each implementation of a contraction's lanes through yosys.

    python -m experiments.synthesized_lanes [--work-dir build/synth]

A task of one row by 64 columns in one step, 1,024 lanes, or by 4 columns, 64 lanes: 16 to a result each.
"""

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from experiments.synthesized_rows import amounts
from sttest.boards.load import load_board, require_hbm
from sttest.boards.operators import operators
from sttest.boards.resources import Resources, total
from sttest.compile.compiler import compile_text
from sttest.compile.ir.module_walk import only_kernel
from sttest.compile.options import CompileOptions
from sttest.compile.resources.structure import lanes_of, structure_of
from sttest.compile.resources.synthesis import LANES_FILE, sum_tree
from sttest.compile.rtl.cells import Cells
from sttest.compile.rtl.processes import design_modules
from sttest.targets.synth.processes import ProcessJobs, jobs_of
from sttest.targets.synth.yosys import Synthesized, synthesize, yosys_version

PER_RESULT, COLUMNS = 16, (4, 64)
FACTORS = {"int4 x int8": "i4", "int8 x int8": "i8"}
IMPLEMENTATIONS: Mapping[str, dict[str, tuple[str, ...]]] = {
    "pairs": {},
    **{f"chains of {length}": {"cascades": (f"op:{length}",)} for length in (4, 8, 16)},
    "LUT": {"fabric": ("op",)},
}
_TEXT = """func.func @lanes(%a : tensor<2x64xi8>, %b : tensor<64xCOLUMNSxBITS>) -> tensor<2xCOLUMNSxi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<2xCOLUMNSxi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<2xCOLUMNSxi32>) -> tensor<2xCOLUMNSxi32>
  %c = linalg.generic {
    indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
    iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<2x64xi8>, tensor<64xCOLUMNSxBITS>) outs(%init : tensor<2xCOLUMNSxi32>) {
    ^bb0(%x : i8, %y : BITS, %sum : i32):
    %left = arith.extsi %x : i8 to i32
    %right = arith.extsi %y : BITS to i32
    %product = arith.muli %left, %right : i32
    %next = arith.addi %sum, %product : i32
    linalg.yield %next : i32
  } -> tensor<2xCOLUMNSxi32>
  func.return %c : tensor<2xCOLUMNSxi32>
}"""


@dataclass(frozen=True)
class Case:
    """A task to be synthesized."""

    implementation: str
    factors: str
    columns: int
    jobs: ProcessJobs

    @property
    def lanes(self) -> int:
        """Lanes of the task."""
        return self.columns * PER_RESULT


def cases() -> Iterator[Case]:
    """All tasks."""
    library = operators(require_hbm(load_board("u55c")))
    for factors, bits in FACTORS.items():
        for implementation, given in IMPLEMENTATIONS.items():
            for columns in COLUMNS:
                options = CompileOptions(
                    tiles=(f"op:1x{columns}x{PER_RESULT}",),
                    lanes=(f"op:{columns * PER_RESULT}",),
                    vector_bits=8192,
                    precision="fp32",
                    **given,  # pyright: ignore[reportArgumentType]
                )
                text = _TEXT.replace("COLUMNS", str(2 * columns)).replace("BITS", bits)
                design = compile_text(text, "lanes", "u55c", options)
                modules = design_modules(only_kernel(design.module, "lanes", "lanes"), design.graph, library, Cells())
                task = next(module for module in modules if module.kind == "task")
                yield Case(implementation, factors, columns, jobs_of(task))


def taken(case: Case, found: Mapping[str, object]) -> tuple[Resources, Resources]:
    """What the products of a task take, and what all of it does."""
    products = total(
        _of(found[case.jobs.parts[part.name].key]) * count for part, count in lanes_of(case.jobs.module).items()
    )
    return products, products + _of(found[case.jobs.frame.key])


def _of(found: object) -> Resources:
    assert isinstance(found, Synthesized), found
    return Resources(**amounts(found))


def main() -> None:
    """Synthesizes and writes the file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--work-dir", type=Path, default=Path("build/synth"))
    every = list(cases())
    jobs = [job for case in every for job in (case.jobs.frame, *case.jobs.parts.values())]
    found = synthesize(jobs, parser.parse_args().work_dir.resolve(), 2, print)
    rows, lut_products = [], dict[int, dict[str, float]]()
    for case in every:
        products, process = taken(case, found)
        rows.append(
            {
                "implementation": case.implementation,
                "factors": case.factors,
                "lanes": case.lanes,
                "products": _amounts(products),
                "process": _amounts(process),
            }
        )
        if case.implementation == "LUT":
            (part,) = case.jobs.module.parts
            assert part.products is not None
            _, bits, results, _ = part.products
            tree = sum_tree(PER_RESULT, bits, results, 1)
            each = (_of(found[case.jobs.parts[part.name].key]) + tree * -1) * (1 / PER_RESULT)
            lut_products[bits] = {"lut": round(each.lut, 2), "ff": round(each.ff, 2)}
    taken_by = {(row["implementation"], row["factors"], row["lanes"]): row for row in rows}
    frames, bits = 0.0, 0
    for case in every:
        skewed = structure_of(case.jobs.module)["skew bits"]
        if skewed:
            kinds = (case.implementation, 1), ("pairs", -1)
            found_rows = [(taken_by[kind, case.factors, case.lanes], sign) for kind, sign in kinds]
            frames += sum(sign * (row["process"]["lut"] - row["products"]["lut"]) for row, sign in found_rows)
            bits += skewed
    text = yaml.safe_dump(
        {
            "source": f"yosys {yosys_version()}, synth_xilinx -family xcup with abc; {Path(__file__).name}",
            "kind": "synthesized",
            "lut_products": lut_products,
            "skew_bit": {"lut": round(frames / bits, 3)},
            "rows": rows,
        },
        sort_keys=False,
        default_flow_style=None,
        width=118,
    )
    LANES_FILE.write_text("# What synthesis makes of the lanes of a contraction, by their implementation.\n" + text)


def _amounts(found: Resources) -> dict[str, float]:
    return {"lut": found.lut, "ff": found.ff, "dsp": found.dsp}


if __name__ == "__main__":
    main()
