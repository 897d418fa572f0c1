"""One design: whether it finishes, who waits for whom and where, and depths with which it does or loses nothing."""

import re
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path

from sttest.core.errors import SttestError
from sttest.importers.places import DesignPlaces, Place
from sttest.sim import Simulation, TimedGraph, simulate
from sttest.sim.deadlock import Deadlock
from sttest.sim.graph import MAX_DEPTH, Fifo, Process
from sttest.sim.simulation import remedy_lines, wait_lines
from sttest.sim.sizing import Sizing, size_by_simulation, size_for_throughput
from sttest.sim.sizing.several import JointSizing, size_for_all
from sttest.studies.check.changes import change_of
from sttest.studies.check.designs import CheckedDesign
from sttest.studies.check.finding import Change, Finding, FoundDepth, FoundWait, Spot
from sttest.studies.check.request import NO_DEADLOCK


def findings_of(source: str, design: CheckedDesign, target: str) -> Iterator[Finding]:
    """What is found of a design: first the verdict with its fix, then that with the sizing.

    Args:
        source: what the user called it.
        design: what was read there.
        target: ``no-deadlock`` or ``no-loss``, for which a change is made.

    Raises:
        SttestError: it cannot be simulated.
    """
    run = simulate(design.graph)
    places = _places(design)
    found = _verdict(source, design, run, places)
    yield _with_change(found, design, target)
    if run.deadlock is not None and not run.deadlock.fix:
        return  # no depths help
    if run.throughput is not None and run.throughput == simulate(design.graph, unbounded=True).throughput:
        yield found.model_copy(update={"is_fastest": True})
        return  # the least storage of endless actors may take minutes to find
    yield _with_change(_sized(found, design, run, places), design, target)


def _verdict(source: str, design: CheckedDesign, run: Simulation, places: DesignPlaces) -> Finding:
    graph, deadlock = design.graph, run.deadlock
    told: dict[str, object] = {}
    if deadlock is not None:
        cured = simulate(graph.with_depths(deadlock.fix)) if deadlock.fix else None
        told = {
            "waits": _waits(deadlock, graph, places),
            "is_closed": deadlock.is_closed,
            "remedy": tuple(remedy_lines(deadlock)),
            "depths": _depths(graph, deadlock.fix, {}, places),
            "finishes_cycles": cured.cycles if cured else None,
        }
    bits = [fifo.depth * fifo.bits for fifo in graph.fifos if fifo.depth < MAX_DEPTH]
    return Finding(
        source=source,
        verdict="done" if deadlock is None else "deadlock",
        form=design.form,
        name=graph.name,
        read_with=design.beside,
        cycles=run.cycles,
        clock_mhz=graph.clock_mhz,
        throughput=_text(run.throughput),
        processes=len(graph.processes),
        fifo_bits=sum(bits) if len(bits) == len(graph.fifos) else None,
        assumed=design.assumed,
        checked=design.checked,
        notes=tuple(run.notes),
        **told,  # pyright: ignore[reportArgumentType]
    )


def _text(throughput: Fraction | None) -> str | None:
    return None if throughput is None else str(throughput)


def _sized(found: Finding, design: CheckedDesign, run: Simulation, places: DesignPlaces) -> Finding:
    """The finding with what a sizing without loss says: depths that are greater than a FIFO's own.

    Others are left as they are, so that what finishes now is not made to depend on the last token.  Where the schedule
    is not known, none that is possible loses a cycle.
    """
    graph, schedules = design.graph, design.find_schedules()
    sizing = size_for_all(schedules, _sizing) if schedules and not graph.is_endless else _sizing(graph)
    deeper = {fifo.name: depth for fifo in graph.fifos if (depth := sizing.depths[fifo.name]) > fifo.depth}
    if isinstance(sizing, JointSizing):
        found = found.model_copy(update={"checked": (*found.checked, _saved(sizing))})
    elif found.finishes_cycles is not None and found.finishes_cycles == sizing.cycles:
        deeper = found.fix(NO_DEADLOCK)  # which may be of other FIFOs
    better = simulate(graph.with_depths(deeper)) if deeper else run
    others = [each for each in schedules.values() if deeper]
    if not _gains(better, run) and not any(
        _gains(simulate(each.with_depths(deeper)), simulate(each)) for each in others
    ):
        lossless = None if isinstance(sizing, JointSizing) and sizing.lost else sizing.total_bits
        return found.model_copy(update={"sized_bits": lossless, "is_fastest": better.verdict == "done"})
    finishes = {each.fifo: each.finishes for each in found.depths if each.finishes is not None}
    return found.model_copy(
        update={
            "sized_bits": sizing.total_bits,
            "lossless_cycles": better.cycles,
            "lossless_throughput": _text(better.throughput),
            "depths": _depths(graph, finishes, deeper, places),
        }
    )


def _saved(sizing: JointSizing) -> str:
    """What depths for all schedules take, and what knowing the schedule would save."""
    alone = [each.total_bits for each in sizing.alone.values()]
    lose = f"at most {sizing.lost:,} cycles" if sizing.lost else "no cycle"
    told = f"FIFOs of {sizing.total_bits:,} bits lose {lose} under any schedule that can finish"
    least, most = (max(0, sizing.total_bits - each(alone)) for each in (max, min))
    if most == 0:
        return f"{told}; knowing the schedule would save none"
    return f"{told}; knowing the schedule would save {least:,} to {most:,} of them"


def _sizing(graph: TimedGraph) -> Sizing:
    if graph.is_endless:
        return size_for_throughput(graph)
    return size_by_simulation(graph, known={fifo.name: fifo.depth for fifo in graph.fifos})


def _gains(better: Simulation, run: Simulation) -> bool:
    """Whether other depths are worth proposing: they finish where the own ones do not, or earlier."""
    if better.verdict != "done":
        return False
    if run.verdict != "done":
        return True
    if run.throughput is not None and better.throughput is not None:
        return better.throughput > run.throughput
    return better.cycles is not None and run.cycles is not None and better.cycles < run.cycles


def _waits(deadlock: Deadlock, graph: TimedGraph, places: DesignPlaces) -> tuple[FoundWait, ...]:
    _, *texts = wait_lines(deadlock, graph)
    return tuple(
        FoundWait(**wait.to_json(), text=text, spot=_spot(places.of_access(wait.process, wait.waits_to, wait.fifo)))
        for wait, text in zip(deadlock.cycle, texts, strict=True)
    )


def _depths(
    graph: TimedGraph, finishes: Mapping[str, int], lossless: Mapping[str, int], places: DesignPlaces
) -> tuple[FoundDepth, ...]:
    return tuple(
        FoundDepth(
            fifo=fifo.name,
            depth=fifo.depth,
            finishes=finishes.get(fifo.name),
            lossless=lossless.get(fifo.name),
            spot=_spot(places.fifos.get(fifo.name)),
        )
        for fifo in graph.fifos
        if fifo.name in finishes or fifo.name in lossless
    )


def _places(design: CheckedDesign) -> DesignPlaces:
    """Lines of the design; none where they cannot be told, since a diagnosis without them is one, too."""
    try:
        found = design.find_places()
    except SttestError:
        found = DesignPlaces()
    graph = design.graph
    return DesignPlaces(
        {**_origins(graph.fifos, design.source), **found.fifos},
        {**_origins(graph.processes, design.source), **found.processes},
        found.accesses,
    )


_ORIGIN = re.compile(r"(\S.*?) line (\d{1,9})")
"""An origin that is a place, as errors of C++ call one: ``kernel.cpp line 12``."""


def _origins(parts: Iterable[Fifo | Process], source: Path) -> dict[str, Place]:
    """Places that are told by the origins of FIFOs or processes, in files beside the design or in its folder."""
    folder, found = source if source.is_dir() else source.parent, dict[str, Place]()
    for each in parts:
        told = _ORIGIN.fullmatch(each.origin)
        if told is not None and (folder / told[1]).is_file():
            found[each.name] = Place(folder / told[1], int(told[2]))
    return found


def _spot(place: Place | None) -> Spot | None:
    if place is None:
        return None
    path, here = place.file.absolute(), Path.cwd()
    return Spot(file=str(path.relative_to(here) if path.is_relative_to(here) else place.file), line=place.line)


def _with_change(found: Finding, design: CheckedDesign, target: str) -> Finding:
    depths = found.fix(target)
    if not depths or (found.change is not None and found.change.depths == depths):
        return found
    try:
        change: Change | None = change_of(design, depths)
    except SttestError as error:
        return found.model_copy(update={"why_no_change": str(error)})
    return found.model_copy(update={"change": change})
