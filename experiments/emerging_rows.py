"""The comparison of newer models as rows of the long-format table."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.designs import BOARD
from experiments.emerging_asked import Asked
from experiments.emerging_result import Comparison, Emerging, OurGeneration
from experiments.emerging_what_ifs import CITED_LLAMA, WhatIf
from experiments.generation import Lengths
from experiments.gpu_opponents import GpuGeneration, Opponent
from experiments.published import published_text
from sttest.boards.board import RULES
from sttest.boards.energy import CASES
from sttest.core.results import Row

EXPERIMENT = "emerging"
FIG9_QUANTITY = "energy_efficiency_vs_a100_max"
FIG9 = "StreamTensor Fig. 9 and text"


def published_ratio(model: str) -> float | None:
    """The published best ratio as a number; None where only a bound is published."""
    try:
        return float(published_text(FIG9_QUANTITY, model))
    except ValueError:
        return None


def rows(found: Emerging) -> Iterator[Row]:
    """Every number of the printed tables and all shapes, with unit, kind and reference."""
    for times in found.asked:
        yield from _asked_rows(times, found.opponents[0])
    for each in found.comparisons:
        for opponent in found.opponents:
            yield from _best_rows(each, opponent)
        for what_if in found.what_ifs:
            yield from _what_if_rows(each.model, what_if, found.opponents[0])
        for shape, ours in each.ours.items():
            yield from _our_rows(each.model, shape, ours, found.engine)
        for opponent in found.opponents:
            for shape, theirs in each.theirs[opponent.name].items():
                yield from _their_rows(each, opponent, shape, theirs)


def _asked_rows(each: Asked, opponent: Opponent) -> Iterator[Row]:
    bound = "a lower bound: only an upper one of the ratio is published; " if each.is_bound else ""
    note = f"{bound}rule tdp, {opponent.name}, TTFT and host as simulated; launch included"
    for metric, value in (("asked for by the published ratio", each.asked_ms), ("simulated", each.simulated_ms)):
        yield Row(
            EXPERIMENT,
            f"decode time per layer and token, {metric} {_text(each.shape)}",
            value,
            "ms",
            "derived",
            model=each.model,
            board=BOARD,
            phase="decode",
            source=FIG9,
            note=note,
        )


def _what_if_rows(model: str, each: WhatIf, opponent: Opponent) -> Iterator[Row]:
    head = "LM head on the card" if each.with_head else "LM head not timed"
    case = f"rule tdp, launch {each.launch}, {head}"
    yield _what_if_row(model, each.best[model], each, f"{opponent.name}, {case}")
    if model == "llama":
        yield _what_if_row(model, each.cited_llama, each, f"{opponent.name} on {CITED_LLAMA}, {case}")


def _what_if_row(model: str, ratio: float, each: WhatIf, over: str) -> Row:
    return Row(
        EXPERIMENT,
        f"best tokens/J over {over}",
        ratio,
        "ratio",
        "derived",
        model=model,
        board=BOARD,
        phase="generation",
        reference=published_ratio(model),
        source=FIG9,
        note=f"what-if: {each.launch_us:g} us per block; published {published_text(FIG9_QUANTITY, model)}",
    )


def _best_rows(found: Comparison, opponent: Opponent) -> Iterator[Row]:
    """The number that the paper prints per model: the best shape."""
    published = published_text(FIG9_QUANTITY, found.model)
    for rule in RULES:
        best = found.best(opponent.name, rule)
        value, where = (best[0], _text(best[1])) if best else (None, "no reading of this opponent")
        yield Row(
            EXPERIMENT,
            f"best tokens/J over {opponent.name}, rule {rule}",
            value,
            "ratio",
            "derived",
            model=found.model,
            board=BOARD,
            phase="generation",
            reference=published_ratio(found.model),
            source=f"{FIG9}; opponent: {opponent.source}",
            note=f"{where}; published {published} over an A100, rule not stated; {opponent.note}",
        )


def _our_rows(model: str, shape: Lengths, ours: OurGeneration, engine: str) -> Iterator[Row]:
    def row(metric: str, value: float, unit: str, note: str = "") -> Row:
        return Row(
            EXPERIMENT,
            f"{metric} {_text(shape)}",
            value,
            unit,
            "simulated",
            model=model,
            board=BOARD,
            phase="generation",
            engine=engine,
            note=note or "not published",
        )

    yield row("latency", ours.time.latency_ms, "ms")
    yield row("ttft", ours.time.ttft_ms, "ms")
    yield row("speed", ours.time.speed_tok_per_s, "tokens/s")
    for rule in RULES:
        yield row(f"tokens per joule, rule {rule}", ours.tokens_per_joule(rule), "tokens/J")
    for case in CASES:
        used = ours.energy[case]
        yield row(f"power, {case} case", used.power_w, "W", "modeled, mean of the generation")
        yield row(f"power while decoding, {case} case", ours.decode[case].power_w, "W", "modeled")
        yield row(f"dynamic share of energy, {case} case", used.dynamic_j / used.total_j, "ratio", "modeled")


def _their_rows(found: Comparison, opponent: Opponent, shape: Lengths, theirs: GpuGeneration) -> Iterator[Row]:
    def row(metric: str, value: float, unit: str) -> Row:
        return Row(
            EXPERIMENT,
            f"{metric} {_text(shape)}",
            value,
            unit,
            "derived",
            model=found.model,
            board=opponent.board,
            phase="generation",
            engine=opponent.name,
            source=opponent.source,
            note=opponent.note,
        )

    yield row("latency", 1e3 * theirs.latency_s, "ms")
    for rule, joules in theirs.joules.items():
        yield row(f"tokens per joule, rule {rule}", shape[1] / joules, "tokens/J")
        ratio = found.ratio(opponent.name, rule, shape)
        assert ratio is not None
        yield row(f"our tokens/J over theirs, rule {rule}", ratio, "ratio")


def _text(shape: Lengths) -> str:
    return f"[{shape[0]}:{shape[1]}]"
