"""FINN's dataflow graphs (ONNX with FINN's layers) as timed graphs, and depths back as a folding configuration.

Read is a model of any step between FINN's ``step_specialize_layers`` and ``step_hw_ipgen``, with or without the FIFOs
and width converters that ``step_set_fifo_depths`` inserts: where two layers do not fit, the converter that FINN would
insert is put between them, and where there is no FIFO, the depth is the larger one of ``outFIFODepths`` and
``inFIFODepths``, as ``InsertFIFO`` has it.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sttest.core.errors import InputError, did_you_mean
from sttest.core.files import read_json, write_json
from sttest.core.numbers import real
from sttest.importers.finn_layers import converter, is_known, kind_of, layer_of
from sttest.importers.finn_model import FINN_DOMAIN, Model, Node, element_bits, read_model
from sttest.importers.finn_schedule import Layer, StreamAccess, StreamNest, each_time
from sttest.sim.graph import MAX_DEPTH, MIN_DEPTH, Event, Fifo, Loop, Pipeline, TimedGraph, check_whole

DEFAULT_CLOCK_NS = 10.0
"""FINN's ``synth_clk_period_ns`` of its examples."""
MAX_FRAMES = 1 << 20
_FIFO = "StreamingFIFO"
_PARTITION = "StreamingDataflowPartition"
_CONVERTER = "StreamingDataWidthConverter"
_PIECES = "pieces of one FIFO"
_NO_CYCLES = (_FIFO, _CONVERTER, "IODMA", "TLastMarker")
"""Layers that FINN estimates at no cycles."""


@dataclass(frozen=True)
class _Stream:
    """A stream between two nodes, or between a node and the outside, which has no node."""

    name: str
    tensor: str
    writer: Node | None
    output: int
    reader: Node | None
    input: int
    fifos: tuple[Node, ...]  # StreamingFIFO nodes on the way

    @property
    def depth(self) -> int:
        """Tokens: of the FIFO nodes, or of the register slices of two ports that are joined directly."""
        if self.fifos:
            return sum(node.whole("depth") for node in self.fifos)
        return max(MIN_DEPTH, self.depth_at("out"), self.depth_at("in"))

    def depth_at(self, end: str) -> int:
        """The depth that a node asks for at its end of the stream; 0 where it does not."""
        node, port = (self.writer, self.output) if end == "out" else (self.reader, self.input)
        if node is None:
            return 0
        asked = node.wholes(f"{end}FIFODepths", (0,), least=0)
        return asked[port] if port < len(asked) else 0


def read_finn(source: Path, folding: Path | None = None, frames: int = 1, notes: list[str] | None = None) -> TimedGraph:
    """The layers of a FINN model as pipelines of one cycle per iteration, fed with frames one after the other.

    Args:
        source: the ONNX file.
        folding: a folding configuration (JSON), which overrides attributes of the nodes that it names.
        frames: how many frames follow each other.
        notes: a list that is told what was assumed of this model.

    Raises:
        InputError: the file is no FINN dataflow graph, or a layer is not known or impossible.
        ToolMissingError: the package onnx is not installed.
    """
    check_whole(frames, "frames", str(source), 1, MAX_FRAMES)
    model = _folded(_unsplit(read_model(source)), folding)
    streams = _streams(model, source)
    layers = {node.name: layer_of(node) for node in model.nodes if kind_of(node) != _FIFO}
    told: list[str] = [] if notes is None else notes
    told += _differences(model, layers)
    builder = _Builder(model, layers, frames)
    for stream in streams:
        builder.connect(stream)
    builder.check_ports()
    told += _unspecialized(model)
    clock_ns = _clock_ns(model, source)
    if clock_ns is None:
        told.append(f"a clock of {DEFAULT_CLOCK_NS:g} ns, FINN's default: the model names none")
    return TimedGraph(
        model.name, 1000.0 / (clock_ns or DEFAULT_CLOCK_NS), tuple(builder.fifos), tuple(builder.processes())
    )


def write_depths(graph: TimedGraph, source: Path, out: Path) -> None:
    """Writes depths as FINN's folding configuration: ``inFIFODepths`` and ``outFIFODepths`` per node.

    FINN makes a FIFO as deep as the larger of the two ends, so both are set; a FIFO node of the model gets its
    ``depth``, too, of a chain the first one.

    Args:
        graph: what :func:`read_finn` gave, with other depths.
        source: the ONNX file it was read from.
        out: the JSON to write.

    Raises:
        InputError: the graph is not of this model.
    """
    model = _unsplit(read_model(source))
    depths = {fifo.name: fifo.depth for fifo in graph.fifos}
    config: dict[str, dict[str, Any]] = {"Defaults": {}}
    for stream in _streams(model, source):
        if stream.name not in depths:
            hints = ["name the file that the graph was imported from"]
            raise InputError("other-design", f"no FIFO '{stream.name:.80}'", where=graph.name, hints=hints)
        behind = depths.get(_converted(stream.name), depths[stream.name])
        _ask(config, stream.writer, "out", stream.output, depths[stream.name])
        _ask(config, stream.reader, "in", stream.input, behind)
        for number, node in enumerate(stream.fifos):
            others = sum(each.whole("depth") for each in stream.fifos[1:])
            depth = max(1, depths[stream.name] - others) if number == 0 else node.whole("depth")
            config.setdefault(node.name, {})["depth"] = depth
    write_json(out, config, indent=2)


def _ask(config: dict[str, dict[str, Any]], node: Node | None, end: str, port: int, depth: int) -> None:
    if node is None:
        return
    key = f"{end}FIFODepths"
    asked = config.setdefault(node.name, {}).setdefault(key, list(node.wholes(key, (MIN_DEPTH,), least=0)))
    asked += [MIN_DEPTH] * (port + 1 - len(asked))
    asked[port] = depth


# --- From the model to streams


def _unsplit(model: Model) -> Model:
    """The model with the FIFOs that FINN's SplitLargeFIFOs has cut in pieces in one piece again, by their old names."""
    fifos = {node.outputs[0]: node for node in model.nodes if kind_of(node) == _FIFO and node.outputs and node.inputs}
    part = re.compile(r"(.+)_(\d{1,4})")
    pieces: dict[str, list[Node]] = {}
    for node in fifos.values():
        found, before = part.fullmatch(node.name), fifos.get(node.inputs[0])
        if found is None:
            continue
        name, number = found[1], int(found[2])
        if number == 0:
            pieces[name] = [node]
        elif name in pieces and before is pieces[name][-1] and number == len(pieces[name]):
            pieces[name].append(node)
    whole = {parts[-1].name: (name, parts) for name, parts in pieces.items() if len(parts) > 1}
    gone = {node.name for _, parts in whole.values() for node in parts[:-1]}
    nodes: list[Node] = []
    for node in model.nodes:
        if node.name in whole:
            name, parts = whole[node.name]
            depth = sum(each.whole("depth") for each in parts)
            attributes = {**node.attributes, "depth": depth, _PIECES: len(parts)}
            nodes.append(replace(node, name=name, inputs=parts[0].inputs, attributes=attributes))
        elif node.name not in gone:
            nodes.append(node)
    return replace(model, nodes=tuple(nodes))


def _folded(model: Model, path: Path | None) -> Model:
    """The model with the attributes of a folding configuration."""
    if path is None:
        return model
    content = read_json(path)
    names = {node.name for node in model.nodes}
    if not isinstance(content, dict) or not all(isinstance(each, dict) for each in content.values()):
        raise InputError("bad-folding", "not a JSON object of attributes by node", where=str(path))
    for name in content:
        if name != "Defaults" and name not in names:
            raise InputError(
                "unknown-node", f"no node '{name:.80}'", where=str(path), hints=[did_you_mean(name, names)]
            )
    defaults = content.get("Defaults", {})
    nodes = [_with(node, _default_attributes(defaults, node), path) for node in model.nodes]
    return replace(model, nodes=tuple(_with(node, content.get(node.name, {}), path) for node in nodes))


def _default_attributes(defaults: Mapping[str, Any], node: Node) -> dict[str, Any]:
    """FINN's defaults are attribute: [value, [operations, or "all"]]."""
    return {
        name: given[0]
        for name, given in defaults.items()
        if isinstance(given, list) and len(given) == 2 and isinstance(given[1], list)
        if "all" in given[1] or node.op in given[1]
    }


def _with(node: Node, attributes: Mapping[str, Any], path: Path) -> Node:
    if not attributes:
        return node
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in attributes.items()}
    return replace(node, attributes={**node.attributes, **values}, where=f"{node.where} with {path}")


def _streams(model: Model, source: Path) -> list[_Stream]:
    """All streams, in the order of their readers; those that leave the design come last."""
    _check_layers(model, source)
    writers: dict[str, tuple[Node, int]] = {}
    for node in model.nodes:
        for port, tensor in enumerate(node.outputs):
            if tensor in writers or tensor in model.inputs:
                raise InputError("written-twice", f"tensor '{tensor:.80}' has two writers", where=node.where)
            writers[tensor] = (node, port)
    found: list[_Stream] = []
    taken: set[str] = set()
    names: Counter[str] = Counter()

    def add(tensor: str, reader: Node | None, port: int) -> None:
        fifos: list[Node] = []
        passed = tensor
        while True:
            if passed in taken:
                hints = ["let FINN insert DuplicateStreams"]
                raise InputError("read-twice", f"tensor '{passed:.80}' has two readers", where=str(source), hints=hints)
            taken.add(passed)
            writer, output = writers.get(passed, (None, 0))
            if writer is None or kind_of(writer) != _FIFO:
                break
            fifos.insert(0, writer)
            if not writer.inputs:
                raise InputError("open-end", "a FIFO without an input", where=writer.where)
            passed = writer.inputs[0]
        if writer is None and passed not in model.inputs:
            where = reader.where if reader else str(source)
            raise InputError("open-end", f"nothing writes its input '{passed:.80}'", where=where)
        name = fifos[0].name if fifos else f"{writer.name if writer else passed}__{reader.name if reader else tensor}"
        names[name] += 1
        name = f"{name}_{names[name] - 1}" if names[name] > 1 else name
        found.append(_Stream(name, passed, writer, output, reader, port, tuple(fifos)))

    for node in model.nodes:
        if kind_of(node) == _FIFO:
            continue
        for port, tensor in enumerate(node.inputs):
            is_memory = kind_of(node) == "IODMA" and node.attributes.get("direction", "in") == "in"
            if tensor and tensor not in model.constants and not is_memory:
                add(tensor, node, port)
    for tensor in model.outputs:
        writer = writers.get(tensor, (None, 0))[0]
        if writer is not None and not (kind_of(writer) == "IODMA" and writer.attributes.get("direction") == "out"):
            add(tensor, None, 0)
    for tensor, (node, _) in writers.items():
        is_memory = kind_of(node) == "IODMA" and node.attributes.get("direction") == "out"
        if tensor not in taken and not is_memory:
            raise InputError("open-end", f"nothing reads its output '{tensor:.80}'", where=node.where)
    return found


def _check_layers(model: Model, source: Path) -> None:
    """Refuses models that are no dataflow graphs, with what would make them one."""
    where = str(source)
    partitions = [node for node in model.nodes if node.op == _PARTITION]
    if partitions:
        child = str(partitions[0].attributes.get("model", ""))
        hints = ["import the model of the partition" + (f", {Path(child).name:.80}" if child else "")]
        raise InputError(
            "finn-parent", "the parent of a dataflow partition, without its layers", where=where, hints=hints
        )
    foreign = dict.fromkeys(node.op for node in model.nodes if not node.domain.startswith(FINN_DOMAIN))
    if foreign:
        shown = ", ".join(list(foreign)[:5]) + (", …" if len(foreign) > 5 else "")
        hints = ["run FINN's build up to step_create_dataflow_partition and step_specialize_layers"]
        what = f"no FINN dataflow graph: {shown} are no layers with a rate"
        raise InputError("not-dataflow", what, where=where, hints=hints)
    unknown = dict.fromkeys(node.op for node in model.nodes if not is_known(node) and kind_of(node) != _FIFO)
    if unknown:
        raise InputError("unknown-layer", f"no schedule is known for {', '.join(unknown)[:200]}", where=where)


def _differences(model: Model, layers: Mapping[str, Layer]) -> list[str]:
    """Layers whose schedule takes other cycles than FINN's estimate in the model, where there is one."""
    told: list[str] = []
    for node in model.nodes:
        estimate = node.attributes.get("cycles_estimate")
        if not isinstance(estimate, int) or kind_of(node) in _NO_CYCLES or estimate <= 0:
            continue
        if layers[node.name].cycles != estimate:
            told.append(f"{node.name} takes {layers[node.name].cycles:,} cycles a frame; FINN estimates {estimate:,}")
    return told


def _unspecialized(model: Model) -> list[str]:
    """Window units of which the model does not say whether they are HLS or RTL."""
    open_ends = [
        node.name
        for node in model.nodes
        if kind_of(node) == "ConvolutionInputGenerator" and not node.op.endswith(("_hls", "_rtl"))
    ]
    shown = ", ".join(open_ends[:5]) + (", …" if len(open_ends) > 5 else "")
    return [f"HLS's window units, as the model does not say which: {shown}"] if open_ends else []


def _clock_ns(model: Model, source: Path) -> float | None:
    found = [model.clock_ns, *(node.attributes.get("clk_ns", "") for node in model.nodes)]
    text = next((str(each) for each in found if each), "")
    if not text:
        return None
    try:
        value = real(text)
    except ValueError:
        value = 0.0
    if not 0.01 <= value <= 1e6:
        raise InputError("bad-clock", f"clk_ns is '{text:.40}'", where=str(source))
    return value


# --- From streams to FIFOs and pipelines


def _converted(name: str) -> str:
    """The FIFO behind the width converter of a stream."""
    return f"{name}__dwc_out"


class _Builder:
    """Collects FIFOs, and which of them is at which port."""

    def __init__(self, model: Model, layers: Mapping[str, Layer], frames: int) -> None:
        self.model, self.layers, self.frames = model, layers, frames
        self.fifos: list[Fifo] = []
        self._ports: dict[tuple[str, str, int], str] = {}
        self._added: list[Pipeline] = []  # converters, and what is outside

    def connect(self, stream: _Stream) -> None:
        """Adds the FIFO of a stream, with the converter or the end outside that it needs."""
        bits = self._element_bits(stream)
        out, into = self._port(stream, "write", bits), self._port(stream, "read", bits)
        if out is None or into is None:
            width, tokens = out or into or (bits, 1)
            self._add_fifo(stream, stream.name, width, stream.depth)
            self._add_outside(stream, tokens)
            return
        (wrote, tokens), (reads, wanted) = out, into
        frame = wrote * tokens
        if frame != reads * wanted:
            what = f"{frame} bits a frame are written to '{stream.name:.80}', {reads * wanted} are read"
            raise InputError("rates-differ", what, where=self.model.name, hints=["check the folding of its two ends"])
        if wrote == reads:
            self._add_fifo(stream, stream.name, wrote, stream.depth)
            self._at(stream.reader, "read", stream.input, stream.name)
            return
        behind, name = _converted(stream.name), f"{stream.name}__dwc"
        before = stream.depth if stream.fifos else max(MIN_DEPTH, stream.depth_at("out"))
        self._add_fifo(stream, stream.name, wrote, before)
        self.fifos.append(Fifo(behind, max(MIN_DEPTH, stream.depth_at("in")), reads, "srl", origin=stream.tensor[:200]))
        self._at(stream.reader, "read", stream.input, behind)
        self._ports[name, "read", 0], self._ports[name, "write", 0] = stream.name, behind
        self._added.append(self._pipeline(name, converter(wrote, reads, frame), _CONVERTER, "inserted, as FINN does"))

    def check_ports(self) -> None:
        """Refuses a layer that accesses a port which its node does not have, unless that is a constant.

        Raises:
            InputError: naming the layer and the port.
        """
        for node in self.model.nodes:
            for op, port in _ports_of(self.layers[node.name]) if node.name in self.layers else ():
                ends = node.inputs if op == "read" else node.outputs
                is_constant = op == "read" and port < len(ends) and ends[port] in self.model.constants
                is_weight = op == "read" and port > 0 and kind_of(node) in ("MVAU", "VVAU")
                if (node.name, op, port) not in self._ports and not is_constant and not is_weight:
                    what = f"it has no {'input' if op == 'read' else 'output'} {port} that is a stream"
                    raise InputError("no-such-port", what, where=node.where)

    def processes(self) -> list[Pipeline]:
        """Every node as a pipeline, in the order of the model; then what was added."""
        nodes = [node for node in self.model.nodes if kind_of(node) != _FIFO]
        return [
            self._pipeline(node.name, self.layers[node.name], kind_of(node), _told(node)) for node in nodes
        ] + self._added

    def _port(self, stream: _Stream, op: str, bits: int) -> tuple[int, int] | None:
        """Bits per token and tokens per frame at one end, of elements of so many bits; None outside."""
        node, port = (stream.writer, stream.output) if op == "write" else (stream.reader, stream.input)
        if node is None:
            return None
        layer = self.layers[node.name]
        elements = layer.out_elements if op == "write" else layer.in_elements
        tokens = layer.tokens(op, port)
        if port >= len(elements) or not tokens:
            what = f"{'output' if op == 'write' else 'input'} {port} is no stream of a {node.op:.80}"
            raise InputError("no-such-port", what, where=node.where)
        return elements[port] * (1 if kind_of(node) == _CONVERTER else bits), tokens

    def _element_bits(self, stream: _Stream) -> int:
        """The width of an element: as annotated, or as one of the ends declares it."""
        annotated = self.model.element_types.get(stream.tensor)
        if annotated:
            return element_bits(annotated, f"{self.model.name}: {stream.name}")
        declared = [(stream.writer, "outputDataType"), (stream.writer, "OutputDataType")]
        declared += [(stream.reader, "inputDataType"), (stream.reader, "InputDataType")]
        declared += [(node, "dataType") for node in (stream.writer, stream.reader)]
        declared += [(stream.writer, "inputDataType"), (stream.reader, "outputDataType")]
        for node, key in declared:
            if node is not None and isinstance(node.attributes.get(key), str) and node.attributes[key]:
                return node.bits(key)
        hints = ["annotate the tensor", "run FINN's InferDataTypes"]
        raise InputError(
            "no-type", f"no element type of stream '{stream.name:.80}'", where=self.model.name, hints=hints
        )

    def _at(self, node: Node | None, op: str, port: int, fifo: str) -> None:
        if node is not None:
            self._ports[node.name, op, port] = fifo

    def _add_fifo(self, stream: _Stream, name: str, bits: int, depth: int) -> None:
        is_vivado = any(node.attributes.get("impl_style") == "vivado" for node in stream.fifos)
        pieces = sum(node.whole(_PIECES, 1) for node in stream.fifos)
        check_whole(depth, "depth", f"{self.model.name}: {name}", 1, MAX_DEPTH)
        impl, latency = "ram" if is_vivado else "srl", max(0, pieces - 1)
        self.fifos.append(Fifo(name, depth, bits, impl, origin=stream.tensor[:200], latency=latency))
        self._at(stream.writer, "write", stream.output, name)

    def _add_outside(self, stream: _Stream, tokens: int) -> None:
        """A source or a sink that is always ready."""
        name = stream.tensor if stream.writer is None else f"{stream.name}__sink"
        op = "write" if stream.writer is None else "read"
        nest = StreamNest((tokens,), each_time() if op == "read" else (), each_time() if op == "write" else ())
        self._ports[name, op, 0] = stream.name
        if op == "write":
            self._at(stream.reader, "read", stream.input, stream.name)
        self._added.append(self._pipeline(name, Layer((nest,), (1,), (1,)), "outside", "assumed: always ready"))

    def _pipeline(self, name: str, layer: Layer, category: str, origin: str) -> Pipeline:
        """A layer of one nest takes frames without a gap; one of several begins anew for each."""
        nests, repeat = layer.nests, self.frames
        if len(nests) == 1:
            nests, repeat = (_framed(nests[0], self.frames),), 1
        return Pipeline(
            name, tuple(self._loop(name, nest) for nest in nests), repeat=repeat, origin=origin, category=category
        )

    def _loop(self, name: str, nest: StreamNest) -> Loop:
        """A loop that writes in the cycle of what it reads: FINN estimates no pipeline in between."""
        ends = (("read", nest.reads), ("write", nest.writes))
        events = [
            Event(fifo, op, 0, each.when)
            for op, accesses in ends
            for each in accesses
            if (fifo := self._ports.get((name, op, each.port)))  # weights may be no stream
        ]
        return Loop(nest.trips, nest.ii, 1, tuple(events), entry_gap=0)


def _ports_of(layer: Layer) -> list[tuple[str, int]]:
    accesses = [("read", each.port) for nest in layer.nests for each in nest.reads]
    return sorted({*accesses, *(("write", each.port) for nest in layer.nests for each in nest.writes)})


def _framed(nest: StreamNest, frames: int) -> StreamNest:
    """The nest with the frames as its outermost dim."""
    if frames == 1:
        return nest

    def all_frames(accesses: tuple[StreamAccess, ...]) -> tuple[StreamAccess, ...]:
        return tuple(replace(each, when=(None, *each.when)) if each.when else each for each in accesses)

    return StreamNest((frames, *nest.trips), all_frames(nest.reads), all_frames(nest.writes), nest.ii)


def _told(node: Node) -> str:
    folding = ", ".join(f"{key}={node.attributes[key]}" for key in ("PE", "SIMD") if key in node.attributes)
    return f"{node.op}{' with ' if folding else ''}{folding}"
