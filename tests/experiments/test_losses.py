"""What `sttest compile` says of a scheme's loss is what was measured, and the default loses little."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from sttest.compile.options import CompileOptions
from sttest.models.quant import DEFAULT_SCHEME
from sttest.models.quant.losses import MOST_LOSS, loss_of, measured_losses
from sttest.models.quant.scheme import schemes

RESULTS = Path(__file__).parents[2] / "results"


def test_losses_are_those_of_the_results():
    measured: dict[str, float] = {}
    for run in ("quality", "quality-schemes"):
        with (RESULTS / run / "table.csv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                scheme, method = row["point"].split(", ")
                if (row["metric"], method) == ("perplexity", "nearest"):
                    measured[scheme] = float(row["error"])
    assert measured_losses() == pytest.approx(measured, abs=1e-4, rel=1e-4)
    assert measured.keys() <= schemes().keys()


def test_the_default_loses_little():
    assert CompileOptions().precision == DEFAULT_SCHEME
    assert measured_losses()[DEFAULT_SCHEME] <= MOST_LOSS
    assert loss_of(DEFAULT_SCHEME, measured_losses()[DEFAULT_SCHEME]).startswith("w8a8, +3.5%")
    assert "not measured" in loss_of("mine", None)
