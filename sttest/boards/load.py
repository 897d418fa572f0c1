"""Boards by name or by file, with ``extends:`` for what-ifs."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeGuard

from pydantic import BaseModel

from sttest.boards.board import Board, FpgaBoard, GpuBoard
from sttest.boards.part import Quantity
from sttest.boards.rates import limit_notes, with_rates_of_peaks
from sttest.boards.systems import DuplexBoard, MeshBoard, PimBoard, RduBoard
from sttest.core.errors import InputError, did_you_mean, note
from sttest.core.files import read_yaml
from sttest.core.validation import validated

__depends__ = ("sttest/boards/data/*",)

DATA_DIR = Path(__file__).parent / "data"
SHIPPED = (
    "a100", "duplex", "kv260", "pim-gpt", "rtx2080ti", "sn40l", "u280", "u55c", "v80", "vhk158", "wse-2",
)  # fmt: skip
DEVICES = {
    "fpga": FpgaBoard, "gpu": GpuBoard, "pim": PimBoard, "mesh": MeshBoard,
    "duplex": DuplexBoard, "rdu": RduBoard,
}  # fmt: skip


def board_names() -> list[str]:
    """Names of the boards that come with sttest, sorted."""
    return sorted(SHIPPED)


def load_board(name_or_path: str | Path) -> Board:
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
    unchanged = [f"{key}: is {value:g} without the override, too" for key, value in
                 _repeated(_resolved(base_path, chain=()), over)]  # fmt: skip
    limited = limit_notes(_loaded(base_path), _loaded(path), over)
    return [f"{path.name}: {line}" for line in (*unchanged, *limited)]


def _loaded(path: Path) -> Board:
    data = _resolved(path, chain=())
    device = data.get("device")
    if not isinstance(device, str) or device not in DEVICES:
        what = f"device is {device!r}, not one of {', '.join(DEVICES)}"
        raise InputError("bad-value", what, where=str(path), hints=["extend a board, as in 'extends: u55c'"])
    return validated(DEVICES[device], data, str(path))


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
        if isinstance(value, dict) and isinstance(base.get(key), dict):
            merged[key] = _merged(base[key], value, origin)
    return merged


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
