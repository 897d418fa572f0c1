"""A decode step of a state-space block against one with attention, of the same width, by context; and hybrids.

Mamba-2 130M against GPT-2 with 12 heads: both 768 wide, about as many parameters in 24 blocks without a feed-forward
network and in 12 blocks with one.  Every point is compiled and simulated, up to 65,536 positions.  A step of the
state-space block reads and writes a state of fixed size, so one simulation has all contexts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from math import prod
from pathlib import Path
from typing import Any

from sttest.boards.load import load_board, require_hbm
from sttest.compile.compiler import choose_lanes, compile_text
from sttest.compile.options import CompileOptions
from sttest.core.processes import run_all
from sttest.core.results import Kind, ResultFolder, Row
from sttest.models.config import DecoderConfig
from sttest.models.parameters import block_parameters, weight_shapes
from sttest.models.quant.scheme import load_scheme
from sttest.models.registry import get_config
from sttest.sim import Simulation, simulate
from sttest.sim.critical_path import critical_path
from sttest.studies.lines import print_lines
from sttest.studies.steps import step_counter
from sttest.studies.whatif.bounds import moved_bytes
from sttest.studies.whatif.points import block_text

__depends__ = ("sttest_systems/state_space/*.py",)  # the family

STATE, ATTENTION, BOARD = "mamba2", "gpt2-small", "u55c"
CONTEXTS = (256, 1024, 4096, 16384, 57344, 65536)
OPTIONS: Mapping[str, Any] = {"precision": "w4a8", "share": "weights", "gemv_lanes": 1024}
ONE_PASS: Mapping[str, Any] = {"attention": "one-pass", "attention_chunk": 64}
ONE_PASS_FROM = 4096
"""Positions from which on attention in one pass is faster, and needs no buffer for a row of scores."""
STATE_OPTIONS: Mapping[str, Any] = {**OPTIONS, "tiles": ("mixer_ssm_3:1x32x16",), "orders": ("mixer_ssm_3:0,1,2",)}
"""The readout takes the state in the order of its update, so that both have it from one DMA."""
STATE_LANES = {"as products need": 0, "32": 32}
"""Lanes of the update and of the readout of the state: those that the pace of products gives them, or more."""
STATE_TASKS = ("mixer_ssm_2:", "mixer_ssm_3:")
HYBRIDS = (2, 4, 8)
SOURCE = "SSM and hybrid characterization (arXiv 2507.12442), abstract: consumer and embedded GPUs"
PUBLISHED = (
    ("state-space model over Transformer at 57K tokens, most", 4.0, "ratio", "up to; time to first token"),
    ("Transformer over state-space model at short context, most", 1.8, "ratio", "up to; 1.9 in a later version"),
    ("share of latency in SSM kernels, edge", 0.55, "ratio", "over"),
)


@dataclass(frozen=True)
class Point:
    """A simulated step."""

    cycles: int
    moved_bytes: int
    ssm_share: float  # share of the cycles on the critical path in the recurrence and the convolutions


def config_of(model: str) -> DecoderConfig:
    """The model with room for every context; positions are embedded before its blocks."""
    return replace(get_config(model), max_context=2 * max(CONTEXTS))


def run_point(key: Mapping[str, Any]) -> Point:
    """Compiles and simulates a block; ``lanes`` are those of the tasks of its state, 0 those that are chosen."""
    text = block_text(config_of(key["model"]), "decode", 1, key["context"])
    options = CompileOptions(**key["options"])
    if key["lanes"]:
        chosen = choose_lanes(text, options)
        wide = (
            f"{each.rpartition(':')[0]}:{key['lanes']}" if each.startswith(STATE_TASKS) else each for each in chosen
        )
        options = options.with_(lanes=tuple(wide))
    design = compile_text(text, key["model"], BOARD, options)
    run = simulate(design.graph, key["engine"], record=True)
    if run.cycles is None:
        raise AssertionError(f"{key}: the design deadlocks")
    return Point(run.cycles, moved_bytes(design.graph), _ssm_share(run))


def _ssm_share(run: Simulation) -> float:
    """Share of the critical path in the recurrence, the convolutions, and DMAs of their states."""
    assert run.graph is not None
    origin = {process.name: process.origin for process in run.graph.processes}
    inside = sum(
        segment.cycles
        for segment in critical_path(run)
        if origin[segment.process].startswith(("mixer.ssm", "mixer.conv")) or "ssm" in segment.process
    )
    return inside / run.cycles if run.cycles else 0.0


def state_bytes(config: DecoderConfig) -> int:
    """Bytes that a step reads and writes of its state in float32: all of it, and of convolutions the newest alone."""
    inner, shared = config.heads * config.head_dim, config.kv_heads * config.state
    return 4 * (2 * inner * config.state + config.conv_kernel * (inner + 2 * shared))


def matrix_bytes(config: DecoderConfig) -> int:
    """Bytes of a block's matrices, int4 and a scale of two bytes per group of rows."""
    scheme = load_scheme("w4a8")
    shapes = weight_shapes(config).values()
    return sum(prod(shape) // 2 + 2 * shape[0] // scheme.rows_per_scale(shape[0]) * shape[1] for shape in shapes)


def entry_bytes(config: DecoderConfig) -> int:
    """Bytes per position in the context: keys and values, int8 under a scale per head, and the mask of every head."""
    return 2 * config.kv_heads * (config.head_dim + 2) + 4 * config.heads


def reproduce(out: Path, *, engine: str = "maxplus", jobs: int = 2) -> list[Row]:
    """Prints the table and writes ``out``."""
    state: dict[str, Any] = {"model": STATE, "context": CONTEXTS[0], "options": dict(STATE_OPTIONS), "engine": engine}
    work: dict[tuple[str, str], dict[str, Any]] = {
        (STATE, name): {**state, "lanes": lanes} for name, lanes in STATE_LANES.items()
    }
    for context in CONTEXTS:
        options = {**OPTIONS, **(ONE_PASS if context >= ONE_PASS_FROM else {})}
        work[ATTENTION, str(context)] = {
            "model": ATTENTION,
            "context": context,
            "options": options,
            "lanes": 0,
            "engine": engine,
        }
    say, found = step_counter(len(work)), {}
    for key, point in run_all(run_point, work, jobs, "state space"):
        found[key] = point
        say(f"simulated {key[0]}, {key[1]}")
    found = {key: found[key] for key in work}
    rows = [*_points(found, engine), *_compared(found)]
    print_lines(rows, "State space", model="model")
    config = {
        "contexts": CONTEXTS,
        "options": dict(OPTIONS),
        "state": dict(STATE_OPTIONS),
        "one_pass": dict(ONE_PASS),
        "lanes": STATE_LANES,
    }
    with ResultFolder(out, made_by=__name__, config=config) as folder:
        folder.add(*rows)
        for metric, value, unit, note in PUBLISHED:
            folder.add(Row("state-space", metric, value, unit, "published", board="gpu", source=SOURCE, note=note))
    return rows


def _row(model: str, metric: str, value: float | None, unit: str, kind: Kind = "derived", note: str = "") -> Row:
    return Row("state-space", metric, value, unit, kind, model, BOARD, "decode", note=note)


def _points(found: Mapping[tuple[str, str], Point], engine: str) -> Iterator[Row]:
    for (model, name), point in found.items():
        where = f"[state lanes {name}]" if model == STATE else f"[context {name}]"
        yield replace(_row(model, f"cycles per block {where}", point.cycles, "cycles", "simulated"), engine=engine)
        yield _row(model, f"bytes moved per block {where}", point.moved_bytes, "bytes", "simulated")
        if model == STATE:
            note = "of the critical path; recurrence, convolutions, DMAs of their states"
            yield _row(model, f"share of latency in SSM kernels {where}", point.ssm_share, "ratio", "simulated", note)
    for model in (STATE, ATTENTION):
        config = get_config(model)
        yield _row(model, "parameters of all blocks", config.layers * block_parameters(config), "count")
    yield _row(
        STATE, "bytes of the state, read and written", state_bytes(get_config(STATE)), "bytes", note="closed form"
    )
    yield _row(ATTENTION, "bytes per position", entry_bytes(get_config(ATTENTION)), "bytes", note="closed form")


def _us(model: str, cycles: float) -> float:
    """A block's launch in a queue."""
    board = require_hbm(load_board(BOARD))
    return cycles / board.clock_mhz.value + board.launch.queued_us.value


def _compared(found: Mapping[tuple[str, str], Point]) -> Iterator[Row]:
    attention = {context: _us(ATTENTION, found[ATTENTION, str(context)].cycles) for context in CONTEXTS}
    layers = {model: get_config(model).layers for model in (STATE, ATTENTION)}
    for name in STATE_LANES:
        step = _us(STATE, found[STATE, name].cycles)
        where = f"[state lanes {name}]"
        note = "each block a launch in a queue; embedding, head and host left out"
        for scope, share in (("block", 1.0), ("model", layers[STATE] / layers[ATTENTION])):
            for context in CONTEXTS:
                ratio = attention[context] / (share * step)
                metric = f"{scope}, context {context} {where}"
                yield _row(STATE, f"attention over state space, {metric}", ratio, "ratio", note=note)
                yield _row(STATE, f"state space over attention, {metric}", 1 / ratio, "ratio", note=note)
            meets = crossing(attention, share * step)
            told = "linear between simulated contexts" if meets else "none among the simulated contexts"
            yield _row(STATE, f"crossover, {scope} {where}", meets, "tokens", note=told)
        for every in HYBRIDS:
            for context in CONTEXTS:
                mean = ((every - 1) * step + attention[context]) / every
                metric = f"mean block of a hybrid, one with attention in {every}, context {context} {where}"
                yield _row(STATE, metric, mean, "us", note=note)
    # Bytes alone, a model of each: where a wider or a cheaper memory port would not help.
    state, other = found[STATE, "32"].moved_bytes, found[ATTENTION, str(CONTEXTS[0])].moved_bytes
    entry = entry_bytes(get_config(ATTENTION))
    for scope, share in (("block", 1.0), ("model", layers[STATE] / layers[ATTENTION])):
        tokens = CONTEXTS[0] + (share * state - other) / entry
        yield _row(STATE, f"crossover of bytes, {scope}", tokens, "tokens", note="closed form of bytes per position")


def crossing(attention: Mapping[int, float], step: float) -> float | None:
    """The context from which on a step of attention takes longer; 0 where it always does, None where it never does."""
    if attention[CONTEXTS[0]] >= step:
        return 0.0
    for before, after in pairwise(CONTEXTS):
        low, high = attention[before], attention[after]
        if low < step <= high:
            return before + (after - before) * (step - low) / (high - low)
    return None
