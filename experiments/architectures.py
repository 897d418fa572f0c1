"""Architectures around Qwen2.5-0.5B on a U55C, W4A8: simulated latency of a decode step against its roofline.

Every layer shape is compiled and simulated once, at two numbers of lanes; the layers of a model are launches in a
queue.  The LM head is compiled behind a layer of every width, whose cycles are then taken off.  Loss is a published
law of parameters, which knows no shape; nothing is fitted and nothing trained.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata

from experiments.drawing import write_figure
from experiments.lower_ahead import lower_ahead
from sttest.boards.load import load_board, require_hbm
from sttest.compile.compiler import compile_text
from sttest.compile.options import CompileOptions
from sttest.core.processes import run_all
from sttest.core.results import Kind, ResultFolder, Row
from sttest.models.config import DecoderConfig
from sttest.models.registry import get_config
from sttest.sim import simulate
from sttest.studies.architectures import (
    CHINCHILLA,
    Candidate,
    LayerShape,
    expected_loss,
    front,
    largest,
    layer_shapes,
    model_parameters,
    perplexity_saved,
    regret,
)
from sttest.studies.lines import print_lines
from sttest.studies.steps import step_counter
from sttest.studies.whatif.bounds import bounds, moved_bytes
from sttest.studies.workload import WorkloadShape, model_text

BASE, BOARD, CONTEXT = "qwen", "u55c", 512
QWEN = get_config(BASE)
WIDTHS = (512, 640, 768, 896, 1024, 1280)
RATIOS = (2.0, 4.0, QWEN.ffn / QWEN.hidden)
LAYERS = tuple(range(8, 49, 2))
LANES = (1024, 2048)
"""Lanes of the unit that all products with weights share."""
TOKENS = 10e9
"""Tokens of training, the same for all: those of the paper's own trained models."""
SIZES, WITHIN = (0.2e9, 0.3e9, 0.4e9, 0.5e9, 0.6e9, 0.8e9), 0.05
SOURCE = "Hardware Co-Design Scaling Laws via Roofline Modelling (arXiv 2602.10377), abstract: Jetson Orin"
PUBLISHED = (
    ("candidate architectures", 1942, "count"),
    ("trained architectures", 170, "count"),
    ("perplexity saved at the latency of Qwen2.5-0.5B", 0.1942, "ratio"),
)
_BASE_SHAPE = LayerShape(QWEN.hidden, QWEN.kv_heads, QWEN.ffn)


@dataclass(frozen=True)
class Launch:
    """One simulated launch."""

    cycles: int
    moved_bytes: int
    roofline_us: float


def shapes() -> list[LayerShape]:
    """The layer shapes of the sweep."""
    return [*layer_shapes(QWEN, WIDTHS, RATIOS)]


def head_shape(hidden: int) -> LayerShape:
    """The layer before the LM head, with which the head is compiled."""
    return LayerShape(hidden, 2, 4 * hidden)


def run_point(key: Mapping[str, Any]) -> dict[int, Launch]:
    """Compiles and simulates a layer, with the head or without, at every number of lanes."""
    text = model_text(*_block(key["shape"], key["head"]))
    return {lanes: _launch(text, lanes, key["engine"]) for lanes in LANES}


def _block(shape: LayerShape, head: bool) -> tuple[DecoderConfig, WorkloadShape]:
    return shape.config(QWEN), WorkloadShape("decode", 1, CONTEXT, head=head)


def _launch(text: str, lanes: int, engine: str) -> Launch:
    board = require_hbm(load_board(BOARD))
    design = compile_text(
        text, "architecture", BOARD, CompileOptions(precision="w4a8", share="weights", gemv_lanes=lanes)
    )
    cycles = simulate(design.graph, engine).cycles
    if cycles is None:
        raise AssertionError(f"{design.name}: the design deadlocks")
    return Launch(cycles, moved_bytes(design.graph), bounds(design, design.graph, board).roofline_us)


Found = Mapping[tuple[LayerShape, bool], Mapping[int, Launch]]


def reproduce(out: Path, *, engine: str = "maxplus", jobs: int = 2) -> list[Row]:
    """Prints the figures and writes ``out``."""
    asked = [(shape, False) for shape in shapes()] + [(head_shape(width), True) for width in WIDTHS]
    lower_ahead([_block(shape, head) for shape, head in asked], jobs, "architectures")
    work = {(shape, head): {"shape": shape, "head": head, "engine": engine} for shape, head in asked}
    say, found = step_counter(len(work)), dict[tuple[LayerShape, bool], dict[int, Launch]]()
    for (shape, head), launches in run_all(run_point, work, jobs, "architectures"):
        found[shape, head] = launches
        say(f"simulated {shape.hidden} wide, {shape.kv_heads} KV heads, FFN {shape.ffn}{', head' if head else ''}")
    found = {key: found[key] for key in work}
    models = {lanes: candidates(found, lanes) for lanes in LANES}
    figures = [row for lanes in LANES for row in _of_lanes(found, models[lanes], lanes)]
    rows = [*(row for lanes in LANES for row in _of_shapes(found, lanes, engine)), *figures]
    print_lines(figures, "Architectures", notes=True)
    config = {
        "widths": WIDTHS,
        "ratios": RATIOS,
        "layers": LAYERS,
        "lanes": LANES,
        "context": CONTEXT,
        "training_tokens": TOKENS,
    }
    with ResultFolder(out, made_by=__name__, config=config) as folder:
        folder.add(*rows)
        for metric, value, unit in PUBLISHED:
            folder.add(Row("architectures", metric, value, unit, "published", board="jetson-orin", source=SOURCE))
        write_figure(folder)
    return rows


def candidates(found: Found, lanes: int) -> list[Candidate]:
    """All models: layers as launches in a queue, and the head; the roofline has neither waits nor launches."""
    board = require_hbm(load_board(BOARD))
    clock_mhz, queued_us = board.clock_mhz.value, board.launch.queued_us.value
    models = list[Candidate]()
    for shape, layers in product(shapes(), LAYERS):
        block = found[shape, False][lanes]
        before, behind = (found[head_shape(shape.hidden), head][lanes] for head in (False, True))
        simulated_us = layers * (block.cycles / clock_mhz + queued_us) + (behind.cycles - before.cycles) / clock_mhz
        roofline_us = layers * block.roofline_us + behind.roofline_us - before.roofline_us
        parameters = model_parameters(replace(shape.config(QWEN), layers=layers))
        models.append(Candidate(shape, layers, parameters, simulated_us, roofline_us))
    return models


def error_of(launch: Launch) -> float:
    """By how much a layer takes longer in simulation than by its roofline."""
    return launch.cycles / require_hbm(load_board(BOARD)).clock_mhz.value / launch.roofline_us - 1


def _row(metric: str, value: float, unit: str, kind: Kind = "derived", note: str = "", source: str = "") -> Row:
    return Row("architectures", metric, value, unit, kind, BASE, BOARD, "decode", note=note, source=source)


def _of_shapes(found: Found, lanes: int, engine: str) -> Iterator[Row]:
    for (shape, head), launches in found.items():
        name = f"hidden {shape.hidden}, kv {shape.kv_heads}, ffn {shape.ffn}{', head' if head else ''}"
        where, launch = f"[{name}, {lanes} lanes]", launches[lanes]
        yield Row(
            "architectures", f"cycles {where}", launch.cycles, "cycles", "simulated", BASE, BOARD, "decode", engine
        )
        yield _row(f"bytes moved {where}", launch.moved_bytes, "bytes", "simulated")
        yield _row(f"roofline {where}", launch.roofline_us, "us")
        yield _row(f"error of the roofline {where}", error_of(launch), "ratio", note="simulated over roofline, less 1")


def _of_lanes(found: Found, models: Sequence[Candidate], lanes: int) -> Iterator[Row]:
    where = f"[{lanes} lanes]"
    yield _row(f"architectures {where}", len(models), "count", note=f"of {len(shapes())} simulated layer shapes")
    errors = [error_of(found[shape, False][lanes]) for shape in shapes()]
    for name, value in (("least", min(errors)), ("median", float(np.median(errors))), ("most", max(errors))):
        yield _row(f"error of the roofline, {name} {where}", value, "ratio", note="of a layer")
    for name, group in (
        ("all architectures", models),
        ("layer shapes", [each for each in models if each.layers == QWEN.layers]),
    ):
        # Spearman's correlation is that of the ranks.
        ranks = rankdata([[each.roofline_us for each in group], [each.simulated_us for each in group]], axis=1)
        rank = np.corrcoef(ranks)[0, 1]
        yield _row(f"rank correlation, {name} {where}", float(rank), "ratio", note="Spearman, roofline and simulation")
    for size in SIZES:
        choice = regret(models, size, WITHIN)
        at = f"about {size / 1e6:.0f} M parameters {where}"
        note = f"{choice.chosen.label} instead of {choice.best.label}; of {choice.of}"
        yield _row(f"regret, {at}", choice.share, "ratio", note=note)
    yield from _at_latency(models, where)
    for each in front(models):
        loss = expected_loss(each.parameters, TOKENS)
        note = f"{each.simulated_us:.1f} us"
        yield _row(f"expected loss on the front, {each.label} {where}", loss, "nats", note=note, source=CHINCHILLA)


def _at_latency(models: Sequence[Candidate], where: str) -> Iterator[Row]:
    """What a model with the latency of Qwen2.5-0.5B would bring, chosen by simulation and by the roofline."""
    (base,) = (each for each in models if each.shape == _BASE_SHAPE and each.layers == QWEN.layers)
    yield _row(f"latency of Qwen2.5-0.5B {where}", base.simulated_us, "us", note="layers, launches and LM head")
    yield _row(f"roofline of Qwen2.5-0.5B {where}", base.roofline_us, "us", note="layers and LM head")
    yield _row(
        f"expected loss of Qwen2.5-0.5B {where}", expected_loss(base.parameters, TOKENS), "nats", source=CHINCHILLA
    )
    for way, chosen in (
        ("simulation", largest(models, base.simulated_us)),
        ("roofline", largest(models, base.roofline_us, by_roofline=True)),
    ):
        note = f"{chosen.label}; chosen by {way}"
        at = f"at the latency of Qwen2.5-0.5B, by {way} {where}"
        yield _row(
            f"parameters at the latency of Qwen2.5-0.5B, by {way} {where}", chosen.parameters, "count", note=note
        )
        yield _row(
            f"latency over that of Qwen2.5-0.5B, by {way} {where}",
            chosen.simulated_us / base.simulated_us,
            "ratio",
            note=note,
        )
        saved = perplexity_saved(chosen.parameters, base.parameters)
        yield _row(f"perplexity saved {at}", saved, "ratio", note=note, source=CHINCHILLA)
