"""What C++ that came in includes: plain files, which end; clang would wait for a named pipe, and read a device."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from sttest.core.errors import InputError
from sttest.core.files import read_bytes
from sttest.core.plain_files import why_no_file

MOST_HEADERS = 4096
MOST_HEADER_BYTES = 64 << 20
_DIRECTIVE = re.compile(r"^[ \t\v\f]*(?:#|%:)(?:[^\\\n]|\\[^\n]|\\\n)*", re.M)
"""All of them, for the name may come from a macro, and conditions look for files as well."""
_NAME = re.compile(r'"([^"\n]+)"|<([^>\n]+)>')
_ENDLESS = (Path("/dev"), Path("/proc"), Path("/sys"))


def check_includes(source: Path, flags: Sequence[str]) -> None:
    """Refuses what is no plain file among all that directives of a source name, and of what it includes.

    Args:
        source: C++.
        flags: of clang, with folders of headers (``-I``).

    Raises:
        InputError: a named pipe, a device, or too many files.
    """
    folders = [Path(flag.removeprefix("-I")) for flag in flags if flag.startswith("-I")]
    seen, left = {source}, [source]
    while left:
        for found in _included(left.pop(), folders):
            if found not in seen:
                seen.add(found)
                left.append(found)
        if len(seen) > MOST_HEADERS:
            raise InputError("too-many-files", "too many headers", where=str(source), bound=MOST_HEADERS)


def _included(file: Path, folders: Sequence[Path]) -> Iterator[Path]:
    text = read_bytes(file, most_bytes=MOST_HEADER_BYTES).decode("utf-8", "surrogateescape")
    for directive in _DIRECTIVE.finditer(text):
        for quoted, angled in _NAME.findall(directive[0].replace("\\\n", "")):
            name, places = quoted or angled, ([file.parent] if quoted else []) + [*folders]
            found = next((each for place in places if (each := place / name).exists() and not each.is_dir()), None)
            if found is None:
                continue
            resolved = found.resolve()
            if not found.is_file() or any(resolved.is_relative_to(place) for place in _ENDLESS):
                what = "it is the system's own" if found.is_file() else why_no_file(found)
                raise InputError("not-a-file", f"includes {found}: {what}", where=str(file), hints=["include a file"])
            yield resolved
