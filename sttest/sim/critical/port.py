"""What bound each token and each burst of a memory port."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from sttest.sim.bursts import burst_plan, ceil_div
from sttest.sim.critical.walk import COMPUTE, START, BurstStart, Place, Segment, Visit, Walk
from sttest.sim.graph import Memory

LATENCY = "hbm-latency"
TRANSFER = "hbm-transfer"
ISSUE = "hbm-issue"
WINDOW = "hbm-window"

Step = tuple[list[Segment], Place | None]


class PortTimeline:
    """The cycles of a port's tokens and bursts."""

    def __init__(self, walk: Walk, number: int, port: Memory) -> None:
        self._walk = walk
        self._number = number
        self._port = port
        self._plan = burst_plan(port, {channel.name: channel for channel in walk.graph.channels})
        self._fifo = walk.graph.fifo_index[port.fifo]
        self._reads_memory = port.op == "read"
        record = walk.record
        self._cycle = (record.writes if self._reads_memory else record.reads)[self._fifo]
        self._request, self._start = record.bursts[port.name].T
        self._late = np.append(0, 1 + np.flatnonzero(np.diff(self._cycle) > 1))

    def last(self) -> Step:
        """See ``Timeline``."""
        finish = self._walk.record.finish[self._number] or 0
        if self._reads_memory:
            token = self._cycle.size - 1
            return [self._segment(COMPUTE, int(self._cycle[token]), finish)], Visit(self._number, token)
        return self._from_response(self._burst_with_response(finish))

    def back(self, place: Place) -> Step:
        """See ``Timeline``."""
        if isinstance(place, BurstStart):
            return self._from_start(place.index)
        token = int(self._late[np.searchsorted(self._late, place.index, side="right") - 1])
        passing = self._segment(COMPUTE, int(self._cycle[token]), int(self._cycle[place.index]))
        segments, earlier = self._from_token(token)
        return [passing, *segments], earlier

    def visit_of(self, op: int, token: int) -> Visit:
        """See ``Timeline``: the token is counted without the initial ones."""
        return Visit(self._number, token)

    def _from_token(self, token: int) -> Step:
        """From a token that did not just follow the one before."""
        cycle = int(self._cycle[token])
        op = 2 * self._fifo + self._reads_memory
        number = token + (self._walk.graph.fifos[self._fifo].initial_tokens if self._reads_memory else 0)
        if self._walk.bound(op, number) == cycle:
            return self._walk.cross(self._number, op, number)
        if self._reads_memory:
            return self._from_arrival(token, cycle)
        if cycle == self._port.start:
            return [self._segment(START, 0, cycle)], None
        segments, place = self._from_response(self._freeing_burst(token, cycle))
        return [self._segment(WINDOW, cycle - 1, cycle), *segments], place

    def _freeing_burst(self, token: int, cycle: int) -> int:
        """The burst whose response, a cycle before, gave the last place for the token's bytes."""
        before = (burst - self._plan.window for burst in self._plan.bursts_of(token))
        return next(b for b in before if b >= 0 and self._start[b] + self._plan.response_delay(b) + 1 == cycle)

    def _from_arrival(self, token: int, cycle: int) -> Step:
        for burst in self._plan.bursts_of(token):
            start = int(self._start[burst])
            if start + self._plan.arrival_delay(burst, token) == cycle:
                first_beat = start + self._plan.channel(burst).latency
                segments = [self._segment(TRANSFER, first_beat, cycle), self._segment(LATENCY, start, first_beat)]
                return segments, BurstStart(self._number, burst)
        raise AssertionError(f"nothing bound token {token} of {self._port.name}")

    def _from_response(self, burst: int) -> Step:
        start = int(self._start[burst])
        sent = start + self._plan.occupancy_cycles(burst)
        response = start + self._plan.response_delay(burst)
        segments = [self._segment(LATENCY, sent, response), self._segment(TRANSFER, start, sent)]
        return segments, BurstStart(self._number, burst)

    def _burst_with_response(self, cycle: int) -> int:
        bursts = range(max(0, self._plan.bursts - self._plan.window), self._plan.bursts)
        return next(b for b in bursts if self._start[b] + self._plan.response_delay(b) == cycle)

    def _from_start(self, burst: int) -> Step:
        """From a burst's start on its channel, to its request or the burst that the channel served before."""
        start, request = int(self._start[burst]), int(self._request[burst])
        if start == request:
            return self._from_request(burst)
        channel = self._port.channels[burst % len(self._port.channels)]
        starts, owners, bursts = self._served[channel]
        before = int(np.searchsorted(starts, start)) - 1
        owner = int(owners[before])
        name = self._walk.graph.processes[owner].name
        return [Segment(name, TRANSFER, int(starts[before]), start)], BurstStart(owner, int(bursts[before]))

    def _from_request(self, burst: int) -> Step:
        """From a burst's request, over those one cycle before each other, to what bound the first of them."""
        until = int(self._request[burst])
        while True:
            cycle = int(self._request[burst])
            issued = self._segment(ISSUE, cycle, until)
            token = self._token_before_request(burst)
            waited = 1 if self._reads_memory else 0
            if token is not None and int(self._cycle[token]) + waited == cycle:
                window = self._segment(WINDOW, cycle - waited, cycle)
                return [issued, window], Visit(self._number, token)
            if burst == 0:
                return [issued, self._segment(START, 0, cycle)], None
            burst -= 1

    def _token_before_request(self, burst: int) -> int | None:
        """The token whose passing let the burst be requested: it freed a place, or completed the bytes to write."""
        last = burst - self._plan.window if self._reads_memory else burst
        if last < 0:
            return None
        until_bytes = min((last + 1) * self._plan.burst_bytes, self._plan.total_bytes)
        return ceil_div(until_bytes, self._plan.token_bytes) - 1

    @cached_property
    def _served(self) -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Per channel: starts in order, and for each the port and burst that it took."""
        rows: dict[str, list[tuple[np.ndarray, np.ndarray, np.ndarray]]] = {}
        for number, process in enumerate(self._walk.graph.processes):
            if not isinstance(process, Memory):
                continue
            starts = self._walk.record.bursts[process.name][:, 1]
            bursts = np.arange(starts.size)
            for lane, channel in enumerate(process.channels):
                chosen = bursts % len(process.channels) == lane
                owners = np.full(int(chosen.sum()), number)
                rows.setdefault(channel, []).append((starts[chosen], owners, bursts[chosen]))
        return {channel: _sorted(parts) for channel, parts in rows.items()}

    def _segment(self, kind: str, start: int, end: int) -> Segment:
        return Segment(self._port.name, kind, start, end)


def _sorted(parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    starts, owners, bursts = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(starts)
    return starts[order], owners[order], bursts[order]
