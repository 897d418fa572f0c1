"""`sttest import`: designs of other tools as timed graphs, and sized depths back in their own form."""

from pathlib import Path
from typing import Annotated, Any

import typer

from sttest.cli.common import Json, print_json, progress
from sttest.core.errors import InputError
from sttest.core.files import read_json, write_text
from sttest.core.tables import print_table
from sttest.importers.formats import FORMATS, Format, format_named
from sttest.sim import TimedGraph, read_timed_graph, write_timed_graph
from sttest.sim.graph_json import SCHEMA as GRAPH_SCHEMA
from sttest.sim.sizing.finite import SCHEMA as SIZING_SCHEMA
from sttest.sim.stages import flatten


def import_verb(
    name: Annotated[str | None, typer.Argument(metavar="[FORMAT]", help="Without it, a list of the formats.")] = None,
    source: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="What the format reads.")] = None,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="The timed graph to write, or the depths.")] = None,
    depths: Annotated[
        Path | None,
        typer.Option(metavar="SIZED", help="Carry depths back: what sttest size --json printed, or a timed graph."),
    ] = None,
    reports: Annotated[
        Path | None, typer.Option(help="Folder of synthesis reports, or csynth.xml [below the design].")
    ] = None,
    top: Annotated[str | None, typer.Option(help="The function that is the design, where a file has several.")] = None,
    rates: Annotated[Path | None, typer.Option(help="tapa: what each task does, in YAML.")] = None,
    template: Annotated[bool, typer.Option("--template", help="tapa: write a file of rates to fill in.")] = False,
    folding: Annotated[
        Path | None, typer.Option(help="finn: a folding configuration (JSON), over the model's.")
    ] = None,
    frames: Annotated[int | None, typer.Option(help="finn: frames that follow each other; 1 by default.")] = None,
    as_json: Json = False,
) -> None:
    """Import a design of another tool as a timed graph, or carry sized depths back to it.

    Examples:

      sttest import

      sttest import streamhls Stream-HLS/FPGA2025_Artificats/mlps/opt5/ResMLP -o resmlp.json

      sttest size resmlp.json --json > sized.json

      sttest import streamhls Stream-HLS/FPGA2025_Artificats/mlps/opt5/ResMLP --depths sized.json -o depths.patch
    """
    if name is None:
        _print_formats(as_json=as_json)
        return
    form = format_named(name)
    if source is None or out is None:
        missing = "the design" if source is None else "a place to write to"
        hints = [f"name {form.reads}" if source is None else "add -o design.json"]
        raise InputError("missing-argument", f"{missing} is missing", where=f"import {name}", hints=hints)
    if not out.absolute().parent.is_dir():
        raise InputError("no-such-folder", "its folder is not there", where=str(out), hints=["make it first"])
    if template:
        write_text(out, form.template_of(source, {"reports": reports}))
        if as_json:
            print_json({"schema": "sttest.import-template/1", "format": form.name, "out": str(out)})
        else:
            print(f"{out}: {form.template}")
        return
    notes: list[str] = []
    options = {
        "reports": reports, "top": top, "rates": rates, "folding": folding, "frames": frames,
        "notes": notes if "notes" in form.options else None,
    }  # fmt: skip
    with progress(f"reading {source}"):
        graph = form.read(source, options)
    if depths is None:
        write_timed_graph(graph, out)
        _report(form, graph, source, out, notes, as_json=as_json)
    else:
        sized = _sized(graph, depths)
        form.write_depths(sized, source, out)
        _report_depths(form, graph, sized, out, as_json=as_json)


def _print_formats(*, as_json: bool) -> None:
    if as_json:
        print_json({"schema": "sttest.import-formats/1", "formats": [vars(each) for each in FORMATS.values()]})
        return
    for each in FORMATS.values():
        print(f"{each.name}: {each.summary}")
        print(f"    reads {each.reads}")
        if options := [f"--{option}" for option in each.options if option != "notes"]:
            print(f"    takes {', '.join(options)}")
        print(f"    depths go back as {each.writes}" if each.writes else "    depths do not go back")


def _sized(graph: TimedGraph, path: Path) -> TimedGraph:
    """The graph with the depths of a file.

    Raises:
        InputError: the file holds no depths, or those of another design.
    """
    content = read_json(path)
    schema = content.get("schema") if isinstance(content, dict) else None
    if schema == GRAPH_SCHEMA:
        found: Any = {fifo.name: fifo.depth for fifo in read_timed_graph(path).fifos}
    elif schema == SIZING_SCHEMA:
        found = content.get("depths")
    else:
        hints = ["write it with 'sttest size DESIGN --json'", "name a timed graph"]
        raise InputError("no-depths", f"schema is {schema!r:.80}, which has no depths", where=str(path), hints=hints)
    if not isinstance(found, dict) or not all(type(depth) is int for depth in found.values()):
        raise InputError("no-depths", "depths are not numbers by FIFO", where=str(path))
    return graph.with_depths(found)


def _report(form: Format, graph: TimedGraph, source: Path, out: Path, notes: list[str], *, as_json: bool) -> None:
    assumed = [*form.assumes, *notes]
    accesses = int(flatten(graph).tokens.sum()) if not graph.is_endless else None
    if as_json:
        print_json({
            "schema": "sttest.import/1", "format": form.name, "source": str(source), "out": str(out),
            "name": graph.name, "clock_mhz": graph.clock_mhz, "processes": len(graph.processes),
            "fifos": len(graph.fifos), "accesses": accesses, "assumed": assumed,
        })  # fmt: skip
        return
    told = "" if accesses is None else f", {accesses:,} FIFO accesses"
    print(f"{out}: {graph.name}, {len(graph.processes):,} processes, {len(graph.fifos):,} FIFOs{told}")
    for line in assumed:
        print(f"assumed: {line}")


def _report_depths(form: Format, graph: TimedGraph, sized: TimedGraph, out: Path, *, as_json: bool) -> None:
    pairs = zip(graph.fifos, sized.fifos, strict=True)
    changed = {old.name: (old.depth, new.depth) for old, new in pairs if old.depth != new.depth}
    if as_json:
        print_json({
            "schema": "sttest.import-depths/1", "format": form.name, "out": str(out), "writes": form.writes,
            "changed": {name: {"from": old, "to": new} for name, (old, new) in changed.items()},
        })  # fmt: skip
        return
    print(f"{out}: {len(changed):,} of {len(graph.fifos):,} depths differ; {form.writes}")
    if changed:
        print_table(["FIFO", "depth", "sized"], [[name, old, new] for name, (old, new) in changed.items()])
