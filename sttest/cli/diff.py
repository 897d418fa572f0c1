"""`sttest diff`: what differs between two designs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from sttest.cli.common import DESIGN, Engine, Json, print_json, progress
from sttest.core.errors import InputError
from sttest.core.files import STANDARD_INPUT
from sttest.core.tables import print_table
from sttest.core.terminal import is_short
from sttest.studies.design_diff import DesignDiff, DiffSide

MOST_ROWS = 5
"""Lines of each table, so that all of it fits a terminal; a pipe, --json and --wide have all."""
DIFFERENT = 1
_NAME_CHARS, _LINE_CHARS = 38, 80
_LABELS = {
    "verdict": "verdict",
    "cycles": "cycles",
    "throughput": "iterations per cycle",
    "clock_mhz": "clock (MHz)",
    "us": "time (µs)",
    "processes": "processes",
    "fifos": "FIFOs",
    "fifo_bits": "storage of FIFOs (bits)",
    "deadlock_cycle": "wait for each other",
}


def diff_verb(
    a: Annotated[Path, typer.Argument(metavar="A", help=DESIGN)],
    b: Annotated[Path, typer.Argument(metavar="B", help="Another one, of any of the three forms.")],
    engine: Annotated[Engine, typer.Option(help="Who simulates them.")] = "maxplus",
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="Exit code 1 where they differ, as of git diff, for CI.")
    ] = False,
    as_json: Json = False,
) -> None:
    """What differs between two designs: cycles, critical path, depths, resources, processes.

    Both are simulated. The exit code is 0 whether they differ or not, and where one deadlocks, unless
    --exit-code is given.

    Examples:

      sttest diff build/before build/after

      sttest diff graph.json sized.json --exit-code

      sttest diff build/before build/after --json
    """
    if a == b == STANDARD_INPUT:
        raise InputError("one-input", "standard input holds one design", where="A and B", hints=["name a file for one"])
    with progress("comparing") as say:
        say(str(a))
        one = DiffSide.read(a, engine)
        say(str(b))
        found = DesignDiff(one, DiffSide.read(b, engine))
    if as_json:
        print_json(found.to_json())
    else:
        _print(found, MOST_ROWS if is_short() else None)
    raise typer.Exit(DIFFERENT if exit_code and found.differs else 0)


def _print(found: DesignDiff, most: int | None) -> None:
    print(_headline(found) if found.differs else "nothing differs")
    print(f"A: {found.a.graph.name} ({found.a.path})")
    print(f"B: {found.b.graph.name} ({found.b.path})")
    if not found.differs:
        return
    facts = {_LABELS[key]: (_members(pair) if key == "deadlock_cycle" else pair) for key, pair in found.facts.items()}
    _table("design", facts, None)
    _table("resources", found.resources, None)
    _table("critical path by kind (cycles)", found.kinds, most)
    _table("critical path by process (cycles)", found.on_path, most)
    _table("FIFO depths (tokens)", found.depths, most)
    for what, word in (("processes", "processes"), ("fifos", "FIFOs"), ("channels", "memory channels")):
        added, removed = found.names(what)
        _names(f"{word} only in A", removed, most)
        _names(f"{word} only in B", added, most)
    _names("processes that work otherwise", found.changed("processes"), most)
    _names("FIFOs that differ in more than depth", list(found.fifo_fields), most)
    _names("memory channels that differ", found.changed("channels"), most)


def _headline(found: DesignDiff) -> str:
    """The verdicts and, where both finish, by how much B is faster."""
    (a, b) = (found.a.run, found.b.run)
    if a.cycles is None or b.cycles is None:
        return f"A: {_ending(found.a)}, B: {_ending(found.b)}"
    if a.cycles == b.cycles:
        return f"both take {a.cycles:,} cycles"
    less = "fewer" if b.cycles < a.cycles else "more"
    change = f"{abs(b.cycles - a.cycles):,} {less} cycles"
    return f"B takes {change}: {b.cycles:,}, not {a.cycles:,} ({b.cycles / a.cycles - 1:+.2%})"


def _ending(side: DiffSide) -> str:
    run = side.run
    if run.throughput is not None:
        return f"{run.throughput} iterations per cycle"
    return run.verdict if run.cycles is None else f"{run.cycles:,} cycles"


def _members(pair: tuple[Sequence[str], Sequence[str]]) -> tuple[str, str]:
    """How many processes wait for each other; who does is what `sttest simulate` explains."""
    one, other = (f"{len(names)} processes" if names else "none" for names in pair)
    return one, other


def _table(title: str, pairs: Mapping[str, Any], most: int | None) -> None:
    if not pairs:
        return
    rows = [(_cut(name), _shown(a), _shown(b), _change(a, b)) for name, (a, b) in list(pairs.items())[:most]]
    print_table((title, "A", "B", "change"), rows)
    _print_left(len(pairs) - len(rows))


def _names(title: str, names: Sequence[str], most: int | None) -> None:
    """How many there are and, as far as a line goes, their names; with ``most`` None a line for each."""
    if not names:
        return
    if most is None:
        print("\n  ".join([f"{len(names):,} {title}:", *names]))
        return
    line = f"{len(names):,} {title}"
    for number, name in enumerate(names[:most]):
        longer = f"{line}{', ' if number else ': '}{_cut(name)}"
        if len(longer) > _LINE_CHARS - 3:
            print(f"{line}, …")
            return
        line = longer
    print(line if len(names) <= most else f"{line}, …")


def _print_left(left: int) -> None:
    if left:
        print(f"  … and {left:,} more (--wide)")


def _cut(name: str) -> str:
    """A name, on a terminal without its middle, so that the numbers beside it fit 80 columns."""
    if not is_short():
        return name
    half = _NAME_CHARS // 2
    return name if len(name) <= _NAME_CHARS else f"{name[: half - 1]}…{name[-half:]}"


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    return _number(value) if isinstance(value, int | float) else str(value)


def _number(value: float, sign: str = "") -> str:
    """Whole where it is large, six digits where it is not."""
    return f"{value:{sign},.0f}" if isinstance(value, int) or abs(value) >= 1e5 else f"{value:{sign},.6g}"


def _change(a: Any, b: Any) -> str:
    if not isinstance(a, int | float) or not isinstance(b, int | float):
        return ""
    return f"{_number(b - a, '+')} ({b / a - 1:+.1%})" if a else _number(b - a, "+")
