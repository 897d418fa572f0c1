"""Messages between the two processes of a host program: one line of JSON, then the bytes that it announces."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import IO, Any, NamedTuple

_BODY = "body_bytes"


class Message(NamedTuple):
    """What is said, and bytes of a buffer where some go with it."""

    head: dict[str, Any]
    body: bytes = b""


def send(stream: IO[bytes], head: Mapping[str, Any], body: bytes | memoryview = b"") -> None:
    """Writes one message.

    Raises:
        OSError: the other process has gone.
    """
    line = json.dumps({**head, _BODY: len(body)})
    stream.write(line.encode() + b"\n")
    stream.write(body)
    stream.flush()


def receive(stream: IO[bytes]) -> Message | None:
    """Reads one message; None where the other process has closed its end, or left in the middle of one."""
    line = stream.readline()
    if not line.endswith(b"\n"):
        return None
    head = json.loads(line)
    size = head.pop(_BODY)
    body = stream.read(size)
    return Message(head, body) if len(body) == size else None
