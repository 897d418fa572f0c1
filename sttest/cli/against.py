"""`sttest crosscheck --against`: a model beside what transformers makes of the same folder, layer by layer."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from sttest.cli.common import print_json, progress
from sttest.compile.options import CompileOptions, flag_of, options_of
from sttest.core.errors import EnginesDisagreeError, InputError
from sttest.core.plain_files import is_folder
from sttest.core.tables import print_table
from sttest.crosscheck.against import Against, Part, hold_against
from sttest.crosscheck.case import require_torch
from sttest.crosscheck.transformers_folder import load_transformers, require_transformers
from sttest.models.config import DecoderConfig
from sttest.models.config_file import CONFIG_FILE, is_config_path
from sttest.models.registry import is_known, is_repository, model_config, told_precision

_LIBRARY = "transformers"
_DEFAULT_TOKENS = 32
_OPTIONS = {"precision", "attention", "attention_maximum", "attention_chunk"}
"""Options of the compiler that change what a block computes, but not what it is part of."""


@dataclass(frozen=True)
class HeldAgainst:
    """Another implementation of the whole model."""

    against: Annotated[
        str | None,
        typer.Option(
            metavar="transformers:FOLDER",
            help="Compare each layer with transformers' instead; of a FOLDER, or CLASS with the same weights.",
        ),
    ] = None
    text: Annotated[
        Path | None, typer.Option(help="With --against: tokens of a text by the folder's tokenizer [random].")
    ] = None


@dataclass(frozen=True)
class AskedComparison:
    """What is compared, of how many tokens."""

    model: str
    against: HeldAgainst
    checkpoint: Path | None
    tokens: int | None
    seed: int
    options: CompileOptions


def run_against(asked: AskedComparison, *, as_json: bool) -> None:
    """Compare and print; leaves with exit code 6 where a layer differs."""
    require_torch()
    require_transformers()
    place, kind = _reference(asked.against.against or "")
    config = _config(asked.model)
    weights = asked.checkpoint or _own_folder(asked.model)
    with progress(f"holding {config.name} against transformers") as step:
        found = _compared(asked, config, weights, place or weights, kind, step)
    if as_json:
        print_json(found.to_json())
    else:
        _print(found)
    raise typer.Exit(EnginesDisagreeError.exit_code if found.first is not None else 0)


def check_alone(given: dict[str, bool], options: CompileOptions) -> None:
    """Refuse options that ask something of a design, of which there is none."""
    flags = [flag for flag, is_given in given.items() if is_given]
    flags += [flag_of(name, each) for name, _, each in options_of() if name in options.model_fields_set - _OPTIONS]
    if flags:
        what = "no design is compiled, all tokens go through the model at once"
        raise InputError("not-with-against", what, where=flags[0], hints=["leave it out", "leave --against out"])


def _compared(
    asked: AskedComparison, config: DecoderConfig, weights: Path, reference: Path, kind: str, step: Any
) -> Against:
    from sttest.models.checkpoint import load_model
    from sttest.models.language_model import quantize_model
    from sttest.models.quant.block import observe_peaks
    from sttest.models.quant.scheme import load_scheme

    options = asked.options
    precision = told_precision(str(weights.resolve()), options.given.get("precision")) or options.precision
    scheme = load_scheme(precision)
    tokens = _tokens(asked, config, weights)
    step("reading weights")
    ours = load_model(config, weights)
    step("reading weights with transformers")
    theirs = load_transformers(reference, config, kind)
    chunk = options.attention_chunk if options.attention == "one-pass" else None
    quantized = None
    if scheme.quantizes or chunk is not None:
        step("rounding weights")
        peaks = observe_peaks(ours, lambda: ours.prefill(tokens)) if scheme.activations == "static" else None
        quantized = quantize_model(ours, scheme, peaks, chunk, options.attention_maximum)
    name = scheme.name if chunk is None else f"{scheme.name} one-pass"
    return hold_against(ours, quantized, theirs, tokens, name, step)


def _reference(text: str) -> tuple[Path | None, str]:
    """The folder that transformers reads, or the class of transformers that reads ours."""
    library, _, place = text.partition(":")
    if library != _LIBRARY:
        hints = ["write transformers:FOLDER, transformers:CLASS or transformers"]
        raise InputError("unknown-reference", f"nothing is called '{library[:80]}'", where="--against", hints=hints)
    if not place or (place.isidentifier() and not is_folder(place)):
        return None, place
    path = Path(place)
    if path.name == CONFIG_FILE:
        path = path.parent
    if not is_folder(str(path)):
        hints = [f"hf download {place} --local-dir FOLDER" if is_repository(place) else "give the folder's path"]
        raise InputError("no-such-folder", "no such folder, and nothing is downloaded", where=place, hints=hints)
    return path, ""


def _config(model: str) -> DecoderConfig:
    config = model_config(model)
    if config.state:
        what = "a state-space block has no attention to compare"
        raise InputError("no-attention", what, where=model, hints=["take a model of decoder blocks"])
    return config


def _own_folder(model: str) -> Path:
    """The folder of a configuration, where its weights are looked for."""
    if is_known(model) or not is_config_path(model):
        hints = ["give their folder as the model, or with --checkpoint"]
        raise InputError("no-weights", "a name has no weights to hold against others", where=model, hints=hints)
    path = Path(model)
    return path if path.is_dir() else path.parent


def _tokens(asked: AskedComparison, config: DecoderConfig, folder: Path) -> Sequence[int]:
    """Random tokens of the seed, or the first ones of a text."""
    count = min(_DEFAULT_TOKENS, config.max_context) if asked.tokens is None else asked.tokens
    if not 1 <= count <= config.max_context:
        raise InputError(
            "bad-tokens",
            "a number of tokens that the model does not take",
            where="--tokens",
            demand=count,
            bound=config.max_context,
            unit="tokens",
            hints=["give at least 1 and at most the bound"],
        )
    if asked.against.text is None:
        import torch

        generator = torch.Generator().manual_seed(asked.seed + 1)
        return torch.randint(config.vocab, (count,), generator=generator).tolist()
    from sttest.models.text import text_tokens

    found = text_tokens(config, folder, asked.against.text)
    if len(found) < (asked.tokens or 1):
        raise InputError(
            "text-too-short",
            "the text has fewer tokens",
            where=str(asked.against.text),
            demand=asked.tokens or 1,
            bound=len(found),
            unit="tokens",
            hints=["give a longer text", "ask for fewer --tokens"],
        )
    return found[:count]


# --- What is printed


def _print(found: Against) -> None:
    print(found.verdict)
    if (loss := _loss(found)) is not None:
        print(loss)
    for line in found.notes:
        print(line)
    differs, has_precision = found.first is not None, found.loses_most is not None
    rounded = [found.precision, f"{found.precision} so far"] if has_precision else []
    columns = ["layer", "fp32", "fp32 so far", *rounded, *([_FIRST] if differs else []), "lowest stream", "its fp32"]
    usual = ["layer", "fp32", *rounded, _FIRST] if differs else ["layer", "fp32", "fp32 so far", *rounded]
    rows = [_row(part, has_precision=has_precision, differs=differs) for part in found.parts]
    _print_decibels(
        columns, rows, "SQNR in dB of each layer, fed what transformers feeds it, and so far, fed by ours", usual
    )
    if (part := found.first) is not None:
        streams = [(name, db, part.asked_db[name]) for name, db in part.streams.items()]
        _print_decibels(["stream", "fp32", "asked"], streams, f"Streams of {_named(part)}, in order")


_FIRST = "first to differ"


def _loss(found: Against) -> str | None:
    """What the precision costs, in a line."""
    most = found.loses_most
    if most is None or most.rounded is None:
        return None
    behind, logits = (part.rounded.so_far_db for part in found.parts[-2:] if part.rounded is not None)
    loses = f"{found.precision}: {_named(most)} loses most, {_text(most.rounded.own_db).strip()} dB"
    return f"{loses}; so far {_text(behind).strip()} dB behind the last layer, {_text(logits).strip()} dB in the logits"


def _named(part: Part) -> str:
    return part.name if part.name.startswith("layer") else f"the {part.name}"


def _row(part: Part, *, has_precision: bool, differs: bool) -> list[object]:
    numbers = [part.exact, part.rounded] if has_precision else [part.exact]
    cells = [db for each in numbers if each is not None for db in (each.own_db, each.so_far_db)]
    return [part.name, *cells, *([part.first] if differs else []), part.lowest, part.streams[part.lowest]]


def _print_decibels(
    columns: Sequence[str], rows: Sequence[Sequence[object]], title: str, shown: Sequence[str] = ()
) -> None:
    cells = [[_text(cell) if isinstance(cell, float) else cell for cell in row] for row in rows]
    print_table(columns, cells, title=title, shown=shown, tidy=(columns, rows))


def _text(db: float) -> str:
    """Decibels, at one width, so that those beside what is the same are aligned."""
    return "  same" if db == math.inf else f"{db:6.1f}"
