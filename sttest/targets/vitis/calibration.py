"""What Vitis HLS achieves for each process of a design, beside what the compiler claims of it.

An interval or a depth of a report is of a loop in the C++, one of the timed graph is of a token or a tile.  Where the
loop takes several steps per iteration of the timed graph's loop, that iteration's interval is the steps times theirs;
a loop that is not pipelined, or not flattened, takes its whole latency.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import which
from threading import Event as Flag

from sttest.core.errors import InputError, SttestError, ToolMissingError
from sttest.core.files import write_text
from sttest.importers.hls.csynth_report import PIPELINE, RESOURCES, CsynthReport, LoopReport, ModuleReport, read_report
from sttest.package import DesignPackage
from sttest.package.achieved import Achieved, AchievedJob, AchievedLoop, AchievedProcess, ReportedLoop
from sttest.sim import TimedGraph
from sttest.sim.graph import Event, Loop, Pipeline
from sttest.targets.vitis import synthesis_jobs as jobs_of
from sttest.targets.vitis.runner import run_steps
from sttest.targets.vitis.steps import BuildStep, vitis_version
from sttest.targets.vitis.synthesis_jobs import SynthesisJob, synthesis_jobs

STEP = "csynth"
LIMIT_S = 3600.0
"""Time limit of a job; most processes take a minute or two."""
_FIRST_CONFIG = (2023, 2)
"""The first release in which v++ synthesizes single functions as documented."""


@dataclass(frozen=True)
class SynthesisTool:
    """How a job is run."""

    version: str
    command: tuple[str, ...]  # command that runs in the folder of the job
    report: str  # the report's path in that folder
    script: str  # the file that tells the tool what to do

    @classmethod
    def of(cls, program: str, version: str) -> "SynthesisTool":
        """The tool by the name of its program, ``v++`` or ``vitis_hls``."""
        if program == "v++":
            command = ("v++", "-c", "--mode", "hls", "--config", jobs_of.CONFIG, "--work_dir", "work")
            return cls(version, command, jobs_of.CONFIG_REPORT, jobs_of.CONFIG)
        return cls(version, ("vitis_hls", "-f", jobs_of.SCRIPT), jobs_of.SCRIPT_REPORT, jobs_of.SCRIPT)


def find_tool(expected: str, *, any_version: bool) -> SynthesisTool:
    """The installed tool: ``v++`` where it can, else ``vitis_hls``.

    Args:
        expected: start of the release that the board's platform goes with.
        any_version: take any other one too.

    Raises:
        ToolMissingError: neither is installed, or it does not answer.
        InputError: another release, or one that cannot be made out.
    """
    if which("v++") is None and which("vitis_hls") is None:
        raise ToolMissingError(
            "tools-missing",
            "neither v++ nor vitis_hls is installed",
            where="calibrate",
            hints=["source the settings64.sh of Vitis"],
        )
    if which("v++") is not None:
        version = vitis_version(expected, any_version=any_version, where="calibrate")
        if which("vitis_hls") is None or _release(version) >= _FIRST_CONFIG:
            return SynthesisTool.of("v++", version)
    return SynthesisTool.of(
        "vitis_hls", vitis_version(expected, any_version=any_version, tool="vitis_hls", where="calibrate")
    )


def _release(version: str) -> tuple[int, ...]:
    return tuple(int(each) for each in version.split(".")[:2] if each.isdecimal())


# --- Jobs: written, run, read


@dataclass(frozen=True)
class JobResult:
    """What came of a job."""

    job: SynthesisJob
    log: Path
    seconds: float = 0.0
    was_done: bool = False  # whether it was done before
    report: CsynthReport | None = None
    trouble: str = ""  # why there is no report


def write_jobs(package: DesignPackage, part: str, clock_mhz: float, folder: Path) -> list[SynthesisJob]:
    """Writes a folder for each distinct process.

    Args:
        package: design with C++.
        part: device, as the tool names it.
        clock_mhz: clock of the design, MHz.
        folder: folder of all jobs.

    Raises:
        InputError: the design has no C++.
    """
    files = package.files
    found = synthesis_jobs(files.cpp_text, files.kernel.name, package.emitted_graph)
    for job in found:
        (folder / job.name).mkdir(parents=True, exist_ok=True)
        for name, text in job.files(part, clock_mhz).items():
            write_text(folder / job.name / name, text)
    return found


def run_jobs(
    jobs: Sequence[SynthesisJob],
    folder: Path,
    tool: SynthesisTool,
    part: str,
    *,
    parallel: int,
    limit_s: float,
    tell: Callable[[str], None],
) -> list[JobResult]:
    """Runs every job that was not run with the same inputs before; one that fails stops no other.

    Args:
        jobs: jobs whose folders are written.
        folder: folder of all jobs.
        tool: how each is run.
        part: device that they are synthesized for.
        parallel: jobs at a time.
        limit_s: time limit of a job in seconds.
        tell: is told how many are done and which run.
    """
    stopped = Flag()
    results: dict[str, JobResult] = {}
    with ThreadPoolExecutor(parallel) as pool:
        waiting: set[Future[JobResult]] = {
            pool.submit(_run, job, folder / job.name, tool, part, limit_s, stopped) for job in jobs
        }
        try:
            while waiting:
                done, waiting = wait(waiting, timeout=1.0, return_when=FIRST_COMPLETED)
                results |= {result.job.name: result for result in (each.result() for each in done)}
                failed = sum(bool(each.trouble) for each in results.values())
                tell(f"{len(results)} of {len(jobs)} jobs done{f', {failed} failed' if failed else ''}")
        except BaseException:
            stopped.set()
            pool.shutdown(cancel_futures=True)
            raise
    return [results[job.name] for job in jobs]


def _run(job: SynthesisJob, folder: Path, tool: SynthesisTool, part: str, limit_s: float, stopped: Flag) -> JobResult:
    def heed(_line: str) -> None:
        if stopped.is_set():
            raise KeyboardInterrupt

    log, report = folder / f"{STEP}.log", folder / tool.report
    inputs = (folder / jobs_of.SOURCE, folder / tool.script)
    try:
        (result,) = run_steps([BuildStep(STEP, tool.command, inputs, report, limit_s)], folder, tool.version, heed)
    except SttestError as error:
        return JobResult(job, log, trouble=str(error))
    try:
        found = read_report(report, top=job.name, part=part)
    except InputError as error:
        report.unlink()  # the next attempt synthesizes it again
        return JobResult(job, log, result.seconds, trouble=str(error))
    return JobResult(job, log, result.seconds, result.was_done, found)


# --- From reports to the timed graph's terms


def achieved_figures(package: DesignPackage, results: Sequence[JobResult]) -> Achieved:
    """What the reports say, per job and per process of the timed graph."""
    pipelines = {each.name: each for each in package.emitted_graph.processes if isinstance(each, Pipeline)}
    jobs = tuple(
        AchievedJob(
            name=each.job.name,
            processes=each.job.processes,
            units=len(each.job.units),
            release=each.report.version,
            target_ns=each.report.target_ns,
            estimated_ns=each.report.estimated_ns,
            **each.report.resources,
            loops=tuple(_reported(each.report)),
        )
        for each in results
        if each.report is not None
    )
    processes = [_process(*each, pipelines) for result in results for each in _members(result)]
    return Achieved(
        schema="sttest.achieved/1", kernel_sha256=package.kernel_sha256, jobs=jobs, processes=tuple(processes)
    )


def _reported(report: CsynthReport) -> Iterator[ReportedLoop]:
    for function, module in report.modules.items():
        waiting = [*module.loops] if PIPELINE not in function else []  # those stand where they were taken from
        while waiting:
            loop = waiting.pop(0)
            waiting[:0] = loop.inner
            yield ReportedLoop(function=function, name=loop.name, trips=loop.trips, ii=loop.interval, depth=loop.depth)


def _members(result: JobResult) -> Iterator[tuple[str, str, ModuleReport | None]]:
    """Each process with its job and with what stands of its function in the report."""
    if result.report is None:
        return
    for unit in result.job.units:
        for process, function in zip(unit.processes, result.job.units[0].functions, strict=True):
            yield process, result.job.name, result.report.modules.get(function)


def _process(process: str, job: str, module: ModuleReport | None, pipelines: Mapping[str, Pipeline]) -> AchievedProcess:
    pipeline = pipelines.get(process)
    try:
        if pipeline is None:
            raise UnmatchedError("a port of memory, timed by its channels")
        if module is None:
            raise UnmatchedError("its function is not in the report")
        loops = matched_loops(pipeline, module)
    except UnmatchedError as error:
        return AchievedProcess(process=process, job=job, remark=str(error))
    return AchievedProcess(process=process, job=job, loops=loops)


class UnmatchedError(Exception):
    """A report that says nothing of a process of the timed graph."""


def matched_loops(pipeline: Pipeline, module: ModuleReport) -> tuple[AchievedLoop, ...]:
    """The loops of a process, as they were achieved.

    Args:
        pipeline: process of the timed graph.
        module: its function in the report.

    Raises:
        UnmatchedError: the report does not say, or has other loops.
    """
    loops, found = pipeline.loops, module.loops
    if pipeline.trace is not None or not loops:
        raise UnmatchedError("no loops in the timed graph")
    runs, cycles = pipeline.repeat, module.cycles  # the function is called once for all runs
    if len(found) == 1 and found[0].interval is None and found[0].trips == runs > 1:
        found, runs, cycles = found[0].inner, 1, found[0].depth  # a loop over layers or blocks around the process
    if not found and len(loops) == 1 and loops[0].iterations * runs == 1:
        cycles = _known(cycles, "latency")
        return (AchievedLoop(ii=max(1, cycles), latency=max(1, cycles)),)
    if len(found) == 1 < len(loops):  # one loop for all: their iterations follow each other
        return (_loop(found[0], sum(loop.iterations for loop in loops) * runs),) * len(loops)
    if len(found) != len(loops):
        raise UnmatchedError(f"{len(found)} loops in the report, {len(loops)} in the timed graph")
    return tuple(_loop(each, loop.iterations * runs) for loop, each in zip(loops, found, strict=True))


def _loop(found: LoopReport, iterations: int) -> AchievedLoop:
    trips = max(1, _known(found.trips, "trip count"))
    if trips % iterations and iterations % trips:
        raise UnmatchedError(f"{trips} iterations in the report, {iterations} in the timed graph")
    steps = max(1, trips // iterations)
    depth = max(1, _known(found.depth, "depth"))
    if found.interval is not None:
        interval = max(1, found.interval)
        return AchievedLoop(ii=max(1, math.ceil(trips * interval / iterations)), latency=depth + (steps - 1) * interval)
    if trips < iterations and found.inner:
        depth = max(1, _known(_innermost(found).depth, "depth"))
    each = max(1, math.ceil(_known(found.cycles, "latency") / iterations))
    return AchievedLoop(ii=each, latency=max(each, depth * steps) if trips >= iterations else max(each, depth))


def _innermost(loop: LoopReport) -> LoopReport:
    return _innermost(loop.inner[-1]) if loop.inner else loop


def _known(value: int | None, what: str) -> int:
    if value is None:
        raise UnmatchedError(f"no {what} in the report")
    return value


def calibrated_graph(graph: TimedGraph, achieved: Achieved) -> tuple[TimedGraph, int]:
    """The graph with what was achieved in place of what the compiler claims, and how many processes changed hands.

    Raises:
        InputError: figures of another graph, or such as no engine could run.
    """
    loops = {each.process: each.loops for each in achieved.processes if each.loops}
    processes = tuple(
        _calibrated(each, loops[each.name]) if isinstance(each, Pipeline) and each.name in loops else each
        for each in graph.processes
    )
    return replace(graph, processes=processes), sum(each.name in loops for each in graph.processes)


def _calibrated(pipeline: Pipeline, achieved: Sequence[AchievedLoop]) -> Pipeline:
    if len(achieved) != len(pipeline.loops):
        raise InputError(
            "files-disagree",
            "not as many achieved loops as in the timed graph",
            where=f"process '{pipeline.name}'",
            demand=len(achieved),
            bound=len(pipeline.loops),
            hints=["calibrate the package again"],
        )
    loops = tuple(
        replace(loop, ii=each.ii, latency=each.latency, events=_spread(loop, each.latency))
        for loop, each in zip(pipeline.loops, achieved, strict=True)
    )
    longer = sum(new.length - old.length for new, old in zip(loops, pipeline.loops, strict=True))
    return replace(pipeline, loops=loops, end=None if pipeline.end is None else pipeline.end + longer)


def _spread(loop: Loop, latency: int) -> tuple[Event, ...]:
    """Accesses at the same share of an iteration: the first stays the first, the last the last."""
    last = max(1, loop.latency - 1)
    return tuple(replace(each, stage=round(each.stage * (latency - 1) / last)) for each in loop.events)


# --- What is claimed of a unit, beside what was achieved


@dataclass(frozen=True)
class Figures:
    """Interval, depth and cycles of the longest loop and of all, and resources of one unit; None where unknown."""

    ii: int | None
    depth: int | None
    cycles: int | None  # cycles of one run without waiting
    resources: Mapping[str, float]  # resources by :data:`RESOURCES`

    def to_json(self) -> dict[str, float | None]:
        """All figures by name."""
        return {"ii": self.ii, "depth": self.depth, "cycles": self.cycles, **self.resources}


@dataclass(frozen=True)
class Comparison:
    """A job's first unit: what the compiler claims, and what the tool achieved."""

    job: AchievedJob
    claimed: Figures
    achieved: Figures

    @property
    def ratio(self) -> float | None:
        """Achieved cycles over claimed ones."""
        return self.achieved.cycles / self.claimed.cycles if self.achieved.cycles and self.claimed.cycles else None


def comparisons(package: DesignPackage, achieved: Achieved) -> list[Comparison]:
    """All jobs that have a report."""
    pipelines = {each.name: each for each in package.emitted_graph.processes if isinstance(each, Pipeline)}
    known = {each.process: each.loops for each in achieved.processes}
    table = package.report("resources")
    claimed = {
        str(row["process"]): {name: float(row[name]) for name in RESOURCES}
        for row in table[~table["kind"].isin(["fifo", "budget", "total"])].to_dict("records")
    }
    found: list[Comparison] = []
    for job in achieved.jobs:
        unit = job.processes[: len(job.processes) // job.units]
        names = {name if name in claimed else name.removesuffix("_fill").removesuffix("_drain") for name in unit}
        resources = {each: sum(claimed[name][each] for name in names if name in claimed) for each in RESOURCES}
        members = [pipelines[name] for name in unit if name in pipelines]
        timed = [_calibrated(each, known[each.name]) for each in members if known[each.name]]
        measured = {name: float(getattr(job, name)) for name in RESOURCES}
        figures = _figures(timed if len(timed) == len(members) else [], measured)
        if figures.ii is None and job.loops:  # nothing is claimed of a port of memory, nor of what does not fit
            loop = max(job.loops, key=lambda each: each.trips or 0)
            figures = replace(figures, ii=loop.ii, depth=loop.depth)
        found.append(Comparison(job, _figures(members, resources), figures))
    return found


def _figures(pipelines: Sequence[Pipeline], resources: Mapping[str, float]) -> Figures:
    loops = [loop for each in pipelines for loop in each.loops]
    if not loops:
        return Figures(None, None, None, resources)
    longest = max(loops, key=lambda loop: loop.iterations)
    return Figures(longest.ii, longest.latency, sum(loop.length for loop in loops), resources)
