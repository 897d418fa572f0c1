"""Whether designs take the cycles that their timed graphs say: intervals of the C++ beside those of the graph.

    python -m benchmarks.schedules                                    the shipped models, and 20 random programs
    python -m benchmarks.schedules --designs gpt2 emerging best       every design of these experiments
    python -m benchmarks.schedules --designs none --programs 300

Prints per design how many processes differ, and by how many cycles, worst first; leaves with 6 if any does.
"""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from unittest.mock import patch

from experiments.best.cases import Case, all_cases
from experiments.best.found import path_of, read_found
from sttest.boards.operators import operators
from sttest.compile.compiler import CompiledDesign, compile_text
from sttest.compile.hls.files import emit_design
from sttest.compile.options import CompileOptions
from sttest.core.errors import SttestError
from sttest.core.processes import run_all
from sttest.frontend.shipped import lowered_text
from sttest.sim.graph import MAX_ACCESSES_VARIABLE
from sttest.targets.vitis.interval_check import IntervalComparison, compare_intervals, worst_first
from sttest.targets.vitis.intervals import wide_aggregates

BOARD = "u55c"
MODELS = ("gpt2", "qwen", "llama", "gemma")
TESTS = Path(__file__).parents[1] / "tests" / "compile"
MOST_ACCESSES = 1 << 30
Making = Callable[[], CompiledDesign]


@dataclass(frozen=True)
class Found:
    """A design, compared."""

    processes: int
    # differs: cycles over claimed cycles of the processes that differ, the worst first, with the rule that says so
    differs: tuple[tuple[str, float, int, str], ...]
    wide: int  # streams and vectors that the tool refuses
    paused: tuple[int, ...] = ()  # cycles of processes that drain more often than the timed graph says
    refused: str = ""


def designs(groups: list[str], programs: int) -> dict[str, Making]:
    """How each design is made, by name."""
    found: dict[str, Making] = {}
    for group in groups:
        found |= _GROUPS[group]()
    found |= {f"program {seed}": partial(_program, seed) for seed in range(programs)}
    return found


def _shipped() -> dict[str, Making]:
    return {f"{model} {phase}": partial(_of_text, model, phase) for model in MODELS for phase in ("decode", "prefill")}


def _of_text(model: str, phase: str) -> CompiledDesign:
    return compile_text(lowered_text(model, phase, small=False), f"{model}-{phase}", BOARD)


def _best() -> dict[str, Making]:
    cases = [case for case in all_cases() if path_of(case).is_file()]
    return {f"best {case.name}": partial(_best_design, case) for case in cases}


def _best_design(case: Case) -> CompiledDesign:
    found = read_found(case)
    return compile_text(found.block(), f"{case.name}-best", BOARD, found.options)


def _gpt2() -> dict[str, Making]:
    from experiments.gpt2 import CONTEXTS, ROWS

    return _blocks("gpt2", [tokens for tokens, _ in ROWS], CONTEXTS)


def _emerging() -> dict[str, Making]:
    from experiments.emerging import CONTEXTS, LENGTHS, MODELS

    found: dict[str, Making] = {}
    for model in MODELS:
        found |= _blocks(model, LENGTHS, CONTEXTS)
    return found


def _blocks(model: str, prompts: "list[int] | tuple[int, ...]", contexts: tuple[int, ...]) -> dict[str, Making]:
    """The blocks of a model, with the lanes that the largest one of each phase chooses."""
    shapes = {f"{model} prefill n{tokens}": ("prefill", tokens, 0, max(prompts)) for tokens in prompts}
    shapes |= {f"{model} decode c{context}": ("decode", 1, context, max(contexts)) for context in contexts}
    return {name: partial(_block, model, *shape) for name, shape in shapes.items()}


def _block(model: str, phase: str, tokens: int, context: int, largest: int) -> CompiledDesign:
    from experiments.blocks import BlockRun, lanes_for
    from experiments.designs import reproduced_options

    is_prefill = phase == "prefill"
    most = BlockRun(model, "prefill", largest) if is_prefill else BlockRun(model, "decode", 1, largest)
    shape = BlockRun(model, "prefill", tokens) if is_prefill else BlockRun(model, "decode", tokens, context)
    return compile_text(shape.text(), str(shape), BOARD, lanes_for(most, reproduced_options()))


def _program(seed: int) -> CompiledDesign:
    sys.path[:0] = [] if str(TESTS) in sys.path else [str(TESTS)]
    from linalg_programs import random_whole_program  # pyright: ignore[reportMissingImports]

    options = CompileOptions(tile_size=4, overall_unroll=10**6 if seed % 2 else 64, precision="fp32")
    return compile_text(random_whole_program(seed, ops=4), "random", BOARD, options)


_GROUPS: dict[str, Callable[[], dict[str, Making]]] = {
    "shipped": _shipped,
    "gpt2": _gpt2,
    "emerging": _emerging,
    "best": _best,
    "none": dict,
}


def compared(make: Making) -> Found:
    """A design's C++ beside its graph."""
    try:
        with patch.dict(os.environ, {MAX_ACCESSES_VARIABLE: str(MOST_ACCESSES)}):
            design = make()
            text = emit_design(design).text
    except SttestError as error:
        return Found(0, (), 0, refused=error.code)
    found = compare_intervals(text, design.graph, operators(design.board))
    differs = tuple((each.process, each.ratio, each.lost, _rule(each)) for each in worst_first(found))
    return Found(len(found), differs, len(wide_aggregates(text)), tuple(each.paused for each in found if each.paused))


def _rule(each: IntervalComparison) -> str:
    """The rule that the slowest loop's interval comes from."""
    loop = each.slowest
    if loop is None or loop.admitted == 1 or not loop.bounds:
        return "loops"
    return loop.bounds[0].rule if loop.bounds[0].cycles >= loop.admitted else "asked"


def rows(found: dict[str, Found]) -> Iterator[str]:
    """Lines of at most 80 columns: the designs, then the processes, worst first."""
    yield f"{'design':<28}{'processes':>10}{'differ':>8}{'cycles lost':>16}{'too wide':>10}"
    for name, each in sorted(found.items(), key=lambda pair: -_lost(pair[1])):
        if not each.processes or (name.startswith("program") and not each.differs):
            continue
        yield f"{name[:27]:<28}{each.processes:>10,}{len(each.differs):>8,}{_lost(each):>16,}{each.wide:>10}"
    yield ""
    yield f"{'process':<32}{'design':<20}{'ratio':>8}{'cycles lost':>13}  rule"
    worst = [(name, *row) for name, each in found.items() for row in each.differs]
    for name, process, ratio, lost, rule in sorted(worst, key=lambda row: -row[3])[:20]:
        yield f"{process[:31]:<32}{name[:19]:<20}{ratio:>8.3g}{lost:>13,}  {rule}"
    yield ""
    rules = Counter(rule for each in found.values() for *_, rule in each.differs)
    told = _told(rules)
    refused = Counter(each.refused for each in found.values() if each.refused)
    processes, different = sum(each.processes for each in found.values()), sum(rules.values())
    yield f"{len(found) - refused.total()} designs, {processes:,} processes, {different:,} differ"
    if paused := [cycles for each in found.values() for cycles in each.paused]:
        yield f"{len(paused):,} of them drain more often, at most {max(paused):,} cycles in a launch"
    yield from (f"{kind}: {told}" for kind, told in (("rules", told), ("refused", _told(refused))) if told)


def _told(counts: Counter[str]) -> str:
    return ", ".join(f"{what} {count}" for what, count in counts.most_common())


def _lost(each: Found) -> int:
    return sum(lost for _, _, lost, _ in each.differs)


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--designs", nargs="+", choices=sorted(_GROUPS), default=["shipped"])
    parser.add_argument("--programs", type=int, default=20, help="random programs")
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    made = designs(asked.designs, asked.programs)
    found: dict[str, Found] = {}
    for name, each in run_all(compared, made, asked.jobs, "schedules"):
        found[name] = each
        print(f"{name}: {each.refused or f'{len(each.differs)} of {each.processes} differ'}", file=sys.stderr)
    print("\n".join(rows(found)))
    return 6 if any(each.differs for each in found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
