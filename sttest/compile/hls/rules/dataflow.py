"""Rules on the dataflow region (UG1399, "Canonical Forms" of dataflow, and the limits of its channels)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

from tree_sitter import Node

from sttest.compile.hls.rules.source import (
    Function,
    Parameter,
    Source,
    Violation,
    declared_name,
    line_of,
    text_of,
    walk,
)

CALL = "STTEST_PROCESS"
_IN_BRACKETS = re.compile(r"\((\w+)\)")


def one_top(source: Source) -> Iterator[Violation]:
    """There is one ``extern "C"`` function, and it alone is a dataflow region."""
    if source.top is None:
        yield Violation("one-top", 'there is not exactly one extern "C" function', 1)
        return
    regions = [directive for directive in source.directives if directive.name == "dataflow"]
    if [directive.scope for directive in regions] != [source.top.body]:
        yield Violation("one-top", "the top function is not the one dataflow region", line_of(source.top.node))


def canonical_form(source: Source) -> Iterator[Violation]:
    """The region holds declarations of channels and calls of processes, nothing else."""
    for node in _statements(source):
        if not (_is_channel(node) or _arguments(node)):
            yield Violation("canonical-form", f"'{text_of(node)[:60]}' in a dataflow region", line_of(node))


def processes_called_once(source: Source) -> Iterator[Violation]:
    """A call names a defined function, gives it as many arguments as it takes, and is its only one."""
    called = Counter(call[0] for call in process_calls(source))
    for node in _statements(source):
        name, *passed = _arguments(node) or [""]
        function = source.functions.get(name)
        if not name:
            continue
        if function is None or len(function.parameters) != len(passed):
            yield Violation("processes-called-once", f"'{name}' does not fit a definition", line_of(node))
        elif called[name] > 1:
            yield Violation("processes-called-once", f"'{name}' is called {called[name]} times", line_of(node))


def one_writer_one_reader(source: Source) -> Iterator[Violation]:
    """Every channel is written by one process and read by one other, a later one.

    A process that takes turns, or goes over layers, may read what a later one writes, and so may a DMA that waits for
    something before it reads on; the tool warns of that as feedback.
    """
    uses = _Uses(source)
    ends: dict[str, str] = {}
    taking_turns: set[str] = set()
    for name, *passed in process_calls(source):
        function = source.functions.get(name)
        if function is None:
            continue
        channels = [pair for pair in zip(function.parameters, passed, strict=False) if pair[0].is_channel]
        for parameter, argument in channels:
            ends[argument] = ends.get(argument, "") + uses.of(function, parameter)
        if channels and uses.may_be_fed_back(function):
            taking_turns |= {argument for _, argument in channels}
    for node in _statements(source):
        channel = declared_name(node.child_by_field_name("declarator")) if _is_channel(node) else ""
        if channel and ends.get(channel, "") not in (("wr", "rw") if channel in taking_turns else ("wr",)):
            order = ", ".join({"w": "written", "r": "read"}.get(end, "not used alike") for end in ends.get(channel, ""))
            yield Violation("one-writer-one-reader", f"'{channel}' is {order or 'not used'}", line_of(node))


def turns_share_hardware(source: Source) -> Iterator[Violation]:
    """A process that calls another function with channels says that there is one of it, and does nothing else."""
    for function in source.functions.values():
        called = {each.name for each, _ in _calls(source, function)}
        limits = source.directives_in(function.body, "allocation")
        allowed = {each.options.get("instances", "") for each in limits if each.options.get("limit") == "1"}
        others = _statements_of(function.body)
        calls = [node for node in others if node.type == "expression_statement"]
        if called != allowed or len(limits) != len(called) or (called and len(calls) != len(others)):
            message = (
                f"'{function.name}' calls {', '.join(sorted(called)) or 'nothing'} in turn, and limits other things"
            )
            yield Violation("turns-share-hardware", message, line_of(function.node))


def _statements_of(body: Node) -> list[Node]:
    """What a function does, in its loop over layers if it has one and behind it."""
    found = [node for node in body.named_children if node.type not in ("preproc_call", "comment")]
    return [inner for node in found for inner in _unlooped(node)]


def _unlooped(node: Node) -> list[Node]:
    loop = node.named_children[-1] if node.type == "labeled_statement" else node
    body = loop.child_by_field_name("body") if loop.type == "for_statement" and loop is not node else None
    return [node] if body is None else _statements_of(body)


def _statements(source: Source) -> list[Node]:
    """The top function's statements without directives and comments."""
    if source.top is None:
        return []
    return [node for node in source.top.body.named_children if node.type not in ("preproc_call", "comment")]


def _is_channel(node: Node) -> bool:
    if node.type != "declaration":
        return False
    return text_of(node.child_by_field_name("type")).startswith(("hls::stream<", "hls::stream_of_blocks<"))


def process_calls(source: Source) -> list[list[str]]:
    """Process and arguments of every call in the region."""
    return [found for found in map(_arguments, _statements(source)) if found]


def _arguments(node: Node) -> list[str]:
    """What a call through the macro names; empty if it is none, or one with anything but names."""
    call = node.named_children[0] if node.type == "expression_statement" and node.named_children else None
    if call is None or call.type != "call_expression" or text_of(call.child_by_field_name("function")) != CALL:
        return []
    passed = call.child_by_field_name("arguments")
    named = passed.named_children if passed is not None else []
    return [text_of(each) for each in named] if all(each.type == "identifier" for each in named) else []


def _calls(source: Source, function: Function) -> Iterator[tuple[Function, list[str]]]:
    """The functions that a process calls with channels, and what it passes."""
    for node in walk(function.body):
        called = source.functions.get(text_of(node.child_by_field_name("function")) if _is_call(node) else "")
        passed = node.child_by_field_name("arguments")
        if called is not None and passed is not None and any(each.is_channel for each in called.parameters):
            yield called, [text_of(each) for each in passed.named_children]


def _is_call(node: Node) -> bool:
    return node.type == "call_expression" and node.child_by_field_name("function") is not None


class _Uses:
    """What the functions of a file do with their channels; each body is looked through once, not per channel."""

    def __init__(self, source: Source) -> None:
        self.calls = {name: list(_calls(source, function)) for name, function in source.functions.items()}
        self.verbs = {name: _verbs(function.body) for name, function in source.functions.items()}

    def of(self, function: Function, parameter: Parameter) -> str:
        """``r`` or ``w`` for a channel that a process, or its turn, only reads or only writes, else something else."""
        for called, passed in self.calls[function.name]:
            if parameter.name in passed and len(passed) == len(called.parameters):
                return self.of(called, called.parameters[passed.index(parameter.name)])
        verbs = self.verbs[function.name].get(parameter.name, set())
        return {frozenset(["read"]): "r", frozenset(["write"]): "w"}.get(frozenset(verbs), "?")

    def may_be_fed_back(self, function: Function) -> bool:
        """Whether a process calls another for turns, chooses by layer what it reads, or is a DMA that waits."""
        chooses = any(text_of(node.child_by_field_name("condition")) == "(layer == 0)" for node in walk(function.body))
        is_dma = any(parameter.is_pointer for parameter in function.parameters)
        uses = {self.of(function, parameter) for parameter in function.parameters if parameter.is_channel}
        return chooses or (is_dma and uses == {"r", "w"}) or bool(self.calls[function.name])


def _verbs(body: Node) -> dict[str, set[str]]:
    """Per name, the members of it that are named, and what the locks do that are declared on it."""
    found: dict[str, set[str]] = defaultdict(set)
    for node in walk(body):
        if node.type == "field_expression":
            found[text_of(node.child_by_field_name("argument"))].add(text_of(node.child_by_field_name("field")))
        elif node.type == "declaration":
            text = text_of(node)
            for name in _IN_BRACKETS.findall(text):
                found[name].add("read" if "read_lock" in text else "write")
    return found
