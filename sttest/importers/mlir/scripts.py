"""What a process does, access by access, and how often: scripts, which become pipelines of a timed graph.

A script has steps: so many cycles, then tokens to or from a FIFO.  All of a script happens in order, whatever blocks.
Its last part may repeat for ever; how often that has to run follows from what the processes around it do
(:func:`rounds_of`), since a timed graph of pipelines comes to an end.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from sttest.core.errors import InputError
from sttest.sim import Fifo, Pipeline, TimedGraph, Trace
from sttest.sim.graph import MAX_CYCLES, MAX_NAME_CHARS, check_work

MAX_ACCESSES = 1 << 24
"""FIFO accesses of all processes of one import."""


@dataclass(frozen=True)
class TimedStep:
    """Tokens that are taken or put after a time.

    Args:
        cycles: from the step before, at least 1.
        fifo: its name.
        writes: whether tokens are put.
        tokens: how many, all in that cycle.
    """

    cycles: int
    fifo: str
    writes: bool
    tokens: int = 1


@dataclass
class Script:
    """What one process does.

    Args:
        name: of the process.
        origin: what it was read from, for readers.
        category: groups processes in sums.
    """

    name: str
    origin: str = ""
    category: str = "compute"
    steps: list[TimedStep] = field(default_factory=list[TimedStep])
    endless_from: int | None = None  # index of the first step that repeats for ever
    idle: int = 0  # cycles that passed since the last step

    def spend(self, cycles: int) -> None:
        """Lets time pass."""
        self.idle += cycles

    def take(self, fifo: str, tokens: int = 1) -> None:
        """Takes tokens out of a FIFO."""
        self._step(fifo, False, tokens)

    def put(self, fifo: str, tokens: int = 1) -> None:
        """Puts tokens into a FIFO."""
        self._step(fifo, True, tokens)

    def _step(self, fifo: str, writes: bool, tokens: int) -> None:
        if tokens:
            self.steps.append(TimedStep(1 + self.idle, fifo, writes, tokens))
            self.idle = 0

    @property
    def prologue(self) -> Sequence[TimedStep]:
        """The steps that happen once."""
        return self.steps if self.endless_from is None else self.steps[: self.endless_from]

    @property
    def body(self) -> Sequence[TimedStep]:
        """The steps that repeat for ever; none where it ends."""
        return () if self.endless_from is None else self.steps[self.endless_from :]


def tokens_in(steps: Sequence[TimedStep]) -> Counter[tuple[str, bool]]:
    """Tokens by FIFO, and whether they are put."""
    found: Counter[tuple[str, bool]] = Counter()
    for step in steps:
        found[step.fifo, step.writes] += step.tokens
    return found


def rounds_of(scripts: Sequence[Script], initial: Counter[str], rounds: int) -> list[int]:
    """How often the endless part of each script has to run, 1 for those that end.

    What a process that ends asks for is passed on to whoever has to put it, and from there on; where nobody asks,
    what is put is passed on to who takes it.  Where no process ends, the first one runs ``rounds`` times.

    Args:
        scripts: all of the graph.
        initial: tokens that are there at the start, by FIFO.
        rounds: of the first process, where nothing says how often.
    """
    ends: dict[tuple[str, bool], int] = {}
    once, each = [tokens_in(s.prologue) for s in scripts], [tokens_in(s.body) for s in scripts]
    for number in range(len(scripts)):
        for end in (*once[number], *each[number]):
            ends[end] = number
    found = [None if script.body else 1 for script in scripts]
    while None in found:
        if not (_pass_on(found, once, each, ends, initial, asked=True)
                or _pass_on(found, once, each, ends, initial, asked=False)):  # fmt: skip
            found[found.index(None)] = rounds
    return [count or 1 for count in found]


def _pass_on(
    found: list[int | None], once: Sequence[Counter[tuple[str, bool]]], each: Sequence[Counter[tuple[str, bool]]],
    ends: dict[tuple[str, bool], int], initial: Counter[str], *, asked: bool,
) -> bool:  # fmt: skip
    """Sets the rounds of processes beside known ones: that are asked for tokens, or that are given them.

    Of one neighbor's tokens the FIFO with the fewest rounds says how many it gives: from another one, such as that of
    places of which some are held for ever, less is taken.
    """
    changed = False
    for number, count in enumerate(found):
        if count is not None:
            continue
        wanted: dict[int, int] = {}
        for (fifo, writes), per_round in each[number].items():
            other = ends.get((fifo, not writes))
            known = None if other is None else found[other]
            if writes is not asked or other is None or other == number or known is None:
                continue
            total = once[other][fifo, not writes] + known * each[other][fifo, not writes]
            missing = total - once[number][fifo, writes] + (-initial[fifo] if writes else initial[fifo])
            these = -(-missing // per_round) if asked else missing // per_round
            wanted[other] = (max if asked else min)(these, wanted.get(other, these))
        if wanted:
            found[number], changed = max(1, *wanted.values()), True
    return changed


def check_next(name: str, there: int, most: int, what: str, where: str) -> None:
    """Whether another FIFO or process may have a name.

    Args:
        name: of the next.
        there: how many there are.
        most: how many there may be.
        what: these, for readers.
        where: where it is stated.

    Raises:
        InputError: its name is too long, or there are too many.
    """
    if there >= most:
        raise InputError("too-large", f"there are more than {most:,} {what}", where=where)
    if len(name) > MAX_NAME_CHARS or not name.isprintable():
        what = (
            f"'{name!r:.80}' would be the name of one of its {what}: up to {MAX_NAME_CHARS} printable characters can be"
        )
        hints = ["shorten names, or nest less: a name has all that it is nested in"]
        raise InputError("bad-name", what, where=where, hints=hints)


def too_many_accesses(where: str) -> InputError:
    """What refuses a design of so many."""
    what = f"more than {MAX_ACCESSES:,} FIFO accesses"
    return InputError("too-many-accesses", what, where=where, hints=["import it with smaller bounds"])


def graph_of(
    name: str, clock_mhz: float, fifos: Sequence[Fifo], scripts: Sequence[Script], rounds: int = 1, *, where: str
) -> TimedGraph:
    """The timed graph of scripts.

    Args:
        name: of the graph.
        clock_mhz: of all processes.
        fifos: all that scripts name.
        scripts: one per process.
        rounds: of the first process, where all of them are endless and nothing says how often.
        where: the file, for errors.

    Raises:
        InputError: a FIFO has no or several processes at one end, or there are too many accesses or cycles.
    """
    initial = Counter({fifo.name: fifo.initial_tokens for fifo in fifos})
    counts = rounds_of(scripts, initial, rounds)
    total = 0
    for script, count in zip(scripts, counts, strict=True):
        total += sum(step.tokens for step in script.prologue) + count * sum(step.tokens for step in script.body)
        if total > MAX_ACCESSES:
            raise too_many_accesses(where)
        if script.idle + max(1, count) * sum(step.cycles for step in script.steps) > MAX_CYCLES:
            what = f"{script.name} takes more than {MAX_CYCLES:,} cycles"
            raise InputError("too-large", what, where=where, hints=["import it with smaller bounds and --cycles"])
    check_work(total, "number of FIFO accesses", name)
    index = {fifo.name: number for number, fifo in enumerate(fifos)}
    processes = [_pipeline(script, count, index) for script, count in zip(scripts, counts, strict=True)]
    try:
        return TimedGraph(name, clock_mhz, tuple(fifos), tuple(processes))
    except InputError as error:
        raise error if error.where else InputError(error.code, error.what, where=where, hints=error.hints) from error


def _pipeline(script: Script, count: int, index: dict[str, int]) -> Pipeline:
    told = np.array([(s.cycles, 2 * index[s.fifo] + s.writes, s.tokens) for s in script.steps], np.int64).reshape(-1, 3)
    once = len(script.prologue)
    cycles, ops, tokens = np.concatenate([told[:once], np.tile(told[once:], (count, 1))]).T
    ticks = np.cumsum(cycles)
    trace = Trace(np.repeat(ticks, tokens), np.repeat(ops, tokens).astype(np.int32))
    end = int(ticks[-1]) + 1 + (script.idle if script.endless_from is None else 0) if len(ticks) else script.idle
    return Pipeline(script.name, trace=trace, end=end, origin=script.origin, category=script.category)
