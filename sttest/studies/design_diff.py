"""What differs between two designs: cycles, verdict, critical path, depths, processes, and what they take of a chip."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from sttest.boards.resources import KINDS
from sttest.core.files import place_of
from sttest.package import DesignPackage, load_graph
from sttest.package.group_package import require_one_design
from sttest.sim import Actor, Simulation, TimedGraph, simulate
from sttest.sim.critical_path import breakdown

SCHEMA = "sttest.design-diff/1"

Pair = tuple[Any, Any]


@dataclass(frozen=True)
class DiffSide:
    """One of the two designs, simulated; ``path_kinds`` and ``path_processes``: cycles of its critical path."""

    path: str
    graph: TimedGraph
    run: Simulation
    path_kinds: Mapping[str, int]
    path_processes: Mapping[str, int]
    resources: Mapping[str, float]

    @classmethod
    def read(cls, path: Path, engine: str) -> Self:
        """Reads and simulates a design package, a timed graph or an SDF3 file.

        Raises:
            InputError: no design, or several in one package.
        """
        require_one_design(path)
        graph = load_graph(path)
        run = simulate(graph, engine, record=True)
        kinds, processes = _critical_path(run)
        package = DesignPackage.read(path) if path.is_dir() else None
        taken = {} if package is None else package.manifest.resources.total
        return cls(place_of(path), graph, run, kinds, processes, taken)

    def facts(self) -> dict[str, Any]:
        """What is said of the whole design, by its name in the JSON."""
        graph, run = self.graph, self.run
        return {
            "path": self.path,
            "name": graph.name,
            "verdict": run.verdict,
            "cycles": run.cycles,
            "throughput": None if run.throughput is None else str(run.throughput),
            "clock_mhz": graph.clock_mhz,
            "us": None if run.cycles is None else run.cycles / graph.clock_mhz,
            "processes": len(graph.processes),
            "fifos": len(graph.fifos),
            "fifo_bits": sum(fifo.depth * fifo.bits for fifo in graph.fifos),
            "deadlock_cycle": [] if run.deadlock is None else [wait.process for wait in run.deadlock.cycle],
        }


def _critical_path(run: Simulation) -> tuple[dict[str, int], dict[str, int]]:
    """Cycles by ``category kind`` and by process; none where there is no critical path."""
    has_actors = run.graph is not None and any(isinstance(process, Actor) for process in run.graph.processes)
    if not run.cycles or has_actors:
        return {}, {}
    items = breakdown(run)
    kinds = {f"{category} {kind}".strip(): cycles for (category, kind), cycles in items.by_kind.items()}
    return kinds, items.by_process


@dataclass(frozen=True)
class DesignDiff:
    """Two designs side by side; everything that maps names to pairs holds only what differs.

    A value that one side lacks is None.  ``facts``, ``fifos``, ``resources``: of what is in both or in one;
    ``kinds``, ``on_path``: cycles of the critical path, 0 where a side spends none.
    """

    a: DiffSide
    b: DiffSide

    @property
    def facts(self) -> dict[str, Pair]:
        """Verdict, cycles, clock, counts; not the paths and names, which may well differ."""
        ones, others = self.a.facts(), self.b.facts()
        return {
            key: (ones[key], others[key]) for key in ones if key not in ("path", "name") and ones[key] != others[key]
        }

    @property
    def kinds(self) -> dict[str, Pair]:
        """Cycles of the critical path by what they were spent on, the largest difference first."""
        return _largest_first(_changed(self.a.path_kinds, self.b.path_kinds, 0))

    @property
    def on_path(self) -> dict[str, Pair]:
        """Cycles of the critical path by process, the largest difference first."""
        return _largest_first(_changed(self.a.path_processes, self.b.path_processes, 0))

    @property
    def depths(self) -> dict[str, Pair]:
        """Depths of FIFOs that both have, by the bits that the difference makes, the most first."""
        bits = {fifo.name: fifo.bits for fifo in self.a.graph.fifos}
        ones, others = ({fifo.name: fifo.depth for fifo in side.graph.fifos} for side in (self.a, self.b))
        both = {name: pair for name, pair in _changed(ones, others, None).items() if None not in pair}
        return dict(sorted(both.items(), key=lambda each: -abs(each[1][1] - each[1][0]) * bits[each[0]]))

    @property
    def fifo_fields(self) -> dict[str, dict[str, Pair]]:
        """Of FIFOs that both have, everything but depth and origin that differs, such as ``bits``."""
        others = {fifo.name: asdict(fifo) for fifo in self.b.graph.fifos}
        found: dict[str, dict[str, Pair]] = {}
        for fifo in self.a.graph.fifos:
            if fifo.name in others:
                fields = _changed(asdict(fifo), others[fifo.name], None)
                found[fifo.name] = {key: pair for key, pair in fields.items() if key not in ("depth", "origin")}
        return {name: fields for name, fields in found.items() if fields}

    @property
    def resources(self) -> dict[str, Pair]:
        """What the two take of a chip, of two packages."""
        if not self.a.resources or not self.b.resources:
            return {}
        return {kind: pair for kind, pair in _changed(self.a.resources, self.b.resources, 0).items() if kind in KINDS}

    def names(self, what: str) -> tuple[list[str], list[str]]:
        """Names of ``processes``, ``fifos`` or ``channels`` that only the second has, and that only the first has."""
        ones, others = ([each.name for each in getattr(side.graph, what)] for side in (self.a, self.b))
        return [name for name in others if name not in set(ones)], [name for name in ones if name not in set(others)]

    def changed(self, what: str) -> list[str]:
        """Names of ``processes`` or ``channels`` that both have, but with other loops, traces, rates or bursts."""
        ones, others = ({each.name: each for each in getattr(side.graph, what)} for side in (self.a, self.b))
        return [name for name, each in ones.items() if name in others and others[name] != each]

    @property
    def differs(self) -> bool:
        """Whether anything does but names and paths."""
        found = (self.facts, self.depths, self.fifo_fields, self.resources, self.kinds, self.on_path)
        return (
            any(found)
            or any(any((*self.names(what), self.changed(what))) for what in ("processes", "channels"))
            or any(self.names("fifos"))
        )

    def to_json(self) -> dict[str, Any]:
        """Everything that differs, and both designs in whole figures."""
        (more, fewer), (more_fifos, fewer_fifos) = self.names("processes"), self.names("fifos")
        more_channels, fewer_channels = self.names("channels")
        return {
            "schema": SCHEMA,
            "differs": self.differs,
            "a": self.a.facts(),
            "b": self.b.facts(),
            "facts": list(self.facts),
            "critical_path": {"by_kind": _pairs(self.kinds), "by_process": _pairs(self.on_path)},
            "depths": _pairs(self.depths),
            "resources": _pairs(self.resources),
            "processes": {"added": more, "removed": fewer, "changed": self.changed("processes")},
            "fifos": {
                "added": more_fifos,
                "removed": fewer_fifos,
                "changed": {name: _pairs(fields) for name, fields in self.fifo_fields.items()},
            },
            "channels": {"added": more_channels, "removed": fewer_channels, "changed": self.changed("channels")},
        }


def _changed(ones: Mapping[str, Any], others: Mapping[str, Any], missing: Any) -> dict[str, Pair]:
    names = [*ones, *(name for name in others if name not in ones)]
    pairs = {name: (ones.get(name, missing), others.get(name, missing)) for name in names}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _largest_first(pairs: Mapping[str, Pair]) -> dict[str, Pair]:
    return dict(sorted(pairs.items(), key=lambda each: -abs(each[1][1] - each[1][0])))


def _pairs(found: Mapping[str, Pair]) -> dict[str, dict[str, Any]]:
    return {name: {"a": a, "b": b} for name, (a, b) in found.items()}
