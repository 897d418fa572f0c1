"""Proposed depths in the form of the tool that a design is from, made in memory."""

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path

from sttest.core.errors import InputError
from sttest.core.files import STANDARD_INPUT, read_json, read_text
from sttest.importers.formats import Format
from sttest.sim import TimedGraph, write_timed_graph
from sttest.studies.check.companions import depths_beside
from sttest.studies.check.designs import PACKAGE, SDF3, TIMED_GRAPH, CheckedDesign
from sttest.studies.check.finding import Change, FileEdit
from sttest.studies.check.own_files import graph_with_depths, sdf3_with_depths
from sttest.studies.check.patching import is_patch, patched_files
from sttest.studies.check.writing import digest


def change_of(design: CheckedDesign, depths: Mapping[str, int]) -> Change:
    """What is to be written so that the FIFOs have these depths.

    Args:
        design: design as it was read.
        depths: depth in tokens by FIFO.

    Raises:
        SttestError: the depths cannot go back to where the design is from.
    """
    graph = design.graph.with_depths(depths)
    if design.format is not None:
        return _of_format(design, graph, dict(depths))
    if design.form == TIMED_GRAPH:
        text = graph_with_depths(design.text, depths, str(design.source))
        return _own("the timed graph with other depths", design, dict(depths), text)
    if design.form == SDF3:
        text = sdf3_with_depths(design.text, depths, design.graph, str(design.source))
        return _own("the SDF3 graph with other sizes of buffers", design, dict(depths), text)
    what = "the depths of a package are its compiler's" if design.form == PACKAGE else "linalg text has no depths"
    why = f"{what}: -o writes a timed graph with these"
    return Change(writes="a timed graph", depths=dict(depths), text=_graph_text(graph), why_not=why)


def _own(writes: str, design: CheckedDesign, depths: dict[str, int], text: str) -> Change:
    if design.source == STANDARD_INPUT:
        why = "standard input has no file: -o writes one"
        return Change(writes=writes, depths=depths, text=text, why_not=why)
    edit = FileEdit(path=str(design.source), text=text, before=digest(design.source))
    return Change(writes=writes, depths=depths, text=text, edits=(edit,))


def _graph_text(graph: TimedGraph) -> str:
    """A timed graph in one file; one with traces needs a second, and is refused.

    Raises:
        InputError: it has traces.
    """
    with tempfile.TemporaryDirectory(prefix="sttest-") as folder:
        path = Path(folder) / "graph.json"
        write_timed_graph(graph, path)
        if path.with_suffix(".npz").exists():
            what = "the graph has traces, which one file does not hold"
            raise InputError("no-way-back", what, where=graph.name, hints=["write it with 'sttest import'"])
        return read_text(path)


def _of_format(design: CheckedDesign, graph: TimedGraph, depths: dict[str, int]) -> Change:
    form, source = design.format, design.source
    assert form is not None, "the design is of a format"
    with tempfile.TemporaryDirectory(prefix="sttest-") as folder:
        out = Path(folder) / form.depths_file
        form.write_depths(graph, source, out)
        text = read_text(out)
    edits, why = _edits(design, form, text)
    return Change(writes=form.writes, depths=depths, text=text, edits=edits, why_not=why, is_patch=is_patch(text))


def _with_depths_beside(design: CheckedDesign, option: str, text: str) -> FileEdit:
    """The file of an option that the design was read with, or a new one beside it, with the depths in it."""
    path = design.options.get(option) or depths_beside(design.source, option)
    config = read_json(path) if path.is_file() else {}
    for node, attributes in json.loads(text).items():
        config[node] = {**config.get(node, {}), **attributes}
    return FileEdit(path=str(path), text=json.dumps(config, indent=2) + "\n", before=digest(path))


def _edits(design: CheckedDesign, form: Format, text: str) -> tuple[tuple[FileEdit, ...], str]:
    """Files that would be changed in place, or why none can be."""
    source = design.source
    if not text:
        return (), "its files have these depths already"
    if is_patch(text):
        try:
            found = patched_files(text, source)
        except (InputError, UnicodeDecodeError) as error:
            return (), str(error)
        return tuple(FileEdit(path=_shown(p), text=new, before=digest(p)) for p, new in found.items()), ""
    if form.depths_option:
        return (_with_depths_beside(design, form.depths_option, text),), ""
    path = source / form.depths_file if source.is_dir() else source
    if not path.is_file():
        return (), f"what {form.name} writes is a file of its own: -o writes it"
    return (FileEdit(path=str(path), text=text, before=digest(path)),), ""


def _shown(path: Path) -> str:
    """A path from here, where that is shorter."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
