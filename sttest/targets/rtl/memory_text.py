"""Memory ports and channels in hardware."""

from math import prod

import numpy as np

from sttest.core.errors import InputError
from sttest.sim.bursts import ceil_div
from sttest.sim.graph import Actor, Channel, Ends, Event, Fifo, Loop, MemoryPort, Process, TimedGraph, joins_actors
from sttest.targets.rtl.loops import identifier

MAX_SPAN = 4096
"""Bursts that one token may touch: a port checks them all in one cycle."""
MAX_BYTES = (1 << 31) - 1

_TO_PORT = ("there", "there_burst", "there_slot", "there_bytes", "there_last")


def port_instance(graph: TimedGraph, port: MemoryPort, place: int, number: int, op: int) -> str:
    """Wires and instances of the port at ``place`` of the graph's processes, ``number`` in the log, its side ``op``.

    Raises:
        InputError: sizes that do not fit the hardware's registers.
    """
    _check(graph, port)
    lines = lines_of(port)
    parameters = _port_parameters(port, len(lines))
    wires = "".join(
        f"  logic [{width * len(lines) - 1}:0] p{place}_{wire};\n"
        for wire, width in (
            ("there", 1),
            ("there_burst", 32),
            ("there_slot", 32),
            ("there_bytes", 32),
            ("there_last", 1),
            ("wants", 1),
            ("grant", 1),
            ("bytes", 32),
            ("burst", 32),
            ("slot", 32),
        )
    )
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


def lines_of(port: MemoryPort) -> dict[str, int]:
    """The channels of a port, each once, with its first position in the port's list."""
    return {name: port.channels.index(name) for name in dict.fromkeys(port.channels)}


def _check(graph: TimedGraph, port: MemoryPort) -> None:
    """Byte counters are 32 bits wide, and a token's bursts are looked at in one cycle."""
    where = f"{graph.name}: process '{port.name}'"
    sizes = {"token_bytes": port.token_bytes, "burst_bytes": port.burst_bytes, "tokens": port.tokens}
    for what, demand in sizes.items():
        if demand > MAX_BYTES:
            raise InputError(
                "port-too-large-for-rtl",
                f"{what} is too large for the twin",
                where=where,
                demand=demand,
                bound=MAX_BYTES,
                hints=["use sttest simulate"],
            )
    if _span(port) > MAX_SPAN:
        raise InputError(
            "token-too-large-for-rtl",
            "a token touches too many bursts for the twin",
            where=where,
            demand=_span(port),
            bound=MAX_SPAN,
            unit="bursts",
            hints=["make the token smaller", "use larger bursts"],
        )


def _span(port: MemoryPort) -> int:
    return min((port.token_bytes + port.burst_bytes - 2) // port.burst_bytes + 1, _bursts(port))


def _bursts(port: MemoryPort) -> int:
    return ceil_div(port.tokens * port.token_bytes, port.burst_bytes)


def _slots(port: MemoryPort) -> int:
    return min(port.outstanding * len(port.channels), _bursts(port))


def _port_parameters(port: MemoryPort, lines: int) -> str:
    values = {
        "START": f"64'd{port.start}",
        "TOKENS": port.tokens,
        "TOKEN_BYTES": port.token_bytes,
        "BURST_BYTES": port.burst_bytes,
        "BURSTS": _bursts(port),
        "WINDOW": f"64'd{port.outstanding * len(port.channels)}",
        "SLOTS": _slots(port),
        "SPAN": _span(port),
        "LINES": lines,
    }
    return _parameters(values)


def _parameters(values: dict[str, object]) -> str:
    return ", ".join(f".{name}({value})" for name, value in values.items())


def _requests(port: MemoryPort, place: int, line: int, first: int) -> str:
    positions = len(port.channels)
    hops = ", ".join(f"32'd{_hop(port.channels, position)}" for position in reversed(range(positions)))
    last_bytes = port.tokens * port.token_bytes - (_bursts(port) - 1) * port.burst_bytes
    values = {
        "FIRST": first,
        "POSITIONS": positions,
        "HOPS": f"{{{hops}}}",
        "SLOTS": _slots(port),
        "BURSTS": _bursts(port),
        "BURST_BYTES": port.burst_bytes,
        "LAST_BYTES": last_bytes,
    }
    word = f"[{line * 32} +: 32]"
    return (
        f"  twin_requests #({_parameters(values)}) requests_{place}_{line} (.clk(clk), .tick(tick), "
        f".issued(p{place}_issued), .grant(p{place}_grant[{line}]), .wants(p{place}_wants[{line}]), "
        f".bytes(p{place}_bytes{word}), .burst(p{place}_burst{word}), .slot(p{place}_slot{word}));\n"
    )


def _hop(channels: tuple[str, ...], position: int) -> int:
    """The distance to the same channel's next place in the list, taken round."""
    count = len(channels)
    return next(hop for hop in range(1, count + 1) if channels[(position + hop) % count] == channels[position])


def channel_instance(graph: TimedGraph, number: int) -> str:
    """Wires and instance of channel ``number``, joined to its ports in the order of the graph; empty if it has none."""
    channel = graph.channels[number]
    users = [
        (place, list(lines_of(port)).index(channel.name), port)
        for place, port in enumerate(graph.processes)
        if isinstance(port, MemoryPort) and channel.name in port.channels
    ]
    if not users:
        return ""
    flights = min(channel.latency + 2, sum(_bursts(port) for _, _, port in users))
    values = {
        "PORTS": len(users),
        "LATENCY": f"64'd{channel.latency}",
        "BEAT_BYTES": channel.beat_bytes,
        "NUM": channel.beats_num,
        "DEN": channel.beats_den,
        "FLIGHTS": flights,
    }
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


def _gather(users: list[tuple[int, int, MemoryPort]], wire: str, width: int) -> str:
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
    used = {name for port in graph.processes if isinstance(port, MemoryPort) for name in port.channels}
    return [(number, channel) for number, channel in enumerate(graph.channels) if channel.name in used]


# --- FIFOs in hardware: which module, how large, and its wires


MAX_PLACES = 1 << 24
"""Places of a FIFO whose memory a simulator is asked to hold, 4 bytes each."""


def is_link(graph: TimedGraph, index: int, ends: Ends) -> bool:
    """Whether tokens of FIFO ``index`` are on their way for a while, in which nothing else need move."""
    return graph.fifos[index].latency > 0 and wires_of(graph, ends) == _PLAIN


_PLAIN = ("put", "take", "space", "avail")


def fifo_instance(graph: TimedGraph, index: int, ends: Ends, number: int) -> str:
    """Wires and instance of FIFO ``index``, ``number`` in the log.

    Raises:
        InputError: more places than a simulator can hold.
    """
    fifo = graph.fifos[index]
    writer, reader = graph.processes[ends.writer], graph.processes[ends.reader]
    places = _places(graph, fifo, writer)
    wires = f"  logic [31:0] {', '.join(f'f{index}_{wire}' for wire in wires_of(graph, ends))};\n"
    name = identifier("fifo_", index, fifo.name)
    common = f".clk(clk), .id(32'd{number}), .now(now), .put(f{index}_put), .take(f{index}_take)"
    levels = f".space(f{index}_space), .avail(f{index}_avail)"
    if is_link(graph, index, ends):
        parameters = f".DEPTH({places}), .INITIAL({fifo.initial_tokens}), .RAW({fifo.read_after_write_cycles})"
        wires += f"  logic f{index}_moving;\n"
        return f"{wires}  twin_link #({parameters}) {name} ({common}, {levels}, .moving(f{index}_moving));\n"
    if not isinstance(writer, Actor) and not isinstance(reader, Actor):
        lanes = f", .LANES({min(places, _most_at_once(graph, reader, index, 0))})" if fifo.kind == "ram" else ""
        parameters = f".DEPTH({places}), .INITIAL({fifo.initial_tokens}){lanes}"
        return f"{wires}  twin_{fifo.kind} #({parameters}) {name} ({common}, {levels});\n"
    inside = joins_actors(graph, ends)
    raw = 0 if inside else fifo.read_after_write_cycles
    parameters = f".DEPTH({places}), .INITIAL({fifo.initial_tokens}), .RAW({raw}), .WAR({int(not inside)})"
    more = f".tick(tick), .claim(f{index}_claim), .free(f{index}_free)"
    return f"{wires}  twin_actor_fifo #({parameters}) {name} ({common}, {more}, {levels});\n"


def wires_of(graph: TimedGraph, ends: Ends) -> tuple[str, ...]:
    """The wires of a FIFO; one with an actor also has those of claims and of freed places."""
    with_actor = any(isinstance(graph.processes[end], Actor) for end in ends)
    return _PLAIN + (("claim", "free") if with_actor else ())


def _places(graph: TimedGraph, fifo: Fifo, writer: Process) -> int:
    """Its depth, or as many tokens as ever pass where that is less: a place beyond them could never be used."""
    op = 2 * graph.fifo_index[fifo.name] + 1
    places = max(1, min(fifo.depth, fifo.initial_tokens + tokens_of(graph, writer, op)))
    if places > MAX_PLACES:
        raise InputError(
            "fifo-too-deep-for-rtl",
            "the twin would need too much memory for it",
            where=f"{graph.name}: FIFO '{fifo.name}'",
            demand=places,
            bound=MAX_PLACES,
            unit="places",
            hints=["give it another depth with --depth", "use sttest simulate"],
        )
    return places


def tokens_of(graph: TimedGraph, process: Process, op: int) -> int:
    """Tokens that a process moves over one FIFO side in all."""
    if isinstance(process, MemoryPort):
        return process.tokens
    if isinstance(process, Actor):
        return (process.firings or 0) * max(_phase_tokens(graph, process, op))
    if process.trace is not None:
        return process.repeat * int((process.trace.op == op).sum())
    return process.repeat * sum(
        _happenings(loop, event) * event.tokens for loop in process.loops for event in _events(graph, loop, op)
    )


def _most_at_once(graph: TimedGraph, process: Process, index: int, write: int) -> int:
    """A bound on the tokens that a pipeline or port moves over a FIFO side in one cycle."""
    op = 2 * index + write
    if isinstance(process, MemoryPort | Actor):
        return 1
    if process.trace is not None:
        ticks = process.trace.tick[process.trace.op == op]
        return int(np.unique(ticks, return_counts=True)[1].max())
    return max(sum(event.tokens for event in _events(graph, loop, op)) for loop in process.loops)


def _events(graph: TimedGraph, loop: Loop, op: int) -> list[Event]:
    name, kind = graph.fifos[op // 2].name, "write" if op % 2 else "read"
    return [event for event in loop.events if event.fifo == name and event.op == kind]


def _happenings(loop: Loop, event: Event) -> int:
    if not event.when:
        return loop.iterations
    return prod(
        trip if when is None else len(range(when[0], when[1] + 1, when[2])) if isinstance(when, tuple) else 1
        for trip, when in zip(loop.trips, event.when, strict=True)
    )


def _phase_tokens(graph: TimedGraph, actor: Actor, op: int) -> list[int]:
    name = graph.fifos[op // 2].name
    return [(phase.writes if op % 2 else phase.reads).get(name, 0) for phase in actor.phases]
