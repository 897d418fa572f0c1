"""Functions of a `kernel.cpp` as small trees: what is computed, under which condition, and how often.

Only what decides intervals is kept.  Every declaration gets a name of its own, so that two locals called ``token`` are
two variables; constants and template arguments are numbers; ``x += y`` is ``x = x + y``.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import NamedTuple, TypeAlias

from tree_sitter import Node

from sttest.targets.vitis.cpp_source import (
    CppSource,
    Directive,
    declared_name,
    directive_of,
    line_of,
    needed_part,
    text_of,
    walk,
)  # fmt: skip

PROCESS_CALL = "STTEST_PROCESS"
FIFO_CALL = "STTEST_FIFO"
"""Gives an array of streams the name and the depth that simulation knows it by."""

# --- Types


class CppType(NamedTuple):
    """A type: its kind, its bits, and of vectors, streams and arrays what they hold."""

    kind: str  # float, int, vector, stream, blocks, array, void or other
    bits: int
    element: "CppType | None" = None
    extents: tuple[int, ...] = ()  # sizes of an array, or the length of a vector

    @property
    def scalar(self) -> "CppType":
        """The type of one element, or the type itself."""
        return self.element.scalar if self.element is not None else self


OTHER = CppType("other", 0)
_PLAIN = {
    "float": ("float", 32), "half": ("float", 16), "double": ("float", 64), "bool": ("int", 1), "char": ("int", 8),
    "short": ("int", 16), "int": ("int", 32), "unsigned": ("int", 32), "unsigned int": ("int", 32), "long": ("int", 64),
    "unsigned char": ("int", 8), "unsigned short": ("int", 16), "long long": ("int", 64), "size_t": ("int", 64),
    "unsigned long long": ("int", 64), "int8_t": ("int", 8), "uint8_t": ("int", 8), "int16_t": ("int", 16),
    "uint16_t": ("int", 16), "int32_t": ("int", 32), "uint32_t": ("int", 32), "int64_t": ("int", 64),
    "uint64_t": ("int", 64), "void": ("void", 0),
}  # fmt: skip
_MOST_SHIFT = 64
_MOST_MACRO_CHARS = 200
_TEMPLATE = re.compile(r"([\w:]+)\s*<(.*)>", re.DOTALL)
_NUMBERS = ("ap_int", "ap_uint", "ap_fixed", "ap_ufixed")


def split_arguments(text: str) -> list[str]:
    """The arguments of a template, as written."""
    parts, depth, current = [], 0, ""
    for letter in text:
        depth += (letter == "<") - (letter == ">")
        if letter == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += letter
    return [*parts, current.strip()]


def substituted_text(text: str, values: Mapping[str, str]) -> str:
    """A text with a template's arguments in the place of its parameters."""
    for name, value in values.items():
        text = re.sub(rf"\b{name}\b", value, text)
    return text


# --- Expressions and statements


class Num(NamedTuple):
    """A number."""

    value: float
    kind: str = "int"


class VariableName(NamedTuple):
    """A variable, by a name that nothing else in the function has."""

    name: str


class Item(NamedTuple):
    """An element of an array, a vector or what a pointer points to."""

    base: "Expr"
    place: "Expr"


class Op(NamedTuple):
    """An operator on one or two values, or ``?:`` on three."""

    op: str
    args: "tuple[Expr, ...]"


class CppCall(NamedTuple):
    """A function on values, a method (``.read`` on its object first), or a conversion (``to float``)."""

    name: str
    args: "tuple[Expr, ...]"
    template: tuple[str, ...] = ()


Expr: TypeAlias = Num | VariableName | Item | Op | CppCall


class Assign(NamedTuple):
    """A variable, or a part of it, gets a value."""

    target: Expr
    value: Expr
    line: int


class Declared(NamedTuple):
    """A local variable begins: it holds nothing that an earlier pass through here has left."""

    name: str
    line: int


class CallStatement(NamedTuple):
    """A call whose value nobody takes."""

    call: CppCall
    line: int


class If(NamedTuple):
    """A choice."""

    condition: Expr
    then: "tuple[Statement, ...]"
    other: "tuple[Statement, ...]"
    line: int


class Return(NamedTuple):
    """The value of a function."""

    value: Expr
    line: int


@dataclass(frozen=True, eq=False)
class For:
    """A counted loop; ``bound`` is what the counter stays below."""

    counter: str
    first: Expr
    bound: Expr
    stride: int
    body: "tuple[Statement, ...]"
    directives: tuple[Directive, ...]
    label: str
    line: int
    varies: bool = False  # whether calls of the function around it tell different bounds

    def directive(self, name: str) -> Directive | None:
        """The first directive of a name in the loop's body."""
        return next((each for each in self.directives if each.name == name), None)


@dataclass(frozen=True, eq=False)
class Unknown:
    """A statement that is no counted loop, choice, assignment or call."""

    text: str
    line: int
    names: frozenset[str] = frozenset()  # variables that stand in it


Statement: TypeAlias = Declared | Assign | CallStatement | If | Return | For | Unknown


@dataclass(frozen=True)
class Split:
    """A partition or reshaping of one dim of an array."""

    reshapes: bool
    kind: str  # complete, cyclic or block
    factor: int
    dim: int  # the first is 1; 0 is all


class ReadParameter(NamedTuple):
    """A parameter of a function."""

    name: str
    type: CppType
    is_changed: bool  # a reference or pointer that is not to a constant
    is_pointer: bool


@dataclass(eq=False)
class CppFunction:
    """A function, with what its variables are."""

    name: str
    parameters: tuple[ReadParameter, ...] = ()
    body: tuple[Statement, ...] = ()
    result: CppType = OTHER
    types: dict[str, CppType] = field(default_factory=dict)
    splits: dict[str, list[Split]] = field(default_factory=dict)
    dependences: dict[str, list[Directive]] = field(default_factory=dict)
    written: dict[str, str] = field(default_factory=dict)  # types of its parameters as the text has them
    blocks: dict[str, str] = field(default_factory=dict)  # a lock and the parameter whose block it holds
    statics: set[str] = field(default_factory=set)
    line: int = 0


def plain(name: str) -> str:
    """A name as it stands in the text."""
    return name.partition("#")[0]


def key_of(expr: Expr) -> str:
    """An expression as text, equal for equal ones only."""
    match expr:
        case Num(value):
            return f"{value:.17g}"
        case VariableName(name):
            return name
        case Item(base, index):
            return f"{key_of(base)}[{key_of(index)}]"
        case Op(op, args):
            return f"({f' {op} '.join(map(key_of, args))})" if len(args) > 1 else f"{op}{''.join(map(key_of, args))}"
        case CppCall(name, args, template):
            return f"{name}<{','.join(template)}>({', '.join(map(key_of, args))})"


# --- A file


class RegionChannel(NamedTuple):
    """A channel of the dataflow region."""

    type: CppType
    title: str  # the name that a stream is given in simulation


class ProcessCall(NamedTuple):
    """A process of the dataflow region and what it is called with."""

    function: str
    template: tuple[str, ...]
    arguments: tuple[str, ...]
    line: int


class CppFile:
    """A `kernel.cpp`: functions, types, constants, and the dataflow region."""

    def __init__(self, text: str) -> None:
        self.source = CppSource(text)
        self._made: dict[tuple[str, tuple[str, ...]], CppFunction] = {}
        self._types: dict[str, CppType] = {}

    @cached_property
    def constants(self) -> dict[str, Expr]:
        """Constants that stand outside of functions, and macros that are numbers."""
        found: dict[str, Expr] = {}
        for node in _outside_of_functions(self.source.root):
            if node.type == "preproc_def":
                value = _macro_value(text_of(node.child_by_field_name("value")))
                if value is not None:
                    read = _Reader(self, {}, found).expr(value)
                    if isinstance(read, Num):
                        found[text_of(node.child_by_field_name("name"))] = read
                continue
            declarator = node.child_by_field_name("declarator")
            value = declarator.child_by_field_name("value") if declarator is not None else None
            if value is not None:
                found[declared_name(declarator)] = _Reader(self, {}, found).expr(value)
        return found

    @cached_property
    def typedefs(self) -> dict[str, Node]:
        """Definitions of types by name."""
        found = {}
        for node in self.source.all("type_definition", "alias_declaration", "struct_specifier"):
            declarator = node.child_by_field_name("declarator") or node.child_by_field_name("name")
            if declarator is not None:
                found[declared_name(declarator)] = node
        return found

    def type_of(self, text: str, extents: Sequence[int] = ()) -> CppType:
        """A type as written, and the extents of an array of it."""
        if extents:
            element = self.type_of(text)
            if element.kind == "array":
                return CppType("array", element.bits, element.element, (*extents, *element.extents))
            return CppType("array", element.bits, element, tuple(extents))
        if text not in self._types:
            self._types[text] = OTHER
            self._types[text] = self._type(text.removeprefix("const ").strip())
        return self._types[text]

    def _type(self, text: str) -> CppType:
        if text in _PLAIN:
            return CppType(*_PLAIN[text])
        if text in self.typedefs:
            return self._defined(self.typedefs[text])
        match = _TEMPLATE.fullmatch(text)
        if match is None:
            return OTHER
        name, arguments = match[1].removeprefix("hls::"), split_arguments(match[2])
        if name in self.typedefs:
            return self._aliased(self.typedefs[name], arguments)
        if name in _NUMBERS:
            return CppType("int", self.number(arguments[0]))
        element = self.type_of(arguments[0])
        if name == "vector":
            count = self.number(arguments[1]) if len(arguments) > 1 else 0
            return CppType("vector", count * element.bits, element, (count,))
        kinds = {"stream": "stream", "stream_of_blocks": "blocks", "read_lock": "blocks", "write_lock": "blocks"}
        return CppType(kinds[name], element.bits, element) if name in kinds else OTHER

    def number(self, text: str) -> int:
        """A constant as written; 0 where it is none."""
        value = self.constants.get(text, Num(int(text)) if text.isdecimal() else None)
        return int(value.value) if isinstance(value, Num) else 0

    def _defined(self, node: Node) -> CppType:
        if node.type == "struct_specifier":
            body = node.child_by_field_name("body")
            fields = [each for each in body.named_children if each.type == "field_declaration"] if body else []
            parts = [self._declared(each) for each in fields]
            return CppType(
                "other", sum(part.bits * (prod(part.extents) if part.kind == "array" else 1) for part in parts)
            )
        return self._declared(node)

    def _aliased(self, node: Node, arguments: Sequence[str]) -> CppType:
        """What an alias of a template is, as in ``using fifo = hls::stream<T>``."""
        text = text_of(node.child_by_field_name("type"))
        return self.type_of(substituted_text(text, self._arguments(node, arguments)))

    def _declared(self, node: Node) -> CppType:
        extents = [self.number(text_of(size)) for size in _sizes(node.child_by_field_name("declarator"))]
        return self.type_of(text_of(node.child_by_field_name("type")), extents)

    def function(self, name: str, template: tuple[str, ...] = ()) -> CppFunction | None:
        """A function that the file defines, with its template arguments put in."""
        defined = self.source.functions.get(name)
        if defined is None:
            return None
        key = name, template
        if key not in self._made:
            self._made[key] = CppFunction(name)
            self._made[key] = _Reader(self, self._arguments(defined.node, template)).function(name, defined.node)
        return self._made[key]

    def called(self, call: "CppCall", caller: CppFunction) -> CppFunction | None:
        """The function that a call is of; template arguments that it leaves out follow from what it passes."""
        defined = self.source.functions.get(call.name)
        if defined is None:
            return None
        template = dict(zip(names := _template_names(defined.node), call.template, strict=False))
        for parameter, argument in zip(defined.parameters, call.args, strict=False):
            passed = caller.written.get(argument.name, "") if isinstance(argument, VariableName) else ""
            for name in (each for each in names if each not in template):
                pattern = re.escape(parameter.written).replace(name, "(.+)")
                match = re.fullmatch(pattern, passed) if name in parameter.written else None
                template |= {name: match[1]} if match is not None else {}
        return self.function(call.name, tuple(template[name] for name in names if name in template))

    def _arguments(self, node: Node, template: Sequence[str]) -> dict[str, str]:
        return dict(zip(_template_names(node), template, strict=False))

    # --- The dataflow region

    @cached_property
    def _region(self) -> list[Node]:
        return list(self.source.top.body.named_children) if self.source.top is not None else []

    @cached_property
    def channels(self) -> dict[str, RegionChannel]:
        """The streams, and streams of blocks, of the region by variable."""
        found = {}
        for node in self._region:
            kind = self.type_of(text_of(node.child_by_field_name("type"))) if node.type == "declaration" else OTHER
            if kind.kind in ("stream", "blocks"):
                titles = re.findall(r'"([^"]*)"', text_of(node))
                name = declared_name(node.child_by_field_name("declarator"))
                found[name] = RegionChannel(kind, titles[0] if titles else self._titles.get(name, ""))
        return found

    @cached_property
    def _titles(self) -> dict[str, str]:
        """Names of streams that are declared as arrays, by variable."""
        calls = (re.match(rf'{FIFO_CALL}\((\w+), "([^"]*)"', text_of(node)) for node in self._region)
        return {match[1]: match[2] for match in calls if match is not None}

    @cached_property
    def region_directives(self) -> list[Directive]:
        """Directives of the region."""
        return [found for found in map(directive_of, self._region) if found is not None]

    @cached_property
    def processes(self) -> list[ProcessCall]:
        """The processes of the region in the order of their calls."""
        return [found for found in map(_process_call, self._region) if found is not None]


_AROUND = (
    "preproc_if",
    "preproc_ifdef",
    "preproc_else",
    "linkage_specification",
    "namespace_definition",
    "declaration_list",
)


def _outside_of_functions(node: Node) -> Iterator[Node]:
    """Declarations and macros of a file, with those in conditional parts, namespaces and ``extern "C"``."""
    for each in node.named_children:
        if each.type in ("declaration", "preproc_def"):
            yield each
        elif each.type in _AROUND:
            yield from _outside_of_functions(each)


def _macro_value(text: str) -> Node | None:
    """The expression that a macro stands for; None where it is longer than numbers are."""
    if not text or len(text) > _MOST_MACRO_CHARS:
        return None
    root = CppSource(f"int value = {text.partition('//')[0]};").root
    declaration = root.named_children[0] if root.named_children and not root.has_error else None
    declarator = declaration.child_by_field_name("declarator") if declaration is not None else None
    return declarator.child_by_field_name("value") if declarator is not None else None


def _template_names(node: Node) -> list[str]:
    """The parameters of the template that a definition is in."""
    around = node.parent
    if around is None or around.type != "template_declaration":
        return []
    listed = around.child_by_field_name("parameters")
    return [text_of(needed_part(each, -1)) for each in listed.named_children] if listed is not None else []


def _process_call(node: Node) -> ProcessCall | None:
    call = node.named_children[0] if node.type == "expression_statement" and node.named_children else None
    if call is None or call.type != "call_expression":
        return None
    listed = call.child_by_field_name("arguments")
    function, arguments = call.child_by_field_name("function"), listed.named_children if listed is not None else []
    if text_of(function) == FIFO_CALL:
        return None
    if text_of(function) == PROCESS_CALL and arguments:
        function, arguments = arguments[0], arguments[1:]
    name, template = _callee(function)
    return ProcessCall(name, template, tuple(map(text_of, arguments)), line_of(node))


def _callee(node: Node | None) -> tuple[str, tuple[str, ...]]:
    """A function's name without its namespace, and its template arguments."""
    while node is not None and node.type in ("parenthesized_expression", "qualified_identifier"):
        node = needed_part(node, -1)
    if node is None or node.type != "template_function":
        return text_of(node), ()
    listed = node.child_by_field_name("arguments")
    template = [text_of(each) for each in listed.named_children] if listed is not None else []
    return text_of(node.child_by_field_name("name")), tuple(template)


def _sizes(declarator: Node | None) -> Iterator[Node]:
    """The extents of an array's declarator, outermost first."""
    while declarator is not None:
        inner = declarator.child_by_field_name("declarator")
        size = declarator.child_by_field_name("size")
        if declarator.type == "array_declarator" and size is not None:
            yield from _sizes(inner)
            yield size
            return
        declarator = inner


# --- From the syntax tree of a function


_CASTS = ("static_cast", "reinterpret_cast")


class _Reader:
    """Reads one function."""

    def __init__(self, file: CppFile, template: Mapping[str, str], constants: Mapping[str, Expr] | None = None) -> None:
        self.file, self.template = file, dict(template)
        self.constants = file.constants if constants is None else constants
        self.scopes: list[dict[str, str]] = [{}]
        self.made = CppFunction("")
        self.taken: dict[str, int] = {}

    def function(self, name: str, node: Node) -> CppFunction:
        self.made.name, self.made.line = name, line_of(node)
        declarator, body = node.child_by_field_name("declarator"), node.child_by_field_name("body")
        listed = declarator.child_by_field_name("parameters") if declarator is not None else None
        self.made.parameters = tuple(
            self._parameter(each) for each in (listed.named_children if listed is not None else ())
            if each.type == "parameter_declaration"
        )  # fmt: skip
        self.made.result = self._type(text_of(node.child_by_field_name("type")))
        self.made.body = self._body(body) if body is not None else ()
        return self.made

    def _parameter(self, node: Node) -> ReadParameter:
        declarator, text = node.child_by_field_name("declarator"), text_of(node)
        name = self._declare(declared_name(declarator))
        extents = [self._number(size) for size in _sizes(declarator)]
        self.made.written[name] = substituted_text(text_of(node.child_by_field_name("type")), self.template)
        self.made.types[name] = self._type(self.made.written[name], extents)
        is_pointer = declarator is not None and declarator.type == "pointer_declarator"
        is_changed = (is_pointer or "&" in text_of(declarator) or bool(extents)) and not text.startswith("const")
        return ReadParameter(name, self.made.types[name], is_changed, is_pointer)

    def _type(self, text: str, extents: Sequence[int] = ()) -> CppType:
        return self.file.type_of(substituted_text(text, self.template), extents)

    def _number(self, node: Node) -> int:
        value = self.expr(node)
        return int(value.value) if isinstance(value, Num) else 0

    def _declare(self, name: str) -> str:
        number = self.taken.get(name, 0)
        self.taken[name] = number + 1
        unique = f"{name}#{number}" if number else name
        self.scopes[-1][name] = unique
        return unique

    def _found(self, name: str) -> str | None:
        return next((scope[name] for scope in reversed(self.scopes) if name in scope), None)

    # --- Statements

    def _body(self, node: Node) -> tuple[Statement, ...]:
        """What a block, or a single statement, does; in a scope of its own."""
        self.scopes.append({})
        nodes = node.named_children if node.type == "compound_statement" else [node]
        found = tuple(each for child in nodes for each in self._statements(child))
        self.scopes.pop()
        return found

    def _statements(self, node: Node, label: str = "") -> Iterator[Statement]:
        match node.type:
            case "comment":
                return
            case "preproc_call":
                self._directive(node)
            case "declaration":
                yield from self._declaration(node)
            case "expression_statement":
                for each in node.named_children:
                    yield from self._expression(each)
            case "labeled_statement":
                for each in node.named_children[1:]:
                    yield from self._statements(each, text_of(node.child_by_field_name("label")))
            case "compound_statement":
                yield from self._body(node)
            case "for_statement":
                yield self._loop(node, label)
            case "if_statement":
                yield self._choice(node)
            case "return_statement":
                value = self.expr(node.named_children[0]) if node.named_children else Num(0)
                yield Return(value, line_of(node))
            case _ if not node.type.endswith(("definition", "specifier")) and node.type != "alias_declaration":
                yield self._unknown(node)

    def _known(self, directive: Directive) -> Directive:
        """A directive with numbers in the place of their names."""
        options = {name: self.template.get(value, value) for name, value in directive.options.items()}
        return Directive(directive.name, options, directive.node)

    def _directive(self, node: Node) -> None:
        found = directive_of(node)
        if found is None:
            return
        found = self._known(found)
        variable = self._found(found.options.get("variable", ""))
        if variable is None:
            return
        if found.name in ("array_partition", "array_reshape"):
            self.made.splits.setdefault(variable, []).append(split_of(found))
        elif found.name == "dependence":
            self.made.dependences.setdefault(variable, []).append(found)

    def _declaration(self, node: Node) -> Iterator[Statement]:
        text = text_of(node.child_by_field_name("type"))
        is_static = any(text_of(each) == "static" for each in node.named_children)
        for declarator in node.children_by_field_name("declarator"):
            value = declarator.child_by_field_name("value")
            # The value is read first: its names are those of the scope around.
            read = self.expr(value) if value is not None else None
            if isinstance(read, Num) and text_of(node).startswith("constexpr "):
                self.template[declared_name(declarator)] = str(read.value)
                continue
            written, extents = declared_name(declarator), [self._number(size) for size in _sizes(declarator)]
            name = self._declare(written)
            self.made.types[name] = self._type(text, extents)
            if is_static:
                self.made.statics.add(name)
            else:
                yield Declared(name, line_of(node))
            if "_lock<" in text:
                held = re.search(r"[({]\s*(\w+)", text_of(declarator))
                self.made.blocks[name] = (self._found(held[1]) if held is not None else None) or name
                yield CallStatement(CppCall("lock", (VariableName(self.made.blocks[name]),)), line_of(node))
            elif read is not None:
                yield Assign(VariableName(name), read, line_of(node))

    def _expression(self, node: Node) -> Iterator[Statement]:
        line = line_of(node)
        match node.type:
            case "assignment_expression":
                target, value = (self.expr(node.child_by_field_name(each)) for each in ("left", "right"))
                operator = text_of(node.child_by_field_name("operator")).removesuffix("=")
                yield Assign(target, Op(operator, (target, value)) if operator else value, line)
            case "update_expression":
                target = self.expr(node.child_by_field_name("argument"))
                yield Assign(target, Op("+", (target, Num(1))), line)
            case "comma_expression":
                for each in node.named_children:
                    yield from self._expression(each)
            case _:
                match self.expr(node):
                    case CppCall() as value:
                        yield CallStatement(value, line)
                    case Op("<<", (stream, value)):  # a shift whose value nobody takes is the operator of a stream
                        yield CallStatement(CppCall(".write", (stream, value)), line)
                    case Op(">>", (stream, value)):
                        yield Assign(value, CppCall(".read", (stream,)), line)

    def _choice(self, node: Node) -> If:
        condition = self.expr(node.child_by_field_name("condition"))
        then, other = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
        chosen = self._body(then) if then is not None else ()
        return If(condition, chosen, self._body(needed_part(other)) if other is not None else (), line_of(node))

    def _loop(self, node: Node, label: str) -> Statement:
        self.scopes.append({})
        start, condition = node.child_by_field_name("initializer"), node.child_by_field_name("condition")
        declarator = start.child_by_field_name("declarator") if start is not None else None
        first = declarator.child_by_field_name("value") if declarator is not None else None
        operator = text_of(condition.child_by_field_name("operator")) if condition is not None else ""
        update, body = node.child_by_field_name("update"), node.child_by_field_name("body")
        if first is None or condition is None or operator not in ("<", "<=", "!=") or update is None or body is None:
            self.scopes.pop()
            return self._unknown(node)
        begin = self.expr(first)
        counter = self._declare(declared_name(declarator))
        bound = self.expr(condition.child_by_field_name("right"))
        if operator == "<=":
            bound = folded(Op("+", (bound, Num(1))))
        moved = update.child_by_field_name("right")
        stride = self._number(moved) if moved is not None else 1
        found = self._body(body)
        nodes = body.named_children if body.type == "compound_statement" else ()
        directives = tuple(self._known(each) for each in map(directive_of, nodes) if each is not None)
        self.scopes.pop()
        return For(counter, begin, bound, max(stride, 1), found, directives, label, line_of(node))

    def _unknown(self, node: Node) -> Unknown:
        found = (self._found(text_of(each)) for each in walk(node) if each.type == "identifier")
        return Unknown(text_of(node)[:60], line_of(node), frozenset(name for name in found if name is not None))

    # --- Expressions

    def expr(self, node: Node | None) -> Expr:
        """An expression as a tree; what is not understood is a call of its kind on its parts."""
        if node is None:
            return Num(0)
        match node.type:
            case "number_literal":
                return _literal(text_of(node))
            case "true" | "false":
                return Num(int(node.type == "true"))
            case "identifier":
                return self._name(text_of(node))
            case "parenthesized_expression" | "condition_clause" | "initializer_list":
                return self.expr(node.named_children[0]) if node.named_children else Num(0)
            case "subscript_expression":
                indices = node.child_by_field_name("indices")
                index = needed_part(indices) if indices is not None else None
                return Item(self.expr(node.child_by_field_name("argument")), self.expr(index))
            case "binary_expression":
                sides = (self.expr(node.child_by_field_name(each)) for each in ("left", "right"))
                return folded(Op(text_of(node.child_by_field_name("operator")), tuple(sides)))
            case "unary_expression" | "pointer_expression":
                operator = text_of(node.child_by_field_name("operator"))
                return folded(Op(operator, (self.expr(node.child_by_field_name("argument")),)))
            case "conditional_expression":
                parts = ("condition", "consequence", "alternative")
                return Op("?:", tuple(self.expr(node.child_by_field_name(each)) for each in parts))
            case "field_expression":
                # A field stands for the whole: unions are read in another shape than they are written.
                return self.expr(node.child_by_field_name("argument"))
            case "cast_expression":
                value = self.expr(node.child_by_field_name("value"))
                return CppCall("to", (value,), (text_of(node.child_by_field_name("type")),))
            case "call_expression":
                return self._call(node)
        return CppCall(node.type, tuple(self.expr(child) for child in node.named_children if "type" not in child.type))

    def _name(self, written: str) -> Expr:
        name = self._found(written)
        if name is not None:
            return VariableName(name)
        written = self.template.get(written, written)
        return self.constants.get(written) or _literal(written)

    def _call(self, node: Node) -> Expr:
        function, listed = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        args = tuple(self.expr(child) for child in (listed.named_children if listed is not None else ()))
        if function is not None and function.type == "field_expression":
            object_ = self.expr(function.child_by_field_name("argument"))
            return CppCall(f".{text_of(function.child_by_field_name('field'))}", (object_, *args))
        name, template = _callee(function)
        if name in _CASTS:
            return CppCall("to", args, template)
        template = tuple(substituted_text(each, self.template) for each in template)
        whole = f"{name}<{', '.join(template)}>" if template else name
        if len(args) == 1 and name not in self.file.source.functions and self._type(whole) != OTHER:
            return CppCall("to", args, (whole,))
        return CppCall(name, args, template)


def split_of(directive: Directive) -> Split:
    """What a partition or reshaping says; its type may stand without a key."""
    options = directive.options
    factor, dim = options.get("factor", ""), options.get("dim", "1")
    alone = [kind for kind in ("cyclic", "block") if kind in options]
    kind = options.get("type", alone[0] if alone else "complete")
    factor, dim = (int(number) if number.isdecimal() else 1 for number in (factor, dim))
    return Split(directive.name == "array_reshape", kind, factor, dim)


def _literal(text: str) -> Expr:
    digits = text.rstrip("uUlL")
    try:
        return Num(int(digits, 0))
    except ValueError:
        try:
            return Num(float(text.rstrip("fFlL")), "float")
        except ValueError:
            return VariableName(text)


def folded(op: Op) -> Expr:
    """The value of an operator on integers, where these are numbers."""
    values = [arg.value for arg in op.args if isinstance(arg, Num) and arg.kind == "int"]
    if len(values) != len(op.args):
        return op
    value = evaluated(op.op, [int(each) for each in values])
    return op if value is None else Num(value)


def evaluated(op: str, values: Sequence[int]) -> int | None:
    """An operator of C++ on integers of 0 and above; None for others."""
    match op, values:
        case "-", [one]:
            return -one
        case "+", [left, right]:
            return left + right
        case "-", [left, right]:
            return left - right
        case "*", [left, right]:
            return left * right
        case "/", [left, right] if right > 0:
            return left // right
        case "%", [left, right] if right > 0:
            return left % right
        case "<<", [left, right] if 0 <= right < _MOST_SHIFT:
            return left << right
    return None


def in_order(statements: Sequence[Statement]) -> Iterator[Statement]:
    """Statements and all that they hold, in the order of the text."""
    for each in statements:
        yield each
        if isinstance(each, If):
            yield from in_order(each.then)
            yield from in_order(each.other)
        elif isinstance(each, For):
            yield from in_order(each.body)


def names_in(expr: Expr) -> Iterator[str]:
    """The variables that an expression reads."""
    match expr:
        case VariableName(name):
            yield name
        case Item(base, index):
            yield from names_in(base)
            yield from names_in(index)
        case Op(_, args) | CppCall(_, args):
            for each in args:
                yield from names_in(each)
        case _:
            return


def names_of(statement: Statement) -> Iterator[str]:
    """Variables that a statement itself names, without those inside of it."""
    if isinstance(statement, Unknown):
        yield from statement.names
    for expr in _expressions(statement):
        yield from names_in(expr)


def _expressions(statement: Statement) -> tuple[Expr, ...]:
    match statement:
        case Assign(target, value):
            return target, value
        case CallStatement(call):
            return (call,)
        case If(condition):
            return (condition,)
        case Return(value):
            return (value,)
    return ()


def is_stream(kind: CppType) -> bool:
    """Whether a type is a stream, of blocks or not, or an array of such."""
    element = kind.element if kind.kind == "array" and kind.element is not None else kind
    return element.kind in ("stream", "blocks")
