"""Drawings of a schedule, as the coordinates that the templates put into SVG."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sttest.sim import MemoryPort, Process
from sttest.sim.critical_path import critical_path
from sttest.sim.export import KINDS, occupancy, stretches
from sttest.studies.report.schedule import Schedule, fullest_fifos

WIDTH, GUTTER, PLOT = 1000.0, 190.0, 800.0
"""Of a drawing, in user units: all of it, the names at its left, and the time axis."""
LANE, STEP, BAND_GAP, TOP = 4.0, 5.0, 7.0, 26.0
STRIP, STRIP_STEP = 20.0, 27.0
MAX_SLICES = 240
MAX_SAMPLES = 400
_LEAST_WIDTH = 0.4
_TICKS = 6


@dataclass(frozen=True)
class GanttLane:
    """One process: a path per kind of what it did, the path of its part of the critical path, and its numbers."""

    y: float
    tip: str
    paths: Sequence[tuple[str, str]]
    critical: str


@dataclass(frozen=True)
class Band:
    """The processes of one module of the model."""

    label: str
    y: float
    height: float
    lanes: Sequence[GanttLane]


@dataclass(frozen=True)
class Strip:
    """What one FIFO held over time: an area under full depth."""

    label: str
    y: float
    path: str
    held: str
    tip: str


@dataclass(frozen=True)
class Drawing:
    """What a template draws over time."""

    height: float
    ticks: Sequence[tuple[float, str]]  # marks of the time axis with their labels
    rows: Sequence[Band] | Sequence[Strip]  # who did what when, or FIFOs, the fullest first


def gantt(schedule: Schedule) -> Drawing:
    """All processes, by module in the order in which the graph has them."""
    critical = _critical_by_process(schedule)
    bands, y = [], TOP
    for label, numbers in _modules(schedule.graph.processes).items():
        lanes = [_lane(schedule, number, y + STEP * place, critical) for place, number in enumerate(numbers)]
        bands.append(Band(label, y, STEP * len(lanes), lanes))
        y += STEP * len(lanes) + BAND_GAP
    return Drawing(y, _ticks(schedule), bands)


def fill(schedule: Schedule) -> Drawing:
    """Occupancy of the fullest FIFOs."""
    strips = []
    for place, fifo in enumerate(fullest_fifos(schedule)):
        index, y = schedule.graph.fifo_index[fifo.name], TOP + STRIP_STEP * place
        writes, reads = schedule.record.writes[index], schedule.record.reads[index]
        samples = occupancy(writes, reads, fifo.initial_tokens, schedule.cycles, MAX_SAMPLES)
        most = schedule.run.max_occupancy[fifo.name]
        held = f"{most:,} of {fifo.depth:,}"
        tip = f"{fifo.name}\nheld at most {held} tokens of {fifo.bits:,} bits\n{most * fifo.bits / 8192:,.4g} KiB"
        strips.append(Strip(fifo.name, y, _area(schedule, samples, fifo.depth, y), held, tip))
    return Drawing(TOP + STRIP_STEP * len(strips), _ticks(schedule), strips)


def _modules(processes: Sequence[Process]) -> dict[str, list[int]]:
    """Numbers of the processes by module; forks and converters stand with what comes before them."""
    found: dict[str, list[int]] = {}
    label = "loads"
    for number, process in enumerate(processes):
        if isinstance(process, MemoryPort):
            label = "loads" if process.op == "read" else "stores"
        elif process.category == "compute" and process.origin:
            label = process.origin
        found.setdefault(label, []).append(number)
    return found


def _lane(schedule: Schedule, number: int, y: float, critical: dict[str, list[tuple[int, int]]]) -> GanttLane:
    process = schedule.graph.processes[number]
    slices = stretches(schedule.graph, schedule.record, number, schedule.cycles).slices(MAX_SLICES)
    paths = []
    for kind, name in enumerate(KINDS):
        boxes = [_box(schedule, start, end, y, LANE) for start, end, own in slices if own == kind]
        if boxes:
            paths.append((name, "".join(boxes)))
    own = "".join(_box(schedule, start, end, y + LANE - 1, 1.0) for start, end in critical.get(process.name, []))
    part = schedule.run.breakdown[process.name]
    about = ", ".join(filter(None, (process.category, process.origin)))
    tip = (
        f"{process.name}\n{about}\nbusy {part.busy_cycles:,} cycles\nstall on input {part.stall_in_cycles:,}\n"
        f"stall on output {part.stall_out_cycles:,}\nwait for memory {part.memory_wait_cycles:,}"
    )
    return GanttLane(y, tip, paths, own)


def _critical_by_process(schedule: Schedule) -> dict[str, list[tuple[int, int]]]:
    found: dict[str, list[tuple[int, int]]] = {}
    for segment in critical_path(schedule.run):
        found.setdefault(segment.process, []).append((segment.start_cycle, segment.end_cycle))
    return found


def _x(schedule: Schedule, cycle: float) -> float:
    return GUTTER + PLOT * cycle / schedule.cycles


def _box(schedule: Schedule, start: int, end: int, y: float, height: float) -> str:
    left = _x(schedule, start)
    width = max(_x(schedule, end) - left, _LEAST_WIDTH)
    return f"M{left:.1f} {y:.1f}h{width:.1f}v{height:g}h-{width:.1f}z"


def _area(schedule: Schedule, samples: Sequence[tuple[int, int]], depth: int, y: float) -> str:
    base = y + STRIP
    points = list(_corners(schedule, samples, depth, base))
    return f"M{GUTTER:.1f} {base:.1f}" + "".join(f"L{x:.1f} {at:.1f}" for x, at in points) + "z"


def _corners(
    schedule: Schedule, samples: Sequence[tuple[int, int]], depth: int, base: float
) -> Iterator[tuple[float, float]]:
    """The step curve of the samples, ended on the base line."""
    right = GUTTER + PLOT
    for (cycle, held), (until, _) in itertools.pairwise([*samples, (schedule.cycles, 0)]):
        height = base - STRIP * held / depth
        yield min(_x(schedule, cycle), right), height
        yield min(_x(schedule, until), right), height
    yield right, base


def _ticks(schedule: Schedule) -> list[tuple[float, str]]:
    """Round times in µs."""
    whole = schedule.cycles / schedule.graph.clock_mhz
    step = next(
        size for size in (round_ * 10**power for power in range(-3, 12) for round_ in (1, 2, 5))
        if whole / size <= _TICKS
    )  # fmt: skip
    count = int(whole / step)
    return [(GUTTER + PLOT * number * step / whole, f"{number * step:g}") for number in range(count + 1)]
