"""A simulator written from docs/reference/timed-graph.md alone, cycle by cycle: it shares no line with the engines.

It takes the JSON document. In every cycle that may hold an access, all processes do what the rules of the page allow,
until nothing more is allowed in that cycle; then the channels choose. It is slow and has no shortcuts.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import groupby, product, takewhile
from math import ceil, floor, gcd, inf, lcm, prod
from typing import Any

NEVER = inf
"""The cycle of what waits for an access that has not happened."""
_STORM = 10_000
"""Accesses of one process in one cycle; more means that firings without time never end."""


@dataclass
class Outcome:
    verdict: str
    cycles: int | None
    finish: dict[str, int]
    writes: dict[str, list[int]]
    reads: dict[str, list[int]]
    peaks: dict[str, int]
    throughput: Fraction | None = None
    bursts: dict[str, list[list[Any]]] = field(default_factory=dict)
    """By port, of each burst that was requested, in order: what ``Burst.row`` gives."""


@dataclass
class Channel:
    """Times are exact fractions of a cycle; what it took so far says all that it knows."""

    latency: int
    beat_bytes: int
    beats_num: int = 1
    beats_den: int = 1
    write_den: int | None = None
    busy_latency: int | None = None
    response: int | None = None
    busy_response: int | None = None
    random_bytes: int = 0
    random_short: int = 0
    random_long: int = 0
    id_wait: int | None = None
    read_turns: int = 1
    write_turns: int = 1
    queues: dict[int, list[Burst]] = field(default_factory=dict)
    taken: list[Burst] = field(default_factory=list)

    def per_beat(self, op: str) -> Fraction:
        """Cycles that a beat takes."""
        units = self.write_den if op == "write" and self.write_den is not None else self.beats_den
        return Fraction(units, self.beats_num)

    def least(self, size: int) -> Fraction:
        """Cycles that a random burst of so many bytes takes at least."""
        return Fraction(self.random_short if size <= self.random_bytes else self.random_long, self.beats_num)

    def delays(self, op: str) -> tuple[int, int]:
        """Cycles from a burst's start, and from when the channel was free for it, to its beats or its response."""
        response = self.latency + 1 if self.response is None else self.response
        plain, busy = (self.latency, self.busy_latency) if op == "read" else (response, self.busy_response)
        return plain, plain if busy is None else busy

    def free(self) -> Fraction | float:
        """When the last burst leaves."""
        return self.taken[-1].leaves() if self.taken else -inf

    def waiting(self) -> list[Burst]:
        """The next burst of each port that waits."""
        return [queue[0] for queue in self.queues.values() if queue]

    def ready(self) -> float:
        asked = min([burst.requested for burst in self.waiting()], default=NEVER)
        return max(asked, whole_cycles(self.free()))

    def choose(self, cycle: int) -> None:
        """The next port after the one served last in the direction whose turn it is, in the order of the processes."""
        waiting = self.waiting()
        op = self.direction({burst.op for burst in waiting})
        served = next((burst.turn for burst in reversed(self.taken) if burst.op == op), -1)
        turn = min((burst.turn for burst in waiting if burst.op == op), key=lambda turn: (turn <= served, turn))
        burst = self.queues[turn].pop(0)
        free = self.free()
        burst.taken, burst.begins, burst.was_free = cycle, max(Fraction(cycle), free), free
        self.taken.append(burst)

    def direction(self, waiting: set[str]) -> str:
        if len(waiting) == 1 or not self.taken:
            return min(waiting)  # "read" comes before "write"
        last = self.taken[-1].op
        in_a_row = len([*takewhile(lambda burst: burst.op == last, reversed(self.taken))])
        turns = {"read": self.read_turns, "write": self.write_turns}
        return last if in_a_row < turns[last] else min(waiting - {last})


def whole_cycles(time: Fraction | float) -> float:
    return floor(time) if isinstance(time, Fraction) else time


@dataclass
class Burst:
    number: int
    first: int
    size: int
    op: str
    turn: int
    channel: Channel
    is_random: bool
    last_byte_at: Callable[[], float]
    requested: float = NEVER
    taken: float = NEVER
    begins: Fraction | float = NEVER
    was_free: Fraction | float = NEVER

    @property
    def last(self) -> int:
        """Its last byte, of the stream."""
        return self.first + self.size - 1

    def beats(self, byte: int) -> int:
        """How many of its beats are needed for it up to this byte of the stream."""
        return (byte - self.first) // self.channel.beat_bytes + 1

    def leaves(self) -> Fraction | float:
        """When its channel is free again, which an early burst holds until its last byte was taken, and a cycle."""
        if self.taken == NEVER:
            return NEVER
        spent = self.beats(self.last) * self.channel.per_beat(self.op)
        spent = max(spent, self.channel.least(self.size)) if self.is_random else spent
        held = self.last_byte_at() + 1 if self.op == "write" else -inf
        return max(self.begins + spent, self.taken + 1, held)

    def due_alone(self) -> float:
        """The same as ``due``, whatever becomes of its bytes."""
        plain, busy = self.channel.delays(self.op)
        if self.op == "read":
            return max(self.begins + plain, self.was_free + busy)
        return max(self.taken + plain, whole_cycles(self.was_free) + busy)

    def due(self) -> Fraction | float:
        """The page's D of a read burst, or the cycle of a write burst's response."""
        if self.taken == NEVER:
            return NEVER
        return max(self.due_alone(), self.last_byte_at() + 1) if self.op == "write" else self.due_alone()

    def there(self, byte: int) -> float:
        """The cycle in which the beat with this byte of the stream is there."""
        if self.taken == NEVER:
            return NEVER
        return ceil(self.due() + self.beats(byte) * self.channel.per_beat("read"))

    def row(self) -> list[Any]:
        """Cycle of its request, and in which it was taken, units that it begins later, and due in cycles and units."""
        if self.taken == NEVER:
            return [self.requested, NEVER, NEVER, NEVER, NEVER]
        due = self.due_alone() if self.due() == NEVER else self.due()
        units = self.channel.beats_num
        return [self.requested, self.taken, (self.begins - self.taken) * units, floor(due), (due - floor(due)) * units]


def hashed(i: int) -> int:
    """The page's h, in 32 bits."""
    i ^= i >> 16
    i = i * 0x45D9F3B % 2**32
    i ^= i >> 16
    i = i * 0x45D9F3B % 2**32
    return i ^ i >> 16


@dataclass
class Fifo:
    depth: float
    raw: int
    gap: int
    claims: list[float]
    puts: list[float]
    takes: list[float] = field(default_factory=list)
    frees: list[float] = field(default_factory=list)

    def readable(self, count: int) -> float:
        """The cycle from which on the next ``count`` tokens are there."""
        last = len(self.takes) + count - 1
        return self.puts[last] + self.raw if last < len(self.puts) else NEVER

    def writable(self, count: int) -> float:
        """The cycle from which on there is space for ``count`` tokens more."""
        waits_for = len(self.claims) + count - 1 - self.depth
        if waits_for < 0:
            return 0
        return self.frees[int(waits_for)] + self.gap if waits_for < len(self.frees) else NEVER

    def peak(self, is_late: bool) -> int:
        """The least depth with which every claim of this run is allowed; ``is_late``: space counts a cycle longer."""
        gap = 1 if is_late else self.gap
        allowed = (depth for depth in range(1, len(self.claims) + 2) if self._allows(depth, gap))
        return int(min(next(allowed), self.depth))

    def _allows(self, depth: int, gap: int) -> bool:
        later = zip(self.claims[depth:], [*self.frees, *[NEVER] * len(self.claims)], strict=False)
        return all(claim >= free + gap for claim, free in later)


class Pipeline:
    def __init__(
        self, given: Mapping[str, Any], fifos: Mapping[str, Fifo], accesses: Sequence[tuple[int, str, str]], end: int
    ):
        self.start, self.end = given.get("start", 0), end
        self.fifos = fifos
        self.stages = [
            (stage, [access[1:] for access in group]) for stage, group in groupby(sorted(accesses), lambda a: a[0])
        ]
        self.done = 0
        self.at = self.start
        self.stage = 0

    def ready(self) -> float:
        if self.done == len(self.stages):
            return NEVER
        stage, accesses = self.stages[self.done]
        asked = {access: accesses.count(access) for access in accesses}
        fifos = self.fifos
        laws = [fifos[f].readable(n) if op == "read" else fifos[f].writable(n) for (f, op), n in asked.items()]
        return max([self.at + stage - self.stage, *laws])

    def act(self, cycle: int) -> None:
        self.stage, accesses = self.stages[self.done]
        self.at = cycle
        self.done += 1
        for name, op in accesses:
            fifo = self.fifos[name]
            for times in (fifo.takes, fifo.frees) if op == "read" else (fifo.claims, fifo.puts):
                times.append(cycle)

    def finish(self) -> float:
        return self.at + self.end - self.stage if self.done == len(self.stages) else NEVER


def pipeline(
    given: Mapping[str, Any], fifos: Mapping[str, Fifo], names: Sequence[str], traces: Mapping[str, Any]
) -> Pipeline:
    """The accesses of all repetitions as (stage, FIFO, op), and the stage at which the last repetition ends."""
    if given.get("trace"):
        ticks, ops = traces[given["trace"]]
        once = [(int(t), names[int(o) // 2], "write" if o % 2 else "read") for t, o in zip(ticks, ops, strict=True)]
        loops_end, gap = (once[-1][0] + 1 if once else 0), 2
    else:
        once, loops_end, gap = loop_accesses(given.get("loops", ()))
    end = loops_end if given.get("end") is None else given["end"]
    period = end + gap
    repeat = given.get("repeat", 1)
    accesses = [(stage + n * period, fifo, op) for n in range(repeat) for stage, fifo, op in once]
    return Pipeline(given, fifos, accesses, (repeat - 1) * period + end)


def loop_accesses(loops: Sequence[Mapping[str, Any]]) -> tuple[list[tuple[int, str, str]], int, int]:
    accesses, entry, end, gap = [], 0, 0, 2
    for loop in loops:
        for i, index in enumerate(product(*map(range, loop["trips"]))):
            accesses += [
                (entry + i * loop["ii"] + event["stage"], event["fifo"], event["op"])
                for event in loop.get("events", ())
                if holds(event.get("when"), index)
                for _ in range(event.get("tokens", 1))
            ]
        end = entry + (prod(loop["trips"]) - 1) * loop["ii"] + loop["latency"]
        gap = loop.get("entry_gap", 2)
        entry = end + gap
    return accesses, end, gap


def holds(when: Sequence[Any] | None, index: tuple[int, ...]) -> bool:
    def one(rule: Any, k: int) -> bool:
        if rule is None or isinstance(rule, int):
            return rule in (None, k)
        return rule[0] <= k <= rule[1] and (k - rule[0]) % rule[2] == 0

    return not when or all(map(one, when, index))


class Actor:
    def __init__(self, given: Mapping[str, Any], fifos: Mapping[str, Fifo]):
        self.phases, self.fifos = given["phases"], fifos
        self.left = NEVER if given.get("firings") is None else given["firings"]
        self.at = self.ended = given.get("start", 0)
        self.started = 0
        self.running: list[tuple[int, int]] = []

    def phase(self, firing: int) -> Mapping[str, Any]:
        return self.phases[firing % len(self.phases)]

    def next_start(self) -> float:
        if self.started == self.left:
            return NEVER
        phase = self.phase(self.started)
        read = [self.fifos[f].readable(n) for f, n in phase.get("reads", {}).items() if n]
        written = [self.fifos[f].writable(n) for f, n in phase.get("writes", {}).items() if n]
        return max([self.at, *read, *written])

    def ready(self) -> float:
        return min([self.next_start(), *(end for end, _ in self.running[:1])])

    def act(self, cycle: int) -> None:
        if self.running and self.running[0][0] <= cycle:
            return self.stop(*heapq.heappop(self.running))
        phase = self.phase(self.started)
        for name, count in phase.get("writes", {}).items():
            self.fifos[name].claims += [cycle] * count
        for name, count in phase.get("reads", {}).items():
            self.fifos[name].takes += [cycle] * count
        heapq.heappush(self.running, (cycle + phase["time"], self.started))
        self.at = cycle
        self.started += 1
        return None

    def stop(self, end: int, firing: int) -> None:
        """Firings that overlap stop in the order of their ends, whichever began first: tokens have no names."""
        for name, count in self.phase(firing).get("writes", {}).items():
            self.fifos[name].puts += [end] * count
        for name, count in self.phase(firing).get("reads", {}).items():
            self.fifos[name].frees += [end] * count
        self.ended = end

    def finish(self) -> float:
        return self.ended if self.started == self.left and not self.running else NEVER

    def state(self, cycle: int) -> tuple[Any, ...]:
        running = tuple((end - cycle, firing % len(self.phases)) for end, firing in sorted(self.running))
        return max(self.at - cycle, 0), self.started % len(self.phases), running


class MemoryPort:
    def __init__(self, given: Mapping[str, Any], fifos: Mapping[str, Fifo], channels: Mapping[str, Channel], turn: int):
        self.fifo, self.tokens, self.token_bytes = fifos[given["fifo"]], given["tokens"], given["token_bytes"]
        self.size, self.start = given.get("burst_bytes", 4096), given.get("start", 0)
        self.gap, self.is_early = given.get("gap", 0), given.get("early", False)
        self.has_one_id = given.get("ids", "one") == "one"
        self.used = [channels[name] for name in given["channels"]]
        self.places = given.get("outstanding", 16)
        is_random = given.get("pattern", "sequential") == "random"
        total = self.tokens * self.token_bytes
        firsts = range(0, total, self.size)
        self.bursts: list[Burst] = []
        for i, first in enumerate(firsts):
            channel = self.used[self.where(i, len(firsts), is_random)]
            size = min(self.size, total - first)
            last_byte_at = partial(self.moved_at, first + size - 1)
            self.bursts.append(Burst(i, first, size, given["op"], turn, channel, is_random, last_byte_at))
        self.moved: list[int] = []

    def where(self, burst: int, bursts: int, is_random: bool) -> int:
        """Which of its channels a burst goes to."""
        if is_random:
            return hashed(burst) % len(self.used)
        return burst * len(self.used) // bursts if self.has_one_id else burst % len(self.used)

    def ready(self) -> float:
        return min(self.next_request(), self.next_token())

    def act(self, cycle: int) -> None:
        if self.next_token() <= cycle:
            self.moved.append(cycle)
            return self.move(cycle)
        burst = next(self.not_requested())
        burst.requested = cycle
        burst.channel.queues.setdefault(burst.turn, []).append(burst)
        return None

    def rows(self) -> list[list[Any]]:
        return [burst.row() for burst in self.bursts if burst.requested < NEVER]

    def not_requested(self) -> Iterator[Burst]:
        return (burst for burst in self.bursts if burst.requested == NEVER)

    def moved_at(self, byte: int) -> float:
        """The cycle in which the token with this byte was accessed."""
        token = byte // self.token_bytes
        return self.moved[token] if token < len(self.moved) else NEVER

    def next_token(self) -> float:
        if len(self.moved) == self.tokens:
            return NEVER
        first = len(self.moved) * self.token_bytes
        after = self.moved[-1] + 1 + self.gap * self.completed(first) if self.moved else self.start
        return max(after, self.token_rule(first, first + self.token_bytes - 1))

    def completed(self, first: int) -> int:
        """How many bursts the token before the one with this first byte completed."""
        return len([burst for burst in self.bursts if first - self.token_bytes <= burst.last < first])

    def next_request(self) -> float:
        burst = next(self.not_requested(), None)
        if burst is None:
            return NEVER
        rules = [self.start, self.request_rule(burst)]
        if burst.number:
            rules.append(self.bursts[burst.number - 1].requested + 1)
        if len(self.used) > 1:
            rules += self.rules_between_channels(burst)
        return max(rules)

    def rules_between_channels(self, burst: Burst) -> Iterator[float]:
        """What came before on the same channel was taken; with one ID, the one before is done if that was elsewhere."""
        older = self.bursts[: burst.number]
        yield from (before.taken for before in older if before.channel is burst.channel)
        if self.has_one_id and older and older[-1].channel is not burst.channel:
            channel, leaves = older[-1].channel, older[-1].leaves()
            wait = channel.latency if channel.id_wait is None else channel.id_wait
            yield NEVER if leaves == NEVER else ceil(leaves) + wait

    def move(self, cycle: int) -> None: ...
    def token_rule(self, first: int, last: int) -> float: ...
    def request_rule(self, burst: Burst) -> float: ...


class ReadPort(MemoryPort):
    def request_rule(self, burst: Burst) -> float:
        before = burst.number - self.places
        return 0 if before < 0 else self.bursts[before].last_byte_at() + 1

    def token_rule(self, first: int, last: int) -> float:
        touched = [burst for burst in self.bursts if burst.first <= last and first <= burst.last]
        return max(self.fifo.writable(1), *(burst.there(min(last, burst.last)) for burst in touched))

    def move(self, cycle: int) -> None:
        self.fifo.claims.append(cycle)
        self.fifo.puts.append(cycle)

    def finish(self) -> float:
        return self.moved[-1] + 1 if len(self.moved) == self.tokens else NEVER


class WritePort(MemoryPort):
    def request_rule(self, burst: Burst) -> float:
        return self.moved_at(burst.first) if self.is_early else burst.last_byte_at()

    def token_rule(self, first: int, last: int) -> float:
        """The place of an answered burst is not free before those of older ones."""
        older = self.bursts[: max(last // self.size - self.places + 1, 0)]
        return max([self.fifo.readable(1), *(burst.due() + 1 for burst in older)])

    def move(self, cycle: int) -> None:
        self.fifo.takes.append(cycle)
        self.fifo.frees.append(cycle)

    def finish(self) -> float:
        return max(burst.due() for burst in self.bursts)


def simulate_by_the_page(
    graph: Mapping[str, Any], *, depths: Mapping[str, int] = {}, unbounded: bool = False, traces: Mapping[str, Any] = {}
) -> Outcome:
    """
    Args:
        graph: a document of `sttest.timed-graph/1`
        depths: other depths, by FIFO
        traces: (ticks, ops) by the name of the trace
    """
    fifos = {fifo["name"]: fifo_of(fifo, graph, depths, unbounded) for fifo in graph["fifos"]}
    channels = {c["name"]: Channel(**{key: c[key] for key in c if key != "name"}) for c in graph.get("channels", ())}
    names = [fifo["name"] for fifo in graph["fifos"]]
    processes: dict[str, Any] = {}
    for turn, given in enumerate(graph["processes"]):
        if given["kind"] == "pipeline":
            process = pipeline(given, fifos, names, traces)
        elif given["kind"] == "actor":
            process = Actor(given, fifos)
        else:
            process = (ReadPort if given["op"] == "read" else WritePort)(given, fifos, channels, turn)
        processes[given["name"]] = process
    throughput = None
    if any(given["kind"] == "actor" and given.get("firings") is None for given in graph["processes"]):
        throughput = run_for_ever(graph, processes, fifos)
        finish: dict[str, Any] = {}
    else:
        for _ in cycles_of(list(processes.values()), list(channels.values())):
            pass
        finish = {name: process.finish() for name, process in processes.items()}
    done = bool(throughput) or (throughput is None and NEVER not in finish.values())
    return Outcome(
        "done" if done else "deadlock",
        max(finish.values()) if done and finish else None,
        finish,
        {name: [int(t) for t in fifo.puts if t >= 0] for name, fifo in fifos.items()},
        {name: [int(t) for t in fifo.frees] for name, fifo in fifos.items()},
        {name: fifo.peak(name in _freed_in_no_time(graph)) for name, fifo in fifos.items()},
        throughput,
        {name: process.rows() for name, process in processes.items() if isinstance(process, MemoryPort)},
    )


def _freed_in_no_time(graph: Mapping[str, Any]) -> set[str]:
    phases = [phase for p in graph["processes"] if p["kind"] == "actor" for phase in p["phases"] if phase["time"] == 0]
    return {name for phase in phases for name, tokens in phase.get("reads", {}).items() if tokens}


def fifo_of(given: Mapping[str, Any], graph: Mapping[str, Any], depths: Mapping[str, int], unbounded: bool) -> Fifo:
    name = given["name"]
    depth, impl = depths.get(name, given["depth"]), given.get("impl", "auto")
    if impl == "auto":
        impl = "srl" if depth * given["bits"] <= 1024 else "ram"
    actors = [p for p in graph["processes"] if p["kind"] == "actor"]
    ends = sum(
        any(phase.get(side, {}).get(name) for phase in a["phases"]) for a in actors for side in ("reads", "writes")
    )
    law = ends < 2
    raw = {"srl": 1, "ram": 2}[impl] if law else 0
    initial: list[float] = [-inf] * given.get("initial_tokens", 0)
    return Fifo(inf if unbounded else depth, raw + given.get("latency", 0), int(law), list(initial), list(initial))


def cycles_of(processes: Sequence[Any], channels: Sequence[Channel]) -> Iterator[int]:
    """The cycles in which something happens, each after it happened."""
    while (cycle := min([p.ready() for p in (*processes, *channels)])) < NEVER:
        while due := [process for process in processes if process.ready() <= cycle]:
            for process in due:
                act_within(process, int(cycle))
        for channel in channels:
            if channel.ready() <= cycle:
                channel.choose(int(cycle))
        yield int(cycle)


def act_within(process: Any, cycle: int) -> None:
    for _ in range(_STORM):
        if process.ready() > cycle:
            return
        process.act(cycle)
    raise OverflowError("firings without time never end in this cycle")


def run_for_ever(graph: Mapping[str, Any], actors: Mapping[str, Actor], fifos: Mapping[str, Fifo]) -> Fraction:
    """Iterations per cycle between two equal states, 0 on a deadlock."""
    per_iteration = repetitions(graph)
    name = next(iter(actors))
    seen: dict[Any, tuple[int, int]] = {}
    for cycle in cycles_of(list(actors.values()), ()):
        levels = tuple((len(f.puts) - len(f.takes), len(f.claims) - len(f.frees)) for f in fifos.values())
        state = (levels, *(actor.state(cycle) for actor in actors.values()))
        if state in seen:
            then, started = seen[state]
            return Fraction(actors[name].started - started, per_iteration[name] * (cycle - then))
        seen[state] = cycle, actors[name].started
    return Fraction(0)


def repetitions(graph: Mapping[str, Any]) -> dict[str, int]:
    """Firings of each actor in the least iteration that leaves every FIFO as it was, of a connected graph."""

    def rate(actor: Mapping[str, Any], side: str, fifo: str) -> int:
        return sum(phase.get(side, {}).get(fifo, 0) for phase in actor["phases"])

    actors = graph["processes"]
    rounds = {actors[0]["name"]: Fraction(1)}
    while len(rounds) < len(actors):
        for fifo, a, b in product((f["name"] for f in graph["fifos"]), actors, actors):
            put, took = rate(a, "writes", fifo), rate(b, "reads", fifo)
            if put and took and a["name"] in rounds:
                rounds.setdefault(b["name"], rounds[a["name"]] * put / took)
            elif put and took and b["name"] in rounds:
                rounds.setdefault(a["name"], rounds[b["name"]] * took / put)
    scale = lcm(*(n.denominator for n in rounds.values()))
    least = Fraction(scale, gcd(*(int(n * scale) for n in rounds.values())))
    return {a["name"]: int(rounds[a["name"]] * least) * len(a["phases"]) for a in actors}
