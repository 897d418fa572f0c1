"""TAPA's ``graph.json`` as a timed graph, and depths back into it or as stream declarations.

Hierarchical tasks are flattened: an instance is called by the path of instances that leads to it, joined by ``/``.
A graph has no rates; they are stated in YAML (:mod:`sttest.importers.tapa_rates`) and, of what they leave out, taken
from the synthesis reports in TAPA's work directory.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from sttest.core.errors import InputError, did_you_mean
from sttest.core.files import read_json, write_json, write_text
from sttest.core.validation import validated
from sttest.importers.hls.csynth_report import LoopReport
from sttest.importers.hls.reports import SynthesisReports, read_reports
from sttest.importers.tapa_rates import LoopRates, Rates, check_names, completed, rates_template, read_rates
from sttest.sim.graph import (
    MAX_BITS,
    MAX_DEPTH,
    MAX_FIFOS,
    MAX_PROCESSES,
    MIN_DEPTH,
    Event,
    Fifo,
    Loop,
    Pipeline,
    TimedGraph,
    check_text,
    check_whole,
)

DEFAULT_CLOCK_MHZ = 300.0
EOT_BITS = 1
"""A token carries whether it ends a transaction (tapa-lib, ``elem_t``)."""
FIRST_RAM_DEPTH = 128
"""TAPA's ``fifo.v`` keeps shallower FIFOs in shift registers, whatever their width."""
MAX_LEVELS = 32
_NAME_CHARS = 120
_STREAM = {"istream": "read", "ostream": "write", "istreams": "read", "ostreams": "write"}
_ITEM = re.compile(r"(.+)\[(\d{1,9})\]")


class _Loose(BaseModel):
    """A part of the file; keys that no timing depends on are passed over."""

    model_config = ConfigDict(extra="ignore", strict=True)


class _Argument(_Loose):
    arg: str
    cat: str


class _Instance(_Loose):
    args: dict[str, _Argument] = {}
    step: int = 0


class _Port(_Loose):
    name: str
    cat: str
    width: int = Field(ge=1, le=MAX_BITS)


class _Stream(_Loose):
    depth: int | None = Field(default=None, ge=1, le=MAX_DEPTH)


class _Task(_Loose):
    level: str
    ports: list[_Port] = []
    tasks: dict[str, list[_Instance]] = {}
    fifos: dict[str, _Stream] = {}


class _GraphFile(_Loose):
    top: str
    tasks: dict[str, _Task]


@dataclass(frozen=True)
class _Leaf:
    """A lower-level task at its place in the design, with the FIFO of each of its stream ports."""

    path: str
    task: str
    is_detached: bool
    streams: Mapping[str, tuple[str, str]]  # by port, the FIFO and "read" or "write"


@dataclass
class _Flat:
    """The design without its hierarchy."""

    leaves: list[_Leaf] = field(default_factory=list[_Leaf])
    depths: dict[str, int] = field(default_factory=dict[str, int])
    declared: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])  # upper task and name
    outside: set[str] = field(default_factory=set[str])  # streams that are ports of the top
    instances: int = 0  # of all levels


def read_tapa(
    source: Path, rates: Path | None = None, reports: Path | None = None, notes: list[str] | None = None
) -> TimedGraph:
    """The tasks of a TAPA design as pipelines.

    Args:
        source: ``graph.json``, or the work directory that it is in.
        rates: a file of rates.
        reports: folder of ``TASK_csynth.xml``, of a work directory its ``report``.
        notes: a list that is told what was assumed of this design.

    Raises:
        InputError: not such a graph, or a task of which it is not stated what it does.
    """
    told: list[str] = [] if notes is None else notes
    path, found = _located(source, reports)
    graph = _read(path)
    flat = _flattened(graph, path)
    stated = Rates() if rates is None else read_rates(rates)
    paths = [leaf.path for leaf in flat.leaves]
    check_names(stated, [leaf.task for leaf in flat.leaves], paths, str(rates))
    _check_stated(flat, stated, source)
    clock = stated.clock_mhz or (found.clock_mhz if found else None)
    if clock is None:
        told.append(f"a clock of {DEFAULT_CLOCK_MHZ:g} MHz: neither stated nor in a report")
    told += _detached(flat)
    processes = [_pipeline(leaf, graph, stated, found, path) for leaf in flat.leaves]
    processes += _ends(flat, processes)
    _check_balance(flat, processes, path)
    widths = _widths(flat, graph)
    fifos = tuple(_fifo(name, flat, widths, graph.top) for name in flat.depths)
    return TimedGraph(graph.top, clock or DEFAULT_CLOCK_MHZ, fifos, tuple(processes))


def template(source: Path, reports: Path | None = None) -> str:
    """A file of rates for a design, to be filled in.

    Raises:
        InputError: as :func:`read_tapa`, but for rates.
    """
    path, found = _located(source, reports)
    graph = _read(path)
    tasks: dict[str, list[str]] = {}
    for leaf in _flattened(graph, path).leaves:
        names = dict.fromkeys(_whole(port) for port in leaf.streams)
        tasks[leaf.task] = list(dict.fromkeys([*tasks.get(leaf.task, []), *names]))
    loops = {task: each for task in tasks if (each := _reported(found, task))}
    return rates_template(tasks, loops)


def write_depths(graph: TimedGraph, source: Path, out: Path) -> None:
    """Writes depths into a copy of the graph, or, unless ``out`` ends in ``.json``, as declarations for the source.

    ``tapa synth`` takes the graph from its work directory; ``tapa compile`` writes it anew from the source.  Streams
    of a task that is instantiated more than once, and those of an array in the source, share one depth: the largest.

    Args:
        graph: what :func:`read_tapa` gave, with other depths.
        source: the file it was read from.
        out: the file to write.

    Raises:
        InputError: the graph is not of this design.
    """
    path, _ = _located(source, None)
    content, parsed = read_json(path), _read(path)
    depths = {fifo.name: fifo.depth for fifo in graph.fifos}
    wanted: dict[tuple[str, str], int] = {}
    for name, place in _flattened(parsed, path).declared.items():
        if name not in depths:
            hints = ["name the file that the graph was imported from"]
            raise InputError("other-design", f"no FIFO '{name:.80}'", where=graph.name, hints=hints)
        wanted[place] = max(wanted.get(place, 1), depths[name])
    if out.suffix == ".json":
        for (task, name), depth in wanted.items():
            content["tasks"][task]["fifos"][name]["depth"] = depth
        write_json(out, content, indent=4)
        return
    write_text(out, _declarations(parsed, wanted))


# --- From the file to tasks at their places


def _located(source: Path, reports: Path | None) -> tuple[Path, SynthesisReports | None]:
    """The graph of a file or work directory, and the reports that belong to it."""
    path = source / "graph.json" if source.is_dir() else source
    folder = reports or (source / "report" if source.is_dir() and (source / "report").is_dir() else None)
    return path, None if folder is None else read_reports(folder)


def _read(path: Path) -> _GraphFile:
    content = read_json(path)
    if not isinstance(content, dict) or "tasks" not in content or "top" not in content:
        hints = ["name the graph.json in TAPA's work directory"]
        raise InputError(
            "not-tapa", "no graph of TAPA: keys 'top' and 'tasks' are missing", where=str(path), hints=hints
        )
    graph = validated(_GraphFile, content, str(path))
    if graph.top not in graph.tasks:
        hints = [did_you_mean(graph.top, graph.tasks)]
        raise InputError("unknown-task", f"no task '{graph.top:.80}'", where=f"{path}: top", hints=hints)
    for name, task in graph.tasks.items():
        check_text(name, "task", str(path), _NAME_CHARS)
        for each in (*task.fifos, *(port.name for port in task.ports)):
            check_text(each, "name", f"{path}: {name}", _NAME_CHARS)
    return graph


def _flattened(graph: _GraphFile, path: Path) -> _Flat:
    flat = _Flat()
    top = graph.tasks[graph.top]
    ports = {port.name: _STREAM[port.cat] for port in top.ports if port.cat in _STREAM}
    if top.level != "upper":
        flat.leaves.append(_Leaf(graph.top, graph.top, False, {name: (name, op) for name, op in ports.items()}))
        flat.outside = set(ports)
    else:  # ports name an array of streams once, arguments its elements
        used = {argument.arg for instance in _instances(top) for argument in instance.args.values()}
        flat.outside = {name for name in used if name in ports or _whole(name) in ports}
    flat.depths |= dict.fromkeys(sorted(flat.outside), MIN_DEPTH)
    if top.level == "upper":
        _visit(graph, graph.top, "", {name: name for name in flat.outside}, flat, path, (graph.top,))
    return flat


def _instances(task: _Task) -> Iterator[_Instance]:
    for instances in task.tasks.values():
        yield from instances


def _visit(
    graph: _GraphFile,
    name: str,
    prefix: str,
    bound: Mapping[str, str],
    flat: _Flat,
    path: Path,
    above: tuple[str, ...],
    is_detached: bool = False,
) -> None:
    """Adds the streams and instances of an upper-level task whose own streams are ``bound``."""
    where = f"{path}: {name}"
    task = graph.tasks[name]
    local = dict(bound)
    for stream, entry in task.fifos.items():
        if entry.depth is None:  # it comes from above
            if stream not in local:
                raise InputError("open-end", f"stream '{stream:.80}' has no depth and comes from nowhere", where=where)
            continue
        flat.depths[prefix + stream] = entry.depth
        flat.declared[prefix + stream] = (name, stream)
        local[stream] = prefix + stream
    check_whole(len(flat.depths), "number of FIFOs", str(path), 0, MAX_FIFOS)
    for child, instances in task.tasks.items():
        if child not in graph.tasks:
            hints = [did_you_mean(child, graph.tasks)]
            raise InputError("unknown-task", f"no task '{child:.80}'", where=where, hints=hints)
        if child in above or len(above) > MAX_LEVELS:
            raise InputError("recursive-task", f"task '{child:.80}' is part of itself", where=where)
        for number, instance in enumerate(instances):
            streams = _connected(instance, local, f"{where}: {child}_{number}")
            place, detached = f"{prefix}{child}_{number}", is_detached or instance.step < 0
            flat.instances += 1
            check_whole(flat.instances, "number of instances", str(path), 0, MAX_PROCESSES)
            if graph.tasks[child].level == "upper":
                inner = {port: fifo for port, (fifo, _) in streams.items()}
                _visit(graph, child, f"{place}/", inner, flat, path, (*above, child), detached)
            else:
                flat.leaves.append(_Leaf(place, child, detached, streams))


def _connected(instance: _Instance, local: Mapping[str, str], where: str) -> dict[str, tuple[str, str]]:
    streams: dict[str, tuple[str, str]] = {}
    for port, argument in instance.args.items():
        op = _STREAM.get(argument.cat)
        if op is None:
            continue
        if argument.arg not in local:
            hints = [did_you_mean(argument.arg, local)] if local else []
            raise InputError("unknown-stream", f"no stream '{argument.arg:.80}'", where=where, hints=hints)
        streams[port] = (local[argument.arg], op)
    return streams


def _whole(name: str) -> str:
    """The array of an element such as ``q[3]``, or the name itself."""
    found = _ITEM.fullmatch(name)
    return found[1] if found else name


# --- From tasks to pipelines


def _reported(reports: SynthesisReports | None, task: str) -> list[LoopReport] | None:
    """The innermost loops of a task; of one that another loop repeats, it is not said how often it runs in all."""
    if reports is None or task not in reports.modules:
        return None
    repeated = {inner.name for loop in reports.modules[task].loops for inner in _inside(loop)}
    return [replace(loop, trips=None) if loop.name in repeated else loop for loop in reports.innermost(task)]


def _inside(loop: LoopReport) -> Iterator[LoopReport]:
    for inner in loop.inner:
        yield inner
        yield from _inside(inner)


def _check_stated(flat: _Flat, rates: Rates, source: Path) -> None:
    """Refuses a design with tasks of which nothing is stated, and names all of them."""
    silent = [leaf for leaf in flat.leaves if leaf.task not in rates.tasks and leaf.path not in rates.instances]
    missing = list(dict.fromkeys(leaf.task for leaf in silent))
    if missing:
        shown = ", ".join(missing[:20]) + (", …" if len(missing) > 20 else "")
        what = f"it is not stated what {len(missing)} of its tasks do: {shown}"
        hints = [
            f"fill in what 'sttest import tapa {source} --template -o rates.yaml' writes and add --rates rates.yaml"
        ]
        raise InputError("no-rates", what, where=str(source), hints=hints)


def _pipeline(leaf: _Leaf, graph: _GraphFile, rates: Rates, reports: SynthesisReports | None, path: Path) -> Pipeline:
    where = f"{path}: {leaf.path}"
    stated = rates.instances.get(leaf.path) or rates.tasks[leaf.task]
    loops = completed(stated, _reported(reports, leaf.task), where)
    streams = dict.fromkeys((*leaf.streams, *map(_whole, leaf.streams)))
    for loop in loops:
        for name in loop.streams:
            if name not in streams:
                hints = [did_you_mean(name, streams)] if streams else []
                raise InputError("unknown-stream", f"no stream '{name:.80}'", where=where, hints=hints)
    stated_of = {port: [loop for loop in loops if _rate(loop, port)] for port in leaf.streams}
    forgotten = [port for port, uses in stated_of.items() if not uses]
    if forgotten:
        what = f"no rate is stated for {', '.join(forgotten[:20])}"
        raise InputError("no-rates", what, where=where, hints=["add them to its streams"])
    made = tuple(_loop(leaf, loop, where) for loop in loops)
    origin = f"{leaf.task}, detached" if leaf.is_detached else leaf.task
    return Pipeline(leaf.path, made, origin=origin, category=leaf.task)


def _rate(loop: LoopRates, port: str) -> Any:
    """The rate of a port, its own one before that of its array."""
    return loop.streams.get(port) or loop.streams.get(_whole(port))


def _loop(leaf: _Leaf, loop: LoopRates, where: str) -> Loop:
    """Reads come first and writes last in an iteration, as in a pipelined loop of Vitis HLS."""
    iterations, interval, latency = loop.iterations or 1, loop.interval or 1, loop.latency or 1
    events: list[Event] = []
    for port, (fifo, op) in leaf.streams.items():
        rate = _rate(loop, port)
        if rate is not None:
            stage = 0 if op == "read" else latency - 1
            events.append(Event(fifo, op, stage, rate.when(op, iterations, f"{where}: {port}"), rate.tokens))
    return Loop((iterations,), interval, latency, tuple(events))


def _detached(flat: _Flat) -> list[str]:
    names = dict.fromkeys(leaf.task for leaf in flat.leaves if leaf.is_detached)
    if not names:
        return []
    return [f"detached tasks end after the iterations that are stated: {', '.join(list(names)[:20])}"]


def _tokens(process: Pipeline) -> dict[tuple[str, str], int]:
    """Tokens by FIFO and operation."""
    totals: dict[tuple[str, str], int] = {}
    for loop in process.loops:
        for event in loop.events:
            spans = [when for when in event.when if isinstance(when, tuple)]
            times = (spans[0][1] - spans[0][0]) // spans[0][2] + 1 if spans else loop.iterations
            totals[event.fifo, event.op] = totals.get((event.fifo, event.op), 0) + times * event.tokens
    return totals


def _ends(flat: _Flat, processes: list[Pipeline]) -> list[Pipeline]:
    """What is outside of the streams of the top: as many tokens as are taken or given, one a cycle."""
    ends: list[Pipeline] = []
    for process in processes:
        for (fifo, op), tokens in _tokens(process).items():
            if fifo in flat.outside:
                event = Event(fifo, "write" if op == "read" else "read", 0)
                loop = Loop((tokens,), 1, 1, (event,))
                ends.append(Pipeline(f"outside {fifo}", (loop,), origin="assumed: always ready", category="outside"))
    return ends


def _check_balance(flat: _Flat, processes: list[Pipeline], path: Path) -> None:
    """Refuses rates with which a task would wait for a token that nobody writes, or leave some behind."""
    written: dict[str, tuple[str, int]] = {}
    read: dict[str, tuple[str, int]] = {}
    for process in processes:
        for (fifo, op), tokens in _tokens(process).items():
            (written if op == "write" else read)[fifo] = (process.name, tokens)
    for fifo in flat.depths:
        if fifo in written and fifo in read and written[fifo][1] != read[fifo][1]:
            (writer, gives), (reader, takes) = written[fifo], read[fifo]
            what = f"'{writer}' writes {gives} tokens and '{reader}' reads {takes}"
            hints = ["state rates that agree", "count the token that ends a transaction, too"]
            raise InputError("rates-differ", what, where=f"{path}: stream '{fifo}'", hints=hints)


def _fifo(name: str, flat: _Flat, widths: Mapping[str, int], top: str) -> Fifo:
    if name not in widths:
        raise InputError("no-width", "no task at its ends declares its width", where=f"{top}: stream '{name:.80}'")
    task, stream = flat.declared.get(name, (top, name))
    depth = flat.depths[name]
    impl = "srl" if depth < FIRST_RAM_DEPTH else "ram"
    return Fifo(name, depth, widths[name] + EOT_BITS, impl, origin=f"{stream} in {task}")


def _widths(flat: _Flat, graph: _GraphFile) -> dict[str, int]:
    """The width of each stream's element in bits, as a task at one of its ends declares it."""
    declared = {task: {port.name: port.width for port in entry.ports} for task, entry in graph.tasks.items()}
    found: dict[str, int] = {}
    for leaf in flat.leaves:
        ports = declared[leaf.task]
        for port, (fifo, _) in leaf.streams.items():
            width = ports.get(port) or ports.get(_whole(port))
            if width:
                found.setdefault(fifo, width)
    return found


def _declarations(graph: _GraphFile, wanted: Mapping[tuple[str, str], int]) -> str:
    """Streams whose depth differs, as they are declared in TAPA's C++, by task."""
    changed: dict[tuple[str, str], list[int]] = {}
    arrays: dict[tuple[str, str], int] = {}
    for (task, name), depth in wanted.items():
        whole = (task, _whole(name).removesuffix(f"_{task}"))
        before = graph.tasks[task].fifos[name].depth or 0
        changed.setdefault(whole, [before, 0])
        changed[whole][1] = max(changed[whole][1], depth)
        arrays[whole] = arrays.get(whole, 0) + ("[" in name)
    lines: list[str] = []
    for (task, name), (before, depth) in changed.items():
        if before == depth:
            continue
        size = arrays[task, name]
        kind = f"tapa::streams<T, {size}, {depth}>" if size else f"tapa::stream<T, {depth}>"
        lines.append(f'{task}: {kind} {name}("{name}");  // was {before}')
    return "\n".join(lines) + "\n" if lines else "// No depth differs from those of the design.\n"
