"""What verbs write: JSON or plain text on stdout, progress on stderr where that is a terminal."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console


def print_json(data: Any) -> None:
    """One JSON document on stdout."""
    print(json.dumps(data, indent=1))


@contextmanager
def progress(what: str) -> Iterator[Callable[[str], None]]:
    """A line on stderr that tells what is going on; nothing where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield lambda _step: None
        return
    with Console(stderr=True).status(what) as status:
        yield lambda step: status.update(f"{what}: {step}")
