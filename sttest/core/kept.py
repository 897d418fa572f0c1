"""Files that are kept so that work need not be done twice: the caches under ``$STTEST_CACHE``.

Nothing that is kept is trusted.  A file begins with a digest of its own name and of what it holds; one that was cut,
edited, renamed or put there by something else counts as missing, which is said, and is made anew.  A cache that cannot
be read or written costs time and is no reason to fail.
"""

import hashlib
import os
import re
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from sttest.core.errors import InputError, note
from sttest.core.files import MAX_FILE_BYTES, read_bytes, write_bytes
from sttest.core.program import default_cache_dir

Value = TypeVar("Value")
_HEAD = re.compile(rb"// kept by sttest, sha256 ([0-9a-f]{64})\n")


class KeptFiles:
    """One kind of files.

    Args:
        kind: folder of the cache that has them.
        cache_dir: the cache; by default ``$STTEST_CACHE``, else ``~/.cache/sttest``.
    """

    def __init__(self, kind: str, cache_dir: Path | None = None) -> None:
        self.folder = (cache_dir or default_cache_dir()) / kind

    def text(self, name: str) -> str | None:
        """The text that was kept under a name; None if none was, or it is not what was kept."""
        path = self.folder / name
        try:
            data = read_bytes(path, most_bytes=MAX_FILE_BYTES)
        except InputError as error:
            if os.path.lexists(path):
                note(f"{path}: kept earlier, {error.what}; it is made anew")
            return None
        head = _HEAD.match(data)
        if head is None or head[1].decode() != _digest(name, data[head.end() :]):
            note(f"{path}: not what was kept there, by its digest; it is made anew")
            return None
        return data[head.end() :].decode()

    def value(self, name: str, kind: TypeAdapter[Value]) -> Value | None:
        """The value that was kept under a name, see :meth:`text`."""
        text = self.text(name)
        if text is None:
            return None
        try:
            return kind.validate_json(text)
        except ValidationError:
            note(f"{self.folder / name}: no value of its kind; it is made anew")
            return None

    def keep(self, name: str, text: str) -> None:
        """Keeps a text under a name; says so once if that cannot be done."""
        content = text.encode()
        head = f"// kept by sttest, sha256 {_digest(name, content)}\n".encode()
        if len(head) + len(content) > MAX_FILE_BYTES:
            return  # it would not be read again
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_bytes(self.folder / name, head + content)
        except (OSError, InputError) as error:
            why = error.strerror if isinstance(error, OSError) else error.what
            note(f"{self.folder}: nothing can be kept there ({why}), so it is made again each time; set STTEST_CACHE")

    def keep_value(self, name: str, value: Value, kind: TypeAdapter[Value]) -> None:
        """Keeps a value, see :meth:`keep`."""
        self.keep(name, kind.dump_json(value).decode())


def _digest(name: str, content: bytes) -> str:
    return hashlib.sha256(name.encode() + b"\0" + content).hexdigest()
