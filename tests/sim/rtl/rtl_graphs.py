"""Random graphs by the number, and the check that hardware and engine are the same."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from sim_graphs import chain, graph, sink, source

from sttest.sim import Fifo, Pipeline, TimedGraph, Trace, simulate
from sttest.sim.stages import expand
from sttest.targets.rtl import RtlRun, compare, emulate_all
from sttest.targets.rtl.drive import INSTALL, SIMULATORS

HOSTILE = ["endmodule", '`include "/etc/passwd"', "../../x", "a b; $finish;", "*/", "é" * 200, "\\esc ", "1"]
"""Names that would break Verilog text, or escape from a folder, if they got there."""


def hostile_graph():
    fifos = [Fifo(name, 2, 8, "srl") for name in HOSTILE]
    pairs = [(source(name, 3, name=f"{name[:190]} in"), sink(name, 3, name=f"{name[:190]} out")) for name in HOSTILE]
    return graph(fifos, [process for pair in pairs for process in pair], name="$display(1); //")


def needs(simulator: str) -> pytest.MarkDecorator:
    """Skips where a simulator is missing, and says how to get it."""
    missing = [program for program in SIMULATORS[simulator] if shutil.which(program) is None]
    return pytest.mark.skipif(bool(missing), reason=f"{missing} not found; install with '{INSTALL[simulator]}'")


def drawn(strategy: st.SearchStrategy[TimedGraph], count: int, number: int = 0) -> list[TimedGraph]:
    """``count`` graphs, the same ones for the same ``number``."""
    graphs: list[TimedGraph] = []

    @seed(number)
    @settings(
        max_examples=count,
        database=None,
        phases=[Phase.generate],
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(design: TimedGraph) -> None:
        graphs.append(design)

    collect()
    return graphs


def live(strategy: st.SearchStrategy[TimedGraph]) -> st.SearchStrategy[TimedGraph]:
    """Only graphs that finish: of random ones most stop after a few accesses."""
    return strategy.filter(lambda design: simulate(design, "maxplus").verdict == "done")


def traced(design: TimedGraph) -> TimedGraph:
    """The same graph with every pipeline of loops spelled out as a trace."""
    processes = []
    for process in design.processes:
        if isinstance(process, Pipeline) and process.trace is None:
            program = expand(process, design.fifo_index)
            runs_apart = process.repeat == 1 or program.period == program.end + 2
            if runs_apart:
                trace = Trace(program.tick, program.op)
                process = Pipeline(process.name, (), process.start, process.repeat, program.end, trace)
        processes.append(process)
    return TimedGraph(design.name, design.clock_mhz, design.fifos, tuple(processes), design.channels)


def assert_exact(designs: Sequence[TimedGraph], runs: Sequence[RtlRun], engine: str = "simpy") -> None:
    for design, run in zip(designs, runs, strict=True):
        found = compare(design, run, engine)
        assert found.is_exact, f"{found.first}\n{design}"


def check(designs: Sequence[TimedGraph], simulator: str, folder: object, engine: str = "simpy") -> list[RtlRun]:
    """Runs the graphs side by side and holds each against the engine."""
    runs = emulate_all(designs, simulator, str(folder))
    assert_exact(designs, runs, engine)
    return runs


RATES = [
    ("srl", 1, 2, 1),
    ("srl", 2, 1, 1),
    ("srl", 7, 1, 1),
    ("ram", 1, 3, 1),
    ("ram", 2, 3, 2),
    ("ram", 3, 1, 1),
    ("ram", 9, 1, 1),
]
"""Kind, depth, and so many cycles for so many tokens."""


def rate_graphs() -> list[TimedGraph]:
    return [chain(depth, 40, kind) for kind, depth, _, _ in RATES]


def assert_rates(runs: Sequence[RtlRun]) -> None:
    """The rates of timing.md, section 1, in the steady part of each run of :func:`rate_graphs`."""
    for run, (kind, depth, cycles, tokens) in zip(runs, RATES, strict=True):
        times = run.reads["a"]
        assert times[20 + 2 * tokens] - times[20] == 2 * cycles, f"{kind} of depth {depth}"
