"""Every number of the page with its provenance, and the sources and notes that they share."""

from __future__ import annotations

from typing import Any

from sttest.results import COLUMNS, Row


class Ledger:
    """Numbers in the order in which they were added.

    ``sources`` and ``notes`` are distinct texts in order of appearance; print refers to
    them as S1, S2 … and N1, N2 …
    """

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.sources: dict[str, int] = {}
        self.notes: dict[str, int] = {}

    def add(self, row: Row) -> int:
        """The place of a number."""
        self.rows.append(row)
        return len(self.rows) - 1

    def marks(self, row: Row) -> list[str]:
        """Footnotes of a number, as in S3 and N12."""
        found = []
        for letter, text, known in (("S", row.source, self.sources), ("N", row.note, self.notes)):
            if text:
                found.append(f"{letter}{known.setdefault(text, len(known) + 1)}")
        return found

    def to_json(self) -> dict[str, Any]:
        """What the page's script reads: texts once each, and per number a list in the order of ``columns``.

        Texts stand as indices into ``texts``, numbers as numbers.
        """
        texts: dict[str, int] = {}

        def plain(value: object) -> object:
            return texts.setdefault(value, len(texts)) if isinstance(value, str) else value

        numbers = [[plain(getattr(row, column)) for column in COLUMNS] for row in self.rows]
        return {"columns": list(COLUMNS), "texts": list(texts), "numbers": numbers}
