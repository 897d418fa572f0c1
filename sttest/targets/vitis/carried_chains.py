"""Loop-carried chains: how many cycles pass from the read of a value to the write of what the next iteration reads.

One iteration is executed on latencies instead of values, every lane by itself, for those variables only that can
depend on themselves.  Rules:

- Floats keep the order of the text (UG1399, "Optimizing Logic Expressions"): 16 additions to one variable are a chain
  of 16.  An addition in a chain is built in LUTs (``fadd_fabric``, 4 cycles), all other operators are as reported; a
  chain adds up latencies, since the last stage of an operator is combinational.
- Additions of integers are rebalanced by the tool, so that a carried value passes one adder however many terms there
  are.  Comparisons are not: a maximum over 16 lanes is a chain of 16.  A cycle holds two adders or comparisons in a
  row, with the choices behind them (about 1 ns each on UltraScale+, of the 2.4 ns that the tool's margin of 27 % leaves
  of 3.33 ns; recalled).  Choices, logic, shifts and bits that are read as another type take no time.
- An array that is not registers takes a cycle more: what is read arrives in the next one, and what is written can be
  read after the one of the write (AMD answer record 51269).  An element that the innermost loop stays on is kept in a
  register meanwhile.
- The tool knows after how many iterations an element of a memory comes again where its index is a sum of counters,
  through flattened loops, too.  Otherwise it takes the next iteration, unless ``dependence ... distance=N`` says more;
  what exceeds the true distance is taken for that.  Registers are scalars to the tool: one that a counter chooses may
  be the same in the next iteration, and no directive says otherwise (assumed; no report was found).

The rules on memories are those of the synthesis reports of Stream-HLS (FPGA'25 artifact 5e20bcf, Vitis HLS 2023.2, no
``dependence`` in the sources): its loops over ``a[i][j] += ...`` reach II = 4 where the innermost loop stays on an
element, and II = 1 where one comes again after 8 iterations or more.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np

from sttest.boards.operators import Operator
from sttest.core.directed_graph import strong_parts
from sttest.targets.vitis.cpp_model import (
    Assign,
    CallStatement,
    CppCall,
    CppFunction,
    Declared,
    Expr,
    For,
    If,
    Item,
    Num,
    Op,
    Return,
    Statement,
    VariableName,
    in_order,
    names_in,
    plain,
)
from sttest.targets.vitis.loop_accesses import Affine, ArrayBanks, Iteration, Lanes
from sttest.targets.vitis.loop_nests import trip_count

Trail: TypeAlias = "tuple[str, Trail] | None"
"""The operators behind a value, the last one first."""
Terms: TypeAlias = tuple[tuple[str, int], ...]
Key: TypeAlias = tuple[str, Terms, int]
"""A variable, or an element of an array: its name, the counters of its index, and the rest of the index."""
Late: TypeAlias = dict[Key, tuple[int, str, Trail]]
"""Half cycles since each carried value was read; the kind of sum that the value is, and how it was made."""

Node = TypeVar("Node", bound=Hashable)

_WITHIN_CYCLE = ("iadd", "icmp")
_MOST_DISTANCE = 512
_UNKNOWN = 0
_COMPARES = ("<", ">", "<=", ">=", "==", "!=")
_FLOAT_OPERATORS = {"+": "fadd", "-": "fadd", "*": "fmul", "/": "fdiv"}
_FUNCTIONS = {
    "exp": "fexp",
    "expf": "fexp",
    "sqrt": "fsqrt",
    "sqrtf": "fsqrt",
    "rsqrt": "frsqrt",
    "tanh": "ftanh",
    "exp_f32": "fexp",
    "rsqrt_f32": "frsqrt",
    "tanh_f32": "ftanh",
    "recip": "frecip",
    "rint": "fround",
    "round": "fround",
    "fmax": "fmax",
    "fmin": "fmax",
}
_WIRES = ("fabs", "abs", "lock")


@dataclass(frozen=True)
class Chain:
    """A carried value."""

    variable: str
    cycles: int  # cycles from its read to the write of what is read next
    distance: int  # iterations between these, as the tool sees it
    true_distance: int
    operators: str  # operators as in ``16 x fadd``

    @property
    def interval(self) -> int:
        """Cycles between iterations."""
        return max(1, -(-self.cycles // self.distance))


def carried_chains(iteration: Iteration, library: Mapping[str, Operator]) -> list[Chain]:
    """The slowest chain of every variable that an iteration takes from an earlier one, slowest first."""
    carried = _carried(iteration)
    if not carried:
        return []
    run = _Execution(iteration, library, carried)
    run.statements(iteration.nest.body, (), 0, [])
    found: dict[str, Chain] = {}
    for chain in sorted(run.chains(), key=lambda chain: (chain.interval, chain.cycles, chain.operators)):
        found[chain.variable] = chain
    return sorted(found.values(), key=lambda chain: (-chain.interval, chain.variable))


# --- Which variables can depend on themselves


def _carried(iteration: Iteration) -> set[str]:
    """The variables on a circle of assignments that passes one from outside of the iteration."""
    uses: dict[str, set[str]] = {}
    declared = {each.name for each in in_order(iteration.nest.body) if isinstance(each, Declared)}
    _collect(iteration.nest.body, frozenset(), uses, iteration)
    for target in uses:
        if target not in declared and _first_is_whole(iteration.nest.body, target, iteration):
            declared.add(target)
    found: set[str] = set()
    for circle in _circles(uses):
        if any(name not in declared for name in circle):
            found |= circle
    return found


def _collect(
    statements: Sequence[Statement], conditions: frozenset[str], uses: dict[str, set[str]], iteration: Iteration
) -> None:
    """What each variable is made of: names in its values, in the conditions around, and what calls change."""
    for each in statements:
        match each:
            case Assign(target, value):
                name = _target(target)
                uses.setdefault(name, set()).update({*names_in(value), *conditions})
                # A part of a scalar that is set leaves the rest as it is, at no cost; of a memory's word it does not.
                if isinstance(target, CppCall) and iteration.code.type_of(name).kind == "array":
                    uses[name].add(name)
            case CallStatement(call) if len(call.args) > 1:
                for name in _changed(call, iteration):
                    uses.setdefault(name, set()).update({*names_in(call), *conditions})
            case If(condition, then, other):
                inside = conditions | {*names_in(condition)}
                _collect(then, inside, uses, iteration)
                _collect(other, inside, uses, iteration)
            case For():
                _collect(each.body, conditions, uses, iteration)
            case _:
                continue


def _changed(call: CppCall, iteration: Iteration) -> list[str]:
    called = iteration.code.file.function(call.name, call.template)
    if called is None:
        return []
    pairs = zip(called.parameters, call.args, strict=False)
    return [_target(arg) for parameter, arg in pairs if parameter.is_changed]


def _target(target: Expr) -> str:
    while not isinstance(target, VariableName):
        match target:
            case Item(base):
                target = base
            case CppCall(_, (first, *_)) | Op(_, (first, *_)):
                target = first
            case _:
                return ""
    return target.name


def _first_is_whole(statements: Sequence[Statement], name: str, iteration: Iteration) -> bool:
    """Whether every iteration sets a scalar before it reads it: then nothing of it is carried."""
    if iteration.code.type_of(name).kind == "array" or name in iteration.code.function.statics:
        return False
    for each in statements:
        if isinstance(each, Assign) and each.target == VariableName(name):
            return name not in names_in(each.value)
        if name in _names_of(each):
            inside = each.body if isinstance(each, For) else ()
            return bool(inside) and _first_is_whole(inside, name, iteration)
    return False


def _names_of(statement: Statement) -> set[str]:
    match statement:
        case Assign(target, value):
            return {*names_in(target), *names_in(value)}
        case CallStatement(call):
            return {*names_in(call)}
        case If(condition, then, other):
            return {*names_in(condition)}.union(*map(_names_of, (*then, *other)))
        case For():
            return set().union(*map(_names_of, statement.body))
        case _:
            return set()


def _circles(uses: Mapping[Node, set[Node]]) -> Iterator[set[Node]]:
    """The strongly connected parts that hold a circle."""
    nodes = list(uses)
    number = {node: index for index, node in enumerate(nodes)}
    edges = [(number[node], number[each]) for node in nodes for each in uses[node] if each in uses]
    parts: dict[int, set[Node]] = {}
    for node, part in zip(nodes, strong_parts(len(nodes), edges), strict=True):
        parts.setdefault(part, set()).add(node)
    return (part for part in parts.values() if len(part) > 1 or part & uses[next(iter(part))])


# --- One iteration, on latencies


class _Execution:
    """One iteration of the statements that set carried variables."""

    def __init__(self, iteration: Iteration, library: Mapping[str, Operator], carried: set[str]) -> None:
        self.iteration, self.code, self.library, self.carried = iteration, iteration.code, library, carried
        self.state: dict[Key, Late] = {}
        self.forms: set[tuple[str, Terms]] = set()
        self.shifts: dict[Terms, dict[int, int]] = {}
        self.places: dict[tuple[int, Lanes], tuple[Expr, Affine]] = {}
        self.memories = {name for name in carried if self._is_memory(name)}
        self.summaries: dict[tuple[str, tuple[str, ...]], list[tuple[int, Trail] | None]] = {}
        self.is_clean: dict[int, tuple[Expr, bool]] = {}

    def _is_memory(self, name: str) -> bool:
        kind = self.code.type_of(name)
        splits = self.code.splits.get(self.code.blocks.get(name, name), [])
        return kind.kind == "array" and not ArrayBanks(kind, splits).are_registers

    def statements(self, statements: Sequence[Statement], lanes: Lanes, lane: int, conditions: list[Late]) -> None:
        for each in statements:
            match each:
                case For():
                    trip, _ = trip_count(each)
                    if self._sets_carried(each.body):
                        inside = (*lanes, (each.counter, trip))
                        for number in range(trip):
                            self.statements(each.body, inside, lane * trip + number, conditions)
                case If(condition, then, other):
                    holds = self._test(condition, lanes, lane)
                    late = self.value(condition, lanes, lane)
                    if holds is not False:
                        self.statements(then, lanes, lane, conditions if holds else [*conditions, late])
                    if holds is not True:
                        self.statements(other, lanes, lane, [*conditions, late] if holds is None else conditions)
                case Assign(target, value):
                    if _target(target) in self.carried:
                        self._assign(target, self.value(value, lanes, lane), lanes, lane, conditions)
                case CallStatement(call):
                    for name in _changed(call, self.iteration):
                        if name in self.carried:
                            argument = next(arg for arg in call.args if _target(arg) == name)
                            self._assign(argument, self.value(call, lanes, lane), lanes, lane, conditions)
                case _:
                    continue

    def _sets_carried(self, statements: Sequence[Statement]) -> bool:
        uses: dict[str, set[str]] = {}
        _collect(statements, frozenset(), uses, self.iteration)
        return not self.carried.isdisjoint(uses)

    def _test(self, condition: Expr, lanes: Lanes, lane: int) -> bool | None:
        """A condition on nothing but unrolled counters."""
        if isinstance(condition, Num):
            return bool(condition.value)
        if not isinstance(condition, Op) or condition.op not in _COMPARES:
            return None
        if not {*names_in(condition)} <= {name for name, _ in lanes}:
            return None
        left, right = (self.iteration.affine(arg, lanes).lanes[lane] for arg in condition.args)
        return {
            "<": left < right,
            ">": left > right,
            "<=": left <= right,
            ">=": left >= right,
            "==": left == right,
            "!=": left != right,
        }[condition.op]

    def _assign(self, target: Expr, value: Late, lanes: Lanes, lane: int, conditions: list[Late]) -> None:
        key = self._key(target, lanes, lane)
        is_part = isinstance(target, CppCall) or (
            isinstance(target, Item) and self.code.type_of(key[0]).kind not in ("array", "vector")
        )
        if conditions or is_part:
            value = _latest(value, self._stored(key), *conditions)
        self.state[key] = value
        self.forms.add(key[:2])

    def _key(self, expr: Expr, lanes: Lanes, lane: int) -> Key:
        if isinstance(expr, CppCall) and expr.args:  # a range of bits
            expr = expr.args[0]
        name = _target(expr)
        element = self.iteration.element(expr)
        if element is None and isinstance(expr, Item) and self.code.type_of(name).kind == "vector":
            element = name, (expr.place,)
        if element is None or name in self.code.pointers:
            return name, (), 0
        known = self.places.get((id(expr), lanes))
        if known is None:
            known = expr, self.iteration.flat(name, element[1], lanes)
            self.places[id(expr), lanes] = known
        return name, known[1].terms, int(known[1].lanes[lane])

    def _stored(self, key: Key) -> Late:
        """The present value; from before the iteration if nothing has set it, and of any element that may be it."""
        if key in self.state:
            return self.state[key]
        others = [form for form in self.forms if form[0] == key[0] and form[1] != key[1]]
        found: Late = {key: (2 if self._is_in_memory(key) else 0, "", None)}
        if others:
            found = _latest(found, *(late for each, late in self.state.items() if each[:2] in others))
        return found

    # --- Expressions

    def value(self, expr: Expr, lanes: Lanes, lane: int) -> Late:
        """How late a value is; empty if no carried value is in it."""
        known = self.is_clean.get(id(expr))
        if known is None:
            known = self.is_clean[id(expr)] = expr, self.carried.isdisjoint(names_in(expr))
        if known[1]:
            return {}
        match expr:
            case VariableName() | Item():
                late = self._stored(self._key(expr, lanes, lane)) if _target(expr) in self.carried else {}
                index = self.value(expr.place, lanes, lane) if isinstance(expr, Item) else {}
                return _latest(late, index) if index else late
            case Op(op, args):
                return self._operated(op, [self.value(arg, lanes, lane) for arg in args], self._kind(args))
            case CppCall(name, args):
                values = [self.value(arg, lanes, lane) for arg in args]
                called = self.code.file.function(name, expr.template)
                if called is not None:
                    return self._through(called, expr.template, values)
                return self._called(expr, values)
        return {}

    def _operated(self, op: str, values: Sequence[Late], kind: str) -> Late:
        late = _latest(*values)
        if op in ("+", "-") and len(values) == 2 and kind == "int":
            return {key: each if each[1] == "sum" else _later(each, 1, "iadd", "sum") for key, each in late.items()}
        if op in ("*", "/") or (op in ("+", "-") and kind == "float" and len(values) == 2):
            return self._delayed(late, _FLOAT_OPERATORS[op] if kind == "float" else "imul")
        if op in _COMPARES:
            return self._delayed(late, "fcmp" if kind == "float" else "icmp")
        return {key: (cycles, "", trail) for key, (cycles, _, trail) in late.items()}

    def _called(self, call: CppCall, values: Sequence[Late]) -> Late:
        late = _latest(*values)
        if call.name == "to":
            before, after = self._kind(call.args), self.code.file.type_of(call.template[0]).kind
            pair = before, after
            return self._delayed(late, {("int", "float"): "sitofp", ("float", "int"): "fptosi"}.get(pair, ""))
        if call.name.startswith(".") or call.name in _WIRES:
            return late
        return self._delayed(late, _FUNCTIONS.get(call.name, call.name))

    def _delayed(self, late: Late, operator: str) -> Late:
        cycles = self._latency(operator) if operator else 0
        return {key: _later(each, cycles, operator, "") for key, each in late.items()}

    def _latency(self, operator: str) -> int:
        """Half cycles."""
        if operator in _WITHIN_CYCLE:
            return 1
        name = {"fadd": "fadd_fabric", "imul": "mac_w8a8"}.get(operator, operator)
        return 2 * max(1, self.library[name].latency_cycles) if name in self.library else 2

    def _kind(self, args: Sequence[Expr]) -> str:
        """Whether an operator works on floats or on integers."""
        return "float" if any(self.kind_of(arg) == "float" for arg in args) else "int"

    def kind_of(self, expr: Expr) -> str:
        """``float`` or ``int``."""
        match expr:
            case Num(_, kind):
                return kind
            case VariableName() | Item():
                return self.code.type_of(_target(expr)).scalar.kind
            case Op(op, args):
                return "int" if op in _COMPARES or op in ("&&", "||", "!") else self._kind(args[-2:])
            case CppCall("to", _, (kind, *_)):
                return self.code.file.type_of(kind).scalar.kind
            case CppCall(name, args, template):
                called = self.code.file.function(name, template)
                if called is not None:
                    return called.result.kind
                return "int" if name.startswith(".") or not args else self._kind(args)

    # --- Functions on values

    def _through(self, called: CppFunction, template: tuple[str, ...], values: Sequence[Late]) -> Late:
        key = called.name, template
        if key not in self.summaries:
            self.summaries[key] = [self._summary(called, number) for number in range(len(called.parameters))]
        found = []
        for late, summary in zip(values, self.summaries[key], strict=False):
            if summary is not None and late:
                cycles, trail = summary
                found.append({each: (at + cycles, "", _joined(trail, made)) for each, (at, _, made) in late.items()})
        return _latest(*found)

    def _summary(self, called: CppFunction, number: int) -> tuple[int, Trail] | None:
        """How long a parameter takes to the result, or to a parameter that is changed."""
        inner = _FunctionExecution(self, called, number)
        inner.statements(called.body, (), 0, [])
        late = inner.result()
        return max(((cycles, trail) for cycles, _, trail in late.values()), key=lambda each: each[0], default=None)

    # --- What comes round

    def chains(self) -> Iterator[Chain]:
        """The chains of the iteration."""
        read = {source for late in self.state.values() for source in late}
        edges = []
        for written, late in self.state.items():
            for target, true in self._later_reads(written, read):
                seen = self._seen_distance(written, true)
                for source, (halves, _, trail) in late.items():
                    edges.append(_Edge(source, target, self._cycles(written, halves, trail), seen, true, trail))
        yield from _rounds(edges)

    def _is_in_memory(self, key: Key) -> bool:
        """Whether a value is fetched anew in every iteration: the innermost loop moves on from it."""
        nest = self.iteration.nest
        turning = [loop.counter for loop, trip in zip(nest.loops, nest.trips, strict=True) if trip > 1]
        still = {*turning[:-1], *nest.around}
        return key[0] in self.memories and not all(counter in still for counter, _ in key[1])

    def _cycles(self, written: Key, halves: int, trail: Trail) -> int:
        """Whole cycles; the write of a memory takes one, in which adders and comparisons may lie."""
        within = any(operator in _WITHIN_CYCLE for operator in _operators(trail))
        return -(-halves // 2) + (self._is_in_memory(written) and not within)

    def _later_reads(self, written: Key, read: Set[Key]) -> Iterator[tuple[Key, int]]:
        """What later iterations read where a value is written, and after how many of them; 0 where that is unknown."""
        name, terms, place = written
        forms = {key[1] for key in read if key[0] == name}
        if not terms and written in read:
            yield written, 1
        if terms in forms and terms:
            for shift, distance in self._shifts(terms).items():
                if (name, terms, place - shift) in read:
                    yield (name, terms, place - shift), distance
        if forms - {terms}:
            yield from ((key, 1) for key in read if key[0] == name and key[1] != terms)

    def _shifts(self, terms: Terms) -> Mapping[int, int]:
        """How far an index of counters moves, and in how few iterations."""
        if terms not in self.shifts:
            self.shifts[terms] = _shifts(terms, self.iteration)
        return self.shifts[terms]

    def _seen_distance(self, written: Key, true: int) -> int:
        name, terms, _ = written
        if name not in self.memories:
            return 1
        for directive in self.code.dependences.get(self.code.blocks.get(name, name), []):
            told = directive.options.get("distance", "")
            if directive.options.get("dependent") == "false" or "false" in directive.options:
                return _MOST_DISTANCE
            if told.isdecimal():
                return max(1, min(int(told), true or int(told)))
        counters = {*self.iteration.ranges} - {*self.iteration.rounded}
        return max(1, true) if all(counter in counters for counter, _ in terms) else 1


class _FunctionExecution(_Execution):
    """A function on values, of which one parameter is late by nothing."""

    def __init__(self, outer: _Execution, called: CppFunction, number: int) -> None:
        super().__init__(outer.iteration, outer.library, {*called.types})
        self.called, self.kinds = called, called.types
        self.source = called.parameters[number].name
        self.memories = set()
        self.summaries = outer.summaries
        self.returned: list[Late] = []

    def statements(self, statements: Sequence[Statement], lanes: Lanes, lane: int, conditions: list[Late]) -> None:
        for each in statements:
            match each:
                case Return(value):
                    self.returned.append(_latest(self.value(value, lanes, lane), *conditions))
                case If(condition, then, other):
                    late = self.value(condition, lanes, lane)
                    self.statements(then, lanes, lane, [*conditions, late])
                    self.statements(other, lanes, lane, [*conditions, late])
                    if any(isinstance(inner, Return) for inner in then):
                        conditions = [*conditions, late]
                case _:
                    super().statements((each,), lanes, lane, conditions)

    def result(self) -> Late:
        """How late what the function gives is."""
        changed = [parameter.name for parameter in self.called.parameters if parameter.is_changed]
        return _latest(*self.returned, *(self.state.get((name, (), 0), {}) for name in changed))

    def _key(self, expr: Expr, lanes: Lanes, lane: int) -> Key:
        return _target(expr), (), 0

    def _stored(self, key: Key) -> Late:
        if key in self.state:
            return self.state[key]
        return {key: (0, "", None)} if key[0] == self.source else {}

    def kind_of(self, expr: Expr) -> str:
        """``float`` or ``int``."""
        if isinstance(expr, VariableName | Item) and _target(expr) in self.kinds:
            return self.kinds[_target(expr)].scalar.kind
        return super().kind_of(expr)


def _later(value: tuple[int, str, Trail], halves: int, operator: str, kind: str) -> tuple[int, str, Trail]:
    at, _, trail = value
    return at + halves, kind, (operator, trail) if operator else trail


def _latest(*values: Late) -> Late:
    """Of each source the latest."""
    found: Late = {}
    for late in values:
        if not found:
            found = late
        elif late:
            found = dict(found)
            for key, each in late.items():
                if key not in found or each[0] > found[key][0]:
                    found[key] = each
    return found


def _joined(last: Trail, first: Trail) -> Trail:
    operators = [*_operators(last)]
    for operator in reversed(operators):
        first = (operator, first)
    return first


def _operators(trail: Trail) -> Iterator[str]:
    while trail is not None:
        yield trail[0]
        trail = trail[1]


def _shifts(terms: Terms, iteration: Iteration) -> dict[int, int]:
    place = iteration.walked(terms)
    if place is None:
        return {0: _UNKNOWN}
    found: dict[int, int] = {}
    for distance in range(1, min(len(place), _MOST_DISTANCE)):
        for shift in np.unique(place[distance:] - place[:-distance]).tolist():
            found.setdefault(shift, distance)
    return found


class _Edge(NamedTuple):
    """From a value that an iteration reads to one that a later iteration reads."""

    source: Key
    target: Key
    cycles: int
    seen: int
    true: int
    trail: Trail


def _rounds(edges: Sequence[_Edge]) -> Iterator[Chain]:
    """The chains from values to themselves, and the slowest circle of values that wait for each other."""
    after: dict[Key, set[Key]] = {}
    for edge in edges:
        if edge.source == edge.target:
            yield _chain([edge])
        else:
            after.setdefault(edge.source, set()).add(edge.target)
    for circle in _circles(after):
        inside = [edge for edge in edges if edge.source in circle and edge.target in circle]
        yield _chain(_slowest(inside))


def _slowest(edges: Sequence[_Edge]) -> list[_Edge]:
    """The circle of most cycles per iteration: from any circle on, a better one as long as there is one."""
    best: list[_Edge] = []
    while True:
        cycles, iterations = sum(edge.cycles for edge in best), sum(edge.seen for edge in best) or 1
        better = _circle_above(edges, [edge.cycles * iterations - cycles * edge.seen for edge in edges])
        if not better:
            return best or list(edges[:1])
        best = better


def _circle_above(edges: Sequence[_Edge], weights: Sequence[int]) -> list[_Edge]:
    """A circle whose weights add up to more than 0, by Bellman and Ford."""
    at: dict[Key, int] = {}
    came: dict[Key, _Edge] = {}
    moved: Key | None = None
    for _ in range(len({edge.source for edge in edges}) + 1):
        moved = None
        for edge, weight in zip(edges, weights, strict=True):
            if at.get(edge.source, 0) + weight > at.get(edge.target, 0):
                at[edge.target] = at.get(edge.source, 0) + weight
                came[edge.target], moved = edge, edge.target
        if moved is None:
            return []
    seen: dict[Key, int] = {}
    path: list[_Edge] = []
    while moved is not None and moved not in seen:
        seen[moved] = len(path)
        path.append(came[moved])
        moved = came[moved].source
    return path[seen[moved] :] if moved is not None else []


def _chain(edges: Sequence[_Edge]) -> Chain:
    operators = sum((Counter(_operators(edge.trail)) for edge in edges), Counter[str]())
    names = sorted({plain(edge.source[0]) for edge in edges})
    cycles, seen, true = (sum(each) for each in zip(*((e.cycles, e.seen, e.true) for e in edges), strict=True))
    return Chain("' and '".join(names), cycles, seen, true, _told(operators))


def _told(operators: Counter[str]) -> str:
    ordered = sorted(operators.items(), key=lambda pair: (-pair[1], pair[0]))
    return " + ".join(f"{count} x {name}" if count > 1 else name for name, count in ordered)
