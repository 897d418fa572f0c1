"""The generated tables of docs/resources.md, each between its markers; the words around them are written by hand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence


def with_tables(
    text: str, columns: Sequence[str], rows: Iterable[Sequence[object]], fitted: Mapping[str, Mapping[str, float]]
) -> str:
    """The page with its tables made anew.

    Args:
        text: of the page.
        columns: of the table of errors.
        rows: its rows.
        fitted: coefficients per resource and term.
    """
    terms = next(iter(fitted.values()))
    coefficients = [(name.upper(), *(f"{value:g}" for value in each.values())) for name, each in fitted.items()]
    head = ("resource per", *(term.replace("_", " ") for term in terms))
    return _between(_between(text, "coefficients", _table(head, coefficients)), "errors", _table(columns, rows))


def _between(text: str, mark: str, table: str) -> str:
    return re.sub(rf"(<!-- {mark} -->\n).*?(<!-- end -->)", lambda found: found[1] + table + found[2], text, flags=re.S)


def _table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join("| " + " | ".join(str(cell) for cell in line) + " |\n" for line in lines)
