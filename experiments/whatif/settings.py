"""What a study may set, and how a combination of settings becomes the full configuration of a block."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, cast

from experiments.whatif.board_settings import BOARD, board_of
from experiments.whatif.precision import BITS, scheme_of
from experiments.whatif.study import Scalar, Value
from sttest.boards.board import FpgaBoard
from sttest.compile.pipeline import Knobs
from sttest.errors import InputError, did_you_mean
from sttest.models.program import Phase, check_shape
from sttest.models.quant.scheme import QuantScheme
from sttest.models.registry import model_config
from sttest.results import Kind

KNOBS = "knobs."
# The scheme has settings of its own; lanes per task are names that only one shape of one model has.
_KNOBS = {field.name: type(field.default) for field in fields(Knobs) if field.name not in ("precision", "lanes")}
_PLAIN: dict[str, Scalar] = {
    "model": "gpt2", "phase": "decode", "tokens": 32, "context": 64, "launch": "queued_us", "launch_per": "layer",
}  # fmt: skip
"""Settings with their defaults; ``tokens`` counts in a prefill only, ``context`` in a decode only."""
_CHOICES = {"phase": ("prefill", "decode"), "launch_per": ("layer", "token")}
_WHOLE = ("tokens", "context")

Settings = Mapping[str, Value]


@dataclass(frozen=True)
class Configuration:
    """Everything that the simulated time of a block depends on, by content rather than by name.

    ``design_board`` is what it is compiled for, ``board`` what it runs on; they differ in the HBM at most.
    """

    model: str
    phase: Phase
    tokens: int
    context: int
    knobs: Knobs
    scheme: QuantScheme
    board: FpgaBoard
    design_board: FpgaBoard

    def to_dict(self) -> dict[str, Any]:
        """Plain data, from which another machine can make the same block."""
        boards = {name: getattr(self, name).model_dump(mode="json", exclude_none=True)
                  for name in ("board", "design_board")}  # fmt: skip
        shape = {name: getattr(self, name) for name in ("model", "phase", "tokens", "context")}
        return {**shape, "knobs": asdict(self.knobs), "scheme": asdict(self.scheme), **boards}


@dataclass(frozen=True)
class LaunchCost:
    """What starting kernels costs, in microseconds, and whether all layers of a token are started at once."""

    us: float
    per: str
    kind: Kind
    source: str

    def per_token_us(self, layers: int) -> float:
        """For all layers."""
        return self.us * (layers if self.per == "layer" else 1)


def check_keys(settings: Settings, where: str) -> None:
    """Refuses settings that there are not; paths into a board are checked against the board.

    Raises:
        InputError: with the nearest known key.
    """
    known = [*_PLAIN, "precision", "board", *BITS, *(f"{KNOBS}{name}" for name in _KNOBS)]
    for key in settings:
        if key not in known and not key.startswith(BOARD):
            levers = [did_you_mean(key, [*known, f"{BOARD}clock_mhz", f"{BOARD}hbm.bandwidth", f"{BOARD}hbm.channels"])]
            raise InputError("unknown-key", f"unknown setting '{key}'", where=where, levers=levers)


def configuration(settings: Settings, compiled_for: Settings, folder: Path) -> Configuration:
    """The full configuration of one point.

    Args:
        settings: base and axes together.
        compiled_for: settings of the board that the design is compiled for instead.
        folder: that relative paths start from.

    Raises:
        InputError: a value that a setting cannot have, a shape that the model does not have, or a precision that
            the compiler does not support.
    """
    phase, model = phase_of(settings), model_of(settings)
    prefill = phase == "prefill"
    tokens, context = (int(_plain(settings, "tokens")), 0) if prefill else (1, int(_plain(settings, "context")))
    check_shape(model_config(model), phase, tokens, context)
    board = board_of(settings, folder)
    design_board = board_of({**settings, **compiled_for}, folder) if compiled_for else board
    return Configuration(
        model, phase, tokens, context, _knobs(settings), scheme_of(settings, folder), board, design_board
    )


def launch_cost(settings: Settings, board: FpgaBoard) -> LaunchCost:
    """A published figure of the board by its name, or microseconds.

    Raises:
        InputError: no such figure, or not a duration.
    """
    per = str(_plain(settings, "launch_per"))
    given = settings.get("launch", Value(value=_PLAIN["launch"]))
    if not isinstance(given.value, str):
        if given.value < 0:
            raise _bad("launch", given.value, "give microseconds of at least 0")
        return LaunchCost(float(given.value), per, given.kind, given.source or "what-if")
    known = type(board.launch).model_fields
    if given.value not in known:
        raise _bad("launch", given.value, did_you_mean(given.value, known))
    quantity = getattr(board.launch, given.value)
    return LaunchCost(quantity.value, per, quantity.kind, quantity.source)


def model_of(settings: Settings) -> str:
    """Name of the model."""
    return str(_plain(settings, "model"))


def phase_of(settings: Settings) -> Phase:
    """The phase.

    Raises:
        InputError: there is no such phase.
    """
    return cast(Phase, _plain(settings, "phase"))


def _plain(settings: Settings, key: str) -> Scalar:
    value = settings[key].value if key in settings else _PLAIN[key]
    if key in _CHOICES and value not in _CHOICES[key]:
        raise _bad(key, value, did_you_mean(str(value), _CHOICES[key]))
    if key in _WHOLE and not isinstance(value, int):
        raise _bad(key, value, "give a whole number")
    return value


def _knobs(settings: Settings) -> Knobs:
    chosen: dict[str, Any] = {}
    for key, given in settings.items():
        name = key.removeprefix(KNOBS)
        if key.startswith(KNOBS):
            if not isinstance(given.value, _KNOBS[name]):
                raise _bad(key, given.value, f"give {'a whole number' if _KNOBS[name] is int else 'a name'}")
            chosen[name] = given.value
    return Knobs(**chosen)


def _bad(key: str, value: object, lever: str) -> InputError:
    return InputError("bad-value", f"{key} is {value!r}", where="study", levers=[lever])
