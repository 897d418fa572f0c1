"""Memory ports and channels in hardware."""

from collections.abc import Iterable, Mapping
from math import prod
from typing import NamedTuple

import numpy as np

from sttest.core.errors import InputError
from sttest.sim.bursts import ceil_div
from sttest.sim.graph import Actor, Channel, Ends, Event, Fifo, Loop, MemoryPort, Process, TimedGraph, joins_actors
from sttest.targets.rtl.loops import identifier

MAX_SPAN = 4096
"""Bursts that one token may touch: a port checks them all in one cycle."""
MAX_BYTES = (1 << 31) - 1

_WAYS = 2
"""Ways from each channel on which beats come."""
_ASKS = (("wants", 1), ("whole", 1), ("filled", 1), ("bytes", 32), ("burst", 32), ("slot", 32))
"""What a port tells each of its channels, and bits of it."""
_TAKEN = (("grant", 1), ("ends", 1), ("leave", 64))
"""What each channel says of the bursts that it takes."""
_BEATS = (("there", 1), ("there_burst", 32), ("there_slot", 32), ("there_bytes", 32))
"""What comes on each way to a port that reads."""
_ANSWERS = (("answer", 1), ("answer_burst", 32), ("answer_slot", 32))
"""What each channel answers a port that writes."""


def port_instance(graph: TimedGraph, port: MemoryPort, place: int, number: int, op: int) -> str:
    """Wires and instances of the port at ``place`` of the graph's processes, ``number`` in the log, its side ``op``.

    Raises:
        InputError: sizes that do not fit the hardware's registers.
    """
    _check(graph, port)
    count, reads = len(port.channels), port.op == "read"
    back = [(wire, bits * _WAYS) for wire, bits in _BEATS] if reads else list(_ANSWERS)
    wires = "".join(f"  logic [{bits * count - 1}:0] p{place}_{wire};\n" for wire, bits in (*_ASKS, *_TAKEN, *back))
    wires += f"  logic [31:0] p{place}_asked, p{place}_complete;\n  logic p{place}_may, p{place}_asking;\n"
    fifo = graph.fifo_index[port.fifo]
    level, moves = ("space", "put") if reads else ("avail", "take")
    asks = _joined(place, ["asked", "may", "asking", "complete", *(wire for wire, _ in back), "done", "moving"])
    instance = (
        f"  twin_{port.op}_port #({_port_parameters(port)}) {identifier('process_', place, port.name)} "
        f"(.clk(clk), .tick(tick), .now(now), .id(32'd{number}), .op(32'd{op}), .report(report), "
        f".ready(f{fifo}_{level}), .n(f{fifo}_{moves}), {asks});\n"
    )
    return f"{wires}{instance}{_requests(port, place)}"


def _joined(place: int, wires: Iterable[str]) -> str:
    """Connections to the wires of a port that are called the same."""
    return ", ".join(f".{wire}(p{place}_{wire})" for wire in wires)


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
    return min(port.outstanding, _bursts(port))


def _port_parameters(port: MemoryPort) -> str:
    lines = len(port.channels)
    values: dict[str, object] = {
        "START": f"64'd{port.start}",
        "TOKENS": port.tokens,
        "TOKEN_BYTES": port.token_bytes,
        "BURST_BYTES": port.burst_bytes,
        "BURSTS": _bursts(port),
        "WINDOW": f"64'd{port.outstanding}",
        "SLOTS": _slots(port),
        "SPAN": _span(port),
    }
    if port.op == "read":
        return _parameters(values | {"WAYS": _WAYS * lines})
    return _parameters(values | {"GAP": f"64'd{port.gap}", "EARLY": int(port.early), "LINES": lines})


def _parameters(values: Mapping[str, object]) -> str:
    return ", ".join(f".{name}({value})" for name, value in values.items())


_ROUTES = {("sequential", "many"): 0, ("sequential", "one"): 1}
_SCATTERED = 2


def _requests(port: MemoryPort, place: int) -> str:
    """The instance that asks the channels of the port at ``place``."""
    values = {
        "LINES": len(port.channels),
        "ROUTE": _ROUTES.get((port.pattern, port.ids), _SCATTERED),
        "ONE_ID": int(port.ids == "one"),
        "SLOTS": _slots(port),
        "BURSTS": _bursts(port),
        "BURST_BYTES": port.burst_bytes,
        "LAST_BYTES": port.tokens * port.token_bytes - (_bursts(port) - 1) * port.burst_bytes,
    }
    wires = _joined(place, ["may", "complete", "asked", *(wire for wire, _ in (*_TAKEN, *_ASKS))])
    return (
        f"  twin_requests #({_parameters(values)}) requests_{place} (.clk(clk), .tick(tick), .now(now), {wires}, "
        f".moving(p{place}_asking));\n"
    )


class _User(NamedTuple):
    """A port that uses a channel: its place in the graph, and which of the port's channels it is."""

    place: int
    line: int
    port: MemoryPort


def channel_instance(graph: TimedGraph, number: int) -> str:
    """Wires and instance of channel ``number``, joined to its ports in the order of the graph; empty if it has none."""
    channel = graph.channels[number]
    users = [
        _User(place, port.channels.index(channel.name), port)
        for place, port in enumerate(graph.processes)
        if isinstance(port, MemoryPort) and channel.name in port.channels
    ]
    if not users:
        return ""
    name, count = f"ch{number}", len(users)
    sizes = {"grant": count, "ends": count, "leave": 64, "there": _WAYS * count, "answer": count}
    sizes |= {wire: _WAYS * bits for wire, bits in _BEATS[1:]} | dict(_ANSWERS[1:])
    wires = "".join(f"  logic [{bits - 1}:0] {name}_{wire};\n" for wire, bits in sizes.items())
    asks = "".join(f", .{wire if bits == 1 else _PLURAL[wire]}({_gather(users, wire, bits)})" for wire, bits in _ASKS)
    tells = "".join(f", .{wire}({name}_{wire})" for wire in (*sizes, "moving"))
    instance = (
        f"  twin_channel #({_parameters(_channel_parameters(channel, users))}) "
        f"{identifier('channel_', number, channel.name)} (.clk(clk), .tick(tick), .now(now){asks}{tells});\n"
    )
    to_ports = "".join(_to_port(name, turn, count, user) for turn, user in enumerate(users))
    return f"{wires}  logic {name}_moving;\n{instance}{to_ports}"


_PLURAL = {"bytes": "bytes", "burst": "bursts", "slot": "slots"}


def _channel_parameters(channel: Channel, users: list[_User]) -> dict[str, object]:
    def bits(values: list[bool]) -> str:
        return f"{len(values)}'b{''.join('01'[value] for value in reversed(values))}"

    def in_flight(op: str) -> int:
        return sum(_slots(user.port) for user in users if user.port.op == op)

    # Bursts are taken in different cycles, so that few are on their way where delays are short.
    read_delay, write_delay = channel.busy_delay(writes=False), channel.busy_delay(writes=True)
    return {
        "PORTS": len(users),
        "WRITES": bits([user.port.op == "write" for user in users]),
        "RANDOM": bits([user.port.pattern == "random" for user in users]),
        "LATENCY": f"64'd{channel.latency}",
        "BUSY_LATENCY": f"64'd{read_delay}",
        "RESPONSE": f"64'd{channel.delay(writes=True)}",
        "BUSY_RESPONSE": f"64'd{write_delay}",
        "ID_WAIT": f"64'd{channel.turn_cycles}",
        "BEAT_BYTES": channel.beat_bytes,
        "NUM": channel.beats_num,
        "READ_DEN": channel.beats_den,
        "WRITE_DEN": channel.units_per_beat(writes=True),
        "RANDOM_BYTES": channel.random_bytes,
        "RANDOM_SHORT": channel.random_short,
        "RANDOM_LONG": channel.random_long,
        "READ_TURNS": channel.read_turns,
        "WRITE_TURNS": channel.write_turns,
        "FLIGHTS": max(1, min(read_delay // 2 + 2, in_flight("read"))),
        "ANSWERS": max(1, min(write_delay, in_flight("write"))),
    }


def _gather(users: list[_User], wire: str, bits: int) -> str:
    """One part of each port's wire, the first port lowest."""
    return f"{{{', '.join(f'p{user.place}_{wire}{_part(user.line, bits)}' for user in reversed(users))}}}"


def _part(index: int, bits: int) -> str:
    return f"[{index}]" if bits == 1 else f"[{index * bits} +: {bits}]"


def _to_port(name: str, turn: int, count: int, user: _User) -> str:
    """What the channel tells the port that is number ``turn`` of its ``count``."""
    said = [(wire, user.line, bits, f"[{turn}]" if bits == 1 else "") for wire, bits in _TAKEN]
    if user.port.op == "write":
        said += [(wire, user.line, bits, f"[{turn}]" if bits == 1 else "") for wire, bits in _ANSWERS]
    else:
        said += [
            (wire, _WAYS * user.line + way, bits, _part(way * count + turn if bits == 1 else way, bits))
            for wire, bits in _BEATS
            for way in range(_WAYS)
        ]
    return "".join(
        f"  assign p{user.place}_{wire}{_part(index, bits)} = {name}_{wire}{part};\n"
        for wire, index, bits, part in said
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
