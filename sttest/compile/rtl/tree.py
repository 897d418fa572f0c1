"""A module of SystemVerilog as a tree that is printed once: ports, then all declarations, then the rest in order.

Its words are those of the hardware dialects of CIRCT: wires, registers, assignments, blocks at a clock edge, instances.
What is counted, such as registers and instances, is a node; only the inner of functions is text.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal, TypeAlias

from sttest.compile.rtl.expressions import NO_NUMBERS, Expression, Numbers, names_in, names_in_places

# --- Declarations

Role = Literal["state", "iterator", "counter", "memory", "bank", "delay", "skew", "data"]
"""What a register is for: the stage of a process; the mark of a counter that it counts, or its bits; a memory, or what
was read from it; a delay, of which those of factors on their way to a chain of products are of their own; or else.
"""


@dataclass(frozen=True)
class Port:
    """A port of a module."""

    direction: Literal["input", "output"]
    name: str
    bits: int | None = None  # None for a wire that is no array

    @property
    def text(self) -> str:
        """The port in SystemVerilog."""
        width = "" if self.bits is None else f"[{self.bits - 1}:0] "
        return f"{self.direction:6} logic {width}{self.name}"


@dataclass(frozen=True, slots=True)
class Wire:
    """A value that follows from others: packed elements, and unpacked ones where there is a ``count``."""

    name: str
    dims: tuple[int, ...] = ()  # extents of the packed dims; of a wire alone none
    count: int | None = None  # elements that are written one by one
    kind: Literal["logic", "int"] = "logic"

    @property
    def bits(self) -> int:
        """Bits in all; of integers none that hardware is sure to have."""
        return prod(self.dims) * (1 if self.count is None else self.count) if self.kind == "logic" else 0

    @property
    def declared(self) -> str:
        """The declaration without its end."""
        ranges = "".join([f"[{size - 1}:0]" for size in self.dims])
        elements = "" if self.count is None else f" [{self.count}]"
        return f"{self.kind} {ranges}{' ' if ranges else ''}{self.name}{elements}"

    def text(self) -> str:
        """The declaration."""
        return f"{self.declared};"


@dataclass(frozen=True, slots=True)
class Register(Wire):
    """A value that changes at the clock edge."""

    initial: int | None = None
    role: Role = "data"
    row: int = 1  # registers in a row, each the next one's input, that its bits are
    style: str = ""  # attribute ``ram_style`` of one that is a memory
    same_as: str = ""  # a register that synthesis merges it with if both have as many bits

    def text(self) -> str:
        """The declaration."""
        style = f'(* ram_style = "{self.style}" *) ' if self.style else ""
        initial = "" if self.initial is None else f" = {self.initial}"
        return f"{style}{self.declared}{initial};"


@dataclass(frozen=True, slots=True)
class Constants:
    """A list of constants, of so many bits each or integers; or a single one."""

    name: str
    values: tuple[int, ...] | int
    width: int | None = None

    def text(self) -> str:
        """The declaration."""
        if isinstance(self.values, int):
            return f"localparam int {self.name} = {self.values};"
        kind, prefix = ("int", "") if self.width is None else (f"logic [{self.width - 1}:0]", f"{self.width}'d")
        listed = ", ".join([f"{prefix}{value}" for value in self.values])
        return f"localparam {kind} {self.name} [{len(self.values)}] = '{{{listed}}};"


Declaration: TypeAlias = Wire | Constants

# --- Statements


@dataclass(frozen=True, slots=True)
class Set:
    """A value for a register, a wire, or an element of one."""

    target: Expression
    value: Expression


@dataclass(frozen=True, slots=True)
class IfElse:
    """Statements under a condition, and others where it does not hold."""

    condition: Expression
    then: "tuple[Statement, ...]"
    otherwise: "tuple[Statement, ...]" = ()


@dataclass(frozen=True, slots=True)
class ForEach:
    """A statement for each of the first numbers; simulators loop over them."""

    variable: str
    count: int
    body: "tuple[Statement, ...]"


@dataclass(frozen=True, slots=True)
class Unrolled:
    """A statement spelled out for all values of variables, the last one fastest.

    ``is_guarded``: the variables are counters, and a statement is done where they have its values; ``has_default``: the
    first statement is done everywhere, and overruled by those behind it.
    """

    variables: tuple[tuple[str, int], ...]  # their names, and the number of values of each
    body: "Statement"
    is_guarded: bool = False
    has_default: bool = False

    def printed(self, assign: str, indent: str, numbers: Numbers, guards: Sequence[str]) -> Iterator[str]:
        """See :func:`_printed`."""
        names = [name for name, _ in self.variables]
        for place, values in enumerate(itertools.product(*[range(count) for _, count in self.variables])):
            given = {**numbers, **dict(zip(names, map(str, values), strict=True))}
            when = list[str]()
            if self.is_guarded and (place or not self.has_default):
                counted = zip(self.variables, values, strict=True)
                when = [f"{numbers.get(name, name)} == {value}" for (name, count), value in counted if count > 1]
            yield from _printed(self.body, assign, indent, given, [*guards, *when])


Statement: TypeAlias = Set | IfElse | ForEach | Unrolled


def _printed(statement: Statement, assign: str, indent: str, numbers: Numbers, guards: Sequence[str]) -> Iterator[str]:
    """The lines of a statement.

    Args:
        statement: the statement.
        assign: ``=``, or ``<=`` at a clock edge.
        indent: blanks before each line.
        numbers: texts in the place of names.
        guards: conditions under which its innermost statements are done.
    """
    match statement:
        case Set():
            when = f"if ({' & '.join(guards)}) " if guards else ""
            yield f"{indent}{when}{statement.target.text(numbers)} {assign} {statement.value.text(numbers)};"
        case Unrolled():
            yield from statement.printed(assign, indent, numbers, guards)
        case ForEach(variable, count):
            head = f"for (int {variable} = 0; {variable} < {count}; {variable}++)"
            yield from _block(head, statement.body, assign, indent, numbers, guards)
        case IfElse(condition):
            yield from _block(f"if ({condition.text(numbers)})", statement.then, assign, indent, numbers, guards)
            if statement.otherwise:
                yield from _block("else", statement.otherwise, assign, indent, numbers, guards)


def _block(
    head: str, body: Sequence[Statement], assign: str, indent: str, numbers: Numbers, guards: Sequence[str]
) -> Iterator[str]:
    yield f"{indent}{head} begin"
    for each in body:
        yield from _printed(each, assign, f"{indent}  ", numbers, guards)
    yield f"{indent}end"


def statement_names(statement: Statement, *, in_places: bool = False) -> Iterator[str]:
    """The names in a statement, or only those that say which elements are meant."""
    found = names_in_places if in_places else names_in
    match statement:
        case Set(target, value):
            yield from found(target)
            yield from found(value)
        case Unrolled():
            yield from statement_names(statement.body, in_places=in_places)
        case ForEach():
            for each in statement.body:
                yield from statement_names(each, in_places=in_places)
        case IfElse(condition):
            yield from found(condition)
            for each in (*statement.then, *statement.otherwise):
                yield from statement_names(each, in_places=in_places)


def in_loops(loops: Iterable[tuple[str, int]], body: Sequence[Statement]) -> tuple[Statement, ...]:
    """Statements inside loops, the outermost first."""
    found = tuple(body)
    for variable, count in reversed([*loops]):
        found = (ForEach(variable, count, found),)
    return found


# --- What stands in a module


@dataclass(frozen=True, slots=True)
class Driven:
    """A wire that always has a value."""

    target: Expression
    value: Expression

    def lines(self) -> Iterator[str]:
        """Its lines."""
        yield f"assign {self.target.text()} = {self.value.text()};"


@dataclass(frozen=True, slots=True)
class Clocked:
    """What happens at the clock edge: after a reset, or else where it is enabled."""

    body: tuple[Statement, ...]
    enable: Expression | None = None
    reset: tuple[Statement, ...] = ()

    def lines(self) -> Iterator[str]:
        """Its lines."""
        enabled = f" if ({self.enable.text()})" if self.enable is not None else ""
        if self.reset:
            yield from _block("always_ff @(posedge clk) if (reset)", self.reset, "<=", "", NO_NUMBERS, ())
            yield from _block(f"else{enabled}", self.body, "<=", "", NO_NUMBERS, ())
        else:
            yield from _block(f"always_ff @(posedge clk){enabled}", self.body, "<=", "", NO_NUMBERS, ())


@dataclass(frozen=True, slots=True)
class Combinational:
    """What always follows from other values; ``when`` spares a simulator what nobody asks for."""

    body: tuple[Statement, ...]
    when: Expression | None = None

    def lines(self) -> Iterator[str]:
        """Its lines."""
        when = f" if ({self.when.text()})" if self.when is not None else ""
        yield from _block(f"always_comb{when}", self.body, "=", "", NO_NUMBERS, ())


@dataclass(frozen=True, slots=True)
class Instance:
    """An instance of another module, its ports by name."""

    module: str
    name: str
    connections: tuple[tuple[str, Expression], ...]
    parameters: tuple[tuple[str, int], ...] = ()

    def lines(self) -> Iterator[str]:
        """Its lines."""
        given = f" #({', '.join(f'.{name}({value})' for name, value in self.parameters)})" if self.parameters else ""
        connected = ", ".join([f".{port}({wire.text()})" for port, wire in self.connections])
        yield f"{self.module}{given} {self.name} ({connected});"


@dataclass(frozen=True, slots=True)
class Generated:
    """Items for each of the first numbers."""

    variable: str
    count: int
    items: "tuple[Item, ...]"
    label: str

    def lines(self) -> Iterator[str]:
        """Its lines."""
        variable = self.variable
        yield f"for (genvar {variable} = 0; {variable} < {self.count}; {variable}++) begin : {self.label}"
        for each in self.items:
            yield from (f"  {line}" for line in each.lines())
        yield "end"


@dataclass(frozen=True, slots=True)
class Function:
    """A function by its text."""

    name: str
    text: str

    def lines(self) -> Iterator[str]:
        """Its lines."""
        yield from self.text.splitlines()


@dataclass(frozen=True, slots=True)
class Comment:
    """A line for whoever reads the module."""

    text: str

    def lines(self) -> Iterator[str]:
        """Its lines."""
        yield f"// {self.text}"


Item: TypeAlias = Driven | Clocked | Combinational | Instance | Generated | Function | Comment
Node: TypeAlias = Declaration | Item


def body_text(nodes: Sequence[Node]) -> str:
    """What stands behind the ports of a module: all declarations, then the rest in order.

    >>> print(body_text([Comment("So."), Wire("a", (2,))]), end="")
      logic [1:0] a;
      // So.
    """
    declared = [f"  {node.text()}\n" for node in nodes if isinstance(node, (Wire, Constants))]
    others = [f"  {line}\n" for node in nodes if not isinstance(node, (Wire, Constants)) for line in node.lines()]
    return "".join([*declared, *others])


def module_text(name: str, ports: Sequence[Port], body: str) -> str:
    """A module with what stands behind its ports."""
    listed = ",\n  ".join(port.text for port in ports)
    return f"module {name} (\n  {listed}\n);\n{body}endmodule\n"


def registers_in(nodes: Sequence[Node]) -> dict[str, Register]:
    """The registers by name."""
    return {node.name: node for node in nodes if isinstance(node, Register)}


def instances_in(nodes: Sequence[Node], times: int = 1) -> Iterator[tuple[Instance, int]]:
    """The instances with how often each is there: loops that generate hardware have several."""
    for node in nodes:
        if isinstance(node, Generated):
            yield from instances_in(node.items, times * node.count)
        elif isinstance(node, Instance):
            yield node, times
