"""Seconds of whole commands, interpreter and imports included, as a user waits for them.

A block is compiled from its lowered text, all else anew ("first"), or its package was kept ("again").
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from sttest.core.children import python_command

Row = tuple[str, str, str]
BLOCKS = {"gpt2": 2.0, "llama-3.1-8b": 5.0}
"""Most seconds of each model's decode block after 64 tokens, from a text that was lowered before."""
REPEATS = 3
_OF_TEXT = ("linalg", "modules")
"""What is kept of a text and of the program, not of a design."""


def rows() -> Iterator[Row]:
    """What is measured, the result, and what it should be."""
    for model, wanted in BLOCKS.items():
        with TemporaryDirectory() as folder:
            _seconds(model, Path(folder))  # lowers the text, where nobody has
            first = []
            for _ in range(REPEATS):
                for kept in (Path(folder) / "cache").iterdir():
                    if kept.name not in _OF_TEXT:
                        shutil.rmtree(kept)
                first.append(_seconds(model, Path(folder)))
            again = min(_seconds(model, Path(folder)) for _ in range(REPEATS))
        yield f"sttest compile {model}, first", f"{min(first):.2f} s", ""
        yield f"sttest compile {model}, again", f"{again:.2f} s", f"<= {wanted:g} s"


def _seconds(model: str, folder: Path) -> float:
    command = python_command(["-m", "sttest", "compile", model, "--phase", "decode", "--context", "64"])
    began = time.perf_counter()
    environment = {**os.environ, "STTEST_CACHE": str(folder / "cache")}
    subprocess.run([*command, "-o", str(folder / "package")], check=True, capture_output=True, env=environment)
    return time.perf_counter() - began
