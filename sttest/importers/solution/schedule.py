"""The schedule database of one function, ``NAME.sched.adb``: a stage for every instruction.

A Boost XML archive, the same tags in its versions 11 to 17 (Vivado HLS 2014 to Vitis HLS 2023).  ``cdfg`` has the
instructions, the basic blocks and the edges between them; ``cdfg_regions`` the loops with interval and depth, and the
dataflow regions with their channels; ``node_label_latency`` the first stage and the length of each instruction;
``bblk_ent_exit`` the states of the FSM in which a block is entered and left.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element

from sttest.core.errors import InputError
from sttest.core.files import parse_xml, place_of, read_bytes

_LABEL_EDGE = 2
_DOCTYPE = b"<!DOCTYPE boost_serialization>"
"""What a Boost archive begins with; it declares nothing."""
LOOP = 1
"""``mType`` of a region that is a loop."""
_MOST_DIGITS = 12
"""Of a number; the tool writes none of more than ten."""
_WHOLE = re.compile(rf"\s*[+-]?[0-9]{{1,{_MOST_DIGITS}}}\s*")


@dataclass(eq=False)
class Instruction:
    """An instruction: ``start`` is its first stage, ``length`` 0 where it takes one stage."""

    id: int
    name: str
    opcode: str
    source: str  # file:line of the C++, empty where the tool made it
    operands: tuple[int, ...]  # edges
    start: int = 0
    length: int = 0

    @property
    def end(self) -> int:
        """Its last stage."""
        return self.start + self.length


@dataclass(eq=False)
class ScheduledRegion:
    """A loop or a stretch of blocks; ``ii`` and ``depth`` are -1 where it is not pipelined."""

    id: int
    tag: str
    is_loop: bool
    ii: int
    depth: int
    is_dataflow: bool
    channels: "tuple[ChannelOfRegion, ...]" = ()
    processes: tuple[int, ...] = ()  # ids of call instructions
    trips: int | None = None  # of a loop that was told to have so many
    parent: "ScheduledRegion | None" = None


@dataclass(frozen=True)
class ChannelOfRegion:
    """A channel between calls; ``depth`` 0 is an array in two halves."""

    id: int  # of the instruction that makes it
    name: str
    depth: int
    sources: tuple[int, ...]  # ids of call instructions
    sinks: tuple[int, ...]


@dataclass(eq=False)
class ScheduledBlock:
    """A basic block with its static stages, ``start`` to ``end``; ``length`` is what a run of it takes."""

    id: int
    name: str
    instructions: list[Instruction]
    region: ScheduledRegion
    successors: list[int] = field(default_factory=list[int])
    states: tuple[int, int] = (0, 0)  # of the FSM, at entry and exit
    start: int = 0
    end: int = 0
    length: int = 0
    begins_loop: bool = False  # whether an edge leads back to it

    @property
    def loop(self) -> ScheduledRegion | None:
        """The innermost loop that it belongs to."""
        region: ScheduledRegion | None = self.region
        while region is not None and not region.is_loop:
            region = region.parent
        return region

    @property
    def dataflow_loop(self) -> ScheduledRegion | None:
        """That loop, where a dataflow region is in it."""
        loop = self.loop
        return loop if loop is not None and loop.is_dataflow else None

    @property
    def pipeline(self) -> ScheduledRegion | None:
        """That loop, where it is pipelined."""
        loop = self.loop
        return loop if loop is not None and loop.ii >= 0 else None

    @property
    def is_sequential(self) -> bool:
        """Whether the FSM runs it state by state."""
        return self.pipeline is None and not self.region.is_dataflow

    @property
    def terminator(self) -> Instruction:
        """Its last instruction."""
        return self.instructions[-1]

    @property
    def returns(self) -> bool:
        """Whether a call of the function ends with it; a loop that is rewound goes on to its next call."""
        return any(each.opcode in ("ret", "return") for each in self.instructions)

    def set_stages(self) -> None:
        """Works out its static stages and its length from those of its instructions and its states."""
        states = self.states[1] - self.states[0]
        starts = [each.start for each in self.instructions]
        if self.is_sequential:
            self.end = self.terminator.end
            known = range(self.end - states + 1, self.end + 1)
            # What lies outside its own states was begun by a block before: the first such one is where it begins.
            outside = next((start for start in starts if start not in known), None)
            self.start = min(starts) if outside is None else outside
        else:
            self.end = max(each.end for each in self.instructions)
            self.start = min(starts)
        span = self.end - self.start
        self.length = span if not self.is_sequential or 0 <= span < states else states


@dataclass(eq=False)
class Schedule:
    """The schedule of one function."""

    name: str
    place: str
    blocks: dict[int, ScheduledBlock]  # by id, the entry first
    instructions: dict[int, Instruction]
    regions: dict[int, ScheduledRegion]

    @property
    def entry(self) -> ScheduledBlock:
        """Where it begins."""
        return next(iter(self.blocks.values()))

    @property
    def function_pipeline(self) -> ScheduledRegion | None:
        """The region of the whole function, where that is pipelined."""
        region = self.entry.region
        return region if not region.is_loop and region.ii >= 0 else None


def read_schedule(path: Path) -> Schedule:
    """The schedule in a file.

    Raises:
        InputError: it is no schedule database, or refers to what is not in it.
    """
    place = place_of(path)
    root = parse_xml(read_bytes(path).replace(_DOCTYPE, b"", 1), place)
    try:
        return _schedule(_child(root, "syndb"), place)
    except KeyError as error:
        raise _refusal(place, f"it lacks {error}") from error
    except ValueError as error:
        raise _refusal(place, str(error)) from error


def _refusal(place: str, what: str) -> InputError:
    hints = ["synthesize the solution again", "name another solution"]
    return InputError("bad-schedule", f"a schedule database that cannot be read: {what}", where=place, hints=hints)


def _child(node: Element, path: str) -> Element:
    found = node.find(path)
    if found is None:
        raise KeyError(path)
    return found


def _text(node: Element, path: str) -> str:
    return _child(node, path).text or ""


def _number(node: Element, path: str) -> int:
    return _whole(_text(node, path), path)


def _whole(text: str | None, name: str) -> int:
    """The number in a text.

    Raises:
        ValueError: it is none, or has too many digits; the message says what stands there.
    """
    if not _WHOLE.fullmatch(text or ""):
        raise ValueError(f"{name} is {(text or '')[:40]!r} where a whole number belongs")
    return int(text or "")


def _items(node: Element, path: str) -> Iterator[Element]:
    found = node.find(path)
    yield from () if found is None else found.findall("item")


def _numbers(node: Element, path: str) -> Iterator[int]:
    return (_whole(each.text, f"an item of {path}") for each in _items(node, path))


def _schedule(syndb: Element, place: str) -> Schedule:
    graph = _child(syndb, "cdfg")
    instructions = {each.id: each for each in map(_instruction, _items(graph, "nodes"))}
    for item in _items(syndb, "node_label_latency"):
        if (each := instructions.get(_number(item, "first"))) is not None:
            each.start, each.length = _number(item, "second/first"), _number(item, "second/second")
    regions, region_of = _regions(syndb, instructions)
    blocks = _blocks(graph, instructions, region_of)
    for item in _items(syndb, "bblk_ent_exit"):
        if (block := blocks.get(_number(item, "first"))) is not None:
            block.states = _number(item, "second/first"), _number(item, "second/second")
    return Schedule(_text(graph, "name"), place, blocks, instructions, regions)


def _blocks(
    graph: Element, instructions: dict[int, Instruction], region_of: dict[int, ScheduledRegion]
) -> dict[int, ScheduledBlock]:
    """The blocks by id."""
    labels = {
        _number(edge, "id"): _number(edge, "source_obj")
        for edge in _items(graph, "edges")
        if _number(edge, "edge_type") == _LABEL_EDGE
    }
    blocks: dict[int, ScheduledBlock] = {}
    for item in _items(graph, "blocks"):
        number = _number(item, "Obj/id")
        ids = list(_numbers(item, "node_objs"))
        if missing := [each for each in ids if each not in instructions]:
            raise ValueError(f"it lacks instruction {missing[0]} of block {number}")
        if not ids:
            raise ValueError(f"it lacks the instructions of block {number}")
        if number not in region_of:
            raise ValueError(f"it lacks the region of block {number}")
        inside = [instructions[each] for each in ids]
        successors = [labels[edge] for edge in inside[-1].operands if edge in labels]
        blocks[number] = ScheduledBlock(number, _text(item, "Obj/name"), inside, region_of[number], successors)
    if not blocks:
        raise ValueError("it lacks blocks")
    for block in blocks.values():
        if missing := [each for each in block.successors if each not in blocks]:
            raise ValueError(f"block '{block.name:.60}' goes on to {missing[0]}, which is no block")
    return blocks


def _instruction(item: Element) -> Instruction:
    about = _child(item, "Value/Obj")
    file, line = _text(about, "fileName"), _text(about, "lineNumber")
    return Instruction(
        _number(about, "id"), _text(about, "name"), _text(item, "opcode"), f"{file}:{line}" if file else "",
        tuple(_numbers(item, "oprand_edges")),
    )  # fmt: skip


def _regions(
    syndb: Element, instructions: dict[int, Instruction]
) -> tuple[dict[int, ScheduledRegion], dict[int, ScheduledRegion]]:
    """The regions by id, and the region of each block."""
    regions: dict[int, ScheduledRegion] = {}
    region_of: dict[int, ScheduledRegion] = {}
    parent_of: dict[int, int] = {}
    for item in _items(syndb, "cdfg_regions"):
        channels, processes = _channels(item, instructions)
        region = ScheduledRegion(
            _number(item, "mId"), _text(item, "mTag"), _number(item, "mType") == LOOP, _number(item, "mII"),
            _number(item, "mDepth"), _number(item, "mIsDfPipe") != 0, channels, processes, _trips(item),
        )  # fmt: skip
        regions[region.id] = region
        parent_of |= dict.fromkeys(_numbers(item, "sub_regions"), region.id)
        region_of |= dict.fromkeys(_numbers(item, "basic_blocks"), region)
    for inner, outer in parent_of.items():
        if inner in regions:
            regions[inner].parent = regions[outer]
    _check_nesting(regions.values())
    return regions, region_of


def _check_nesting(regions: Iterable[ScheduledRegion]) -> None:
    """Refuses regions that are inside of themselves."""
    nested: set[ScheduledRegion] = set()
    for region in regions:
        way: set[ScheduledRegion] = set()
        outer: ScheduledRegion | None = region
        while outer is not None and outer not in nested:
            if outer in way:
                raise ValueError(f"region {outer.id} is inside of itself")
            way.add(outer)
            outer = outer.parent
        nested |= way


def _trips(region: Element) -> int | None:
    least, most = (region.findtext(name) or "-1" for name in ("mMinTripCount", "mMaxTripCount"))
    trips = _whole(least, "mMinTripCount")
    return trips if least == most and trips >= 0 else None


def _channels(
    region: Element, instructions: dict[int, Instruction]
) -> tuple[tuple[ChannelOfRegion, ...], tuple[int, ...]]:
    """Channels of a dataflow region, and its calls; an ``inst`` is spelled out where it is first met."""
    pipe = region.find("mDfPipe")
    if pipe is None or pipe.find("channel_list") is None:
        return (), ()
    calls = {
        each.attrib["object_id"]: _number(each, "ssdmobj_id")
        for each in pipe.iter("inst")
        if "object_id" in each.attrib
    }

    def ends(channel: Element, one: str) -> tuple[int, ...]:
        pins = ([] if (pin := channel.find(one)) is None else [pin]) + list(_items(channel, f"{one}_list"))
        insts = [found for pin in pins if (found := pin.find("inst")) is not None]
        names = [each.attrib.get("object_id") or each.attrib.get("object_id_reference", "") for each in insts]
        return tuple(calls[name] for name in names if calls.get(name) in instructions)

    found = [
        ChannelOfRegion(
            _number(each, "ssdmobj_id"), _text(each, "name"),
            0 if each.find("depth") is None else _number(each, "depth"), ends(each, "source"), ends(each, "sink"),
        )
        for each in _items(pipe, "channel_list")
    ]  # fmt: skip
    return tuple(found), tuple(call for call in calls.values() if call in instructions)
