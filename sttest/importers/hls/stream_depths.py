"""Depths of streams back into a design: a patch of its C++, or a Tcl file of directives.

A pragma sizes all streams of an array alike, so an array gets the greatest depth that one of its streams is to have.
"""

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sttest.core.errors import InputError
from sttest.core.files import write_text
from sttest.importers.hls.project import SourceText
from sttest.importers.hls.region import DataflowRegion, StreamVariable
from sttest.sim import TimedGraph

_IDENTIFIER = re.compile(r"[A-Za-z_]\w{0,199}", re.ASCII)
_DEPTH = re.compile(r"(?i)\bdepth\s*=\s*[^\s\\]+")
_TEMPLATE = re.compile(r"(hls::stream\s*<[^;{}]*,\s*)\w+(\s*>)")


@dataclass(frozen=True)
class SizedStream:
    """A stream, or an array of them, with the depth that it is to have."""

    variable: StreamVariable
    depth: int


def write_stream_depths(
    root: Path, region: DataflowRegion, graph: TimedGraph, name: Callable[[StreamVariable, int], str], out: Path
) -> None:
    """Writes a patch or, where ``out`` ends in .tcl, directives.

    Args:
        root: folder that the names of source files are relative to.
        region: the region.
        graph: graph with the depths.
        name: what stream number ``place`` of a variable is called in the graph.
        out: file to write.

    Raises:
        InputError: a graph of another design, or a pragma that cannot be changed.
    """
    sized = sized_streams(region, graph, name)
    is_tcl = out.suffix.lower() == ".tcl"
    write_text(out, directives(region.name, sized) if is_tcl else patch(root, region.source, sized))


def sized_streams(
    region: DataflowRegion, graph: TimedGraph, name: Callable[[StreamVariable, int], str]
) -> list[SizedStream]:
    """The streams of a region whose depth is to be another one."""
    depths = {fifo.name: fifo.depth for fifo in graph.fifos}
    found: list[SizedStream] = []
    for variable in region.streams.values():
        names = [name(variable, place) for place in range(variable.count)]
        if missing := next((each for each in names if each not in depths), None):
            raise InputError("other-design", f"the graph has no FIFO '{missing:.80}'", where=region.where)
        if not _IDENTIFIER.fullmatch(variable.name):
            raise InputError("bad-name", f"stream '{variable.name:.80}' has no plain name", where=region.where)
        depth = max(depths[each] for each in names)
        if depth != variable.depth:
            found.append(SizedStream(variable, depth))
    return found


def directives(function: str, sized: Sequence[SizedStream]) -> str:
    """Tcl for a solution: ``source depths.tcl`` before ``csynth_design``."""
    if not _IDENTIFIER.fullmatch(function):
        raise InputError("bad-name", f"function '{function:.80}' has no plain name")
    lines = (f'set_directive_stream -depth {each.depth} "{function}" {each.variable.name}\n' for each in sized)
    return "".join(lines)


def patch(root: Path, source: SourceText, sized: Sequence[SizedStream]) -> str:
    """A unified diff, for ``patch -p1`` in the folder that the names of the project's files are relative to."""
    lines_of = {path: text.splitlines(keepends=True) for path, text in source.files}
    changed = {path: list(lines) for path, lines in lines_of.items()}
    # From the last line on, so that what is inserted moves nothing that is still to be changed.
    for each in sorted(sized, key=lambda one: one.variable.line, reverse=True):
        _change(source, changed, each)
    return "".join(_diff(root, path, lines_of[path], lines) for path, lines in changed.items())


def _change(source: SourceText, changed: Mapping[Path, list[str]], sized: SizedStream) -> None:
    variable = sized.variable
    path, line = source.place(variable.pragma_line or variable.last_line)
    lines = changed[path]
    text = lines[line - 1]
    if variable.pragma_line:
        lines[line - 1], count = _DEPTH.subn(f"depth={sized.depth}", text, count=1)
        if not count:
            lines[line - 1] = f"{text.rstrip()} depth={sized.depth}{_ending(text)}"
        return
    declared = source.place(variable.line)[1]
    if variable.is_template_depth:
        lines[declared - 1], count = _TEMPLATE.subn(rf"\g<1>{sized.depth}\g<2>", lines[declared - 1], count=1)
        if not count:
            what = f"the depth in the type of '{variable.name}' is not on the line of its declaration"
            raise InputError("no-way-back", what, where=f"{path} line {declared}", hints=["write a .tcl file instead"])
        return
    indent = text[: len(text) - len(text.lstrip())]
    ending = _ending(text) or "\n"
    if not text.endswith(ending):
        lines[line - 1] = text + ending
    lines.insert(line, f"{indent}#pragma HLS stream variable={variable.name} depth={sized.depth}{ending}")


def _ending(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]


def _diff(root: Path, path: Path, old: list[str], new: list[str]) -> str:
    """The part of one file; a line without an end is marked as diff marks it."""
    name = _relative(root, path)
    # A tab after a name with spaces is what patch and git look for.
    tab = "\t" if " " in name else ""
    found = difflib.unified_diff(old, new, f"a/{name}{tab}", f"b/{name}{tab}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in found)


def _relative(root: Path, path: Path) -> str:
    if not path.is_relative_to(root.resolve()):
        hints = ["write a .tcl file instead"]
        raise InputError("no-way-back", f"source '{path}' is outside of '{root}'", where=str(path), hints=hints)
    name = path.relative_to(root.resolve()).as_posix()
    if not name.isprintable():
        raise InputError("bad-name", "the name of a source file is not printable", where=repr(str(path)))
    return name
