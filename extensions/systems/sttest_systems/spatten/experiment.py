"""Cascade pruning (SpAtten): bytes and cycles of attention, part by part, and the top-k engine's share.

How much of each layer is left, and which heads read keys again, is what the authors' own runs of GPT-2 wrote down; the
scores that the engines search are drawn.  A second part draws queries, keys and values instead, and everything follows
from them.  Attention alone, as in the paper: no other part of a layer, and none beside it.  The same design is put
before a U55C's HBM, which brings more bytes per cycle than it takes, and before the memory of the paper's chip.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import groupby
from pathlib import Path

import numpy as np

from sttest.boards.board import FpgaBoard
from sttest.boards.load import load_board, require_hbm
from sttest.compile.assumptions import DEFAULT_PORT_BITS
from sttest.compile.channels.memory_ports import tier_channels
from sttest.core.errors import ToolMissingError
from sttest.core.files import read_csv
from sttest.core.processes import run_all
from sttest.core.results import ResultFolder, Row
from sttest.models.registry import get_config
from sttest.sim import Channel, simulate
from sttest.sim.sizing import simulate_many
from sttest.studies.lines import Line, print_lines, rows_of
from sttest.studies.steps import step_counter
from sttest.targets.synth.yosys import SynthesisJob, Synthesized, synthesize
from sttest_systems.spatten.attention_graph import (
    EXP_CYCLES,
    Depths,
    Unit,
    any_trace_depths,
    attention_graph,
    full_rate_depths,
)
from sttest_systems.spatten.top_k import TopKFormat, select
from sttest_systems.spatten.top_k_rtl import top_k
from sttest_systems.spatten.values import Rules, attended_step, drawn_caches
from sttest_systems.spatten.work import (
    IMPORTANCE_BITS,
    LayerCounts,
    LayerWork,
    Widths,
    bytes_read,
    dense_step,
    drawn_step,
    probabilities,
)

__depends__ = ("sttest_systems/spatten/schedules.csv",)

BOARD, PAPER, SEED, DIM = "u55c", "spatten", 1, 64
MEMORIES = (BOARD, PAPER)
PROMPT, STEPS = 993, 32
"""Tokens in the cache at the first step, and steps: the authors' workloads of GPT-2."""
DEVIATION = 2.0
"""The deviation of the logits whose softmax the engines search."""
LANES, COMPARATORS = 8, 16
"""Keys and values per cycle, 512 products each for 64 elements, and scores compared per cycle: SpAtten's own sizes."""
SCHEDULES = Path(__file__).with_name("schedules.csv")
WIDTHS = {"gpt2-small": Widths(6, 4, 6), "gpt2": Widths(12, 0, 8)}
"""Bits of keys, of low bits on demand, and of values in the authors' workloads on WikiText-2."""
FULL = Widths(32, 0, 32)
DENSE, SLOW, PRUNED, DENSE_FEW = "all, 32 bits", "pruned, 32 bits, 1 comparator", "pruned, 32 bits", "all, fewer bits"
FEW, DEMAND = "pruned, fewer bits", "pruned, fewer bits, low bits on demand"
VARIANTS = {
    "gpt2-small": (DENSE, SLOW, PRUNED, FEW, DEMAND, DENSE_FEW, f"{DEMAND}, 2 engines"),
    "gpt2": (DENSE, SLOW, PRUNED, FEW, DENSE_FEW, f"{FEW}, 2 engines"),
}
BEST = {"gpt2-small": DEMAND, "gpt2": FEW}
MANY, WIDEST = 8, 64
SWEEP = ((1, 1), (2, 1), (4, 1), (8, 1), (16, 1), (32, 1), (WIDEST, 1), (16, 2), (16, 4), (16, MANY))
"""Comparators of an engine, and engines for values."""
DEVIATIONS = (0.5, 1.0, 2.0, 3.0, 4.0)
THRESHOLD, VALUE_SHARE = 0.05, 0.2
"""The authors' workload of GPT-2 Small: below which probability low bits are read, and values that are kept."""
SYNTHESIZED = (4, 16)
ABSTRACT = "Wang et al., SpAtten, arXiv 2012.09852, abstract"
REVIEW = "Wang et al., SpAtten, HPCA 2021, section V-B, second hand: from a public review of the paper"
PUBLISHED: tuple[tuple[str, float, str, str, str], ...] = (
    ("fewer bytes", 10.0, "ratio", ABSTRACT, "mean of 30 tasks, 22 of them BERT's"),
    ("speed over A3", 1.6, "ratio", ABSTRACT, "an eighth of SpAtten"),
    ("speed over MNNFast", 3.0, "ratio", ABSTRACT, "an eighth of SpAtten"),
    ("speed over a TITAN Xp", 162, "ratio", ABSTRACT, "attention alone"),
    ("speed over a Xeon", 347, "ratio", ABSTRACT, "attention alone"),
    ("fewer tokens and values, GPT-2", 3.8, "ratio", REVIEW, "mean of 8 tasks"),
    ("fewer heads", 1.1, "ratio", REVIEW, "mean of 30 tasks"),
    ("speed that pruning brings without the engine, GPT-2", 1.1, "ratio", REVIEW, "of tokens, and as much of heads"),
    ("speed that the engine brings, GPT-2", 3.0, "ratio", REVIEW, "16 comparators"),
    ("speed that fewer bits bring, GPT-2", 2.8, "ratio", REVIEW, "static and progressive"),
    ("comparators after which there is little gain", 16, "count", REVIEW, ""),
    ("area of the engine over all", 0.027, "ratio", REVIEW, "TSMC 40 nm"),
)


@cache
def board() -> FpgaBoard:
    """The card."""
    return require_hbm(load_board(BOARD))


@cache
def channels(memory: str) -> tuple[Channel, ...]:
    """All channels of a memory: the pseudo-channels of the card's HBM as a kernel sees them, or the paper's.

    Those are 16 of HBM2 at 2 Gb/s, 32 bytes per cycle at 1 GHz (mit-han-lab/spatten: SpAtten.scala,
    ramulator_config.yaml); the latency is assumed.
    """
    if memory == PAPER:
        return tuple(Channel(f"hbm{number}", 60, 32) for number in range(16))
    count = int(board().hbm.pseudo_channels.value)
    return tuple(tier_channels(board().tier("hbm"), board().clock_mhz.value, DEFAULT_PORT_BITS // 8, range(count)))


def unit_of(memory: str, comparators: int = COMPARATORS, engines: int = 1, *, gathers: bool = True) -> Unit:
    """The design before a memory."""
    clock_mhz = 1000.0 if memory == PAPER else board().clock_mhz.value
    return Unit(
        channels(memory), LANES, comparators, engines, DIM, shares=memory == PAPER, gathers=gathers, clock_mhz=clock_mhz
    )


# --- What the authors' runs wrote down


@dataclass(frozen=True)
class Schedule:
    """Steps with the same counts."""

    first: int
    last: int
    layers: tuple[LayerCounts, ...]
    context: int  # tokens in the cache, in the middle step

    @property
    def steps(self) -> int:
        """How many there are."""
        return self.last - self.first + 1


@cache
def schedules(model: str) -> tuple[Schedule, ...]:
    """What is left of each layer, step by step."""
    found = list[Schedule]()
    rows = (row for row in read_csv(SCHEDULES) if row["model"] == model)
    for (first, last), group in groupby(rows, lambda row: (int(row["first_step"]), int(row["last_step"]))):
        context = PROMPT + (first + last) // 2
        layers = [
            LayerCounts(
                int(row["heads"]),
                context if row["keys"] == "all" else int(row["keys"]),
                int(row["values"]),
                int(row["again"]),
            )
            for row in group
        ]
        found.append(Schedule(first, last, tuple(layers), context))
    return tuple(found)


def variant(model: str, schedule: Schedule, name: str, memory: str) -> tuple[list[LayerWork], Unit, Widths]:
    """A step, a design and widths."""
    few, config = WIDTHS[model], get_config(model)
    widths = FULL if "32" in name else few if "demand" in name else Widths(few.key + few.low, 0, few.value)
    if name.startswith("all"):
        step = dense_step(config.layers, config.heads, schedule.context)
        return step, unit_of(memory, gathers=False), widths
    unit = unit_of(memory, 1 if name == SLOW else COMPARATORS, 2 if "engines" in name else 1)
    return drawn_step(schedule.layers, schedule.context, unit.engine_lanes, SEED, DEVIATION), unit, widths


def run_variant(key: tuple[str, str, str, int, str]) -> tuple[int, int]:
    """Simulates a step.

    Args:
        key: model, memory, one of :data:`VARIANTS`, place of the schedule, engine.

    Returns:
        Cycles and bytes.
    """
    model, memory, name, place, engine = key
    step, unit, widths = variant(model, schedules(model)[place], name, memory)
    return cycles_of(step, unit, widths, engine), sum(bytes_read(step, widths, DIM))


def cycles_of(step: Sequence[LayerWork], unit: Unit, widths: Widths, engine: str) -> int:
    """Cycles of a step at the depths that keep the pace."""
    context = max(layer.keys for layer in step)
    cycles = simulate(attention_graph("step", step, unit, widths, full_rate_depths(unit, context)), engine).cycles
    assert cycles is not None, "depths above the bound"
    return cycles


def of_models(found: Mapping[tuple[str, str, str, int, str], tuple[int, int]]) -> Iterator[Line]:
    """Bytes and cycles of all steps of each model before each memory, and what each part brings."""
    note = f"{STEPS} steps from {PROMPT} tokens on; attention alone"
    for model, names in VARIANTS.items():
        weights = [each.steps for each in schedules(model)]
        totals = {
            (memory, name): np.dot(weights, [found[key] for key in sorted(found) if key[:3] == (model, memory, name)])
            for memory in MEMORIES
            for name in names
        }
        for memory in MEMORIES:
            cycles = {name: float(totals[memory, name][0]) for name in names}
            for name, total in cycles.items():
                yield Line(f"cycles [{name}]", total, "cycles", "simulated", note, model, board=memory)
            yield from _ratios(model, memory, cycles)
        moved = {name: float(totals[BOARD, name][1]) for name in names}
        for name, total in moved.items():
            yield Line(f"bytes [{name}]", total, "bytes", "derived", note, model)
        best = moved[BEST[model]]
        yield Line("fewer bytes", moved[DENSE] / best, "ratio", "derived", "over 32 bits of all", model)
        yield Line("fewer bytes, 16 bits of all", moved[DENSE] / 2 / best, "ratio", "derived", "", model)
        yield Line("fewer bytes by pruning", moved[DENSE] / moved[PRUNED], "ratio", "derived", "", model)
        yield Line("fewer bytes by widths", moved[PRUNED] / best, "ratio", "derived", "", model)
        yield from _of_vectors(model)


def _ratios(model: str, memory: str, cycles: Mapping[str, float]) -> Iterator[Line]:
    """What each part brings, one after the other as in the paper."""
    best = BEST[model]
    for metric, before, after in (
        ("speed", DENSE, best),
        ("speed over all keys and values in the same bits", DENSE_FEW, best),
        ("speed that pruning brings without the engine", DENSE, SLOW),
        ("speed that the engine brings", SLOW, PRUNED),
        ("speed that pruning and the engine bring", DENSE, PRUNED),
        ("speed that fewer bits bring", PRUNED, best),
        ("speed that a second engine brings", best, f"{best}, 2 engines"),
    ):
        yield Line(metric, cycles[before] / cycles[after], "ratio", "derived", "", model, board=memory)


def _of_vectors(model: str) -> Iterator[Line]:
    """Vectors of keys and values, whatever their width: what pruning tokens, heads, and values leaves of them."""
    every = heads = tokens = local = again = read = 0
    config = get_config(model)
    for each in schedules(model):
        for layer in each.layers:
            every += 2 * each.steps * config.heads * each.context
            heads += 2 * each.steps * layer.heads * each.context
            tokens += 2 * each.steps * layer.heads * layer.keys
            local += each.steps * layer.heads * (layer.keys + layer.values)
            again += each.steps * layer.again
            read += each.steps * layer.heads
    yield Line("fewer heads", every / heads, "ratio", "derived", "", model)
    yield Line("fewer tokens", heads / tokens, "ratio", "derived", "", model)
    yield Line(
        "fewer values by local pruning", tokens / local, "ratio", "derived", "of keys and values together", model
    )
    yield Line("fewer tokens and values", heads / local, "ratio", "derived", "", model)
    yield Line("heads that read low bits", again / read, "ratio", "derived", "", model)


# --- The engine


def run_sweep(key: tuple[str, int, int, str]) -> int:
    """Cycles of a step of GPT-2 Small, by memory, comparators, engines for values, and the simulator."""
    memory, comparators, engines, engine = key
    schedule = schedules("gpt2-small")[-1]
    step = drawn_step(schedule.layers, schedule.context, comparators, SEED, DEVIATION)
    return cycles_of(step, unit_of(memory, comparators, engines), WIDTHS["gpt2-small"], engine)


def of_engine(found: Mapping[tuple[str, int, int, str], int]) -> Iterator[Line]:
    """Whether the engine is hidden behind what is read."""
    engine = next(iter(found))[-1]
    for (memory, comparators, engines, _), cycles in found.items():
        where = f"[{comparators} comparators{f', {engines} engines' if engines > 1 else ''}]"
        yield Line(f"step {where}", cycles, "cycles", "simulated", "of the last 17", "gpt2-small", board=memory)
    for memory in MEMORIES:
        share = 1 - found[memory, COMPARATORS, MANY, engine] / found[memory, COMPARATORS, 1, engine]
        yield Line(
            "share of time that waiting for the engine adds",
            share,
            "ratio",
            "derived",
            f"against {MANY} engines for values, which take turns",
            "gpt2-small",
            board=memory,
        )
        enough = next(
            comparators
            for _, comparators, engines, _ in found
            if engines == 1 and found[memory, comparators, 1, engine] < 1.1 * found[memory, WIDEST, 1, engine]
        )
        yield Line(
            "comparators within a tenth of the fastest", enough, "count", "derived", "", "gpt2-small", board=memory
        )
    schedule = schedules("gpt2-small")[-1]
    step = drawn_step(schedule.layers, schedule.context, COMPARATORS, SEED, DEVIATION)
    searches = [head.search for layer in step for head in layer.heads if head.search]
    busy = sum(search.cycles for search in searches)
    yield Line("cycles that the engine for values is at work", busy, "cycles", "derived", "", "gpt2-small")
    passes = sum(len(search.passes) for search in searches) / len(searches)
    yield Line("passes of a search", passes, "count", "derived", "mean", "gpt2-small")
    yield from _of_latency()


def _of_latency() -> Iterator[Line]:
    """Cycles of a search by what is searched."""
    rng = np.random.default_rng(SEED)
    engine = TopKFormat(COMPARATORS, 1024 // COMPARATORS)
    for size, k in ((64, 16), (256, 32), (1024, 16), (1024, 128), (1024, 512)):
        drawn = [select(probabilities(rng.normal(0, DEVIATION, size)), k, engine).cycles for _ in range(200)]
        where = f"[{k} of {size:,}]"
        yield Line(f"cycles of a search {where}", float(np.mean(drawn)), "cycles", "derived", "mean of 200")
        yield Line(f"most cycles of a search {where}", float(np.max(drawn)), "cycles", "derived", "of 200")


def of_logic() -> Iterator[Line]:
    """LUTs of an engine for 1,024 scores, and cells on its longest path."""
    jobs = {
        lanes: SynthesisJob("top_k", module.sources, module.parameters, size=5000)
        for lanes in SYNTHESIZED
        for module in [top_k(TopKFormat(lanes, 1024 // lanes))]
    }
    with tempfile.TemporaryDirectory() as folder:
        try:
            found = synthesize(jobs.values(), Path(folder), 1, lambda _: None)
        except ToolMissingError as error:
            yield Line("LUTs of an engine", None, "count", "synthesized", str(error))
            return
    luts = board().fabric.lut.count
    for lanes, job in jobs.items():
        made, where = found[job.key], f"[{lanes} comparators]"
        if not isinstance(made, Synthesized):
            yield Line(f"LUTs of an engine {where}", None, "count", "synthesized", str(made))
            continue
        yield Line(f"LUTs of an engine {where}", made.resources.lut, "count", "synthesized", "yosys")
        yield Line(f"FFs of an engine {where}", made.resources.ff, "count", "synthesized", "yosys")
        yield Line(f"cells on the engine's longest path {where}", made.levels, "cells", "synthesized", "yosys")
        yield Line(f"LUTs of an engine over the card's {where}", made.resources.lut / luts, "ratio", "derived", "")


# --- Depths


def of_depths(engine: str) -> Iterator[Line]:
    """The depth before normalization that each step needs, and that any step does."""
    unit, widths = unit_of(BOARD), WIDTHS["gpt2-small"]
    bound = any_trace_depths(unit, PROMPT + STEPS)
    steps = {
        name: drawn_step(schedule.layers, schedule.context, COMPARATORS, SEED, DEVIATION)
        for name, schedule in (("first step", schedules("gpt2-small")[0]), ("last steps", schedules("gpt2-small")[-1]))
    }
    found = {
        name: _least(partial(_ends, step, unit, widths, bound, engine), bound.exponents) for name, step in steps.items()
    }
    for name, depth in found.items():
        yield Line(f"least depth that ends [{name}]", depth, "tokens", model="gpt2-small")
    yield Line("depth for any step", bound.exponents, "tokens", "derived", f"{PROMPT + STEPS:,} tokens", "gpt2-small")
    ends = _ends(steps["first step"], unit, widths, bound, engine, found["last steps"])
    yield Line(
        "the first step ends at the depth of the last", float(ends), "count", note="1 if it does", model="gpt2-small"
    )


def _ends(step: Sequence[LayerWork], unit: Unit, widths: Widths, bound: Depths, engine: str, depth: int) -> bool:
    graph = attention_graph("step", step, unit, widths, replace(bound, exponents=max(1, depth)))
    if engine == "maxplus":
        return simulate_many(graph, [{}])[0] >= 0
    return simulate(graph, engine).cycles is not None


def _least(ends: Callable[[int], bool], most: int) -> int:
    low, high = 1, most
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if ends(middle) else (middle + 1, high)
    return low


# --- Counts from data


def run_drawn(key: tuple[float, str]) -> tuple[int, int, tuple[int, int, int], float]:
    """A step of GPT-2 Small whose counts follow from drawn queries, keys and values.

    Args:
        key: deviation of the logits, engine.

    Returns:
        Cycles, those of all keys and values in full bits, bytes, share of heads that read low bits.
    """
    deviation, engine = key
    config, widths = get_config("gpt2-small"), WIDTHS["gpt2-small"]
    counts = schedules("gpt2-small")[-1]
    bits = widths.key + widths.low
    caches = drawn_caches(config.layers, config.heads, counts.context, DIM, bits, [deviation], SEED)
    rules = Rules(
        tuple(each.keys for each in counts.layers),
        tuple(each.heads for each in counts.layers),
        VALUE_SHARE,
        widths.low,
        THRESHOLD,
    )
    importance = np.random.default_rng(SEED).integers(0, 1 << (IMPORTANCE_BITS - 8), counts.context)
    step, _ = attended_step(caches, rules, COMPARATORS, importance)
    heads = [head.again for layer in step for head in layer.heads]
    always = Widths(bits, 0, widths.value)
    return (
        cycles_of(step, unit_of(BOARD), widths, engine),
        cycles_of(step, unit_of(BOARD), always, engine),
        bytes_read(step, widths, DIM),
        sum(heads) / len(heads),
    )


def of_drawn(found: Mapping[tuple[float, str], tuple[int, int, tuple[int, int, int], float]]) -> Iterator[Line]:
    """What reading low bits on demand brings, by how peaked attention is."""
    widths = WIDTHS["gpt2-small"]
    for (deviation, _), (cycles, always, moved, share) in found.items():
        where = f"[deviation {deviation:g}]"
        full = moved[0] * (widths.key + widths.low) / widths.key + moved[2]
        yield Line(f"heads that read low bits {where}", share, "ratio", "derived", "drawn values", "gpt2-small")
        yield Line(
            f"bytes over those of all bits {where}", sum(moved) / full, "ratio", "derived", "drawn values", "gpt2-small"
        )
        yield Line(
            f"cycles over those of all bits {where}", cycles / always, "ratio", "derived", "drawn values", "gpt2-small"
        )
        yield Line(f"step {where}", cycles, "cycles", "simulated", "drawn values", "gpt2-small")


def reproduce(out: Path, *, engine: str = "maxplus", jobs: int = 2) -> list[Line]:
    """Prints the table and writes ``out``."""
    keys = [
        (model, memory, name, place, engine)
        for model, names in VARIANTS.items()
        for memory in MEMORIES
        for name in names
        for place in range(len(schedules(model)))
    ]
    say, lines = step_counter(6), list[Line]()
    lines += of_models(dict(run_all(run_variant, {key: key for key in keys}, jobs, "spatten")))
    say("models")
    sweep = {(memory, *each, engine): (memory, *each, engine) for memory in MEMORIES for each in SWEEP}
    swept = dict(run_all(run_sweep, sweep, jobs, "spatten"))
    lines += of_engine({key: swept[key] for key in sweep})
    say("engine")
    lines += of_depths(engine)
    say("depths")
    drawn = {(each, engine): (each, engine) for each in DEVIATIONS}
    made = dict(run_all(run_drawn, drawn, jobs, "spatten"))
    lines += of_drawn({key: made[key] for key in drawn})
    say("drawn values")
    lines += of_logic()
    say("logic")
    print_lines(lines, "Cascade pruning", memory="board", model="model")
    config = {
        "lanes": LANES,
        "comparators": COMPARATORS,
        "deviation": DEVIATION,
        "sweep": SWEEP,
        "deviations": DEVIATIONS,
        "threshold": THRESHOLD,
        "exp_cycles": EXP_CYCLES,
    }
    with ResultFolder(out, made_by=__name__, config=config, seed=SEED) as folder:
        folder.add(*rows_of(lines, "spatten", engine, board=BOARD, phase="decode"))
        for metric, value, unit, source, note in PUBLISHED:
            folder.add(Row("spatten", metric, value, unit, "published", board="asic", source=source, note=note))
    say("written")
    return lines
