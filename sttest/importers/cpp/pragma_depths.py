"""Depths of FIFOs into pragmas of C++ by their text alone.

For what the tree of a region does not tell as streams: arrays that a pragma makes FIFOs, and streams inside of structs.
"""

import difflib
import re
from collections.abc import Mapping
from pathlib import Path

from sttest.core.errors import InputError
from sttest.core.files import write_text
from sttest.importers.hls.project import SourceText
from sttest.sim import TimedGraph

DEFAULT_DEPTH = 2
"""Tokens: of a stream whose depth nothing says."""
_PRAGMA = re.compile(r"(?i)\bHLS\s+stream\b.*?\bvariable\s*=\s*(?P<name>\w+)")
_DEPTH = re.compile(r"(?i)(\bdepth\s*=\s*)(\d+)\b")
_IN_TYPE = re.compile(r",[^,<>]*>")
"""A type with a second argument, which is its depth."""
_ELEMENT = re.compile(r"(\[\d+\])+$")


def write_pragma_depths(root: Path, source: SourceText, graph: TimedGraph, out: Path) -> None:
    """Writes a patch, for ``patch -p1`` in ``root``, after which the FIFOs of a graph have its depths.

    Args:
        root: folder that the names of source files are relative to.
        source: files of the design.
        graph: graph with the depths; FIFOs of turns of a ping-pong buffer, which have no pragma, are left out.
        out: file to write.

    Raises:
        InputError: a FIFO that neither a pragma with a number nor one declaration in these files is about.
    """
    wanted: dict[str, int] = {}
    for fifo in graph.fifos:
        name = _ELEMENT.sub("", fifo.name)
        if not name.endswith((".full", ".empty")):
            wanted[name] = max(wanted.get(name, 0), fifo.depth)
    parts = list[str]()
    for path, text in source.files:
        old = text.splitlines(keepends=True)
        new = _changed(old, wanted)
        label = path.relative_to(root.resolve()).as_posix()
        lines = difflib.unified_diff(old, new, f"a/{label}", f"b/{label}")
        parts += [line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines]
    left = {name: depth for name, depth in wanted.items() if depth != DEFAULT_DEPTH}
    if left:
        what = f"no pragma with a number, and no declaration of its own, is about '{next(iter(left)):.80}'"
        raise InputError("no-way-back", what, where=graph.name, hints=["write the pragma yourself"])
    write_text(out, "".join(parts))


def _changed(lines: list[str], wanted: dict[str, int]) -> list[str]:
    """Lines with other depths; what was found is taken out of ``wanted``."""
    found = list(lines)
    for number, line in enumerate(found):
        pragma = _PRAGMA.search(line)
        name = pragma["name"] if pragma else ""
        if name in wanted and _DEPTH.search(line):
            found[number] = _DEPTH.sub(rf"\g<1>{wanted.pop(name)}", line, count=1)
    missing = {name: depth for name, depth in wanted.items() if depth != DEFAULT_DEPTH}
    return _with_pragmas(found, missing, wanted)


def _with_pragmas(lines: list[str], missing: Mapping[str, int], wanted: dict[str, int]) -> list[str]:
    found = list(lines)
    for name, depth in missing.items():
        declared = re.compile(rf"^(\s*)(static\s+)?hls::stream\s*<[^;()]*>[^;()<>]*\b{re.escape(name)}\b[^()<>]*;")
        places = [n for n, line in enumerate(found) if declared.match(line) and not _IN_TYPE.search(line)]
        if len(places) == 1:
            line = found[places[0]]
            ending = line[len(line.rstrip("\r\n")) :] or "\n"
            indent = line[: len(line) - len(line.lstrip())]
            found.insert(places[0] + 1, f"{indent}#pragma HLS stream variable={name} depth={depth}{ending}")
            del wanted[name]
    return found
