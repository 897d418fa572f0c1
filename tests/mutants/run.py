"""Makes small faults in the max-plus engine and in the search of deadlocks, and counts those that their tests notice.

    python tests/mutants/run.py --minutes 30 --seed 1
    python tests/mutants/run.py sttest/sim/deadlock.py --each 40

A fault is one of cosmic-ray's: another operator, comparison or number, a loop left out.  The seed draws places of each
file, and one fault at each.  Each runs in a copy of the tree, with all that it is compiled into compiled anew, until
the first test fails.  What no test notices is printed with its line, and whether it is known to change nothing
(survivors.csv, which says why).  The score is the share noticed of those that could be imported and compiled: by an
assertion, another exception, a crash, or by a test that went on for ever.  In the end it is compared with score.csv.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from mutant_faults import ROOT, Mutant, difference, line_of, sample
from mutant_trial import KINDS, Outcome, Workplace, table

SOURCES = (
    *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "sttest/sim/maxplus").glob("[!_]*.py")),
    "sttest/sim/deadlock.py",
)
TESTS = {
    "sttest/sim/maxplus": ("tests/sim/maxplus", "tests/sim/test_maxplus.py", "tests/sim/oracle/test_oracle.py"),
    "sttest/sim/deadlock.py": ("tests/sim/deadlock", "tests/sim/oracle/test_claims.py"),
}
"""What is run for a fault in which files: what tests them, not what merely uses them."""
SURVIVORS = Path(__file__).with_name("survivors.csv")
SCORE = Path(__file__).with_name("score.csv")
"""Of the first places of each file, as many as it says, by seed 1: few, so a share says little yet about a file."""
_HARMLESS = ("same:", "slower:", "effort:")
"""Verdicts of survivors that make no result false: nothing differs, only time does, or how long a search goes on."""


@dataclass
class Trials:
    """Outcomes so far, told as they come; ``known``: why survivors change nothing, by file and change."""

    known: dict[tuple[str, str, str, str], str]
    until: float
    outcomes: list[tuple[Mutant, Outcome]] = field(default_factory=list[tuple[Mutant, Outcome]])
    equivalent: list[Mutant] = field(default_factory=list[Mutant])

    def add(self, mutant: Mutant, outcome: Outcome, *, verbose: bool) -> None:
        """Tells a survivor; with ``verbose``, every mutant."""
        self.outcomes.append((mutant, outcome))
        if outcome.kind != "survived":
            if verbose:
                print(f"{outcome.kind}: {mutant} {outcome.test} {outcome.what!r}", flush=True)
            return
        why = self.known.get((mutant.file, *mutant.change()))
        if why is not None and why.startswith(_HARMLESS):
            self.equivalent.append(mutant)
        told = f"survived: {mutant.file}:{line_of(mutant)}, {mutant.operator}" + (f" ({why})" if why else "")
        print(f"{told}\n{difference(mutant, mutant.text() or '')}", flush=True)


def known_survivors() -> dict[tuple[str, str, str, str], str]:
    """What is known of survivors that no test of results can notice, by file, function and lines before and after."""
    if not SURVIVORS.exists():
        return {}
    with SURVIVORS.open(encoding="utf-8", newline="") as file:
        return {
            (row["file"], row["function"], row["before"], row["after"]): f"{row['verdict']}: {row['why']}"
            for row in csv.DictReader(file)
        }


def tests_of(file: str) -> Sequence[str]:
    """The tests for faults in a file."""
    return next(tests for prefix, tests in TESTS.items() if file.startswith(prefix))


def run_all(
    mutants: Iterator[Mutant], tests: Mapping[str, Sequence[str]], trials: Trials, jobs: int, *, verbose: bool
) -> bool:
    """Tests each in one of ``jobs`` copies of the tree, until the time is over; whether the tests pass without any."""
    with tempfile.TemporaryDirectory() as name:
        places = [Workplace.made_in(Path(name) / str(number)) for number in range(jobs)]
        if not places[0].is_sound(sorted({test for each in tests.values() for test in each})):
            return False
        for place in places:
            place.took, place.cache = places[0].took, places[0].cache
        one_at_a_time = Lock()

        def work(place: Workplace) -> None:
            while time.monotonic() < trials.until:
                with one_at_a_time:
                    mutant = next(mutants, None)
                if mutant is None:
                    return
                outcome = place.outcome(mutant, mutant.text() or "", tests[mutant.file])
                with one_at_a_time:
                    trials.add(mutant, outcome, verbose=verbose)

        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(work, places))
    return True


def print_table(rows: Sequence[dict[str, object]]) -> None:
    """As text, a line per file."""
    head = {name: name for name in rows[0]}
    widths = [max(len(str(row[name])) for row in (head, *rows)) for name in head]
    for row in (head, *rows):
        print("  ".join(str(row[name]).ljust(width) for name, width in zip(head, widths, strict=True)).rstrip())


def print_difference(rows: Sequence[dict[str, object]], recorded: Path) -> None:
    """Which scores differ from the recorded ones: of another seed or number of places, they may."""
    with recorded.open(encoding="utf-8", newline="") as file:
        before = {row["file"]: row for row in csv.DictReader(file)}
    moved = [
        f"  {row['file']}: {before[file]['score']} of {before[file]['tried']} before, {row['score']} of {row['tried']}"
        for row in rows
        if (file := str(row["file"])) in before and before[file]["score"] != row["score"]
    ]
    print(f"recorded in {recorded.name}: " + ("\n" + "\n".join(moved) if moved else "the same"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs it; exit code 1 where the tests fail without any fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", default=SOURCES, help="[the engine's modules and deadlock.py]")
    parser.add_argument("--tests", nargs="*", help="[those of the engine, or of deadlocks]")
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, help="most faults per file")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--record", type=Path, help="CSV to which the table is written")
    parser.add_argument("--verbose", action="store_true", help="tell every fault, and who noticed it")
    asked = parser.parse_args(arguments)
    every = sample(asked.files, asked.seed, asked.each)
    trials = Trials(known_survivors(), time.monotonic() + 60 * asked.minutes)
    tests = {file: asked.tests or tests_of(file) for file in asked.files}
    if not run_all(every, tests, trials, asked.jobs, verbose=asked.verbose):
        print("the tests fail without any fault")
        return 1
    rows = table(trials.outcomes, trials.equivalent)
    print_table(rows)
    print(f"{len(trials.outcomes)} places, seed {asked.seed}; {', '.join(KINDS)}")
    if asked.record:
        with asked.record.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    elif SCORE.exists():
        print_difference(rows, SCORE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
