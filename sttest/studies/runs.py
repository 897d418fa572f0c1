"""Timed graphs and their runs as users hold them: tables of what was found, drawings, traces."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

import pandas as pd

from sttest.core.errors import InputError, did_you_mean
from sttest.package import load_graph as read_graph
from sttest.sim import Actor, Simulation, TimedGraph, simulate
from sttest.sim.checker import require_correct
from sttest.sim.critical_path import critical_path
from sttest.sim.export import KINDS, last_cycle, process_slices, to_dot, write_trace
from sttest.sim.graph import fifo_ends
from sttest.studies.sizing import Program, SizeRequest

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Engine = Literal["maxplus", "simpy"]
Depths = Mapping[str, int] | pd.Series
"""Depths in tokens by the name of the FIFO, such as a column of the table that `size_fifos` returns."""
_COLORS = {"compute": "#3caea3", "stall-in": "#d1495b", "stall-out": "#f6a13c", "memory": "#20639b"}
_MOST_SLICES = 240


@dataclass(frozen=True, repr=False)
class Graph:
    """A timed graph: processes that exchange tokens through FIFOs and share memory channels.

    Attributes:
        graph: the graph itself.

    Examples:
        >>> import sttest as st
        >>> folder = st.compile("small-gpt2", phase="decode", context=32).save("build/example")
        >>> st.load_graph(folder)
        Graph('small-gpt2-decode-c32-u55c', 151 processes, 223 FIFOs)
    """

    graph: TimedGraph

    @classmethod
    def load(cls, path: str | Path) -> "Graph":
        """Reads the graph of a timed-graph JSON file, of an SDF3 XML file or of a design package.

        Args:
            path: file, or folder of a package.

        Raises:
            InputError: there is no such graph.
        """
        return Graph(read_graph(path))

    def __repr__(self) -> str:
        size = f"{len(self.graph.processes)} processes, {len(self.graph.fifos)} FIFOs"
        return f"{type(self).__name__}({self.name!r}, {size})"

    @property
    def name(self) -> str:
        """Name of the graph."""
        return self.graph.name

    @property
    def fifos(self) -> pd.DataFrame:
        """One row per FIFO: its two processes, depth in tokens, bits per token and kind of memory.

        Examples:
            >>> import sttest as st
            >>> fifos = st.compile("small-gpt2", phase="decode", context=32).fifos
            >>> int((fifos.depth * fifos.bits).sum())
            471536
        """
        names = [process.name for process in self.graph.processes]
        rows = [
            (fifo.name, names[ends.writer], names[ends.reader], fifo.depth, fifo.bits, fifo.kind)
            for fifo, ends in zip(self.graph.fifos, fifo_ends(self.graph), strict=True)
        ]
        return pd.DataFrame(rows, columns=["fifo", "writer", "reader", "depth", "bits", "kind"]).set_index("fifo")

    def with_depths(self, depths: Depths) -> Self:
        """The same with other depths for the FIFOs named.

        Args:
            depths: depth in tokens by the name of the FIFO.

        Raises:
            InputError: a FIFO is not there, or a depth is not possible.
        """
        return type(self)(self.graph.with_depths(whole_depths(depths)))

    def simulate(
        self, engine: Engine = "maxplus", *, depths: Depths | None = None, unbounded: bool = False, record: bool = True
    ) -> "Run":
        """Runs the graph to its end, or until it can't go on.

        Args:
            engine: ``maxplus``, compiled, or ``simpy``, the oracle; both give the same times.
            depths: other depths for some FIFOs, for this run only.
            unbounded: whether FIFOs are never full.
            record: whether to keep the cycle of every access, which the critical path, drawings and traces need.

        Returns:
            The run; a deadlock is a verdict of it, not an error.

        Raises:
            InputError: no such engine or FIFO.

        Examples:
            >>> import sttest as st
            >>> design = st.compile("small-gpt2", phase="decode", context=32)
            >>> design.simulate().cycles, design.simulate(unbounded=True).cycles
            (1189, 1189)
        """
        graph = self.graph.with_depths(whole_depths(depths)) if depths is not None else self.graph
        return Run(simulate(graph, engine, unbounded=unbounded, record=record))

    def size_fifos(
        self,
        method: Literal["sim", "lp"] = "sim",
        *,
        strategy: Literal["normal", "conservative"] | None = None,
        throughput: Fraction | str | None = None,
        invocations: int = 1,
        target: Literal["no-loss", "no-deadlock"] | int | None = None,
    ) -> pd.DataFrame:
        """Depths of all FIFOs that lose no cycle, by search in simulation or by the compiler's linear program.

        Args:
            method: ``sim`` or ``lp``.
            strategy: strategy of the linear program, ``normal`` by default.
            throughput: iterations per time unit that endless actors shall reach, the highest by default.
            invocations: runs that overlap.
            target: what a search shall reach, ``no-loss`` by default; a number is one of cycles.

        Returns:
            One row per FIFO, by name: `depth_before`, `depth_after` and `lower_bound` in tokens, `bits` per token.

        Raises:
            InputError: options that don't fit the graph.
            DeadlockError: no depths are enough.
            DoesNotFitError: no depths reach the target.

        Examples:
            >>> import sttest as st
            >>> design = st.compile("small-gpt2", phase="decode", context=32)
            >>> sizes = design.size_fifos(method="lp")
            >>> bool((sizes.depth_after == sizes.depth_before).all())
            True
            >>> design.with_depths(sizes.depth_after).simulate().cycles
            1189
        """
        rate = None if throughput is None else str(throughput)
        reached = None if target is None else str(target)
        request = SizeRequest(method, strategy, rate, invocations, reached)
        found = request.sizing(self.graph, program=self._program())
        rows = [
            (fifo.name, fifo.depth, found.depths[fifo.name], found.lower_bounds[fifo.name], fifo.bits)
            for fifo in self.graph.fifos
        ]
        columns = ["fifo", "depth_before", "depth_after", "lower_bound", "bits"]
        return pd.DataFrame(rows, columns=columns).set_index("fifo")

    def _program(self) -> Program | None:
        """The linear program that sizes the graph, where it is another than that of the graph alone."""
        return None

    def to_dot(self) -> str:
        """The graph as Graphviz text; where it deadlocks, with the cycle of waits in red."""
        return to_dot(self.graph, simulate(self.graph).deadlock)


def load_graph(path: str | Path) -> Graph:
    """Reads a graph that can be simulated: timed-graph JSON, SDF3 XML, or that of a design package.

    Args:
        path: file, or folder of a package.

    Raises:
        InputError: there is no such graph.

    Examples:
        >>> import sttest as st
        >>> folder = st.compile("small-gpt2", phase="decode", context=32).save("build/example")
        >>> st.load_graph(folder / "timed_graph.json").simulate(engine="simpy").cycles
        1189
    """
    return Graph.load(path)


def whole_depths(depths: Depths) -> dict[str, int]:
    """Depths as a dictionary, whether they come as one or as a column of a table.

    Raises:
        InputError: a depth that is no whole number.
    """
    found = {str(name): depth for name, depth in depths.items()}
    for name, depth in found.items():
        if int(depth) != depth:
            raise InputError("bad-depth", f"depth {depth} is not a whole number of tokens", where=name)
    return {name: int(depth) for name, depth in found.items()}


@dataclass(frozen=True, repr=False)
class Run:
    """A finished simulation, or one that deadlocked.

    Attributes:
        simulation: the result as the engine gave it.

    Examples:
        >>> import sttest as st
        >>> run = st.compile("small-gpt2", phase="decode", context=32).simulate()
        >>> run
        Run('small-gpt2-decode-c32-u55c', done, 1189 cycles)
        >>> run.cycles, run.ms
        (1189, 0.004756)
    """

    simulation: Simulation

    def __repr__(self) -> str:
        cycles = "" if self.cycles is None else f", {self.cycles} cycles"
        return f"{type(self).__name__}({self.simulation.name!r}, {self.verdict}{cycles})"

    @property
    def verdict(self) -> str:
        """``done`` or ``deadlock``."""
        return self.simulation.verdict

    @property
    def cycles(self) -> int | None:
        """Cycle in which the last process finishes; None on a deadlock and where actors fire for ever."""
        return self.simulation.cycles

    @property
    def seconds(self) -> float | None:
        """Time of the run at the clock of the graph; None where there are no `cycles`."""
        graph = self.simulation.graph
        return None if self.cycles is None or graph is None else self.cycles / (1e6 * graph.clock_mhz)

    @property
    def ms(self) -> float | None:
        """The same in milliseconds."""
        return None if self.seconds is None else 1e3 * self.seconds

    @property
    def throughput(self) -> Fraction | None:
        """Iterations per cycle of actors that fire for ever, exactly; None for other graphs."""
        return self.simulation.throughput

    @property
    def deadlock(self) -> str | None:
        """A deadlock as text, with the waits and the depths that would resolve it; None if the run finished.

        Examples:
            >>> import sttest as st
            >>> design = st.compile("small-gpt2", phase="decode", context=32)
            >>> run = design.with_depths({"fork_attn_residual__mlp_residual": 1}).simulate()
            >>> run.verdict, run.cycles
            ('deadlock', None)
            >>> run.deadlock.splitlines()[0]
            'small-gpt2-decode-c32-u55c: deadlock'
        """
        return None if self.simulation.deadlock is None else self.simulation.to_text()

    @cached_property
    def critical_path(self) -> pd.DataFrame:
        """What bounds the run, from its first cycle to its last, without gaps.

        One row per segment: `process`, its `category`, `kind` of the segment (``compute``, ``fifo``, ``stall-out``,
        ``hbm-latency``, ``hbm-transfer``, …), `start_cycle`, `cycles`, and the `share` of the run's cycles.

        Raises:
            InputError: the run deadlocked, was not recorded, or has actors.

        Examples:
            >>> import sttest as st
            >>> path = st.compile("small-gpt2", phase="decode", context=32).simulate().critical_path
            >>> int(path.cycles.sum())
            1189
            >>> path.groupby("process").cycles.sum().idxmax()
            'mlp_act'
        """
        segments = critical_path(self.simulation)
        graph = self.simulation.graph
        categories = {process.name: process.category for process in graph.processes} if graph else {}
        rows = [
            (
                each.process,
                categories[each.process],
                each.kind,
                each.start_cycle,
                each.cycles,
                each.cycles / max(1, self.cycles or 1),
            )
            for each in segments
        ]
        return pd.DataFrame(rows, columns=["process", "category", "kind", "start_cycle", "cycles", "share"])

    @property
    def breakdown(self) -> pd.DataFrame:
        """The critical path in sums: cycles and share by category of the process and kind, the largest first.

        Raises:
            InputError: there is no critical path.

        Examples:
            >>> import sttest as st
            >>> run = st.compile("small-gpt2", phase="decode", context=32).simulate()
            >>> run.breakdown.head(2)
              category         kind  cycles     share
            0  compute      compute     928  0.780488
            1      dma  hbm-latency      86  0.072330
        """
        sums = self.critical_path.groupby(["category", "kind"], as_index=False, sort=False)[["cycles", "share"]].sum()
        return sums.sort_values("cycles", ascending=False, kind="stable", ignore_index=True)

    @property
    def has_critical_path(self) -> bool:
        """Whether there is one: the run finished, was recorded, and has no actors."""
        graph = self.simulation.graph
        actors = graph is not None and any(isinstance(process, Actor) for process in graph.processes)
        return bool(self.cycles) and self.simulation.record is not None and not actors

    def plot_gantt(self, axes: "Axes | None" = None, *, processes: Sequence[str] | None = None) -> "Axes":
        """Draws what each process did when, with the critical path as a black line under it.

        Args:
            axes: axes to draw on; a new figure by default.
            processes: names of the processes to draw, all by default.

        Returns:
            The axes, with time in microseconds.

        Raises:
            InputError: the run was not recorded, or there is no such process.

        Examples:
            >>> import sttest as st
            >>> run = st.compile("small-gpt2", phase="decode", context=32).simulate()
            >>> axes = run.plot_gantt()
            >>> axes.get_xlabel()
            'time (µs)'
        """
        drawn = {process.name: slices for process, slices in process_slices(self.simulation, _MOST_SLICES)}
        for name in processes or ():
            if name not in drawn:
                raise InputError("unknown-process", f"no process '{name}'", hints=[did_you_mean(name, drawn)])
        return _draw_gantt(self, {name: drawn[name] for name in processes or drawn}, axes)

    def trace(self, path: str | Path) -> Path:
        """Writes the run as a trace that ui.perfetto.dev opens.

        Args:
            path: file to be written.

        Raises:
            InputError: the run was not recorded, or the file can't be written.

        Examples:
            >>> import sttest as st
            >>> st.compile("small-gpt2", phase="decode", context=32).simulate().trace("run.json").name
            'run.json'
        """
        write_trace(self.simulation, Path(path))
        return Path(path)

    def check(self) -> None:
        """Has an independent checker go through all times, or through the deadlock.

        Raises:
            EnginesDisagreeError: it finds a fault.
            InputError: the run was not recorded.
        """
        require_correct(self.simulation)


def _draw_gantt(run: Run, drawn: Mapping[str, Sequence[tuple[int, int, int]]], axes: "Axes | None") -> "Axes":
    import matplotlib.pyplot as plt
    from matplotlib.patches import Patch

    graph = run.simulation.graph
    assert graph is not None
    if axes is None:
        axes = plt.subplots(figsize=(10, min(1.2 + 0.13 * len(drawn), 40)), layout="constrained")[1]
    for row, slices in enumerate(drawn.values()):
        for kind, name in enumerate(KINDS):
            bars = [
                (start / graph.clock_mhz, (end - start) / graph.clock_mhz) for start, end, own in slices if own == kind
            ]
            axes.broken_barh(bars, (row - 0.4, 0.65), facecolors=_COLORS[name])
    if run.has_critical_path:
        rows = {name: row for row, name in enumerate(drawn)}
        for segment in critical_path(run.simulation):
            if segment.process in rows:
                bar = [(segment.start_cycle / graph.clock_mhz, segment.cycles / graph.clock_mhz)]
                axes.broken_barh(bar, (rows[segment.process] + 0.3, 0.15), facecolors="black")
    axes.set_yticks(range(len(drawn)), list(drawn), fontsize=6)
    axes.set_ylim(len(drawn) - 0.5, -0.5)
    axes.set_xlim(0, last_cycle(run.simulation) / graph.clock_mhz)
    axes.set_xlabel("time (µs)")
    axes.set_title(graph.name)
    legend = [Patch(color=color, label=name) for name, color in _COLORS.items()]
    legend += [Patch(color="black", label="critical path")] if run.has_critical_path else []
    axes.legend(handles=legend, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=7)
    return axes
