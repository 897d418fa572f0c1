# %% [markdown]
# # From a model to what if
#
# GPT-2 Medium's decoder block, from its configuration to a simulated accelerator on an Alveo U55C: linalg text,
# dataflow IR, a compiled design, its times by two engines, a deadlock that is made and mended, FIFO depths by two
# methods, the published table beside ours, decode speed over memory bandwidth, and energy.
#
# It runs in about half a minute on two cores, without PyTorch: the block ships as the text that PyTorch was lowered
# to. The notebook is made from the script `from-model-to-what-if.py`, which runs by itself, or cell by cell in an
# editor; `python examples/run_notebook.py` makes and runs it again.

# %% [markdown]
# ## A model
#
# A model is a configuration: shapes, norm, activation, and where they are from.

# %%
from sttest.models.registry import get_config

gpt2 = get_config("gpt2")
print(f"{gpt2.public_name}: {gpt2.layers} layers, {gpt2.heads} heads, hidden {gpt2.hidden}, ffn {gpt2.ffn}")
print(f"source: {gpt2.source}")

# %% [markdown]
# ## Linalg
#
# One decode step of one block, one token after 64 cached ones. `sttest.frontend.lowering.linalg_text` lowers any other
# shape from PyTorch through torch-mlir; this one is shipped. It is plain MLIR: perfect loop nests over tensors,
# parameters as arguments.

# %%
import re
from collections import Counter

from sttest.frontend.shipped import lowered_text

text = lowered_text("gpt2", "decode", small=False)
ops = Counter(re.findall(r'"((?:linalg|tensor|arith|math)\.[a-z_]+)"', text))
for name, count in ops.most_common(8):
    print(f"{count:4}  {name}")

# %% [markdown]
# ## Dataflow IR
#
# The compiler's passes take that text to kernels that hand tensors to each other as *iterative tensors*
# (`!df.itensor`: which tile comes when), then to tasks on streams with sized FIFOs. Every pass can be looked at, and
# run alone with `sttest opt`.

# %%
from sttest.compile.compiler import compile_text

design = compile_text(text, "gpt2-decode-c64", "u55c", keep_ir="all")
for stage in design.stages:
    print(f"{len(stage.text.splitlines()):5} lines after {stage.name}")

# %% [markdown]
# The residual addition behind the attention as a kernel that takes three itensors, 64 tiles of 16 elements each, and
# the FIFO that carries its result around the feed-forward network, with its depth:

# %%
import textwrap

ir = {stage.name: stage.text.splitlines() for stage in design.stages}


def look(stage: str, pattern: str, lines: int = 1) -> None:
    """The first op whose line matches, cut to what fits on a screen."""
    start = next(number for number, line in enumerate(ir[stage]) if re.search(pattern, line))
    shown = textwrap.dedent("\n".join(ir[stage][start : start + lines]))
    print("\n".join(line if len(line) <= 150 else f"{line[:110]} … {line[-36:]}" for line in shown.splitlines()))


look("linalg-to-kernels", "%attn_residual = df.kernel", 9)
print()
look("size-fifos", 'df.stream "fork_attn_residual__mlp_residual"')

# %% [markdown]
# ## A compiled design
#
# What the engines take is a *timed graph*: processes with the stages at which they read and write, FIFOs with depths,
# memory ports with bursts on HBM channels. It knows nothing of tensors.

# %%
graph = design.graph
kinds = Counter((type(process).__name__, process.category) for process in graph.processes)
for (kind, category), count in kinds.most_common():
    print(f"{count:4}  {category:10} {kind}")
bits = sum(fifo.depth * fifo.bits for fifo in graph.fifos)
print(f"{len(graph.fifos):4}  FIFOs, {bits / 8192:.1f} KiB")
print(f"{len(graph.channels):4}  HBM channels; clock {graph.clock_mhz:g} MHz")

# %% [markdown]
# ## Two engines, one answer
#
# The oracle is SimPy, event by event. The other solves the same equations in the max-plus algebra, compiled; it is the
# one that searches use. They agree to the cycle, not only at the end but in every write and read.

# %%
import numpy as np

from sttest.sim import simulate

run = simulate(graph, engine="maxplus", record=True)
oracle = simulate(graph, engine="simpy", record=True)
pairs = ((run.write_times, oracle.write_times), (run.read_times, oracle.read_times))
same = all(np.array_equal(ours[name], theirs[name]) for ours, theirs in pairs for name in ours)
print(run.to_text())
print(f"SimPy says {oracle.cycles:,} cycles; all {run.fifo_events:,} times of writes and reads the same: {same}")

# %% [markdown]
# Where the cycles went: the chain of what waited for what, walked back from the last finish. Its parts add up to the
# run.

# %%
from sttest.sim.critical_path import breakdown

items = breakdown(run).by_kind
for (category, kind), cycles in sorted(items.items(), key=lambda item: -item[1])[:6]:
    print(f"{cycles:7,} cycles {cycles / run.cycles:7.2%}  {category}: {kind}")
assert sum(items.values()) == run.cycles

# %% [markdown]
# ## A deadlock, made and mended
#
# The residual goes around the feed-forward network in one FIFO. Two tokens of depth instead of a whole row, and the
# fork that feeds it stops, then everything behind it, until the fork waits for itself. sttest names the cycle, and the
# fewest tokens that break it.

# %%
RESIDUAL = "fork_attn_residual__mlp_residual"
dead = simulate(graph, depths={RESIDUAL: 2})
certificate = dead.deadlock
print(f"{dead.verdict}: a cycle of {len(certificate.cycle)} waits, of which the first and the last are")
for wait in (certificate.cycle[0], certificate.cycle[-1]):
    held = f"{wait.fifo} holds {wait.occupancy} of {wait.depth}"
    print(f"  {wait.process} waits to {wait.waits_to} token {wait.token}: {held}")
print(f"it finishes with {certificate.fix}; fewer tokens can't do: {certificate.is_minimal}")

# %%
mended = simulate(graph, depths={RESIDUAL: 2, **certificate.fix})
print(f"{mended.verdict} after {mended.cycles:,} cycles; as sized by the compiler, {run.cycles:,}")

# %% [markdown]
# ## FIFO depths
#
# The compiler sizes FIFOs by a linear program over slopes and delays, in milliseconds. Simulation can then take depth
# away until the next token less would cost a cycle, and says below what no sizing can go. On a small block of the same
# shape:

# %%
from sttest.sim.sizing import size_by_simulation

small = compile_text(lowered_text("small-gpt2", "decode"), "small-gpt2-decode-c32", "u55c").graph
found = size_by_simulation(small)
program = sum(fifo.depth for fifo in small.fifos)
program_bits = sum(fifo.depth * fifo.bits for fifo in small.fifos)
print(f"{'':16}{'tokens':>8}{'bits':>10}{'cycles':>8}")
print(f"{'linear program':16}{program:8,}{program_bits:10,}{simulate(small).cycles:8,}")
print(f"{'simulation':16}{found.total_tokens:8,}{found.total_bits:10,}{found.cycles:8,}")
print(f"{'never full':16}{'':8}{'':10}{simulate(small, unbounded=True).cycles:8,}")
print(f"no sizing with fewer than {found.lower_total:,} tokens keeps that pace")

# %% [markdown]
# ## The published table
#
# `sttest reproduce gpt2` composes whole generations of simulated blocks (24 layers, launches, the host) and puts
# StreamTensor's Table 4 beside them. Two constants are fitted on the row [32:32], and nothing on the
# other three rows, which were known while the compiler was developed.
# Every number of every result has a unit, a kind and a source.

# %%
from pathlib import Path

import pandas as pd

results = next(folder for folder in (Path("results"), Path("../results")) if folder.is_dir())
table = pd.read_csv(results / "gpt2" / "table.csv")
ours = table[(table["phase"] == "generation") & (table["kind"] == "simulated") & table["reference"].notna()]
ours = ours[~ours["metric"].str.contains("launch")].copy()
ours["error, %"] = (100 * ours["error"]).round(1)
print(ours[["point", "metric", "unit", "value", "reference", "error, %", "source"]].round(2).to_string(index=False))

# %% [markdown]
# ## What if memory were slower, or faster?
#
# A study is a base, axes, and the design that all points share. Here one design, compiled for the slowest memory, runs
# with six. `sttest whatif hbm-bandwidth` is the full one, of three models.

# %%
import tempfile

from sttest.core.results import PointStore
from sttest.studies.whatif.outcome import campaign, knees, series_of
from sttest.studies.whatif.study import load_study

STUDY = """
title: Decode speed of GPT-2 Medium by memory bandwidth, U55C at 250 MHz, W4A8
base: {model: gpt2, phase: decode, context: 64, board: u55c}
compiled_for: {board.hbm.bandwidth: 57.6}
axes: {board.hbm.bandwidth: [57.6, 115, 172.5, 230, 460, 2039]}
"""
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "bandwidth.yaml"
    path.write_text(STUDY, encoding="utf-8")
    study = load_study(path)
    asked = campaign(study, path.parent, "maxplus", PointStore(Path(folder) / "points"))
    outcomes = asked.run(asked.campaign.in_processes(jobs=1))
print(f"{'GB/s':>7}{'tokens/s':>10}{'roofline':>10}{'+10 % GB/s':>12}  fits")
for outcome in outcomes:
    bandwidth, gain = outcome.axes["board.hbm.bandwidth"], outcome.gains["bandwidth"]
    print(f"{bandwidth:7g}{outcome.speed:10.1f}{outcome.roofline_speed:10.1f}{gain:+12.1%}  {outcome.fit.to_text()}")
(series,) = series_of(outcomes, study)
knee = next(knee for knee in knees(series, study) if knee.lever == "bandwidth")
print(f"beyond {knee.at:.0f} GB/s, a tenth more bandwidth makes it less than 5 % faster")

# %%
# %matplotlib inline
import matplotlib.pyplot as plt

x = [outcome.point.axes["board.hbm.bandwidth"].value for outcome in outcomes]
figure, axes = plt.subplots(figsize=(6.4, 3.6), dpi=90, layout="constrained")
axes.loglog(x, [outcome.roofline_speed for outcome in outcomes], "--", color="#888888", label="roofline")
axes.loglog(x, [outcome.speed for outcome in outcomes], "o-", color="#20639b", label="simulated")
axes.axvline(knee.at, color="#bbbbbb", linestyle=":", label=f"knee, {knee.at:.0f} GB/s")
axes.set(xlabel="memory bandwidth (GB/s)", ylabel="decode speed (tokens/s)", title=study.title)
axes.title.set_fontsize(9)
axes.legend(frameon=False)
plt.show()

# %% [markdown]
# Past the knee more memory gains nothing: a decode kernel works on one tile of weights per cycle, and that bounds the
# rate.
#
# ## Energy
#
# What the block did, counted, times what each event costs on this board, in a low, a central and a high case; the
# launches and the host of a whole generation are left out here.

# %%
from sttest.boards.energy import activity_of, energy
from sttest.compile.reports import activity_table

busy = {name: part.busy_cycles for name, part in run.breakdown.items()}
done = activity_of(activity_table(design), busy, run.cycles, graph.clock_mhz).times(gpt2.layers)
print("case     power, W  J/token   static  clocked     HBM     DSP  on chip  tokens/J")
for case in ("low", "central", "high"):
    spent = energy(done, design.board.energy, case)
    parts = (spent.static_j, spent.clocked_j, spent.hbm_j, spent.dsp_j, spent.onchip_j)
    static, clocked, hbm, dsp, onchip = (f"{part / spent.total_j:.1%}" for part in parts)
    print(
        f"{case:9}{spent.power_w:8.1f}{spent.total_j:9.3f}{static:>9}{clocked:>9}{hbm:>8}{dsp:>8}{onchip:>9}"
        f"{1 / spent.total_j:10.2f}"
    )

# %% [markdown]
# Most of a token's energy is the board being on. [docs/how-it-works/energy.md](../docs/how-it-works/energy.md) says how
# near these costs come to boards that were measured, and
# [docs/paper/emerging.md](../docs/paper/emerging.md) what that makes of tokens per joule against GPUs.
#
# ## From here
#
# - `sttest compile qwen --phase prefill --tokens 32 -o build/q32`, then `sttest simulate build/q32 --trace q32.json`
#   for Perfetto
# - `sttest crosscheck gpt2`: the same block through every engine, values and times, first difference named
# - `sttest report`: all results on one page, the source of every number beside it
