"""No false deadlocks: where an import says that every schedule deadlocks, an untimed run does as well.

The untimed run is a Kahn network with bounded FIFOs in plain Python; the order of each task's accesses is what the C++
itself prints, compiled with streams of a few lines that never block.  Left out is what is no deadlock of the text and
is one of hardware: of two streams that are written in one stage, the one that is full holds up the other, whose reader
may want all of it first.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from quick_cpp import analyze_here, written

from sttest.importers.cpp.design import read_design
from sttest.sim import Pipeline, TimedGraph, Trace, simulate

pytestmark = pytest.mark.skipif(shutil.which("clang++") is None, reason="clang not found; apt-get install clang")
CHAINS = 5
"""Of source, middle and sink in one design: compiling them together is quicker."""
SLOW = [HealthCheck.filter_too_much, HealthCheck.too_slow]
# Streams for the order of accesses: tokens in an array, and a line for each access.
PRINTING = """
extern "C" int printf(const char *, ...);
static int streams_made;
namespace hls {
template <class T, int DEPTH = 0> struct stream;
template <class T> struct stream<T, 0> {
  int number, from = 0, to = 0;
  T kept[64];
  stream() : number(streams_made++) {}
  T read() { printf("%d read\\n", number); return kept[from++]; }
  void write(T value) { printf("%d write\\n", number); kept[to++] = value; }
};
template <class T, int DEPTH> struct stream : stream<T, 0> {};
}
"""


@dataclass(frozen=True)
class Chain:
    """One source, middle and sink; a source writes ``a`` or ``b`` or both in each branch of its iterations."""

    branches: tuple[str, ...]  # streams that iteration i writes, by i modulo their number
    trips: int
    reads: str  # of the middle: as the source writes, each branch the other way round, or one stream after the other
    unrolled: int
    values: tuple[str, ...]
    is_switch: bool
    depths: tuple[int, int, int]

    def text(self, number: int) -> str:
        """Its tasks."""
        source = self._choice([
            " ".join(f"{name}.write({self.values[j % len(self.values)]});" for name in streams)
            for j, streams in enumerate(self.branches)
        ])  # fmt: skip
        counts = {
            name: sum(self.branches[i % len(self.branches)].count(name) for i in range(self.trips)) for name in "ab"
        }
        if self.reads == "by stream":
            middle = "".join(self._unrolled(f"c_{name}", counts[name], f"out.write({name}.read());") for name in "ab")
        else:
            step = -1 if self.reads == "reversed" else 1
            body = self._choice([
                " ".join(f"out.write({name}.read() + {j});" for name in streams[::step])
                for j, streams in enumerate(self.branches)
            ])  # fmt: skip
            middle = f"c: for (int i = 0; i < {self.trips}; i++) {{ {body} }}"
        sink = self._unrolled("d", sum(counts.values()), "m[0] += in.read();")
        return f"""
void source_{number}(const int *p, hls::stream<int> &a, hls::stream<int> &b) {{
  s: for (int i = 0; i < {self.trips}; i++) {{ {source} }}
}}
void middle_{number}(hls::stream<int> &a, hls::stream<int> &b, hls::stream<int> &out) {{ {middle} }}
void sink_{number}(hls::stream<int> &in, int *m) {{ {sink} }}
"""

    def calls(self, number: int) -> str:
        """Its streams and calls in the top."""
        a, b, out = self.depths
        names = f"a{number}, b{number}"
        return (
            f"  hls::stream<int, {a}> a{number}; hls::stream<int, {b}> b{number}; hls::stream<int, {out}> o{number};\n"
            f"  source_{number}(p, {names}); middle_{number}({names}, o{number}); sink_{number}(o{number}, m);\n"
        )

    def _choice(self, bodies: list[str]) -> str:
        ways = len(bodies)
        if self.is_switch:
            cases = "".join(f"case {j}: {{ {body} break; }} " for j, body in enumerate(bodies[:-1]))
            return f"switch (i % {ways}) {{ {cases}default: {{ {bodies[-1]} }} }}"
        return "".join(f"if (i % {ways} == {j}) {{ {body} }} else " for j, body in enumerate(bodies[:-1])) + (
            f"{{ {bodies[-1]} }}"
        )

    def _unrolled(self, label: str, trips: int, statement: str) -> str:
        """A loop whose iterations do a statement several times, and one for the rest."""
        whole = trips // self.unrolled
        inner = f"for (int k = 0; k < {self.unrolled}; k++) {{\n#pragma HLS unroll\n{statement} }}"
        parts = [f"{label}: for (int j = 0; j < {whole}; j++) {{ {inner} }}\n"] if whole else []
        rest = trips % self.unrolled
        return "".join([*parts, f"{label}_rest: for (int j = 0; j < {rest}; j++) {{ {statement} }}\n" if rest else ""])


def design(chains: list[Chain]) -> str:
    text = "".join(each.text(number) for number, each in enumerate(chains))
    calls = "".join(each.calls(number) for number, each in enumerate(chains))
    return f"{text}void top(const int *p, int *m) {{\n  #pragma HLS dataflow\n{calls}}}\n"


def printed(text: str, chains: int) -> list[list[list[tuple[int, str]]]]:
    """Of each chain the accesses of its tasks, as the C++ makes them: stream (a, b, out) and what is done."""
    folder = Path(tempfile.mkdtemp())
    for number in range(chains):
        for task in ("source", "middle", "sink"):
            text = text.replace(f"  {task}_{number}(", f'  printf("task\\n"); {task}_{number}(').replace(
                f"; {task}_{number}(", f'; printf("task\\n"); {task}_{number}('
            )
    text = text.replace('printf("task\\n"); printf("task\\n");', 'printf("task\\n");')
    path = folder / "order.cpp"
    main = "int main() { static int p[64], m[64]; top(p, m); }\n"
    path.write_text(f"{PRINTING}{text}{main}", encoding="utf-8")
    subprocess.run(["clang++", "-w", str(path), "-o", str(folder / "order")], check=True, capture_output=True)
    lines = subprocess.run([folder / "order"], check=True, capture_output=True, text=True).stdout
    shutil.rmtree(folder)
    tasks = [
        [(int(number) % 3, does) for number, does in (line.split() for line in part.splitlines())]
        for part in lines.split("task\n")[1:]
    ]
    return [tasks[3 * number : 3 * number + 3] for number in range(chains)]


def deadlocks_untimed(tasks: list[list[tuple[int, str]]], depths: tuple[int, ...]) -> bool:
    """A Kahn network of bounded FIFOs: whether some task never comes to its end."""
    held, at = [0] * len(depths), [0] * len(tasks)
    moved = True
    while moved:
        moved = False
        for number, accesses in enumerate(tasks):
            while at[number] < len(accesses):
                stream, does = accesses[at[number]]
                if held[stream] == (0 if does == "read" else depths[stream]):
                    break
                held[stream] += 1 if does == "write" else -1
                at[number] += 1
                moved = True
    return any(place < len(accesses) for place, accesses in zip(at, tasks, strict=True))


def trace_of(process: object) -> Trace:
    """The accesses of a task."""
    assert isinstance(process, Pipeline)
    assert process.trace is not None
    return process.trace


def part(graph: TimedGraph, number: int) -> TimedGraph:
    """One chain of a graph."""
    fifos = [fifo for fifo in graph.fifos if fifo.name[1:] == str(number)]
    place = {graph.fifo_index[fifo.name]: new for new, fifo in enumerate(fifos)}
    processes: list[Pipeline] = []
    for each in graph.processes:
        if each.name.rpartition("_")[2] == str(number):
            assert isinstance(each, Pipeline)
            trace = trace_of(each)
            ops = np.array([2 * place[op // 2] + op % 2 for op in trace.op.tolist()], dtype=np.int32)
            processes.append(replace(each, trace=replace(trace, op=ops)))
    return replace(graph, fifos=tuple(fifos), processes=tuple(processes))


CHAIN = st.builds(
    Chain,
    branches=st.lists(st.sampled_from(["a", "b", "ab", "ba", "aa", "aab"]), min_size=1, max_size=3).map(tuple),
    trips=st.integers(3, 8),
    reads=st.sampled_from(["alike", "reversed", "by stream"]),
    unrolled=st.integers(1, 3),
    values=st.lists(st.sampled_from(["i", "p[i]", "p[i] * 1.5f", "p[0] + 2"]), min_size=1, max_size=3).map(tuple),
    is_switch=st.booleans(),
    depths=st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 2)),
).filter(
    lambda chain: (
        all(name in "".join(chain.branches[: chain.trips]) for name in "ab")
        and (chain.reads != "by stream" or all(len(set(each)) == 1 for each in chain.branches))
    )
)


def check(chains: list[Chain]) -> int:
    """Compares verdicts; gives how many chains deadlock untimed."""
    text = design(chains)
    orders = printed(text, len(chains))
    folder = Path(tempfile.mkdtemp())
    with pytest.MonkeyPatch.context() as patch:
        analyze_here(patch)
        network = read_design(written(folder, text), None, "", {}, None, None)
    shutil.rmtree(folder)
    untimed = 0
    for number, (chain, order) in enumerate(zip(chains, orders, strict=True)):
        graphs = [part(graph, number) for graph in network.schedules.values()]
        for graph in graphs:  # as many accesses as the C++ makes, and none twice in a stage
            traces = [trace_of(each) for each in graph.processes]
            assert sorted(len(each.op) for each in traces) == sorted(map(len, order))
            for each in traces:
                pairs = list(zip(each.tick.tolist(), each.op.tolist(), strict=True))
                assert len(set(pairs)) == len(pairs), f"two accesses of one stream in a stage: {chain}"
        is_stuck = deadlocks_untimed(order, chain.depths)
        untimed += is_stuck
        if all(simulate(graph).deadlock is not None for graph in graphs):
            assert is_stuck, f"deadlocks under every schedule, and not as it is written: {chain}\n{chain.text(0)}"
    return untimed


@settings(
    max_examples=3, deadline=None, database=None, derandomize=True, suppress_health_check=SLOW
)  # fmt: skip
@given(st.lists(CHAIN, min_size=CHAINS, max_size=CHAINS))
def test_no_chain_deadlocks_under_every_schedule_that_does_not_as_it_is_written(chains):
    check(chains)


@pytest.mark.nightly
@pytest.mark.timeout(900)
@settings(max_examples=30, deadline=None, suppress_health_check=SLOW)
@given(st.lists(CHAIN, min_size=CHAINS, max_size=CHAINS))
def test_no_chain_of_many_does(chains):
    check(chains)


def test_the_untimed_run_tells_deadlocks_from_what_finishes():
    both = Chain(("ab",), 4, "by stream", 1, ("i",), is_switch=False, depths=(1, 1, 1))
    assert check([both, replace(both, reads="alike"), replace(both, depths=(1, 4, 1))]) == 1
