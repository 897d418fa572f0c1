"""What sttest makes of one input, in this process, as one word; anything unforeseen with where it came from."""

from __future__ import annotations

import json
import re
import traceback
from pathlib import Path

from benchmarks.hostile.cases import Case
from sttest.boards.load import load_board
from sttest.core.errors import InputError, SttestError
from sttest.sim import load, simulate

DES_ACCESSES = 20_000
"""Graphs up to this size are run on both engines."""
HARMFUL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
MAX_TEXT_CHARS = 10_000


def outcome(case: Case, folder: Path) -> str:
    """``done``, ``deadlock``, ``throughput``, ``board``, the class and code of an error, or ``BUG`` and where."""
    for name, data in case.files.items():
        (folder / name).write_bytes(data)
    before = sorted(path.name for path in folder.iterdir())
    try:
        told = _board(folder / case.entry) if case.kind == "yaml" else _graph(folder / case.entry)
    except MemoryError:
        told = "BUG memory"
    except SttestError as error:
        told = _error(error)
    except Exception as error:
        told = f"BUG traceback {type(error).__name__} at {_place(error)}"
    left = [path.name for path in folder.iterdir() if path.name not in before]
    return f"BUG left behind {left}" if left else told


def _board(path: Path) -> str:
    from sttest.boards.load import quantities

    board = load_board(path)
    shown = "".join(f"{key} {quantity} {quantity.source}" for key, quantity in quantities(board))
    return _checked(f"{board.name} {board.title} {shown}", "board", limit=100_000)


def _graph(path: Path) -> str:
    graph = load(path)
    found = simulate(graph)
    if found.fifo_events <= DES_ACCESSES and found.verdict == "done" and found.throughput is None:
        slow = simulate(graph, "simpy")
        if (slow.cycles, slow.finish) != (found.cycles, found.finish):
            return "BUG engines disagree"
    json.dumps(found.to_json())
    word = found.verdict if found.throughput is None else "throughput"
    return _checked(found.to_text(), word, limit=10_000_000)


def _error(error: SttestError) -> str:
    if not isinstance(error, InputError):
        return f"{type(error).__name__} {error.code}"
    return _checked(str(error), f"InputError {error.code}", limit=MAX_TEXT_CHARS)


def _checked(text: str, word: str, limit: int) -> str:
    """The word, unless the text would do harm where it is printed."""
    text.encode()
    if len(text) > limit:
        return f"BUG text of {len(text)} characters, {word}"
    found = HARMFUL.search(text)
    return f"BUG control character {found[0]!r} in the text, {word}" if found else word


def _place(error: Exception) -> str:
    """The innermost line of sttest in a traceback."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/sttest/" in frame.filename]
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "no line of sttest"
