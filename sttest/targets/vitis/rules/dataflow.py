"""Rules on the dataflow region (UG1399, "Canonical Forms" of dataflow, and the limits of its channels)."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from tree_sitter import Node

from sttest.compile.hls.types import is_legal
from sttest.targets.vitis.cpp_source import (
    CppParameter,
    CppSource,
    Directive,
    FunctionSource,
    RuleViolation,
    called_name,
    declared_name,
    enclosing,
    line_of,
    text_of,
    walk,
)

CALL = "STTEST_PROCESS"
NAMED = "STTEST_FIFO"
_IN_BRACKETS = re.compile(r"\((\w+)\)")


def one_top(source: CppSource) -> Iterator[RuleViolation]:
    """There is one ``extern "C"`` function, and it alone is a dataflow region."""
    if source.top is None:
        yield RuleViolation("one-top", 'there is not exactly one extern "C" function', 1)
        return
    regions = [directive for directive in source.directives if directive.name == "dataflow"]
    if [directive.scope for directive in regions] != [source.top.body]:
        yield RuleViolation("one-top", "the top function is not the one dataflow region", line_of(source.top.node))


def canonical_form(source: CppSource) -> Iterator[RuleViolation]:
    """The region holds declarations of channels and calls of processes, nothing else."""
    for node in _statements(source):
        if not (_is_channel(node) or _arguments(node) or _is_name(node)):
            yield RuleViolation("canonical-form", f"'{text_of(node)[:60]}' in a dataflow region", line_of(node))


def processes_called_once(source: CppSource) -> Iterator[RuleViolation]:
    """A call names a defined function, gives it as many arguments as it takes, and is its only one."""
    called = Counter(call[0] for call in process_calls(source))
    for node in _statements(source):
        name, *passed = _arguments(node) or [""]
        function = source.functions.get(name)
        if not name:
            continue
        if function is None or len(function.parameters) != len(passed):
            yield RuleViolation("processes-called-once", f"'{name}' does not fit a definition", line_of(node))
        elif called[name] > 1:
            yield RuleViolation("processes-called-once", f"'{name}' is called {called[name]} times", line_of(node))


def one_writer_one_reader(source: CppSource) -> Iterator[RuleViolation]:
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
            yield RuleViolation("one-writer-one-reader", f"'{channel}' is {order or 'not used'}", line_of(node))


def turns_share_hardware(source: CppSource) -> Iterator[RuleViolation]:
    """A process that calls another function with channels says that there is one of it, and does nothing else.

    What is inlined is the process's own.
    """
    for function in source.functions.values():
        called = {each.name for each, _ in _calls(source, function) if not source.is_inlined(each)}
        limits = source.directives_in(function.body, "allocation")
        allowed = {each.options.get("instances", "") for each in limits if each.options.get("limit") == "1"}
        others = _statements_of(function.body)
        calls = [node for node in others if node.type == "expression_statement"]
        if called != allowed or len(limits) != len(called) or (called and len(calls) != len(others)):
            message = (
                f"'{function.name}' calls {', '.join(sorted(called)) or 'nothing'} in turn, and limits other things"
            )
            yield RuleViolation("turns-share-hardware", message, line_of(function.node))


def _statements_of(body: Node) -> list[Node]:
    """What a function does, in its loop over layers if it has one and behind it."""
    found = [node for node in body.named_children if node.type not in ("preproc_call", "comment")]
    return [inner for node in found for inner in _unlooped(node)]


def _unlooped(node: Node) -> list[Node]:
    loop = node.named_children[-1] if node.type == "labeled_statement" else node
    body = loop.child_by_field_name("body") if loop.type == "for_statement" and loop is not node else None
    return [node] if body is None else _statements_of(body)


def _statements(source: CppSource) -> list[Node]:
    """The top function's statements without directives and comments."""
    if source.top is None:
        return []
    return [node for node in source.top.body.named_children if node.type not in ("preproc_call", "comment")]


def _is_name(node: Node) -> bool:
    """Whether a statement says what FIFOs are called in simulation, which is nothing for the tool."""
    return node.type == "expression_statement" and any(called_name(each) == NAMED for each in node.named_children[:1])


def _is_channel(node: Node) -> bool:
    if node.type != "declaration":
        return False
    return text_of(node.child_by_field_name("type")).startswith(("hls::stream<", "hls::stream_of_blocks<"))


def process_calls(source: CppSource) -> list[list[str]]:
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


def _calls(source: CppSource, function: FunctionSource) -> Iterator[tuple[FunctionSource, list[str]]]:
    """The functions that a process calls with channels, and what it passes."""
    for node in walk(function.body):
        called = source.functions.get(called_name(node))
        passed = node.child_by_field_name("arguments")
        if called is not None and passed is not None and any(each.is_channel for each in called.parameters):
            yield called, [text_of(each) for each in passed.named_children]


class _Uses:
    """What the functions of a file do with their channels; each body is looked through once, not per channel."""

    def __init__(self, source: CppSource) -> None:
        self.calls = {name: list(_calls(source, function)) for name, function in source.functions.items()}
        self.inlined = {name for name, function in source.functions.items() if source.is_inlined(function)}
        self.verbs = {name: _verbs(function.body) for name, function in source.functions.items()}

    def of(self, function: FunctionSource, parameter: CppParameter) -> str:
        """``r`` or ``w`` for a channel that a process, or its turn, only reads or only writes, else something else."""
        for called, passed in self.calls[function.name]:
            if parameter.name in passed and len(passed) == len(called.parameters):
                return self.of(called, called.parameters[passed.index(parameter.name)])
        verbs = self.verbs[function.name].get(parameter.name, set())
        return {frozenset(["read"]): "r", frozenset(["write"]): "w"}.get(frozenset(verbs), "?")

    def may_be_fed_back(self, function: FunctionSource) -> bool:
        """Whether a process takes turns, chooses by layer what it reads, or is a DMA that waits."""
        called = [each for each, _ in self.calls[function.name]]
        bodies = [function.body, *(each.body for each in called if each.name in self.inlined)]
        nodes = (node for body in bodies for node in walk(body))
        chooses = any(text_of(node.child_by_field_name("condition")) == "(layer == 0)" for node in nodes)
        is_dma = any(parameter.is_pointer for parameter in function.parameters)
        uses = {each.name: self.of(function, each) for each in function.parameters if each.is_channel}
        takes_turns = any(each.name not in self.inlined for each in called) or _reads_in_turn(function.body, uses)
        return chooses or (is_dma and {*uses.values()} == {"r", "w"}) or takes_turns


def _reads_in_turn(body: Node, uses: Mapping[str, str]) -> bool:
    """Whether the loops of a process read one channel each, and not all the same."""
    loops = [node for node in walk(body) if node.type == "for_statement"]
    innermost = [loop for loop in loops if sum(node.type == "for_statement" for node in walk(loop)) == 1]
    named = ({text_of(node) for node in walk(loop) if node.type == "identifier"} for loop in innermost)
    read = [frozenset(name for name in names if uses.get(name) == "r") for names in named]
    return all(len(names) == 1 for names in read) and len({*read}) > 1


def _verbs(body: Node) -> dict[str, set[str]]:
    """Per name, the members of it that are named, and what the locks do that are declared on it."""
    found: dict[str, set[str]] = defaultdict(set)
    for node in walk(body):
        if node.type == "field_expression":
            base = text_of(node.child_by_field_name("argument")).partition("[")[0]
            found[base].add(text_of(node.child_by_field_name("field")))
        elif node.type == "declaration":
            text = text_of(node)
            for name in _IN_BRACKETS.findall(text):
                found[name].add("read" if "read_lock" in text else "write")
    return found


# --- Rules on what a kernel may contain at all (UG1399, "Unsupported C/C++ Constructs")


_ALLOCATORS = ("malloc", "calloc", "realloc", "free", "alloca")
_CONTAINERS = "std::"


def syntax(source: CppSource) -> Iterator[RuleViolation]:
    """The file is C++."""
    if not source.root.has_error:
        return
    for node in walk(source.root):
        if node.is_error or node.is_missing:
            yield RuleViolation("syntax", f"not C++: {text_of(node)[:40]!r}", line_of(node))
            return


def no_dynamic_memory(source: CppSource) -> Iterator[RuleViolation]:
    """Nothing is allocated at run time."""
    for node in source.all("new_expression", "delete_expression"):
        yield RuleViolation("no-dynamic-memory", f"'{text_of(node)}' allocates at run time", line_of(node))
    for node in source.all("call_expression"):
        if text_of(node.child_by_field_name("function")) in _ALLOCATORS:
            yield RuleViolation("no-dynamic-memory", f"'{text_of(node)}' allocates at run time", line_of(node))


def no_exceptions(source: CppSource) -> Iterator[RuleViolation]:
    """Nothing is thrown or caught."""
    for node in source.all("throw_statement", "try_statement"):
        yield RuleViolation("no-exceptions", "exceptions can't be synthesized", line_of(node))


def no_library(source: CppSource) -> Iterator[RuleViolation]:
    """Nothing of the C++ standard library is used."""
    for node in source.all("qualified_identifier"):
        if text_of(node).startswith(_CONTAINERS):
            yield RuleViolation("no-library", f"'{text_of(node)}' can't be synthesized", line_of(node))


def no_recursion(source: CppSource) -> Iterator[RuleViolation]:
    """No function calls itself, not by way of others either."""
    calls = {
        name: {called_name(node) for node in walk(function.body) if node.type == "call_expression"}
        for name, function in source.functions.items()
    }
    for name, function in source.functions.items():
        reached, found = set(), set(calls[name])
        while found - reached:
            reached |= found
            found = set().union(*(calls.get(each, set()) for each in reached))
        if name in reached | found:
            yield RuleViolation("no-recursion", f"'{name}' calls itself", line_of(function.node))


def constant_arrays(source: CppSource) -> Iterator[RuleViolation]:
    """Every array has constant extents."""
    for node in source.all("array_declarator"):
        size = node.child_by_field_name("size")
        if not source.is_size(size):
            yield RuleViolation("constant-arrays", f"'{text_of(node)}' has no constant extent", line_of(node))


def identifiers(source: CppSource) -> Iterator[RuleViolation]:
    """Every name that the file declares is one that C++ leaves to programs."""
    for node in source.all("declaration", "function_definition", "parameter_declaration", "type_definition"):
        name = declared_name(node.child_by_field_name("declarator"))
        if name and not is_legal(name):
            yield RuleViolation("identifiers", f"the name '{name}' is not legal or not free", line_of(node))


# --- Rules on the kernel's ports (UG1399, "pragma HLS interface"; UG1393, kernel interfaces)


def interfaces_in_top(source: CppSource) -> Iterator[RuleViolation]:
    """Interface directives stand in the top function only, before its statements."""
    for directive in _interfaces(source):
        if source.top is None or directive.scope != source.top.body:
            yield RuleViolation(
                "interfaces-in-top", "an interface outside of the top function", line_of(directive.node)
            )


def memory_ports(source: CppSource) -> Iterator[RuleViolation]:
    """Every pointer has an m_axi port in a named bundle, and its address in the control registers.

    ``offset=slave`` puts the address there (UG1399, "Offset and Modes of Operation").
    """
    if source.top is None:
        return
    for parameter in source.top.parameters:
        ports = [each for each in _interfaces(source, "m_axi") if each.options.get("port") == parameter.name]
        if not parameter.is_pointer or len(ports) != 1:
            message = f"'{parameter.name}' is no pointer with one m_axi interface"
            yield RuleViolation("memory-ports", message, line_of(source.top.node))
        elif not ports[0].options.get("bundle") or ports[0].options.get("offset") != "slave":
            message = f"'{parameter.name}' has no bundle, or its offset is not in a register"
            yield RuleViolation("memory-ports", message, line_of(ports[0].node))


def shared_bundles(source: CppSource) -> Iterator[RuleViolation]:
    """Ports of one bundle have a channel each and equal options (UG1399, "M_AXI Channels"; UG1448, 200-466).

    Without channels they would share one load unit: what one process does not take would hold up the others.
    """
    bundles: dict[str, list[Directive]] = {}
    for each in _interfaces(source, "m_axi"):
        bundles.setdefault(each.options.get("bundle", ""), []).append(each)
    for bundle, ports in bundles.items():
        if len(ports) == 1:
            continue
        channels = Counter(port.options.get("channel", "") for port in ports)
        if "" in channels or max(channels.values()) > 1:
            message = f"the {len(ports)} ports of '{bundle}' have {len(channels)} channels"
            yield RuleViolation("shared-bundles", message, line_of(ports[0].node))
        if len({tuple(sorted(_common(port).items())) for port in ports}) > 1:
            yield RuleViolation("shared-bundles", f"ports of '{bundle}' have different options", line_of(ports[0].node))


def _common(port: Directive) -> dict[str, str]:
    """The options that all ports of a bundle share."""
    return {name: value for name, value in port.options.items() if name not in ("port", "channel")}


def control_port(source: CppSource) -> Iterator[RuleViolation]:
    """The kernel is started through s_axilite."""
    returns = [each for each in _interfaces(source, "s_axilite") if each.options.get("port") == "return"]
    if len(returns) != 1:
        yield RuleViolation("control-port", "there is not one s_axilite interface for 'return'", 1)


def memory_has_one_user(source: CppSource) -> Iterator[RuleViolation]:
    """A port belongs to one process."""
    if source.top is None:
        return
    used = Counter(argument for _, *passed in process_calls(source) for argument in passed)
    for parameter in source.top.parameters:
        if used[parameter.name] != 1:
            message = f"'{parameter.name}' is used by {used[parameter.name]} processes"
            yield RuleViolation("memory-has-one-user", message, line_of(source.top.node))


def known_directives(source: CppSource) -> Iterator[RuleViolation]:
    """Only directives are used whose placement these rules know."""
    known = (
        "interface",
        "dataflow",
        "pipeline",
        "unroll",
        "loop_flatten",
        "array_partition",
        "array_reshape",
        "bind_storage",
        "dependence",
        "loop_tripcount",
        "allocation",
        "bind_op",
        "inline",
        "stream",
    )
    for directive in source.directives:
        if directive.name not in known:
            yield RuleViolation("known-directives", f"'{directive.name}' is not checked", line_of(directive.node))


def _interfaces(source: CppSource, mode: str = "") -> list[Directive]:
    return [
        each
        for each in source.directives
        if each.name == "interface" and (not mode or each.options.get("mode") == mode)
    ]


# --- Rules on loops and on the directives in them (UG1399, "pragma HLS pipeline", "pragma HLS unroll")


_IN_LOOPS = ("pipeline", "unroll", "loop_flatten", "loop_tripcount")

_ITERATED = ("pipeline", "unroll")


def constant_bounds(source: CppSource) -> Iterator[RuleViolation]:
    """Every loop is ``for (int i = 0; i < N; ++i)`` with a number N, sizes, or a ``const int`` parameter."""
    for node in source.all("while_statement", "do_statement", "goto_statement", "for_range_loop"):
        yield RuleViolation("constant-bounds", "only counted loops have a known number of iterations", line_of(node))
    for node in source.all("for_statement"):
        if not _is_counted(source, node, _told_bounds(source, node)):
            yield RuleViolation("constant-bounds", f"'{text_of(node).splitlines()[0]}' is not counted", line_of(node))


def _told_bounds(source: CppSource, loop: Node) -> set[str]:
    """The bounds that the loop may have besides numbers: parameters, where a directive says how large they are."""
    function, body = enclosing(loop, "function_definition"), loop.child_by_field_name("body")
    if function is None or body is None or not source.directives_in(body, "loop_tripcount"):
        return set()
    parameters = function.child_by_field_name("declarator")
    declared = re.findall(r"const int (\w+)[,)]", text_of(parameters)) if parameters is not None else []
    return set(declared)


def _is_counted(source: CppSource, loop: Node, told: set[str]) -> bool:
    start, test, step = (loop.child_by_field_name(name) for name in ("initializer", "condition", "update"))
    declared = start.child_by_field_name("declarator") if start is not None else None
    variable = text_of(declared.child_by_field_name("declarator")) if declared is not None else ""
    bound = test.child_by_field_name("right") if test is not None else None
    return (
        bool(variable)
        and bound is not None
        and (text_of(bound) in told or source.is_size(bound))
        and text_of(start) == f"int {variable} = 0;"
        and text_of(test) == f"{variable} < {text_of(bound)}"
        and text_of(step) == f"++{variable}"
    )


def loop_directives(source: CppSource) -> Iterator[RuleViolation]:
    """A pipeline or unroll directive stands directly in the body of a loop, before its statements."""
    for directive in source.directives:
        if directive.name in _IN_LOOPS and not _opens_loop(directive):
            message = f"'{directive.name}' does not stand at the start of a loop's body"
            yield RuleViolation("loop-directives", message, line_of(directive.node))


def _opens_loop(directive: Directive) -> bool:
    scope = directive.scope
    if scope is None or scope.parent is None or scope.parent.type != "for_statement":
        return False
    before = directive.node.prev_named_sibling
    return before is None or before.type in ("preproc_call", "comment")


def pipeline_interval(source: CppSource) -> Iterator[RuleViolation]:
    """A pipeline names an initiation interval of at least one cycle, or is off."""
    for directive in source.directives:
        if "off" in directive.options:
            continue
        interval = directive.options.get("II", "")
        is_known = (interval.isdecimal() and int(interval) > 0) or interval in source.sizes_around(directive.node)
        if directive.name == "pipeline" and not is_known:
            yield RuleViolation("pipeline-interval", "no initiation interval of at least 1", line_of(directive.node))


def pipelined_leaves(source: CppSource) -> Iterator[RuleViolation]:
    """Nothing is left to iterate in a pipelined loop: the tool unrolls what lies inside if nothing else is said."""
    opened = {each.scope.id: each for each in source.directives if each.name in _ITERATED and each.scope is not None}
    for node in source.all("for_statement"):
        body = node.child_by_field_name("body")
        mine = opened.get(body.id) if body is not None else None
        around = enclosing(node, "for_statement")
        while around is not None:
            outer = around.child_by_field_name("body")
            found = opened.get(outer.id) if outer is not None else None
            if found is not None and found.name == "pipeline" and mine is not None and mine.name != "unroll":
                yield RuleViolation("pipelined-leaves", "a loop in a pipelined loop is not unrolled", line_of(node))
                break
            around = enclosing(around, "for_statement")
