"""Rules on loops and on the directives in them (UG1399, "pragma HLS pipeline", "pragma HLS unroll")."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from sttest.compile.hls.rules.source import Directive, Source, Violation, enclosing, line_of, text_of

_IN_LOOPS = ("pipeline", "unroll", "loop_flatten", "loop_tripcount")

_ITERATED = ("pipeline", "unroll")


def constant_bounds(source: Source) -> Iterator[Violation]:
    """Every loop is ``for (int i = 0; i < N; ++i)`` with a number N, or a ``const int`` parameter and a trip count."""
    for node in source.all("while_statement", "do_statement", "goto_statement", "for_range_loop"):
        yield Violation("constant-bounds", "only counted loops have a known number of iterations", line_of(node))
    for node in source.all("for_statement"):
        if not _is_counted(node, _told_bounds(source, node)):
            yield Violation("constant-bounds", f"'{text_of(node).splitlines()[0]}' is not counted", line_of(node))


def _told_bounds(source: Source, loop: Node) -> set[str]:
    """The bounds that the loop may have besides numbers: parameters, where a directive says how large they are."""
    function, body = enclosing(loop, "function_definition"), loop.child_by_field_name("body")
    if function is None or body is None or not source.directives_in(body, "loop_tripcount"):
        return set()
    parameters = function.child_by_field_name("declarator")
    declared = re.findall(r"const int (\w+)[,)]", text_of(parameters)) if parameters is not None else []
    return set(declared)


def _is_counted(loop: Node, told: set[str]) -> bool:
    start, test, step = (loop.child_by_field_name(name) for name in ("initializer", "condition", "update"))
    declared = start.child_by_field_name("declarator") if start is not None else None
    variable = text_of(declared.child_by_field_name("declarator")) if declared is not None else ""
    bound = test.child_by_field_name("right") if test is not None else None
    return (
        bool(variable)
        and bound is not None
        and (text_of(bound) in told or (bound.type == "number_literal" and int(text_of(bound)) > 0))
        and text_of(start) == f"int {variable} = 0;"
        and text_of(test) == f"{variable} < {text_of(bound)}"
        and text_of(step) == f"++{variable}"
    )


def loop_directives(source: Source) -> Iterator[Violation]:
    """A pipeline or unroll directive stands directly in the body of a loop, before its statements."""
    for directive in source.directives:
        if directive.name in _IN_LOOPS and not _opens_loop(directive):
            message = f"'{directive.name}' does not stand at the start of a loop's body"
            yield Violation("loop-directives", message, line_of(directive.node))


def _opens_loop(directive: Directive) -> bool:
    scope = directive.scope
    if scope is None or scope.parent is None or scope.parent.type != "for_statement":
        return False
    before = directive.node.prev_named_sibling
    return before is None or before.type in ("preproc_call", "comment")


def pipeline_interval(source: Source) -> Iterator[Violation]:
    """A pipeline names an initiation interval of at least one cycle, or is off."""
    for directive in source.directives:
        if "off" in directive.options:
            continue
        interval = directive.options.get("II", "")
        if directive.name == "pipeline" and not (interval.isdigit() and int(interval) > 0):
            yield Violation("pipeline-interval", "no initiation interval of at least 1", line_of(directive.node))


def pipelined_leaves(source: Source) -> Iterator[Violation]:
    """Whatever loops lie in a pipelined loop are unrolled: nothing is left to iterate inside."""
    opened = {each.scope.id: each for each in source.directives if each.name in _ITERATED and each.scope is not None}
    for node in source.all("for_statement"):
        body = node.child_by_field_name("body")
        mine = opened.get(body.id) if body is not None else None
        around = enclosing(node, "for_statement")
        while around is not None:
            outer = around.child_by_field_name("body")
            found = opened.get(outer.id) if outer is not None else None
            if found is not None and found.name == "pipeline" and (mine is None or mine.name != "unroll"):
                yield Violation("pipelined-leaves", "a loop in a pipelined loop is not unrolled", line_of(node))
                break
            around = enclosing(around, "for_statement")
