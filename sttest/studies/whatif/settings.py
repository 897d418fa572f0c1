"""What a study may set, and how a combination of settings becomes the full configuration of a block."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, cast

from sttest.boards.board import FpgaBoard
from sttest.boards.load import board_names, load_board, require_hbm
from sttest.boards.memories import Hbm
from sttest.boards.rates import KNOWN, PEAK, following_rates
from sttest.compile.options import CompileOptions, renamed, study_keys
from sttest.core.errors import InputError, did_you_mean
from sttest.core.results import Kind
from sttest.core.validation import validated
from sttest.explore.choice import CHOICES, Choice, decides_design, read_choice
from sttest.explore.found import BUDGETS, NamedDesign, known_design, named_design
from sttest.models.program import Phase, check_shape
from sttest.models.quant import DEFAULT_SCHEME
from sttest.models.quant.scheme import QuantScheme, load_scheme, schemes
from sttest.models.registry import description, model_config
from sttest.reference.weight_types import weight_types
from sttest.studies.whatif.speculation import Acceptance
from sttest.studies.whatif.study import OPTIONS, Scalar, Value, todays_key
from sttest.studies.workload import TEXT_PHASE, file_workload, is_file, refuse_parameters

# --- Settings that begin with ``board``: another board, or one quantity of it by its dotted path


BOARD = "board."
DEFAULT_BOARD = "u55c"
BANDWIDTH = f"{BOARD}hbm.bandwidth"
CHANNELS = f"{BOARD}hbm.channels"
_HBM = "memory.hbm."
Changes = list[tuple[str, Value]]


def board_of(settings: Mapping[str, Value], folder: Path) -> FpgaBoard:
    """The board of a point: ``board`` names it, ``board.<path>`` changes a quantity of it.

    Two paths are shorthands.  ``board.hbm.channels``: pseudo-channels, each with its AXI ports, none faster than
    before.  ``board.hbm.bandwidth``: GB/s of all channels at their peak.  With a peak, what is sustained keeps its
    share of it and ports get the clock that they need, unless they are set as well.

    Raises:
        InputError: no such board, no such path, or a value that the quantity cannot have.
    """
    return changed_board(_base(_place(settings, folder)), settings)


def changed_board(base: FpgaBoard, settings: Mapping[str, Value]) -> FpgaBoard:
    """A board with the quantities that settings ``board.<path>`` change; other settings are passed over.

    Raises:
        InputError: no such path, or a value that the quantity cannot have.
    """
    changes = [(key.removeprefix(BOARD), value) for key, value in settings.items() if key.startswith(BOARD)]
    for path, value in sorted(changes, key=lambda change: _turn(change[0])):
        data = base.model_dump(mode="json", exclude_none=True)
        for target, new in _spelled_out(path, value, base):
            _set(data, target, new)
        base = validated(FpgaBoard, data, f"study: {BOARD}{path}")
    return base


def _turn(path: str) -> int:
    """Channels first: a bandwidth is shared out over them; then peaks, which what is set of their own goes over."""
    is_peak = f"{BOARD}{path}" == BANDWIDTH or path.endswith(f".{PEAK}")
    return 0 if f"{BOARD}{path}" == CHANNELS else 1 if is_peak else 2


@cache
def _base(name_or_path: str) -> FpgaBoard:
    """A study has many points on few boards: each file is read once."""
    return require_hbm(load_board(name_or_path))


def full_key(key: str) -> str:
    """The full name of a setting: ``hbm.bandwidth`` means ``board.hbm.bandwidth``, ``tile_size`` an option."""
    key = todays_key(key)
    if key in known_keys():
        return key
    if f"{OPTIONS}{key}" in known_keys():
        return f"{OPTIONS}{key}"
    first = key.partition(".")[0]
    return f"{BOARD}{key}" if first == "hbm" or first in FpgaBoard.model_fields else key


def unit_of(key: str, board: FpgaBoard) -> str:
    """Unit of a setting ``board.<path>``."""
    if key == BANDWIDTH:
        return "GB/s"
    if key == CHANNELS:
        return "count"
    return str(_quantity(board.model_dump(mode="json"), key.removeprefix(BOARD))["unit"])


def _place(settings: Mapping[str, Value], folder: Path) -> str:
    name = str(settings["board"].value) if "board" in settings else DEFAULT_BOARD
    return name if name in board_names() or not name.endswith((".yaml", ".yml")) else str(folder / name)


def _spelled_out(path: str, value: Value, board: FpgaBoard) -> Changes:
    if f"{BOARD}{path}" == CHANNELS:
        parts = board.memory.hbm.ports_per_channel if isinstance(board.memory.hbm, Hbm) else 1
        ports = value.model_copy(update={"value": _number(path, value) * parts})
        return [(f"{_HBM}pseudo_channels", value), (f"{_HBM}axi_ports", ports)]
    if f"{BOARD}{path}" == BANDWIDTH:
        channel = value.model_copy(update={"value": _number(path, value) * _peak_share(board)})
        return _spelled_out(f"{_HBM}{PEAK}", channel, board)
    place, _, name = path.rpartition(".")
    part = getattr(board.memory, place.removeprefix("memory."), None) if name == PEAK else None
    if part is None:
        return [(path, value)]
    known = {each: getattr(part, each).value for each in KNOWN if hasattr(part, each)}
    numbers = {name: value.value, **following_rates(known, _number(path, value))}
    return [(f"{place}.{each}", value.model_copy(update={"value": number})) for each, number in numbers.items()]


def _peak_share(board: FpgaBoard) -> float:
    """The part of the bandwidth that is the peak of what the board's file calls a channel."""
    peak = getattr(board.memory.hbm, PEAK, None)
    own = board.feed.peak_gb_per_s_per_channel if peak is None else peak.value
    return own / board.peak_bandwidth_gb_per_s


def _number(path: str, value: Value) -> float:
    if isinstance(value.value, str):
        raise InputError("bad-value", f"'{value.value}' is not a number", where=f"study: {BOARD}{path}")
    return float(value.value)


def _set(data: dict[str, Any], path: str, value: Value) -> None:
    quantity = _quantity(data, path)
    before = f"{quantity['value']:g} {quantity['unit']} ({quantity['source']})"
    source = value.source or f"what-if; before: {before}"
    quantity.update(value=_number(path, value), source=source, kind=value.kind)


def _quantity(data: Any, path: str) -> dict[str, Any]:
    """The quantity at a dotted path; steps into lists are numbers."""
    for step in path.split("."):
        known = [str(number) for number in range(len(data))] if isinstance(data, list) else list(data)
        if step not in known or not isinstance(data, dict | list):
            hints = [did_you_mean(step, [*known, "hbm.bandwidth", "hbm.channels"])]
            raise InputError("unknown-key", f"unknown key '{step}'", where=f"study: {BOARD}{path}", hints=hints)
        data = data[int(step)] if isinstance(data, list) else data[step]
        if not isinstance(data, dict | list):
            break
    if not isinstance(data, dict) or "unit" not in data:
        hints = ["name a quantity, see 'sttest board'"]
        raise InputError("not-a-quantity", "leads to no quantity", where=f"study: {BOARD}{path}", hints=hints)
    return data


# --- Settings of precision: a scheme by name or file, or bits of weights, activations and cache


BITS = ("bits.weights", "bits.activations", "bits.kv")
_DEFAULTS = {"bits.weights": 8, "bits.activations": 8, "bits.kv": 8}
_WIDTHS = (32, 16, 8, 4)
_MOST_INTEGER = 8
_FLOATS = (32, 32, 32)


def scheme_of(settings: Mapping[str, Value], folder: Path) -> QuantScheme:
    """The scheme of a point.

    Raises:
        InputError: unknown, or bits for which the compiler has no streams; then nothing stands in for it.
    """
    if not any(key in settings for key in BITS):
        name = str(settings["precision"].value) if "precision" in settings else DEFAULT_SCHEME
        return load_scheme(folder / name if name.endswith((".yaml", ".yml")) else name)
    if "precision" in settings:
        raise InputError("key-twice", "precision and bits are both set", where="study", hints=["leave one out"])
    bits = tuple(settings[key].value if key in settings else _DEFAULTS[key] for key in BITS)
    if bits == _FLOATS:
        return schemes()["fp32"]
    weights, activations, kv = bits
    types = _weights_by_bits()
    if weights not in types or activations not in _WIDTHS or kv not in _WIDTHS:
        raise InputError(
            "no-such-precision",
            f"no streams for W{weights} A{activations} KV{kv}",
            where="quantization",
            hints=[f"weights have {_listed(types)} bits", f"activations and cache {_listed(_WIDTHS)}"],
        )
    scheme = schemes()[DEFAULT_SCHEME]
    return replace(
        scheme,
        name=f"w{weights}a{activations}kv{kv}",
        weights=types[float(weights)],
        kv_bits=int(kv),
        activations="none" if activations > _MOST_INTEGER else scheme.activations,
        activation_bits=int(activations),
    )


def _weights_by_bits() -> dict[float, str]:
    """The type of weights of so many bits, most bits first; of several the first that is known."""
    found: dict[float, str] = {}
    for each in weight_types().values():
        found.setdefault(each.told or each.bits, each.name)
    return dict(sorted(found.items(), reverse=True))


def _listed(numbers: Iterable[float]) -> str:
    return ", ".join(f"{number:g}" for number in numbers)


DESIGN = "design"
_PLAIN: dict[str, Scalar] = {
    "model": "gpt2",
    "phase": "decode",
    "tokens": 32,
    "context": 64,
    "batch": 1,
    "launch": "queued_us",
    "launch_per": "layer",
    "step_tokens": 1,
    "acceptance": 1,
    "draft": 0,
    "link_us": 0,
}
"""Settings with their defaults; ``tokens``, of each sequence, count in a prefill only, ``context`` in a decode only.

A decode step takes ``step_tokens``, of which the first is known and the others come from a ``draft``: microseconds for
each, or a model on the same board.  ``acceptance`` is the share of them that is accepted, or a trace; ``link_us`` what
a step and its drafts wait for each other.
"""
_CHOICES = {"phase": ("prefill", "decode"), "launch_per": ("layer", "token")}
_WHOLE = ("tokens", "context", "batch", "step_tokens")

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
    options: CompileOptions
    scheme: QuantScheme
    board: FpgaBoard
    design_board: FpgaBoard
    text: str = ""  # linalg text of a file; empty for a model, whose shape says what its text is
    batch: int = 1  # sequences
    choice: Choice = "default"  # choice of the design

    def to_dict(self) -> dict[str, Any]:
        """Plain data, from which another machine can make the same block."""
        boards = {
            name: getattr(self, name).model_dump(mode="json", exclude_none=True) for name in ("board", "design_board")
        }
        shape = {name: getattr(self, name) for name in ("model", "phase", "tokens", "context")}
        # What is stored of one sequence keeps its key.
        shape |= {"batch": self.batch} if self.batch > 1 else {}
        described = None if self.text else description(model_config(self.model))
        own = {"text": self.text} if self.text else {} if described is None else {"config": described}
        choice = self.choice if isinstance(self.choice, str) else self.choice.to_dict()
        made = {"design": choice, "options": self.options.given, "scheme": asdict(self.scheme)}
        return {**shape, **own, **made, **boards}


@dataclass(frozen=True)
class LaunchCost:
    """What starting kernels costs, in microseconds, and whether all layers of a token are started at once."""

    us: float
    per: str
    kind: Kind
    source: str

    def per_token_us(self, launches: int) -> float:
        """Cost of all launches, microseconds."""
        return self.us * (launches if self.per == "layer" else 1)


def known_keys() -> list[str]:
    """Every setting but the paths into a board."""
    return [*_PLAIN, "precision", "parameters", "board", DESIGN, *BITS, *(f"{OPTIONS}{name}" for name in study_keys())]


def check_keys(settings: Settings, where: str) -> None:
    """Refuses settings that there are not; paths into a board are checked against the board.

    Raises:
        InputError: an unknown key; the hint names the nearest known one.
    """
    known = known_keys()
    for key in settings:
        if key not in known and not key.startswith(BOARD) and key.removeprefix(OPTIONS) not in renamed():
            hints = [did_you_mean(key, [*known, f"{BOARD}clock_mhz", f"{BOARD}hbm.bandwidth", f"{BOARD}hbm.channels"])]
            raise InputError("unknown-key", f"unknown setting '{key}'", where=where, hints=hints)


def configuration(settings: Settings, compiled_for: Settings, folder: Path) -> Configuration:
    """The full configuration of one point.

    Args:
        settings: base and axes together.
        compiled_for: settings of the board that the design is compiled for instead.
        folder: folder that relative paths start from.

    Raises:
        InputError: a value that a setting cannot have, a shape that the model does not have, or a precision that
            the compiler does not support.
    """
    model, text = model_of(settings), ""
    board = board_of(settings, folder)
    design_board = board_of({**settings, **compiled_for}, folder) if compiled_for else board
    options, choice = _options(settings, folder)
    rest = (options, scheme_of(settings, folder), board, design_board)
    names = str(settings["parameters"].value).split(",") if "parameters" in settings else ()
    parameters = [name.strip() for name in names]
    if is_file(model):
        given = {name: settings.get(name) for name in ("phase", "tokens", "context", "batch")}
        _, text = file_workload(folder / model, given, parameters)
        return Configuration(Path(model).stem, TEXT_PHASE, 1, 0, *rest, text, choice=choice)
    refuse_parameters(model, parameters)
    phase = phase_of(settings)
    prefill = phase == "prefill"
    step = int(_plain(settings, "step_tokens"))
    tokens, context = (int(_plain(settings, "tokens")), 0) if prefill else (step, int(_plain(settings, "context")))
    batch = int(_plain(settings, "batch"))
    config = model_config(model)
    check_shape(config, phase, tokens, context, batch)
    if config.layers % options.layers:
        raise InputError(
            "layers-left",
            f"launches of {options.layers} layers leave some of {config.layers} over",
            where="options.layers",
            hints=[f"take a divisor of {config.layers}"],
        )
    return Configuration(model, phase, tokens, context, *rest, batch=batch, choice=choice)


@dataclass(frozen=True)
class Drafts:
    """Where drafted tokens come from: a model's design, or microseconds for each."""

    count: int  # drafted tokens per step
    model: str = ""  # name of a model that drafts; empty where ``us`` says what a token takes
    us: float = 0.0
    link_us: float = 0.0  # microseconds on the link per step

    @property
    def settings(self) -> dict[str, Value]:
        """What differs in the settings of the model that drafts."""
        return {"model": Value(value=self.model), "step_tokens": Value(value=1)}


def drafts(settings: Settings) -> Drafts:
    """What drafts the tokens of a step.

    Raises:
        InputError: not a duration.
    """
    given, link_us = _plain(settings, "draft"), _plain(settings, "link_us")
    count = int(_plain(settings, "step_tokens")) - 1 if phase_of(settings) == "decode" else 0
    for name, value in (("draft", given), ("link_us", link_us)):
        if not isinstance(value, str) and value < 0:
            raise _bad(name, value, "give microseconds of at least 0")
    if isinstance(link_us, str):
        raise _bad("link_us", link_us, "give microseconds of at least 0")
    if isinstance(given, str):
        return Drafts(count, model=given, link_us=float(link_us))
    return Drafts(count, us=float(given), link_us=float(link_us))


def acceptance(settings: Settings, folder: Path) -> Acceptance:
    """How many drafted tokens are accepted.

    Raises:
        InputError: no share, or no such trace.
    """
    return Acceptance.of(_plain(settings, "acceptance"), folder)


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
    """Name of the model, or path of a text."""
    return str(_plain(settings, "model"))


def phase_of(settings: Settings) -> Phase:
    """The phase.

    Raises:
        InputError: there is no such phase.
    """
    if is_file(model_of(settings)):
        return TEXT_PHASE
    return cast(Phase, _plain(settings, "phase"))


def _plain(settings: Settings, key: str) -> Scalar:
    value = settings[key].value if key in settings else _PLAIN[key]
    if key in _CHOICES and value not in _CHOICES[key]:
        raise _bad(key, value, did_you_mean(str(value), _CHOICES[key]))
    if key in _WHOLE and not isinstance(value, int):
        raise _bad(key, value, "give a whole number")
    return value


def _options(settings: Settings, folder: Path) -> tuple[CompileOptions, Choice]:
    """The options that are set, and which design they are of: the best one, where they do not decide the lanes."""
    given = {
        key.removeprefix(OPTIONS): _option_value(key.removeprefix(OPTIONS), value.value)
        for key, value in settings.items()
        if key.startswith(OPTIONS)
    }
    asked = validated(CompileOptions, given, "study: options")
    choice = _choice(settings, folder)
    if isinstance(choice, NamedDesign):
        _refuse_other_precision(choice, settings)
    if choice == "default" or "layers" in given or decides_design(asked):
        return asked, choice
    model = model_of(settings)
    known = None if is_file(model) else known_design(model, phase_of(settings), asked.budget)
    known = choice if isinstance(choice, NamedDesign) else known
    # A launch runs as many layers as the known design was found for: in a decode step, all of them.
    return asked if known is None else asked.with_(layers=known.file.layers), choice


def _choice(settings: Settings, folder: Path) -> Choice:
    name = str(settings[DESIGN].value) if DESIGN in settings else "best"
    if name in CHOICES:
        return read_choice(name)
    if name not in BUDGETS and not name.endswith((".yaml", ".yml")):
        hints = [did_you_mean(name, [*CHOICES, *BUDGETS]), "name a YAML file with options"]
        raise InputError("bad-value", f"design is {name!r}", where="study", hints=hints)
    return named_design(name, model_of(settings), phase_of(settings), folder)


def _refuse_other_precision(named: NamedDesign, settings: Settings) -> None:
    precision = named.file.compile_options(named.name).precision
    if precision != DEFAULT_SCHEME and not any(key in settings for key in ("precision", *BITS)):
        raise InputError(
            "other-precision",
            f"the design is of {precision}, and the study does not say so",
            where=named.name,
            hints=[f"set precision: {precision}"],
        )


def _option_value(name: str, value: Scalar) -> Scalar | bool:
    """0 and 1 for an option that is on or off: values of a study are words and numbers."""
    field = CompileOptions.model_fields.get(renamed().get(name, name))
    is_switch = field is not None and field.annotation is bool
    return bool(value) if is_switch and value in (0, 1) else value


def _bad(key: str, value: object, hint: str) -> InputError:
    return InputError("bad-value", f"{key} is {value!r}", where="study", hints=[hint])
