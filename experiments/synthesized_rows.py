"""Rows of `boards/data/synthesized.yaml`: operators by themselves, lanes and frames of one design through yosys.

    python -m experiments.synthesized_rows PACKAGE [--work-dir build/synth]

The package is GPT-2's decode block (`sttest compile gpt2 --phase decode --context 64 -o PACKAGE`).
"""

import argparse
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import yaml
from scipy.optimize import nnls

from sttest.boards.operators import OPERATORS_FILE, load_operators
from sttest.compile.resources.structure import structure_of
from sttest.compile.resources.synthesis import ROWS_FILE
from sttest.compile.rtl.cells import CellModule, Cells
from sttest.compile.rtl.dslx import definitions
from sttest.compile.rtl.payload import PayloadFunction, Port
from sttest.package import DesignPackage
from sttest.targets.synth.processes import ProcessJobs, process_jobs
from sttest.targets.synth.yosys import SynthesisJob, Synthesized, synthesize, yosys_version

KINDS = ("lut", "ff", "dsp")
# Constants as they come in blocks: one that is no power of two, one that is, the largest int8.
_SOME, _POWER, _MOST = "u32:0x3d372713", "u32:0x3e000000", "u32:0x42fe0000"
# Per operator its call, widths of operands, width of the result, and operators of the library whose stages it takes.
OPERATORS: Mapping[str, tuple[str, tuple[int, ...], int, tuple[str, ...]]] = {
    "addf": ("addf(p0, p1)", (32, 32), 32, ("fadd",)),
    "addf_constant": (f"addf(p0, {_SOME})", (32,), 32, ("fadd",)),
    "subf": ("subf(p0, p1)", (32, 32), 32, ("fsub",)),
    "subf_constant": (f"subf(p0, {_SOME})", (32,), 32, ("fsub",)),
    "mulf": ("mulf(p0, p1)", (32, 32), 32, ("fmul",)),
    "mulf_constant": (f"mulf(p0, {_SOME})", (32,), 32, ("fmul",)),
    "mulf_power": (f"mulf(p0, {_POWER})", (32,), 32, ("fmul",)),
    "mulf_square": ("mulf(p0, p0)", (32,), 32, ("fmul",)),
    "divf": ("divf(p0, p1)", (32, 32), 32, ("fdiv",)),
    "divf_constant": (f"divf(p0, {_MOST})", (32,), 32, ("fdiv",)),
    "maximumf": ("maximumf(p0, p1)", (32, 32), 32, ("fmax",)),
    "maximumf_constant": (f"maximumf(p0, {_MOST})", (32,), 32, ("fmax",)),
    "minimumf": ("minimumf(p0, p1)", (32, 32), 32, ("fmax",)),
    "minimumf_constant": (f"minimumf(p0, {_MOST})", (32,), 32, ("fmax",)),
    "exp": ("exp(p0)", (32,), 32, ("fexp",)),
    "tanh": ("tanh(p0)", (32,), 32, ("ftanh",)),
    "sqrt": ("sqrt(p0)", (32,), 32, ("fsqrt",)),
    "rsqrt": ("rsqrt(p0)", (32,), 32, ("frsqrt",)),
    "roundeven": ("roundeven(p0)", (32,), 32, ("fround",)),
    "sitofp": ("sitofp(p0 as s32)", (32,), 32, ("sitofp",)),
    "fptosi": ("fptosi(p0) as u32", (32,), 32, ("fptosi",)),
    "rounded": ("rounded(p0, s32:-127, s32:127) as u8", (32,), 8, ("fptosi",)),
    "extf": ("extf(p0)", (16,), 32, ("fext",)),
    "truncf": ("truncf(p0)", (32,), 16, ("ftrunc",)),
    "relations": ("{ let (l, _, _, _) = relations(p0, p1); l }", (32, 32), 1, ("fcmp",)),
    "relations_constant": (f"{{ let (l, _, _, _) = relations(p0, {_SOME}); l }}", (32,), 1, ("fcmp",)),
    "absf": ("absf(p0)", (32,), 32, ()),
    "negf": ("negf(p0)", (32,), 32, ()),
}


def operator_part(name: str, cells: Cells) -> CellModule:
    """An operator by itself."""
    call, widths, result, names = OPERATORS[name]
    _, library = load_operators(OPERATORS_FILE)
    inputs = tuple(Port(f"i{n}", bits) for n, bits in enumerate(widths))
    arguments = ", ".join(f"p{n}: u{bits}" for n, bits in enumerate(widths))
    called = {re.findall(r"([a-z]+)\(", call.replace("let ", ""))[0]}
    text = f"{definitions(called)}\npub fn payload({arguments}) -> (u{result},) {{ ({call},) }}\n"
    function = PayloadFunction(inputs, (Port("o0", result),), {name: 1}, text)
    return cells.payload(function, sum(library[each].stages for each in names))


def part_job(part: CellModule) -> SynthesisJob:
    """The job of a lane."""
    return SynthesisJob(part.name, ((f"{part.name}.sv", part.text),), size=len(part.text) / 30)


def amounts(found: object) -> dict[str, float]:
    """LUTs, flip-flops and DSPs of what was synthesized."""
    assert isinstance(found, Synthesized), found
    return {kind: getattr(found.resources, kind) for kind in KINDS}


def fitted(rows: Sequence[Sequence[float]], found: list[float]) -> list[float]:
    """Figures of at least 0 that the sums of rows are made of, with small relative errors."""
    weights = 1 / np.maximum(np.array(found), 10)
    figures, _ = nnls(np.array(rows, float) * weights[:, None], np.array(found) * weights)
    return [round(float(each), 3) for each in figures]


def distinct(jobs: Iterable[ProcessJobs]) -> list[ProcessJobs]:
    """Processes that differ."""
    return list({each.frame.key: each for each in jobs}.values())


def main() -> None:
    """Synthesizes and writes the file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("package", type=Path)
    parser.add_argument("--work-dir", type=Path, default=Path("build/synth"))
    given = parser.parse_args()
    folder = given.work_dir.resolve()
    cells, package = Cells(folder / "lanes"), DesignPackage.read(given.package)
    every = distinct(j for j in process_jobs(package, folder / "lanes").values() if isinstance(j, ProcessJobs))
    alone = {name: operator_part(name, cells) for name in OPERATORS}
    lanes = {part.name: part for each in every for part in each.module.parts if part.products is None}
    jobs = {part.name: part_job(part) for part in (*alone.values(), *lanes.values())}
    found = synthesize([*jobs.values(), *(each.frame for each in every)], folder, 2, print)
    operators = {name: amounts(found[jobs[part.name].key]) for name, part in alone.items()}
    made = [
        {
            "operations": dict(part.operations),
            "bits_in": sum(b for _, b in part.inputs),
            "bits_out": sum(b for _, b in part.outputs),
            "cycles": part.cycles,
            "amounts": amounts(found[jobs[part.name].key]),
        }
        for part in lanes.values()
        if part.operations
    ]
    several = [row for row in made if sum(row["operations"].values()) > 1]
    composed = {
        kind: round(
            float(
                np.median(
                    [
                        row["amounts"][kind] / total
                        for row in several
                        if (total := sum(operators[name][kind] * count for name, count in row["operations"].items()))
                    ]
                )
            ),
            3,
        )
        for kind in KINDS
    }
    structures = [structure_of(each.module) for each in every]
    names = sorted({name for each in structures for name in each})
    rows = [[each[name] for name in names] for each in structures]
    columns = {kind: fitted(rows, [amounts(found[each.frame.key])[kind] for each in every]) for kind in ("lut", "ff")}
    frame = {name: {kind: columns[kind][n] for kind in columns} for n, name in enumerate(names)}
    source = f"yosys {yosys_version()}, synth_xilinx -family xcup with abc; {package.name}; {Path(__file__).name}"
    text = yaml.safe_dump(
        {
            "source": source,
            "kind": "synthesized",
            "operators": operators,
            "composed": composed,
            "lanes": made,
            "frame": frame,
        },
        sort_keys=False,
        default_flow_style=None,
        width=118,
    )
    ROWS_FILE.write_text("# What synthesis makes of operators, lanes and frames of processes.\n" + text)


if __name__ == "__main__":
    main()
