"""The loops of a process as Vitis HLS runs them: which are flattened into one pipeline, and how often that is entered.

Rules (UG1399 2024.1, "pragma HLS pipeline" and "pragma HLS loop_flatten"):

- A loop with ``pipeline`` is one pipeline; all loops inside it are unrolled.
- A loop around it becomes part of it where it holds that loop and nothing else, has no ``loop_flatten off``, and where
  the bound of the loop inside it is constant: only the outermost loop of a flattened nest may have a variable bound.
- Any other loop runs its body once per iteration: each time the pipeline inside it fills and drains.
- A function with ``allocation limit=1`` is one circuit: a bound that its calls tell differently is a variable.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from math import prod

from sttest.core.errors import InputError
from sttest.targets.vitis.cpp_model import (
    Assign,
    CallStatement,
    CppCall,
    CppFile,
    CppFunction,
    CppType,
    Declared,
    Expr,
    For,
    If,
    Item,
    Num,
    Op,
    Return,
    Statement,
    Unknown,
    VariableName,
    folded,
    in_order,
    names_in,
)

MOST_CALLS = 1 << 14
"""Functions written into a process, and calls that are looked at for what they tell."""


@dataclass
class PipelinedNest:
    """A pipelined loop with the loops that are flattened into it; or code that runs once, which has none."""

    loops: list[For]
    trips: list[int]
    body: tuple[Statement, ...]
    asked: int | None  # the interval of its directive; None without one
    entries: int = 1  # times that it is entered in one run of the kernel
    around: dict[str, int] = field(default_factory=dict)  # trip counts of the loops that it is left for, by counter
    notes: list[str] = field(default_factory=list)

    @property
    def iterations(self) -> int:
        """Iterations per entry."""
        return prod(self.trips)

    @property
    def label(self) -> str:
        """The labels of its loops, as in ``tiles_0.steps_1``."""
        return ".".join(loop.label or loop.counter for loop in self.loops) or "-"

    @property
    def line(self) -> int:
        """Where its innermost loop stands, or its first statement."""
        return self.loops[-1].line if self.loops else min((each.line for each in self.body), default=0)


class ProcessCode:
    """A process: its function with the functions that it calls written into it, and its loops.

    Args:
        file: a `kernel.cpp`.
        name: name of the function.
        template: its template arguments.
        part: the statements of the function that are the process; all of them where none are told.

    Raises:
        InputError: calls within calls that never end, or more than anybody writes.
    """

    def __init__(
        self, file: CppFile, name: str, template: tuple[str, ...] = (), part: Sequence[Statement] | None = None
    ) -> None:
        found = file.function(name, template)
        self.file = file
        self.function = found if found is not None else CppFunction(name)
        self.types: dict[str, CppType] = dict(self.function.types)
        self.splits = dict(self.function.splits)
        self.dependences = dict(self.function.dependences)
        self.blocks = dict(self.function.blocks)
        self.pointers = {each.name for each in self.function.parameters if each.is_pointer}
        self._calls = 0
        self.body = self._expanded(self.function.body if part is None else part)

    @cached_property
    def nests(self) -> list[PipelinedNest]:
        """The loops, in order."""
        return self._regions(self.body, {})

    @cached_property
    def settings(self) -> Counter[str]:
        """How many statements set each variable, or a part of it."""
        targets = (each.target for each in in_order(self.body) if isinstance(each, Assign))
        return Counter(name for target in targets for name in [*names_in(target)][:1])

    def type_of(self, name: str) -> CppType:
        """The type of a variable; of a lock, that of the block that it holds."""
        if name in self.blocks:
            kind = self.types.get(self.blocks[name])
            return kind.element if kind is not None and kind.element is not None else CppType("other", 0)
        return self.types.get(name, CppType("other", 0))

    # --- Functions that are called for what they do, written into the process

    def _expanded(self, statements: Sequence[Statement]) -> tuple[Statement, ...]:
        found: list[Statement] = []
        for each in statements:
            if isinstance(each, If):
                found.append(each._replace(then=self._expanded(each.then), other=self._expanded(each.other)))
            elif isinstance(each, For):
                found.append(replace(each, body=self._expanded(each.body)))
            elif isinstance(each, CallStatement) and (called := self.file.called(each.call, self.function)):
                written = self._expanded(self._written_in(called, each.call))
                # What a call does with channels is done before the next call begins.
                is_turn = any(parameter.type.kind in ("stream", "blocks") for parameter in called.parameters)
                found += (If(Num(1), written, (), each.line),) if is_turn else written
            elif isinstance(each, Assign) and (called := self._doing(each.value)) and isinstance(each.value, CppCall):
                found += self._expanded(self._written_in(called, each.value, each.target))
            else:
                found.append(each)
        return tuple(found)

    def _doing(self, value: Expr) -> CppFunction | None:
        """The function that gives a value, if it does more than that: with channels, arrays or memory."""
        called = self.file.called(value, self.function) if isinstance(value, CppCall) else None
        if called is None:
            return None
        moves = any(each.is_pointer or each.type.kind in ("stream", "blocks", "array") for each in called.parameters)
        return called if moves else None

    def _written_in(self, called: CppFunction, call: CppCall, target: Expr | None = None) -> tuple[Statement, ...]:
        self._calls += 1
        if self._calls > MOST_CALLS:
            raise InputError(
                "too-many-calls", "calls within calls never end", where=self.function.name, bound=MOST_CALLS
            )
        values: dict[str, Expr] = {}
        for name, kind in called.types.items():
            values[name] = own = VariableName(f"{name}#{called.name}.{self._calls}")
            self.types[own.name] = kind
        lost: list[Statement] = []
        for parameter, argument in zip(called.parameters, call.args, strict=False):
            if isinstance(argument, Num | VariableName) or parameter.is_changed or parameter.type.kind == "array":
                values[parameter.name] = argument
                continue
            lost.append(Assign(values[parameter.name], argument, called.line))
        self.splits.update({_renamed(name, values): each for name, each in called.splits.items()})
        self.dependences.update({_renamed(name, values): each for name, each in called.dependences.items()})
        for name, block in called.blocks.items():
            self.blocks[_renamed(name, values)] = _renamed(block, values)
        varying = self._varying[called.name]
        return (*lost, *substituted_statements(called.body, values, varying, target))

    @cached_property
    def _varying(self) -> Mapping[str, frozenset[str]]:
        """Per called function the parameters that its calls tell differently."""
        told: dict[str, dict[str, set[Expr]]] = defaultdict(lambda: defaultdict(set))
        for each in islice(self._all_calls(self.function, set()), MOST_CALLS):
            called = self.file.called(each, self.function)
            if called is not None:
                for parameter, argument in zip(called.parameters, each.args, strict=False):
                    told[each.name][parameter.name].add(argument)
        varying = {
            name: frozenset(parameter for parameter, values in each.items() if len(values) > 1)
            for name, each in told.items()
        }
        return defaultdict(frozenset, varying)

    def _all_calls(self, function: CppFunction, seen: set[str]) -> Iterator[CppCall]:
        for each in in_order(function.body):
            called = self.file.called(each.call, function) if isinstance(each, CallStatement) else None
            if called is not None and isinstance(each, CallStatement):
                yield each.call
                if called.name not in seen:
                    yield from self._all_calls(called, seen | {called.name})

    # --- Loops

    def _regions(self, statements: Sequence[Statement], around: Mapping[str, int]) -> list[PipelinedNest]:
        found: list[PipelinedNest] = []
        once: list[Statement] = []
        for each in statements:
            if isinstance(each, For) and each.directive("unroll") is None:
                found += self._loop(each, around)
            elif isinstance(each, If) and (each.condition == Num(1) or has_loop(each)):
                found += self._regions(each.then, around) + self._regions(each.other, around)
            else:
                once.append(each)
        if any(self._moves_data(each) for each in in_order(once)):
            found.insert(0, PipelinedNest([], [], tuple(once), None, prod(around.values()), dict(around)))
        return found

    def _loop(self, loop: For, around: Mapping[str, int]) -> list[PipelinedNest]:
        trip, note = trip_count(loop)
        directive = loop.directive("pipeline")
        if directive is not None and "off" not in directive.options:
            asked = int(directive.options.get("II") or directive.options.get("ii") or 1)
            return [PipelinedNest([loop], [trip], loop.body, asked, prod(around.values()), dict(around), note)]
        inside = [each for each in loop.body if isinstance(each, For) and each.directive("unroll") is None]
        if len(inside) == 1 and may_flatten(loop):
            nests = self._loop(inside[0], around)
            obstacle = _obstacle(loop, inside[0], nests)
            if len(nests) == 1 and nests[0].asked is not None and not obstacle:
                nests[0].loops.insert(0, loop)
                nests[0].trips.insert(0, trip)
                nests[0].notes += note
                return nests
            note = [*note, obstacle] if obstacle else note
        nests = self._regions(loop.body, {**around, loop.counter: trip})
        for nest in nests:
            nest.notes += note
        return nests

    def _moves_data(self, statement: Statement) -> bool:
        match statement:
            case Assign(target, value):
                return any(self._is_moving(each) for each in (target, value))
            case CallStatement(call):
                return self._is_moving(call)
            case If(condition):
                return self._is_moving(condition)
        return False

    def _is_moving(self, expr: Expr) -> bool:
        match expr:
            case CppCall(name, (object_, *_)) if name in (".read", ".write"):
                return any(self.type_of(each).kind in ("stream", "array") for each in names_in(object_))
            case Item(base, index):
                return any(name in self.pointers for name in names_in(base)) or any(map(self._is_moving, (base, index)))
            case Op(_, args) | CppCall(_, args):
                return any(map(self._is_moving, args))
        return False


def trip_count(loop: For) -> tuple[int, list[str]]:
    """Iterations of a loop; where they are not constant the most that it says, with a note if it says nothing."""
    if isinstance(loop.first, Num) and isinstance(loop.bound, Num):
        return max(0, -(-int(loop.bound.value - loop.first.value) // loop.stride)), []
    match loop.bound:
        case Op("+", (begin, Num(count, "int"))) if begin == loop.first:
            return max(0, -(-int(count) // loop.stride)), []
    told = loop.directive("loop_tripcount")
    most = told.options.get("max", "") if told is not None else ""
    if most.isdecimal():
        return int(most), []
    return 1, [f"'{loop.label or loop.counter}' has no constant trip count; 1 is taken"]


def has_variable_bound(loop: For) -> bool:
    """Whether the hardware learns the trip count only when it runs."""
    return loop.varies or not (isinstance(loop.first, Num) and isinstance(loop.bound, Num))


def has_loop(choice: If) -> bool:
    """Whether a choice holds a loop that is not unrolled."""
    return any(isinstance(inner, For) and inner.directive("unroll") is None for inner in in_order((choice,)))


def may_flatten(loop: For) -> bool:
    """Whether no directive forbids that a loop becomes part of the pipeline inside of it."""
    directive = loop.directive("loop_flatten")
    return directive is None or "off" not in directive.options


def _obstacle(loop: For, inner: For, nests: Sequence[PipelinedNest]) -> str:
    """Why a loop is not flattened with the pipelined one inside it; empty if it is, or if that is no pipeline."""
    if len(nests) != 1 or nests[0].asked is None or not nests[0].loops or nests[0].loops[0] is not inner:
        return ""
    outer, name = loop.label or loop.counter, inner.label or inner.counter
    if has_variable_bound(inner):
        return f"'{outer}' is not flattened: the bound of '{name}' inside it varies"
    if len(loop.body) > 1:
        return f"'{outer}' is not flattened: it holds more than '{name}'"
    return ""


# --- Substitution


def _renamed(name: str, values: Mapping[str, Expr]) -> str:
    value = values.get(name)
    return value.name if isinstance(value, VariableName) else name


def substituted(expr: Expr, values: Mapping[str, Expr]) -> Expr:
    """An expression with other expressions for some variables."""
    match expr:
        case VariableName(name):
            return values.get(name, expr)
        case Item(base, index):
            return Item(substituted(base, values), substituted(index, values))
        case Op(op, args):
            return folded(Op(op, tuple(substituted(each, values) for each in args)))
        case CppCall(name, args, template):
            return CppCall(name, tuple(substituted(each, values) for each in args), template)
        case _:
            return expr


def substituted_statements(
    statements: Sequence[Statement], values: Mapping[str, Expr], varying: frozenset[str], result: Expr | None
) -> tuple[Statement, ...]:
    """Statements with other expressions for some variables.

    Args:
        statements: the statements.
        values: expressions by variable.
        varying: variables whose values calls tell differently.
        result: what gets the value of a return; None where nothing does.
    """
    found: list[Statement] = []
    for each in statements:
        match each:
            case Assign(target, value, line):
                found.append(Assign(substituted(target, values), substituted(value, values), line))
            case Declared(name, line):
                found.append(Declared(_renamed(name, values), line))
            case CallStatement(call, line):
                changed = substituted(call, values)
                assert isinstance(changed, CppCall)
                found.append(CallStatement(changed, line))
            case If(condition, then, other, line):
                chosen, rest = (substituted_statements(part, values, varying, result) for part in (then, other))
                found.append(If(substituted(condition, values), chosen, rest, line))
            case For():
                varies = each.varies or any(name in varying for name in names_in(each.bound))
                found.append(replace(
                    each, counter=_renamed(each.counter, values), first=substituted(each.first, values),
                    bound=substituted(each.bound, values), varies=varies,
                    body=substituted_statements(each.body, values, varying, result),
                ))  # fmt: skip
            case Return(value, line) if result is not None:
                found.append(Assign(result, substituted(value, values), line))
            case Return() | Unknown():
                found.append(each)
    return tuple(found)
