"""A parsed `kernel.cpp`: functions, directives, and every node by its type."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import tree_sitter_cpp
from tree_sitter import Language, Node, Parser

_CPP = Language(tree_sitter_cpp.language())
_OPTION = re.compile(r"(\w+)(?:=(\S+))?")


@dataclass(frozen=True)
class RuleViolation:
    """A place that breaks a rule."""

    rule: str  # its name
    message: str  # the complaint
    line: int  # line number, from 1


@dataclass(frozen=True)
class Directive:
    """One ``#pragma HLS``."""

    name: str  # name in lower case, such as ``pipeline``
    options: dict[str, str]  # values by option; an option without a value has an empty one
    node: Node  # node of the syntax tree

    @property
    def scope(self) -> Node | None:
        """The node whose child it is."""
        return self.node.parent


@dataclass(frozen=True)
class CppParameter:
    """A parameter of a function: its type without qualifiers and aliases, and its name."""

    type: str
    name: str
    is_pointer: bool
    written: str = ""  # the type as written, aliases as they are

    @property
    def is_channel(self) -> bool:
        """Whether it is a stream or a stream of blocks."""
        return self.type.startswith(("hls::stream<", "hls::stream_of_blocks<"))


@dataclass(frozen=True)
class FunctionSource:
    """A function's definition."""

    name: str
    parameters: tuple[CppParameter, ...]
    body: Node
    node: Node


class CppSource:
    """The tree of a file, with what the rules ask of it."""

    def __init__(self, text: str) -> None:
        self.root = Parser(_CPP).parse(text.encode()).root_node

    @cached_property
    def _by_type(self) -> dict[str, list[Node]]:
        found: dict[str, list[Node]] = defaultdict(list)
        for node in walk(self.root):
            found[node.type].append(node)
        return found

    def all(self, *types: str) -> Iterator[Node]:
        """Every node of these types."""
        for kind in types:
            yield from self._by_type.get(kind, ())

    @cached_property
    def aliases(self) -> dict[str, str]:
        """Templates that are other names of templates, as in ``using fifo = hls::stream<T>``."""
        return {
            text_of(node.child_by_field_name("name")): text_of(node.child_by_field_name("type")).partition("<")[0]
            for node in self.all("alias_declaration")
        }

    @cached_property
    def functions(self) -> dict[str, FunctionSource]:
        """Definitions by name; of several with one name, the last."""
        found = (_function(node, self.aliases) for node in self.all("function_definition"))
        return {function.name: function for function in found if function is not None}

    @cached_property
    def top(self) -> FunctionSource | None:
        """The function that is ``extern "C"``, if there is exactly one."""
        tops = [
            function for function in self.functions.values()
            if function.node.parent is not None and function.node.parent.type == "linkage_specification"
        ]  # fmt: skip
        return tops[0] if len(tops) == 1 else None

    @cached_property
    def directives(self) -> list[Directive]:
        """All directives of the tool, in order."""
        found = (directive_of(node) for node in self.all("preproc_call"))
        return [directive for directive in found if directive is not None]

    def is_inlined(self, function: FunctionSource) -> bool:
        """Whether a function becomes part of those that call it."""
        return bool(self.directives_in(function.body, "inline"))

    def is_size(self, node: Node | None) -> bool:
        """Whether an expression is made of numbers above 0 and of names of such in a template or a ``constexpr``."""
        if node is None:
            return False
        if node.type == "binary_expression":
            operator = text_of(node.child_by_field_name("operator"))
            sides = (node.child_by_field_name(each) for each in ("left", "right"))
            return operator in "+-*" and all(map(self.is_size, sides))
        if node.type == "number_literal":
            return text_of(node).isdecimal() and int(text_of(node)) > 0
        return text_of(node) in self.sizes_around(node)

    def sizes_around(self, node: Node) -> set[str]:
        """Names of numbers: of the template and the function around a node."""
        function = enclosing(node, "function_definition")
        if function is None:
            return set()
        around, found = function.parent, set[str]()
        if around is not None and around.type == "template_declaration":
            listed = around.child_by_field_name("parameters")
            found |= {
                text_of(needed_part(each, -1))
                for each in (listed.named_children if listed is not None else ())
                if each.type == "parameter_declaration"
            }
        for each in walk(function):
            if each.type == "declaration" and text_of(each).startswith("constexpr "):
                found |= {declared_name(declarator) for declarator in each.children_by_field_name("declarator")}
        return found

    def directives_in(self, scope: Node, name: str) -> list[Directive]:
        """The directives of a name that are children of a node."""
        return [each for each in self.directives if each.name == name and each.scope == scope]


def walk(root: Node) -> Iterator[Node]:
    """A node and all below it, in the order of the text."""
    cursor = root.walk()
    while True:
        if cursor.node is not None:
            yield cursor.node
        if cursor.goto_first_child() or cursor.goto_next_sibling():
            continue
        while cursor.goto_parent():
            if cursor.goto_next_sibling():
                break
        else:
            return


class MissingPartError(ValueError):
    """C++ that leaves out what has to be there, such as the index of ``in[ ]``."""


def needed_part(node: Node, place: int = 0) -> Node:
    """A part of a node.

    Raises:
        MissingPartError: it has none.
    """
    if not node.named_children:
        raise MissingPartError(f"'{text_of(node.parent or node):.40}' lacks a part")
    return node.named_children[place]


def text_of(node: Node | None) -> str:
    """The source text of a node; empty without one."""
    return node.text.decode() if node is not None and node.text is not None else ""


def line_of(node: Node) -> int:
    """The line number of a node's start, from 1."""
    return node.start_point[0] + 1


def declared_name(declarator: Node | None) -> str:
    """The identifier inside of a declarator, through pointers, references, arrays and initializers."""
    while declarator is not None and declarator.type not in ("identifier", "type_identifier", "field_identifier"):
        inner = declarator.child_by_field_name("declarator")
        declarator = inner if inner is not None else next(
            (child for child in declarator.named_children if child.type.endswith(("declarator", "identifier"))), None
        )  # fmt: skip
    return text_of(declarator)


def enclosing(node: Node, kind: str) -> Node | None:
    """The nearest node of a type around a node."""
    around = node.parent
    while around is not None and around.type != kind:
        around = around.parent
    return around


def called_name(node: Node | None) -> str:
    """The function that a call names, without what is given to its template."""
    function = node.child_by_field_name("function") if node is not None and node.type == "call_expression" else None
    if function is not None and function.type == "template_function":
        function = function.child_by_field_name("name")
    return text_of(function)


def _function(node: Node, aliases: Mapping[str, str]) -> FunctionSource | None:
    declarator, body = node.child_by_field_name("declarator"), node.child_by_field_name("body")
    if declarator is None or body is None or declarator.type != "function_declarator":
        return None
    listed = declarator.child_by_field_name("parameters")
    parameters = [child for child in listed.named_children if child.type == "parameter_declaration"] if listed else []
    return FunctionSource(
        declared_name(declarator.child_by_field_name("declarator")),
        tuple(_parameter(each, aliases) for each in parameters), body, node,
    )  # fmt: skip


def _parameter(node: Node, aliases: Mapping[str, str]) -> CppParameter:
    declarator = node.child_by_field_name("declarator")
    pointer = declarator is not None and declarator.type == "pointer_declarator"
    written = text_of(node.child_by_field_name("type"))
    name, opened, rest = written.partition("<")
    return CppParameter(f"{aliases.get(name, name)}{opened}{rest}", declared_name(declarator), pointer, written)


def directive_of(node: Node) -> Directive | None:
    """The directive of the tool that a node is, if it is one."""
    words = re.sub(r"\s*=\s*", "=", text_of(node)).split()
    if words[:1] != ["#pragma"] or len(words) < 3 or words[1].upper() != "HLS":
        return None
    options = {match[1]: match[2] or "" for match in map(_OPTION.fullmatch, words[3:]) if match}
    return Directive(words[2].lower(), options, node)
