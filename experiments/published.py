"""Published numbers that the experiments print beside their own; the tables are in ``data/``."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from sttest.core.errors import InputError, did_you_mean

__depends__ = (
    "experiments/data/gpt2_geomean_ratios.csv",
    "experiments/data/gpt2_latency.csv",
    "experiments/data/gpu_published.csv",
    "experiments/data/other_results.csv",
    "experiments/data/platforms.csv",
)

DATA_DIR = Path(__file__).parent / "data"


@dataclass(frozen=True)
class Gpt2Row:
    """One row of the published GPT-2 Medium latency tables: batch 1, greedy decoding."""

    system: str
    input_len: int
    output_len: int
    latency_ms: float
    ttft_ms: float
    speed_tok_per_s: float
    source: str

    @property
    def decode_ms_per_token(self) -> float:
        """Time per output token after the first answer: the inverse of the published speed."""
        return 1e3 / self.speed_tok_per_s


@dataclass(frozen=True)
class Ratios:
    """Geometric means, over the shapes of a table, of StreamTensor divided by a baseline."""

    baseline: str
    latency: float
    ttft: float
    speed: float
    source: str


@dataclass(frozen=True)
class Platform:
    """One row of the published platform table."""

    system: str
    platform: str
    node_nm: float
    clock_mhz: float
    quantization: str
    tdp_w: float
    int8_peak_tops: float
    offchip: str
    offchip_gb_per_s: float
    onchip_mb: float
    source: str


def published_table(name: str) -> pd.DataFrame:
    """A table of ``data/`` as it is, by file name without ``.csv``: a copy, free to change.

    Raises:
        InputError: there is no such table.
    """
    _require(name, [path.stem for path in DATA_DIR.glob("*.csv")], "table")
    return _read(name).copy()


def gpt2_systems() -> list[str]:
    """Systems of the GPT-2 tables in published order, StreamTensor first."""
    return list(dict.fromkeys(record["system"] for record in _records("gpt2_latency")))


def gpt2_rows(system: str) -> list[Gpt2Row]:
    """The published GPT-2 rows of one system, shortest sequence first.

    Raises:
        InputError: no such system.
    """
    _require(system, gpt2_systems(), "system")
    rows = [Gpt2Row(**record) for record in _records("gpt2_latency") if record["system"] == system]
    return sorted(rows, key=lambda row: row.input_len)


def gpt2_row(system: str, input_len: int, output_len: int) -> Gpt2Row:
    """The published GPT-2 row of one system and shape.

    Raises:
        InputError: no such system, or the shape was not published for it.
    """
    rows = gpt2_rows(system)
    for row in rows:
        if (row.input_len, row.output_len) == (input_len, output_len):
            return row
    shapes = ", ".join(f"[{row.input_len}:{row.output_len}]" for row in rows)
    what = f"[{input_len}:{output_len}] is not published for '{system}'"
    raise InputError("unknown-shape", what, hints=[f"choose one of {shapes}"])


def gpt2_ratios(baseline: str) -> Ratios:
    """The geometric means over one baseline as they are printed in the paper.

    Raises:
        InputError: the paper gives none for this baseline.
    """
    by_baseline = {record.pop("ours_over"): record for record in _records("gpt2_geomean_ratios")}
    _require(baseline, by_baseline, "baseline")
    return Ratios(baseline=baseline, **by_baseline[baseline])


def geometric_mean_ratio(ours: Iterable[float], theirs: Iterable[float]) -> float:
    """Geometric mean of ``ours / theirs``, pairwise; all positive and at least one pair."""
    return statistics.geometric_mean(one / other for one, other in zip(ours, theirs, strict=True))


def platform_of(system: str) -> Platform:
    """What a system of the GPT-2 tables ran on.

    Raises:
        InputError: the platform table does not have it.
    """
    by_system = {record["system"]: record for record in _records("platforms")}
    _require(system, by_system, "system")
    return Platform(**by_system[system])


def gpu_value(device: str, metric: str) -> float:
    """A published figure of a GPU that does not depend on a model, such as its ``tdp`` in W.

    Raises:
        InputError: the table has none.
    """
    return _only(_gpu(device=device, metric=metric), f"{device}, {metric}")


def gpu_decode_speed(device: str, model: str, precision: str, software: str) -> float:
    """A published batch-1 decode speed over a whole generation, in tokens/s.

    Raises:
        InputError: the table has none.
    """
    rows = _gpu(device=device, model=model, precision=precision, software=software, metric="decode (whole generation)")
    return _only(rows, f"{device}, {model}, {precision}, {software}")


def _gpu(**wanted: str) -> list[dict[str, Any]]:
    return [row for row in _records("gpu_published") if wanted.items() <= row.items()]


def _only(rows: list[dict[str, Any]], what: str) -> float:
    if len(rows) != 1:
        raise InputError("unknown-figure", f"{len(rows)} published figures for '{what}'", where="gpu_published.csv")
    return float(rows[0]["value"])


def published_text(quantity: str, model: str) -> str:
    """A published result as it is printed: a number, a range (``a-b``), a bound (``<a``) or a list (``a|b``).

    Raises:
        InputError: no such quantity, or not for this model.
    """
    rows = {(row["quantity"], row["model"]): row["value"] for row in _records("other_results")}
    _require(quantity, {name for name, _ in rows}, "quantity")
    _require(model, [of for name, of in rows if name == quantity], "model")
    return str(rows[quantity, model])


@cache
def _read(name: str) -> pd.DataFrame:
    return pd.read_csv(DATA_DIR / f"{name}.csv", keep_default_na=False)


def _records(name: str) -> list[dict[str, Any]]:
    """The rows of a table as mappings from column to value."""
    return [{str(column): value for column, value in row.items()} for row in _read(name).to_dict("records")]


def _require(name: str, known: Iterable[str], what: str) -> None:
    names = list(known)
    if name not in names:
        raise InputError(f"unknown-{what}", f"no published {what} '{name}'", hints=[did_you_mean(name, names)])
