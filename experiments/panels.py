"""Figures of the experiments, drawn from the rows of their tables."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sttest.core.results import Row
from sttest.studies.drawn import Drawn, matching, series
from sttest.studies.figures import Bar, Bars, Lines, Panel, Series, in_words


def _gpt2(rows: Sequence[Row]) -> list[Panel]:
    names = (("latency", "Latency", "ms"), ("ttft", "Time to first token", "ms"), ("speed", "Decode speed", "tokens/s"))
    return [
        Bars(
            title,
            f"{title} ({unit})",
            [
                bar
                for row, (shape,) in matching(rows, rf"{metric} \[(\d+:\d+)\]")
                if row.reference is not None
                for bar in (Bar(f"[{shape}] published", row.reference, "published"), Bar("simulated", row.value))
            ],
        )
        for metric, title, unit in names
    ]


def _architectures(rows: Sequence[Row]) -> list[Panel]:
    errors = r"error of the roofline \[hidden (?P<x>\d+), (?P<name>kv \d+, ffn \d+), 1024 lanes\]"
    spread: dict[str, dict[float, float]] = {"largest": {}, "median": {}, "smallest": {}}
    by_width: dict[float, list[float]] = {}
    for each in series(rows, errors):
        for width, value in each.points:
            if value is not None:
                by_width.setdefault(width, []).append(100 * value)
    for width, values in by_width.items():
        for name, of in (("largest", max), ("median", lambda found: sorted(found)[len(found) // 2]), ("smallest", min)):
            spread[name][width] = of(values)
    front = [
        (float(row.note.removesuffix(" us")) / 1e3, row.value)
        for row, _ in matching(rows, r"expected loss on the front, (.+) \[1024 lanes\]")
    ]
    base = {
        name: row.value for row, (name,) in matching(rows, r"(latency|expected loss) of Qwen2.5-0.5B \[1024 lanes\]")
    }
    made = [
        Lines(
            "How much longer than its roofline a layer takes",
            "Width of the model",
            "Above the roofline (%)",
            [Series(name, sorted(points.items())) for name, points in spread.items()],
        )
    ]
    if front:
        chosen = Series("Qwen2.5-0.5B", [((base["latency"] or 0) / 1e3, base["expected loss"])], "chosen", joined=False)
        made.append(
            Lines(
                "The best loss at each latency",
                "Latency of a token (ms)",
                "Expected loss (nats)",
                [Series("front", sorted(front)), chosen],
            )
        )
    return list(made)


def _peers(rows: Sequence[Row]) -> list[Panel]:
    known = sorted(
        (row for row in rows if row.metric == "roofline fraction" and row.value), key=lambda row: -(row.value or 0)
    )
    bars = [
        Bar(
            ", ".join(
                (
                    re.sub(r"[\w.-]+$", lambda last: in_words(last[0]), row.model) if is_ours else row.model,
                    in_words(row.board),
                )
            ),
            100 * (row.value or 0),
            "simulated" if is_ours else "published",
        )
        for row in known
        for is_ours in (row.model.startswith("ours"),)
    ]
    return [Bars("", "Share of the roofline (%)", bars)]


_OPPONENTS = {
    "A100 per layer": "A100, the paper's GPT-2 rows",
    "A100 graphs": "A100, CUDA graphs",
    "H200 graph-bf16": "H200, CUDA graphs",
    "H200 compile-int4": "H200, compiled, 4 bits",
}


def _emerging(rows: Sequence[Row]) -> list[Panel]:
    made: list[Panel] = []
    for model in dict.fromkeys(row.model for row, _ in matching(rows, r"best tokens/J.*")):
        found = {
            name: row for row, (name,) in matching(rows, r"best tokens/J over (.+), rule tdp") if row.model == model
        }
        published = next((row.reference for row in found.values() if row.reference), None)
        bars = [Bar("published, over an A100", published, "published", text="" if published else "below 1")]
        bars += [
            Bar(label, found[name].value, "derived", text="" if found[name].value else "no reading")
            for name, label in _OPPONENTS.items()
            if name in found
        ]
        made.append(Bars(in_words(model), "Tokens per joule over the GPU's, both at their TDP", bars, at=1))
    return made


def _onchip(rows: Sequence[Row]) -> list[Panel]:
    parts = (
        ("before fusion, all kernels", "all kernels, unfused"),
        ("after fusion", "all kernels, fused"),
        ("before fusion, the model's operations in 32 bit", "the model's operations, 32 bits"),
    )
    made: list[Panel] = []
    for model in dict.fromkeys(row.model for row in rows):
        bars = [
            Bar(f"{size} tokens: {label}", (row.value or 0) / 2**20, "simulated" if "after" in part else "bound")
            for size in ("32", "64", "128")
            for part, label in parts
            for row, _ in matching(rows, re.escape(f"intermediates {part} n={size}"))
            if row.model == model
        ]
        made.append(Bars(in_words(model), "MiB of a prefill block", bars))
    return made


def _serving(rows: Sequence[Row]) -> list[Panel]:
    point = r" \[(?P<name>batch \d+, [\w-]+), (?P<x>[\d.]+)/s\]"
    return [
        Lines(
            "Waits",
            "Requests per second",
            "Time to first token, 99th percentile (ms)",
            series(rows, "time to first token, p99" + point),
            "y",
        ),
        Lines("Served in time", "Requests per second", "Goodput (requests/s)", series(rows, "goodput" + point)),
    ]


def _memory_tiers(rows: Sequence[Row]) -> list[Panel]:
    return [
        Lines(
            f"Experts drawn {name}",
            "Experts of a layer kept in HBM",
            "Hit rate",
            series(rows, rf"hit rate \[{name}, room for (?P<x>\d+), (?P<name>.+)\]"),
        )
        for name in ("alike", "popular and again")
    ]


def _memory(rows: Sequence[Row]) -> list[Panel]:
    rates = [row for row in rows if row.reference is not None and row.value is not None and row.unit == "GB/s"]

    def cloud(role: str) -> Series:
        points = [(row.reference or 0.0, row.value) for row in rates if row.note.startswith(role)]
        return Series(role, points, "chosen" if role == "fitted" else "simulated", joined=False)

    ends = [(value, value) for value in (0.7, 450.0)]
    lines = [Series("as measured", ends, "bound"), cloud("predicted"), cloud("fitted")]
    return [Lines("Bandwidth of public benchmarks", "Measured (GB/s)", "Simulated (GB/s)", lines, "xy")]


FIGURES = {
    "gpt2": Drawn(
        _gpt2,
        "GPT-2 Medium on a U55C, W4A8, 250 MHz, beside StreamTensor's Table 4",
        2,
        "latency",
        "[tokens of the prompt:tokens of the output]",
    ),
    "architectures": Drawn(_architectures, "Architectures around Qwen2.5-0.5B, 1,024 lanes", 1),
    "peers": Drawn(
        _peers, "Decode speed as a share of its roofline at peak bandwidth: published, and ours", stem="roofline"
    ),
    "emerging": Drawn(_emerging, "Best ratio of tokens per joule over nine shapes (StreamTensor Fig. 9)", 1, "ratios"),
    "onchip": Drawn(_onchip, "Intermediate results, before (gray) and after fusion", 2, "intermediates"),
    "serving": Drawn(_serving, "GPT-2 Medium on a U55C under load", 1),
    "memory-tiers": Drawn(_memory_tiers, "A cache of experts by what it keeps", 1),
    "memory": Drawn(_memory, "Memories of Alveo cards: public benchmarks, measured and simulated", 1),
}
"""Figures by the name of the experiment."""
