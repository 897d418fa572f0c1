"""`sttest calibrate`: every distinct process of a package through Vitis HLS, and what came of it beside the claim."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from sttest.boards.board import FpgaBoard
from sttest.boards.load import load_board, require_hbm
from sttest.cli.common import Json, print_json, progress
from sttest.core.errors import InputError, SttestError, ToolMissingError
from sttest.importers.hls.csynth_report import RESOURCES
from sttest.package import DesignPackage
from sttest.targets.vitis.calibration import (
    LIMIT_S,
    Comparison,
    JobResult,
    SynthesisTool,
    achieved_figures,
    comparisons,
    find_tool,
    run_jobs,
    write_jobs,
)
from sttest.targets.vitis.synthesis_jobs import SynthesisJob

SCHEMA = "sttest.calibrate/1"


def calibrate_verb(
    package: Annotated[Path, typer.Argument(help="A design package.")],
    board: Annotated[
        str | None, typer.Option(help="A variant, in YAML, of the board that it was compiled for.")
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, max=256, help="Jobs at a time.")] = 2,
    timeout_csynth: Annotated[float, typer.Option(min=0.1, help="Seconds for a job.")] = LIMIT_S,
    any_version: Annotated[bool, typer.Option("--any-version", help="Take another Vitis than the board's.")] = False,
    work_dir: Annotated[
        Path | None, typer.Option("--work-dir", "-o", help="Folder of the jobs [PACKAGE/calibrate].")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Write the jobs, run nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Synthesize each distinct process with Vitis HLS; print and save what it achieves.

    A job that is done is not run again; sttest simulate --calibrated times the design with the figures.

    Examples:

      sttest calibrate build/gpt2-decode-u55c --jobs 8

      sttest calibrate build/gpt2-decode-u55c --dry-run
    """
    design = DesignPackage.read(package)
    chosen = _board(board, design)
    folder = (work_dir or design.jobs_folder).resolve()
    part = chosen.toolchain.part
    written = write_jobs(design, part, chosen.clock_mhz.value, folder)
    if dry_run:
        _print_written(written, folder, as_json=as_json)
        return
    tool = _tool(chosen, len(written), folder, any_version=any_version)
    with progress(f"synthesizing {package}") as tell:
        results = run_jobs(written, folder, tool, part, parallel=jobs, limit_s=timeout_csynth, tell=tell)
    achieved = achieved_figures(design, results)
    saved = design.write_achieved(achieved)
    compared = comparisons(design, achieved)
    if as_json:
        print_json(_document(package, tool, results, compared, saved))
    else:
        print("\n".join(_text(package, results, compared, saved)))
    failed = [each for each in results if each.trouble]
    if failed:
        raise SttestError(
            "calibrate-failed",
            f"{len(failed)} of {len(results)} jobs failed, first {failed[0].job.name}: {failed[0].trouble}",
            where="calibrate",
        )


def _board(name: str | None, design: DesignPackage) -> FpgaBoard:
    board = require_hbm(load_board(name or design.board))
    if board.name != design.board:
        raise InputError(
            "other-board",
            f"the package was compiled for '{design.board}'",
            where=f"--board {name}",
            hints=[f"compile it with --board {name}"],
        )
    return board


def _tool(board: FpgaBoard, count: int, folder: Path, *, any_version: bool) -> SynthesisTool:
    try:
        return find_tool(board.toolchain.vitis, any_version=any_version)
    except ToolMissingError as error:
        raise ToolMissingError(
            error.code, f"{error.what}; {count} jobs are written to {folder}", where=error.where, hints=error.hints
        ) from error


def _print_written(jobs: Sequence[SynthesisJob], folder: Path, *, as_json: bool) -> None:
    names = [{"name": each.name, "processes": list(each.processes)} for each in jobs]
    if as_json:
        commands = [list(SynthesisTool.of(program, "").command) for program in ("v++", "vitis_hls")]
        print_json({"schema": SCHEMA, "folder": str(folder), "jobs": names, "commands": commands})
        return
    print(f"jobs        {len(jobs)} for {sum(len(each.processes) for each in jobs)} processes, in {folder}")
    for program in ("v++", "vitis_hls"):
        print(f"run in each {' '.join(SynthesisTool.of(program, '').command)}")


# --- The table


_COLUMNS = ("II", "depth", "DSP", "LUT", "FF", "BRAM", "URAM")
_WIDTHS = (6, 6, 7, 9, 9, 6, 5)
_NAME = 24


def _text(package: Path, results: Sequence[JobResult], compared: Sequence[Comparison], saved: Path) -> list[str]:
    """At most 80 columns: per job what is claimed, below it what was achieved."""
    lines = [_row("process", _COLUMNS), *_totals(compared)] if compared else []
    for each in compared:
        lines.append(_row(_named(each), (each.claimed.ii, each.claimed.depth, *each.claimed.resources.values())))
        ratio = "" if each.ratio is None else f", cycles x {each.ratio:.2f}"
        values = (each.achieved.ii, each.achieved.depth, *each.achieved.resources.values())
        lines.append(_row(f"  achieved{ratio}", values))
    failed = [each for each in results if each.trouble]
    done = sum(each.was_done for each in results if not each.trouble)
    run = len(results) - len(failed) - done
    lines.append(f"jobs        {run} synthesized, {done} done before, {len(failed)} failed")
    lines += [f"failed      {each.job.name}, see {each.log}" for each in failed]
    slow = [each for each in compared if each.job.estimated_ns > each.job.target_ns]
    if slow:
        worst = max(slow, key=lambda each: each.job.estimated_ns)
        lines.append(f"clock       {len(slow)} miss it, {worst.job.name} takes {worst.job.estimated_ns:g} ns")
    return [*lines, f"saved       {saved}", f"next        sttest simulate {package} --calibrated"]


def _totals(compared: Sequence[Comparison]) -> list[str]:
    claimed = [sum(each.claimed.resources[name] * each.job.units for each in compared) for name in RESOURCES]
    achieved = [sum(each.achieved.resources[name] * each.job.units for each in compared) for name in RESOURCES]
    ratios = [f"{found / claim:.2f}" if claim else "-" for claim, found in zip(claimed, achieved, strict=True)]
    return [
        _row("all, claimed", ("", "", *claimed)),
        _row("  achieved", ("", "", *achieved)),
        _row("  ratio", ("", "", *ratios)),
    ]


def _named(each: Comparison) -> str:
    more = f" x {each.job.units}" if each.job.units > 1 else ""
    room = _NAME - len(more)
    name = each.job.name if len(each.job.name) <= room else f"{each.job.name[: room - 1]}…"
    return f"{name}{more}"


def _row(name: str, values: Iterable[object]) -> str:
    cells = (f"{_cell(value):>{width}}" for value, width in zip(values, _WIDTHS, strict=True))
    return f"{name:<{_NAME}} {' '.join(cells)}".rstrip()


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return str(value) if isinstance(value, str) else f"{value:,.0f}" if isinstance(value, int | float) else ""


def _document(
    package: Path, tool: SynthesisTool, results: Sequence[JobResult], compared: Sequence[Comparison], saved: Path
) -> dict[str, Any]:
    figures = {each.job.name: each for each in compared}
    jobs: list[dict[str, Any]] = []
    for result in results:
        job: dict[str, Any] = {
            "name": result.job.name,
            "processes": list(result.job.processes),
            "units": len(result.job.units),
            "seconds": round(result.seconds, 3),
            "was_done": result.was_done,
            "log": str(result.log),
            "trouble": result.trouble or None,
        }
        found = figures.get(result.job.name)
        if found is not None:
            job |= {
                "claimed": found.claimed.to_json(),
                "achieved": found.achieved.to_json(),
                "cycles_ratio": found.ratio,
                "loops": [each.model_dump() for each in found.job.loops],
                "target_ns": found.job.target_ns,
                "estimated_ns": found.job.estimated_ns,
            }
        jobs.append(job)
    return {
        "schema": SCHEMA,
        "package": str(package),
        "tool": list(tool.command),
        "version": tool.version,
        "saved": str(saved),
        "jobs": jobs,
    }
