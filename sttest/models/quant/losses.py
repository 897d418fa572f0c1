"""What schemes cost in perplexity, as it was measured, so that a compile can say it."""

import csv
from functools import cache
from importlib.resources import files

MODEL = "SmolLM2-135M"
MOST_LOSS = 0.15
"""A scheme that loses more says so in the first line of whatever is compiled in it."""


@cache
def measured_losses() -> dict[str, float]:
    """By scheme, by which share perplexity grew on :data:`MODEL` with weights rounded to the nearest integer.

    Measured by ``python -m experiments.quality``, which writes the file; its sources are in ``results/quality``.
    """
    text = files("sttest.models.quant").joinpath("losses.csv").read_text(encoding="utf-8")
    return {row["scheme"]: float(row["loss"]) for row in csv.DictReader(text.splitlines())}


def loss_of(scheme: str, loss: float | None) -> str:
    """A scheme's loss in words; None where it was not measured."""
    if loss is None:
        return f"{scheme}, loss not measured: see sttest evaluate"
    return f"{scheme}, {loss:+.1%} perplexity of {MODEL} where rounded to the nearest"
