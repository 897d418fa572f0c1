"""Boards by name or by file, with ``extends:`` for what-ifs."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeGuard, TypeVar, get_args

import yaml
from pydantic import BaseModel, ValidationError
from yaml.composer import ComposerError
from yaml.constructor import ConstructorError

from sttest.boards.board import Board, FpgaBoard, GpuBoard
from sttest.core.errors import InputError, did_you_mean

# --- From pydantic's list of complaints to one line that names key, problem and way out


Model = TypeVar("Model", bound=BaseModel)
Location = tuple[int | str, ...]


def validated(model: type[Model], data: dict[str, Any], where: str) -> Model:
    """``data`` as a ``model``.

    Raises:
        InputError: the first complaint, unknown keys before all others, with the path
            of the key and, for an unknown key, the nearest known one.
    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        complaints = sorted(error.errors(), key=lambda found: found["type"] != "extra_forbidden")
        raise _input_error(model, complaints[0], where) from error


def _input_error(model: type[BaseModel], complaint: Any, where: str) -> InputError:
    location: Location = complaint["loc"]
    place = f"{where}: {_dotted(location)}" if location else where
    if complaint["type"] == "extra_forbidden":
        known = _known_keys(model, location[:-1])
        return InputError(
            "unknown-key", f"unknown key '{location[-1]}'", where=place, hints=[did_you_mean(str(location[-1]), known)]
        )
    if complaint["type"] == "missing":
        return InputError("missing-key", f"key '{location[-1]}' is missing", where=place)
    what = complaint["msg"].removeprefix("Value error, ").replace("valid dictionary or instance of", "mapping for")
    hints = ["write {value: …, unit: …, source: …, kind: …}"] if what.endswith("mapping for Quantity") else []
    return InputError("bad-value", f"{what[0].lower()}{what[1:]}{_given(complaint['input'])}", where=place, hints=hints)


def _given(value: Any) -> str:
    """The offending value, if it is one that fits on a line."""
    if isinstance(value, dict | list):
        return ""
    shown = repr(value)
    return f", given {shown if len(shown) <= 40 else shown[:37] + '...'}"


def _dotted(location: Location) -> str:
    return ".".join(str(step) for step in location)


def _known_keys(model: type[BaseModel], location: Location) -> list[str]:
    """Fields of the model that ``location`` leads to from ``model``."""
    current = [model]
    for step in map(str, location):
        fields = [found.model_fields[step] for found in current if step in found.model_fields]
        if not fields:  # an index of a list or a key of a mapping: the models inside stay the same
            continue
        current = [inner for field in fields for inner in _models_in(field.annotation)]
    return [name for found in current for name in found.model_fields]


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """Model classes named in an annotation: itself, or inside a union, tuple or Annotated."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
        return
    for inner in get_args(annotation):
        yield from _models_in(inner)


# --- Reading YAML that people wrote: safe, small, one mapping, every key once


MAX_FILE_BYTES = 256 * 1024
MAX_SCALAR_CHARS = 4096
_BAD_SCALAR = (ValueError, TypeError, LookupError, AttributeError, OverflowError)
"""What yaml's constructors raise on a scalar that only looks like a number or a date, such as 2001-99-99."""


class _StrictLoader(yaml.SafeLoader):
    """A safe loader that refuses aliases (they can blow a small file up) and repeated keys."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark
            raise ComposerError(None, None, "aliases are not allowed", mark)
        if self.check_event(yaml.ScalarEvent):
            _check_scalar(self.peek_event())
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[str] = set()
        for key_node, _ in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise ConstructorError(None, None, "a key is not a plain word", key_node.start_mark)
            if key_node.value in seen:
                raise ConstructorError(None, None, f"key '{key_node.value}' is given twice", key_node.start_mark)
            seen.add(key_node.value)
        return super().construct_mapping(node, deep)


def read_mapping(path: Path) -> dict[str, Any]:
    """The mapping that a YAML file holds.

    Raises:
        InputError: the file is missing, too large, not UTF-8, not YAML, holds tags
            other than YAML's own, or is not a mapping with text keys.
    """
    text = _read_text(path)
    try:
        # Readers may change what they get; a text that was read before is not parsed again.
        data = deepcopy(_parsed(text))
    except yaml.YAMLError as error:
        raise InputError("bad-yaml", _one_line(error), where=str(path)) from error
    except _BAD_SCALAR as error:
        raise InputError("bad-yaml", f"a value that cannot be read ({error})", where=str(path)) from error
    except RecursionError as error:
        raise InputError("bad-yaml", "nested too deeply", where=str(path)) from error
    if not isinstance(data, dict):
        what = f"holds a {type(data).__name__} where a mapping of keys is expected"
        raise InputError("bad-yaml", what, where=str(path), hints=["write 'key: value' lines"])
    return data


@lru_cache(maxsize=64)
def _parsed(text: str) -> object:
    return yaml.load(text, _StrictLoader)


def _check_scalar(event: yaml.ScalarEvent) -> None:
    """Refuses what is too long, or could steer a terminal that it is printed on."""
    line = f", line {event.start_mark.line + 1}" if event.start_mark else ""
    if len(event.value) > MAX_SCALAR_CHARS:
        raise yaml.YAMLError(f"a value of more than {MAX_SCALAR_CHARS} characters{line}")
    if not "".join(event.value.split()).isprintable():
        raise yaml.YAMLError(f"a value with characters that cannot be printed{line}")


def _read_text(path: Path) -> str:
    if path.exists() and not path.is_file():
        raise InputError("unreadable-file", "cannot be read: not a file", where=str(path))
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise InputError("unreadable-file", f"cannot be read: {error.strerror}", where=str(path)) from error
    if len(raw) > MAX_FILE_BYTES:
        raise InputError("file-too-large", "too large", where=str(path), bound=MAX_FILE_BYTES, unit="bytes")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError("bad-encoding", f"not UTF-8 at byte {error.start}", where=str(path)) from error


def _one_line(error: yaml.YAMLError) -> str:
    if not isinstance(error, yaml.MarkedYAMLError):
        return " ".join(str(error).split())
    mark = error.problem_mark or error.context_mark
    place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
    return f"{place}{error.problem or error.context}"


DATA_DIR = Path(__file__).parent / "data"
SHIPPED = ("a100", "rtx2080ti", "u280", "u55c")
DEVICES = {"fpga": FpgaBoard, "gpu": GpuBoard}


def board_names() -> list[str]:
    """Names of the boards that come with sttest, sorted."""
    return sorted(SHIPPED)


def load_board(name_or_path: str | Path) -> Board:
    """The board of a shipped name (``u55c``) or of a YAML file (``mine.yaml``).

    Raises:
        InputError: unknown name, unreadable file, or a description that is not a
            board; the message names file, key and the nearest known key.
    """
    path = _board_path(str(name_or_path), Path.cwd(), where="board")
    data = _resolved(path, chain=())
    device = data.get("device")
    if not isinstance(device, str) or device not in DEVICES:
        what = f"device is {device!r}, not one of {', '.join(DEVICES)}"
        raise InputError("bad-value", what, where=str(path), hints=["extend a board, as in 'extends: u55c'"])
    return validated(DEVICES[device], data, str(path))


def require_hbm(board: Board) -> FpgaBoard:
    """The board, if dataflow kernels can be fed from its HBM.

    Raises:
        InputError: the board is a GPU or has no HBM pseudo-channels.
    """
    if _feeds_kernels(board):
        return board
    fitting = [name for name in board_names() if _feeds_kernels(load_board(name))]
    raise InputError(
        "board-without-hbm",
        f"board '{board.name}' has no HBM pseudo-channels for dataflow kernels",
        hints=[f"choose one of {', '.join(fitting)}"],
    )


def _feeds_kernels(board: Board) -> TypeGuard[FpgaBoard]:
    return isinstance(board, FpgaBoard) and board.memory.hbm is not None


def _board_path(name: str, folder: Path, where: str) -> Path:
    """The file of a shipped board or, for what looks like a path, that file beside ``folder``."""
    if name in board_names():
        return DATA_DIR / f"{name}.yaml"
    if name.endswith((".yaml", ".yml")) or "/" in name:
        return (folder / name).resolve()
    hints = [did_you_mean(name, board_names()), "give the path of a .yaml file"]
    raise InputError("unknown-board", f"unknown board '{name}'", where=where, hints=hints)


def _resolved(path: Path, chain: tuple[Path, ...]) -> dict[str, Any]:
    """The keys of a board file over those of the boards that it extends."""
    if path in chain:
        loop = " -> ".join(step.name for step in (*chain, path))
        raise InputError("extends-cycle", f"'extends' goes round in a circle: {loop}", where=str(path))
    data = {"name": path.stem, **read_mapping(path)}
    base_name = data.pop("extends", None)
    if base_name is None:
        return data
    if not isinstance(base_name, str):
        raise InputError("bad-value", "'extends' is not the name or path of a board", where=str(path))
    base = _board_path(base_name, path.parent, where=f"{path}: extends")
    return _merged(_resolved(base, (*chain, path)), data, origin=path.name)


def _merged(base: dict[str, Any], over: dict[str, Any], origin: str) -> dict[str, Any]:
    """``over`` laid over ``base``, key by key in depth; lists are replaced whole."""
    merged = {**base, **_with_provenance(base, over, origin)}
    for key, value in over.items():
        if isinstance(value, dict) and isinstance(base.get(key), dict):
            merged[key] = _merged(base[key], value, origin)
    return merged


def _with_provenance(base: dict[str, Any], over: dict[str, Any], origin: str) -> dict[str, Any]:
    """A changed value no longer has the source of the value that it replaces: say so."""
    if "value" not in over or "source" not in base:
        return over
    note = f"what-if of {origin}; before: {base.get('value')} {base.get('unit')} ({base['source']})"
    return {"source": note, "kind": "assumed", **over}
