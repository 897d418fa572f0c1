"""Top-k engines as timed graphs, in clocked hardware and in C simulation; scores to search."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from clocked_bench import run_bench

from sttest.compile.rtl import fifo
from sttest.sim import Event, Fifo, Loop, Pipeline, TimedGraph
from sttest.targets.csim.headers import header_folders
from sttest_systems.spatten.top_k import Selection, TopKFormat
from sttest_systems.spatten.top_k_hls import top_k_kernel
from sttest_systems.spatten.top_k_rtl import top_k
from sttest_systems.spatten.top_k_timing import engine_process

ENGINES = (TopKFormat(4, 16, 8), TopKFormat(1, 40, 16), TopKFormat(3, 30, 12), TopKFormat(16, 64, 16))
Job = tuple[np.ndarray, int]


def random_scores(rng: np.random.Generator, count: int, bits: int) -> np.ndarray:
    """Scores of a kind that is drawn: any, few values, nearly all alike, rising, falling, or a softmax."""
    most = (1 << bits) - 1
    kind = int(rng.integers(0, 6))
    if kind == 0:
        return rng.integers(0, most + 1, count)
    if kind == 1:
        return rng.integers(0, min(3, most) + 1, count)
    if kind == 2:
        return np.where(rng.random(count) < 0.9, most // 2, rng.integers(0, most + 1, count))
    if kind in (3, 4):
        rising = np.sort(rng.integers(0, most + 1, count))
        return rising if kind == 3 else rising[::-1].copy()
    logits = rng.normal(0, 3, count)
    shares = np.exp(logits - logits.max())
    return np.rint(shares / shares.sum() * most).astype(np.int64)


def random_jobs(engine: TopKFormat, count: int, seed: int) -> list[Job]:
    """Searches of all sizes; each tenth keeps one, each eleventh all."""
    rng, jobs = np.random.default_rng(seed), []
    for number in range(count):
        size = int(rng.integers(1, engine.capacity + 1)) if number else engine.capacity
        k = 1 if number % 10 == 1 else size if number % 11 == 2 else int(rng.integers(1, size + 1))
        jobs.append((random_scores(rng, size, engine.bits).astype(np.int64), k))
    return jobs


def rows_of(scores: np.ndarray, lanes: int) -> np.ndarray:
    """Scores in rows, zeros behind the last."""
    return np.pad(scores, (0, -scores.size % lanes)).reshape(-1, lanes)


def engine_graph(searches: Sequence[Selection], source_ii: int = 1, sink_ii: int = 1) -> TimedGraph:
    """Jobs and rows from two sources, an engine, and what takes a row of kept scores now and then."""
    rows, kept = sum(each.rows for each in searches), sum(each.puts.size for each in searches)
    fifos = [Fifo("jobs", 2, 32, "srl"), Fifo("rows", 2, 64, "srl"), Fifo("kept", 2, 64, "srl")]
    return TimedGraph(
        "engine",
        250.0,
        tuple(fifos),
        (
            Pipeline("job_source", (Loop((len(searches),), 1, 1, (Event("jobs", "write", 0),)),)),
            Pipeline("row_source", (Loop((rows,), source_ii, 1, (Event("rows", "write", 0),)),)),
            engine_process("engine", searches, 0, 1, 2),
            Pipeline("sink", (Loop((kept,), sink_ii, 1, (Event("kept", "read", 0),)),)),
        ),
    )


_BENCH = """
module bench (input logic clk, reset);
  logic [31:0] job_image [{jobs}];
  logic [{row}-1:0] row_image [{rows}];
  initial $readmemh("jobs.hex", job_image);
  initial $readmemh("rows.hex", row_image);
  int now, jobs_placed, rows_placed, source_wait, sink_wait;
  logic job_space, job_avail, job_take, row_space, row_avail, row_take, kept_space, kept_avail, kept_put;
  logic put_job, put_row, take;
  logic [31:0] job_data;
  logic [{row}-1:0] row_data;
  logic [{kept}-1:0] kept_data, taken;
  assign put_job = ~reset & job_space & jobs_placed < {jobs};
  assign put_row = ~reset & row_space & rows_placed < {rows} & source_wait == 0;
  assign take = ~reset & kept_avail & sink_wait == 0;
  fifo_srl #(.WIDTH(32), .DEPTH(2)) jobs (
    .clk, .reset, .put(put_job), .put_data(job_image[jobs_placed]), .space(job_space), .take(job_take),
    .take_data(job_data), .avail(job_avail)
  );
  fifo_srl #(.WIDTH({row}), .DEPTH(2)) rows (
    .clk, .reset, .put(put_row), .put_data(row_image[rows_placed]), .space(row_space), .take(row_take),
    .take_data(row_data), .avail(row_avail)
  );
  top_k #({parameters}) engine (.*);
  fifo_srl #(.WIDTH({kept}), .DEPTH(2)) kept (
    .clk, .reset, .put(kept_put), .put_data(kept_data), .space(kept_space), .take, .take_data(taken),
    .avail(kept_avail)
  );
  always_ff @(posedge clk)
    if (reset) begin now <= 0; jobs_placed <= 0; rows_placed <= 0; source_wait <= 0; sink_wait <= 0; end
    else begin
      now <= now + 1;
      jobs_placed <= jobs_placed + int'(put_job);
      rows_placed <= rows_placed + int'(put_row);
      source_wait <= put_row ? {source_ii} - 1 : source_wait == 0 ? 0 : source_wait - 1;
      sink_wait <= take ? {sink_ii} - 1 : sink_wait == 0 ? 0 : sink_wait - 1;
      if (job_take) $write("job %0d 0\\n", now);
      if (row_take) $write("row %0d 0\\n", now);
      if (kept_put) $write("kept %0d %h\\n", now, kept_data);
      if (take) $write("sink %0d 0\\n", now);
    end
endmodule
"""


@dataclass(frozen=True)
class EngineRun:
    """Cycles of what moved, and what each job kept: places and scores."""

    at: dict[str, np.ndarray]
    kept: list[tuple[np.ndarray, np.ndarray]]


def run_hardware(
    engine: TopKFormat, jobs: Sequence[Job], folder: Path, cycles: int, simulator: str, source_ii=1, sink_ii=1
) -> EngineRun:
    """Searches in clocked hardware, for at least so many cycles, under ``icarus`` or ``verilator``."""
    module = top_k(engine)
    texts = dict(fifo("srl", 2, 1).sources) | dict(module.sources)
    rows = np.concatenate([rows_of(scores, engine.lanes) for scores, _ in jobs])
    width = engine.bits + engine.place_bits
    texts["bench.sv"] = _BENCH.format(
        jobs=len(jobs),
        rows=len(rows),
        row=engine.lanes * engine.bits,
        kept=engine.lanes * width,
        parameters=", ".join(f".{name}({value})" for name, value in module.parameters.items()),
        source_ii=source_ii,
        sink_ii=sink_ii,
    )
    images = {
        "jobs.hex": "".join(f"{k << 16 | scores.size:08x}\n" for scores, k in jobs),
        "rows.hex": "".join(f"{_word(row, engine.bits):x}\n" for row in rows),
    }
    kinds = ("job", "row", "kept", "sink")
    lines = run_bench(texts, images, folder, cycles, simulator, kinds)
    at = {kind: np.array([cycle for name, cycle, _ in lines if name == kind]) for kind in kinds}
    words = [int(text, 16) for name, _, text in lines if name == "kept"]
    return EngineRun(at, _kept_of(words, [k for _, k in jobs], engine))


def _word(row: np.ndarray, bits: int) -> int:
    """A row as one number, lane 0 in the lowest bits."""
    return sum(int(score) << bits * lane for lane, score in enumerate(row))


def _kept_of(words: Sequence[int], counts: Sequence[int], engine: TopKFormat) -> list[tuple[np.ndarray, np.ndarray]]:
    """What each job kept; what a last row has behind it is 0."""
    width, found, at = engine.bits + engine.place_bits, [], 0
    for k in counts:
        rows = words[at : at + engine.rows_of(k)]
        at += len(rows)
        lanes = [word >> width * lane & (1 << width) - 1 for word in rows for lane in range(engine.lanes)]
        assert not any(lanes[k:])
        found.append((np.array(lanes[:k]) >> engine.bits, np.array(lanes[:k]) & (1 << engine.bits) - 1))
    assert at == len(words)
    return found


_CSIM = """
#include <cstdio>
#include <vector>
{kernel}
int main() {{
  std::vector<unsigned> jobs({jobs});
  std::vector<score_t> scores({scores}), kept({kept});
  std::vector<int> places({kept}), steps({jobs});
  for (auto& each : jobs) if (std::scanf("%u", &each) != 1) return 9;
  for (auto& each : scores) {{
    unsigned long long number;
    if (std::scanf("%llu", &number) != 1) return 9;
    each = score_t(number);
  }}
  searches(jobs.data(), scores.data(), kept.data(), places.data(), steps.data(), {jobs});
  for (int each : steps) std::printf("%d\\n", each);
  for (int each : places) std::printf("%d\\n", each);
  for (auto& each : kept) std::printf("%llu\\n", static_cast<unsigned long long>(each.to_uint()));
}}
"""


def run_csim(engine: TopKFormat, jobs: Sequence[Job], folder: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Searches in emitted C++ on bounded streams: cycles of each job, places and scores of all one after the other."""
    kept = sum(k for _, k in jobs)
    text = _CSIM.format(
        kernel=top_k_kernel("searches", engine), jobs=len(jobs), scores=sum(each.size for each, _ in jobs), kept=kept
    )
    (folder / "searches.cpp").write_text(text)
    with header_folders() as headers:
        command = ["g++", "-std=c++17", "-O1", "-Wno-unknown-pragmas", *headers.options, "searches.cpp", "-o", "run"]
        built = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr[-3000:]
    numbers = [k << 16 | scores.size for scores, k in jobs] + [int(each) for scores, _ in jobs for each in scores]
    ran = subprocess.run([folder / "run"], input="\n".join(map(str, numbers)).encode(), capture_output=True, check=True)
    found = np.array([int(line) for line in ran.stdout.decode().splitlines() if line[0] != "{"])
    return found[: len(jobs)], found[len(jobs) : len(jobs) + kept], found[len(jobs) + kept :]
