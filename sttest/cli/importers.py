"""`sttest import`: designs of other tools as timed graphs, and sized depths back in their own form."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from sttest.cli.common import Json, print_json, progress
from sttest.cli.objects import takes_objects
from sttest.core.errors import InputError
from sttest.core.files import parse_json, place_of, read_bytes, write_text
from sttest.core.tables import print_table
from sttest.importers.formats import OLD_NAMES, Format, format_named, formats
from sttest.package.ways_in import way_in
from sttest.sim import TimedGraph, write_timed_graph
from sttest.sim.graph import MAX_DEPTH
from sttest.sim.graph_json import SCHEMA as GRAPH_SCHEMA
from sttest.sim.graph_json import parse_timed_graph
from sttest.sim.sizing.finite import SCHEMA as SIZING_SCHEMA
from sttest.sim.stages import flatten

_LISTS = ("notes", "checks")
"""Keywords of formats that are no options of the command."""


@dataclass(frozen=True)
class ImportedFiles:
    """Files beside the design, and options of its format."""

    reports: Annotated[
        Path | None, typer.Option(help="Folder of synthesis reports, or csynth.xml [below the design].")
    ] = None
    top: Annotated[str | None, typer.Option(help="The function that is the design, where a file has several.")] = None
    values: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=NUMBER", help="hls: the number of a scalar of the top, or a macro; may be repeated."
        ),
    ] = None
    rates: Annotated[Path | None, typer.Option(help="tapa: what each task does, in YAML.")] = None
    template: Annotated[bool, typer.Option("--template", help="tapa: write a file of rates to fill in.")] = False
    folding: Annotated[Path | None, typer.Option(help="finn: a folding configuration (JSON), over the model's.")] = None
    frames: Annotated[
        int | None,
        typer.Option(help="finn: frames that follow each other [1]; aie: rounds of cores that nothing bounds [8]."),
    ] = None
    cycles: Annotated[
        list[str] | None, typer.Option(metavar="NAME=N", help="aie, allo: cycles of a call [1], once for each kernel.")
    ] = None
    no_run: Annotated[
        bool, typer.Option("--no-run", help="hls, streamhls, solution: refuse instead of executing code that came in.")
    ] = False
    anyway: Annotated[
        bool, typer.Option("--anyway", help="solution: give a graph that its folder's figures contradict, too.")
    ] = False


@takes_objects
def import_verb(
    name: Annotated[str | None, typer.Argument(metavar="[FORMAT]", help="Without it, a list of the formats.")] = None,
    source: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="What the format reads.")] = None,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", help="The timed graph to write, or the depths; without it, only read and tell."),
    ] = None,
    schedules: Annotated[
        bool,
        typer.Option(
            "--schedules", help="hls, streamhls: beside -o FILE.json a graph per possible schedule, FILE.NAME.json."
        ),
    ] = False,
    depths: Annotated[
        Path | None,
        typer.Option(metavar="SIZED", help="Carry depths back: what sttest size --json printed, or a timed graph."),
    ] = None,
    *,
    given: ImportedFiles,
    as_json: Json = False,
) -> None:
    """Import a design of another tool as a timed graph, or carry sized depths back to it.

    Examples:

      sttest import

      sttest import streamhls Stream-HLS/FPGA2025_Artificats/mlps/opt5/ResMLP -o resmlp.json

      sttest import solution project/solution1 -o design.json

      sttest import hls design.cpp -o design.json --schedules

      sttest size resmlp.json --json > sized.json

      sttest import streamhls Stream-HLS/FPGA2025_Artificats/mlps/opt5/ResMLP --depths sized.json -o depths.patch
    """
    if name is None:
        _print_formats(as_json=as_json)
        return
    form = _format(name)
    if source is None:
        hints = [f"name {form.reads}"]
        raise InputError("missing-argument", "the design is missing", where=f"import {name}", hints=hints)
    if out is not None and not out.absolute().parent.is_dir():
        raise InputError("no-such-folder", "its folder is not there", where=str(out), hints=["make it first"])
    if schedules and (out is None or depths is not None or given.template):
        hints = ["add -o design.json, without --depths and --template"]
        raise InputError("option", "it writes graphs beside that of -o", where="--schedules", hints=hints)
    if given.template:
        _write_template(form, source, given.reports, out, as_json=as_json)
        return
    notes = [f"the format {name} is called {form.name} now"] if name in OLD_NAMES else []
    checks: list[str] = []
    options = {
        "reports": given.reports,
        "top": given.top,
        "values": _values(given.values),
        "rates": given.rates,
        "folding": given.folding,
        "frames": given.frames,
        "cycles": given.cycles or None,
        "anyway": given.anyway or None,
        "notes": notes if "notes" in form.options else None,
        "checks": checks if "checks" in form.options else None,
        "no_run": True if given.no_run and "no_run" in form.options else None,  # others execute nothing that came in
    }
    with progress(f"reading {source}"):
        graph = _read(form, source, options)
    if depths is None:
        others = _write_schedules(form, source, options, out) if schedules and out is not None else []
        if out is not None:
            write_timed_graph(graph, out)
        _report(form, graph, source, out, notes, checks, others, as_json=as_json)
        return
    form.require_writer()
    sized = _sized(graph, depths)
    if out is not None:
        form.write_depths(sized, source, out)
    _report_depths(form, graph, sized, out, as_json=as_json)


def _values(given: list[str] | None) -> dict[str, str] | None:
    """Numbers by name; None where none are given.

    Raises:
        InputError: one that is no ``NAME=NUMBER``.
    """
    found: dict[str, str] = {}
    for each in given or ():
        name, equals, number = each.partition("=")
        try:
            float(number)
        except ValueError:
            equals = ""
        if not (name.isidentifier() and equals):
            raise InputError("bad-value", f"'{each:.80}' is no NAME=NUMBER", where="--set", hints=["write --set n=64"])
        found[name] = number
    return found or None


def _format(name: str) -> Format:
    """The format called so.

    Raises:
        InputError: there is none; of a file's name, the error says with which format it is read.
    """
    path = Path(name)
    if name in formats() or name in OLD_NAMES or not path.exists():
        return format_named(name)
    found = way_in(path)
    hints = found.hints if found else ("name the format first, see 'sttest import'",)
    what = f"{found.what}, where a format is wanted" if found else "a path, where a format is wanted"
    raise InputError("unknown-format", what, where=name, hints=hints)


def _read(form: Format, source: Path, options: Mapping[str, Any]) -> TimedGraph:
    """The design; of what another format reads, the error says which."""
    try:
        return form.read(source, options)
    except InputError as error:
        found = way_in(source)
        if error.code == "no-such-option" or found is None or found.format in ("", form.name):
            raise
        raise found.error(source, f"what {form.name} reads") from error


def _write_schedules(form: Format, source: Path, options: Mapping[str, Any], out: Path) -> list[Path]:
    """Writes the design under each possible schedule beside ``out``, and gives the files.

    Raises:
        InputError: the files of such designs tell the one schedule that they have.
    """
    found = form.schedules(source, options)
    if not found:
        what = f"what {form.name} reads tells its schedule: there is one graph"
        raise InputError("one-schedule", what, where="--schedules", hints=["leave it out"])
    paths = [out.with_suffix(f".{name}{out.suffix}") for name in found]
    for path, graph in zip(paths, found.values(), strict=True):
        write_timed_graph(graph, path)
    return paths


def _write_template(form: Format, source: Path, reports: Path | None, out: Path | None, *, as_json: bool) -> None:
    """Writes what is to be filled in; without a place to write to, prints it."""
    text = form.template_of(source, {"reports": reports})
    if out is not None:
        write_text(out, text)
    if as_json:
        print_json({
            "schema": "sttest.import-template/1", "format": form.name, "out": _path(out),
            **({"text": text} if out is None else {}),
        })  # fmt: skip
    else:
        print(f"{out}: {form.template}" if out is not None else text, end="\n" if out is not None else "")


def _path(out: Path | None) -> str | None:
    return None if out is None else str(out)


def _print_formats(*, as_json: bool) -> None:
    if as_json:
        listed = [_format_json(each) for each in formats().values()]
        print_json({"schema": "sttest.import-formats/1", "formats": listed})
        return
    for each in formats().values():
        print(f"{each.name}: {each.summary}")
        print(f"    reads {each.reads}")
        if options := [_flag(option) for option in each.options if option not in _LISTS]:
            print(f"    takes {', '.join(options)}")
        print(f"    depths go back as {each.writes}" if each.writes else "    depths do not go back")


def _flag(option: str) -> str:
    return "--set" if option == "values" else f"--{option.replace('_', '-')}"


def _format_json(form: Format) -> dict[str, Any]:
    return {name: value for name, value in vars(form).items() if name != "sniffs"}


def _sized(graph: TimedGraph, path: Path) -> TimedGraph:
    """The graph with the depths of a file.

    Raises:
        InputError: the file holds no depths, or those of another design.
    """
    data = read_bytes(path)
    content = parse_json(data, place_of(path))
    schema = content.get("schema") if isinstance(content, dict) else None
    if schema == GRAPH_SCHEMA:
        found: Any = {fifo.name: fifo.depth for fifo in parse_timed_graph(data, path).fifos}
    elif schema == SIZING_SCHEMA:
        found = content.get("depths")
    else:
        hints = ["write it with 'sttest size DESIGN --json'", "name a timed graph"]
        raise InputError(
            "no-depths", f"schema is {schema!r:.80}, which has no depths", where=place_of(path), hints=hints
        )
    if not isinstance(found, dict) or not all(type(depth) is int for depth in found.values()):
        raise InputError("no-depths", "depths are not numbers by FIFO", where=place_of(path))
    return graph.with_depths(found)


def _report(
    form: Format, graph: TimedGraph, source: Path, out: Path | None, notes: list[str], checks: list[str],
    others: list[Path], *, as_json: bool,
) -> None:  # fmt: skip
    assumed = [*form.assumes, *notes]
    accesses = int(flatten(graph).tokens.sum()) if not graph.is_endless else None
    if as_json:
        print_json({
            "schema": "sttest.import/1", "format": form.name, "source": str(source), "out": _path(out),
            "name": graph.name, "clock_mhz": graph.clock_mhz, "processes": len(graph.processes),
            "fifos": len(graph.fifos), "accesses": accesses, "assumed": assumed,
            **({"checked": checks} if checks else {}), **({"schedules": list(map(str, others))} if others else {}),
        })  # fmt: skip
        return
    told = "" if accesses is None else f", {accesses:,} FIFO accesses"
    print(f"{out or source}: {graph.name}, {len(graph.processes):,} processes, {len(graph.fifos):,} FIFOs{told}")
    for line in checks:
        print(f"checked: {line}")
    for line in assumed:
        print(f"assumed: {line}")
    if others:
        print(f"schedules: {', '.join(map(str, others))}; 'sttest size' takes them together")
    if out is None:
        print(
            "nothing was written: add -o design.json for a timed graph, which 'sttest simulate' and 'sttest size' read"
        )


def _report_depths(form: Format, graph: TimedGraph, sized: TimedGraph, out: Path | None, *, as_json: bool) -> None:
    pairs = zip(graph.fifos, sized.fifos, strict=True)
    changed = {  # what is never full has a depth in no file
        old.name: (old.depth, new.depth) for old, new in pairs if old.depth != new.depth and old.depth < MAX_DEPTH
    }
    if as_json:
        print_json({
            "schema": "sttest.import-depths/1", "format": form.name, "out": _path(out), "writes": form.writes,
            "changed": {name: {"from": old, "to": new} for name, (old, new) in changed.items()},
        })  # fmt: skip
        return
    print(f"{out or graph.name}: {len(changed):,} of {len(graph.fifos):,} depths differ; {form.writes}")
    if changed:
        print_table(["FIFO", "depth", "sized"], [[name, old, new] for name, (old, new) in changed.items()])
    if out is None:
        print("nothing was written: add -o FILE to write the depths")
