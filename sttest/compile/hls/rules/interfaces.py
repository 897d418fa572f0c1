"""Rules on the kernel's ports (UG1399, "pragma HLS interface"; UG1393, kernel interfaces)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from sttest.compile.hls.rules.dataflow import process_calls
from sttest.compile.hls.rules.source import Directive, Source, Violation, line_of


def interfaces_in_top(source: Source) -> Iterator[Violation]:
    """Interface directives stand in the top function only, before its statements."""
    for directive in _interfaces(source):
        if source.top is None or directive.scope != source.top.body:
            yield Violation("interfaces-in-top", "an interface outside of the top function", line_of(directive.node))


def memory_ports(source: Source) -> Iterator[Violation]:
    """Every pointer has an m_axi port in a named bundle, and its address in the control registers."""
    if source.top is None:
        return
    for parameter in source.top.parameters:
        ports = [each for each in _interfaces(source, "m_axi") if each.options.get("port") == parameter.name]
        control = [each for each in _interfaces(source, "s_axilite") if each.options.get("port") == parameter.name]
        if not parameter.is_pointer or len(ports) != 1 or len(control) != 1:
            message = f"'{parameter.name}' is no pointer with one m_axi and one s_axilite interface"
            yield Violation("memory-ports", message, line_of(source.top.node))
        elif not ports[0].options.get("bundle") or ports[0].options.get("offset") != "slave":
            message = f"'{parameter.name}' has no bundle, or its offset is not in a register"
            yield Violation("memory-ports", message, line_of(ports[0].node))


def shared_bundles(source: Source) -> Iterator[Violation]:
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
            yield Violation("shared-bundles", message, line_of(ports[0].node))
        if len({tuple(sorted(_common(port).items())) for port in ports}) > 1:
            yield Violation("shared-bundles", f"ports of '{bundle}' have different options", line_of(ports[0].node))


def _common(port: Directive) -> dict[str, str]:
    """The options that all ports of a bundle share."""
    return {name: value for name, value in port.options.items() if name not in ("port", "channel")}


def control_port(source: Source) -> Iterator[Violation]:
    """The kernel is started through s_axilite."""
    returns = [each for each in _interfaces(source, "s_axilite") if each.options.get("port") == "return"]
    if len(returns) != 1:
        yield Violation("control-port", "there is not one s_axilite interface for 'return'", 1)


def memory_has_one_user(source: Source) -> Iterator[Violation]:
    """A port belongs to one process."""
    if source.top is None:
        return
    used = Counter(argument for _, *passed in process_calls(source) for argument in passed)
    for parameter in source.top.parameters:
        if used[parameter.name] != 1:
            message = f"'{parameter.name}' is used by {used[parameter.name]} processes"
            yield Violation("memory-has-one-user", message, line_of(source.top.node))


def known_directives(source: Source) -> Iterator[Violation]:
    """Only directives are used whose placement these rules know."""
    known = (
        "interface", "dataflow", "pipeline", "unroll", "loop_flatten", "array_partition", "array_reshape",
        "bind_storage", "dependence", "loop_tripcount", "allocation", "bind_op",
    )  # fmt: skip
    for directive in source.directives:
        if directive.name not in known:
            yield Violation("known-directives", f"'{directive.name}' is not checked", line_of(directive.node))


def _interfaces(source: Source, mode: str = "") -> list[Directive]:
    return [
        each for each in source.directives
        if each.name == "interface" and (not mode or each.options.get("mode") == mode)
    ]  # fmt: skip
