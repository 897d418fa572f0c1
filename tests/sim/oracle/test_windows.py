"""A port is refused for its few places exactly where it could never finish, as the page's simulator shows."""

from collections import Counter
from dataclasses import replace

import pytest
from compare import by_the_page, differences
from hypothesis import given, settings
from hypothesis import strategies as st
from sim_graphs import graph, sink, source

from sttest.core.errors import InputError
from sttest.sim import Channel, Fifo, MemoryPort

MORE_THAN_ENOUGH = 64


@st.composite
def lone_ports(draw) -> MemoryPort:
    """Tokens and bursts of any sizes, on one channel, or a fast and a slow one."""
    tokens, token_bytes, burst_bytes = draw(st.integers(1, 12)), draw(st.integers(1, 20)), draw(st.integers(1, 20))
    channels = draw(st.sampled_from([("c",), ("c", "slow")]))
    places = draw(st.integers(1, 4))
    return MemoryPort(
        "m", draw(st.sampled_from(["read", "write"])), "a", tokens, token_bytes, channels, burst_bytes, places
    )


@pytest.mark.daily
@pytest.mark.parametrize("count", [60, pytest.param(1000, marks=pytest.mark.nightly)])
def test_too_few_places_are_refused_and_no_others(count):
    found: Counter[str] = Counter()

    @settings(max_examples=count, deadline=None)
    @given(lone_ports(), st.integers(1, 3))
    def check(port, depth):
        other = (sink if port.op == "read" else source)("a", port.tokens)
        used = [channel for channel in (Channel("c", 3, 4), Channel("slow", 9, 2)) if channel.name in port.channels]
        roomy = graph([Fifo("a", depth, 8)], [replace(port, outstanding=MORE_THAN_ENOUGH), other], used)
        verdict = by_the_page(roomy, port.outstanding).verdict
        found[verdict] += 1
        if verdict == "deadlock":
            with pytest.raises(InputError, match="a token lies in more bursts than may be in flight"):
                replace(roomy, processes=(port, other))
        else:
            assert differences(replace(roomy, processes=(port, other))) == ("done", [])

    check()
    assert found["done"] > count // 3
    assert found["deadlock"] > count // 20
