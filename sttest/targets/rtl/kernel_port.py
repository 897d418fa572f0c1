"""A memory port of a kernel: an AXI4 master for what a DMA moves in a launch, and the wires to its stream."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from sttest.compile.rtl import RAM_STYLES
from sttest.compile.rtl.dma import PortTensor, PortTensors, PortWords, port_words
from sttest.compile.rtl.walks import Bursts, room_kind
from sttest.core.errors import InputError
from sttest.package import KernelFiles
from sttest.reference.graph import ReferenceGraph, Store
from sttest.sim.graph import MemoryPort

PORT_SOURCES = ("fifo_ram", "address_walk", "chosen_bursts", "axi_read", "axi_write")
"""Modules of the library that ports have instances of."""

Signals = Sequence[tuple[str, str, bool]]
"""Name, bits (a number or WORD, STROBE, ADDRESS), and whether the master drives it."""
CONTROL: Signals = (
    ("awvalid", "1", True),
    ("awready", "1", False),
    ("awaddr", "ADDRESS", True),
    ("wvalid", "1", True),
    ("wready", "1", False),
    ("wdata", "WORD", True),
    ("wstrb", "STROBE", True),
    ("bvalid", "1", False),
    ("bready", "1", True),
    ("arvalid", "1", True),
    ("arready", "1", False),
    ("araddr", "ADDRESS", True),
    ("rvalid", "1", False),
    ("rready", "1", True),
    ("rdata", "WORD", False),
)
MEMORY: Signals = (*CONTROL, ("awlen", "8", True), ("wlast", "1", True), ("arlen", "8", True), ("rlast", "1", False))
_READS, _WRITES = (
    ("arvalid", "arready", "araddr", "arlen", "rvalid", "rready", "rdata", "rlast"),
    ("awvalid", "awready", "awaddr", "awlen", "wvalid", "wready", "wdata", "wstrb", "wlast", "bvalid", "bready"),
)


@dataclass(frozen=True)
class PartNumbers:
    """The numbers of parts by which a port reads."""

    stream: str  # stream from which the process behind the port takes them
    parts: int  # parts that lie in memory
    at_once: int  # numbers of a token


def _numbers(tensors: Sequence[PortTensor], values: ReferenceGraph) -> PartNumbers | None:
    """Those of the first tensor that is read by number; all others have the same."""
    parts = next((each.parts for each in tensors if each.parts is not None), None)
    if parts is None:
        return None
    return PartNumbers(parts.index, parts.parts, prod(values.stream[parts.index].element))


@dataclass(frozen=True)
class KernelArgument:
    """An argument, with the only memory port that uses it."""

    name: str  # name by which the host knows it
    port: MemoryPort  # its port in the timed graph
    words: PortWords
    numbers: PartNumbers | None = None  # numbers of the parts that it reads

    @property
    def bus(self) -> str:
        """The name of its AXI interface."""
        return f"m_axi_{self.name}"

    @property
    def reads(self) -> bool:
        """Whether it fills a stream from memory."""
        return self.port.op == "read"

    @cached_property
    def bursts(self) -> Bursts:
        """Its bursts."""
        words, port = self.words, self.port
        longest = Bursts.longest(port.burst_bytes, words.word_bits)
        if words.chosen is not None:
            longest = min(longest, words.chosen.longest)
        return Bursts.of(words.words, longest, words.word_bits // 8)

    @property
    def room(self) -> int:
        """Words that it has places for."""
        return self.bursts.room(self.port.outstanding)

    def body(self, stem: str, name: str, outer: Mapping[str, str]) -> str:
        """Instances of the modules of the port, and their wires.

        Args:
            stem: beginning of the names of its wires.
            name: name of the instance.
            outer: what signals of the port are called around it: those of AXI4, ``clk``, ``reset``, ``base``,
                ``ended``, ``space`` and ``put`` or ``avail`` and ``take``, and ``data`` in the stream's order; of one
                that reads parts by number, ``come`` and ``what``.
        """
        words, parts = self.words, self.words.parts
        count = words.tokens_per_word
        moves = "put" if self.reads else "take"
        sizes = {"WORD": words.word_bits, "PER_TOKEN": words.words_per_token, "PER_WORD": count}
        sizes |= {"ROOM": self.room, "STYLE": f'"{RAM_STYLES[room_kind(self.room)]}"'}
        if not self.reads:
            sizes |= {"STROBES": int(parts is not None), "OUTSTANDING": self.port.outstanding}
        clocked = f".clk({outer['clk']}), .reset({outer['reset']})"
        bits = max(1, (count - 1).bit_length())
        text = f"""  logic {stem}_asks, {stem}_asked, {stem}_word_ends;
  logic [63:0] {stem}_address;
  logic [8:0] {stem}_words;
  logic [{bits - 1}:0] {stem}_part;
  logic [{words.token_bits - 1}:0] {stem}_token;
"""
        text += (
            f"  assign {outer['data']} = {words.token_of(f'{stem}_token')};\n"
            if self.reads
            else f"  assign {stem}_token = {words.memory_of(outer['data'])};\n"
        )
        given = _given({"WORD_BYTES": words.word_bits // 8, **self.bursts.parameters})
        walk = {"base": outer["base"], "valid": f"{stem}_asks", "address": f"{stem}_address", "take": f"{stem}_asked"}
        if words.chosen is not None:
            walk, translated = self._chosen(stem, name, outer, clocked)
            text += translated
        ports = ", ".join(f".{signal}({wire})" for signal, wire in walk.items())
        text += f"  burst_walk #({given}) {name}_bursts ({clocked}, {ports}, .words({stem}_words));\n"
        if count == 1:
            text += f"  assign {stem}_part = '0;\n  assign {stem}_word_ends = 1'b1;\n"
        else:
            walked = {} if parts is None else {"IN_ORDER": 0, **parts.parameters}
            text += f"""  part_walk #({_given({"PER_WORD": count, **walked})}) {name}_parts (
    {clocked}, .step({outer[moves]}), .part({stem}_part), .word_ends({stem}_word_ends)
  );
"""
        used = [*(_READS if self.reads else _WRITES), "ended", "space" if self.reads else "avail", moves]
        joined = ", ".join(f".{each}({outer[each]})" for each in used)
        return f"""{text}  axi_{self.port.op} #({_given(sizes)}) {name} (
    {clocked}, .burst_valid({stem}_asks), .burst_address({stem}_address), .burst_words({stem}_words),
    .burst_take({stem}_asked), .part({stem}_part), .word_ends({stem}_word_ends),
    {joined}, .data({stem}_token)
  );
"""

    def _chosen(self, stem: str, name: str, outer: Mapping[str, str], clocked: str) -> tuple[dict[str, str], str]:
        """How a walk through chosen parts is connected, and what makes addresses of its numbers."""
        assert self.words.chosen is not None
        assert self.numbers is not None
        sizes = {"WORD_BYTES": self.words.word_bits // 8, "PARTS": self.numbers.parts, "NUMBERS": self.numbers.at_once}
        given = _given({**sizes, **self.words.chosen.parameters})
        text = f"""  logic {stem}_walked, {stem}_walks_on;
  logic [63:0] {stem}_walked_address;
  chosen_bursts #({given}) {name}_chosen (
    {clocked}, .base({outer["base"]}), .come({outer["come"]}), .what({outer["what"]}),
    .walked({stem}_walked), .walked_address({stem}_walked_address), .walked_take({stem}_walks_on),
    .valid({stem}_asks), .address({stem}_address), .take({stem}_asked)
  );
"""
        walk = {"base": "64'd0", "valid": f"{stem}_walked", "address": f"{stem}_walked_address"}
        return {**walk, "take": f"{stem}_walks_on"}, text

    def idle(self) -> str:
        """What the half of the AXI4 port that is not used says, and what never changes."""
        used, bus = (_READS if self.reads else _WRITES), self.bus
        silent = "".join(f"  assign {bus}_{name} = '0;\n" for name, _, driven in MEMORY if driven and name not in used)
        size = (self.words.word_bits // 8).bit_length() - 1
        fixed = (f"  assign {bus}_{way}size = {size};\n  assign {bus}_{way}burst = 1;\n" for way in ("aw", "ar"))
        return silent + "".join(fixed)

    def module(self, name: str) -> str:
        """The port as a module by itself, tokens in the order of the stream."""
        bits = self.words.word_bits
        used = [each for each in MEMORY if each[0] in (_READS if self.reads else _WRITES)]
        sizes = {"WORD": bits, "STROBE": bits // 8, "ADDRESS": 64}
        ports = [
            f"{'output' if master else 'input '} logic [{(sizes.get(width) or int(width)) - 1}:0] {signal}"
            for signal, width, master in used
        ]
        level, moves = ("space", "put") if self.reads else ("avail", "take")
        tokens = f"{'output' if self.reads else 'input '} logic [{self.words.token_bits - 1}:0] data"
        if self.numbers is not None:
            ports += ["input  logic come", f"input  logic [{32 * self.numbers.at_once - 1}:0] what"]
        listed = [
            "input  logic clk, reset",
            "input  logic [63:0] base",
            "output logic ended",
            *ports,
            f"input  logic {level}",
            f"output logic {moves}",
            tokens,
        ]
        names = ("clk", "reset", "base", "ended", level, moves, "data", *(signal for signal, _, _ in used))
        names += ("come", "what") if self.numbers is not None else ()
        body = self.body("own", "port", {each: each for each in names})
        return f"module {name} (\n  " + ",\n  ".join(listed) + f"\n);\n{body}endmodule\n"


def _given(parameters: Mapping[str, int | str]) -> str:
    return ", ".join(f".{name}({value})" for name, value in parameters.items())


def kernel_argument(name: str, port: MemoryPort, values: ReferenceGraph, files: KernelFiles | None) -> KernelArgument:
    """The argument of a memory port.

    Args:
        name: name of the argument.
        port: its port in the timed graph.
        values: reference graph of the design.
        files: C++ of the design, which says what lies in a buffer; None for a design whose buffers hold a tensor each.

    Raises:
        InputError: a port that has no RTL yet.
    """
    if files is not None and files.steps_of:
        raise InputError("no-rtl", "a launch that generates tokens has no AXI ports yet", where=name)
    nodes = {node.name: node for node in (*values.loads, *values.stores)}

    def tensors(names: Sequence[str]) -> tuple[PortTensor, ...]:
        found = [nodes[each] for each in names]
        return tuple(
            PortTensor(each, values.stream[each.source if isinstance(each, Store) else each.sink]) for each in found
        )

    row = None if files is None else files.rows.get(port.name)
    if row is None and port.name not in nodes:
        raise InputError("no-rtl", "nothing says what lies in its memory", where=name, hints=["compile it anew"])
    of_row, behind = tensors(row.loads if row else (port.name,)), tensors(row.behind if row else ())
    layers = 1 if files is None else files.layers_of.get(port.name, 1)
    left = port.tokens - sum(each.stream.tokens for each in behind)
    # A tensor that all layers share is read by each of them.
    repeats = layers if layers > 1 else left // sum(each.stream.tokens for each in of_row)
    moved = PortTensors(of_row, repeats, layers > 1, behind)
    if moved.tokens != port.tokens:
        raise InputError(
            "no-rtl",
            "its tensors have another number of tokens than its stream",
            where=name,
            demand=moved.tokens,
            bound=port.tokens,
            unit="tokens",
            hints=["compile it anew"],
        )
    found = KernelArgument(name, port, port_words(moved), _numbers(of_row, values))
    if not found.reads and found.words.parts is not None and found.words.token_bits % 8:
        raise InputError("no-rtl", "tokens that are parts of bytes have no AXI port yet", where=name)
    return found
