"""Reading YAML that people wrote: safe, small, one mapping, every key once."""

from __future__ import annotations

from collections.abc import Hashable
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from yaml.composer import ComposerError
from yaml.constructor import ConstructorError

from sttest.errors import InputError

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
        raise InputError("bad-yaml", what, where=str(path), levers=["write 'key: value' lines"])
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
