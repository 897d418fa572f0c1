"""Decoders of entropy-coded weights as timed graphs, in clocked hardware and in C simulation; weights to decode."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from clocked_bench import run_bench

from sttest.sim import Event, Fifo, Loop, Pipeline, TimedGraph
from sttest.targets.csim.headers import header_folders
from sttest_systems.entropy.coding import EncodedWeights, LaneFormat, LaneSteps
from sttest_systems.entropy.coding.lanes import bfloat16_bits
from sttest_systems.entropy.coding.steps import steps_of
from sttest_systems.entropy.decoder_hls import decoder_kernel
from sttest_systems.entropy.decoder_rtl import decoder_text, sources
from sttest_systems.entropy.decoder_timing import DecoderDepths, decoder

FORMATS = (
    LaneFormat(4, 1, 16, 12, 64),
    LaneFormat(2, 2, 32, 11, 96),
    LaneFormat(3, 4, 64, 10, 80),
    LaneFormat(1, 1, 32, 9, 17),
)


def normal_weights(count: int, seed: int = 1, deviation: float = 0.02) -> np.ndarray:
    """bfloat16 bits of weights as initialized models have them."""
    values = np.random.default_rng(seed).normal(0, deviation, count)
    return bfloat16_bits(values.astype(np.float32))


def bank_graph(
    steps: LaneSteps, words: int, rows: int, lane_format: LaneFormat, depths: DecoderDepths, source_ii=1, sink_ii=1
) -> TimedGraph:
    """Words from memory, a decoder, and what takes a row of weights now and then."""
    fifos = [Fifo("words", 2, 8 * lane_format.word_bytes, "srl"), Fifo("rows", 2, 16 * lane_format.weights, "srl")]
    made, processes = decoder("d", "words", "rows", 2, steps, words, lane_format, lane_format.weights, depths)
    source = Pipeline("source", (Loop((words,), source_ii, 1, (Event("words", "write", 0),)),))
    sink = Pipeline("sink", (Loop((rows,), sink_ii, 1, (Event("rows", "read", 0),)),))
    return TimedGraph("bank", 250.0, (*fifos, *made), (source, *processes, sink))


def graph_of(encoded: EncodedWeights, depths: DecoderDepths, source_ii=1, sink_ii=1) -> TimedGraph:
    """The graph of encoded weights."""
    return bank_graph(steps_of(encoded), len(encoded.words), encoded.groups, encoded.format, depths, source_ii, sink_ii)


_BENCH = """
module bench (input logic clk, reset);
  logic [{word}-1:0] image [{words}];
  initial $readmemh("words.hex", image);
  int now, placed, source_wait, sink_wait;
  logic word_space, word_avail, word_take, row_space, row_put, row_avail, ended, put, take;
  logic [{word}-1:0] word_data;
  logic [{row}-1:0] row_data, taken;
  assign put = ~reset & word_space & placed < {words} & source_wait == 0;
  assign take = ~reset & row_avail & sink_wait == 0;
  fifo_srl #(.WIDTH({word}), .DEPTH(2)) words (
    .clk, .reset, .put, .put_data(image[placed]), .space(word_space), .take(word_take), .take_data(word_data),
    .avail(word_avail)
  );
  bank decoder (.clk, .reset, .groups({groups}), .words({words}), .*);
  fifo_srl #(.WIDTH({row}), .DEPTH(2)) rows (
    .clk, .reset, .put(row_put), .put_data(row_data), .space(row_space), .take, .take_data(taken), .avail(row_avail)
  );
  always_ff @(posedge clk)
    if (reset) begin now <= 0; placed <= 0; source_wait <= 0; sink_wait <= 0; end
    else begin
      now <= now + 1;
      placed <= placed + int'(put);
      source_wait <= put ? {source_ii} - 1 : source_wait == 0 ? 0 : source_wait - 1;
      sink_wait <= take ? {sink_ii} - 1 : sink_wait == 0 ? 0 : sink_wait - 1;
      if (word_take) $write("word %0d 0\\n", now);
      if (row_put) $write("row %0d %h\\n", now, row_data);
      if (take) $write("sink %0d 0\\n", now);
    end
endmodule
"""


@dataclass(frozen=True)
class BankRun:
    """Cycles of what moved, and the rows of weights."""

    word: np.ndarray
    row: np.ndarray
    sink: np.ndarray
    weights: np.ndarray


def run_hardware(
    encoded: EncodedWeights, depths: DecoderDepths, folder: Path, cycles: int, simulator: str, source_ii=1, sink_ii=1
) -> BankRun:
    """Decodes in clocked hardware, for at least so many cycles, under ``icarus`` or ``verilator``."""
    lane_format = encoded.format
    texts = dict(sources(depths)) | {"bank.sv": decoder_text("bank", encoded.code, lane_format, depths)}
    texts["bench.sv"] = _BENCH.format(
        word=8 * lane_format.word_bytes,
        row=16 * lane_format.weights,
        words=len(encoded.words),
        groups=encoded.groups,
        source_ii=source_ii,
        sink_ii=sink_ii,
    )
    images = {"words.hex": "".join(f"{row[::-1].tobytes().hex()}\n" for row in encoded.words)}
    kinds = ("word", "row", "sink")
    lines = run_bench(texts, images, folder, cycles, simulator, kinds)
    at = {kind: np.array([cycle for name, cycle, _ in lines if name == kind]) for kind in kinds}
    rows = b"".join(bytes.fromhex(text)[::-1] for name, _, text in lines if name == "row")
    return BankRun(at["word"], at["row"], at["sink"], np.frombuffer(rows, "<u2")[: encoded.count])


_CSIM = """
#include <cstdio>
#include <vector>
{kernel}
int main() {{
  std::vector<word_t> memory({words});
  for (auto& word : memory)
    for (int byte = 0; byte < {bytes}; ++byte) {low}
  std::vector<group_t> weights({groups});
  std::vector<int> steps({lanes});
  decoder(memory.data(), weights.data(), steps.data(), {rows}, {words});
  for (int each : steps) std::printf("step %d\\n", each);
  for (const auto& group : weights) std::printf("%llx\\n", static_cast<unsigned long long>(group.word()));
}}
"""


def run_csim(encoded: EncodedWeights, depths: DecoderDepths, folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Decodes in emitted C++ on bounded streams: weights, and cycles of each lane."""
    lane_format = encoded.format
    size = lane_format.word_bytes
    low = (
        "word(8 * byte + 7, 8 * byte) = std::getchar();"
        if size > 8
        else "word = word_t(word.to_int64() | static_cast<long long>(std::getchar()) << (8 * byte));"
    )
    text = _CSIM.format(
        kernel=decoder_kernel("decoder", encoded.code, lane_format, depths),
        words=len(encoded.words),
        bytes=size,
        groups=encoded.groups * lane_format.lanes,
        lanes=lane_format.lanes,
        rows=encoded.groups,
        low=low,
    )
    (folder / "decoder.cpp").write_text(text)
    with header_folders() as headers:
        command = ["g++", "-std=c++17", "-O1", "-Wno-unknown-pragmas", *headers.options, "decoder.cpp", "-o", "decoder"]
        built = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr[-3000:]
    ran = subprocess.run([folder / "decoder"], input=encoded.words.tobytes(), capture_output=True, check=True)
    lines = ran.stdout.decode().splitlines()
    steps = np.array([int(line.split()[1]) for line in lines if line.startswith("step")])
    groups = np.array([int(line, 16) for line in lines[lane_format.lanes :] if line[0] != "{"], np.uint64)
    parts = [(groups >> np.uint64(16 * n)) & np.uint64(0xFFFF) for n in range(lane_format.symbols)]
    return np.stack(parts, -1).astype(np.uint16).ravel()[: encoded.count], steps
