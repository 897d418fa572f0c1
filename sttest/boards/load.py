"""Boards by name or by file, with ``extends:`` for what-ifs.

    Offer("boards", "my-card", "my_package:boards/my-card.yaml")

makes a file known by name.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from sttest.boards.base import DataSheet
from sttest.boards.board import FpgaBoard
from sttest.boards.part import Quantity
from sttest.boards.rates import limit_notes, with_rates_of_peaks
from sttest.core.errors import InputError, did_you_mean, note
from sttest.core.extensions import load_class, offer_named, offers
from sttest.core.files import read_yaml
from sttest.core.validation import validated

__depends__ = ("sttest/built_in/boards.py", "sttest/built_in/parts.py", "sttest/boards/data/*", "sttest/boards/*.py")

DATA_DIR = Path(__file__).parent / "data"


def board_names() -> list[str]:
    """Names of the boards that come with sttest and with extensions, sorted."""
    return sorted(offers("boards"))


def known_boards() -> list[DataSheet]:
    """The boards that are known by name, sorted; one of an extension that is broken is left out, and a note says so."""
    found: list[DataSheet] = []
    for name in board_names():
        try:
            found.append(load_board(name))
        except InputError as error:
            note(f"board '{name}' is left out: {error}")
    return found


def load_board(name_or_path: str | Path) -> DataSheet:
    """The board of a shipped name (``u55c``) or of a YAML file (``mine.yaml``).

    Raises:
        InputError: unknown name, unreadable file, or a description that is not a
            board; the message names file, key and the nearest known key.
    """
    board = _loaded(_board_path(str(name_or_path), Path.cwd(), where="board"))
    for line in board_notes(name_or_path):
        note(line)
    return board


def board_notes(name_or_path: str | Path) -> list[str]:
    """What a file that extends a board overrides without effect, a line each; nothing for a shipped board."""
    path = _board_path(str(name_or_path), Path.cwd(), where="board")
    over = read_yaml(path)
    if path.parent == DATA_DIR or "extends" not in over:
        return []
    base_path = _board_path(over.pop("extends"), path.parent, where=f"{path}: extends")
    unchanged = [
        f"{key}: is {value:g} without the override, too"
        for key, value in _repeated(_resolved(base_path, chain=()), over)
    ]
    limited = limit_notes(_loaded(base_path), _loaded(path), over)
    return [f"{path.name}: {line}" for line in (*unchanged, *limited)]


def _loaded(path: Path) -> DataSheet:
    data = _resolved(path, chain=())
    device = data.get("device")
    part = offer_named("parts", device) if isinstance(device, str) else None
    if part is None:
        what = f"device is {device!r}, not one of {', '.join(offers('parts'))}"
        raise InputError("bad-value", what, where=str(path), hints=["extend a board, as in 'extends: u55c'"])
    return validated(load_class(part, DataSheet), data, str(path))


def quantities(part: BaseModel, path: str = "") -> Iterator[tuple[str, Quantity]]:
    """Every quantity of a board by its dotted path, in the order of the file's schema."""
    for name in type(part).model_fields:
        value = getattr(part, name)
        items = enumerate(value) if isinstance(value, tuple) else [(None, value)]
        for index, item in items:
            place = f"{path}{name}" if index is None else f"{path}{name}[{index}]"
            if isinstance(item, Quantity):
                yield place, item
            elif isinstance(item, BaseModel):
                yield from quantities(item, f"{place}.")


def require_hbm(board: DataSheet) -> FpgaBoard:
    """The board, if dataflow kernels can be fed from its HBM.

    Raises:
        InputError: the board is a GPU or has no HBM pseudo-channels.
    """
    if board.target is not None:
        return board.target
    fitting = [each.name for each in known_boards() if each.target]
    raise InputError(
        "board-without-hbm",
        f"board '{board.name}' has no HBM pseudo-channels for dataflow kernels",
        hints=[f"choose one of {', '.join(fitting)}"],
    )


def target_board(board: str | Path | FpgaBoard) -> FpgaBoard:
    """The board that something is compiled for, given by name, file, or as it is.

    Raises:
        InputError: there is no such board, or kernels cannot be fed from its memory.
    """
    return require_hbm(load_board(board) if isinstance(board, str | Path) else board)


def _board_path(name: str, folder: Path, where: str) -> Path:
    """The file of a shipped board or, for what looks like a path, that file beside ``folder``."""
    offer = offer_named("boards", name)
    if offer is not None:
        return offer.load()
    if name.endswith((".yaml", ".yml")) or "/" in name:
        return (folder / name).resolve()
    hints = [did_you_mean(name, board_names()), "give the path of a .yaml file"]
    raise InputError("unknown-board", f"unknown board '{name}'", where=where, hints=hints)


def _resolved(path: Path, chain: tuple[Path, ...]) -> dict[str, Any]:
    """The keys of a board file over those of the boards that it extends."""
    if path in chain:
        loop = " -> ".join(step.name for step in (*chain, path))
        raise InputError("extends-cycle", f"'extends' goes round in a circle: {loop}", where=str(path))
    data = {"name": path.stem, **read_yaml(path)}
    base_name = data.pop("extends", None)
    if base_name is None:
        return data
    if not isinstance(base_name, str):
        raise InputError("bad-value", "'extends' is not the name or path of a board", where=str(path))
    base = _board_path(base_name, path.parent, where=f"{path}: extends")
    before = _resolved(base, (*chain, path))
    return with_rates_of_peaks(before, _merged(before, data, origin=path.name), data)


def _merged(base: dict[str, Any], over: dict[str, Any], origin: str) -> dict[str, Any]:
    """``over`` laid over ``base``, key by key in depth; lists are replaced whole."""
    merged = {**base, **_with_provenance(base, over, origin)}
    for key, value in over.items():
        before = base.get(key)
        if isinstance(value, dict) and isinstance(before, dict) and not _is_of_another_kind(key, before, value):
            merged[key] = _merged(before, value, origin)
    return merged


def _is_of_another_kind(key: str, before: Mapping[str, Any], value: Mapping[str, Any]) -> bool:
    """Whether a memory is replaced by one of another kind, of which no key of the former holds."""
    is_quantity = "value" in before
    return not is_quantity and "kind" in value and value["kind"] != before.get("kind", key)


def _with_provenance(base: dict[str, Any], over: dict[str, Any], origin: str) -> dict[str, Any]:
    """A changed value no longer has the source of the value that it replaces: say so."""
    if "value" not in over or "source" not in base:
        return over
    note = f"what-if of {origin}; before: {base.get('value')} {base.get('unit')} ({base['source']})"
    return {"source": note, "kind": "assumed", **over}


def _repeated(base: Mapping[str, Any], over: Mapping[str, Any], place: str = "") -> Iterator[tuple[str, float]]:
    """Quantities that ``over`` sets to what they are in ``base``, without saying where the number is from."""
    for key, value in over.items():
        before = base.get(key)
        if not isinstance(value, dict) or not isinstance(before, dict):
            continue
        if "value" not in value:
            yield from _repeated(before, value, f"{place}{key}.")
        elif value["value"] == before.get("value") and "source" not in value:
            yield f"{place}{key}", value["value"]
