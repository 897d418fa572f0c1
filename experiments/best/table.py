"""The best designs that were found, made again: `sttest reproduce best`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from experiments.best.cases import BOARD, Case, all_cases
from experiments.best.design import MOST_ACCESSES, Made, command, make, shown
from experiments.best.found import FOLDER, IN_RESULTS, path_of, read_found
from experiments.best.front import FRONT, front_line
from experiments.best.rows import of_budget, rows
from sttest.compile.reports import partition_table
from sttest.core.errors import InputError, SttestError
from sttest.core.processes import process_pool
from sttest.core.results import ResultFolder, Row
from sttest.core.tables import print_table
from sttest.package.compiled import write_lanes
from sttest.sim.graph import MAX_ACCESSES_VARIABLE
from sttest.studies.steps import step_counter

ROOT = Path("results/best")
"""Where the committed designs lie, as the printed commands name them."""


def reproduce(out: Path, *, engine: str = "maxplus", jobs: int = 2) -> list[Row]:
    """Makes all designs that were found, prints the front and writes ``out``; cycles are those of max-plus.

    Raises:
        InputError: nothing was found yet.
    """
    cases = [case for case in all_cases() if path_of(case).is_file()]
    if not cases:
        raise InputError(
            "no-designs",
            "no design was found yet",
            where=str(FOLDER),
            hints=["python -m experiments.best find gpt2 decode --budget tight"],
        )
    say, found = step_counter(len(cases)), list[Row]()
    config = {"board": BOARD, "designs": {case.name: path_of(case).read_text(encoding="utf-8") for case in cases}}
    with ResultFolder(out, made_by=__name__, config=config) as folder, process_pool(jobs) as pool:
        parts = [folder.file(case.name) for case in cases]
        for case, made in zip(cases, pool.map(write_design, cases, parts), strict=True):
            say(case.name)
            found += made
        folder.add(*found)
        lines = [front_line(case, found) for case in cases]
        pd.DataFrame(lines, columns=pd.Index(FRONT)).to_csv(folder.file("front.csv"), index=False)
    print_table(FRONT, lines, title="best designs found, U55C: tokens/s in decode, ms to the first token in prefill")
    return found


def write_design(case: Case, folder: Path) -> list[Row]:
    """Makes one design and fills its folder: options, lanes, SLRs, the itemized time, and the commands.

    One that can no longer be made has a row that says so, and no folder: the others are none the worse for it.
    """
    try:
        made = make(read_found(case))
    except SttestError as error:
        note = f"can't be made any more, search again: {error.what}"
        metric = of_budget("cycles per launch", case.budget)
        return [Row("best", metric, None, "cycles", "simulated", case.model, BOARD, case.phase, note=note)]
    write_lanes(made.design, folder)
    (folder / IN_RESULTS).write_text(made.found.to_yaml(), encoding="utf-8")
    partition_table(made.placed).write(folder / "partition.csv")
    _items(made).to_csv(folder / "items.csv", index=False)
    _processes(made).to_csv(folder / "processes.csv", index=False)
    (folder / "commands.sh").write_text(_commands(made), encoding="utf-8")
    return list(rows(made))


def _items(made: Made) -> pd.DataFrame:
    """The critical path of a launch by category of process and kind of wait, before registers between SLRs."""
    by_kind = sorted(made.items.by_kind.items(), key=lambda item: (-item[1], item[0]))
    return _shares([(*key, cycles) for key, cycles in by_kind], ("category", "kind", "cycles"))


def _processes(made: Made) -> pd.DataFrame:
    """The same by process."""
    by_process = sorted(made.items.by_process.items(), key=lambda item: (-item[1], item[0]))
    return _shares([item for item in by_process if item[1]], ("process", "cycles"))


def _shares(lines: Sequence[tuple[object, ...]], columns: Sequence[str]) -> pd.DataFrame:
    table = pd.DataFrame(lines, columns=pd.Index(columns))
    table["share"] = (table["cycles"] / table["cycles"].sum()).round(6)
    return table


def _commands(made: Made) -> str:
    """What makes the package again, and a trace of its run."""
    case = made.found.case
    package = Path("build/best") / case.name
    options, lanes = made.found.options, ROOT / case.name
    compiled = shown(command(case, options, lanes, package))
    if made.itemized_layers == made.found.layers:
        return f"{compiled}\nsttest simulate {package} --trace {package}.json\n"
    # All access times of the whole launch are more than memory holds.
    short = package.with_name(f"{case.name}-{made.itemized_layers}-layers")
    recorded = shown(command(case, options.with_(layers=made.itemized_layers), lanes, short))
    limit = f"{MAX_ACCESSES_VARIABLE}={MOST_ACCESSES}"
    return (
        f"{limit} {compiled}\n{limit} sttest simulate {package}\n"
        f"{recorded}\nsttest simulate {short} --trace {short}.json\n"
    )
