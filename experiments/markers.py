"""What stands in a page for a figure or a table that is filled in, so that the page renders right everywhere.

* ``<span>VALUE</span><!-- figure: EXPRESSION as FORMAT -->`` in a sentence, with a format of Python such as ``,.0f``;
* ``<!-- table: EXPRESSION -->`` on a line of its own, then the table, then ``<!-- end -->`` on a line of its own.

A line that begins with a comment ends its paragraph, on GitHub as on the site.  So the comment stands behind its value,
and a ``<span>``, which may begin a line, says where the value begins: words beside it are never filled in.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sttest.core.errors import InputError

_FIGURE = r"<span>[^<>]*</span>(?P<figure><!-- figure: (?P<value>(?:(?!-->).)+?) as (?P<format>\S+) -->)"
_TABLE = r"(?P<table>^<!-- table: (?P<rows>(?:(?!-->).)+?) -->\n)(?:(?!<!--)[\s\S])*?^<!-- end -->$"
_CODE = r"(?P<code>^```[\s\S]*?^```$)"
_PART = r"</?span\b|<!--\s*(?:figure|table|end)\b"
_MARKER = re.compile(f"{_CODE}|{_FIGURE}|{_TABLE}|{_PART}", re.M)
"""A block of code, which stays, or a whole marker, else a part of one, which is refused."""
_FORMS = (
    "write <span>VALUE</span><!-- figure: EXPRESSION as FORMAT -->, without a line break in the comment",
    "write <!-- table: EXPRESSION -->, the table and <!-- end --> on lines of their own",
)


def filled(text: str, evaluated: Callable[[str], object], page: str) -> str:
    """A page's text with every marked value and table made again.

    Args:
        text: the page's Markdown.
        evaluated: what an expression gives.
        page: the page's name, for errors.

    Raises:
        InputError: a marker is not whole, its expression or format fails, or what it gives is no value for a sentence.
    """

    def made(found: re.Match[str]) -> str:
        line = text.count("\n", 0, found.start()) + 1
        return _made(found, evaluated, f"{page}:{line}")

    return _MARKER.sub(made, text)


def _made(found: re.Match[str], evaluated: Callable[[str], object], where: str) -> str:
    if found["code"]:
        return found[0]
    expression = found["value"] or found["rows"]
    if expression is None:
        raise InputError("marker-incomplete", f"{found[0]!r} belongs to no whole marker", where=where, hints=_FORMS)
    try:
        value = evaluated(expression)
        shown = format(value, found["format"] or "")
    except Exception as error:
        what = f"{expression} gives no value: {type(error).__name__}: {error}"
        raise InputError("marker-fails", what, where=where, hints=("correct its expression or format",)) from error
    if found["rows"]:
        return f"{found['table']}{shown}<!-- end -->"
    if not shown.strip() or re.search(r"[<>\n]", shown):
        raise InputError("marker-value", f"{expression} gives {shown!r}, which is no value of a sentence", where=where)
    return f"<span>{shown}</span>{found['figure']}"
