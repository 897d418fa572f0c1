"""The `sched` dialect: what the hardware of every process does in which cycle, as the last pass makes it.

    sched.kernel "decode" layers 2 steps 1 {
      sched.process "scores" "compute" {
        sched.turn "scores" {
          sched.nest [4, 16] left 1 interval 2 latency 30 gap 2 {
            sched.port "q__scores" read at [0, 1]
            sched.port "scores__max" write at [29] when ["15"]
          }
        }
      }
    }

A process has a turn for every node that it is; a turn has loop nests, of which the outermost loops are left, or a walk
of memory, and the FIFOs that come with it.  Streams of the kernel are FIFOs by their own names.  Times are cycles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import TypeVar

from xdsl.dialects.builtin import I64, ArrayAttr, IntegerAttr, ModuleOp, StringAttr, UnitAttr
from xdsl.ir import Attribute, Block, Dialect, Operation, Region
from xdsl.irdl import IRDLOperation, irdl_op_definition, opt_prop_def, prop_def, region_def, traits_def
from xdsl.traits import NoTerminator
from xdsl.utils.exceptions import VerifyException

from sttest.compile.dialects import df
from sttest.compile.dialects.df import IntListAttr, i64_attr
from sttest.compile.schedule.process_schedule import AddedFifo, MemoryWalk, Nest, NodeTurn, Port, ProcessSchedule, When
from sttest.core.errors import InputError

_IMPLS = ("auto", "srl", "ram")
_ACCESSES = ("read", "write")
_OpT = TypeVar("_OpT", bound=Operation)


def _region(ops: Sequence[Operation]) -> Region:
    return Region(Block(ops))


def _number(attribute: IntegerAttr | None, otherwise: int = 0) -> int:
    return otherwise if attribute is None else attribute.value.data


def _some(found: Mapping[str, Attribute | None]) -> dict[str, Attribute]:
    return {name: value for name, value in found.items() if value is not None}


def _given(value: int, otherwise: int = 0) -> IntegerAttr[I64] | None:
    return None if value == otherwise else i64_attr(value)


def _need(op: Operation, name: str, *rules: tuple[bool, str]) -> None:
    """Refuses an op that breaks a rule, with what it breaks."""
    for holds, rule in rules:
        if not holds:
            raise VerifyException(f"{op.name} {name}: {rule}")


class _SchedOp(IRDLOperation):
    """What all ops of the dialect share: they are made of properties and at most one region."""

    @classmethod
    def made(cls: type[_OpT], properties: Mapping[str, Attribute], inside: Sequence[Operation] | None = None) -> _OpT:
        """The op with its properties and what stands in it."""
        return cls.create(properties=dict(properties), regions=[] if inside is None else [_region(inside)])

    def inside(self, kind: type[_OpT]) -> Iterator[_OpT]:
        """The ops of one kind in its region."""
        return (op for op in self._ops if isinstance(op, kind))

    def holds(self, *kinds: type[Operation]) -> None:
        """Refuses ops of other kinds in its region."""
        for op in self._ops:
            if not isinstance(op, kinds):
                raise VerifyException(f"{self.name}: {op.name} cannot stand in it")

    @property
    def _ops(self) -> Iterator[Operation]:
        # What is read as empty braces has no block.
        return (op for block in self.regions[0].blocks for op in block.ops)


# --- Sides of FIFOs, and the nests that they stand in


def when_text(when: When) -> str:
    """Iterations of a loop as text.

    >>> when_text(None), when_text(3), when_text((0, 6, 2))
    ('all', '3', '0:6:2')
    """
    if when is None:
        return "all"
    return str(when) if isinstance(when, int) else ":".join(map(str, when))


def when_of(text: str) -> When:
    """Iterations of a loop from their text.

    Raises:
        ValueError: neither ``all``, an index, nor ``first:last:step``.
    """
    if text == "all":
        return None
    numbers = tuple(int(part) for part in text.split(":"))
    if len(numbers) == 1:
        return numbers[0]
    first, last, step = numbers
    return first, last, step


@irdl_op_definition
class PortOp(_SchedOp):
    """A side of a FIFO: in which cycles of an iteration tokens pass it, and in which iterations."""

    name = "sched.port"
    fifo = prop_def(StringAttr)
    access = prop_def(StringAttr)
    cycles = prop_def(IntListAttr)
    when = opt_prop_def(ArrayAttr[StringAttr])
    tokens = opt_prop_def(IntegerAttr[I64])
    assembly_format = "$fifo $access `at` $cycles (`when` $when^)? (`tokens` $tokens^)? attr-dict"

    @staticmethod
    def of(port: Port) -> PortOp:
        """The op of a side."""
        when = ArrayAttr([StringAttr(when_text(each)) for each in port.when]) if port.when else None
        access = StringAttr(_ACCESSES[port.writes])
        cycles = IntListAttr.of(port.cycles)
        return PortOp.made(
            {"fifo": StringAttr(port.fifo), "access": access, "cycles": cycles}
            | _some({"when": when, "tokens": _given(port.tokens, 1)})
        )

    @property
    def port(self) -> Port:
        """The side."""
        when = () if self.when is None else tuple(when_of(each.data) for each in self.when)
        return Port(self.fifo.data, self.access.data == "write", self.cycles.values, when, _number(self.tokens, 1))

    def verify_(self) -> None:
        """Cycles in order, from 0 on; iterations that can be read."""
        cycles = self.cycles.values
        _need(
            self, self.fifo.data,
            (self.access.data in _ACCESSES, f"'{self.access.data}' is neither read nor write"),
            (bool(cycles), "no token passes it"),
            (min(cycles, default=0) >= 0, "a token passes before cycle 0"),
            (list(cycles) == sorted(cycles), "its cycles are out of order"),
            (_number(self.tokens, 1) >= 1, "an access moves less than a token"),
        )  # fmt: skip
        for each in self.when or ():
            try:
                when_of(each.data)
            except ValueError:
                rule = f"'{each.data}' is neither all, an index, nor first:last:step"
                raise VerifyException(f"{self.name} {self.fifo.data}: {rule}") from None


@irdl_op_definition
class NestOp(_SchedOp):
    """Loops, outermost first: so many are left and entered again, the rest is one pipeline; none is one iteration."""

    name = "sched.nest"
    trips = prop_def(IntListAttr)
    left = prop_def(IntegerAttr[I64])
    interval = prop_def(IntegerAttr[I64])
    latency = prop_def(IntegerAttr[I64])
    gap = prop_def(IntegerAttr[I64])
    body = region_def()
    traits = traits_def(NoTerminator())
    assembly_format = (
        "$trips `left` $left `interval` $interval `latency` $latency `gap` $gap attr-dict-with-keyword $body"
    )

    @staticmethod
    def of(nest: Nest) -> NestOp:
        """The op of a nest."""
        facts = {"left": nest.left, "interval": nest.interval, "latency": nest.latency, "gap": nest.gap}
        properties = {"trips": IntListAttr.of(nest.trips), **{name: i64_attr(each) for name, each in facts.items()}}
        return NestOp.made(properties, [PortOp.of(port) for port in nest.ports])

    @property
    def nest(self) -> Nest:
        """The nest."""
        ports = tuple(op.port for op in self.inside(PortOp))
        left, interval, latency, gap = map(_number, (self.left, self.interval, self.latency, self.gap))
        return Nest(self.trips.values, left, interval, latency, ports, gap)

    def verify_(self) -> None:
        """Loops that run; every token in an iteration, and never two through a side in one cycle."""
        self.holds(PortOp)
        nest, where = self.nest, str(self.trips.values)
        _need(
            self, where,
                (min(nest.trips, default=1) >= 1, "a loop runs less than once"),
            (0 <= nest.left <= len(nest.trips), f"{nest.left} of {len(nest.trips)} loops are left"),
            (nest.interval >= 1, f"an interval of {nest.interval} cycles"),
            (nest.latency >= 1, f"a latency of {nest.latency} cycles"),
            (nest.gap >= 0, f"a gap of {nest.gap} cycles"),
        )  # fmt: skip
        inner = nest.inner or (1,)
        for port in nest.ports:
            _need(self, where, *_rules_of_port(nest, inner, port))
        _one_token_a_cycle(self, nest, inner)


def _rules_of_port(nest: Nest, inner: Sequence[int], port: Port) -> Iterator[tuple[bool, str]]:
    yield port.cycles[-1] < nest.latency, f"'{port.fifo}' passes a token in cycle {port.cycles[-1]} of {nest.latency}"
    yield not port.when or len(port.when) == len(nest.inner), f"'{port.fifo}' counts other loops than those inside"
    for when, trip in zip(port.when, inner, strict=False):
        if when is None:
            continue
        first, last, step = (when, when, 1) if isinstance(when, int) else when
        holds = 0 <= first <= last < trip and step >= 1
        yield holds, f"'{port.fifo}' passes tokens in iteration {when_text(when)} of {trip}"


def _one_token_a_cycle(op: NestOp, nest: Nest, inner: Sequence[int]) -> None:
    """Iterations follow each other by the interval: two accesses of a side must not fall into the same cycle of it."""
    sides: dict[tuple[str, bool], list[tuple[int, Port]]] = {}
    for port in nest.ports:
        sides.setdefault((port.fifo, port.writes), []).extend((cycle, port) for cycle in port.cycles)
    several = prod(inner) > 1
    for (fifo, _), accesses in sides.items():
        places = Counter((cycle % nest.interval if several else cycle) for cycle, _ in accesses)
        place, count = max(places.items(), key=lambda each: each[1])
        if count > 1 and not _apart([port for cycle, port in accesses if _place(nest, cycle, several) == place]):
            raise VerifyException(f"{op.name} {nest.trips}: '{fifo}' passes {count} tokens in one cycle")


def _place(nest: Nest, cycle: int, several: bool) -> int:
    return cycle % nest.interval if several else cycle


def _apart(ports: Sequence[Port]) -> bool:
    """Whether accesses are those of different sides, each in iterations of its own."""
    return len({id(port) for port in ports}) == len(ports) and all(port.when for port in ports)


# --- Memory, and FIFOs that come with a node


@irdl_op_definition
class WalkOp(_SchedOp):
    """A DMA: tokens between a bank of memory and a FIFO, in bursts."""

    name = "sched.walk"
    access = prop_def(StringAttr)
    fifo = prop_def(StringAttr)
    tokens = prop_def(IntegerAttr[I64])
    token_bytes = prop_def(IntegerAttr[I64])
    bank = prop_def(IntegerAttr[I64])
    burst_bytes = prop_def(IntegerAttr[I64])
    outstanding = prop_def(IntegerAttr[I64])
    gap = opt_prop_def(IntegerAttr[I64])
    assembly_format = (
        "$access $fifo `tokens` $tokens `bytes` $token_bytes `bank` $bank `burst` $burst_bytes "
        "`outstanding` $outstanding (`gap` $gap^)? attr-dict"
    )

    @staticmethod
    def of(walk: MemoryWalk) -> WalkOp:
        """The op of a walk."""
        facts = {
            "tokens": walk.tokens,
            "token_bytes": walk.token_bytes,
            "bank": walk.channel,
            "burst_bytes": walk.burst_bytes,
            "outstanding": walk.outstanding,
        }
        names = {"access": StringAttr(_ACCESSES[walk.writes]), "fifo": StringAttr(walk.fifo)}
        numbers = {name: i64_attr(each) for name, each in facts.items()}
        return WalkOp.made({**names, **numbers, **_some({"gap": _given(walk.gap)})})

    @property
    def memory(self) -> MemoryWalk:
        """The walk."""
        numbers = (self.tokens, self.token_bytes, self.bank, self.burst_bytes, self.outstanding, self.gap)
        return MemoryWalk(self.access.data == "write", self.fifo.data, *map(_number, numbers))

    def verify_(self) -> None:
        """Something is moved, by requests that can be made."""
        walk = self.memory
        _need(
            self, walk.fifo,
            (self.access.data in _ACCESSES, f"'{self.access.data}' is neither read nor write"),
            (walk.tokens >= 1, f"{walk.tokens} tokens"),
            (walk.token_bytes >= 1, f"a token of {walk.token_bytes} bytes"),
            (walk.channel >= 0, f"bank {walk.channel}"),
            (walk.burst_bytes >= 1, f"a burst of {walk.burst_bytes} bytes"),
            (walk.outstanding >= 1, f"{walk.outstanding} requests in flight"),
            (walk.gap >= 0 and (walk.writes or not walk.gap), "a gap is behind bursts that are written"),
        )  # fmt: skip


@irdl_op_definition
class FifoOp(_SchedOp):
    """A FIFO that no stream of the kernel is."""

    name = "sched.fifo"
    fifo = prop_def(StringAttr)
    depth = prop_def(IntegerAttr[I64])
    bits = prop_def(IntegerAttr[I64])
    impl = prop_def(StringAttr)
    initial = opt_prop_def(IntegerAttr[I64])
    latency = opt_prop_def(IntegerAttr[I64])
    assembly_format = "$fifo `depth` $depth `bits` $bits $impl (`initial` $initial^)? (`latency` $latency^)? attr-dict"

    @staticmethod
    def of(fifo: AddedFifo) -> FifoOp:
        """The op of a FIFO."""
        names = {"fifo": StringAttr(fifo.name), "impl": StringAttr(fifo.impl)}
        numbers = {"depth": i64_attr(fifo.depth), "bits": i64_attr(fifo.bits)}
        some = {"initial": _given(fifo.initial), "latency": _given(fifo.latency)}
        return FifoOp.made({**names, **numbers, **_some(some)})

    @property
    def added(self) -> AddedFifo:
        """The FIFO."""
        numbers = map(_number, (self.depth, self.bits, self.initial, self.latency))
        depth, bits, initial, latency = numbers
        return AddedFifo(self.fifo.data, depth, bits, self.impl.data, initial, latency)

    def verify_(self) -> None:
        """It holds tokens, and no more than it has room for."""
        fifo = self.added
        _need(
            self, fifo.name,
            (fifo.depth >= 1, f"a depth of {fifo.depth}"),
            (fifo.bits >= 1, f"tokens of {fifo.bits} bits"),
            (0 <= fifo.initial <= fifo.depth, f"{fifo.initial} tokens at the start in a depth of {fifo.depth}"),
            (fifo.impl in _IMPLS, f"'{fifo.impl}' is none of {', '.join(_IMPLS)}"),
            (fifo.latency >= 0, f"a latency of {fifo.latency} cycles"),
        )  # fmt: skip


# --- Turns, processes, kernels


@irdl_op_definition
class TurnOp(_SchedOp):
    """What a process does for one node in a layer; ``once``: not in a layer; ``late``: what was before has drained."""

    name = "sched.turn"
    node = prop_def(StringAttr)
    once = opt_prop_def(UnitAttr)
    late = opt_prop_def(UnitAttr)
    origin = opt_prop_def(StringAttr)
    body = region_def()
    traits = traits_def(NoTerminator())
    assembly_format = "$node (`once` $once^)? (`late` $late^)? (`origin` $origin^)? attr-dict-with-keyword $body"

    @staticmethod
    def of(turn: NodeTurn) -> TurnOp:
        """The op of a turn."""
        does = [WalkOp.of(turn.does)] if isinstance(turn.does, MemoryWalk) else [NestOp.of(nest) for nest in turn.does]
        marks = {"once": UnitAttr() if turn.once else None, "late": UnitAttr() if turn.late else None}
        origin = {"origin": StringAttr(turn.origin) if turn.origin else None}
        properties = {"node": StringAttr(turn.node), **_some({**marks, **origin})}
        return TurnOp.made(properties, [*map(FifoOp.of, turn.fifos), *does])

    @property
    def turn(self) -> NodeTurn:
        """The turn."""
        walks = [op.memory for op in self.inside(WalkOp)]
        does = walks[0] if walks else tuple(op.nest for op in self.inside(NestOp))
        fifos = tuple(op.added for op in self.inside(FifoOp))
        origin = "" if self.origin is None else self.origin.data
        return NodeTurn(self.node.data, does, origin, self.once is not None, self.late is not None, fifos)

    def verify_(self) -> None:
        """One walk, or some nests of which no more than one has loops that are left."""
        self.holds(FifoOp, NestOp, WalkOp)
        walks, nests = list(self.inside(WalkOp)), list(self.inside(NestOp))
        _need(
            self, self.node.data,
            (bool(walks or nests), "it does nothing"),
            (not (walks and nests), "it walks memory and has loops"),
            (len(walks) <= 1, "it walks memory twice"),
            (len(nests) <= 1 or all(op.nest.passes == 1 for op in nests), "several nests, of which loops are left"),
        )  # fmt: skip


@irdl_op_definition
class ProcessOp(_SchedOp):
    """A process, with a turn for each node that it is."""

    name = "sched.process"
    sym_name = prop_def(StringAttr)
    category = prop_def(StringAttr)
    body = region_def()
    traits = traits_def(NoTerminator())
    assembly_format = "$sym_name $category attr-dict-with-keyword $body"

    @staticmethod
    def of(process: ProcessSchedule) -> ProcessOp:
        """The op of a process."""
        properties = {"sym_name": StringAttr(process.name), "category": StringAttr(process.category)}
        return ProcessOp.made(properties, [TurnOp.of(turn) for turn in process.turns])

    @property
    def process(self) -> ProcessSchedule:
        """The process."""
        turns = tuple(op.turn for op in self.inside(TurnOp))
        return ProcessSchedule(self.sym_name.data, self.category.data, turns)

    def verify_(self) -> None:
        """Turns that are all of one kind."""
        self.holds(TurnOp)
        turns = self.process.turns
        walks = [isinstance(turn.does, MemoryWalk) for turn in turns]
        ways = {turn.does.writes for turn in turns if isinstance(turn.does, MemoryWalk)}
        banks = {turn.does.channel for turn in turns if isinstance(turn.does, MemoryWalk)}
        _need(
            self, self.sym_name.data,
            (bool(turns), "it has no turn"),
            (len({*walks}) <= 1, "some turns walk memory, others have loops"),
            (len(ways) <= 1, "it reads memory and writes it"),
            (len(banks) <= 1, f"it walks banks {', '.join(map(str, sorted(banks)))}"),
            (len({turn.node for turn in turns}) == len(turns), "a node has two turns"),
        )  # fmt: skip


@irdl_op_definition
class KernelOp(_SchedOp):
    """The processes of a ``df.kernel``, by its name, for so many layers and tokens of a launch."""

    name = "sched.kernel"
    sym_name = prop_def(StringAttr)
    layers = prop_def(IntegerAttr[I64])
    steps = prop_def(IntegerAttr[I64])
    body = region_def()
    traits = traits_def(NoTerminator())
    assembly_format = "$sym_name `layers` $layers `steps` $steps attr-dict-with-keyword $body"

    @staticmethod
    def of(kernel: df.KernelOp, processes: Sequence[ProcessSchedule]) -> KernelOp:
        """The op of a kernel's processes."""
        counts = {"layers": i64_attr(kernel.layer_count), "steps": i64_attr(kernel.step_count)}
        return KernelOp.made({"sym_name": kernel.sym_name, **counts}, [ProcessOp.of(each) for each in processes])

    @property
    def processes(self) -> tuple[ProcessSchedule, ...]:
        """The processes."""
        return tuple(op.process for op in self.inside(ProcessOp))

    def verify_(self) -> None:
        """Names of its own for every process, and one writer and one reader for every FIFO."""
        self.holds(ProcessOp)
        where = self.sym_name.data
        _need(
            self, where,
            (_number(self.layers) >= 1, f"{_number(self.layers)} layers"),
            (_number(self.steps) >= 1, f"{_number(self.steps)} tokens of a launch"),
        )  # fmt: skip
        names = Counter(op.sym_name.data for op in self.inside(ProcessOp))
        twice = [name for name, count in names.items() if count > 1]
        _need(self, where, (not twice, f"two processes are called '{next(iter(twice), '')}'"))
        ends: dict[tuple[str, bool], str] = {}
        for process in self.processes:
            for fifo, writes in process.sides:
                owner = ends.setdefault((fifo, writes), process.name)
                rule = f"'{owner}' and '{process.name}' {'write' if writes else 'read'} '{fifo}'"
                _need(self, where, (owner == process.name, rule))


def schedule_of(module: ModuleOp, kernel: df.KernelOp) -> tuple[ProcessSchedule, ...] | None:
    """The processes of a kernel as its module has them, or None where it has no schedule.

    Raises:
        InputError: the schedule is that of other layers, tokens of a launch, or nodes.
    """
    for op in module.body.block.ops:
        if isinstance(op, KernelOp) and op.sym_name == kernel.sym_name:
            processes = op.processes
            nodes = {turn.node for process in processes for turn in process.turns}
            named = {node.given_name for node in kernel.body.block.ops if isinstance(node, df.NodeOp)}
            if (_number(op.layers), _number(op.steps)) != (kernel.layer_count, kernel.step_count):
                raise old_schedule(kernel, "layers or tokens")
            if nodes != named:
                raise old_schedule(kernel, f"nodes: {', '.join(sorted(map(str, nodes ^ named))):.80}")
            return processes
    return None


def old_schedule(kernel: df.KernelOp, of: str) -> InputError:
    """The error of a schedule that something was changed behind."""
    hints = ["run schedule-processes again"]
    return InputError("pass-order", f"the schedule is that of other {of}", where=kernel.sym_name.data, hints=hints)


def drop_schedules(module: ModuleOp) -> None:
    """Removes the schedules of a module, whose nodes are going to change."""
    for op in [op for op in module.body.block.ops if isinstance(op, KernelOp)]:
        op.detach()
        op.erase()


SCHED = Dialect("sched", [KernelOp, ProcessOp, TurnOp, NestOp, PortOp, WalkOp, FifoOp], [])
