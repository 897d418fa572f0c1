"""SDF3's XML: synchronous and cyclo-static dataflow graphs as timed graphs.

Stuijk, Geilen & Basten, "SDF3: SDF For Free", ACSD 2006; elements and attributes are those of its schemas, sdf3-sdf.xsd
and sdf3-csdf.xsd.  Times are SDF3's time units, one per cycle.  A channel has the depth of its ``bufferSize``; without
one it is never full.  Kiter (Bodin, Munier-Kordon & Dupont de Dinechin) writes the size of a token as the channel's
``size``, and initial phases before a semicolon: ``3;5,3`` is 3 once, then 5 and 3 for ever.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element

from sttest.core.errors import InputError, did_you_mean
from sttest.core.files import MAX_XML_BYTES, parse_xml, place_of, read_bytes
from sttest.sim.graph import (
    MAX_BITS,
    MAX_CYCLES,
    MAX_DEPTH,
    MAX_EVENTS,
    MAX_PHASES,
    MAX_RATES,
    Actor,
    ActorPhase,
    Fifo,
    TimedGraph,
    check_whole,
)

# --- Elements and attributes of SDF3 files, each refused with one clear line where it is not what it should be


_ATTRIBUTES = {
    "actor": ("name", "type", "size"),
    "port": ("name", "type", "rate"),
    "channel": (
        "name", "srcActor", "srcPort", "dstActor", "dstPort", "initialTokens", "size",
        "nrConnections", "inBandwidth", "outBandwidth",
    ),
}  # fmt: skip
"""Those of the schemas; connections and bandwidths are of a network on chip, which a timed graph has not."""
_MAX_DIGITS = 18
_OPEN = re.compile(r"\$\w{1,40}")


def only(parent: Element, tag: str, where: str) -> Element:
    """The one child with a tag."""
    found = parent.findall(tag)
    if len(found) != 1:
        what = f"{len(found)} elements '{tag}' in '{parent.tag:.40}', not one"
        raise InputError("sdf3-structure", what, where=where)
    return found[0]


def children(parent: Element, tag: str, known: tuple[str, ...], where: str) -> Iterator[Element]:
    """The children called ``tag``, with known attributes only."""
    for child in parent:
        if child.tag not in known:
            what = f"unknown element '{child.tag:.40}' in '{parent.tag:.40}'"
            raise InputError("unknown-element", what, where=where, hints=[did_you_mean(child.tag, known)])
        for name in child.attrib if child.tag == tag else ():
            if name not in _ATTRIBUTES[tag]:
                what = f"unknown attribute '{name:.40}' of a {tag}"
                raise InputError("unknown-attribute", what, where=where, hints=[did_you_mean(name, _ATTRIBUTES[tag])])
        if child.tag == tag:
            yield child


def by_name(elements: Iterator[Element], where: str) -> dict[str, Element]:
    """Elements by their attribute ``name``, in order."""
    named: dict[str, Element] = {}
    for element in elements:
        name = attribute(element, "name", f"{where}: {element.tag}")
        if name in named:
            raise InputError("duplicate-name", f"two {element.tag} elements are called '{name:.80}'", where=where)
        named[name] = element
    return named


def attribute(element: Element, name: str, where: str) -> str:
    """The value of an attribute that must be there."""
    value = element.get(name)
    if value is None:
        raise InputError("missing-attribute", f"attribute '{name}' is missing", where=where)
    return value


class Sequence(NamedTuple):
    """What an actor does in its initial phases, and then phase by phase for ever."""

    initial: list[int]
    cycle: list[int]


def sequence(text: str, where: str, most: int) -> Sequence:
    """``1,0,2`` or ``2*1,0`` (which is ``1,1,0``), with initial phases before a semicolon."""
    initial, semicolon, cycle = text.rpartition(";")
    return Sequence(_values(initial, where, most) if semicolon else [], _values(cycle, where, most))


def _values(text: str, where: str, most: int) -> list[int]:
    values: list[int] = []
    for part in text.split(","):
        times, star, value = part.rpartition("*")
        repeat = whole(times, "repetition", where, MAX_PHASES) if star else 1
        check_whole(len(values) + repeat, "number of phases", where, 1, MAX_PHASES)
        values += [whole(value, "number", where, most)] * repeat
    return values


def whole(text: str, what: str, where: str, most: int) -> int:
    """A whole number, from 0 to ``most``; as a decimal of the schema, 2.0 is one."""
    digits = re.sub(r"\.0*$", "", text.strip())
    if not (digits.isascii() and digits.isdecimal()) or len(digits) > _MAX_DIGITS:
        raise InputError("not-whole", f"{what} is '{text:.40}', not a whole number", where=where)
    return check_whole(int(digits), what, where, 0, most)


KINDS = ("sdf", "csdf")


def read_sdf3(path: Path) -> TimedGraph:
    """The graph of an SDF3 file of type ``sdf`` or ``csdf``; its actors fire for ever.

    Raises:
        InputError: not readable, not of that format, or not a possible graph.
    """
    return parse_sdf3(read_bytes(path, most_bytes=MAX_XML_BYTES), place_of(path))


def parse_sdf3(data: bytes, where: str) -> TimedGraph:
    """The same of what a file holds; ``where`` is its name in errors.

    Raises:
        InputError: as :func:`read_sdf3`.
    """
    root = parse_xml(data, where)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]  # names of namespaces tell nothing
    kind = root.get("type", "")
    if root.tag != "sdf3":
        raise InputError("not-sdf3", f"the outermost element is '{root.tag:.40}', not 'sdf3'", where=where)
    if kind not in KINDS:
        hints = ["only sdf and csdf are read"]
        raise InputError("sdf3-kind", f"a graph of type '{kind:.40}'", where=where, hints=hints)
    application = only(root, "applicationGraph", where)
    if kind == "csdf" and application.find("csdf") is None and application.find("sdf") is not None:
        kind = "sdf"  # some write the cyclo-static graph into an element sdf
    graph = only(application, kind, where)
    properties = application.find(f"{kind}Properties")
    return _Reader(graph, Element("none") if properties is None else properties, where).graph()


class _Reader:
    """One graph with its properties."""

    def __init__(self, graph: Element, properties: Element, where: str) -> None:
        self.where = where
        self.spelled_out = 0
        self.name = graph.get("name") or Path(where).stem
        self.actors = by_name(children(graph, "actor", ("actor", "channel"), where), where)
        self.channels = by_name(children(graph, "channel", ("actor", "channel"), where), where)
        self.of_actor = _properties(properties, "actor", self.actors, where)
        self.of_channel = _properties(properties, "channel", self.channels, where)
        self.ports = {name: self._ports(name, actor) for name, actor in self.actors.items()}

    def graph(self) -> TimedGraph:
        """The whole."""
        used: dict[tuple[str, str], str] = {}
        for name, channel in self.channels.items():
            for side, op in (("src", "out"), ("dst", "in")):
                self._connect(name, channel, side, op, used)
        for actor, ports in self.ports.items():
            for port in ports:
                if (actor, port) not in used:
                    raise InputError(
                        "open-port", "no channel is connected to it", where=f"{self.where}: port '{actor}.{port}'"
                    )
        fifos = tuple(self._fifo(name, channel) for name, channel in self.channels.items())
        return TimedGraph(self.name, 1.0, fifos, tuple(self._actor(name, used) for name in self.actors))

    def _ports(self, name: str, actor: Element) -> dict[str, tuple[str, Sequence]]:
        """The direction of each port and its rates, one per phase, by name."""
        where = f"{self.where}: actor '{name}'"
        ports: dict[str, tuple[str, Sequence]] = {}
        for port_name, port in by_name(children(actor, "port", ("port",), where), where).items():
            place = f"{where} port '{port_name}'"
            direction = attribute(port, "type", place)
            if direction not in ("in", "out"):
                raise InputError("port-type", f"type is '{direction:.40}', neither in nor out", where=place)
            rates = sequence(attribute(port, "rate", place), place, MAX_EVENTS)
            self._spell_out(len(rates.initial) + len(rates.cycle), place)
            ports[port_name] = (direction, rates)
        return ports

    def _spell_out(self, rates: int, where: str) -> None:
        """Counts rates before they take memory: 1000*1 is short to write."""
        self.spelled_out += rates
        check_whole(self.spelled_out, "number of rates in all", where, 0, 2 * MAX_RATES)

    def _connect(self, name: str, channel: Element, side: str, op: str, used: dict[tuple[str, str], str]) -> None:
        where = f"{self.where}: channel '{name}'"
        actor, port = (attribute(channel, f"{side}{end}", where) for end in ("Actor", "Port"))
        for kind, wanted, known in (("actor", actor, self.ports), ("port", port, self.ports.get(actor, {}))):
            if wanted not in known:
                hints = [did_you_mean(wanted, known)] if known else []
                raise InputError(f"unknown-{kind}", f"no {kind} '{wanted:.80}'", where=where, hints=hints)
        if self.ports[actor][port][0] != op:
            raise InputError("port-direction", f"port '{actor}.{port}' is not of type {op}", where=where)
        if (actor, port) in used:
            both = f"'{used[actor, port]}' and '{name}'"
            raise InputError("shared-port", f"port '{actor}.{port}' has two channels, {both}", where=self.where)
        used[actor, port] = name

    def _fifo(self, name: str, channel: Element) -> Fifo:
        where = f"{self.where}: channel '{name}'"
        found = self.of_channel[name].find("bufferSize") if name in self.of_channel else None
        size_text = "" if found is None else found.get("sz", "")
        if _OPEN.fullmatch(size_text):  # of a template: a name in the place of a number, with which nothing is full
            size, origin = None, f"size {size_text}"
        else:
            size, origin = self._size(name, "bufferSize", MAX_DEPTH), ""
        bits = self._size(name, "tokenSize", MAX_BITS)
        if bits is None:
            bits = whole(channel.get("size", "1"), "size", where, MAX_BITS)
        tokens = whole(channel.get("initialTokens", "0"), "initialTokens", where, MAX_EVENTS)
        return Fifo(name, MAX_DEPTH if size is None else size, bits or 1, initial_tokens=tokens, origin=origin)

    def _size(self, channel: str, tag: str, most: int) -> int | None:
        found = self.of_channel[channel].find(tag) if channel in self.of_channel else None
        if found is None:
            return None
        where = f"{self.where}: {tag} of channel '{channel}'"
        return whole(attribute(found, "sz", where), "sz", where, most)

    def _actor(self, name: str, used: Mapping[tuple[str, str], str]) -> Actor:
        where = f"{self.where}: actor '{name}'"
        times = self._times(name, where)
        sequences = [times, *(rates for _, rates in self.ports[name].values())]
        if len({len(each.initial) for each in sequences}) > 1:
            lengths = ", ".join(str(len(each.initial)) for each in sequences)
            raise InputError("phase-count", f"its sequences have {lengths} initial phases, not as many", where=where)
        count = max(len(each.cycle) for each in sequences)
        if any(count % len(each.cycle) for each in sequences):
            lengths = ", ".join(str(len(each.cycle)) for each in sequences)
            raise InputError("phase-count", f"its sequences are {lengths} long, which don't fit together", where=where)
        self._spell_out((len(times.initial) + count) * len(self.ports[name]), where)

        def phase(number: int, part: str) -> ActorPhase:
            tokens: dict[str, dict[str, int]] = {"in": {}, "out": {}}
            for port, (direction, rates) in self.ports[name].items():
                values: list[int] = getattr(rates, part)
                tokens[direction][used[name, port]] = values[number % len(values)]
            durations: list[int] = getattr(times, part)
            return ActorPhase(durations[number % len(durations)], tokens["in"], tokens["out"])

        initial = tuple(phase(number, "initial") for number in range(len(times.initial)))
        return Actor(name, tuple(phase(number, "cycle") for number in range(count)), initial_phases=initial)

    def _times(self, name: str, where: str) -> Sequence:
        """Execution times on the default processor; of several, SDF3 takes the last."""
        processors = [] if name not in self.of_actor else self.of_actor[name].findall("processor")
        default = [p for p in processors if p.get("default") == "true"] or processors[:1]
        found = default[-1].find("executionTime") if default else None
        if found is None:
            hints = ["give its actorProperties a processor with an executionTime"]
            raise InputError("no-execution-time", "no execution time", where=where, hints=hints)
        return sequence(attribute(found, "time", where), f"{where} executionTime", MAX_CYCLES)


def _properties(properties: Element, kind: str, known: Mapping[str, Element], where: str) -> dict[str, Element]:
    """The ``actorProperties`` or ``channelProperties``, by what they belong to."""
    found: dict[str, Element] = {}
    for element in properties.findall(f"{kind}Properties"):
        name = attribute(element, kind, f"{where}: {kind}Properties")
        if name not in known:
            hints = [did_you_mean(name, known)] if known else []
            what = f"{kind}Properties of '{name:.80}', which is no {kind}"
            raise InputError(f"unknown-{kind}", what, where=where, hints=hints)
        found[name] = element
    return found
