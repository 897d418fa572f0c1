"""Depths of pools back into the text of mlir-aie: a depth for each tile of an object FIFO, where any has changed.

An integer is a wish that mlir-aie follows only in memory tiles and in memory that two cores share; a list is kept for
consumers.  What the producer's core gets does not follow from the text at all.
"""

import re
from collections.abc import Mapping

from sttest.core.errors import InputError
from sttest.importers.mlir.object_fifos import ObjectFifo, ObjectSlice

_GENERIC = re.compile(r"elemNumber = (?:\d+ : i\d+|\[[^\]]*\])")


def with_depths(text: str, fifos: Mapping[str, ObjectFifo], now: Mapping[str, int], wanted: Mapping[str, int]) -> str:
    """The text of a design with other depths.

    Args:
        text: MLIR, printed or generic.
        fifos: with their ends, by name.
        now: depths of pools as they are allocated.
        wanted: depths of pools as they should be.

    Raises:
        InputError: a depth that no text gives.
    """
    for fifo in fifos.values():
        depths = _stated(fifo, now, wanted, fifos)
        if depths != fifo.depths:
            text = _replaced(text, fifo.name, depths)
    return text


def _stated(
    fifo: ObjectFifo, now: Mapping[str, int], wanted: Mapping[str, int], fifos: Mapping[str, ObjectFifo]
) -> tuple[int, ...]:
    """What an object FIFO has to state."""
    ends = [fifo.source, *fifo.targets]
    if all(wanted[part.pool] == now[part.pool] for slices in ends for part in slices or ()):
        return fifo.depths
    if fifo.shared:
        return (_depth(fifo.source, wanted, 0),)
    stated = [fifo.depths[number if len(fifo.depths) > 1 else 0] for number in range(len(fifo.tiles))]
    for number, slices in enumerate(ends):
        if slices is None:
            continue
        depth, tile = _depth(slices, wanted, 0), fifo.tiles[number]
        if number == 0 and tile.kind == "core":
            if depth > _depth(slices, now, 0):
                what = f"the core that fills it gets {_depth(slices, now, 0)} objects, whatever the text asks for"
                hints = ["acquire more at once, or give consumers more"]
                raise InputError("no-way-back", what, where=f"@{fifo.name}", hints=hints)
        elif _owner(slices, fifos) is fifo:
            stated[0] = depth
        elif number and not _is_linked(slices, fifo):
            stated[number] = depth
    return tuple(stated)


def _depth(slices: list[ObjectSlice] | None, depths: Mapping[str, int], least: int) -> int:
    return max((depths[part.pool] for part in slices or ()), default=least)


def _is_linked(slices: list[ObjectSlice], fifo: ObjectFifo) -> bool:
    """Whether a pool is named after another object FIFO, or split in parts."""
    return len(slices) > 1 or not slices[0].pool.startswith(f"{fifo.name}.cons")


def _owner(slices: list[ObjectSlice], fifos: Mapping[str, ObjectFifo]) -> ObjectFifo | None:
    """The object FIFO whose depth a linked pool has: the one with whole objects; None for other pools."""
    meeting = [each for each in fifos.values() if not each.shared and (each.source == slices or slices in each.targets)]
    if len(meeting) < 2 and len(slices) < 2:
        return None
    return max(meeting, key=lambda each: (each.bits, each.source != slices))


def _replaced(text: str, name: str, depths: tuple[int, ...]) -> str:
    """The text with the depths of one object FIFO.

    Raises:
        InputError: where these stand was not found.
    """
    printed = re.search(rf"aie\.objectfifo\s+@{re.escape(name)}\s*\(", text)
    told = f"{depths[0]} : i32" if len(depths) == 1 else f"[{', '.join(map(str, depths))}]"
    if printed is not None:
        comma, end = _last_argument(text, printed.end())
        return f"{text[: comma + 1]} {told}{text[end:]}"
    at = text.find(f'sym_name = "{name}"')
    line = text.rfind("\n", 0, at) + 1
    found = _GENERIC.search(text, line) if at >= 0 else None
    if found is None or "\n" in text[line : found.start()]:
        hints = ["print it with aie-opt"]
        raise InputError("no-way-back", "its depth was not found in the text", where=f"@{name}", hints=hints)
    listed = told if len(depths) == 1 else f"[{', '.join(f'{depth} : i32' for depth in depths)}]"
    return f"{text[: found.start()]}elemNumber = {listed}{text[found.end() :]}"


def _last_argument(text: str, start: int) -> tuple[int, int]:
    """The last comma outside of brackets, and the closing bracket, of a list that begins at ``start``."""
    depth, comma, place = 0, start, start
    while depth or text[place] != ")":
        depth += (text[place] in "([{<") - (text[place] in ")]}>")
        comma = place if text[place] == "," and not depth else comma
        place += 1
    return comma, place
