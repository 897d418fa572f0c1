import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sttest.compile.spaces.fifo_sizing import DelayEdge, schedule_delays
from sttest.compile.spaces.paper_fifo_sizing import asap_delays, relaxed_delays
from sttest.core.errors import InputError

CROSSED = [
    DelayEdge("s1-v", "s1", "v", 1),
    DelayEdge("s1-b", "s1", "b", 1),
    DelayEdge("b-x", "b", "x", 20),
    DelayEdge("s2-x", "s2", "x", 1),
    DelayEdge("s2-a", "s2", "a", 1),
    DelayEdge("a-v", "a", "v", 20),
]


def test_crossed_sources_wait_for_each_other():
    # s1 and s2 start at 0, a and b at 1, v and x at 21
    assert schedule_delays(dict.fromkeys(["s1", "s2", "a", "b", "v", "x"], 30), CROSSED) == {
        "s1-v": 21,
        "s1-b": 1,
        "b-x": 20,
        "s2-x": 21,
        "s2-a": 1,
        "a-v": 20,
    }


def test_a_side_input_starts_late_enough_to_wait_in_no_fifo():
    edges = [DelayEdge("slow", "a", "t", 100), DelayEdge("fast", "b", "t", 1)]
    assert schedule_delays({"a": 150, "b": 50, "t": 50}, edges) == {"slow": 100, "fast": 1}
    assert asap_delays(["a", "b", "t"], edges) == {"slow": 100, "fast": 100}


def test_no_kernel_is_put_off_beyond_the_end():
    # the side branch takes 149 of the 150 cycles that there are, so it must start at 1 and wait for t
    edges = [DelayEdge("slow", "a", "t", 100), DelayEdge("fast", "b", "t", 1)]
    assert schedule_delays({"a": 50, "b": 149, "t": 50}, edges) == {"slow": 100, "fast": 99}


def test_no_edges_no_delays():
    assert schedule_delays({"a": 1}, []) == {}


def test_a_cycle_is_named():
    with pytest.raises(InputError, match="a -> b -> a"):
        schedule_delays({"a": 1, "b": 1}, [DelayEdge("e", "a", "b", 1), DelayEdge("f", "b", "a", 1)])


@settings(deadline=None)
@given(st.data())
def test_between_the_paths_and_asap(data):
    count = data.draw(st.integers(2, 8))
    pairs = [(i, j) for i in range(count) for j in range(i + 1, count)]
    chosen = data.draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=14))
    edges = [DelayEdge(f"e{n}", f"k{i}", f"k{j}", data.draw(st.integers(-3, 20))) for n, (i, j) in enumerate(chosen)]
    total_cycles = {f"k{i}": data.draw(st.integers(0, 30)) for i in range(count)}
    found = schedule_delays(total_cycles, edges)
    assert all(found[edge.name] >= edge.min_delay_cycles for edge in edges)
    least, most = relaxed_delays(list(total_cycles), edges).sum(), sum(asap_delays(list(total_cycles), edges).values())
    assert least - 1e-6 <= sum(found.values()) <= most
