"""Blocks of experts at full size: a decode step of Qwen3-30B-A3B and of Mixtral-8x7B, and experts in HBM over DDR.

A step reads the experts that its router chose; which ones they are does not change its time as long as they are in the
HBM.  On a U280, whose HBM does not hold all of them, those that are missing are copied from the DDR when the layer has
chosen; the layer goes on when the last is there.  How often that happens is drawn (seeded traces, no model).
Operations per byte are counted in the design: two per multiplication, over what its DMAs move.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

from sttest.boards.board import FpgaBoard
from sttest.boards.load import load_board, require_hbm
from sttest.compile.compiler import CompiledDesign, compile_text
from sttest.compile.options import CompileOptions
from sttest.compile.reference_graph import value_graph
from sttest.core.processes import run_all
from sttest.core.results import ResultFolder, Row
from sttest.models.config import DecoderConfig
from sttest.models.experts_family import expert_parameters
from sttest.models.parameters import block_parameters
from sttest.models.registry import get_config
from sttest.reference.graph import BITS
from sttest.sim import simulate
from sttest.sim.graph import MemoryPort
from sttest.studies.experts.cache import run_cache, step_times
from sttest.studies.experts.layer_times import layer_cycles
from sttest.studies.experts.routing import drawn_routing
from sttest.studies.lines import Line, print_lines, rows_of
from sttest.studies.steps import step_counter
from sttest.studies.tier_copy import copy_into_hbm
from sttest.studies.whatif.bounds import bounds
from sttest.studies.workload import WorkloadShape, model_text

MODELS, CONTEXT = ("qwen3-30b-a3b", "mixtral-8x7b"), 1024
OPTIONS = {"precision": "w4a8", "share": "weights", "gemv_lanes": 4096}
BOARDS = ("u55c", "u280")
CACHED, SOURCE = "u280", "ddr"
# The feed-forward network has a port of its own, so that its weights can be in another memory than those of attention.
APART = {**OPTIONS, "own_units": ("mlp*",), "tiers": ("mlp.*weight*:ddr",)}
LOCALITIES: dict[str, dict[str, float]] = {
    "alike": {},
    "popular": {"popularity": 0.8},
    "popular and again": {"popularity": 0.8, "again": 0.4},
}
TOKENS, FILLING, SEED = 400, 100, 1
DUPLEX = "Duplex (MICRO 2024, arXiv 2409.01141), abstract: 16-bit weights and caches"
PUBLISHED: tuple[tuple[str, float, str, str], ...] = (
    ("operations per byte of experts, least", 1, "ops/byte", DUPLEX),
    ("operations per byte of grouped-query attention, least", 4, "ops/byte", DUPLEX),
    ("operations per byte of grouped-query attention, most", 8, "ops/byte", DUPLEX),
)


@dataclass(frozen=True)
class Layer:
    """One decode layer."""

    cycles: int
    memory_us: float  # roofline: bytes over what the slower memory sustains
    moved_bytes: int
    cache_bytes: int
    expert_ops: int  # two per multiplication with an expert's weight
    expert_bytes: int
    attention_ops: int
    attention_bytes: int  # keys, values and their scales
    missing: Mapping[int, int]  # cycles by the number of experts that come from the lower memory first


@cache
def card(name: str) -> FpgaBoard:
    """A board."""
    return require_hbm(load_board(name))


def memories(board: FpgaBoard) -> dict[str, dict[str, float]]:
    """What copies rest on, by memory, for the manifest of their results: channels, GB/s of one, ns of an access."""
    tiers = [board.tier(name) for name in board.memory.tiers]
    return {
        tier.name: {
            "channels": tier.channels,
            "gb_per_s_per_channel": tier.gb_per_s_per_channel,
            "read_ns": tier.latency_ns,
            "response_ns": tier.response_ns,
        }
        for tier in tiers
    }


def expert_size(config: DecoderConfig) -> int:
    """Bytes of an expert of a layer in w4a8: int4, and two bytes of scale for every 128 weights."""
    return expert_parameters(config) // 2 + expert_parameters(config) // 64


def run_layer(key: Mapping[str, Any]) -> Layer:
    """Compiles and simulates a layer.

    Args:
        key: ``model``, ``board``, ``options``, ``engine``, and ``missing``, whether to simulate missing experts.
    """
    config, board = get_config(key["model"]), card(key["board"])
    text = model_text(config, WorkloadShape("decode", 1, CONTEXT))
    design = compile_text(text, f"{config.name}-layer", board, CompileOptions(**key["options"]))
    cycles = simulate(design.graph, key["engine"]).cycles
    if cycles is None:
        raise AssertionError(f"{key}: the design deadlocks")
    missing = (
        layer_cycles(
            design.graph, board, SOURCE, expert_size(config), range(config.experts_per_token + 1), key["engine"]
        )
        if key["missing"]
        else {}
    )
    ports = [port for port in design.graph.processes if isinstance(port, MemoryPort)]
    memory_us = bounds(design, design.graph, board).memory_us
    return Layer(cycles, memory_us, sum(port.tokens * port.token_bytes for port in ports), *_counted(design), missing)


def _counted(design: CompiledDesign) -> tuple[int, int, int, int, int]:
    """Bytes of the caches; operations and bytes of experts, then of attention."""
    graph = value_graph(design.module, design.name)
    streamed = {"cache": 0, "expert": 0}
    for load in graph.loads:
        stream = graph.stream[load.sink]
        kind = "cache" if "cache" in load.argument else "expert" if load.parts is not None else ""
        if kind:
            streamed[kind] += stream.tokens * prod(stream.element) * BITS[stream.dtype] // 8
    ops = {"expert": 0, "attention": 0}
    for task in graph.tasks:
        if not task.reductions or not any(op.op in ("arith.muli", "arith.mulf") for op in task.payload.ops):
            continue
        points = 2 * prod(trip * size for trip, size in zip(task.trips, task.tile, strict=True))
        if task.origin in ("mlp.gate_proj", "mlp.up_proj", "mlp.down_proj") and len(task.sources) == 2:
            ops["expert"] += points if _sums_integers(task.payload.arguments) else 0
        elif task.origin in ("attn.scores", "attn.mix"):
            ops["attention"] += points if _sums_integers(task.payload.arguments) else 0
    return streamed["cache"], ops["expert"], streamed["expert"], ops["attention"], streamed["cache"]


def _sums_integers(types: Sequence[str]) -> bool:
    """Whether a task multiplies integers, as products with weights and caches do in w4a8."""
    return types[0].startswith("i") and types[1].startswith("i")


def reproduce(out: Path, *, engine: str = "maxplus", jobs: int = 2) -> list[Line]:
    """Prints the table and writes ``out``."""
    places: dict[str, Mapping[str, Any]] = {"experts in HBM": OPTIONS, "experts in DDR": APART}
    work = {
        (model, board, place): {
            "model": model,
            "board": board,
            "options": options,
            "engine": engine,
            "missing": board == CACHED and place == "experts in HBM",
        }
        for model in MODELS
        for board in BOARDS
        for place, options in places.items()
        if board == CACHED or place == "experts in HBM"
    }
    say, layers = step_counter(len(work)), {}
    for key, layer in run_all(run_layer, work, jobs, "experts"):
        layers[key] = layer
        say(f"simulated {key[0]} on {key[1]}, {key[2]}")
    lines = [line for key in work for line in _of_layer(key, layers[key])]
    lines += [line for model in MODELS for line in _of_cache(model, layers[model, CACHED, "experts in HBM"], engine)]
    print_lines(lines, "Experts", model="model", board="board")
    config = {"options": OPTIONS, "apart": APART, "context": CONTEXT, "localities": LOCALITIES, "tokens": TOKENS}
    with ResultFolder(out, made_by=__name__, config=config, seed=SEED) as folder:
        folder.facts["memories"] = memories(card(CACHED))
        folder.add(*rows_of(lines, "experts", engine, phase="decode"))
        for metric, value, unit, source in PUBLISHED:
            folder.add(Row("experts", metric, value, unit, "published", board="duplex", source=source))
    return lines


def _step_us(board: str, layers: int, cycles: float) -> float:
    """All layers, each a launch in a queue; LM head and host left out."""
    return layers * (cycles / card(board).clock_mhz.value + card(board).launch.queued_us.value)


def _of_layer(key: tuple[str, str, str], layer: Layer) -> Iterator[Line]:
    model, board, place = key
    config, where = get_config(model), f"[{place}]"
    yield Line(f"layer {where}", layer.cycles, "cycles", model=model, board=board)
    busy_us = layer.cycles / card(board).clock_mhz.value
    yield Line(
        f"share of the roofline {where}", layer.memory_us / busy_us, "ratio", "derived", model=model, board=board
    )
    yield Line(f"bytes moved per layer {where}", layer.moved_bytes, "bytes", model=model, board=board)
    note = "launches in a queue; LM head and host left out"
    held = config.layers * (block_parameters(config) * (1 / 2 + 1 / 64) + layer.cache_bytes)
    if place == "experts in HBM" and held > card(board).hbm.size_bytes:
        note += f"; {held / 1e9:.1f} GB do not fit into {card(board).hbm.size_bytes / 1e9:.1f} GB"
    yield Line(
        f"speed {where}",
        1e6 / _step_us(board, config.layers, layer.cycles),
        "tokens/s",
        note=note,
        model=model,
        board=board,
    )
    if (board, place) != (BOARDS[0], "experts in HBM"):
        return
    yield Line(
        "weights and caches of all layers", held, "bytes", "derived", "int4 and scales; no LM head", model, board=board
    )
    counted = "int4 weights and int8 caches, with scales"
    for part, ops, size in (
        ("experts", layer.expert_ops, layer.expert_bytes),
        ("grouped-query attention", layer.attention_ops, layer.attention_bytes),
    ):
        yield Line(f"operations per byte of {part}", ops / size, "ops/byte", "derived", counted, model, board=board)
    for part, ops, size in (
        ("experts", layer.expert_ops, config.experts_per_token * expert_parameters(config)),
        ("grouped-query attention", layer.attention_ops, 2 * config.kv_heads * config.head_dim * CONTEXT),
    ):
        metric = f"operations per byte of {part}, if 16 bits each"
        yield Line(metric, ops / (2 * size), "ops/byte", "derived", "the same operations", model, board=board)


def _of_cache(model: str, layer: Layer, engine: str) -> Iterator[Line]:
    config, size = get_config(model), expert_size(get_config(model))
    switch = copy_into_hbm(card(CACHED), SOURCE, size, engine)
    yield Line("expert switch from ddr", 1e6 * switch.seconds, "us", note=f"{size:,} bytes", model=model, board=CACHED)
    host = copy_into_hbm(card(CACHED), "host", size, engine).seconds
    yield Line("expert switch from host", 1e6 * host, "us", note=f"{size:,} bytes", model=model, board=CACHED)
    for count, cycles in layer.missing.items():
        yield Line(f"layer with {count} experts missing", cycles, "cycles", model=model, board=CACHED)
    around = config.layers * (layer.moved_bytes - layer.expert_bytes)
    room = int((card(CACHED).hbm.size_bytes - around) // (config.layers * size))
    yield Line("experts of a layer that the HBM has room for", room, "experts", "derived", model=model, board=CACHED)
    capacities = sorted({config.experts_per_token, 2 * config.experts_per_token, room} - {0})
    for name, locality in LOCALITIES.items():
        routing = drawn_routing(TOKENS, config.layers, config.experts, config.experts_per_token, seed=SEED, **locality)
        for capacity in (each for each in capacities if config.experts_per_token <= each <= room):
            run = run_cache(routing, capacity).after(FILLING)
            where, times = f"[{name}, room for {capacity}]", step_times(run, layer.missing)
            launches_us = config.layers * card(CACHED).launch.queued_us.value
            mean_us, late_us = (
                each / card(CACHED).clock_mhz.value + launches_us for each in (times.mean, times.percentile(99))
            )
            yield Line(
                f"hit rate {where}", run.hit_rate, "ratio", note="drawn with a seed; LRU", model=model, board=CACHED
            )
            yield Line(
                f"speed {where}", 1e6 / mean_us, "tokens/s", note="drawn with a seed; LRU", model=model, board=CACHED
            )
            yield Line(
                f"time per token, p99 {where}", late_us / 1e3, "ms", note="drawn; LRU", model=model, board=CACHED
            )
