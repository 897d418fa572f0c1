"""Depths of streams back into a design: a patch of its C++, or a Tcl file of directives.

A pragma sizes all streams of an array alike, so an array gets the greatest depth that one of its streams is to have.
"""

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sttest.core.errors import InputError
from sttest.core.files import write_text
from sttest.importers.cpp.declarations import Declaration, declarations, variable_of
from sttest.sim import TimedGraph
from sttest.sim.graph import MIN_DEPTH

_IDENTIFIER = re.compile(r"[A-Za-z_]\w{0,199}", re.ASCII)
_DEPTH = re.compile(r"(?i)\bdepth\s*=\s*[^\s\\]+")
_NUMBER = re.compile(r"(?i)\bdepth\s*=\s*(\d+)\b")
_IN_TYPE = re.compile(r"(stream\s*<[^;{}]*,\s*)\w+(\s*>)")


@dataclass(frozen=True)
class _Sized:
    name: str
    depth: int
    place: Declaration


def write_stream_depths(
    root: Path, sources: Mapping[Path, str], graph: TimedGraph, own: Mapping[str, int], out: Path
) -> None:
    """Writes a patch, for ``patch -p1`` in ``root``, or directives where ``out`` ends in .tcl.

    Args:
        root: folder that the names of source files are relative to.
        sources: texts of the design.
        graph: graph with the depths; FIFOs of turns of a ping-pong buffer, which have no pragma, are left out.
        own: depths that the design has, by FIFO; empty where they are not known.
        out: file to write.

    Raises:
        InputError: a graph of another design, or a stream whose pragma or declaration is not found or not clear.
    """
    is_tcl = out.suffix.lower() == ".tcl"
    sized = _sized(sources, graph, own, is_tcl=is_tcl)
    if is_tcl:
        write_text(
            out, "".join(f'set_directive_stream -depth {e.depth} "{e.place.function}" {e.name}\n' for e in sized)
        )
        return
    lines_of = {path: text.splitlines(keepends=True) for path, text in sources.items()}
    changed = {path: list(lines) for path, lines in lines_of.items()}
    # From the last line on, so that what is inserted moves nothing that is still to be changed.
    for each in sorted(sized, key=lambda one: one.place.last, reverse=True):
        _change(changed[each.place.file], each)
    write_text(out, "".join(_diff(root, path, lines_of[path], lines) for path, lines in changed.items()))


def _sized(sources: Mapping[Path, str], graph: TimedGraph, own: Mapping[str, int], *, is_tcl: bool) -> list[_Sized]:
    """The variables whose depth is to be another one."""
    if own and (missing := next((name for name in own if name not in graph.fifo_index), None)):
        raise InputError("other-design", f"the graph has no FIFO '{missing:.80}'", where=graph.name)
    wanted: dict[str, int] = {}
    for fifo in graph.fifos:
        name = variable_of(fifo.name)
        if not fifo.name.endswith((".full", ".empty")):
            wanted[name] = max(wanted.get(name, 0), fifo.depth)
    known: dict[str, set[int]] = {}
    for name, depth in own.items():
        known.setdefault(variable_of(name), set()).add(depth)
    places = declarations(sources, set(wanted), graph.name)
    if wanted and not places:
        hints = ["name the design that the graph was read from"]
        raise InputError("other-design", "no stream of the graph is declared there", where=graph.name, hints=hints)
    found: list[_Sized] = []
    for name, depth in wanted.items():
        several = places.get(name, [])
        current = known.get(name) or {_said(sources, each) for each in several} or {MIN_DEPTH}
        if current == {depth}:
            continue
        if len(several) != 1:
            told = f"{len(several)} declarations are" if several else "no pragma and no declaration is"
            hints = ["write the pragma yourself"]
            raise InputError("no-way-back", f"{told} about '{name:.80}'", where=graph.name, hints=hints)
        place = several[0]
        if not place.function and (is_tcl or not (place.pragma or place.has_depth_in_type)):
            what = f"stream '{name:.80}' is declared outside of functions"
            hints = [f"write '#pragma HLS stream variable={name:.80} depth={depth}' into '{graph.name}'"]
            where = f"{place.file.name} line {place.line}"
            raise InputError("no-way-back", what, where=where, hints=hints)
        if not _IDENTIFIER.fullmatch(name.replace(".", "_")) or (is_tcl and not _IDENTIFIER.fullmatch(place.function)):
            raise InputError("bad-name", f"stream '{name:.80}', or its function, has no plain name", where=graph.name)
        found.append(_Sized(name, depth, place))
    return found


def _said(sources: Mapping[Path, str], place: Declaration) -> int:
    """The depth that a pragma has in figures; -1 where a type has one, or it is no number."""
    if not place.pragma:
        return -1 if place.has_depth_in_type else MIN_DEPTH
    text = sources[place.file].splitlines()[place.pragma - 1]
    number = _NUMBER.search(text)
    return int(number[1]) if number else -1 if _DEPTH.search(text) else MIN_DEPTH


def _change(lines: list[str], sized: _Sized) -> None:
    place = sized.place
    if place.pragma:
        text = lines[place.pragma - 1]
        lines[place.pragma - 1], count = _DEPTH.subn(f"depth={sized.depth}", text, count=1)
        if not count:
            lines[place.pragma - 1] = f"{text.rstrip()} depth={sized.depth}{_ending(text)}"
        return
    if place.has_depth_in_type:
        lines[place.line - 1], count = _IN_TYPE.subn(rf"\g<1>{sized.depth}\g<2>", lines[place.line - 1], count=1)
        if not count:
            what = f"the depth in the type of '{sized.name}' is not on the line of its declaration"
            where = f"{place.file.name} line {place.line}"
            raise InputError("no-way-back", what, where=where, hints=["write a .tcl file instead"])
        return
    text = lines[place.last - 1]
    indent = text[: len(text) - len(text.lstrip())]
    ending = _ending(text) or "\n"
    if not text.endswith(ending):
        lines[place.last - 1] = text + ending
    lines.insert(place.last, f"{indent}#pragma HLS stream variable={sized.name} depth={sized.depth}{ending}")


def _ending(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]


def _diff(root: Path, path: Path, old: list[str], new: list[str]) -> str:
    """The part of one file; a line without an end is marked as diff marks it."""
    if old == new:
        return ""
    if not path.is_relative_to(root.resolve()):
        hints = ["write a .tcl file instead"]
        raise InputError("no-way-back", f"source '{path}' is outside of '{root}'", where=str(path), hints=hints)
    name = path.relative_to(root.resolve()).as_posix()
    if not name.isprintable():
        raise InputError("bad-name", "the name of a source file is not printable", where=repr(str(path)))
    # A tab after a name with spaces is what patch and git look for.
    tab = "\t" if " " in name else ""
    found = difflib.unified_diff(old, new, f"a/{name}{tab}", f"b/{name}{tab}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in found)
