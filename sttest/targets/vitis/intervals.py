"""The initiation interval that emitted C++ admits, loop by loop, read from its text alone.

Nothing here knows how the text was made.  An interval is the largest of

- the cycles that the directive asks for: the tool does no better than it is told;
- the accesses of one stream: one read and one write port, a token per cycle each (UG1448, "Resource Constraints");
- the accesses of one bank of an array over its two ports; arrays in registers have no ports, and an index whose bank is
  not constant counts for every bank that it can reach;
- the beats of one memory port: one per direction and cycle;
- the cycles of the slowest loop-carried chain over its distance (`carried_chains`).

What can't meet in one iteration does not add up (`loop_accesses`); which loops make one pipeline is said in
`loop_nests`.  Widths, bursts and loops that are not flattened are notes: they make a loop slower in other ways than by
its interval, or the tool refuse it.

Held against 476 pipelined loops of the Stream-HLS FPGA'25 artifact (5e20bcf, reports of Vitis HLS 2023.2): 331
intervals are the reported ones, none is below.  The loops whose intervals are above sum several products, which that
project lets the tool reorder (``-unsafe_math_optimizations``), or read arrays that their callers split.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from sttest.boards.operators import Operator
from sttest.targets.vitis.carried_chains import carried_chains
from sttest.targets.vitis.cpp_model import CppFile, CppType, ProcessCall, Unknown, in_order, plain, split_of
from sttest.targets.vitis.loop_accesses import (
    ArrayBanks,
    Guard,
    Integers,
    Iteration,
    LoopAccess,
    at_once,
    bank_accesses,
)
from sttest.targets.vitis.loop_nests import PipelinedNest, ProcessCode

MAX_AGGREGATE_BITS = 4096
"""The widest stream, vector or structure that Vitis HLS makes one word of."""
PORT_BITS = 512
"""What a design moves through a stream per cycle by default."""
MAX_MEMORY_BITS = 1024
"""The widest word of an m_axi port."""
BANK_PORTS = 2


@dataclass(frozen=True)
class IntervalBound:
    """What keeps iterations apart, and by how much."""

    rule: str  # stream, bank, beat, chain or directive
    cycles: int
    reason: str


@dataclass(frozen=True)
class LoopInterval:
    """A pipelined loop, flattened, or code that runs once per entry."""

    label: str
    line: int
    iterations: int  # iterations per entry
    entries: int  # times that the loop is entered in one run of the kernel
    asked: int | None  # the interval of its directive, in cycles
    bounds: tuple[IntervalBound, ...]  # largest first, without the directive's
    notes: tuple[str, ...] = ()
    passes: frozenset[tuple[str, bool]] = frozenset()  # titles of the streams that it reads, or (true) writes

    @property
    def needed(self) -> int:
        """The interval that ports and chains need, in cycles."""
        return max((bound.cycles for bound in self.bounds), default=1)

    @property
    def admitted(self) -> int:
        """The interval that the loop gets, in cycles."""
        return max(self.needed, self.asked or 1)

    @property
    def cycles(self) -> int:
        """Cycles of all its iterations, without filling and draining."""
        return self.entries * self.iterations * self.admitted

    @property
    def reason(self) -> str:
        """What its interval comes from."""
        if self.bounds and self.bounds[0].cycles >= self.admitted and self.admitted > 1:
            return self.bounds[0].reason
        return f"asked for, {self.needed} would do" if self.admitted > self.needed else ""


@dataclass(frozen=True)
class ProcessIntervals:
    """The loops of a process of the dataflow region."""

    name: str  # name of its function
    reads: frozenset[str]  # titles of the streams that it reads
    writes: frozenset[str]
    loops: tuple[LoopInterval, ...]
    notes: tuple[str, ...] = ()

    @property
    def cycles(self) -> int:
        """Cycles of all iterations of all loops."""
        return sum(loop.cycles for loop in self.loops)

    @property
    def entries(self) -> int:
        """Times that pipelines fill and drain."""
        return sum(loop.entries for loop in self.loops)


def admitted_intervals(text: str, library: Mapping[str, Operator]) -> list[ProcessIntervals]:
    """The intervals that a `kernel.cpp` admits, by process in the order of the dataflow region.

    Args:
        text: the file's text.
        library: operators at the board's clock, as of `sttest.boards.operators.operators`.
    """
    file = CppFile(text)
    return [_Process(file, call, library).intervals() for call in file.processes]


def wide_aggregates(text: str, limit: int = MAX_AGGREGATE_BITS) -> list[str]:
    """Streams, vectors and structures of a `kernel.cpp` above so many bits, one line each."""
    file = CppFile(text)
    found: dict[str, int] = {}
    for name, channel in file.channels.items():
        found[f"stream '{channel.title or name}'"] = channel.type.bits if channel.type.kind == "stream" else 0
    for call in file.processes:
        code = ProcessCode(file, call.function, call.template)
        for name, kind in code.types.items():
            if kind.kind != "stream" and not (kind.kind == "array" and kind.element and kind.element.kind == "stream"):
                found[f"'{plain(name)}' of {call.function}"] = _aggregate_bits(kind)
    return [f"{what} has {bits:,} bits" for what, bits in found.items() if bits > limit]


def _aggregate_bits(kind: CppType) -> int:
    """Bits that are one word: of an array those of an element."""
    if kind.kind == "array" and kind.element is not None:
        return _aggregate_bits(kind.element)
    return kind.bits if kind.kind in ("vector", "int", "other") else 0


@dataclass
class _Process:
    """One call of the region."""

    file: CppFile
    call: ProcessCall
    library: Mapping[str, Operator]
    bundles: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.code = ProcessCode(self.file, self.call.function, self.call.template)
        parameters = [each.name for each in self.code.function.parameters]
        self.arguments = dict(zip(parameters, self.call.arguments, strict=False))
        for directive in self.file.region_directives:
            variable = directive.options.get("variable", "")
            if directive.name in ("array_partition", "array_reshape"):
                for mine in (mine for mine, theirs in self.arguments.items() if theirs == variable):
                    self.code.splits.setdefault(mine, []).append(split_of(directive))
            elif directive.name == "interface" and directive.options.get("mode") == "m_axi":
                port = directive.options.get("port", "")
                self.bundles[port] = directive.options.get("bundle", port)

    def intervals(self) -> ProcessIntervals:
        loops: dict[tuple[object, ...], LoopInterval] = {}
        used: dict[bool, set[str]] = {False: set(), True: set()}
        for nest in self.code.nests:
            loop = _Loop(self, nest)
            found = loop.interval()
            for access in loop.streams:
                used[access.writes].add(self.title(access.name))
            key = (found.line, found.label, found.iterations, found.bounds)
            if key in loops:
                same = loops[key]
                found = replace(found, entries=same.entries + found.entries, passes=same.passes | found.passes)
            loops[key] = found
        return ProcessIntervals(
            self.call.function,
            frozenset(used[False]),
            frozenset(used[True]),
            tuple(loops.values()),
            (*self._wide_streams(), *self._not_understood()),
        )

    def title(self, name: str) -> str:
        """A stream as it is called in simulation, or its variable in the region."""
        variable = self.arguments.get(name, name)
        channel = self.file.channels.get(variable)
        return channel.title if channel is not None and channel.title else variable

    def _not_understood(self) -> Iterator[str]:
        for each in in_order(self.code.body):
            if isinstance(each, Unknown):
                yield f"line {each.line} is not understood: {each.text.splitlines()[0]}"

    def _wide_streams(self) -> Iterator[str]:
        for parameter in self.code.function.parameters:
            kind, name = parameter.type, self.title(parameter.name)
            kind = kind.element if kind.kind == "array" and kind.element is not None else kind
            if kind.kind == "stream" and kind.bits > MAX_AGGREGATE_BITS:
                yield f"'{name}' has {kind.bits:,} bits, above {MAX_AGGREGATE_BITS:,}: the tool refuses it"
            elif kind.kind == "stream" and kind.bits > PORT_BITS:
                yield f"'{name}' moves {kind.bits:,} bits per cycle, above {PORT_BITS}"
            elif parameter.is_pointer and kind.bits > PORT_BITS:
                above = "the tool refuses it" if kind.bits > MAX_MEMORY_BITS else f"above {PORT_BITS}"
                yield f"'{name}' has words of {kind.bits:,} bits: {above}"


class _Loop:
    """A loop of a process."""

    def __init__(self, process: _Process, nest: PipelinedNest) -> None:
        self.process, self.nest = process, nest
        self.iteration = Iteration(process.code, nest)
        self.code = process.code

    @cached_property
    def streams(self) -> list[LoopAccess]:
        """Accesses of streams."""
        return [each for each in self.iteration.accesses if self._kind(each.name) == "stream"]

    def _kind(self, name: str) -> str:
        if name in self.code.pointers:
            return "pointer"
        kind = self.code.type_of(name)
        held = kind.element if kind.kind == "array" and kind.element is not None else kind
        return "stream" if held.kind == "stream" else _array_kind(kind)

    def interval(self) -> LoopInterval:
        bounds = [*self._streams(), *self._banks(), *self._beats(), *self._chains()]
        bounds.sort(key=lambda bound: -bound.cycles)
        notes = [*self.nest.notes, *self._bursts()]
        return LoopInterval(
            self.nest.label,
            self.nest.line,
            self.nest.iterations,
            self.nest.entries,
            self.nest.asked,
            tuple(bounds),
            tuple(dict.fromkeys(notes)),
            frozenset((self.process.title(access.name), access.writes) for access in self.streams),
        )

    def _streams(self) -> Iterator[IntervalBound]:
        counted: dict[tuple[str, bool], list[tuple[Guard, Integers]]] = defaultdict(list)
        for access in self.streams:
            for name, count in self._channels(access):
                counted[name, access.writes].append((_without_lanes(access), np.array([count])))
        for (name, writes), each in counted.items():
            most = int(at_once(each)[0])
            verb = "written" if writes else "read"
            times = f"{most} tokens" if most > 1 else "1 token"
            yield IntervalBound("stream", most, f"'{self.process.title(name)}': {times} {verb} in one iteration")

    def _channels(self, access: LoopAccess) -> Iterator[tuple[str, int]]:
        """The streams of an access with its number of copies: of an array of streams, one per constant index."""
        copies = _copies(access)
        if not access.indices:
            yield access.name, copies
            return
        index = self.iteration.affine(access.indices[0], access.lanes)
        numbers, counts = np.unique(index.lanes, return_counts=True)
        yield from ((f"{access.name}[{number}]", int(count)) for number, count in zip(numbers, counts, strict=True))

    def _banks(self) -> Iterator[IntervalBound]:
        if self.nest.asked is None:
            return
        names = dict.fromkeys(each.name for each in self.iteration.accesses if self._kind(each.name) == "array")
        for name in names:
            kind = self.code.type_of(name)
            splits = self.code.splits.get(self.code.blocks.get(name, name), [])
            if ArrayBanks(kind, splits).are_registers:
                continue
            most = int(np.max(at_once(bank_accesses(self.iteration, name)), initial=0))
            reason = f"'{plain(name)}': {most} accesses of one bank in one iteration, {BANK_PORTS} ports"
            yield IntervalBound("bank", -(-most // BANK_PORTS), reason)

    def _beats(self) -> Iterator[IntervalBound]:
        counted: dict[tuple[str, bool], list[tuple[Guard, Integers]]] = defaultdict(list)
        for access in self._memory:
            argument = self.process.arguments.get(access.name, access.name)
            port = self.process.bundles.get(argument, argument)
            counted[port, access.writes].append((_without_lanes(access), np.array([_copies(access)])))
        for (port, writes), each in counted.items():
            most = int(at_once(each)[0])
            verb = "written to" if writes else "read from"
            yield IntervalBound("beat", most, f"{most} words {verb} port '{port}' in one iteration")

    @property
    def _memory(self) -> list[LoopAccess]:
        return [each for each in self.iteration.accesses if each.name in self.code.pointers]

    def _chains(self) -> Iterator[IntervalBound]:
        if self.nest.asked is None:
            return
        for chain in carried_chains(self.iteration, self.process.library):
            reason = f"'{chain.variable}' is carried through {chain.operators or 'no operator'}: {chain.cycles} cycles"
            if chain.distance > 1:
                reason += f" over {chain.distance} iterations"
            elif chain.true_distance > 1:
                reason += f"; that it comes again after {chain.true_distance} iterations is not seen"
            yield IntervalBound("chain", chain.interval, reason)

    # --- Bursts

    def _bursts(self) -> Iterator[str]:
        directions: dict[str, set[bool]] = defaultdict(set)
        for access in self._memory:
            directions[access.name].add(access.writes)
            if access.guard:
                yield f"'{plain(access.name)}' is accessed under a condition: no burst"
                continue
            run = self._run_length(access)
            if run is None:
                yield f"'{plain(access.name)}' is accessed at an address that is not a sum of counters: no burst"
            elif run < self.nest.iterations:
                yield f"'{plain(access.name)}' is accessed in runs of {run} words: bursts break"
        for name, both in directions.items():
            if len(both) > 1:
                yield f"'{plain(name)}' is read and written in one loop: no burst"

    def _run_length(self, access: LoopAccess) -> int | None:
        """Words that follow each other without a gap, at least; None where the address is not known."""
        index = self.iteration.affine(access.indices[0], access.lanes)
        place = self.iteration.walked(index.terms)
        if place is None:
            return None
        breaks = np.flatnonzero(np.diff(place) != 1)
        if not len(breaks):
            return self.nest.iterations
        return int(np.min(np.diff(np.concatenate(([-1], breaks)))))


def _array_kind(kind: CppType) -> str:
    return "array" if kind.kind == "array" else ""


def _copies(access: LoopAccess) -> int:
    """Lanes in which an access happens: conditions on unrolled counters leave some out."""
    counters = dict(access.lanes)
    copies = 1
    for name, trip in access.lanes:
        literals = [each for each in access.guard if each.value == name]
        low = max((each.low for each in literals), default=0)
        high = min((each.high for each in literals), default=trip - 1)
        copies *= max(0, min(high, counters[name] - 1) - max(low, 0) + 1)
    return copies


def _without_lanes(access: LoopAccess) -> Guard:
    lanes = {name for name, _ in access.lanes}
    return tuple(each for each in access.guard if each.value not in lanes)
