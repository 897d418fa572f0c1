"""Tables and figure of the comparison of newer models."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from experiments.calibration import constants, launch_choice, precision_choice
from experiments.drawing import write_figure
from experiments.emerging_result import Comparison, Emerging
from experiments.emerging_rows import FIG9_QUANTITY, published_ratio, rows
from experiments.emerging_what_ifs import WhatIf
from experiments.published import published_text
from sttest.boards.board import RULES, Rule
from sttest.core.results import ResultFolder
from sttest.core.tables import print_table

_DRAWN_OPPONENTS = {"A100 per layer": "o", "A100 graphs": "s", "H200 graph-bf16": "^", "H200 compile-int4": "D"}
_TICKS = (0.25, 0.5, 1, 2, 4)


def print_report(found: Emerging) -> None:
    """Ratios first, then what they are made of."""
    for rule, meaning in RULES.items():
        print_table(
            ("opponent", *map(_heading, found.comparisons)),
            [(each.name, *(_best(model, each.name, rule) for model in found.comparisons)) for each in found.opponents],
            title=f"best tokens/J over the opponent, rule {rule}: {meaning}",
        )
        print()
    print_table(
        ("launch (us per block)", "LM head", *map(_heading, found.comparisons), "llama, A100 runs the cited one"),
        [_what_if(each) for each in found.what_ifs],
        title=f"best tokens/J over {found.opponents[0].name}, rule tdp, had the card more to do",
    )
    print()
    print_table(
        ("model", "[in:out]", "published ratio asks for (ms)", "simulated", "missing"),
        [
            (
                each.model,
                f"[{each.shape[0]}:{each.shape[1]}]",
                f"{'> ' if each.is_bound else ''}{each.asked_ms:.3f}",
                f"{each.simulated_ms:.3f}",
                f"{'> ' if each.is_bound else ''}{each.missing_ms:.3f}",
            )
            for each in found.asked
        ],
        title=f"decode time per layer and token, over {found.opponents[0].name}, rule tdp",
    )
    print()
    columns = (
        "model",
        "[in:out]",
        "latency ms",
        "TTFT ms",
        "tokens/s",
        *(f"tokens/J {rule}" for rule in RULES),
        "W decoding low",
        "central",
        "high",
    )
    print_table(columns, [line for each in found.comparisons for line in _ours(each)], title="simulated U55C")


def write_report(found: Emerging, out: Path) -> None:
    """Long-format table, figure and manifest, written whole or not at all."""
    config = {
        "fitted": {name: asdict(constant) for name, constant in constants().items()},
        "launch": launch_choice().name,
        "precision": precision_choice().name,
        "engine": found.engine,
    }
    with ResultFolder(out, made_by="experiments.emerging", config=config) as folder:
        folder.add(*rows(found))
        write_figure(folder)


def _heading(found: Comparison) -> str:
    return f"{found.model} (published {published_text(FIG9_QUANTITY, found.model)})"


def _what_if(each: WhatIf) -> tuple[str, ...]:
    head = "on the card" if each.with_head else "not timed"
    ratios = (f"{ratio:.2f}" for ratio in (*each.best.values(), each.cited_llama))
    return (f"{each.launch} {each.launch_us:g}", head, *ratios)


def _best(found: Comparison, opponent: str, rule: Rule) -> str:
    """Ratio, shape and error; the last only for the opponent that the paper names."""
    best = found.best(opponent, rule)
    if best is None:
        return "no reading"
    ratio, (n, m) = best
    published = published_ratio(found.model)
    error = f", {ratio / published - 1:+.0%}" if published and opponent.startswith("A100") else ""
    return f"{ratio:.2f} at [{n}:{m}]{error}"


def _ours(found: Comparison) -> list[tuple[object, ...]]:
    return [
        (
            found.model,
            f"[{n}:{m}]",
            f"{each.time.latency_ms:.1f}",
            f"{each.time.ttft_ms:.1f}",
            f"{each.time.speed_tok_per_s:.1f}",
            *(f"{each.tokens_per_joule(rule):.3f}" for rule in RULES),
            *(f"{used.power_w:.1f}" for used in each.decode.values()),
        )
        for (n, m), each in found.ours.items()
    ]
