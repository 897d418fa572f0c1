"""Entropy-coded bfloat16 weights (DFloat11): what a code saves, a decoder behind a channel, a block with decoders.

Weights are drawn as models are initialized; of a trained network there are the counts of its exponents.  The decoder
of each row is simulated with the traces of its own weights; its logic is that of the emitted SystemVerilog, by yosys.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sttest.boards.board import FpgaBoard
from sttest.boards.load import load_board, require_hbm
from sttest.compile.assumptions import DEFAULT_PORT_BITS
from sttest.compile.channels.memory_ports import tier_channels
from sttest.compile.compiler import compile_text
from sttest.compile.options import CompileOptions
from sttest.core.errors import ToolMissingError
from sttest.core.processes import run_all
from sttest.core.results import ResultFolder, Row
from sttest.models.parameters import block_parameters
from sttest.models.registry import get_config
from sttest.sim import Channel, Event, Fifo, Loop, MemoryPort, Pipeline, TimedGraph, simulate
from sttest.sim.sizing import simulate_many
from sttest.studies.lines import Line, print_lines, rows_of
from sttest.studies.steps import step_counter
from sttest.studies.tier_copy import copy_seconds
from sttest.studies.workload import WorkloadShape, model_text
from sttest.targets.synth.yosys import SynthesisJob, Synthesized, synthesize
from sttest_systems.entropy.coding.huffman import PrefixCode, entropy_bits, prefix_code
from sttest_systems.entropy.coding.lanes import (
    EXPONENTS,
    SIGN_AND_MANTISSA_BITS,
    LaneFormat,
    bfloat16_bits,
    encode,
    histogram,
)
from sttest_systems.entropy.decoded_design import (
    BFLOAT16_BYTES,
    bytes_of_weights,
    lane_plan,
    weight_ports,
    weights_of,
    with_decoders,
    with_plain_bfloat16,
)
from sttest_systems.entropy.decoder_rtl import decoder_text, sources
from sttest_systems.entropy.decoder_timing import DecoderDepths, any_trace_depths, decoder
from sttest_systems.entropy.savings import (
    integer_code_bits,
    integer_shares,
    normal_exponents,
    offload_tokens_per_s,
    quantized,
    rate_bound,
    share_entropy,
)

__depends__ = ("sttest_systems/entropy/trained_exponents.csv",)

MODEL, CONTEXT, BOARD, SEED = "gpt2", 64, "u55c", 1
DEVIATION = 0.02
"""The deviation of GPT-2's initial weights; projections into the residual stream have it over the root of twice the
layers (Hugging Face transformers, modeling_gpt2.py)."""
COUNT = 131_072
LANES = {
    "32 lanes of 1": LaneFormat(32, 1, 16, 12, 512),
    "16 lanes of 2": LaneFormat(16, 2, 32, 12, 512),
    "32 lanes of 2": LaneFormat(32, 2, 16, 12, 512),
}
SKEW = 512
RATES = (
    (1, 1, 32),
    (4, 1, 32),
    (16, 1, 32),
    (32, 1, 16),
    (1, 2, 32),
    (4, 2, 32),
    (16, 2, 32),
    (32, 2, 16),
    (1, 4, 64),
    (4, 4, 64),
    (8, 4, 64),
    (16, 4, 32),
)
SKEWS = (64, 128, 256, 512, 1024, 2048)
NO_FILL = 1 << 40
TRACES = 100
SYNTHESIZED = ((1, 32), (1, 16), (2, 32), (2, 16), (4, 64))
GEMV_LANES = (1024, 2048)
OFFLOADED, KV_BYTES = "llama-3.1-8b", 2
TRAINED = Path(__file__).with_name("trained_exponents.csv")
QUANTIZED = ((8, 1024), (4, 128))
V1 = "Zhang et al., DFloat11, arXiv 2504.11651v1, abstract"
POSTER = "Hariri et al., DFloat11, poster at NeurIPS 2025 (mohsenhariri.github.io)"
PUBLISHED: tuple[tuple[str, float, str, str, str], ...] = (
    ("bytes over bfloat16", 0.70, "ratio", V1, "model size reduced by around 30 %"),
    ("bytes over bfloat16 [Llama 3.1 8B]", 0.678, "ratio", POSTER, ""),
    ("entropy of exponents", 2.6, "bits", POSTER, "about, of several models"),
    ("speed over offloading, least", 1.9, "ratio", V1, "against parts of the model in a CPU's memory"),
    ("speed over offloading, most", 38.8, "ratio", V1, "against parts of the model in a CPU's memory"),
    ("context over bfloat16, least", 5.3, "ratio", V1, "with a fixed memory of the GPU"),
    ("context over bfloat16, most", 13.17, "ratio", V1, "with a fixed memory of the GPU"),
)


@cache
def board() -> FpgaBoard:
    """The card."""
    return require_hbm(load_board(BOARD))


def normal(count: int, seed: int, deviation: float = DEVIATION) -> NDArray[np.uint16]:
    """bfloat16 bits of normal numbers."""
    return bfloat16_bits(np.random.default_rng(seed).normal(0, deviation, count).astype(np.float32))


# --- The code


def any_code(lane_format: LaneFormat) -> PrefixCode:
    """A code of normal weights that has codewords for all exponents."""
    return prefix_code(histogram(normal(4 * COUNT, SEED)) + 1, lane_format.longest)


def residual_deviation() -> float:
    """Deviation of the initial weights of projections into the residual stream."""
    return DEVIATION / np.sqrt(2 * get_config(MODEL).layers)


def parts_of_block() -> tuple[NDArray[np.uint16], NDArray[np.uint16]]:
    """Initial weights of a block: of twelve parts five are projections into the residual stream, o and four of fc2."""
    small = 5 * COUNT // 12
    return normal(COUNT - small, SEED), normal(small, SEED + 1, residual_deviation())


def drawn_weights() -> dict[str, tuple[NDArray[np.uint16], NDArray[np.float64] | None, str]]:
    """Weights by what they are like, with the shares of their exponents in closed form and a note."""
    parts = parts_of_block()
    small, block = parts[1].size, np.concatenate(parts)
    shares = ((COUNT - small) * normal_exponents(DEVIATION) + small * normal_exponents(residual_deviation())) / COUNT
    uniform = np.random.default_rng(SEED).uniform(-1, 1, COUNT) / np.sqrt(get_config(MODEL).hidden)
    tails = np.random.default_rng(SEED).standard_t(4, COUNT) * DEVIATION
    return {
        "gpt2": (block, shares, "initial weights of a block of GPT-2 Medium, one code for all"),
        "normal": (normal(COUNT, SEED), normal_exponents(DEVIATION), "deviation 0.02"),
        "uniform": (bfloat16_bits(uniform.astype(np.float32)), None, "initial weights of nn.Linear"),
        "student-t": (bfloat16_bits(tails.astype(np.float32)), None, "four degrees of freedom: heavy tails"),
    }


def of_codes() -> Iterator[Line]:
    """What a code saves of weights in bfloat16."""
    for name, (weights, shares, note) in drawn_weights().items():
        encoded = encode(weights, LANES["16 lanes of 2"])
        counts = histogram(weights)
        closed = None if shares is None else share_entropy(shares)
        source = "" if closed is None else "closed form, shares of normal numbers"
        yield Line(
            "entropy of exponents", entropy_bits(counts), "bits", "derived", note, name, reference=closed, source=source
        )
        yield Line("mean codeword", encoded.code.mean_bits(counts), "bits", "derived", note, name)
        yield Line("bits per weight", encoded.bits_per_weight, "bits", "derived", "with fill", name)
        yield Line("bytes over bfloat16", encoded.bits_per_weight / 16, "ratio", "derived", "with fill", name)
    yield from _of_trained()
    apart = [LANES["16 lanes of 2"].code(weights).mean_bits(histogram(weights)) for weights in parts_of_block()]
    yield Line(
        "mean codeword, a code per tensor",
        float(np.average(apart, weights=(7, 5))),
        "bits",
        "derived",
        "two deviations, each with its code",
        "gpt2",
    )


def _of_trained() -> Iterator[Line]:
    """What a code saves of a trained network, by how often its exponents occur."""
    read = pd.read_csv(TRAINED)
    counts = np.zeros(EXPONENTS + 1, dtype=np.int64)
    counts[read["exponent"]] = read["count"]
    note = "trained weights of Silero VAD 6.2.3, a small network for speech, rounded from float32"
    mean = prefix_code(counts, 12).mean_bits(counts)
    yield Line("entropy of exponents", entropy_bits(counts), "bits", "derived", note, "silero-vad")
    yield Line("mean codeword", mean, "bits", "derived", note, "silero-vad")
    bits = SIGN_AND_MANTISSA_BITS + mean
    yield Line("bits per weight", bits, "bits", "derived", f"{note}; without lanes", "silero-vad")
    yield Line("bytes over bfloat16", bits / 16, "ratio", "derived", f"{note}; without lanes", "silero-vad")


def of_integers() -> Iterator[Line]:
    """What a code saves of quantized weights."""
    values = np.random.default_rng(SEED).normal(0, 1, 1 << 20)
    for bits, group in QUANTIZED:
        where = f"[int{bits}, scales of {group}]"
        entropy, mean = integer_code_bits(quantized(values, bits, group), 12)
        most = float(np.abs(values.reshape(-1, group)).max(1).mean())
        closed = share_entropy(integer_shares(bits, most))
        yield Line(
            f"entropy of integers {where}",
            entropy,
            "bits",
            "derived",
            "normal numbers",
            "normal",
            reference=closed,
            source="closed form, all groups with the mean scale",
        )
        yield Line(f"mean codeword of integers {where}", mean, "bits", "derived", "normal numbers", "normal")
        yield Line(f"bytes over plain integers {where}", mean / bits, "ratio", "derived", "without scales", "normal")


# --- A decoder behind a channel


@cache
def hbm_channel() -> Channel:
    """A pseudo-channel of the card's HBM, as a kernel sees it."""
    tier, beat_bytes = board().tier("hbm"), DEFAULT_PORT_BITS // 8
    return tier_channels(tier, board().clock_mhz.value, beat_bytes, [0])[0]


def channel_graph(
    weights: NDArray[np.uint16], lane_format: LaneFormat, depths: DecoderDepths, code: PrefixCode | None = None
) -> TimedGraph:
    """A channel of HBM, a port, a decoder, and what takes a row of weights in every cycle."""
    plan = lane_plan(weights[None, :], lane_format, code or lane_format.code(weights))
    hbm, words, rows = hbm_channel(), int(plan.words[0]), weights.size // lane_format.weights
    fifos = [Fifo("words", 3, 8 * lane_format.word_bytes, "ram"), Fifo("rows", 2, 16 * lane_format.weights, "srl")]
    made, processes = decoder("d", "words", "rows", 2, plan.steps[0], words, lane_format, lane_format.weights, depths)
    port = MemoryPort("port", "read", "words", words, lane_format.word_bytes, (hbm.name,))
    sink = Pipeline("sink", (Loop((rows,), 1, 1, (Event("rows", "read", 0),)),))
    return TimedGraph("channel", board().clock_mhz.value, (*fifos, *made), (port, *processes, sink), (hbm,))


def of_rates(engine: str) -> Iterator[Line]:
    """Effective bandwidth by lanes and symbols per cycle."""
    weights = normal(COUNT, SEED)
    for lanes, symbols, part in RATES:
        lane_format = LaneFormat(lanes, symbols, part, 12, SKEW)
        design = channel_graph(weights, lane_format, any_trace_depths(lane_format))
        cycles = simulate(design, engine).cycles
        assert cycles is not None, "depths of the bound"
        per_cycle = float(design.channels[0].bytes_per_cycle())
        where, rate = f"[{lanes} lanes of {symbols}]", COUNT / cycles
        bound = rate_bound(lanes, symbols, 8 * per_cycle, 8 + lane_format.code(weights).mean_bits(histogram(weights)))
        yield Line(
            f"weights per cycle {where}",
            rate,
            "weights/cycle",
            "simulated",
            "",
            "normal",
            reference=bound,
            source="closed form: lanes times symbols, or channel over bits per weight",
        )
        effective = BFLOAT16_BYTES * rate / per_cycle
        yield Line(
            f"effective bandwidth {where}",
            effective,
            "ratio",
            "simulated",
            "bfloat16 over the channel's bytes",
            "normal",
        )


def of_skews(engine: str) -> Iterator[Line]:
    """Fill and depths by the skew from which on a lane gets fill."""
    weights = normal(4 * COUNT, SEED)
    base = LANES["16 lanes of 2"]
    code = any_code(base)
    for skew in SKEWS:
        lane_format = replace(base, skew_bits=skew)
        plan = lane_plan(weights[None, :], lane_format, code)
        bound = any_trace_depths(lane_format)
        where = f"[skew {skew}]"
        yield Line(f"fill over weights {where}", plan.fill_bits / plan.code_bits, "ratio", "derived", "", "normal")
        yield Line(f"depth for any weights {where}", bound.parts, "tokens", "derived", "", "normal")
        least = least_depth(weights[:COUNT], lane_format, code, engine)
        yield Line(f"least depth that ends {where}", least, "tokens", "simulated", "of one trace", "normal")
    yield from _without_fill(engine)


def _without_fill(engine: str) -> Iterator[Line]:
    """How many traces deadlock at depths that were sized for another one, when lanes get no fill."""
    lane_format = replace(LANES["16 lanes of 2"], skew_bits=NO_FILL)
    code = any_code(lane_format)
    least = least_depth(normal(COUNT, SEED), lane_format, code, engine)
    stuck = sum(
        not does_end(channel_graph(normal(COUNT, seed), lane_format, DecoderDepths(least), code), engine)
        for seed in range(1000, 1000 + TRACES)
    )
    yield Line("least depth that ends [no fill]", least, "tokens", "simulated", "of one trace", "normal")
    yield Line(
        "traces that deadlock at it [no fill]",
        stuck / TRACES,
        "ratio",
        "simulated",
        f"of {TRACES} others of the same distribution",
        "normal",
    )


def does_end(design: TimedGraph, engine: str) -> bool:
    """Whether a graph runs to its end; without the certificate of a deadlock where the engine is max-plus."""
    if engine == "maxplus":
        return simulate_many(design, [{}])[0] >= 0
    return simulate(design, engine).cycles is not None


def least_depth(weights: NDArray[np.uint16], lane_format: LaneFormat, code: PrefixCode, engine: str) -> int:
    """The least depth before lanes with which these weights are decoded to their end, by bisection."""

    def ends_with(depth: int) -> bool:
        return does_end(channel_graph(weights, lane_format, DecoderDepths(depth), code), engine)

    low, high = 1, 1
    while not ends_with(high):
        low, high = high + 1, 2 * high
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if ends_with(middle) else (middle + 1, high)
    return low


def of_depths(engine: str) -> Iterator[Line]:
    """Cycles and stalls by the depth of the FIFOs before lanes and behind them."""
    weights, lane_format = normal(COUNT, SEED), LANES["32 lanes of 2"]
    bound = any_trace_depths(lane_format)
    before = (bound.parts - 8, bound.parts, 4 * bound.parts)
    for parts, groups in (*((depth, 2) for depth in before), *((bound.parts, depth) for depth in (1, 4, 16))):
        where = f"[{parts} before, {groups} behind]"
        run = simulate(channel_graph(weights, lane_format, DecoderDepths(parts, groups)), engine)
        if run.cycles is None:
            yield Line(f"cycles {where}", None, "cycles", "simulated", "deadlock", "normal")
            continue
        lanes = [each for name, each in run.breakdown.items() if name.startswith("d_lane")]
        waiting = sum(each.stall_in_cycles for each in lanes) / len(lanes) / run.cycles
        held = sum(each.stall_out_cycles for each in lanes) / len(lanes) / run.cycles
        yield Line(f"cycles {where}", run.cycles, "cycles", "simulated", "", "normal")
        yield Line(f"share of a lane's cycles waiting for words {where}", waiting, "ratio", "simulated", "", "normal")
        yield Line(f"share of a lane's cycles waiting for room {where}", held, "ratio", "simulated", "", "normal")


# --- Logic


def of_logic() -> Iterator[Line]:
    """LUTs of a lane with its two FIFOs, and cells on its longest path."""
    jobs: dict[tuple[int, int], SynthesisJob] = {}
    for symbols, part in SYNTHESIZED:
        lane_format = LaneFormat(1, symbols, part, 12, SKEW)
        depths = any_trace_depths(lane_format)
        text = decoder_text("bank", lane_format.code(normal(COUNT, SEED)), lane_format, depths)
        jobs[symbols, part] = SynthesisJob("bank", (*sources(depths), ("bank.sv", text)), size=5000)
    with tempfile.TemporaryDirectory() as folder:
        try:
            found = synthesize(jobs.values(), Path(folder), 1, lambda _: None)
        except ToolMissingError as error:
            yield Line("LUTs per lane", None, "count", "synthesized", str(error))
            return
    for (symbols, part), job in jobs.items():
        made, where = found[job.key], f"[{symbols} per cycle, parts of {part} bits]"
        if not isinstance(made, Synthesized):
            yield Line(f"LUTs per lane {where}", None, "count", "synthesized", str(made))
            continue
        yield Line(f"LUTs per lane {where}", made.resources.lut, "count", "synthesized", "with its FIFOs; yosys")
        yield Line(f"FFs per lane {where}", made.resources.ff, "count", "synthesized", "with its FIFOs; yosys")
        yield Line(f"cells on the longest path {where}", made.levels, "cells", "synthesized", "yosys")


# --- A block


def is_weight(port: MemoryPort) -> bool:
    """Whether a port brings weights of products."""
    return "weight" in port.origin and "norm" not in port.origin


def block_weights(ports: Sequence[MemoryPort]) -> dict[str, NDArray[np.uint16]]:
    """Initial weights of what each port brings, in the order in which products follow each other."""
    found = {}
    for seed, port in enumerate(ports):
        count = weights_of(port)
        # The shared product: q, k, v, four parts of fc1, then four of fc2.
        small = count if "o_proj" in port.origin else 4 * count // 11
        halves = normal(count - small, 2 * seed + 50), normal(small, 2 * seed + 51, residual_deviation())
        found[port.name] = np.concatenate(halves)
    return found


def run_block(key: tuple[int, str, str]) -> tuple[int, int, int]:
    """Simulates a block.

    Args:
        key: lanes of the products; ``float32``, ``bfloat16`` or a name of :data:`LANES`; engine.

    Returns:
        Cycles, bytes of weights, lanes of decoders.
    """
    gemv_lanes, memory, engine = key
    options = CompileOptions(share="weights", gemv_lanes=gemv_lanes, precision="fp32")
    text = model_text(get_config(MODEL), WorkloadShape("decode", 1, CONTEXT))
    design = compile_text(text, MODEL, board(), options).graph
    lanes = 0
    if memory == "bfloat16":
        design = with_plain_bfloat16(design, is_weight)
    elif memory in LANES:
        ports, lane_format = weight_ports(design, is_weight), LANES[memory]
        weights = block_weights(ports)
        code = lane_format.code(np.concatenate([*weights.values()]))
        lanes = len(ports) * lane_format.lanes
        design = with_decoders(design, is_weight, weights, lane_format, code, any_trace_depths(lane_format))
    cycles = simulate(design, engine).cycles
    assert cycles is not None, "depths of the bound"
    return cycles, bytes_of_weights(design, is_weight), lanes


def of_blocks(found: Mapping[tuple[int, str, str], tuple[int, int, int]], luts: Mapping[str, float]) -> Iterator[Line]:
    """A block of the model by what its weights are in memory."""
    card = board()
    for (gemv_lanes, memory, engine), (cycles, size, lanes) in found.items():
        where = f"[{gemv_lanes} lanes, {memory}]"
        step_us = get_config(MODEL).layers * (cycles / card.clock_mhz.value + card.launch.queued_us.value)
        yield Line(f"block {where}", cycles, "cycles", model=MODEL)
        yield Line(f"bytes of weights {where}", size, "bytes", model=MODEL)
        yield Line(
            f"speed {where}",
            1e6 / step_us,
            "tokens/s",
            note="launches in a queue; LM head and host left out",
            model=MODEL,
        )
        if memory not in LANES:
            continue
        plain = found[gemv_lanes, "bfloat16", engine]
        yield Line(f"bytes over bfloat16 {where}", size / plain[1], "ratio", model=MODEL)
        yield Line(f"cycles over bfloat16 {where}", cycles / plain[0], "ratio", model=MODEL)
        of_lane = f"[{LANES[memory].symbols} per cycle, parts of {LANES[memory].word_bits} bits]"
        each = luts.get(f"LUTs per lane {of_lane}")
        if each is not None:
            yield Line(
                f"LUTs of decoders over the card's {where}",
                lanes * each / card.fabric.lut.count,
                "ratio",
                "derived",
                f"{lanes} lanes behind all ports; yosys counts too many",
                MODEL,
            )


def of_room(bytes_over: float) -> Iterator[Line]:
    """What smaller weights leave room for: context on one card, and a model that the HBM holds more of."""
    config, card = get_config(OFFLOADED), board()
    parameters = config.layers * block_parameters(config) + config.vocab * config.hidden * (2 - config.tied_embeddings)
    plain = BFLOAT16_BYTES * parameters
    per_token = 2 * config.layers * config.kv_heads * config.head_dim * KV_BYTES
    note = "bytes alone: weights, and 16-bit keys and values"
    room = [(card.hbm.size_bytes - size) / per_token for size in (plain, bytes_over * plain)]
    for name, tokens in zip(("bfloat16", "coded"), room, strict=True):
        yield Line(f"context that the HBM has room for [{name}]", tokens, "tokens", "derived", note, OFFLOADED)
    yield Line("context over bfloat16", room[1] / room[0], "ratio", "derived", note, OFFLOADED)
    small = require_hbm(load_board("u280"))
    speeds = [
        offload_tokens_per_s(
            size, small.hbm.size_bytes, small.tier("hbm").gb_per_s, partial(copy_seconds, small, "host")
        )
        for size in (plain, bytes_over * plain)
    ]
    note = "u280: all of its HBM for weights, the rest from the host for each token, coded too; bytes over bandwidth"
    yield Line("speed over offloading", speeds[1] / speeds[0], "ratio", "derived", note, OFFLOADED)


def reproduce(out: Path, *, engine: str = "maxplus", jobs: int = 2) -> list[Line]:
    """Prints the table and writes ``out``."""
    work = {
        (lanes, memory, engine): (lanes, memory, engine)
        for lanes in GEMV_LANES
        for memory in ("float32", "bfloat16", *LANES)
    }
    say, blocks = step_counter(len(work) + 6), {}
    lines: list[Line] = []
    parts: tuple[tuple[str, Any], ...] = (
        ("codes", of_codes),
        ("integers", of_integers),
        ("rates", partial(of_rates, engine)),
        ("skews", partial(of_skews, engine)),
        ("depths", partial(of_depths, engine)),
        ("logic", of_logic),
    )
    for name, part in parts:
        lines += part()
        say(name)
    for key, found in run_all(run_block, work, jobs, "entropy"):
        blocks[key] = found
        say(f"block with {key[0]} lanes, {key[1]}")
    luts = {line.metric: line.value for line in lines if line.value is not None}
    lines += of_blocks({key: blocks[key] for key in work}, luts)
    lines += of_room(next(line.value or 1 for line in lines if line.metric == "bytes over bfloat16"))
    print_lines(lines, "Entropy-coded weights", weights="model")
    config = {"lanes": LANES, "rates": RATES, "skews": SKEWS, "count": COUNT, "context": CONTEXT, "traces": TRACES}
    with ResultFolder(out, made_by=__name__, config=config, seed=SEED) as folder:
        folder.add(*rows_of(lines, "entropy", engine, board=BOARD))
        for metric, value, unit, source, note in PUBLISHED:
            folder.add(Row("entropy", metric, value, unit, "published", board="gpu", source=source, note=note))
    return lines
