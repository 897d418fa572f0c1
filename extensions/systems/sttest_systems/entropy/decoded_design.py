"""A compiled design whose weights come entropy-coded: a decoder between each port of weights and its FIFO.

The timed graph alone is changed.  Weights of a design in floating point are float32 to its products; here memory has
them as bfloat16, plain or coded, and what reads them widens them, which takes no time.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sttest.core.errors import InputError
from sttest.sim.graph import Fifo, MemoryPort, Process, TimedGraph, full_rate_depth
from sttest_systems.entropy.coding.huffman import PrefixCode
from sttest_systems.entropy.coding.lanes import SIGN_AND_MANTISSA_BITS, LaneFormat, exponents, fill_before
from sttest_systems.entropy.coding.steps import LaneSteps, lane_steps
from sttest_systems.entropy.decoder_timing import DecoderDepths, decoder

FLOAT32_BYTES, BFLOAT16_BYTES = 4, 2
IsWeight = Callable[[MemoryPort], bool]


def weight_ports(graph: TimedGraph, is_weight: IsWeight) -> list[MemoryPort]:
    """The ports that bring weights.

    Raises:
        InputError: there are none.
    """
    ports = [each for each in graph.processes if isinstance(each, MemoryPort) and each.op == "read" and is_weight(each)]
    if not ports:
        raise InputError("no-weights", "no port brings weights", where=graph.name)
    return ports


def weights_of(port: MemoryPort) -> int:
    """Weights that a port of a float32 design brings."""
    return port.tokens * port.token_bytes // FLOAT32_BYTES


def with_plain_bfloat16(graph: TimedGraph, is_weight: IsWeight) -> TimedGraph:
    """The design with weights of two bytes in memory."""
    ports = {port.name for port in weight_ports(graph, is_weight)}
    return replace(
        graph,
        processes=tuple(
            replace(each, token_bytes=each.token_bytes * BFLOAT16_BYTES // FLOAT32_BYTES)
            if isinstance(each, MemoryPort) and each.name in ports
            else each
            for each in graph.processes
        ),
    )


@dataclass(frozen=True)
class LanePlan:
    """What decoders do with the weights of ports that bring equally many."""

    steps: Sequence[LaneSteps]  # steps by port
    words: NDArray[np.int64]  # words of memory by port
    fill_bits: int  # bits of fill in all lanes of all ports
    code_bits: int  # codewords, signs and mantissas of all


def lane_plan(weights: NDArray[np.uint16], lane_format: LaneFormat, code: PrefixCode) -> LanePlan:
    """Plans decoders beside each other.

    Args:
        weights: [ports, weights], bfloat16 bits, whole rows of the lanes.
        lane_format: lanes.
        code: code of all exponents that occur.

    Raises:
        InputError: an exponent without a codeword, or rows that are not whole.
    """
    lengths = np.array(code.lengths, dtype=np.int64)[exponents(weights)]
    if not lengths.all() or weights.shape[1] % lane_format.weights:
        raise InputError("bad-plan", "weights that the code or the lanes do not take", where="decoder")
    shaped = (lengths + SIGN_AND_MANTISSA_BITS).reshape(len(weights), -1, lane_format.lanes, lane_format.symbols)
    bits = shaped.sum(-1).transpose(1, 0, 2)
    fills = fill_before(bits, lane_format)
    whole = (bits + fills * lane_format.group_bits).sum(0)
    words = -(-whole.max(-1) // lane_format.word_bits)
    groups, ports, lanes = bits.shape
    steps = lane_steps(bits.reshape(groups, -1), fills.reshape(groups, -1), np.repeat(words, lanes), lane_format)
    spans = [slice(port * lanes, (port + 1) * lanes) for port in range(ports)]
    by_port = [LaneSteps(steps.takes[span], steps.gives[span], steps.ends[span]) for span in spans]
    return LanePlan(by_port, words, int(fills.sum()) * lane_format.group_bits, int(bits.sum()))


def with_decoders(
    graph: TimedGraph,
    is_weight: IsWeight,
    weights: Mapping[str, NDArray[np.uint16]],
    lane_format: LaneFormat,
    code: PrefixCode,
    depths: DecoderDepths,
) -> TimedGraph:
    """The design with coded weights and a decoder behind each of their ports.

    Args:
        graph: timed graph of a design whose weights are float32.
        is_weight: whether a port brings weights.
        weights: bfloat16 bits of each port's weights, by the name of the port.
        lane_format: lanes of each decoder.
        code: code of all weights.
        depths: depths of the decoders' FIFOs.
    """
    ports = weight_ports(graph, is_weight)
    planned = _plans(ports, weights, lane_format, code)
    fifos, processes = list(graph.fifos), [each for each in graph.processes if each.name not in planned]
    for port in ports:
        steps, words = planned[port.name]
        words_fifo = f"{port.name}_words"
        bits = 8 * lane_format.word_bytes
        fifos.append(Fifo(words_fifo, full_rate_depth(bits), bits))
        token = port.token_bytes // FLOAT32_BYTES
        made, around = decoder(port.name, words_fifo, port.fifo, len(fifos), steps, words, lane_format, token, depths)
        fifos += made
        processes += [replace(port, fifo=words_fifo, tokens=words, token_bytes=lane_format.word_bytes), *around]
    order = {each.name: place for place, each in enumerate(graph.processes)}
    last = len(order)

    def place(process: Process) -> int:
        return order.get(process.name, last)

    # Turns on shared channels follow the order of the ports.
    return TimedGraph(graph.name, graph.clock_mhz, tuple(fifos), tuple(sorted(processes, key=place)), graph.channels)


def _plans(
    ports: Sequence[MemoryPort], weights: Mapping[str, NDArray[np.uint16]], lane_format: LaneFormat, code: PrefixCode
) -> dict[str, tuple[LaneSteps, int]]:
    """Steps and words of each port; ports with equally many weights are planned together."""
    found: dict[str, tuple[LaneSteps, int]] = {}
    for count in sorted({weights_of(port) for port in ports}):
        alike = [port.name for port in ports if weights_of(port) == count]
        plan = lane_plan(np.stack([weights[name] for name in alike]), lane_format, code)
        found |= {name: (steps, int(words)) for name, steps, words in zip(alike, plan.steps, plan.words, strict=True)}
    return found


def bytes_of_weights(graph: TimedGraph, is_weight: IsWeight) -> int:
    """Bytes that the ports of weights bring."""
    return sum(port.tokens * port.token_bytes for port in weight_ports(graph, is_weight))
