"""Exact throughput of actors that fire for ever, and the FIFOs whose depth holds it back.

Ghamarian et al., "Throughput analysis of synchronous data flow graphs", ACSD 2006: self-timed
execution of a bounded graph reaches a periodic phase, whose rate is exact.  Parts of a graph that
no dependency cycle joins run at their own rates, and the slowest sets the pace.  What holds a rate
back are cycles of firings that start the moment that another ends; Stuijk, Geilen & Basten,
"Throughput-buffering trade-off exploration for cyclo-static and synchronous dataflow graphs",
IEEE TC 57(10), 2008, find the FIFOs that lack space on such
cycles.  What takes too long to execute is scheduled (``sttest.sim.k_periodic``).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sttest.core.directed_graph import strong_parts
from sttest.core.errors import InputError
from sttest.sim.graph import MAX_DEPTH, MAX_TOKENS, Actor, TimedGraph, fifo_ends
from sttest.sim.stages import UNBOUNDED

if TYPE_CHECKING:
    from sttest.sim.k_periodic import Queue
    from sttest.sim.self_timed import Actors

# --- The repetition vector of a (cyclo-static) dataflow graph: firings after which all queues are as before


def repetition_vector(graph: TimedGraph) -> list[int]:
    """Firings (phases) of each actor in one iteration, the least whole numbers; each weakly connected part for itself.

    Solves the balance equations: what is put on a FIFO in an iteration equals what is taken from it.

    Raises:
        InputError: a process is no actor, the rates around some FIFO don't balance, or only after too many firings.
    """
    actors = [_actor(process, graph.name) for process in graph.processes]
    ends = fifo_ends(graph)
    neighbors: list[list[tuple[int, Fraction, str]]] = [[] for _ in actors]
    for fifo, (writer, reader) in zip(graph.fifos, ends, strict=True):
        put = sum(phase.writes.get(fifo.name, 0) for phase in actors[writer].phases)
        taken = sum(phase.reads.get(fifo.name, 0) for phase in actors[reader].phases)
        if put == 0 or taken == 0:
            raise InputError(
                "no-rate", "nothing is ever put on it or taken from it", where=f"{graph.name}: FIFO '{fifo.name}'"
            )
        ratio = Fraction(put, taken)
        neighbors[writer].append((reader, ratio, fifo.name))
        neighbors[reader].append((writer, 1 / ratio, fifo.name))
    cycles: dict[int, Fraction] = {}
    for root in range(len(actors)):
        if root not in cycles:
            cycles.update(_balance(root, neighbors, graph.name))
    return [int(cycles[number]) * len(actor.phases) for number, actor in enumerate(actors)]


def _actor(process: object, graph_name: str) -> Actor:
    if isinstance(process, Actor):
        return process
    raise InputError(
        "not-an-actor",
        "actors that fire for ever stand beside other processes",
        where=graph_name,
        hints=["give the actors a number of firings"],
    )


def _balance(root: int, neighbors: list[list[tuple[int, Fraction, str]]], graph_name: str) -> dict[int, Fraction]:
    """Whole cycles of phases of the actors connected with ``root``, with no common divisor."""
    rates = {root: Fraction(1)}
    todo = [root]
    while todo:
        number = todo.pop()
        for other, ratio, fifo in neighbors[number]:
            rate = rates[number] * ratio
            _check_firings(max(rate.numerator, rate.denominator), f"{graph_name}: FIFO '{fifo}'")
            if other not in rates:
                rates[other] = rate
                todo.append(other)
            elif rates[other] != rate:
                raise InputError(
                    "inconsistent-rates",
                    "its rates don't balance with those of the other FIFOs",
                    where=f"{graph_name}: FIFO '{fifo}'",
                    hints=["check the rates around it"],
                )
    scale = 1
    for rate in rates.values():
        scale = lcm(scale, rate.denominator)
        _check_firings(scale, graph_name)
    whole = {number: int(rate * scale) for number, rate in rates.items()}
    common = gcd(*whole.values())
    return {number: Fraction(value, common) for number, value in whole.items()}


def _check_firings(least: int, where: str) -> None:
    """Gives up as soon as some actor is known to fire too often, before the numbers grow further."""
    if least > MAX_TOKENS:
        raise InputError(
            "rates-explode",
            f"an actor would fire more than {MAX_TOKENS:,} times in one iteration",
            where=where,
            hints=["check the rates around it"],
        )


NEVER_FULL = MAX_DEPTH
"""A FIFO of the greatest depth that there can be counts as one that is never full."""

MAX_FIRINGS = 100_000_000
"""Firings after which the search for a recurrent state is given up, and that for a K-periodic schedule begins."""


@dataclass(frozen=True)
class Rate:
    """Iterations of the repetition vector per cycle, 0 on a deadlock.

    ``limiting``: FIFOs of which at least one must be deeper for a higher rate; none where no depth helps.
    ``firings``: how many it took to find out; ``scheduled``: of which some were those of a K-periodic schedule.
    """

    throughput: Fraction
    limiting: tuple[int, ...]
    firings: int
    scheduled: bool = False


class _Part(NamedTuple):
    """Actors joined by dependency cycles: ``arrays`` are what the kernel calls phase_first to ends, FIFOs by number."""

    fifos: np.ndarray
    members: list[int]
    iteration_firings: int
    arrays: tuple[np.ndarray, ...]
    initial: np.ndarray


class SelfTimed:
    """A graph of endless actors, to be run with one storage distribution after the other.

    Raises:
        InputError: processes that are no endless actors, or rates that don't balance.
    """

    def __init__(self, graph: TimedGraph) -> None:
        self.graph = graph
        self.repetitions = repetition_vector(graph)
        self._ends = fifo_ends(graph)
        self._parts: dict[bytes, list[_Part]] = {}

    @property
    def iteration_accesses(self) -> int:
        """Tokens that are put and taken in one iteration."""
        total = 0
        for process, firings in zip(self.graph.processes, self.repetitions, strict=True):
            phases = _actor(process, self.graph.name).phases
            in_a_round = sum(sum(phase.reads.values()) + sum(phase.writes.values()) for phase in phases)
            total += in_a_round * (firings // len(phases))
        return total

    def rate(self, depths: Sequence[int] | None = None) -> Rate:
        """The throughput with given depths, in the order of the graph's FIFOs; None: no FIFO is ever full.

        Raises:
            InputError: nothing bounds the rate, or no periodic phase was found in ``MAX_FIRINGS`` firings, and firings
                overtake each other.
            DoesNotFitError: no periodic phase was found, and a K-periodic schedule takes too many firings, too.
        """
        asked = [NEVER_FULL] * len(self.graph.fifos) if depths is None else depths
        depth = np.array([UNBOUNDED if d >= NEVER_FULL else d for d in asked], np.int64)
        rates = [self._run(part, depth) for part in self._parts_of(depth < UNBOUNDED)]
        if not rates:
            raise self._no_bound()
        slowest = min(rate.throughput for rate in rates)
        limiting = {fifo for rate in rates if rate.throughput == slowest for fifo in rate.limiting}
        firings, scheduled = sum(rate.firings for rate in rates), any(rate.scheduled for rate in rates)
        return Rate(slowest, tuple(sorted(limiting)), firings, scheduled)

    def _parts_of(self, bounded: np.ndarray) -> list[_Part]:
        key = bounded.tobytes()
        if key not in self._parts:
            self._parts[key] = self._split(bounded.tolist())
        return self._parts[key]

    def _split(self, bounded: list[bool]) -> list[_Part]:
        """A reader depends on its writer, and a writer on its reader where the FIFO can be full."""
        size = len(self.graph.processes)
        edges = [(end.writer, end.reader) for end in self._ends]
        edges += [(end.reader, end.writer) for end, is_bounded in zip(self._ends, bounded, strict=True) if is_bounded]
        part_of = strong_parts(size, edges)
        parts: list[_Part] = []
        for number in sorted(set(part_of)):
            actors = [actor for actor in range(size) if part_of[actor] == number]
            fifos = [f for f, end in enumerate(self._ends) if part_of[end.writer] == number == part_of[end.reader]]
            if fifos:
                parts.append(self._part(actors, fifos))
        return parts

    def _part(self, actors: list[int], fifos: list[int]) -> _Part:
        # The kernel looks at the state once per iteration of the first actor: the fewer firings that is, the better.
        actors = sorted(actors, key=lambda actor: (self.repetitions[actor], actor))
        place = {actor: number for number, actor in enumerate(actors)}
        ends = [[place[side] for side in (end.reader, end.writer)] for end in map(self._ends.__getitem__, fifos)]
        return _Part(
            fifos=np.array(fifos),
            members=actors,
            iteration_firings=self.repetitions[actors[0]],
            arrays=(*_phase_arrays(self.graph, actors, fifos), np.array(ends, np.int64).T.copy()),
            initial=np.array([self.graph.fifos[fifo].initial_tokens for fifo in fifos], np.int64),
        )

    def _run(self, part: _Part, depth: np.ndarray) -> Rate:
        from sttest.sim import self_timed as kernel

        if 2 * sum(self.repetitions[actor] for actor in part.members) > MAX_FIRINGS:
            return self._schedule(part, depth)  # a period shows after two iterations at the earliest
        state = _begin(part, depth[part.fifos])
        how, firings, cycles = kernel.run_self_timed(state, part.iteration_firings, MAX_FIRINGS)
        if how == kernel.STANDING_STILL:
            raise self._no_end([part.members[place] for place in np.flatnonzero(state.fired)])
        if how not in (kernel.PERIODIC, kernel.DEAD):
            return self._schedule(part, depth)
        throughput = Fraction(firings, part.iteration_firings * cycles) if how == kernel.PERIODIC else Fraction(0)
        return Rate(throughput, tuple(_on_cycles(part, state.needed)), int(state.counts[kernel.STARTED]))

    def _schedule(self, part: _Part, depth: np.ndarray) -> Rate:
        """The same of a K-periodic schedule, for what takes too long to simulate."""
        from sttest.sim.k_periodic import Cyclic, exact_throughput

        actors = [_actor(self.graph.processes[number], self.graph.name) for number in part.members]
        overtaken = next((actor.name for actor in actors if _may_overtake(self.graph, actor)), None)
        if overtaken is not None:
            raise InputError(
                "no-period",
                f"no periodic phase in {MAX_FIRINGS:,} firings, and those of '{overtaken}' may overtake each other",
                where=self.graph.name,
                hints=["give depths to its FIFOs", "give it a self-loop with a token"],
            )
        durations = [np.array([phase.time for phase in actor.phases], np.int64) for actor in actors]
        rounds = [
            self.repetitions[number] // len(actor.phases) for number, actor in zip(part.members, actors, strict=True)
        ]
        found = exact_throughput(Cyclic(durations, rounds, list(_queues(self.graph, part, actors, depth))))
        if found is None:
            raise self._no_bound()
        return Rate(found.throughput, found.full, found.events, scheduled=True)

    def _no_bound(self) -> InputError:
        return InputError(
            "no-rate-bound",
            "nothing bounds the rate",
            where=self.graph.name,
            hints=["give an actor a self-loop with a token", "simulate with bounded FIFOs"],
        )

    def _no_end(self, members: list[int]) -> InputError:
        """The error of actors, by number, that fire again and again before a cycle is over."""
        actors = [_actor(self.graph.processes[number], self.graph.name) for number in sorted(members)]
        takes_time = next((actor.name for actor in actors if any(phase.time for phase in actor.phases)), None)
        if takes_time is not None:
            # Its phases of some time hold nobody up, since they run beside each other.
            hints = [f"give '{takes_time}' a self-loop with a token, so that one firing waits for the other"]
        else:
            hints = [f"give a phase of '{actors[0].name}' a time"]
        names = (
            " and ".join(f"'{actor.name}'" for actor in actors[:2])
            if len(actors) < 3
            else (f"'{actors[0].name}' and {len(actors) - 1} more actors")
        )
        what = f"nothing bounds the rate: {names} fire without end in one cycle"
        return InputError("no-rate-bound", what, where=self.graph.name, hints=hints)


def _phase_arrays(graph: TimedGraph, actors: list[int], fifos: list[int]) -> tuple[np.ndarray, ...]:
    """``phase_first``, ``again``, ``duration``, ``first``, ``fifo`` and ``amount`` of the kernel's ``Actors``."""
    local = {graph.fifos[fifo].name: number for number, fifo in enumerate(fifos)}
    members = [process for actor in actors if isinstance(process := graph.processes[actor], Actor)]
    phases = [phase for member in members for phase in member.all_phases]
    accesses: list[tuple[int, int]] = []
    first: list[np.ndarray] = []
    for tokens_of in ([phase.reads for phase in phases], [phase.writes for phase in phases]):
        rows = [[(local[name], n) for name, n in tokens.items() if name in local and n] for tokens in tokens_of]
        first.append(len(accesses) + _firsts([len(row) for row in rows]))
        accesses += [access for row in rows for access in row]
    fifo, amount = (np.array([access[side] for access in accesses], np.int64) for side in (0, 1))
    duration = np.array([phase.time for phase in phases], np.int64)
    phase_first = _firsts([len(member.all_phases) for member in members])
    again = phase_first[:-1] + np.array([len(member.initial_phases) for member in members], np.int64)
    return phase_first, again, duration, np.stack(first), fifo, amount


def _may_overtake(graph: TimedGraph, actor: Actor) -> bool:
    """Whether a firing may end before an earlier one: it is shorter, and no self-loop keeps them apart."""
    phases = actor.phases
    if len({phase.time for phase in actor.all_phases}) == 1:
        return False
    for name in phases[0].reads.keys() & phases[0].writes.keys():
        taken = [phase.reads.get(name, 0) for phase in phases]
        two = min(one + other for one, other in zip(taken, taken[1:] + taken[:1], strict=True))
        is_kept = all(phase.writes.get(name, 0) == phase.reads.get(name, 0) for phase in actor.all_phases)
        if is_kept and two > graph.fifos[graph.fifo_index[name]].initial_tokens:
            return False
    return True


def _queues(graph: TimedGraph, part: _Part, actors: list[Actor], depth: np.ndarray) -> Iterator["Queue"]:
    """What passes between actors when their initial phases are over: tokens, and places of FIFOs that can be full."""
    from sttest.sim.k_periodic import Queue

    readers, writers = part.arrays[-1].tolist()
    for number, reader, writer in zip(map(int, part.fifos), map(int, readers), map(int, writers), strict=True):
        name = graph.fifos[number].name
        put = np.array([phase.writes.get(name, 0) for phase in actors[writer].phases], np.int64)
        taken = np.array([phase.reads.get(name, 0) for phase in actors[reader].phases], np.int64)
        initial = graph.fifos[number].initial_tokens
        initial += sum(phase.writes.get(name, 0) for phase in actors[writer].initial_phases)
        initial -= sum(phase.reads.get(name, 0) for phase in actors[reader].initial_phases)
        yield Queue(writer, reader, put, taken, initial, number, is_space=False)
        if depth[number] < UNBOUNDED:
            yield Queue(reader, writer, taken, put, int(depth[number]) - initial, number, is_space=True)


def _firsts(sizes: list[int]) -> np.ndarray:
    return np.cumsum([0, *sizes]).astype(np.int64)


def _begin(part: _Part, depth: np.ndarray) -> "Actors":
    """The kernel's arrays before the first cycle."""
    from sttest.sim import self_timed as kernel

    shape = (2, part.initial.size)
    counts = np.zeros(kernel.WAITING + 1, np.int64)
    counts[kernel.WAITING] = len(part.members)
    return kernel.Actors(
        *part.arrays,
        there=np.stack([part.initial, depth - part.initial]),
        came=np.zeros(shape, np.int64),
        came_at=np.full(shape, -1, np.int64),
        needed=np.zeros(shape, np.bool_),
        phase=part.arrays[0][:-1].copy(),
        todo=np.arange(len(part.members))[::-1].copy(),
        queued=np.ones(len(part.members), np.bool_),
        fired=np.zeros(len(part.members), np.bool_),
        counts=counts,
    )


def _on_cycles(part: _Part, needed: np.ndarray) -> list[int]:
    """FIFOs, by number in the graph, whose lack of space lies on a cycle of actors that wait for each other."""
    readers, writers = part.arrays[-1].tolist()
    for_tokens, for_space = needed
    edges = [(writers[fifo], readers[fifo]) for fifo in np.flatnonzero(for_tokens).tolist()]
    edges += [(readers[fifo], writers[fifo]) for fifo in np.flatnonzero(for_space).tolist()]
    part_of = strong_parts(len(part.members), edges)
    full = np.flatnonzero(for_space).tolist()
    return [int(part.fifos[fifo]) for fifo in full if part_of[writers[fifo]] == part_of[readers[fifo]]]
