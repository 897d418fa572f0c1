"""`sttest check`: whatever holds a design, recognized, simulated and sized; waits with their lines, and the fix."""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

from sttest.cli.objects import takes_objects
from sttest.cli.output import Json, print_json
from sttest.core.errors import DeadlockError, InputError
from sttest.core.files import STANDARD_INPUT, read_bytes, write_text
from sttest.core.plain_files import why_no_current_folder
from sttest.core.progress import progress
from sttest.core.tables import print_table
from sttest.core.terminal import is_short
from sttest.studies.check.annotations import annotations
from sttest.studies.check.finding import SCHEMA, Finding, as_error
from sttest.studies.check.request import NO_DEADLOCK, Asked
from sttest.studies.check.session import check_all
from sttest.studies.check.writing import write_change

Target: TypeAlias = Literal["no-deadlock", "no-loss"]
SECONDS = 60.0
"""Time that each input may take, by default."""
MOST_SECONDS = 1_000_000.0
_MOST_WAITS = 8
"""Lines of waits on a terminal; a pipe, --json and --wide have all."""
_MOST_PATCH = 24
"""Lines of a patch on a terminal."""


@dataclass(frozen=True)
class CheckedFiles:
    """What the inputs are, and files beside them."""

    form: Annotated[
        str | None, typer.Option("--format", metavar="NAME", help="A format of sttest import [what the files hold].")
    ] = None
    reports: Annotated[
        Path | None, typer.Option(help="Folder of synthesis reports, or csynth.xml [those beside the design].")
    ] = None
    top: Annotated[str | None, typer.Option(help="The function that is the design, where a file has several.")] = None
    rates: Annotated[Path | None, typer.Option(help="tapa: what each task does [the YAML beside the graph].")] = None
    folding: Annotated[
        Path | None, typer.Option(help="finn: a folding configuration [MODEL.folding.json beside the model].")
    ] = None
    no_run: Annotated[bool, typer.Option("--no-run", help="Execute no code that came in: C++ is then refused.")] = False


@dataclass(frozen=True)
class AskedChange:
    """What change is proposed, and where it goes."""

    target: Annotated[Target, typer.Option(help="Of the depths that are proposed as a change.")] = NO_DEADLOCK
    seconds: Annotated[float, typer.Option(min=0.1, max=MOST_SECONDS, help="That each input may take.")] = SECONDS
    apply: Annotated[
        bool, typer.Option("--apply", help="Change the design's own files, after saying what changes.")
    ] = False
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Write the change to a file: the patch, or all of a graph.")
    ] = None
    annotate: Annotated[
        bool, typer.Option("--annotations", help="Print annotations of a GitHub workflow behind the text.")
    ] = False


@takes_objects
def check_verb(
    inputs: Annotated[
        list[Path],
        typer.Argument(
            metavar="INPUT",
            help="Timed graph, SDF3, design package, linalg text, or a design of another tool: C++, solution or "
            "component of Vitis HLS, TAPA, FINN, LightningSim (see sttest import). - is standard input.",
        ),
    ],
    given: CheckedFiles,
    change: AskedChange,
    as_json: Json = False,
) -> None:
    """Check whatever holds a design for deadlocks; exit code 3 on one, with the line of each wait and the fix.

    What it is given is recognized by what it holds, simulated and sized in a process of its own, which is stopped
    after --seconds; what there was no time for is said.

    Examples:

      sttest check design.cpp

      sttest check project/solution1 --apply

      sttest check designs/*.json --annotations

      sttest check design.cpp --reports csynth.xml -o depths.patch

      sttest check graph.json model.xml --json
    """
    _refuse(inputs, change.out, both=change.annotate and as_json)
    asked = Asked(
        given.form or "",
        *(None if each is None else str(each) for each in (given.reports, given.top, given.rates, given.folding)),
        target=change.target,
        is_strict=len(inputs) == 1,
        no_run=given.no_run,
    )
    data = read_bytes(STANDARD_INPUT) if STANDARD_INPUT in inputs else b""
    with progress("checking") as say:
        groups = list(check_all(list(map(str, inputs)), asked, data, change.seconds, say))
    findings = [each for group in groups for each in group]
    code = _exit_code(findings)
    if _is_error(findings):
        if change.annotate:
            print("\n".join(annotations(findings)))
        raise as_error(findings[0])
    if as_json:
        written = _written(findings, change.out, apply=change.apply)
        told = [each.to_json() for each in findings]
        facts = {"seconds": change.seconds, "exit_code": code, "written": written}
        print_json({"schema": SCHEMA, **facts, "findings": told})
    else:
        with _guarded(annotate=change.annotate):
            _print(findings, change.target, can_change=not change.apply and change.out is None)
        if change.annotate:
            print("\n".join(annotations(findings)))
        if change.apply or change.out is not None:
            written = _written(findings, change.out, apply=change.apply)
            print("\n".join(f"{path}: written" for path in written) or "nothing was written")
    raise typer.Exit(code)


def _refuse(inputs: Sequence[Path], out: Path | None, *, both: bool) -> None:
    """Refuses what makes no sense together, before any work."""
    if (gone := why_no_current_folder()) is not None:  # the processes that check start in it
        raise gone
    if both:
        hints = ["leave one out"]
        raise InputError("two-forms", "--annotations and --json are two forms", where="--annotations", hints=hints)
    if inputs.count(STANDARD_INPUT) > 1:
        hints = ["name a file for the others"]
        raise InputError("one-input", "standard input holds one design", where="-", hints=hints)
    if out is None:
        return
    if len(inputs) > 1:
        hints = ["check them one by one", "change all with --apply"]
        raise InputError("one-output", "a file holds the change of one input", where="--out", hints=hints)
    if not out.absolute().parent.is_dir():
        raise InputError("no-such-folder", "its folder is not there", where=str(out), hints=["make it first"])


def _exit_code(findings: Sequence[Finding]) -> int:
    """A deadlock's before those of what could not be checked."""
    codes = [each.exit_code for each in findings if each.exit_code]
    return DeadlockError.exit_code if DeadlockError.exit_code in codes else next(iter(codes), 0)


# --- In words


@contextmanager
def _guarded(*, annotate: bool) -> Iterator[None]:
    """Of text that a workflow reads: no name in it is taken for a command."""
    if not annotate:
        yield
        return
    token = secrets.token_hex(16)
    print(f"::stop-commands::{token}")
    yield
    print(f"::{token}::")


def _print(findings: Sequence[Finding], target: Target, *, can_change: bool) -> None:
    if len(findings) > 1:
        rows = [(each.source, each.form or "-", _short(each), _fix_text(each.fix("no-deadlock"))) for each in findings]
        print_table(("input", "taken for", "verdict", "fix"), rows)
    for each in findings:
        if len(findings) == 1 or each.verdict != "done" or each.depths:
            if len(findings) > 1:
                print()
            _print_one(each, target, can_change=can_change)


def _is_error(findings: Sequence[Finding]) -> bool:
    """Whether all that is to be said is an error, as of any other verb."""
    return len(findings) == 1 and findings[0].verdict == "refused"


def _short(found: Finding) -> str:
    if found.verdict != "done":
        return found.verdict
    return f"{found.throughput}/cycle" if found.cycles is None else f"{found.cycles:,} cycles"


def _fix_text(depths: dict[str, int]) -> str:
    return ", ".join(f"{name}={depth}" for name, depth in depths.items()) or "-"


def _print_one(found: Finding, target: Target, *, can_change: bool) -> None:
    if found.verdict == "refused":
        print(f"not checked: {as_error(found)}")
        return
    print(f"{found.source}: {_headline(found)}")
    if found.form:
        beside = f", with {' and '.join(found.read_with)}" if found.read_with else ""
        print(f"  taken for {_taken_for(found)}: {found.name}, {found.processes:,} processes{beside}")
    _print_waits(found)
    for sentence in found.remedy:
        print(f"  {sentence}")
    if found.depths:
        _print_depths(found)
    elif found.is_fastest:
        own = "" if found.fifo_bits is None else f"; its own have {found.fifo_bits:,}"
        least = "" if found.sized_bits is None else f" FIFOs of {found.sized_bits:,} bits lose nothing{own}."
        print(f"  No deeper FIFO makes it faster.{least}")
    _print_change(found, target, can_change=can_change)
    for sentence in found.notes:
        print(f"  note: {sentence}")
    for sentence in found.checked:
        print(f"  checked: {sentence}")
    for sentence in found.assumed:
        print(f"  assumed: {sentence}")
    if found.stopped:
        print(f"  {found.stopped}")


def _taken_for(found: Finding) -> str:
    return found.form if " " in found.form else f"a design that 'sttest import {found.form}' reads"


def _headline(found: Finding) -> str:
    if found.verdict == "unknown":
        return "not known"
    if found.verdict == "deadlock":
        return "deadlock"
    if found.throughput is not None:
        told = f"done, {found.throughput} iterations per cycle"
        return f"{told}; {found.lossless_throughput} with deeper FIFOs" if found.lossless_throughput else told
    cycles = found.cycles or 0
    told = f"done after {cycles:,} cycles = {cycles / (found.clock_mhz or 1.0):,.2f} µs"
    if found.lossless_cycles is None:
        return told
    lost = cycles - found.lossless_cycles
    return f"{told}; full FIFOs cost {f'{lost:,} of them' if lost else 'some under another schedule'}"


def _print_waits(found: Finding) -> None:
    if not found.waits:
        return
    last = "the first" if found.is_closed else "a process that has finished"
    print(f"  Each process waits for the next, and the last waits for {last}:")
    shown = found.waits[:_MOST_WAITS] if is_short() else found.waits
    for wait in shown:
        print(f"  {wait.spot.text}: {wait.text}" if wait.spot else f"  {wait.text}")
    if left := len(found.waits) - len(shown):
        print(f"  … and {left:,} more (--wide)")


def _print_depths(found: Finding) -> None:
    finishes = any(each.finishes is not None for each in found.depths)
    lossless = any(each.lossless is not None for each in found.depths)
    columns = ["FIFO", "depth", *(["finishes"] if finishes else []), *(["no loss"] if lossless else [])]
    placed = any(each.spot for each in found.depths)
    columns += ["declared in"] if placed else []
    rows = [
        [
            each.fifo,
            each.depth,
            *([each.depth if each.finishes is None else each.finishes] if finishes else []),
            *([each.depth if each.lossless is None else each.lossless] if lossless else []),
            *([each.spot.text if each.spot else "-"] if placed else []),
        ]
        for each in found.depths
    ]
    print_table(columns, rows)
    if finishes and lossless and found.lossless_cycles is not None and found.finishes_cycles is not None:
        print(f"  finishes: {found.finishes_cycles:,} cycles; no loss: {found.lossless_cycles:,} cycles")


def _print_change(found: Finding, target: Target, *, can_change: bool) -> None:
    change = found.change
    if found.why_no_change:
        print(f"  Depths do not go back: {found.why_no_change}")
    if change is None:
        return
    told = _fix_text(change.depths)
    if change.is_patch:
        lines = change.text.splitlines()
        shown = lines[:_MOST_PATCH] if is_short() else lines
        print("\n".join([f"  The change for {target}, {told}:", *shown]))
        if left := len(lines) - len(shown):
            print(f"  … and {left:,} more lines (--wide)")
    else:
        where = " and ".join(edit.path for edit in change.edits)
        print(f"  The change for {target}, {told}, in {where}" if where else f"  The change for {target}, {told}")
    if change.why_not:
        print(f"  It is not made in place: {change.why_not}")
    elif can_change:
        print("  Add --apply to make it, or -o FILE to write it.")


def _written(findings: Sequence[Finding], out: Path | None, *, apply: bool) -> list[str]:
    """Writes what was asked for, of the inputs for which something is proposed; gives the paths."""
    paths = list[str]()
    for each in findings:
        if each.change is not None and out is not None:
            write_text(out, each.change.text)
            paths.append(str(out))
        if each.change is not None and apply and each.change.edits:  # else it was said why not
            paths += write_change(each.change)
    return paths
