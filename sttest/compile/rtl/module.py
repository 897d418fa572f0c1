"""A process as a SystemVerilog module: its FIFO sides, its control, its data path."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sttest.compile.dialects import df
from sttest.compile.rtl.cells import CellModule
from sttest.compile.rtl.control import Control
from sttest.compile.schedule.task_schedule import TaskSchedule


@dataclass(frozen=True)
class Side:
    """A side of a FIFO that a process uses."""

    fifo: str  # name of the FIFO
    name: str  # prefix of the ports, such as ``in0``
    bits: int  # width of a token
    writes: bool = False  # whether the process writes


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
    body: str  # text behind the ports
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
    def ports(self) -> str:
        """The ports."""
        count = len(self.processes)
        lines = ["input  logic clk", "input  logic reset"]
        lines += [f"output logic [{count - 1}:0] ended_all", f"output logic [{count - 1}:0] moving_all"]
        for side in self.sides:
            if side.writes:
                lines.append(f"input  logic {side.name}_space")
                lines.append(f"output logic {side.name}_put")
                lines += [f"output logic [{side.bits - 1}:0] {side.name}_data"] if side.bits else []
            else:
                lines.append(f"input  logic {side.name}_avail")
                lines.append(f"output logic {side.name}_take")
                lines += [f"input  logic [{side.bits - 1}:0] {side.name}_data"] if side.bits else []
        return ",\n  ".join(lines)

    def text(self, name: str) -> str:
        """The module by its name."""
        return f"module {name} (\n  {self.ports}\n);\n{self.body}endmodule\n"


def gated(control: Control, sides: Sequence[Side]) -> str:
    """The control of a pipeline with the handshakes of its sides; ``NAME_moves`` says when the stage moves a token."""
    ready, lines = [], []
    for side in sides:
        op, can, does = ("write", "space", "put") if side.writes else ("read", "avail", "take")
        moves = f"{side.name}_moves"
        lines.append(f"  logic {moves};\n")
        lines.append(f"  assign {moves} = {control.moves(side.fifo, op)};\n")
        lines.append(f"  assign {side.name}_{does} = {control.advance} & {moves};\n")
        ready.append((moves, f"{side.name}_{can}"))
    declared = "".join(line for line in lines if line.startswith("  logic"))
    assigned = "".join(line for line in lines if not line.startswith("  logic"))
    return declared + control.text(ready) + assigned


_SHIFTED = 3
"""Cycles up to which a delay is registers in a row; longer ones go round in a memory."""


def delayed(name: str, value: str, bits: int, cycles: int, enable: str, *, in_a_row: bool = False) -> tuple[str, str]:
    """A value so many enabled cycles later: text, and the expression of what it was.

    Args:
        name: name of the registers.
        value: expression of the value.
        bits: width of the value.
        cycles: number of registers.
        enable: condition under which they move on.
        in_a_row: whether there is no memory however many they are, as synthesis wants it.

    >>> delayed("d", "in0_data", 8, 0, "advance")
    ('', 'in0_data')
    """
    if not cycles:
        return "", value
    text = f"  logic [{bits - 1}:0] {name} [{cycles}];\n"
    if cycles > _SHIFTED and not in_a_row:
        return (
            f"""{text}  int {name}_at = 0;
  always_ff @(posedge clk) if ({enable}) begin
    {name}[{name}_at] <= {value};
    {name}_at <= {name}_at == {cycles - 1} ? 0 : {name}_at + 1;
  end
""",
            f"{name}[{name}_at]",
        )
    moves = "".join(f"    {name}[{n}] <= {name}[{n - 1}];\n" for n in range(1, cycles))
    text += f"  always_ff @(posedge clk) if ({enable}) begin\n    {name}[0] <= {value};\n{moves}  end\n"
    return text, f"{name}[{cycles - 1}]"


def unrolled(variable: str, count: int, statement: str) -> list[str]:
    """A statement for each value of a variable: simulators want assignments at a clock edge spelled out.

    >>> unrolled("e", 2, "a[e] <= b[e + 1];")
    ['a[0] <= b[0 + 1];', 'a[1] <= b[1 + 1];']
    """
    return [re.sub(rf"\b{variable}\b", str(value), statement) for value in range(count)]
