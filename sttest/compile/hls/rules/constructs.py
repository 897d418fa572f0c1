"""Rules on what a kernel may contain at all (UG1399, "Unsupported C/C++ Constructs")."""

from __future__ import annotations

from collections.abc import Iterator

from sttest.compile.hls.names import is_legal
from sttest.compile.hls.rules.source import Source, Violation, declared_name, line_of, text_of, walk

_ALLOCATORS = ("malloc", "calloc", "realloc", "free", "alloca")
_CONTAINERS = "std::"


def syntax(source: Source) -> Iterator[Violation]:
    """The file is C++."""
    if not source.root.has_error:
        return
    for node in walk(source.root):
        if node.is_error or node.is_missing:
            yield Violation("syntax", f"not C++: {text_of(node)[:40]!r}", line_of(node))
            return


def no_dynamic_memory(source: Source) -> Iterator[Violation]:
    """Nothing is allocated at run time."""
    for node in source.all("new_expression", "delete_expression"):
        yield Violation("no-dynamic-memory", f"'{text_of(node)}' allocates at run time", line_of(node))
    for node in source.all("call_expression"):
        if text_of(node.child_by_field_name("function")) in _ALLOCATORS:
            yield Violation("no-dynamic-memory", f"'{text_of(node)}' allocates at run time", line_of(node))


def no_exceptions(source: Source) -> Iterator[Violation]:
    """Nothing is thrown or caught."""
    for node in source.all("throw_statement", "try_statement"):
        yield Violation("no-exceptions", "exceptions can't be synthesised", line_of(node))


def no_library(source: Source) -> Iterator[Violation]:
    """Nothing of the C++ standard library is used."""
    for node in source.all("qualified_identifier"):
        if text_of(node).startswith(_CONTAINERS):
            yield Violation("no-library", f"'{text_of(node)}' can't be synthesised", line_of(node))


def no_recursion(source: Source) -> Iterator[Violation]:
    """No function calls itself, not by way of others either."""
    calls = {
        name: {
            text_of(node.child_by_field_name("function"))
            for node in walk(function.body)
            if node.type == "call_expression"
        }
        for name, function in source.functions.items()
    }
    for name, function in source.functions.items():
        reached, found = set(), set(calls[name])
        while found - reached:
            reached |= found
            found = set().union(*(calls.get(each, set()) for each in reached))
        if name in reached | found:
            yield Violation("no-recursion", f"'{name}' calls itself", line_of(function.node))


def constant_arrays(source: Source) -> Iterator[Violation]:
    """Every array has constant extents."""
    for node in source.all("array_declarator"):
        size = node.child_by_field_name("size")
        if size is None or size.type != "number_literal":
            yield Violation("constant-arrays", f"'{text_of(node)}' has no constant extent", line_of(node))


def identifiers(source: Source) -> Iterator[Violation]:
    """Every name that the file declares is one that C++ leaves to programs."""
    for node in source.all("declaration", "function_definition", "parameter_declaration", "type_definition"):
        name = declared_name(node.child_by_field_name("declarator"))
        if name and not is_legal(name):
            yield Violation("identifiers", f"the name '{name}' is not legal or not free", line_of(node))
