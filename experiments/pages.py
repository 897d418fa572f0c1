"""Figures and tables in the pages, filled in from results: ``python -m experiments.pages``.

A page marks what is filled in with the Python expression that gives it, as ``experiments/markers.py`` says.
Expressions see the functions of this module.  ``tests/docs/test_pages.py`` fills every page again and compares.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from experiments import clock_check, markers, resource_check, resource_fit
from experiments.best.found import IN_RESULTS
from experiments.cards import CREDITS
from experiments.emerging_rows import FIG9_QUANTITY
from experiments.fifo_tables import fifo_cycles, fifo_gain, fifo_sizings, largest_fifo_gain  # noqa: F401 - for pages
from experiments.folder_tables import folders, largest_share, public_folders, refused_folders, reported_functions  # noqa: F401 - for pages
from experiments.gpu_baseline import report as gpu_report
from experiments.layer_tables import layer_causes, layers_conform, layers_count, layers_worst_db, programs_count  # noqa: F401 - for pages
from experiments.memory_tables import (  # noqa: F401 - for pages
    memory_benchmarks,
    memory_errors,
    memory_misses,
    memory_not_expressed,
    memory_parameters,
    memory_rows,
)
from experiments.moved import moved_results, unmoved_results  # noqa: F401 - for pages
from experiments.peers import weight_gb_per_token
from experiments.published import published_table, published_text
from experiments.studies_tables import nano_batches, studies_list, studies_rows, studies_undone  # noqa: F401 - for pages
from sttest.boards.energy import CASES, Activity, energy
from sttest.boards.load import load_board, require_hbm
from sttest.core.errors import InputError
from sttest.core.files import MANIFEST, read_object, read_yaml
from sttest.core.results import RESULTS_SCHEMA
from sttest.core.tables import markdown_table
from sttest.models.registry import get_config
from sttest.studies.seconds import command_seconds

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
MODELS = {"gpt2": "GPT-2", "qwen": "Qwen", "llama": "Llama", "gemma": "Gemma"}
OF_BEST = {**MODELS, "llama-3.2-1b": "Llama-3.2-1B", "llama-3.1-8b": "Llama-3.1-8B", "qwen3-8b": "Qwen3-8B"}
BEST_AIMS = {"gpt2": 0.9, "qwen": 0.85, "llama": 0.85, "gemma": 0.85, "llama-3.1-8b": 0.85}
"""What decode designs were to reach of the sustained roofline, every SLR within the tight budget."""

PUBLISHED_SYSTEMS = ("streamtensor", "allo", "dfx", "a100", "rtx2080ti", "codo")


@functools.cache
def results(experiment: str, file: str = "table") -> pd.DataFrame:
    """The rows of ``results/EXPERIMENT/FILE.csv``; those of a table have metrics as in ``speed [gpt2, best]``."""
    rows = pd.read_csv(ROOT / "results" / experiment / f"{file}.csv", low_memory=False)
    if "point" in rows and "metric" in rows:
        of_points = rows["point"].notna()
        rows.loc[of_points, "metric"] += " [" + rows["point"][of_points].astype(str) + "]"
    return rows


def value(experiment: str, metric: str, column: str = "value", **where: str) -> float:
    """One cell of a table of results.

    Args:
        experiment: folder under ``results``.
        metric: metric of the row, in full.
        column: ``value``, ``reference`` or ``error``.
        where: further columns of the row, such as ``model`` and ``phase``.

    Raises:
        LookupError: no row has this metric, or rows with several values have it.
    """
    rows = _ours(experiment)
    rows = rows[rows["metric"] == metric]
    for name, wanted in where.items():
        rows = rows[rows[name] == wanted]
    cells = rows[column].unique()
    if len(cells) != 1:
        raise LookupError(f"{len(cells)} values of {column} for {metric!r} {where} in results/{experiment}")
    return float(cells[0])


def values(experiment: str, pattern: str, column: str = "value", **where: str) -> list[float]:
    """All cells whose metric matches the whole of a regular expression, empty ones left out."""
    rows = _ours(experiment)
    rows = rows[rows["metric"].str.fullmatch(pattern)]
    for name, wanted in where.items():
        rows = rows[rows[name] == wanted]
    found = [float(cell) for cell in rows[column].dropna()]
    if not found:
        raise LookupError(f"nothing matches {pattern!r} {where} in results/{experiment}")
    return found


def _ours(experiment: str) -> pd.DataFrame:
    """The rows of a table but those of whole systems that others published, which share their metrics with ours."""
    rows = results(experiment)
    return rows[(rows["kind"] != "published") | ~rows["board"].isin(PUBLISHED_SYSTEMS)]


def worst(experiment: str, pattern: str) -> float:
    """The largest error, by magnitude, among the metrics that match."""
    return max(abs(error) for error in values(experiment, pattern, "error"))


def markdown(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table whose columns other than the first are aligned to the right."""
    return markdown_table(columns, rows, is_right=lambda column: column > 0)


def pivot(experiment: str, points: str, columns: Mapping[str, tuple[str, str]], first: str = "", **where: str) -> str:
    """A table with a row per point, as named in brackets behind a metric, and a column per metric.

    Args:
        experiment: folder under ``results``.
        points: regular expression of the points' names; its first group, if any, is what the table shows.
        columns: metric and format by heading.
        first: heading of the points.
        where: further columns of the rows, such as ``model``.
    """
    rows = results(experiment)
    for name, wanted in where.items():
        rows = rows[rows[name] == wanted]
    anchor = next(iter(columns.values()))[0]
    names = rows["metric"].str.extract(rf"^{re.escape(anchor)} \[(.*)\]$")[0].dropna().unique()
    lines = []
    for name in names:
        found = re.fullmatch(points, name)
        if found is None:
            continue
        points_rows = {metric: rows[rows["metric"] == f"{metric} [{name}]"] for metric, _ in columns.values()}
        cells = (_cell(points_rows[metric]["value"], shape) for metric, shape in columns.values())
        lines.append((found[1] if found.groups() else name, *cells))
    return markdown((first, *columns), lines)


def _cell(cells: pd.Series, shape: str) -> str:
    if cells.empty or np.isnan(cells.iloc[0]):
        return ""
    return format(float(cells.iloc[0]), shape)


# --- Tables of single pages


def gpt2_latency() -> str:
    """Latency, time to first token and decode speed of GPT-2 Medium beside the published ones."""
    metrics = {"latency": "latency (ms)", "ttft": "TTFT (ms)", "speed": "speed (tokens/s)"}
    lines = []
    for shape in ("[32:32]", "[64:64]", "[128:128]", "[256:256]"):
        cells = [
            format(value("gpt2", f"{metric} {shape}", column), spec)
            for metric in metrics
            for column, spec in (("value", ".2f"), ("reference", ".2f"), ("error", "+.1%"))
        ]
        lines.append((f"{shape}{' (fitted)' if shape == '[32:32]' else ''}", *cells))
    heads = [head for label in metrics.values() for head in (label, "published", "error")]
    return markdown(("[in:out]", *heads), lines)


def gpt2_schemes() -> str:
    """Errors of both readings of W4A8, as latency, TTFT and speed per published row."""
    shapes = ("[32:32]", "[64:64]", "[128:128]", "[256:256]")
    lines = []
    for scheme, suffix in (("`w4a8-position`", ""), ("`w4a8`", " with scheme w4a8")):
        errors = (
            [value("gpt2", f"{metric} {shape}{suffix}", "error") for metric in ("latency", "ttft", "speed")]
            for shape in shapes
        )
        lines.append((scheme, *(", ".join(f"{error:+.1%}" for error in found) for found in errors)))
    return markdown(("scheme", *shapes), lines)


def _best_found() -> list[tuple[str, str, str]]:
    """Model, phase and budget of the designs of ``results/best``."""
    front = results("best", "front")
    return list(front[["model", "phase", "budget"]].itertuples(index=False, name=None))


def _of_best(metric: str, model: str, phase: str, budget: str) -> float:
    return value("best", f"{metric} [{budget}]", model=model, phase=phase)


def best_front(phase: str) -> str:
    """What the designs of a phase reach under each budget, and what takes most of the time."""
    front = results("best", "front").fillna("")
    front = front[front["phase"] == phase].drop(columns="phase")
    if phase == "prefill":
        front = front.drop(columns="of the sustained roofline")
    lines = [(OF_BEST[row[0]], *row[1:]) for row in front.itertuples(index=False, name=None)]
    return markdown([str(name) for name in front.columns], lines)


def best_targets() -> str:
    """Shares of the sustained roofline that decode designs were to reach, and do, at two clocks."""
    found, lines = _best_found(), []
    for model, aim in BEST_AIMS.items():
        cells: list[str] = []
        for budget in ("tight", "all"):
            for at in ("board's clock", "middle clock"):
                known = (model, "decode", budget) in found
                metric = f"fraction of roofline, sustained bandwidth, {at}"
                cells.append(f"{_of_best(metric, model, 'decode', budget):.1%}" if known else "none found")
        lines.append((OF_BEST[model], f"{aim:.0%}", *cells))
    heads = ("decode", "asked", "`tight`, 250 MHz", "`tight`, its clock", "`all`, 250 MHz", "`all`, its clock")
    return markdown(heads, lines)


def best_space() -> str:
    """How full the SLRs and the boundaries between them are."""
    lines = []
    for design in _best_found():
        lut, dsp, bram, uram = (
            " ".join(f"{_of_best(f'{kind} share of SLR{slr}', *design):.0%}" for slr in range(3))
            for kind in ("lut", "dsp", "bram18", "uram")
        )
        relayed = " ".join(f"{_of_best(f'lut share of SLR{slr}, relays included', *design):.0%}" for slr in range(3))
        wires = (f"{_of_best(f'wires SLR{slr} to SLR{slr + 1}, share of budget', *design):.0%}" for slr in range(2))
        name = f"{OF_BEST[design[0]]} {design[1]}, `{design[2]}`"
        lines.append((name, lut, relayed, dsp, bram, uram, " ".join(wires)))
    return markdown(("design", "LUT of SLR0 to 2", "with relays", "DSP", "BRAM", "URAM", "super long lines"), lines)


def best_paths(phase: str) -> str:
    """The critical paths: by kind of wait, and the processes that are longest on them."""
    lines = []
    for model, of_phase, budget in _best_found():
        if of_phase != phase:
            continue
        folder = f"{model}-{phase}-{budget}"
        items, processes = results("best", f"{folder}/items"), results("best", f"{folder}/processes")
        kinds = items.groupby("kind")["share"].sum()
        shares = (f"{float(kinds.get(kind, 0)):.0%}" for kind in ("hbm-transfer", "compute"))
        longest = ", ".join(f"`{row.process}` {row.share:.0%}" for row in processes.head(3).itertuples(index=False))
        lines.append((f"{OF_BEST[model]}, `{budget}`", *shares, longest))
    return markdown((phase, "memory transfers", "steps of processes", "longest processes"), lines)


def best_searched() -> str:
    """What each of the designs was found from, and how many designs that took."""
    lines = []
    for model, phase, budget in _best_found():
        found = read_yaml(ROOT / "results" / "best" / f"{model}-{phase}-{budget}" / IN_RESULTS)["found"]
        lines.append((f"{OF_BEST[model]} {phase}, `{budget}`", f"`{found['base']}`", found["designs"]))
    return markdown(("design", "from", "designs judged"), lines)


def best_host() -> str:
    """What the host costs the decode designs of ``results/best``."""
    lines = []
    for design in _best_found():
        if design[1] != "decode":
            continue
        of = functools.partial(_of_best, model=design[0], phase=design[1], budget=design[2])
        lines.append(
            (
                f"{OF_BEST[design[0]]}, `{design[2]}`",
                f"{of('speed'):,.0f}",
                f"{of('fraction of roofline, sustained bandwidth'):.1%}",
                f"{of('speed, host left out'):,.0f}",
                f"{of('fraction of roofline, sustained bandwidth, host left out'):.1%}",
            )
        )
    heads = ("decode", "tokens/s", "of the sustained roofline", "tokens/s, host left out", "of the sustained roofline")
    return markdown(heads, lines)


def best_energy() -> str:
    """Energy and DSP efficiency of the designs of ``results/best``."""
    lines = []
    for design in _best_found():
        of = functools.partial(_of_best, model=design[0], phase=design[1], budget=design[2])
        cells = (f"{of(f'energy per token, {case} case'):.1f}" for case in CASES)
        power = f"{of('power, central case'):.0f}"
        lines.append((OF_BEST[design[0]], *design[1:], *cells, power, f"{of('DSP efficiency'):.0%}"))
    heads = ("model", "phase", "budget", *(f"mJ per token, {case}" for case in CASES), "W, central", "DSP efficiency")
    return markdown(heads, lines)


def best_rivals() -> str:
    """GPT-2's best designs within the tight budget over Allo and DFX, by InTAR's quotients."""
    lines = []
    for phase, what in (("prefill", "TTFT, 256 tokens"), ("decode", "decode speed, [256:256]")):
        for system in ("Allo", "DFX"):
            found = (
                _of_best(f"{name} over {system}", "gpt2", phase, "tight") for name in ("speed-up", "DSP efficiency")
            )
            lines.append((f"over {system}, {what}", *(f"{each:.2f}" for each in found)))
    published = (published_text(f"intar_{each}_over_allo_and_dfx", "gpt2") for each in ("speed", "dsp"))
    lines.append(("InTAR over both, published", *(each.removesuffix("x") for each in published)))
    return markdown(("GPT-2 Medium", "times as fast", "times the DSP efficiency"), lines)


def fpga_peers() -> str:
    """Our best decode design over each FPGA peer of ``results/peers``, and what differs."""
    ours = "our best design over it, {}"
    rows = results("peers").fillna({"value": np.nan, "note": ""}).to_dict("records")
    lines = []
    for row in rows:
        if row["metric"] != ours.format("roofline fraction"):
            continue
        speed = next(
            (
                each["value"]
                for each in rows
                if each["metric"] == ours.format("decode speed")
                and (each["model"], each["board"]) == (row["model"], row["board"])
            ),
            np.nan,
        )
        mine, _, differs = str(row["note"]).partition("theirs: ")
        cells = ("" if np.isnan(each) else f"{each:.2f}" for each in (speed, row["value"]))
        lines.append((f"{row['model']}, {row['board']}", mine.split(",")[0].removeprefix("ours: "), *cells, differs))
    return markdown(
        ("peer", "our model", "times its tokens/s", "times its fraction", "what differs on its side"), lines
    )


def peers_by_board(*boards: str) -> str:
    """Published decoders on boards, and the best of our designs as simulated for the same boards."""
    ours = results("boards")
    peers = results("peers")
    peers = peers[(peers["metric"] == "roofline fraction") & peers["model"].notna()].fillna({"value": np.nan})
    lines = []
    for board in boards:
        there = peers[peers["board"].str.upper().str.startswith(board.upper())].to_dict("records")
        for row in there:
            speed = row["engine"] if isinstance(row["engine"], str) else ""
            fraction = "" if np.isnan(row["value"]) else f"{row['value']:.1%}"
            lines.append((board.upper(), row["model"], speed, fraction, str(row["note"]).split("; ")[-1]))
        rows = ours[(ours["board"] == board) & ours["metric"].str.match(r"speed \[.*, best, ")].to_dict("records")
        for row in rows:
            config, peak = get_config(row["model"]), require_hbm(load_board(board)).hbm.peak_gb_per_s
            share = row["value"] * weight_gb_per_token(config) / peak
            chosen = best_of("boards", f"{row['model']}, best, {board}")
            note = f"simulated, head and host left out; {chosen}"
            lines.append((board.upper(), f"ours: {row['model']}", f"{row['value']:.1f}", f"{share:.1%}", note))
    return markdown(("board", "decoder", "tokens/s", "of the weights' roofline", "note"), lines)


def pim_gpts() -> str:
    """Each GPT on PIM-GPT: times, use of the banks, power, and beside a T4 that reads at the peak of its memory."""
    rows = results("pim-gpt")
    models = list(dict.fromkeys(rows[rows["metric"] == "speed"]["model"]))
    lines = []
    for model in models:
        one, all_of_it = (value("pim-gpt", f"layer [{each} tokens]", model=model) for each in (1, 1024))
        speed, share, low, high, over = (
            value("pim-gpt", metric, model=model)
            for metric in (
                "speed",
                "share of the banks' bandwidth",
                "power, low",
                "power, high",
                "speed over a T4 at its roofline",
            )
        )
        lines.append(
            (
                model,
                f"{one / 1e3:.1f} to {all_of_it / 1e3:.1f}",
                f"{speed:,.0f}",
                f"{share:.0%}",
                f"{low:.0f} to {high:.0f}",
                f"{over:.1f}",
            )
        )
    head = (
        "model",
        "µs of a layer, 1 to 1,024 tokens",
        "tokens/s",
        "of the banks' bandwidth",
        "W",
        "times a T4's roofline",
    )
    return markdown(head, lines)


def mesh_engines() -> str:
    """Whole meshes by both engines: processes, cycles and seconds."""
    rows = results("wafer-mesh")
    meshes = rows[rows["metric"].str.startswith("processes [")]["metric"].str.removeprefix("processes ")
    lines = []
    for mesh in meshes:
        seconds = (value("wafer-mesh", f"seconds of a simulation {mesh}", engine=each) for each in ("maxplus", "simpy"))
        lines.append(
            (
                mesh.strip("[]"),
                f"{value('wafer-mesh', f'processes {mesh}'):,.0f}",
                f"{value('wafer-mesh', f'mesh {mesh}'):,.0f}",
                *(f"{each:.2f}" for each in seconds),
            )
        )
    return markdown(("mesh", "processes", "cycles", "max-plus, s", "SimPy, s"), lines)


def two_processors() -> str:
    """Ratios over the xPU alone by model, batch and context, each expert where it is faster."""
    rows = results("duplex")
    lines = []
    for model in ("mixtral-8x7b", "qwen3-30b-a3b"):
        for batch in (1, 8, 32, 64, 128):
            metric = f"over the xPU alone [batch {batch},"
            ratios = rows[(rows["model"] == model) & rows["metric"].str.startswith(metric)]
            cells = [
                "no room" if np.isnan(found) else f"{found:.2f}"
                for placement in ("by layer", "by expert")
                for context in (512, 1024, 4096, 8192)
                for found in ratios[ratios["metric"].str.endswith(f" {context} tokens, {placement}]")]["value"]
            ]
            lines.append((OF_BEST.get(model, model), str(batch), *cells))
    contexts = [f"{placement}, {context:,}" for placement in ("layer", "expert") for context in (512, 1024, 4096, 8192)]
    return markdown(("model", "batch", *contexts), lines)


def co_simulation() -> str:
    """Cycles of the timing model beside published C/RTL co-simulation."""
    rows = results("fidelity").to_dict("records")
    shallow = {row["model"]: row["value"] for row in rows if row["metric"] == "cycles-depth-2"}
    exact = sorted((row for row in rows if row["metric"] == "cycles"), key=lambda row: abs(row["error"]))
    lines = []
    for row in exact:
        depth_2 = "deadlock" if np.isnan(shallow[row["model"]]) else f"{shallow[row['model']]:,.0f}"
        lines.append(
            (row["model"], f"{row['reference']:,.0f}", f"{row['value']:,.0f}", f"{row['error']:+.3%}", depth_2)
        )
    return markdown(("design", "co-simulation", "own depths", "error", "all depths 2"), lines)


def quality() -> str:
    """Perplexity and its kin by precision and way of rounding."""
    rounded = {
        "nearest": "nearest",
        "gptq": "GPTQ, fitted",
        "smooth": "smoothed, nearest",
        "smooth-gptq": "smoothed, GPTQ, fitted",
        "rotate": "rotated, nearest",
        "rotate-gptq": "rotated, GPTQ, fitted",
    }
    lines = []
    points = [
        (run, point)
        for run in ("quality", "quality-schemes", "quality-smooth", "quality-rotated")
        for point in results(run)["metric"].str.extract(r"^perplexity \[(.*)\]$")[0].dropna()
    ]
    for run, point in points:
        of = {metric: value(run, f"{metric} [{point}]") for metric in ("perplexity", "KL divergence", "agreement")}
        loss = value(run, f"perplexity [{point}]", "error")
        precision, weights = point.split(", ")
        lines.append(
            (
                f"`{precision}`",
                rounded[weights],
                f"{loss:+,.1%}",
                f"{value('precision', f'speed [best, {precision}]'):,.0f}",
                f"{value('precision', f'share of LUT [best, {precision}]'):.0%}",
                f"{of['perplexity']:,.2f}",
                f"{of['KL divergence']:.3f}",
                f"{of['agreement']:.0%}",
            )
        )
    heads = ("precision", "weights", "loss", "tokens/s", "LUT", "perplexity", "KL, nats", "same token")
    return markdown(heads, lines)


def power_residuals() -> str:
    """The energy model with a board's traffic and no other work, beside published readings."""
    costs = require_hbm(load_board("u55c")).energy_costs
    lines = []
    for row in published_table("power_readings").to_dict("records"):
        read_w = float(row["power_w"])
        used = energy(Activity(1.0, hbm_bits=float(row["gb_per_s"]) * 8e9), costs)
        # What is left for a loaded design, clock and work without the HBM, where the board is one like ours.
        left = f"{read_w - used.static_j - used.hbm_j:.1f}" if row["reading"] == "board" else ""
        error = f"{used.power_w / read_w - 1:+.0%}"
        lines.append(
            (
                row["work"],
                f"{row['device']}, {row['reading']}",
                row["what"],
                f"{read_w:.1f}",
                left,
                f"{used.power_w:.1f}",
                f"{row['anchor']} case" if row["anchor"] else error,
            )
        )
    return markdown(("design", "of", "reading", "W read", "W left", "W modeled", "error"), lines)


def energy_ratios() -> str:
    """Tokens per joule over an A100, by who says how fast the A100 is, under the rule of the power limits."""
    opponents = {
        "the paper's GPT-2 rows, per layer": "A100 per layer",
        "the paper's GPT-2 rows, scaled by an H200 in eager mode": "A100 eager",
        "published speed of vLLM, scaled by an H200 with CUDA graphs": "A100 graphs",
        "published speed of transformers, eager": "A100 HF eager",
    }
    lines: list[Sequence[object]] = [("published", "1.99", "< 1", "1.59")]
    for said, opponent in opponents.items():
        metric = f"best tokens/J over {opponent}, rule tdp"
        found = [values_or_none("emerging", metric, model) for model in NEWER]
        lines.append((said, *("" if each is None else f"{each:.2f}" for each in found)))
    return markdown(("A100 according to", *(MODELS[model] for model in NEWER)), lines)


NEWER = ("qwen", "llama", "gemma")


def values_or_none(experiment: str, metric: str, model: str) -> float | None:
    """A model's value of a metric, None where the table has none."""
    rows = results(experiment)
    cells = rows[(rows["metric"] == metric) & (rows["model"] == model)]["value"].dropna()
    return None if cells.empty else float(cells.iloc[0])


def energy_what_ifs() -> str:
    """The same ratio with other costs of a launch, and with the LM head on the card."""
    launches = {"queued_us": "queued", "back_to_back_us": "back to back", "single_high_us": "awaited"}
    lines = []
    for where in ("LM head not timed", "LM head on the card"):
        for launch, said in launches.items():
            metric = f"best tokens/J over A100 per layer, rule tdp, launch {launch}, {where}"
            found = (values_or_none("emerging", metric, model) for model in NEWER)
            cells = ("" if each is None else f"{each:.2f}" for each in found)
            lines.append((said, where.removeprefix("LM head "), *cells))
    return markdown(("launch", "LM head", *(MODELS[model] for model in NEWER)), lines)


def fig9_cases() -> str:
    """The cases nearest to the published ratios of Fig. 9."""
    rows = results("fig9")
    off = rows[rows["metric"].str.startswith("largest factor")].copy()
    off["case"] = off["metric"].str.removeprefix("largest factor off the published ratios, ")
    lines = []
    for _, row in off.sort_values("value", kind="stable").head(5).iterrows():
        metric = f"best tokens/J over A100 per layer, rule tdp, {row['case']}"
        ratios = (f"{value('fig9', metric, model=model):.2f}" for model in NEWER)
        lines.append((row["case"], *ratios, f"{row['value']:.2f}", str(row["note"]).rpartition(": ")[2]))
    published = (f"{MODELS[model]} ({published_text(FIG9_QUANTITY, model)})" for model in NEWER)
    return markdown(("case", *published, "factor off", "designs that fit"), lines)


def fig9_shares() -> str:
    """What the designs of Fig. 9 ask of the board by their lanes."""
    rows = results("fig9")
    found = rows[rows["metric"].str.startswith("fullest share of budget")].copy()
    found[["lanes", "flow"]] = found["metric"].str.extract(r", (\d+) lanes, (.*)$")
    lines = []
    for lanes in sorted(found["lanes"].unique(), key=int):
        group = found[found["lanes"] == lanes]
        of = {(phase, model): shares["value"] for (phase, model), shares in group.groupby(["phase", "model"])}
        cells = [
            " / ".join(f"{share:.0%}" for share in of[phase, model])
            for phase in ("prefill", "decode")
            for model in NEWER
        ]
        lines.append((lanes, *cells))
    heads = (f"{MODELS[model]}, {phase}" for phase in ("prefill", "decode") for model in NEWER)
    return markdown(("lanes", *heads), lines)


def seconds(command: str) -> float:
    """What a command took; see `sttest.studies.seconds`."""
    return command_seconds()[command]


def study_seconds(study: str) -> float:
    """Seconds of a processor that the simulations of a study took."""
    return float(read_object(ROOT / "results" / study / MANIFEST, RESULTS_SCHEMA)["processor_s"])


_OTHER_NOTES = ("helped most by ", "bound by ", "design: ")


def best_of(study: str, point: str) -> str:
    """Which design is the best at a point: the fastest of those that fit, or that none does."""
    rows = results(study)
    (note,) = rows[rows["metric"] == f"speed [{point}]"]["note"]
    return "; ".join(part for part in str(note).split("; ") if not part.startswith(_OTHER_NOTES))


def speed_by_bandwidth() -> str:
    """Decode speed of the default design and of the fastest one, over the bandwidth of the HBM."""
    rows = results("hbm-bandwidth")
    speeds = rows[rows["metric"].str.match(r"speed \[[^,]*, (spatial|best), ")].copy()
    speeds[["point_model", "design", "point"]] = speeds["metric"].str.extract(r"^speed \[([^,]*), ([^,]*), (.*)\]$")
    speeds["column"] = speeds["point_model"] + ", " + speeds["design"]
    table = speeds.pivot_table(index="point", columns="column", values="value", sort=False)
    names = [f"{model}, {design}" for model in dict.fromkeys(speeds["point_model"]) for design in ("spatial", "best")]
    lines = [(point, *(f"{row[name]:.1f}" for name in names)) for point, row in table.iterrows()]
    return markdown(("GB/s", *names), lines)


def speed_by_batch(phase: str) -> str:
    """Speed of each design over the batch, in parentheses where it does not fit, a dash where it can't be compiled."""
    points = [f"{model}, {design}" for model in ("gpt2", "llama") for design in ("spatial", "1024 lanes", "4096 lanes")]
    rows = results("batch").set_index("metric")["value"]
    lines = []
    for batch in (1, 2, 4, 8, 16):
        where = [f"[{point.replace(', ', f', {phase}, ')}, batch={batch}]" for point in points]
        speeds = ["-" if np.isnan(rows[f"speed {each}"]) else f"{rows[f'speed {each}']:,.0f}" for each in where]
        lines.append(
            (
                batch,
                *(
                    speed if speed == "-" or rows[f"fits {each}"] else f"({speed})"
                    for each, speed in zip(where, speeds, strict=True)
                ),
            )
        )
    return markdown(("B", *points), lines)


def long_prompts() -> str:
    """Prompts in blocks: time, memory on chip, and what attention moves beside what it must."""
    forms = {
        "time to first token": (1, ".2f"),
        "held on chip": (1024, ",.0f"),
        "keys and values moved per layer": (1e6, ",.1f"),
        "least with all that is held": (1e6, ",.3f"),
        "least with a block's queries and outputs": (1e6, ",.1f"),
    }
    lines = []
    for tokens in (1024, 4096, 32640):
        shown = f"[{tokens} tokens, blocks of 16]"
        cells = (format(value("long-prompt", f"{name} {shown}") / unit, form) for name, (unit, form) in forms.items())
        lines.append((f"{tokens:,}", *cells))
    heads = (
        "tokens",
        "first token, s",
        "held on chip, KiB",
        "keys and values per layer, MB",
        "least, with all of it, MB",
        "least, with a block's state, MB",
    )
    return markdown(heads, lines)


def tier_steps() -> str:
    """Decode steps by where weights and caches are; a dash where a memory has no room."""
    lines = []
    for model, shown in (("llama", "TinyLlama-1.1B"), ("llama-2-70b", "Llama-2-70B")):
        for placement in ("all in HBM", "keys and values in DDR", "FFN in DDR", "all weights in DDR"):
            speed = value("memory-tiers", f"speed [{placement}]", model=model)
            shares = (f"{name} [{placement}]" for name in ("roofline", "share of the roofline"))
            roofline, share = (value("memory-tiers", each, model=model) for each in shares)
            told = "no room" if np.isnan(speed) else f"{speed:,.2f}"
            lines.append((f"{shown}, {placement}", told, f"{roofline:,.2f}", f"{share:.0%}"))
    return markdown(("weights and caches", "tokens/s", "roofline, tokens/s", "share of it"), lines)


def tier_switches() -> str:
    """Seconds to bring a model into the HBM."""
    models = {"llama": "TinyLlama-1.1B", "llama-2-7b": "Llama-2-7B", "llama-3.1-8b": "Llama-3.1-8B"}
    lines = []
    for model, shown in models.items():
        size = value("memory-tiers", "weights of all layers", model=model)
        times = (value("memory-tiers", f"switch from {each}", model=model) for each in ("ddr", "host", "flash"))
        lines.append((shown, f"{size / 1e9:.2f}", *(f"{each * 1e3:,.0f}" for each in times)))
    return markdown(("weights of", "GB", "from DDR, ms", "from the host, ms", "from flash, ms"), lines)


def tier_windows() -> str:
    """Tokens per second of models whose layers come from the host or from flash."""
    lines = []
    for model, shown, stay in (
        ("llama-2-7b", "Llama-2-7B", "no layer stays"),
        ("llama-2-7b", "Llama-2-7B", "half of the layers stay"),
        ("llama-2-70b", "Llama-2-70B", "no layer stays"),
        ("llama-2-70b", "Llama-2-70B", "HBM full"),
    ):
        found = (f"speed [weights in {source}, {stay}]" for source in ("host", "flash"))
        speeds = (f"{value('memory-tiers', each, model=model):.2f}" for each in found)
        lines.append((f"{shown}, {stay}", *speeds))
    return markdown(("window", "from the host, tokens/s", "from flash, tokens/s"), lines)


def entropy_codes() -> str:
    """What a code saves, by what weights are like."""
    shown = {
        "gpt2": "block of GPT-2 Medium",
        "normal": "normal, deviation 0.02",
        "uniform": "uniform, `nn.Linear`",
        "student-t": "Student's t, 4 degrees",
        "silero-vad": "trained: Silero VAD, without lanes",
    }
    lines = []
    for name, told in shown.items():
        closed = value("entropy", "entropy of exponents", "reference", model=name)
        entropy, mean, bits, over = (
            value("entropy", metric, model=name)
            for metric in ("entropy of exponents", "mean codeword", "bits per weight", "bytes over bfloat16")
        )
        lines.append(
            (
                told,
                f"{entropy:.3f}",
                "" if np.isnan(closed) else f"{closed:.3f}",
                f"{mean:.3f}",
                f"{bits:.2f}",
                f"{over:.1%}",
            )
        )
    return markdown(
        ("weights", "entropy, bits", "closed form", "mean codeword", "bits per weight", "of bfloat16"), lines
    )


def entropy_skews() -> str:
    """Fill and depths by the skew between lanes."""
    lines = []
    for skew in (64, 128, 256, 512, 1024):
        fill, bound, least = (
            value("entropy", f"{metric} [skew {skew}]")
            for metric in ("fill over weights", "depth for any weights", "least depth that ends")
        )
        lines.append((f"{skew} bits", f"{fill:.2%}", f"{bound:.0f}", f"{least:.0f}"))
    return markdown(("skew", "fill", "depth for any weights", "least for one trace"), lines)


def pruned_parts() -> str:
    """Attention of GPT-2 before two memories, part by part."""
    lines = []
    for model, shown in (("gpt2-small", "Small"), ("gpt2", "Medium")):
        few = "pruned, fewer bits, low bits on demand" if model == "gpt2-small" else "pruned, fewer bits"
        for name in (
            "all, 32 bits",
            "all, fewer bits",
            "pruned, 32 bits, 1 comparator",
            "pruned, 32 bits",
            *dict.fromkeys(("pruned, fewer bits", few)),
            f"{few}, 2 engines",
        ):
            moved = value("spatten", f"bytes [{name}]", model=model)
            cycles = (value("spatten", f"cycles [{name}]", model=model, board=board) for board in ("u55c", "spatten"))
            lines.append((shown, name, f"{moved / 1e6:,.0f}", *(f"{each / 1e3:,.0f}" for each in cycles)))
    columns = ("GPT-2", "attention", "MB read", "thousand cycles, U55C", "thousand cycles, SpAtten's memory")
    return markdown(columns, lines)


def pruned_on_demand() -> str:
    """Low bits on demand, by how peaked attention is."""
    lines = []
    for deviation in ("0.5", "1", "2", "4"):
        figures = ("heads that read low bits", "bytes over those of all bits", "cycles over those of all bits")
        share, size, cycles = (value("spatten", f"{each} [deviation {deviation}]") for each in figures)
        lines.append((deviation, f"{share:.1%}", f"{size:.0%}", f"{cycles:.0%}"))
    return markdown(("deviation of logits", "heads that read low bits", "bytes", "cycles"), lines)


def entropy_rates() -> str:
    """Weights per cycle of decoders behind one channel, and what their logic takes."""
    lines = []
    for lanes, symbols, part in ((1, 1, 32), (16, 1, 32), (32, 1, 16), (16, 2, 32), (32, 2, 16), (8, 4, 64)):
        where = f"[{lanes} lanes of {symbols}]"
        rate, effective = (
            value("entropy", f"{metric} {where}") for metric in ("weights per cycle", "effective bandwidth")
        )
        bound = value("entropy", f"weights per cycle {where}", "reference")
        luts = lanes * value("entropy", f"LUTs per lane [{symbols} per cycle, parts of {part} bits]")
        lines.append((f"{lanes} × {symbols}", f"{rate:.1f}", f"{bound:.1f}", f"{effective:.2f}", f"{luts:,.0f}"))
    return markdown(("lanes × weights", "weights per cycle", "closed form", "bandwidth over plain", "LUTs"), lines)


def entropy_blocks() -> str:
    """A block by what its weights are in memory."""
    lines = []
    for lanes in (1024, 2048):
        for memory in ("float32", "bfloat16", "32 lanes of 1", "16 lanes of 2", "32 lanes of 2"):
            where = f"[{lanes} lanes, {memory}]"
            size, cycles, speed = (
                value("entropy", f"{metric} {where}") for metric in ("bytes of weights", "block", "speed")
            )
            coded = "lanes of" in memory
            share = value("entropy", f"LUTs of decoders over the card's {where}") if coded else 0
            luts = f"{share:.0%}" if coded else ""
            told = f"coded, {memory}" if coded else memory
            lines.append((f"{lanes:,} lanes, {told}", f"{size / 1e6:.1f}", f"{cycles:,.0f}", f"{speed:.0f}", luts))
    return markdown(("products, weights", "MB", "cycles", "tokens/s", "LUTs of decoders"), lines)


def expert_layers() -> str:
    """A layer of experts at full size, by board and by where the experts are."""
    models = {"qwen3-30b-a3b": "Qwen3-30B-A3B", "mixtral-8x7b": "Mixtral-8x7B"}
    lines = []
    for model, shown in models.items():
        for board, place in (("u55c", "experts in HBM"), ("u280", "experts in HBM"), ("u280", "experts in DDR")):
            found = (
                value("experts", f"{name} [{place}]", model=model, board=board)
                for name in ("layer", "bytes moved per layer", "share of the roofline", "speed")
            )
            cycles, moved, share, speed = found
            held = value("experts", "weights and caches of all layers", model=model)
            has_room = place != "experts in HBM" or held <= require_hbm(load_board(board)).hbm.size_bytes
            lines.append(
                (
                    f"{shown}, {board.upper()}, {place}",
                    f"{cycles:,.0f}",
                    f"{moved / 1e6:,.1f}",
                    f"{share:.0%}",
                    f"{speed:,.1f}" if has_room else "no room",
                )
            )
    return markdown(("design", "cycles per layer", "MB moved", "of the roofline", "tokens/s"), lines)


def architectures_roofline() -> str:
    """Error, rank correlation and regret of the roofline, by lanes."""
    lanes = (1024, 2048)
    spread = (
        [
            value("architectures", f"error of the roofline, {each} [{count} lanes]")
            for each in ("least", "median", "most")
        ]
        for count in lanes
    )
    errors = (f"{low:.0%} to {high:.0%}, median {middle:.0%}" for low, middle, high in spread)
    lines = [("error of the roofline", *errors)]
    names = [
        "rank correlation, all architectures",
        "rank correlation, layer shapes",
        *(f"regret, about {size} M parameters" for size in (200, 300, 400, 500, 600, 800)),
    ]
    for name in names:
        found = [value("architectures", f"{name} [{each} lanes]") for each in lanes]
        lines.append((name, *(f"{each:.3f}" if "rank" in name else f"{each:.1%}" for each in found)))
    return markdown(("figure", *(f"{each:,} lanes" for each in lanes)), lines)


def architectures_chosen() -> str:
    """The model that is chosen at the latency of Qwen2.5-0.5B, by simulation and by the roofline."""
    lines = []
    table = results("architectures").set_index("metric")
    for lanes in (1024, 2048):
        for way in ("simulation", "roofline"):
            where = f"by {way} [{lanes} lanes]"
            at = f"at the latency of Qwen2.5-0.5B, {where}"
            saved = value("architectures", f"perplexity saved {at}")
            over = value("architectures", f"latency over that of Qwen2.5-0.5B, {where}")
            shape = str(table.loc[f"parameters {at}", "note"]).partition(";")[0]
            millions = f"{value('architectures', f'parameters {at}') / 1e6:.0f}"
            lines.append((f"{lanes:,} lanes, by {way}", shape, millions, f"{saved:.1%}", f"{over:.2f}"))
    return markdown(("chosen", "shape", "M parameters", "perplexity saved", "latency, simulated"), lines)


def low_rank_sweep(phase: str, precision: str) -> str:
    """Bytes, cycles and memory of GPT-2's block by the rank of its linear layers, streamed and operator by operator."""
    lines = []
    for rank in ("full", 384, 192, 96, 48):
        where = f"[{precision}, rank {rank}]"
        found = {
            each: value("low-rank", f"{each} {where}", phase=phase)
            for each in (
                "bytes moved",
                "cycles",
                "cycles, operators apart",
                "on-chip bytes",
                "transient bytes, operators apart",
                "peak bytes, operators apart",
            )
        }
        moved, cycles, apart, *memory = found.values()
        lines.append(
            (
                str(rank),
                f"{moved / 1e6:.2f}",
                f"{cycles:,.0f}",
                f"{apart:,.0f}",
                *(f"{each / 1e3:,.0f}" for each in memory),
            )
        )
    heads = ("cycles", "cycles, operators apart", "on chip, KB", "all results, KB", "live at once, KB")
    return markdown(("rank", "MB moved", *heads), lines)


def low_rank_published() -> str:
    """What FlashSVD saves beside ours, by rank, of the prefill in float32 and in integers."""
    lines = []
    for metric, theirs in (
        ("activation memory in the HBM saved", "peak activation memory saved"),
        ("peak activation memory saved", "peak activation memory saved"),
        ("transient memory saved", "transient memory saved"),
        ("memory of x u saved", ""),
    ):
        for precision in ("fp32", "w4a8"):
            found = (
                value("low-rank", f"{metric} [{precision}, rank {rank}]", phase="prefill")
                for rank in (384, 192, 96, 48)
            )
            told = f"{value('low-rank', theirs):.1%}" if theirs else ""
            lines.append((f"{metric}, {precision}", told, *(f"{each:.1%}" for each in found)))
    return markdown(("figure", "published", *(f"rank {rank}" for rank in (384, 192, 96, 48))), lines)


def state_space_contexts() -> str:
    """Cycles of a block with attention by context, and how long its step takes over one of a state-space block."""
    lines = []
    for context in (256, 1024, 4096, 16384, 57344, 65536):
        cycles = value("state-space", f"cycles per block [context {context}]")
        ratios = (
            value("state-space", f"attention over state space, {scope}, context {context} [state lanes {lanes}]")
            for lanes in ("as products need", "32")
            for scope in ("block", "model")
        )
        lines.append((f"{context:,}", f"{cycles:,.0f}", *(f"{each:.2f}" for each in ratios)))
    heads = (f"{scope}, {lanes}" for lanes in ("paced lanes", "32 lanes") for scope in ("block", "model"))
    return markdown(("context", "cycles with attention", *heads), lines)


def state_space_hybrids() -> str:
    """Mean time of a block by how many of them have attention, 32 lanes for the state."""
    lines = []
    for context in (256, 4096, 16384, 65536):
        found = (
            value(
                "state-space",
                f"mean block of a hybrid, one with attention in {every}, context {context} [state lanes 32]",
            )
            for every in (2, 4, 8)
        )
        lines.append((f"{context:,}", *(f"{each:.1f}" for each in found)))
    return markdown(("context", *(f"1 in {every}, µs" for every in (2, 4, 8))), lines)


def expert_caches() -> str:
    """Speed of a step whose experts are in HBM over DDR, by locality and room."""
    lines = []
    for model, shown, rooms in (
        ("qwen3-30b-a3b", "Qwen3-30B-A3B", (8, 16, 68)),
        ("mixtral-8x7b", "Mixtral-8x7B", (2,)),
    ):
        for name in ("alike", "popular", "popular and again"):
            for room in rooms:
                where = f"[{name}, room for {room}]"
                found = (value("experts", f"{each} {where}", model=model) for each in ("hit rate", "speed"))
                rate, speed = found
                late = value("experts", f"time per token, p99 {where}", model=model)
                lines.append((f"{shown}, {name}", str(room), f"{rate:.0%}", f"{speed:.1f}", f"{late:.1f}"))
    return markdown(("experts drawn", "room per layer", "hits", "tokens/s", "p99, ms"), lines)


_SITES = {
    "fifo": "words of FIFOs, activations",
    "weight-fifo": "words of FIFOs, weights",
    "accumulator": "running values",
    "data-path": "other registers of values",
    "buffer": "buffers of converters",
    "control": "control",
}


def fault_kinds() -> str:
    """What comes of single bit flips, by kind of site."""
    outcomes, lines = ("masked", "value", "token", "hang"), []
    for kind, shown in {**_SITES, "all": "all, by bits"}.items():
        where = f"{kind} [no protection]"
        shares = [f"{value('faults', f'{outcome}, {where}'):.1%}" for outcome in outcomes]
        bits = f"{value('faults', f'bits of {where}'):,.0f}" if kind != "all" else ""
        lines.append((shown, bits, *shares, interval("faults", f"not masked, {where}")))
    return markdown(("where", "bits", "masked", "other value", "other token", "hang", "not masked, 95 %"), lines)


def fault_fields() -> str:
    """Flips of FIFO words that are not masked, by type and place of the bit."""
    rows = results("faults")
    named = rows[rows["metric"].str.fullmatch(r"not masked, (?:activations|weights) .*")]
    lines = [
        (metric.removeprefix("not masked, "), f"{value('faults', metric):.1%}", interval("faults", metric))
        for metric in named["metric"]
    ]
    return markdown(("bit", "not masked", "95 %"), lines)


def interval(experiment: str, metric: str) -> str:
    """The 95 % interval of a share, from its note."""
    rows = results(experiment)
    (note,) = rows[rows["metric"] == metric]["note"]
    low, high = re.search(r"interval (\S+) to (\S+),", note).groups()  # pyright: ignore[reportOptionalMemberAccess]
    return f"{float(low):.1%} to {float(high):.1%}"


def fault_protection() -> str:
    """Failing bits by kind of site, and what covers them."""
    covers = {"fifo": "secded", "weight-fifo": "secded", "accumulator": "tmr", "control": "tmr"}
    lines = []
    for kind, shown in _SITES.items():
        failing = value("faults", f"failing bits of {kind} [no protection]")
        lines.append((shown, f"{failing:,.0f}", covers.get(kind, "nothing")))
    return markdown(("where", "failing bits", "covered by"), lines)


def expert_operations() -> str:
    """Operations per byte of experts and attention beside the published ones."""
    published = {"experts": "at least 1", "grouped-query attention": "4 to 8"}
    lines = []
    for part, told in published.items():
        for model, shown in (("qwen3-30b-a3b", "Qwen3-30B-A3B"), ("mixtral-8x7b", "Mixtral-8x7B")):
            metric = f"operations per byte of {part}"
            ours = value("experts", metric, model=model)
            wide = value("experts", f"{metric}, if 16 bits each", model=model)
            lines.append((f"{part}, {shown}", f"{ours:.1f}", f"{wide:.1f}", told))
    return markdown(("part", "as built", "with 16 bits each", "Duplex"), lines)


def expert_hits() -> str:
    """Hit rates of LRU, and of the bound, by locality and room."""
    rooms, lines = (16, 32, 64), []
    for name in ("alike", "popular", "again", "popular and again"):
        rates = {
            (room, rule): value("memory-tiers", f"hit rate [{name}, room for {room}, {rule}]")
            for room in rooms
            for rule in ("lru", "belady")
        }
        busiest = value("memory-tiers", f"load imbalance [{name}]")
        covered = value("memory-tiers", f"choices covered by a group [{name}, group of 16]")
        pairs = (f"{rates[room, 'lru']:.0%} / {rates[room, 'belady']:.0%}" for room in rooms)
        lines.append((name, *pairs, f"{covered:.0%}", f"{busiest:.1f}"))
    heads = (f"room for {room}, LRU / bound" for room in rooms)
    return markdown(("experts drawn", *heads, "16 tokens by their best 16", "busiest over mean, 16 tokens"), lines)


# --- Several cards


_CARDS = (1, 2, 4)
_BITS = {"w4a8": "4", "w8a8": "8"}


def cards_speed() -> str:
    """Speed of a decode step on so many cards, by bits of weights."""
    lines = []
    for precision, bits in _BITS.items():
        for cards in _CARDS:
            found = (
                value("cards", f"{name} [{cards} cards, {precision}]")
                for name in (
                    "cycles of the layers",
                    "cycles of the head",
                    "speed",
                    "speed, host included",
                    "speed-up",
                    "efficiency",
                )
            )
            cells = (format(each, form) for each, form in zip(found, (*[",.0f"] * 4, ".2f", ".0%"), strict=True))
            lines.append((bits, cards, *cells))
    heads = (
        "weights, bits",
        "cards",
        "cycles of the layers",
        "of the head",
        "tokens/s",
        "with the host",
        "speed-up",
        "efficiency",
    )
    return markdown(heads, lines)


def cards_pipeline() -> str:
    """Layers in a pipeline beside heads and columns in parallel."""
    names = ("speed", "speed in a pipeline, one sequence", "speed in a pipeline, a sequence per card")
    lines = [
        (bits, cards, *(f"{value('cards', f'{name} [{cards} cards, {precision}]'):,.0f}" for name in names))
        for precision, bits in _BITS.items()
        for cards in _CARDS[1:]
    ]
    heads = ("weights, bits", "cards", "tokens/s, in parallel", "in a pipeline, one sequence", "a sequence per card")
    return markdown(heads, lines)


def cards_links() -> str:
    """What links take of a step, and what the same design takes whose links start late, or take no time."""
    forms = {
        "bytes sent per token and card": ",.0f",
        "cycles of the layers": ",.0f",
        "cycles of the layers, whole vectors": ",.0f",
        "cycles of the layers, ideal links": ",.0f",
        "gain of overlap": ".3f",
        "share of links": ".1%",
    }
    lines = [
        (
            bits,
            cards,
            *(format(value("cards", f"{name} [{cards} cards, {precision}]"), form) for name, form in forms.items()),
        )
        for precision, bits in _BITS.items()
        for cards in _CARDS[1:]
    ]
    heads = (
        "weights, bits",
        "cards",
        "bytes sent per card",
        "cycles, streamed",
        "cycles, whole",
        "cycles, ideal",
        "gain of overlap",
        "share of links",
    )
    return markdown(heads, lines)


def cards_credits() -> str:
    """Cycles of the layers by the credits that each stream on a link has."""
    lines = []
    for credit in CREDITS:
        cells = []
        for cards in _CARDS[1:]:
            rows = results("cards")
            metric = f"cycles of the layers with {credit} credits [{cards} cards, w4a8]"
            (cycles,) = rows[rows["metric"] == metric]["value"]
            cells.append("deadlock" if pd.isna(cycles) else f"{cycles:,.0f}")
        lines.append((credit, *cells))
    return markdown(("credits, tokens", *(f"{cards} cards" for cards in _CARDS[1:])), lines)


def cards_published() -> str:
    """Published speeds on several cards or nodes, beside ours of the same protocol."""
    ours = {"DFX": "speed [64:64], host included [{} cards, w4a8]", "LoopLynx": "speed [{} cards, w8a8]"}
    lines = []
    for row in published_table("cards").to_dict("records"):
        system, cards = str(row["system"]), int(row["cards"])
        speed, up = (value("cards", f"{name} [{cards} cards]", model=system) for name in ("speed", "speed-up"))
        own, first = (value("cards", ours[system].format(count)) for count in (cards, 1))
        lines.append(
            (system, cards, f"{speed:g}", f"{up:.2f}", f"{own:,.0f}", f"{own / first:.2f}", str(row["differs"]))
        )
    heads = ("", "cards or nodes", "tokens/s", "speed-up", "ours, tokens/s", "ours, speed-up", "what differs")
    return markdown(heads, lines)


def speculation(draft: str) -> str:
    """How many times as fast as one token after the other, by tokens of a step and acceptance."""
    lines = []
    for lanes in ("4096", "16384"):
        for share in ("0.6", "0.8", "0.9"):
            points = (
                f"[{lanes} lanes, {draft}, acceptance={share}, step_tokens={{}}]".format(m) for m in (1, 2, 3, 4, 6, 8)
            )
            alone, *speeds = (value("speculation", f"speed {point}") for point in points)
            lines.append((lanes, share, f"{alone:.0f}", *(f"{speed / alone:.2f}" for speed in speeds)))
    return markdown(("lanes", "accepted", "tokens/s, M = 1", *(f"M = {m}" for m in (2, 3, 4, 6, 8))), lines)


def serving() -> str:
    """Waits and goodput by the rate of requests."""
    lines = []
    for batch, policy in ((1, "first-come"), (1, "shortest"), (8, "first-come"), (8, "shortest")):
        for rate in (2, 4, 6, 8, 10):
            shown = f"[batch {batch}, {policy}, {rate}/s]"
            forms = {
                "speed": ",.0f",
                "time to first token, p50": ",.0f",
                "time to first token, p95": ",.0f",
                "time to first token, p99": ",.0f",
                "time per token, p50": ".1f",
                "time per token, p95": ".1f",
                "time per token, p99": ".1f",
                "within the objective": ".0%",
                "energy per token": ".2f",
            }
            cells = (format(value("serving", f"{name} {shown}"), form) for name, form in forms.items())
            lines.append((batch, policy, rate, *cells))
    heads = (
        "batch",
        "policy",
        "requests/s",
        "tokens/s",
        "first token p50, ms",
        "p95, ms",
        "p99, ms",
        "per token p50, ms",
        "p95, ms",
        "p99, ms",
        "good",
        "J per token",
    )
    return markdown(heads, lines)


def on_chip_fractions() -> str:
    """What stays on chip of the intermediate results, by two ways to count them."""
    lines = []
    for label, phase, point in (
        ("prefill, 32 tokens", "prefill", "n=32"),
        ("prefill, 128 tokens", "prefill", "n=128"),
        ("decode, context 128", "decode", "c=128"),
    ):
        for how in ("all kernels", "the model's operations"):
            metric = f"fused over original, {how} {point}"
            cells = (value("onchip", metric, model=model, phase=phase) for model in MODELS)
            lines.append((label, how, *(f"{cell:.1%}" for cell in cells)))
    return markdown(("block", "counted", *MODELS.values()), lines)


def attention_passes() -> str:
    """Cycles and buffers of attention in three passes and in one."""
    rows = results("attention")
    points = rows["metric"].str.extract(r"^cycles per layer \[(.*): three passes\]$")[0].dropna()
    lines = []
    for point in points:
        cycles = [value("attention", f"cycles per layer [{point}: {line}]") for line in _PASSES[:2]]
        kib = [value("attention", f"attention buffers [{point}: {line}]") / 1024 for line in _PASSES]
        lines.append((point, *(f"{each:,.0f}" for each in cycles), *(f"{each:.1f}" for each in kib)))
    heads = ("block", "cycles, three passes", "cycles, one", "KiB, three passes", "KiB, one, chunks of 64", "of 256")
    return markdown(heads, lines)


def attention_cascades(positions: int) -> str:
    """FLAT and FuseMax over so many positions."""
    rows = results("attention-cascades")
    names = rows["metric"].str.extract(rf"^cycles \[{positions:,} positions: (.*)\]$")[0].dropna()
    lines = []
    for name in names:
        where = f"[{positions:,} positions: {name}]"
        taken = value("attention-cascades", f"cycles {where}")
        if taken != taken:  # of no scale that fits
            lines.append((name, "no room", *[""] * 6))
            continue
        forms = {
            "passes over positions": ".0f",
            "busy share of multiplying lanes": ".0%",
            "LUT of the budget": ".0%",
            "DSP of the budget": ".0%",
        }
        cells = (format(value("attention-cascades", f"{metric} {where}"), form) for metric, form in forms.items())
        kib = value("attention-cascades", f"attention buffers {where}") / 1024
        mj = value("attention-cascades", f"energy, central case {where}") * 1e3
        lines.append((name, f"{taken:,.0f}", *cells, f"{kib:,.0f}", f"{mj:.2f}"))
    heads = ("cascade", "cycles", "passes", "lanes busy", "LUT", "DSP", "KiB kept", "mJ")
    return markdown(heads, lines)


def fusemax_over_flat() -> str:
    """Speed-up and energy of FuseMax over each FLAT, by positions."""
    rows = results("attention-cascades")
    found = rows["metric"].str.extract(r"^speed-up of FuseMax \[([\d,]+) positions: (.*)\]$").dropna()
    lines = []
    there = set(zip(found[0], found[1], strict=True))
    for name in found[1].unique():
        cells = []
        for positions in found[0].unique():
            if (positions, name) not in there:
                cells.append("no room")
                continue
            where = f"[{positions} positions: {name}]"
            speed_up = value("attention-cascades", f"speed-up of FuseMax {where}")
            energy = value("attention-cascades", f"energy of FuseMax over this {where}")
            cells.append(f"{speed_up:.2f} / {energy:.0%}")
        lines.append((name, *cells))
    return markdown(("over", *found[0].unique()), lines)


def block_sparse() -> str:
    """Decode steps over chosen blocks, by context and block size."""
    lines = []
    for context in ("4,096", "16,384", "65,536"):
        for part in ("all", *(f"blocks of {size}" for size in (64, 128, 256, 512))):
            where = f"[{context} positions: {part}]"
            cycles, read = (value("block-sparse", f"{name} {where}") for name in _OF_STEP)
            over = "" if part == "all" else f"{value('block-sparse', f'speed-up over all of the cache {where}'):.2f}"
            shares = (f"{value('block-sparse', f'{name} of the budget {where}'):.0%}" for name in ("LUT", "DSP"))
            lines.append((context, part, f"{cycles:,.0f}", over, f"{read / 1e6:.2f}", *shares))
    return markdown(("positions", "attends to", "cycles", "speed-up", "MB read", "LUT", "DSP"), lines)


_OF_STEP = ("cycles", "bytes of keys, values and means")
_PASSES = ("three passes", "one pass, chunks of 64", "one pass, chunks of 256")


def explored(every: int = 1) -> str:
    """The Pareto set of the search for GPT-2's decode step, or every so many of its points."""
    found = results("explore-gpt2-decode", "pareto").iloc[::every]
    lines = [
        (
            row.point,
            f"{row.cycles:,.0f}",
            f"{row.latency:.3f}",
            f"{row.area:.0%}",
            f"{row.dsp:,.0f}",
            f"{row.lut:,.0f}",
            f"{row.placed_cycles:,.0f}",
        )
        for row in found.itertuples()
    ]
    return markdown(("point", "cycles", "ms per token", "area", "DSP", "LUT", "cycles, placed"), lines)


def compile_seconds() -> str:
    """Seconds per stage of the compiler."""
    rows = results("compile-time")
    rows = rows[rows["value"].notna()].drop_duplicates(["model", "metric"])
    table = rows.pivot_table(index="metric", columns="model", values="value", sort=False)
    return markdown(
        ("stage", *MODELS.values()),
        [(stage, *(f"{row[model]:.2f}" for model in MODELS)) for stage, row in table.iterrows()],
    )


def gpu_baseline() -> str:
    """The committed runs of the GPU baseline."""
    return gpu_report.tables(gpu_report.load_runs())


@functools.cache
def resource_errors() -> str:
    """Errors of the resource model on published synthesis reports."""
    return markdown(resource_check.COLUMNS, [each.cells() for each in resource_check.measure()])


def clock_errors() -> str:
    """Errors of the clock model on routed designs, each left out once."""
    return markdown(clock_check.COLUMNS, clock_check.rows())


def clock_sources() -> str:
    """All routed designs that are known."""
    return markdown(clock_check.ROW_COLUMNS, clock_check.source_rows())


def resource_coefficients() -> str:
    """The fitted coefficients of the resource model."""
    fitted = resource_fit.shipped()
    terms = [term.replace("_", " ") for term in next(iter(fitted.values()))]
    return markdown(
        ("resource per", *terms),
        [(name.upper(), *(f"{each:g}" for each in found.values())) for name, found in fitted.items()],
    )


# --- Filling pages


def filled(text: str, page: str = "page") -> str:
    """A page with every marked figure and table made again.

    Raises:
        InputError: a marker is malformed or fails; names the page and the line.
    """
    return markers.filled(text, _evaluated, page)


def _evaluated(expression: str) -> object:
    return eval(expression, globals())


def main() -> int:
    """Fills in all pages, and names those that changed; the exit code."""
    for page in PAGES:
        before, name = page.read_text(encoding="utf-8"), str(page.relative_to(ROOT))
        try:
            after = filled(before, name)
        except InputError as error:
            print(error, file=sys.stderr)
            return error.exit_code
        if after != before:
            page.write_text(after, encoding="utf-8")
            print(name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
