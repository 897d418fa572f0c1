"""Text of JSON that every reader takes."""

import json
import re
from typing import Any

_SURROGATE = re.compile("[\ud800-\udfff]")


def to_json(data: Any, **form: Any) -> str:
    """JSON of data, in ASCII; a byte of a name that is not UTF-8 is an escape such as ``\\xb5``, as in printed text.

    Python writes half a character for it, which strict readers refuse.

    Args:
        data: what JSON can say.
        form: options of :func:`json.dumps`.
    """
    text = json.dumps(data, **form)
    if "\\ud" not in text:
        return text
    plain = _SURROGATE.sub(_escaped, json.dumps(data, ensure_ascii=False))
    return json.dumps(json.loads(plain), **form)


def _escaped(found: re.Match[str]) -> str:
    """In JSON, where a backslash is written twice."""
    number = ord(found[0])
    return rf"\\x{number - 0xDC00:02x}" if 0xDC80 <= number <= 0xDCFF else rf"\\u{number:04x}"
