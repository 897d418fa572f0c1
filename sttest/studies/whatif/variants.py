"""What-if around one design: the same hardware with another memory, or compiled again with other settings."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from pydantic import ValidationError

from sttest.boards.load import load_board, require_hbm
from sttest.compile.compiler import CompiledDesign
from sttest.compile.options import CompileOptions, renamed
from sttest.compile.resources.fit import NAMES, Fit, fit_of
from sttest.core.errors import DeadlockError, DoesNotFitError, InputError, did_you_mean
from sttest.core.validation import validated
from sttest.models.registry import SMALL, described_config, is_known
from sttest.studies.whatif.outcome import LEVERS, Speeds
from sttest.studies.whatif.points import HELD, block_result
from sttest.studies.whatif.settings import BOARD, Settings, changed_board, check_keys, full_key, launch_cost
from sttest.studies.whatif.study import OPTIONS, Scalar, Value
from sttest.studies.workload import CompileRequest

_LAUNCH = ("launch", "launch_per")
_SHAPE = ("model", "phase", "tokens", "context", "batch", "precision", "board")
_ROW_ERRORS = (InputError, DoesNotFitError, DeadlockError)


def variants(
    design: CompiledDesign,
    request: CompileRequest | None,
    axes: Mapping[str, Sequence[Scalar]],
    *,
    engine: str,
    recompile: bool,
) -> pd.DataFrame:
    """Simulates every combination of the axes' values.

    Args:
        design: compiled design.
        request: the compile request; None where it is not known.
        axes: values by setting (``sttest.studies.whatif.settings``), short names allowed.
        engine: engine that computes the times.
        recompile: whether each combination is a design of its own.

    Returns:
        One row per combination; ``refusal`` says why one has no numbers.

    Raises:
        InputError: a setting or value that there is not, or one that needs another design.
    """
    _check_axes(axes, recompile=recompile)
    if recompile and request is None:
        hints = ["compile it from a model or a .mlir file", "leave out recompile=True"]
        raise InputError("no-source", "what the design was compiled from is not known", where=design.name, hints=hints)
    fit = fit_of(design)
    rows = []
    for values in product(*axes.values()):
        given = dict(zip(axes, values, strict=True))
        settings = {full_key(key): _value(key, value) for key, value in given.items()}
        asked = _asked(request, design, settings) if recompile and request else None
        try:
            if asked is not None:
                varied = asked.chosen()
                numbers = _variant(varied.design, settings, engine)
                found = {**numbers, **_fitting(varied.fit)}
            else:
                found = {**_variant(design, settings, engine), **_fitting(fit)}
        except _ROW_ERRORS as error:
            rows.append({**given, "helped_most_by": "", "refusal": str(error)})
            continue
        rows.append({**given, **found, "refusal": ""})
    gained = [f"gain_{lever}" for lever in LEVERS]
    fits = ("fits", "fullest", "fullest_share")
    columns = [*axes, "cycles", "ms", "tokens_per_s", *fits, "helped_most_by", *gained, "refusal"]
    return pd.DataFrame(rows, columns=columns)


def _fitting(fit: Fit) -> dict[str, Any]:
    return {"fits": fit.fits, "fullest": NAMES[fit.fullest], "fullest_share": fit.share}


def _check_axes(axes: Mapping[str, Sequence[Scalar]], *, recompile: bool) -> None:
    if not axes:
        hints = ["give one, as in {'hbm.bandwidth': [115, 460]}"]
        raise InputError("no-axes", "no setting is varied", where="whatif", hints=hints)
    for key, values in axes.items():
        if isinstance(values, str) or not isinstance(values, Iterable) or not len(values):
            raise InputError("bad-value", f"'{key}' is not given as a list of values", where="whatif")
        full = full_key(key)
        check_keys({full: _value(key, values[0])}, "whatif")
        if not recompile and full not in (*HELD, *_LAUNCH):
            raise InputError(
                "not-held",
                f"'{key}' cannot change while the design stays as it is",
                where="whatif",
                hints=["give recompile=True"],
            )
        if recompile and not full.startswith((BOARD, OPTIONS)) and full not in (*_SHAPE, *_LAUNCH):
            raise InputError(
                "unknown-key",
                f"'{key}' is not a setting of one design",
                where="whatif",
                hints=[did_you_mean(full, [*_SHAPE, *_LAUNCH])],
            )


def _value(key: str, value: object) -> Value:
    plain = value.item() if isinstance(value, np.generic) else value
    try:
        return Value.model_validate({"value": plain})
    except ValidationError as error:
        raise InputError("bad-value", f"{value!r} is neither a number nor a name", where=f"whatif: {key}") from error


def _asked(request: CompileRequest, design: CompiledDesign, settings: Settings) -> CompileRequest:
    """The request with the settings; the board is the design's own, changed, unless another is named."""
    board = require_hbm(load_board(str(settings["board"].value))) if "board" in settings else design.board
    chosen = {key.removeprefix(OPTIONS): value.value for key, value in settings.items() if key.startswith(OPTIONS)}
    if "precision" in settings:
        chosen["precision"] = str(settings["precision"].value)
    shape: dict[str, Any] = {
        key: settings[key].value for key in ("model", "phase", "tokens", "context", "batch") if key in settings
    }
    if "model" in shape:
        shape["module"] = None
    return replace(
        request, board=changed_board(board, settings), options=options_with(request.options, chosen), **shape
    )


def options_with(options: CompileOptions, changes: Mapping[str, Any]) -> CompileOptions:
    """Options with some of them changed.

    Raises:
        InputError: no such option, or a value that it can't have.
    """
    today = {renamed().get(name, name): value for name, value in changes.items()}
    return validated(CompileOptions, {**options.given, **today}, "options")


def _variant(design: CompiledDesign, settings: Settings, engine: str) -> dict[str, Any]:
    """Cycles of one launch, and the speed of all that one token, or one prompt, takes."""
    board = changed_board(design.board, settings)
    result, launch = block_result(design, design, board, engine), launch_cost(settings, board)
    launches, facts = _launches(design), design.workload
    tokens = int(facts.get("asked_tokens", facts.get("tokens", 1))) * int(facts.get("batch", 1))
    tokens *= design.options.generate
    found = Speeds(result, launches or 1, tokens, launch.per_token_us(launches or 1))
    gained = {f"gain_{lever}": gain for lever, gain in found.gains.items()}
    ms = result["cycles"] / (1e3 * result["clock_mhz"])
    speed = found.speed if launches else None
    return {"cycles": result["cycles"], "ms": ms, "tokens_per_s": speed, "helped_most_by": found.helps_most, **gained}


def _launches(design: CompiledDesign) -> int | None:
    """Launches that a token takes; None where they are not all alike, or the model is not known."""
    model, described = str(design.workload.get("model", "")), design.workload.get("config")
    if described is None and not is_known(model.removeprefix(SMALL)):
        return None
    layers = described_config(model, None if described is None else str(described)).layers
    if layers % design.options.layers or ("head_columns" in design.workload and layers != design.options.layers):
        return None
    return layers // design.options.layers
