"""Rules on variables, streams and the directives that place them (UG1399, "array_partition", "array_reshape",
"bind_storage", "dependence", "bind_op")."""

from collections.abc import Iterator

from tree_sitter import Node

from sttest.targets.vitis.cpp_source import CppSource, Directive, RuleViolation, declared_name, line_of, text_of, walk

_SPLITS = ("array_partition", "array_reshape")
_AFTER_DECLARATION = (*_SPLITS, "bind_storage", "dependence", "bind_op", "stream")
_FIFOS = ("srl", "memory", "lutram", "bram", "uram")
_MEMORIES = ("lutram", "bram", "uram")
_NAMED = "STTEST_FIFO("
_CHANNELS = ("stream", "stream_of_blocks")


def placed_after_declaration(source: CppSource) -> Iterator[RuleViolation]:
    """A directive on a variable follows its declaration in the same scope, or is in the process of a memory."""
    for directive in source.directives:
        if directive.name not in _AFTER_DECLARATION:
            continue
        variable = directive.options.get("variable", "")
        declaration = _declaration_before(directive.node)
        if directive.name == "dependence" and variable in _pointers_around(source, directive.node):
            continue
        if declaration is None or declared_name(declaration.child_by_field_name("declarator")) != variable:
            message = f"'{directive.name}' of '{variable}' does not follow its declaration"
            yield RuleViolation("placed-after-declaration", message, line_of(directive.node))


def _pointers_around(source: CppSource, node: Node) -> set[str]:
    """The memory of the function that a node is in."""
    around = [
        each for each in source.functions.values() if each.body.start_byte <= node.start_byte < each.body.end_byte
    ]
    return {parameter.name for each in around for parameter in each.parameters if parameter.is_pointer}


def _declaration_before(node: Node) -> Node | None:
    before = node.prev_named_sibling
    while before is not None and (before.type in ("preproc_call", "comment") or text_of(before).startswith(_NAMED)):
        before = before.prev_named_sibling
    return before if before is not None and before.type == "declaration" else None


def partitions(source: CppSource) -> Iterator[RuleViolation]:
    """A partition, into arrays or words, names a dim that the array has, and a factor above one."""
    for directive in source.directives:
        if directive.name not in _SPLITS:
            continue
        declaration = _declaration_before(directive.node)
        dims = _dims(source, declaration) if declaration is not None else 0
        kind, factor = directive.options.get("type"), directive.options.get("factor", "")
        right_factor = not factor if kind == "complete" else factor.isdecimal() and int(factor) > 1
        dim = directive.options.get("dim", "")
        if kind not in ("complete", "cyclic", "block") or not right_factor:
            yield RuleViolation("partitions", f"no such partition: {text_of(directive.node)}", line_of(directive.node))
        elif not (dim.isdecimal() and (1 <= int(dim) <= dims or (dim == "0" and kind == "complete"))):
            yield RuleViolation("partitions", f"dim {dim} of an array of {dims} dims", line_of(directive.node))


def dependences(source: CppSource) -> Iterator[RuleViolation]:
    """A dependence is one that exists: between iterations, of a read on the write so many iterations before."""
    for directive in source.directives:
        if directive.name != "dependence":
            continue
        distance = directive.options.get("distance", "")
        fixed = {key: directive.options.get(key) for key in ("type", "direction", "dependent")}
        if fixed != {"type": "inter", "direction": "RAW", "dependent": "true"} or not (
            distance.isdecimal() and int(distance) > 0
        ):
            yield RuleViolation(
                "dependences", f"no such dependence: {text_of(directive.node)}", line_of(directive.node)
            )


_BINDINGS = (("mul", "fabric", ""), ("mul", "dsp", ""), ("fadd", "fabric", "4"))


def _binding(directive: Directive) -> tuple[str, ...]:
    return tuple(directive.options.get(key, "") for key in ("op", "impl", "latency"))


def bound_products(source: CppSource) -> Iterator[RuleViolation]:
    """What is bound is a product of integers in LUTs or in a DSP, or a sum in LUTs at the latency of recurrences."""
    for directive in source.directives:
        if directive.name == "bind_op" and _binding(directive) not in _BINDINGS:
            yield RuleViolation(
                "bound-products", f"no such product: {text_of(directive.node)}", line_of(directive.node)
            )


def _dims(source: CppSource, declaration: Node) -> int:
    """Dims of an array; of a stream of blocks, those of a block."""
    declarator = declaration.child_by_field_name("declarator")
    found = _count(declarator) if declarator is not None else 0
    if found:
        return found
    used = {text_of(node) for node in walk(declaration) if node.type == "type_identifier"}
    for node in source.all("type_definition"):
        declared = node.child_by_field_name("declarator")
        if declared is not None and declared_name(declared) in used:
            return _count(declared)
    return 0


def _count(declarator: Node) -> int:
    return sum(node.type == "array_declarator" for node in walk(declarator))


def stream_storage(source: CppSource) -> Iterator[RuleViolation]:
    """A FIFO is bound to a kind of storage that FIFOs have, an array or a block to one with two ports."""
    for directive in source.directives:
        if directive.name != "bind_storage":
            continue
        declaration = _declaration_before(directive.node)
        is_fifo = declaration is not None and "hls::stream<" in text_of(declaration)
        kind, impl = directive.options.get("type"), directive.options.get("impl")
        if kind != ("fifo" if is_fifo else "ram_2p") or impl not in (_FIFOS if is_fifo else _MEMORIES):
            yield RuleViolation(
                "stream-storage", f"no such storage: {text_of(directive.node)}", line_of(directive.node)
            )


def stream_depths(source: CppSource) -> Iterator[RuleViolation]:
    """Every local stream has a constant depth of at least one token, every stream of blocks of two."""
    for node in source.all("template_type"):
        kind = text_of(node.child_by_field_name("name"))
        declared = node.parent.parent if node.parent is not None else None
        if kind not in _CHANNELS or declared is None or declared.type != "declaration":
            continue
        arguments = node.child_by_field_name("arguments")
        depth = text_of(arguments.named_children[-1]) if arguments is not None and arguments.named_children else ""
        least = 1 if kind == "stream" else 2
        if (name := declared_name(declared.child_by_field_name("declarator"))) in (depths := _told_depths(source)):
            depth = depths[name]
        if not (depth.isdecimal() and int(depth) >= least):
            yield RuleViolation("stream-depths", f"'{text_of(node)}' has no depth of at least {least}", line_of(node))


def _told_depths(source: CppSource) -> dict[str, str]:
    """Depths that directives give to streams, such as those of an array."""
    told = (each.options for each in source.directives if each.name == "stream")
    return {options.get("variable", ""): options.get("depth", "") for options in told}


def one_lock(source: CppSource) -> Iterator[RuleViolation]:
    """A process holds one block at a time: locks must not be nested."""
    for name, function in source.functions.items():
        locks = [node for node in walk(function.body) if node.type == "template_type" and "_lock" in text_of(node)]
        if len(locks) > 1:
            yield RuleViolation("one-lock", f"'{name}' takes {len(locks)} locks", line_of(locks[1]))
