"""Memory ports and channels in hardware."""

from __future__ import annotations

from sttest.errors import InputError
from sttest.sim.bursts import ceil_div
from sttest.sim.graph import Channel, Memory, TimedGraph
from sttest.sim.rtl.verilog import identifier

MAX_SPAN = 4096
"""Bursts that one token may touch: a port checks them all in one cycle."""
MAX_BYTES = (1 << 31) - 1

_TO_PORT = ("there", "there_burst", "there_slot", "there_bytes", "there_last")


def port_instance(graph: TimedGraph, port: Memory, place: int, number: int, op: int) -> str:
    """Wires and instances of the port at ``place`` of the graph's processes, ``number`` in the log, its side ``op``.

    Raises:
        InputError: sizes that do not fit the hardware's registers.
    """
    _check(graph, port)
    lines = lines_of(port)
    parameters = _port_parameters(port, len(lines))
    wires = "".join(
        f"  logic [{width * len(lines) - 1}:0] p{place}_{wire};\n"
        for wire, width in (("there", 1), ("there_burst", 32), ("there_slot", 32), ("there_bytes", 32),
                            ("there_last", 1), ("wants", 1), ("grant", 1), ("bytes", 32), ("burst", 32), ("slot", 32))
    )  # fmt: skip
    fifo = graph.fifo_index[port.fifo]
    level, moves = ("space", "put") if port.op == "read" else ("avail", "take")
    to_port = ", ".join(f".{wire}(p{place}_{wire})" for wire in _TO_PORT)
    instance = (
        f"  twin_{port.op}_port #({parameters}) {identifier('process_', place, port.name)} "
        f"(.clk(clk), .tick(tick), .now(now), .id(32'd{number}), .op(32'd{op}), .report(report), "
        f".ready(f{fifo}_{level}), .n(f{fifo}_{moves}), .issued(p{place}_issued), {to_port}, "
        f".done(p{place}_done), .moving(p{place}_moving));\n"
    )
    requests = "".join(_requests(port, place, line, first) for line, first in enumerate(lines.values()))
    return f"{wires}  logic [31:0] p{place}_issued;\n{instance}{requests}"


def lines_of(port: Memory) -> dict[str, int]:
    """The channels of a port, each once, with its first position in the port's list."""
    return {name: port.channels.index(name) for name in dict.fromkeys(port.channels)}


def _check(graph: TimedGraph, port: Memory) -> None:
    """Byte counters are 32 bits wide, and a token's bursts are looked at in one cycle."""
    where = f"{graph.name}: process '{port.name}'"
    sizes = {"token_bytes": port.token_bytes, "burst_bytes": port.burst_bytes, "tokens": port.tokens}
    for what, demand in sizes.items():
        if demand > MAX_BYTES:
            raise InputError(
                "port-too-large-for-rtl", f"{what} is too large for the twin", where=where, demand=demand,
                bound=MAX_BYTES, levers=["use sttest simulate"],
            )  # fmt: skip
    if _span(port) > MAX_SPAN:
        raise InputError(
            "token-too-large-for-rtl", "a token touches too many bursts for the twin", where=where,
            demand=_span(port), bound=MAX_SPAN, unit="bursts", levers=["make the token smaller", "use larger bursts"],
        )  # fmt: skip


def _span(port: Memory) -> int:
    return min((port.token_bytes + port.burst_bytes - 2) // port.burst_bytes + 1, _bursts(port))


def _bursts(port: Memory) -> int:
    return ceil_div(port.tokens * port.token_bytes, port.burst_bytes)


def _slots(port: Memory) -> int:
    return min(port.outstanding * len(port.channels), _bursts(port))


def _port_parameters(port: Memory, lines: int) -> str:
    values = {
        "START": f"64'd{port.start}", "TOKENS": port.tokens, "TOKEN_BYTES": port.token_bytes,
        "BURST_BYTES": port.burst_bytes, "BURSTS": _bursts(port),
        "WINDOW": f"64'd{port.outstanding * len(port.channels)}", "SLOTS": _slots(port), "SPAN": _span(port),
        "LINES": lines,
    }  # fmt: skip
    return _parameters(values)


def _parameters(values: dict[str, object]) -> str:
    return ", ".join(f".{name}({value})" for name, value in values.items())


def _requests(port: Memory, place: int, line: int, first: int) -> str:
    positions = len(port.channels)
    hops = ", ".join(f"32'd{_hop(port.channels, position)}" for position in reversed(range(positions)))
    last_bytes = port.tokens * port.token_bytes - (_bursts(port) - 1) * port.burst_bytes
    values = {
        "FIRST": first, "POSITIONS": positions, "HOPS": f"{{{hops}}}",
        "SLOTS": _slots(port), "BURSTS": _bursts(port), "BURST_BYTES": port.burst_bytes, "LAST_BYTES": last_bytes,
    }  # fmt: skip
    word = f"[{line * 32} +: 32]"
    return (
        f"  twin_requests #({_parameters(values)}) requests_{place}_{line} (.clk(clk), .tick(tick), "
        f".issued(p{place}_issued), .grant(p{place}_grant[{line}]), .wants(p{place}_wants[{line}]), "
        f".bytes(p{place}_bytes{word}), .burst(p{place}_burst{word}), .slot(p{place}_slot{word}));\n"
    )


def _hop(channels: tuple[str, ...], position: int) -> int:
    """How far on in the list, taken round, the same channel stands next."""
    count = len(channels)
    return next(hop for hop in range(1, count + 1) if channels[(position + hop) % count] == channels[position])


def channel_instance(graph: TimedGraph, number: int) -> str:
    """Wires and instance of channel ``number``, joined to its ports in the order of the graph; empty if it has none."""
    channel = graph.channels[number]
    users = [
        (place, list(lines_of(port)).index(channel.name), port)
        for place, port in enumerate(graph.processes)
        if isinstance(port, Memory) and channel.name in port.channels
    ]
    if not users:
        return ""
    flights = min(channel.latency + 2, sum(_bursts(port) for _, _, port in users))
    values = {
        "PORTS": len(users), "LATENCY": f"64'd{channel.latency}", "BEAT_BYTES": channel.beat_bytes,
        "NUM": channel.beats_num, "DEN": channel.beats_den, "FLIGHTS": flights,
    }  # fmt: skip
    name = f"ch{number}"
    wires = f"""  logic [{len(users) - 1}:0] {name}_there;
  logic [31:0] {name}_burst, {name}_slot, {name}_bytes;
  logic {name}_last, {name}_moving;
"""
    instance = (
        f"  twin_channel #({_parameters(values)}) {identifier('channel_', number, channel.name)} "
        f"(.clk(clk), .tick(tick), .now(now), .wants({_gather(users, 'wants', 1)}), "
        f".bytes({_gather(users, 'bytes', 32)}), .bursts({_gather(users, 'burst', 32)}), "
        f".slots({_gather(users, 'slot', 32)}), .grant({_gather(users, 'grant', 1)}), .there({name}_there), "
        f".there_burst({name}_burst), .there_slot({name}_slot), .there_bytes({name}_bytes), "
        f".there_last({name}_last), .moving({name}_moving));\n"
    )
    return wires + instance + "".join(_to_port(name, turn, place, line) for turn, (place, line, _) in enumerate(users))


def _gather(users: list[tuple[int, int, Memory]], wire: str, width: int) -> str:
    """One part of each port's wire, the first port lowest."""
    part = "{line}" if width == 1 else "{low} +: 32"
    parts = [f"p{place}_{wire}[{part.format(line=line, low=line * 32)}]" for place, line, _ in reversed(users)]
    return f"{{{', '.join(parts)}}}"


def _to_port(name: str, turn: int, place: int, line: int) -> str:
    word = f"[{line * 32} +: 32]"
    return (
        f"  assign p{place}_there[{line}] = {name}_there[{turn}];\n"
        f"  assign p{place}_there_burst{word} = {name}_burst;\n"
        f"  assign p{place}_there_slot{word} = {name}_slot;\n"
        f"  assign p{place}_there_bytes{word} = {name}_bytes;\n"
        f"  assign p{place}_there_last[{line}] = {name}_last;\n"
    )


def channels_of(graph: TimedGraph) -> list[tuple[int, Channel]]:
    """The channels that some port uses, with their numbers."""
    used = {name for port in graph.processes if isinstance(port, Memory) for name in port.channels}
    return [(number, channel) for number, channel in enumerate(graph.channels) if channel.name in used]
