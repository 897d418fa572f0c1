"""Decoders of entropy-coded weights: to the bit in C++ and hardware, in the timed graph's cycles; any trace ends."""

from __future__ import annotations

import shutil
from dataclasses import replace

import numpy as np
import pytest
from entropy_runs import FORMATS, bank_graph, graph_of, normal_weights, run_csim, run_hardware

from sttest.core.errors import InputError
from sttest.sim import simulate
from sttest_systems.entropy.coding import LaneFormat, decode, encode, lane_steps
from sttest_systems.entropy.coding.lanes import SIGN_AND_MANTISSA_BITS, fill_before
from sttest_systems.entropy.coding.steps import steps_of
from sttest_systems.entropy.decoder_hls import decoder_kernel
from sttest_systems.entropy.decoder_timing import DecoderDepths, any_trace_depths, decoder

needs_verilator = pytest.mark.skipif(shutil.which("verilator") is None, reason="verilator is not installed")
needs_icarus = pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus Verilog is not installed")
needs_gxx = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
# Source and sink at full pace, a slow memory, slow products.
PACES = ((1, 1), (2, 1), (1, 3))


def mixed_weights(count: int, seed: int = 1):
    """Weights of a model, and among them numbers of any bits: infinities, NaN, subnormal ones."""
    weights = normal_weights(count, seed)
    weights[::7] = np.random.default_rng(seed).integers(0, 1 << 16, weights[::7].size)
    return weights


def check_hardware(weights, encoded, pace, simulator, folder):
    """Weights to the bit, in the cycles of the timed graph."""
    depths = any_trace_depths(encoded.format)
    timed = simulate(graph_of(encoded, depths, *pace), record=True)
    run = run_hardware(encoded, depths, folder, timed.cycles + 20, simulator, *pace)
    assert (run.weights == weights).all()
    assert np.array_equal(timed.read_times["words"], run.word)
    assert np.array_equal(timed.write_times["rows"], run.row)
    assert np.array_equal(timed.read_times["rows"], run.sink)


@pytest.mark.parametrize("number", range(len(FORMATS)))
@needs_icarus
def test_hardware_decodes_to_the_bit_in_the_cycles_of_the_timed_graph(number, tmp_path):
    weights = mixed_weights(600)
    check_hardware(weights, encode(weights, FORMATS[number]), PACES[number % 3], "icarus", tmp_path)


@pytest.mark.parametrize("number", range(len(FORMATS)))
@pytest.mark.parametrize("pace", PACES)
@needs_verilator
@pytest.mark.nightly
def test_verilator_decodes_to_the_bit_in_the_cycles_of_the_timed_graph(number, pace, tmp_path):
    weights = mixed_weights(1500)
    check_hardware(weights, encode(weights, FORMATS[number]), pace, "verilator", tmp_path)


@pytest.mark.parametrize("number", [0, *(pytest.param(each, marks=pytest.mark.nightly) for each in (1, 2, 3))])
@needs_gxx
@pytest.mark.slow
def test_emitted_cpp_decodes_to_the_bit_in_as_many_steps(number, tmp_path):
    weights, lane_format = mixed_weights(1500), FORMATS[number]
    encoded = encode(weights, lane_format)
    found, steps = run_csim(encoded, any_trace_depths(lane_format), tmp_path)
    assert (found == weights).all()
    assert (steps == steps_of(encoded).ends).all()


@needs_gxx
@pytest.mark.nightly
def test_emitted_cpp_waits_for_ever_where_the_timed_graph_does(tmp_path):
    # Lane 1 has the short groups; without fill it holds back the words that lane 0 waits for.
    weights = np.where(np.arange(600) % 2, 0x3F80, np.random.default_rng(1).integers(0, 1 << 16, 600)).astype(np.uint16)
    lane_format = LaneFormat(2, 1, 32, 9, 1 << 20)
    encoded, depths = encode(weights, lane_format), DecoderDepths(3)
    assert simulate(graph_of(encoded, depths)).deadlock is not None
    with pytest.raises(Exception, match="returned non-zero exit status 3"):
        run_csim(encoded, depths, tmp_path)


def random_format(rng) -> LaneFormat:
    symbols, longest = int(rng.choice([1, 2, 4])), int(rng.integers(9, 14))
    group = symbols * (longest + SIGN_AND_MANTISSA_BITS)
    return LaneFormat(
        int(rng.integers(2, 6)), symbols, int(rng.choice([16, 32, 64])), longest, group + int(rng.integers(0, 200))
    )


def random_bits(rng, lane_format: LaneFormat, groups: int):
    """Bits of groups: lanes of their own kinds, which change; some as far apart as any weights can make them."""
    least, most = lane_format.symbols * (1 + SIGN_AND_MANTISSA_BITS), lane_format.group_bits
    low, high = np.sort(rng.integers(least, most + 1, (2, 3, lane_format.lanes)), axis=0)
    if rng.random() < 0.5:
        low = high = rng.choice([least, most], (3, lane_format.lanes))
    turn = np.minimum(np.arange(groups) * 3 // groups, 2)
    return rng.integers(low[turn], high[turn] + 1)


def random_case(seed: int):
    rng = np.random.default_rng(seed)
    lane_format = random_format(rng)
    bits = random_bits(rng, lane_format, int(rng.integers(20, 250)))
    fills = fill_before(bits, lane_format)
    words = -(-int((bits + fills * lane_format.group_bits).sum(0).max()) // lane_format.word_bits)
    pace = (int(rng.choice([1, 1, 2])), int(rng.choice([1, 1, 4])))
    return lane_format, lane_steps(bits, fills, words, lane_format), words, bits.shape[0], pace


@pytest.mark.parametrize("first", [0, *(pytest.param(each, marks=pytest.mark.nightly) for each in range(50, 1000, 50))])
def test_any_trace_runs_to_its_end_at_the_depths_of_the_bound(first):
    for seed in range(first, first + 50):
        lane_format, steps, words, rows, pace = random_case(seed)
        design = bank_graph(steps, words, rows, lane_format, any_trace_depths(lane_format), *pace)
        run = simulate(design)
        assert run.cycles is not None, (seed, lane_format)
        if seed % 10 == 0:
            oracle = simulate(design, "simpy")
            assert (oracle.cycles, oracle.finish, oracle.max_occupancy) == (run.cycles, run.finish, run.max_occupancy)


def test_the_bound_is_reached_to_within_a_group_and_its_refill():
    """One lane of the shortest groups beside one of the longest: fewer places deadlock."""
    lane_format = LaneFormat(2, 1, 32, 12, 400)
    bits = np.tile([[9, 20]], (400, 1))
    fills = fill_before(bits, lane_format)
    words = -(-int((bits + fills * lane_format.group_bits).sum(0).max()) // lane_format.word_bits)
    steps = lane_steps(bits, fills, words, lane_format)
    bound = any_trace_depths(lane_format).parts
    ends = [
        simulate(bank_graph(steps, words, 400, lane_format, DecoderDepths(depth))).cycles is not None
        for depth in range(1, bound + 1)
    ]
    least = ends.index(True) + 1
    assert ends == sorted(ends)
    assert bound - 2 <= least <= bound


def test_without_fill_the_same_depths_deadlock():
    lane_format = LaneFormat(2, 1, 32, 12, 400)
    bits = np.tile([[9, 20]], (400, 1))
    words = -(-400 * 20 // 32)
    steps = lane_steps(bits, np.zeros_like(bits), words, lane_format)
    assert simulate(bank_graph(steps, words, 400, lane_format, any_trace_depths(lane_format))).deadlock is not None


def test_tokens_of_several_rows_and_rows_of_several_tokens():
    lane_format = FORMATS[1]
    encoded = encode(normal_weights(160), lane_format)
    steps = steps_of(encoded)
    for token, tokens in ((lane_format.weights * 4, 10), (lane_format.weights // 2, 80)):
        _, processes = decoder("d", "in", "out", 2, steps, len(encoded.words), lane_format, token, DecoderDepths(4))
        (join,) = processes[-1].loops
        writes = [event for event in join.events if event.op == "write"]
        reads = [event for event in join.events if event.op == "read"]
        assert join.iterations == max(tokens, 40)
        assert len(writes) == 1
        assert all(bool(event.when) == (token < lane_format.weights) for event in reads)
    with pytest.raises(InputError, match="tokens of 6 weights"):
        decoder("d", "in", "out", 2, steps, len(encoded.words), lane_format, 6, DecoderDepths(4))


def test_lanes_that_are_too_wide_for_cpp_are_refused():
    lane_format = replace(FORMATS[0], word_bits=128)
    with pytest.raises(InputError, match="too wide"):
        decoder_kernel("decoder", lane_format.code(normal_weights(10)), lane_format, DecoderDepths(4))


def random_weights(rng, lane_format: LaneFormat, count: int):
    """Weights of one kind per lane: a lane's bits of any kind, or of few exponents, or all alike."""
    weights = rng.integers(0, 1 << 16, count).astype(np.uint16)
    kind = rng.integers(0, 3, lane_format.lanes)[np.arange(count) // lane_format.symbols % lane_format.lanes]
    return np.where(kind == 0, weights, np.where(kind == 1, weights & 0x80FF | 0x3C00, 0x3F80)).astype(np.uint16)


def random_encoding(seed: int):
    rng = np.random.default_rng(seed)
    lane_format = random_format(rng)
    weights = random_weights(rng, lane_format, int(rng.integers(1, 900)))
    return weights, encode(weights, lane_format), (int(rng.choice([1, 2])), int(rng.choice([1, 3])))


@needs_gxx
@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(20))
def test_random_lanes_and_weights_in_cpp(seed, tmp_path):
    weights, encoded, _ = random_encoding(seed)
    assert (decode(encoded) == weights).all()
    found, steps = run_csim(encoded, any_trace_depths(encoded.format), tmp_path)
    assert (found == weights).all()
    assert (steps == steps_of(encoded).ends).all()


@needs_verilator
@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(100, 108))
def test_random_lanes_and_weights_in_hardware(seed, tmp_path):
    weights, encoded, pace = random_encoding(seed)
    check_hardware(weights, encoded, pace, "verilator", tmp_path)
