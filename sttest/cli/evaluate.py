"""`sttest evaluate` and `sttest quantize`: how good a model is in a precision, and weights that make it better."""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from sttest.cli.common import Json, print_json, progress
from sttest.core.errors import InputError
from sttest.core.files import read_bytes
from sttest.core.tables import print_table
from sttest.crosscheck.case import require_torch
from sttest.models.config import DecoderConfig
from sttest.models.quant import DEFAULT_SCHEME
from sttest.models.quant.released.door import told_of
from sttest.models.quant.scheme import QuantScheme, load_scheme
from sttest.models.registry import model_config, told_precision

Model = Annotated[str, typer.Argument(help="A name (see sttest models), a config.json or its folder.")]
Weights = Annotated[Path, typer.Option(help="A checkpoint's folder: safetensors and tokenizer.json.")]
Text = Annotated[Path, typer.Option(help="A text in UTF-8.")]
Specials = Annotated[
    bool, typer.Option("--special-tokens/--no-special-tokens", help="Begin windows with what tokenizer.json says.")
]
Precision = Annotated[str, typer.Option(help="A scheme's name, or a YAML file.")]

Method = Literal["gptq", "smooth", "smooth-gptq", "rotate", "rotate-gptq"]
"""Steps in their order, joined by a hyphen."""
SCHEMA = "sttest.quality/1"
_CHECKED_BYTES = 64 * 1024 * 1024


def evaluate_verb(
    model: Model,
    weights: Weights,
    text: Text,
    precision: Annotated[
        str | None, typer.Option(help=f"A scheme's name, or a YAML file [{DEFAULT_SCHEME}, or as the weights are].")
    ] = None,
    windows: Annotated[int, typer.Option(min=1, help="Stretches of the text, from its start.")] = 4,
    window_length: Annotated[int, typer.Option(min=2, help="Tokens of each.")] = 256,
    reference: Annotated[
        Path | None, typer.Option(help="Compare with the weights of this folder in floating point [--weights].")
    ] = None,
    special_tokens: Specials = True,
    as_json: Json = False,
) -> None:
    """Evaluate a model in a precision on a text: perplexity, divergence, agreement, noise by layer.

    Blocks and head compute in PyTorch what a compiled design computes; sums of norms in another order.

    Examples:

      sttest evaluate smollm2-135m --weights build/smollm2 --text article.txt --precision w8a8

      sttest evaluate smollm2-135m --weights build/g32 --reference build/smollm2 --text article.txt --precision w4a8-g32
    """
    require_torch()
    from sttest.models.checkpoint import load_model
    from sttest.models.language_model import quantize_model
    from sttest.models.quality import evaluate

    scheme = _dynamic(load_scheme(told_precision(str(weights.resolve()), precision) or DEFAULT_SCHEME), weights)
    config = model_config(model)
    parts, names = _windows(config, weights, text, (windows, window_length), special_tokens)
    _check_length(config.max_context, window_length, model)
    with progress(f"evaluating {config.name}") as tell:
        tell("reading weights")
        given = load_model(config, weights)
        exact = given if reference is None else load_model(_as_in(reference, config), reference)
        tell("rounding weights")
        found = evaluate(exact, quantize_model(given, scheme) if scheme.quantizes else given, parts, tell)
    if not given.embedding.tokens.equal(exact.embedding.tokens):  # rotated: its residual stream is another one
        found = replace(found, sqnr_db=())
    if as_json:
        facts = {"model": config.name, "precision": scheme.name, "windows": windows, "window_length": window_length}
        print_json({"schema": SCHEMA, **facts, "special_tokens": names, **asdict(found), "loss": found.loss})
        return
    print(
        f"{config.name} in {scheme.name}: perplexity {found.perplexity:.3f}, {found.reference_perplexity:.3f} in "
        f"floating point ({found.loss:+.1%} loss)"
    )
    rows: list[tuple[str, Any]] = [
        ("perplexity", f"{found.perplexity:.3f}"),
        ("perplexity in floating point", f"{found.reference_perplexity:.3f}"),
        ("loss", f"{found.loss:+.1%}"),
        ("KL divergence, nats", f"{found.kl_nats:.4f}"),
        ("most likely token the same", f"{found.agreement:.1%}"),
        *_noise(found.sqnr_db),
    ]
    title = f"over {found.predictions:,} predictions, {_told(names, special_tokens)}"
    print_table(("quantity", "value"), rows, title=title)


def quantize_verb(
    model: Model,
    weights: Weights,
    text: Annotated[Path, typer.Option(help="A calibration text in UTF-8, other than the one to evaluate on.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder of calibrated weights.")],
    precision: Precision = "w4a8-g32",
    windows: Annotated[int, typer.Option(min=1, help="Stretches of the text, from its start.")] = 32,
    window_length: Annotated[int, typer.Option(min=2, help="Tokens of each.")] = 256,
    method: Annotated[
        Method,
        typer.Option(
            help="smooth moves scales from activations into weights, rotate turns the residual stream, gptq rounds "
            "weights."
        ),
    ] = "gptq",
    special_tokens: Specials = True,
    as_json: Json = False,
) -> None:
    """Quantize a checkpoint's weights for a scheme, calibrated on a text, into a folder of the same form.

    The weights stay in floating point, with gptq each an integer times its scale: whatever takes --weights or
    --checkpoint rounds them to just these integers.

    Examples:

      sttest quantize smollm2-135m --weights build/smollm2 --text calibration.txt --precision w4a8-g32 -o build/g32

      sttest quantize smollm2-135m --weights build/smollm2 --text calibration.txt --method smooth -o build/smooth

      sttest quantize smollm2-135m --weights build/smollm2 --text calibration.txt --method rotate-gptq -o build/rotated
    """
    require_torch()
    from sttest.models.calibrated_folder import write_calibrated
    from sttest.models.checkpoint import load_model
    from sttest.models.quant.calibration import calibrated
    from sttest.models.quant.released.kept import refuse_kept
    from sttest.models.quant.rotation import rotated
    from sttest.models.quant.smoothing import smoothed

    if out.resolve() == weights.resolve():
        raise InputError("same-folder", "the weights would be replaced", where=str(out), hints=["name another --out"])
    config, scheme = model_config(model), load_scheme(precision)
    parts, names = _windows(config, weights, text, (windows, window_length), special_tokens)
    _check_length(config.max_context, window_length, model)
    with progress(f"calibrating {config.name}") as tell:
        tell("reading weights")
        made = load_model(config, weights)
        refuse_kept(made, "a calibration")
        steps = {
            "rotate": rotated,
            "smooth": lambda each: smoothed(each, parts, tell),
            "gptq": lambda each: calibrated(each, scheme, parts, tell),
        }
        for step in method.split("-"):
            made = steps[step](made)
        tell("writing")
        digest = hashlib.sha256(read_bytes(text, most_bytes=_CHECKED_BYTES)).hexdigest()
        facts = {"method": method, "scheme": asdict(scheme), "windows": windows, "window_length": window_length}
        facts |= {"special_tokens": names}
        write_calibrated(made, weights, out, {**facts, "text_sha256": digest})
    if as_json:
        print_json({"schema": "sttest.quantize/1", "model": model, "out": str(out), "text_sha256": digest, **facts})
        return
    named = model if made.config == config else out  # a head of its own is in the folder's configuration
    print(
        f"{out}: weights for {scheme.name}, {_told(names, special_tokens)}; next: "
        f"sttest evaluate {named} --weights {out} --precision {precision} ..."
    )


def _windows(
    config: DecoderConfig, folder: Path, text: Path, size: tuple[int, int], wanted: bool
) -> tuple[list[list[int]], tuple[str, ...]]:
    """Windows of a text, of which there are ``size[0]`` of ``size[1]`` tokens, and what each begins with."""
    from sttest.models.quality import windows_of
    from sttest.models.text import SpecialTokens, special_tokens, text_tokens

    before = special_tokens(config, folder) if wanted else SpecialTokens()
    return windows_of(text_tokens(config, folder, text), *size, before.ids), before.names


def _told(names: tuple[str, ...], wanted: bool) -> str:
    """Which special tokens windows begin with, and why."""
    if not wanted:
        return "without special tokens, as asked"
    shown = " ".join(ascii(name)[1:-1] for name in names)
    return f"windows begin with {shown}, as tokenizer.json says" if names else "tokenizer.json adds no special tokens"


def _as_in(folder: Path, config: DecoderConfig) -> DecoderConfig:
    """The model of a folder that may be the same in another basis, with a head of its own or without."""
    from sttest.models.config_file import CONFIG_FILE, read_config

    if not (folder / CONFIG_FILE).is_file():
        return config
    return replace(config, tied_embeddings=read_config(folder).tied_embeddings)


def _noise(sqnr_db: Sequence[float]) -> list[tuple[str, Any]]:
    if not sqnr_db:
        return []
    lowest = min(range(len(sqnr_db)), key=sqnr_db.__getitem__)
    return [
        ("SQNR behind the first layer, dB", f"{sqnr_db[0]:.1f}"),
        (f"SQNR, the lowest (layer {lowest + 1}), dB", f"{sqnr_db[lowest]:.1f}"),
        ("SQNR behind the last layer, dB", f"{sqnr_db[-1]:.1f}"),
    ]


def _dynamic(scheme: QuantScheme, weights: Path) -> QuantScheme:
    """A scheme that needs no calibration of activations, or whose constant scales the checkpoint has."""
    told = told_of(weights)
    if scheme.activations == "static" and (told is None or told.form.activations != "static"):
        hints = ["take a scheme with dynamic activations, as w8a8"]
        raise InputError("no-calibration", "constant scales need a calibration", where=scheme.name, hints=hints)
    return scheme


def _check_length(bound: int, length: int, model: str) -> None:
    if length > bound:
        raise InputError(
            "context-too-long",
            "windows past the model's limit",
            where=model,
            demand=length,
            bound=bound,
            unit="tokens",
            hints=["give a smaller --window-length"],
        )
