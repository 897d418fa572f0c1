"""The processes, streams and memory arguments of a kernel, with their names in C++."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.ir import SSAValue

from sttest.compile.decoders import decoder_of
from sttest.compile.dialects import df
from sttest.compile.hls.converter import Conversion
from sttest.compile.hls.dma_read import Numbers, Placed
from sttest.compile.hls.helpers import HELPER_NAMES
from sttest.compile.hls.memory_layout import WORD_BITS, PortLayout, memory_layout
from sttest.compile.hls.process import EngineProcess, Process
from sttest.compile.hls.tree import CppArgument
from sttest.compile.hls.types import Element, Names, Token
from sttest.compile.hls.value_names import ValueNames, blocks_variable, fifo_variable, stream_name, value_names
from sttest.compile.ir.module_walk import run_first
from sttest.compile.sharing.functional_units import engines_of
from sttest.compile.sharing.layers import has_part_per_layer, has_part_per_step, outside_layers
from sttest.compile.sharing.processes import fifos_of, node_label, process_name, processes_of
from sttest.core.errors import InputError
from sttest.reference.weight_types import codes

# What every process calls its own.
_LOCAL_NAMES = (
    "token",
    "word",
    "words",
    "block",
    "tile",
    "first",
    "held",
    "number",
    "step",
    "row",
    "entry",
    "position",
    "place",
    "banks",
)


@dataclass(frozen=True)
class HlsStream:
    """A FIFO."""

    name: str  # name of the variable
    fifo: str  # name in the design
    token: Token  # type of its tokens
    depth: int  # tokens

    def parameter(self, name: str) -> CppArgument:
        """A parameter for it."""
        return self.token.parameter(name)


@dataclass(frozen=True)
class RelayChain:
    """The processes between the writer of a FIFO and the FIFO, which pass tokens on over SLR boundaries."""

    names: tuple[tuple[str, str], ...]  # names of each in the design, from the writer on, and of the FIFO that it reads
    depth: int  # depth of those FIFOs in tokens
    tokens: int  # tokens that go through in a launch


@dataclass(frozen=True)
class Relay:
    """One of them."""

    process: Process
    token: Token
    tokens: int  # tokens that it passes on in a launch


@dataclass(frozen=True)
class Tensor:
    """A tensor in memory and the node that reads or writes it."""

    label: str
    layout: PortLayout
    numbers: Numbers | None = None  # parts of it that the DMA reads

    @property
    def words(self) -> int:
        """Words in memory."""
        return Placed(0, self.layout, self.numbers).words


@dataclass(frozen=True)
class PortMemory:
    """An argument of the kernel: a tensor, or those of a queue one after the other, each from a whole word on."""

    name: str  # name of the argument
    label: str  # label of the DMA that reads or writes it
    bundle: str  # the port of that DMA, which it shares with others on its pseudo-channel
    # its number among those of the bundle, each of which has a load or store unit of its own; None where it has the
    # bundle for itself
    channel: int | None
    writes: bool  # whether it is a result
    tensors: tuple[Tensor, ...]  # tensors in the order in which they are read
    layers: int = 1  # number of such rows of tensors, one after the other
    behind: tuple[Tensor, ...] = ()  # tensors that lie behind all of them, once
    steps: int = 1  # number of copies of all that, one per token of a launch
    rows: int = 1  # number of rows of a table with one row per token: the first token's, then those of the vocabulary
    takes_entries: bool = False  # whether new entries of a cache are written, too

    @property
    def words(self) -> int:
        """Words of everything."""
        return self.steps * self.rows * self.words_per_step

    @property
    def words_per_step(self) -> int:
        """Words of all layers, and of what lies behind them."""
        return self.words_of_layers + sum(tensor.words for tensor in self.behind)

    @property
    def words_of_layers(self) -> int:
        """Words of all layers."""
        return self.layers * self.words_per_layer

    @property
    def words_per_layer(self) -> int:
        """Words of the tensors."""
        return sum(tensor.words for tensor in self.tensors)

    @property
    def element(self) -> Element:
        """What all tensors are made of."""
        return self.tensors[0].layout.token.element

    @property
    def word_bits(self) -> int:
        """Width of the port."""
        return self.tensors[0].layout.word_bits

    @property
    def word_bytes(self) -> int:
        """Bytes of a word."""
        return self.tensors[0].layout.word_bytes

    @property
    def c_type(self) -> str:
        """Type of the argument."""
        return f"{'' if self.writes or self.takes_entries else 'const '}{self.tensors[0].layout.word_type}*"

    @property
    def parameter(self) -> CppArgument:
        """The declaration."""
        return CppArgument(f"{self.c_type} ", self.name)


@dataclass
class KernelScope:
    """Everything in a kernel that has a name in C++.

    Args:
        kernel: kernel at the stream level.
        hbm_channels: pseudo-channel per DMA.
        relays: relays by FIFO, where it crosses SLRs.

    Raises:
        InputError: another level, or a type that has no C++.
    """

    kernel: df.KernelOp
    hbm_channels: Mapping[str, int]
    relays: Mapping[str, RelayChain] = field(default_factory=dict)
    name: str = field(init=False)
    # FIFOs as they are read, and those before the first relay of each FIFO and before each of the next
    streams: dict[SSAValue, HlsStream] = field(default_factory=dict)
    before_relays: dict[HlsStream, list[HlsStream]] = field(default_factory=dict)
    conversions: dict[df.ConverterOp, Conversion] = field(init=False)
    memories: dict[str, PortMemory] = field(default_factory=dict)
    nodes: list[df.NodeOp] = field(default_factory=list)
    engines: dict[str, list[df.TaskOp]] = field(init=False)
    members: dict[str, list[df.NodeOp]] = field(init=False)
    outside: set[df.NodeOp] = field(init=False)
    _names: Names = field(init=False)
    _values: Mapping[df.TaskOp, ValueNames] = field(init=False)

    def __post_init__(self) -> None:
        converters = [node for node in self.kernel.body.block.ops if isinstance(node, df.ConverterOp)]
        self.conversions = {node: Conversion.of(node, node_label(node)) for node in converters}
        reserved = HELPER_NAMES | self._type_names() | self._decoder_names()
        self._names = Names(reserved)
        self._values = value_names(self.kernel, reserved)
        self.engines = engines_of(self.kernel)
        self.members = processes_of(self.kernel)
        self.outside = outside_layers(self.kernel)
        self.name = self._names.of(self.kernel, self.kernel.sym_name.data)
        for op in self.kernel.body.block.ops:
            if isinstance(op, df.NodeOp):
                self.nodes.append(op)
            elif not isinstance(op, df.StreamOp | df.BufferOp | df.YieldOp):
                raise InputError("no-cpp-node", f"no C++ for {op.name}", where=self.name)
        self._name_memories()
        for node in self.nodes:
            self._names.of(self.turns(node)[0] if node.queue_name else node, self._label(node))
        for fifo, ops in fifos_of(self.kernel).items():
            kind = ops[0].result.type
            writer, token = ops[0].writer, Token.of(kind.itensor, fifo)
            name = self._names.of(("fifo", fifo), fifo_variable(writer, writer.sinks.index(ops[0].result)))
            stream = HlsStream(name, fifo, token, kind.depth.data)
            self.streams |= dict.fromkeys((op.result for op in ops), stream)
            if (chain := self.relays.get(fifo)) is not None:
                self.before_relays[stream] = [
                    HlsStream(self._names.of(("fifo", before), f"{name}_relay_{number}"), before, token, chain.depth)
                    for number, (_, before) in enumerate(chain.names)
                ]

    def _decoder_names(self) -> set[str]:
        names = {op.code.data for op in self.kernel.body.block.ops if isinstance(op, df.GatherOp) and op.code}
        return {each.name for name in names if (each := decoder_of(codes()[name]))}

    def _type_names(self) -> set[str]:
        tokens = (Token.of(ops[0].result.type.itensor, fifo) for fifo, ops in fifos_of(self.kernel).items())
        return {token.c_type for token in tokens} | {each.c_type for each in self.conversions.values()}

    @property
    def fifos(self) -> list[HlsStream]:
        """All FIFOs, those on the way to another before it."""
        found = dict.fromkeys(self.streams.values())
        return [each for stream in found for each in (*self.before_relays.get(stream, ()), stream)]

    def written_stream(self, sink: SSAValue) -> HlsStream:
        """The FIFO that the writer of a stream puts tokens into."""
        stream = self.streams[sink]
        return self.before_relays.get(stream, [stream])[0]

    def relays_behind(self, node: df.NodeOp) -> list[Relay]:
        """The relays of all FIFOs that a node's process writes; they are called behind it."""
        written = dict.fromkeys(
            self.streams[sink] for turn in self.turns(node) for sink in turn.sinks if sink in self.streams
        )
        return [relay for stream in written if stream in self.before_relays for relay in self._relays_to(stream)]

    def _relays_to(self, stream: HlsStream) -> list[Relay]:
        chain, before = self.relays[stream.fifo], self.before_relays[stream]
        return [
            Relay(
                Process(
                    self._names.of(("relay", name), name),
                    (each.parameter("from"), to.parameter("to")),
                    (each.name, to.name),
                    ("from",),
                    ("to",),
                ),
                each.token,
                chain.tokens,
            )
            for (name, _), each, to in zip(chain.names, before, [*before[1:], stream], strict=True)
        ]

    def served_by(self, node: df.NodeOp) -> tuple[str, list[df.TaskOp]] | None:
        """The engine that a node is a task of, with its tasks in the order of their turns."""
        if not isinstance(node, df.TaskOp) or node.engine is None:
            return None
        return node.engine.data, self.engines[node.engine.data]

    def processes(self, node: df.NodeOp) -> tuple[Process, ...]:
        """What is called for a node: both halves of a converter; an engine or a queue where its first node stands."""
        if isinstance(node, df.ConverterOp):
            return self.halves(node)
        served = self.served_by(node)
        if served is None:
            return (self.process(node),) if node is self.turns(node)[0] else ()
        engine, members = served
        return (self.engine(engine, members).whole,) if node is members[0] else ()

    def turns(self, node: df.NodeOp) -> list[df.NodeOp]:
        """All nodes of a node's process, in the order of their turns."""
        return self.members[process_name(node)]

    def is_outside_layers(self, node: df.NodeOp) -> bool:
        """Whether all of a node's process runs once per launch."""
        return self.outside.issuperset(self.turns(node))

    def behind_layers(self, node: df.NodeOp) -> list[df.NodeOp]:
        """Those turns of a node's process that come once, after those of all layers."""
        return [] if self.is_outside_layers(node) else [turn for turn in self.turns(node) if turn in self.outside]

    def inputs(self, node: df.NodeOp) -> list[HlsStream]:
        """What a node reads; a fork of a queue, whose turns have a source each, with those of all of them."""
        turns = self.turns(node) if isinstance(node, df.ForkOp | df.DmaReadOp) else [node]
        found = [self.streams[source] for turn in turns for source in turn.sources if source in self.streams]
        return [*dict.fromkeys(found)] if len(turns) > 1 else found

    def process(self, node: df.NodeOp) -> Process:
        """The function of a node; that of a converter stands for both of its processes (see :meth:`halves`)."""
        memory, place, behind = self.memories.get(process_name(node)), "", ""
        sizes: list[tuple[str, int]] = []
        inputs = self.inputs(node)
        outputs = [self.written_stream(stream) for stream in node.sinks]
        values = self._values.get(node) if isinstance(node, df.TaskOp) else None
        names = [*_numbered("from", len(inputs)), *_numbered("to", len(outputs))] if values is None else _ports(values)
        read, written = names[: len(inputs)], names[len(inputs) :]
        parameters = [stream.parameter(name) for stream, name in zip((*inputs, *outputs), names, strict=True)]
        arguments = [stream.name for stream in (*inputs, *outputs)]
        if memory is not None:
            parameters.insert(0, CppArgument(f"{memory.c_type} ", "memory"))
            arguments.insert(0, memory.name)
            # The part of the token and the layer that is being run.
            step = " + step * STEP_WORDS" if memory.steps > 1 else ""
            layer = " + layer * LAYER_WORDS" if memory.layers > 1 else ""
            place = f"(memory{step}{layer})" if step or layer else "memory"
            behind = f"(memory{step} + LAYERS_WORDS)" if memory.behind else ""
            sizes += [("STEP_WORDS", memory.words_per_step)] if step else []
            sizes += [("LAYER_WORDS", memory.words_per_layer)] if layer else []
            sizes += [("LAYERS_WORDS", memory.words_of_layers)] if behind else []
            (written if memory.writes else read).insert(0, place)
        return Process(
            self._names.of(self.turns(node)[0], self._label(node)),
            tuple(parameters),
            tuple(arguments),
            tuple(read),
            tuple(written),
            behind,
            tuple(sizes),
            values,
        )

    def engine(self, name: str, members: Sequence[df.TaskOp]) -> EngineProcess:
        """The functions of an engine: one for a turn, and the process that gives each task its own.

        Raises:
            InputError: the tokens of its tasks differ.
        """
        names = Names(_LOCAL_NAMES)
        ports = [
            [
                self._stream_port(stream, names)
                for stream in (*map(self.streams.__getitem__, member.sources), *map(self.written_stream, member.sinks))
            ]
            for member in members
        ]
        # What comes in one stream for all of them is one parameter.
        every = list(dict.fromkeys(port for each in ports for port in each))
        whole = self._names.of((name, "engine"), name)
        arity = len(members[0].sources)
        process = Process(
            whole,
            tuple(port[0] for port in every),
            tuple(port[1] for port in every),
            tuple(dict.fromkeys(port[2] for each in ports for port in each[:arity])),
            tuple(dict.fromkeys(port[2] for each in ports for port in each[arity:])),
        )
        turn = self._turn(self._names.of((name, "turn"), f"{name}_turn"), members)
        return EngineProcess(turn, process, tuple(tuple(port[2] for port in each) for each in ports))

    def _turn(self, name: str, members: Sequence[df.TaskOp]) -> Process:
        """The function of one turn: its streams are those of any of the tasks."""
        types = [
            [self.streams[port].token.parameter("each") for port in (*each.sources, *each.sinks)] for each in members
        ]
        if any(each != types[0] for each in types):
            raise InputError("engine-tokens", "the tokens of its tasks differ", where=name, hints=["share fewer tasks"])
        arity = len(members[0].sources)
        values = self._values[members[0]]
        named = _ports(values)
        inputs, outputs = tuple(named[:arity]), tuple(named[arity:])
        ports = (*members[0].sources, *members[0].sinks)
        parameters = (self.streams[port].parameter(each) for port, each in zip(ports, named, strict=True))
        return Process(name, tuple(parameters), (), inputs, outputs, values=values)

    def blocks(self, converter: df.ConverterOp) -> str:
        """Name of a converter's stream of blocks."""
        return self._names.of((converter, "blocks"), blocks_variable(converter))

    def halves(self, converter: df.ConverterOp) -> tuple[Process, Process]:
        """The processes of a converter: fill and drain."""
        whole = self.process(converter)
        variable, label = self.blocks(converter), node_label(converter)
        blocks = CppArgument(f"ping_pong<{self.conversions[converter].c_type}>& ", "blocks")
        fill = Process(
            self._names.of((converter, "fill"), f"{label}_fill"),
            (whole.parameters[0], blocks),
            (whole.arguments[0], variable),
            whole.inputs,
            ("blocks",),
        )
        drain = Process(
            self._names.of((converter, "drain"), f"{label}_drain"),
            (blocks, whole.parameters[1]),
            (variable, whole.arguments[1]),
            ("blocks",),
            whole.outputs,
        )
        return fill, drain

    def template(self, kind: str, number: int) -> str:
        """The name of a function that several processes share, one of so many of its kind."""
        return self._names.of(("template", kind, number), kind)

    def _stream_port(self, stream: HlsStream, names: Names) -> tuple[CppArgument, str, str]:
        """Declaration, argument and name of a stream as a parameter, called like the FIFO."""
        name = names.of(stream, stream.name)
        return stream.parameter(name), stream.name, name

    def _label(self, node: df.NodeOp) -> str:
        """The name of a node by itself, or that of its queue's process."""
        return process_name(node) if node.queue_name is not None else node_label(node)

    @property
    def word_bits(self) -> int:
        """Width of the ports.

        Raises:
            InputError: they differ.
        """
        widths = {memory.word_bits for memory in self.memories.values()}
        if len(widths) > 1:
            hints = ["compile all DMAs with beats of one width"]
            raise InputError("bad-layout", "ports of different widths have no C++", where=self.name, hints=hints)
        return max(widths, default=WORD_BITS[-1])

    def _name_memories(self) -> None:
        dmas = [node for node in self.nodes if isinstance(node, df.DmaOp) and node is self.turns(node)[0]]
        shares = Counter(self.hbm_channels[process_name(dma)] for dma in dmas)
        for argument, tensor in zip(self.kernel.body.block.args, self.kernel.inputs, strict=True):
            for dma in dmas:
                if isinstance(dma, df.DmaReadOp) and dma.sources[0] == argument:
                    wanted = dma.queue_name or tensor.name_hint or argument.name_hint or "input"
                    part = f"_slice{dma.slice_of[0]}" if dma.slice else ""
                    self._name_memory(dma, f"{wanted}{part}", shares)
        for value in self.kernel.terminator.arguments:
            if not isinstance(value.owner, df.DmaWriteOp):
                raise run_first("hls", "a result does not come from a df.dma_write", "materialize-dma")
            self._name_memory(value.owner, value.owner.origin_name or "result", shares)

    def _name_memory(self, op: df.DmaOp, wanted: str, shares: Counter[int]) -> None:
        hbm_channel = self.hbm_channels[process_name(op)]
        bundle = self._names.of(hbm_channel, f"gmem{hbm_channel}")
        before = sum(memory.bundle == bundle for memory in self.memories.values())
        channel = before if shares[hbm_channel] > 1 else None
        name = self._names.of((op, "memory"), wanted)
        layers = self.kernel.layer_count if has_part_per_layer(self.kernel, op) else 1
        once = self.behind_layers(op)
        tensors, behind = (
            tuple(_tensor(dma) for dma in self.turns(op) if isinstance(dma, type(op)) and (dma in once) is is_behind)
            for is_behind in (False, True)
        )
        steps = self.kernel.step_count if has_part_per_step(self.kernel, op) else 1
        rows, takes_entries = (max(1, op.row_count), op.takes_entries) if isinstance(op, df.DmaReadOp) else (1, False)
        self.memories[process_name(op)] = PortMemory(
            name, process_name(op), bundle, channel, op.writes, tensors, layers, behind, steps, rows, takes_entries
        )


def _tensor(dma: df.DmaOp) -> Tensor:
    label, layout = node_label(dma), memory_layout(dma)
    if not isinstance(dma, df.DmaReadOp) or dma.parts is None:
        return Tensor(label, layout)
    chosen, parts, _, runs = dma.parts.values
    index = Token.of(df.itensor_of(dma.sources[1]), label)
    return Tensor(label, layout, Numbers(index, chosen, parts, runs))


def _ports(values: ValueNames) -> list[str]:
    """Parameters of a task."""
    sources = [stream_name(each, is_read=True) for each in values.symbols.sources]
    return sources + [stream_name(each, is_read=False) for each in values.symbols.results]


def _numbered(name: str, count: int) -> list[str]:
    """Names of so many things; one has no number."""
    return [name] if count == 1 else [f"{name}{number}" for number in range(count)]
