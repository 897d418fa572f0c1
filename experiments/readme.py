"""Puts the first table of `results/gpt2` into the README, between its markers: ``python -m experiments.readme``."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).parent.parent
_MARKED = re.compile(r"(<!-- table: python -m experiments.readme -->\n).*?(<!-- end -->)", re.DOTALL)
_METRICS = (("latency", "latency (ms)"), ("ttft", "TTFT (ms)"), ("speed", "speed (tokens/s)"))


def table(results: Path) -> str:
    """The rows of the published table with ours, theirs and the error, as Markdown."""
    rows = pd.read_csv(results)
    ours = rows[(rows["phase"] == "generation") & (rows["kind"] == "simulated")].set_index("metric")
    lines = [
        "| [in:out] | " + " | ".join(f"{label} | published | error" for _, label in _METRICS) + " |",
        "|---" * (1 + 3 * len(_METRICS)) + "|",
    ]
    for shape in ("[32:32]", "[64:64]", "[128:128]", "[256:256]"):
        cells = []
        for metric, _ in _METRICS:
            row = ours.loc[f"{metric} {shape}"]
            cells += [f"{row['value']:.2f}", f"{row['reference']:.2f}", f"{row['error']:+.1%}"]
        fitted = " (fitted)" if shape == "[32:32]" else ""
        lines.append(f"| {shape}{fitted} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def updated(readme: str, results: Path) -> str:
    """The README with the table of these results."""
    return _MARKED.sub(lambda match: match.group(1) + table(results) + match.group(2), readme)


if __name__ == "__main__":
    path = ROOT / "README.md"
    path.write_text(updated(path.read_text(encoding="utf-8"), ROOT / "results/gpt2/table.csv"), encoding="utf-8")
