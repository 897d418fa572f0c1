"""Every number of the page with its provenance, and the sources and notes that they share."""

from __future__ import annotations

from typing import Any

from sttest.results import COLUMNS, Row


class Ledger:
    """Numbers in the order in which they were added.

    ``origin`` is what the numbers that come next belong to: a folder of results, or a schedule; ``hashes`` names the
    configuration of each.  ``sources`` and ``notes`` are distinct texts in order of appearance; print refers to
    them as S1, S2 … and N1, N2 …
    """

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.origin = ""
        self.hashes: dict[str, str] = {}
        self._origins: list[str] = []
        self.sources: dict[str, int] = {}
        self.notes: dict[str, int] = {}

    def begin(self, origin: str, config_hash: str) -> None:
        """The numbers that come next are of ``origin``."""
        self.origin = origin
        self.hashes[origin] = config_hash

    def add(self, row: Row) -> int:
        """The place of a number."""
        self.rows.append(row)
        self._origins.append(self.origin)
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

        Texts stand as indices into ``texts``, numbers as numbers; ``hashes`` are by origin.
        """
        texts: dict[str, int] = {}

        def plain(value: object) -> object:
            return texts.setdefault(value, len(texts)) if isinstance(value, str) else value

        numbers = [
            [*(plain(getattr(row, column)) for column in COLUMNS), plain(origin)]
            for row, origin in zip(self.rows, self._origins, strict=True)
        ]
        return {"columns": [*COLUMNS, "origin"], "texts": list(texts), "numbers": numbers, "hashes": self.hashes}
