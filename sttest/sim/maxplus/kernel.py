"""Compiled: runs a net to its end.  Import it late, numba takes its time.

The first call on a machine compiles for some seconds; the result is kept on disk, for the
entry point only: numba asks whether its file has changed, not those of what it calls.
Functions here take arrays one by one: a tuple of them would be counted, reference by
reference, at every call.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
from numba import njit

from sttest.sim.maxplus.arrays import ACTOR, PIPELINE, READ_PORT, Records, Wholes
from sttest.sim.maxplus.kernel_actor import earliest_end, publish_end, run_actor
from sttest.sim.maxplus.kernel_channel import earliest_turn, serve_turn
from sttest.sim.maxplus.kernel_pipeline import run_pipeline
from sttest.sim.maxplus.kernel_port import run_read_port, run_write_port


def _stamp_sources() -> np.ndarray:
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return np.empty(0, [(f"sources_{digest.hexdigest()}", np.int8)])


# Taken when the sources are read: a file that changes later must not name code that was compiled from the older one.
_SOURCES = _stamp_sources()


def sources_stamp() -> np.ndarray:
    """An empty array whose type names the content of all kernel files, so that compiled code is kept per content."""
    return _SOURCES


@njit(cache=True)
def run_net(
    sources: Wholes,
    processes: Records,
    fifos: Records,
    times: Wholes,
    gap: Wholes,
    pattern: Wholes,
    pointer: Wholes,
    op: Wholes,
    tokens: Wholes,
    segments: Records,
    duration: Wholes,
    todo: Wholes,
    limits: Wholes,
    ports: Records,
    lanes: Wholes,
    bursts: Records,
    channels: Records,
    members: Records,
    ends: Records,
    ends_open: Wholes,
) -> None:
    """Lets every process go on until none can; then takes the earliest open decision, until there is none.

    Stops before what happens after ``limits[0]``, where there are no actors; ``limits[1]`` then is 1.

    Args, after ``sources``: the fields of ``Net``.
    """
    limits[1] = 0
    while True:
        while todo[0] > 0:
            index = todo[todo[0]]
            todo[0] -= 1
            processes[index].is_queued = 0
            kind = processes[index].kind
            if kind == PIPELINE:
                run_pipeline(processes, fifos, times, gap, pattern, pointer, op, tokens, segments, todo, limits, index)
            elif kind == ACTOR:
                run_actor(
                    processes, fifos, times, pattern, pointer, op, tokens, segments, duration, todo, ends, ends_open,
                    index,
                )  # fmt: skip
            elif kind == READ_PORT:
                run_read_port(processes, fifos, times, todo, ports, lanes, bursts, channels, limits, index)
            else:
                run_write_port(processes, fifos, times, todo, ports, lanes, bursts, channels, limits, index)
        channel, cycle = earliest_turn(ports, bursts, channels, members)
        end = earliest_end(ends, ends_open[0])
        if channel < 0 and end < 0:
            return
        if channel < 0 or (end >= 0 and ends[end].cycle <= cycle):
            publish_end(processes, fifos, times, pattern, pointer, op, tokens, todo, ends, ends_open, end)
        elif cycle > limits[0]:
            limits[1] = 1
            return
        else:
            serve_turn(processes, todo, ports, lanes, bursts, channels, members, channel, cycle)
