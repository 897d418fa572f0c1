"""A process as a SystemVerilog module: its FIFO sides, its control, its data path."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from sttest.compile.dialects import df
from sttest.compile.rtl.cells import CellModule
from sttest.compile.rtl.control import Control
from sttest.compile.rtl.expressions import Expression, Signal, where
from sttest.compile.rtl.tree import Clocked, Driven, Node, Port, Register, Role, Set, Wire, body_text, module_text
from sttest.compile.schedule.task_schedule import TaskSchedule


@dataclass(frozen=True)
class Side:
    """A side of a FIFO that a process uses."""

    fifo: str  # name of the FIFO
    name: str  # prefix of the ports, such as ``in0``
    bits: int  # width of a token
    writes: bool = False  # whether the process writes

    @property
    def data(self) -> Signal:
        """The token."""
        return Signal(f"{self.name}_data")

    @property
    def does(self) -> Signal:
        """High where a token passes."""
        return Signal(f"{self.name}_{'put' if self.writes else 'take'}")

    @property
    def can(self) -> Signal:
        """High where a token may pass."""
        return Signal(f"{self.name}_{'space' if self.writes else 'avail'}")

    @property
    def moves(self) -> Signal:
        """High where the present stage passes a token."""
        return Signal(f"{self.name}_moves")

    @property
    def ports(self) -> list[Port]:
        """The ports."""
        ports = [Port("input", self.can.name), Port("output", self.does.name)]
        return [*ports, *([Port("output" if self.writes else "input", self.data.name, self.bits)] if self.bits else [])]


@dataclass(frozen=True)
class TaskTurn:
    """A task of a module, which may be one of several that take turns."""

    task: df.TaskOp  # task at the stream level
    schedule: TaskSchedule
    sources: tuple[Side, ...]  # side of each source
    results: tuple[Side, ...]  # side of each result


@dataclass(frozen=True)
class ModuleText:
    """A module, without its name."""

    kind: str  # kind of process
    sides: tuple[Side, ...]  # FIFO sides, in the order of the ports
    nodes: tuple[Node, ...]  # what stands behind the ports
    processes: tuple[str, ...]  # the processes of the timed graph that it is, in the order of the bits of ``ended``
    parts: tuple[CellModule, ...] = ()  # modules that it has instances of
    # bits of adders (``sum``) and of choices of the larger or smaller one (``extreme``) of integers
    arithmetic: Mapping[str, int] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What reports call the process: a converter by one name for both halves."""
        first = self.processes[0]
        return first.removesuffix("_fill") if len(self.processes) > 1 else first

    @property
    def ports(self) -> tuple[Port, ...]:
        """The ports."""
        count = len(self.processes)
        every = [Port("output", name, count) for name in ("ended_all", "moving_all")]
        own = [port for side in self.sides for port in side.ports]
        return Port("input", "clk"), Port("input", "reset"), *every, *own

    @cached_property
    def body(self) -> str:
        """The text behind the ports."""
        return body_text(self.nodes)

    def text(self, name: str) -> str:
        """The module by its name."""
        return module_text(name, self.ports, self.body)


def gated(control: Control, sides: Sequence[Side]) -> list[Node]:
    """The control of a pipeline with the handshakes of its sides; ``NAME_moves`` says when the stage moves a token."""
    moves = [control.moves(side.fifo, "write" if side.writes else "read") for side in sides]
    nodes: list[Node] = [Wire(side.moves.name) for side in sides]
    nodes += control.nodes([(side.moves, side.can) for side in sides])
    for side, when in zip(sides, moves, strict=True):
        nodes += [Driven(side.moves, when), Driven(side.does, control.advance & side.moves)]
    return nodes


_SHIFTED = 3
"""Cycles up to which a delay is registers in a row; longer ones go round in a memory."""


def delayed(
    name: str,
    value: Expression,
    dims: tuple[int, ...],
    cycles: int,
    enable: Expression,
    *,
    role: Role = "delay",
    in_a_row: bool = False,
) -> tuple[list[Node], Expression]:
    """A value so many enabled cycles later: its registers, and the expression of what it was.

    Args:
        name: name of the registers.
        value: the value.
        dims: extents of the value.
        cycles: number of registers.
        enable: condition under which they move on.
        role: what the registers are for.
        in_a_row: whether there is no memory however many they are, as synthesis wants it.

    >>> delayed("d", Signal("in0_data"), (8,), 0, Signal("advance"))
    ([], Signal(name='in0_data'))
    """
    if not cycles:
        return [], value
    kept, row = Signal(name), Register(name, dims, cycles, role=role, row=cycles)
    if cycles <= _SHIFTED or in_a_row:
        moves = [Set(kept[n], kept[n - 1] if n else value) for n in range(cycles)]
        return [row, Clocked(tuple(moves), enable)], kept[cycles - 1]
    at = Signal(f"{name}_at")
    turn = where(at.equals(cycles - 1), 0, at + 1)
    place = Register(at.name, kind="int", initial=0)
    return [row, place, Clocked((Set(kept[at], value), Set(at, turn)), enable)], kept[at]
