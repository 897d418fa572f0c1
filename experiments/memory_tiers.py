"""A U280 with data in its HBM, its DDR, the host and the host's flash: steps, switches, windows and caches of experts.

Designs have one unit for the feed-forward network and one for everything else that is alike, so that the weights of
each come through ports of their own.  They have lanes enough for compute not to bind, more than a U280 has room for.
Every time is simulated under the burst law: layers as designs, copies as load and store units, windows as the actors
of both.  Left out: the LM head, the host, and that a copy and a layer share the HBM (3.5 GB/s of it, or 11, beside
422).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from experiments.drawing import write_figure
from experiments.experts import expert_size, memories
from experiments.published import DATA_DIR
from sttest.boards.board import FpgaBoard
from sttest.boards.load import load_board, require_hbm
from sttest.compile.compiler import compile_text
from sttest.compile.options import CompileOptions
from sttest.core.processes import run_all
from sttest.core.results import ResultFolder, Row
from sttest.models.config import DecoderConfig
from sttest.models.config_file import read_config
from sttest.models.registry import get_config
from sttest.sim import simulate
from sttest.sim.bursts import memory_and_number
from sttest.sim.graph import MemoryPort, TimedGraph
from sttest.studies.experts.cache import run_cache, step_times
from sttest.studies.experts.routing import drawn_routing
from sttest.studies.lines import Line, print_lines, rows_of
from sttest.studies.tier_copy import copy_into_hbm
from sttest.studies.weight_window import token_cycles
from sttest.studies.whatif.bounds import bounds
from sttest.studies.workload import WorkloadShape, model_text

__depends__ = ("experiments/data/llama-2-70b/",)

BOARD, CONTEXT = "u280", 256
OPTIONS = {
    "precision": "w4a8",
    "share": "all",
    "own_units": ("mlp*",),
    "gemv_lanes": 4096,
    "overall_unroll": 2048,
    "vector_bits": 512,
}
PLACEMENTS: dict[str, tuple[str, ...]] = {
    "all in HBM": (),
    "keys and values in DDR": ("?_cache*:ddr",),
    "FFN in DDR": ("mlp*:ddr",),
    "all weights in DDR": ("*.weight*:ddr",),
}
SEVENTY = "llama-2-70b"
PLACED = ("llama", SEVENTY)
SWITCHED = ("llama", "llama-3.2-1b", "llama-2-7b", "llama-3.1-8b")
WINDOWED = ("llama-2-7b", SEVENTY)
LOWER = ("ddr", "host", "flash")
CHUNKS = (4096, 8192, 32768, 131072)
CHUNKED_BYTES = 64 * 2**20
_ROUTED = get_config("qwen3-30b-a3b")
EXPERTS, CHOSEN, EXPERT_LAYERS = _ROUTED.experts, _ROUTED.experts_per_token, _ROUTED.layers
EXPERT_BYTES = expert_size(_ROUTED)
CAPACITIES = (8, 16, 32, 64, 96)
LOCALITIES: dict[str, dict[str, float]] = {
    "alike": {},
    "popular": {"popularity": 0.8},
    "again": {"again": 0.4},
    "popular and again": {"popularity": 0.8, "again": 0.4},
}
POLICIES = ("lru", "lfu", "static", "belady")
TOKENS, SEED, FILLING, BATCH = 600, 1, 100, 16
_MODEL_SWITCH = (
    "SambaNova SN40L (arXiv 2405.07518), abstract: switching time against DGX nodes, whose models come from the host"
)
_CAMBRICON = "Cambricon-LLM (MICRO 2024, arXiv 2409.15654), abstract: products inside of the flash chip"
_FLASH = "LLM in a flash (ACL 2024, arXiv 2312.11514), abstract: against naive loading; reads active neurons only"
PUBLISHED: tuple[tuple[str, float, str, str, str], ...] = (
    ("model switch against a host link, least", 15, "ratio", "sn40l", _MODEL_SWITCH),
    ("model switch against a host link, most", 31, "ratio", "sn40l", _MODEL_SWITCH),
    ("speed at 70 billion parameters", 3.44, "tokens/s", "cambricon-llm", _CAMBRICON),
    ("speed at 7 billion parameters", 36.34, "tokens/s", "cambricon-llm", _CAMBRICON),
    ("speed-up on a CPU, most", 5, "ratio", "llm-in-a-flash", _FLASH),
    ("speed-up on a GPU, most", 25, "ratio", "llm-in-a-flash", _FLASH),
)


@dataclass(frozen=True)
class Layer:
    """One decode layer of a design."""

    cycles: int
    memory_us: float  # its roofline: bytes over what their memory sustains, of the slower memory
    weight_bytes: int
    kept_bytes: dict[str, int]  # bytes that each memory keeps, of weights and caches


@cache
def card() -> FpgaBoard:
    """The board."""
    return require_hbm(load_board(BOARD))


def config_of(model: str) -> DecoderConfig:
    """A model by name, or the configuration beside this experiment."""
    return read_config(DATA_DIR / model) if model == SEVENTY else get_config(model)


def run_layer(key: Mapping[str, Any]) -> Layer:
    """Compiles and simulates a layer.

    Args:
        key: ``model``, ``placement`` and ``engine``.
    """
    text = model_text(config_of(key["model"]), WorkloadShape("decode", 1, CONTEXT))
    options = CompileOptions(tiers=PLACEMENTS[key["placement"]], **OPTIONS)
    design = compile_text(text, f"{key['model']}-layer", card(), options)
    cycles = simulate(design.graph, key["engine"]).cycles
    if cycles is None:
        raise AssertionError(f"{key}: the design deadlocks")
    weights, kept = _kept(design.graph)
    return Layer(cycles, bounds(design, design.graph, card()).memory_us, weights, kept)


def _kept(graph: TimedGraph) -> tuple[int, dict[str, int]]:
    weights, kept = 0, dict[str, int]()
    for port in graph.processes:
        if not isinstance(port, MemoryPort) or not ("weight" in port.origin or "cache" in port.origin):
            continue
        moved, memory = port.tokens * port.token_bytes, memory_and_number(port.channels[0])[0]
        weights += moved if "weight" in port.origin else 0
        kept[memory] = kept.get(memory, 0) + moved
    return weights, kept


def reproduce(out: Path, *, engine: str = "maxplus", jobs: int = 2) -> list[Line]:
    """Prints the table and writes ``out``."""
    wanted = {(model, "all in HBM") for model in (*SWITCHED, *WINDOWED)}
    wanted |= {(model, placement) for model in PLACED for placement in PLACEMENTS}
    work = {each: {"model": each[0], "placement": each[1], "engine": engine} for each in sorted(wanted)}
    layers = dict(run_all(run_layer, work, jobs, "memory-tiers"))
    lines = [*placed(layers), *switches(layers, engine), *windows(layers, engine), *chunks(engine), *caches(engine)]
    print_lines(lines, "Memory tiers of a U280", model="model")
    config = {
        "options": OPTIONS,
        "context": CONTEXT,
        "placements": PLACEMENTS,
        "tokens": TOKENS,
        "localities": LOCALITIES,
        "expert_bytes": EXPERT_BYTES,
    }
    with ResultFolder(out, made_by=__name__, config=config, seed=SEED) as folder:
        folder.facts["memories"] = memories(card())
        folder.add(*rows_of(lines, "memory-tiers", engine, board=BOARD, phase="decode"))
        for metric, value, unit, system, source in PUBLISHED:
            folder.add(Row("memory-tiers", metric, value, unit, "published", board=system, source=source))
        write_figure(folder)
    return lines


# --- A step with its data in one memory or another


def _layer_us(layer: Layer) -> float:
    """One layer, launches in a queue."""
    return layer.cycles / card().clock_mhz.value + card().launch.queued_us.value


def placed(layers: Mapping[tuple[str, str], Layer]) -> Iterator[Line]:
    """Decode steps by where weights and caches are; without a speed where a memory has no room for all layers."""
    for model in PLACED:
        count = config_of(model).layers
        for placement in PLACEMENTS:
            layer = layers[model, placement]
            full = [
                f"{size * count / 1e9:.1f} GB of {card().tier(memory).size_bytes / 1e9:.1f} GB of {memory}"
                for memory, size in layer.kept_bytes.items()
                if size * count > card().tier(memory).size_bytes
            ]
            speed, roofline = 1e6 / (count * _layer_us(layer)), 1e6 / (count * layer.memory_us)
            note = f"no room: {', '.join(full)}" if full else "launches in a queue; LM head and host left out"
            where = f"[{placement}]"
            yield Line(f"layer {where}", layer.cycles, "cycles", model=model)
            yield Line(f"speed {where}", None if full else speed, "tokens/s", note=note, model=model)
            yield Line(f"roofline {where}", roofline, "tokens/s", "derived", "of the slower memory", model)
            yield Line(f"share of the roofline {where}", speed / roofline, "ratio", "derived", model=model)


# --- Another model into the HBM


def switches(layers: Mapping[tuple[str, str], Layer], engine: str) -> Iterator[Line]:
    """Copies of all weights of all layers, and how much longer they take than from the DDR."""
    for model in SWITCHED:
        size = layers[model, "all in HBM"].weight_bytes * config_of(model).layers
        seconds = {source: copy_into_hbm(card(), source, size, engine).seconds for source in LOWER}
        yield Line("weights of all layers", size, "bytes", "derived", "int4 and scales; no LM head", model)
        for source, taken in seconds.items():
            yield Line(f"switch from {source}", taken, "s", model=model)
            if source != "ddr":
                ratio = taken / seconds["ddr"]
                yield Line(f"switch from {source} over ddr", ratio, "ratio", "derived", model=model)


# --- Weights in flash, or with the host, through a window


def windows(layers: Mapping[tuple[str, str], Layer], engine: str) -> Iterator[Line]:
    """Steps of models of which some layers stay in the HBM and the others come for every token, through two places."""
    clock_mhz = card().clock_mhz.value
    for model in WINDOWED:
        layer, count = layers[model, "all in HBM"], config_of(model).layers
        caches = sum(layer.kept_bytes.values()) - layer.weight_bytes
        room = int((card().hbm.size_bytes - count * caches) // layer.weight_bytes) - 2
        for name, stay in (("no layer stays", 0), ("half of the layers stay", count // 2), ("HBM full", room)):
            if not 0 <= stay < count or (stay > room):
                continue
            for source in ("host", "flash"):
                load = copy_into_hbm(card(), source, layer.weight_bytes, engine).cycles
                cycles = token_cycles(count, count - stay, round(_layer_us(layer) * clock_mhz), load)
                note = f"{stay} of {count} layers in HBM, two places for the others; LM head and host left out"
                where = f"[weights in {source}, {name}]"
                yield Line(f"speed {where}", clock_mhz * 1e6 / cycles, "tokens/s", note=note, model=model)


def chunks(engine: str) -> Iterator[Line]:
    """What flash gives where so many bytes lie together: the reason to bundle rows and columns."""
    for chunk in CHUNKS:
        found = copy_into_hbm(card(), "flash", CHUNKED_BYTES, engine, chunk_bytes=chunk)
        yield Line(f"flash [chunks of {chunk:,} bytes]", found.gb_per_s, "GB/s")


# --- Experts in HBM over DDR


def caches(engine: str) -> Iterator[Line]:
    """Hit rates, missing experts and what bringing them in takes, over capacity and locality of drawn traces."""
    cycles = {
        source: {0: 0}
        | {count: copy_into_hbm(card(), source, count * EXPERT_BYTES, engine).cycles for count in range(1, CHOSEN + 1)}
        for source in LOWER
    }
    drawn = "drawn with a seed"
    for name, locality in LOCALITIES.items():
        routing = drawn_routing(TOKENS, EXPERT_LAYERS, EXPERTS, CHOSEN, seed=SEED, **locality)
        busiest = float(routing.imbalance(BATCH).mean())
        note = f"{drawn}; tokens of the busiest expert over the mean, batches of {BATCH}"
        yield Line(f"load imbalance [{name}]", busiest, "ratio", note=note)
        for capacity in CAPACITIES:
            share, where = routing.covered(BATCH, capacity), f"[{name}, group of {capacity}]"
            note = f"{drawn}; segments of {BATCH} tokens, each with the group that is best for it"
            yield Line(f"choices covered by a group {where}", share, "ratio", "derived", note)
            for policy in POLICIES:
                run = run_cache(routing, capacity, policy).after(FILLING)
                where = f"[{name}, room for {capacity}, {policy}]"
                yield Line(f"hit rate {where}", run.hit_rate, "ratio", note=drawn)
                if policy != "lru":
                    continue
                for count, share in enumerate(run.miss_distribution()):
                    yield Line(f"layers with {count} missing {where}", share, "ratio", note=drawn)
                for source in LOWER:
                    times, note = step_times(run, cycles[source]), f"{drawn}; copies only, nothing overlaps"
                    for label, value in (("mean", times.mean), ("p99", times.percentile(99))):
                        ms, metric = value / card().clock_mhz.value / 1e3, f"waiting per token from {source}, {label}"
                        yield Line(f"{metric} {where}", ms, "ms", note=note)
