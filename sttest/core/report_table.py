"""A report as rows: written as CSV by the compiler, which is quicker without pandas, and a DataFrame for who asks."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sttest.core.files import csv_text, write_text

if TYPE_CHECKING:
    import pandas as pd

ReportRow = Mapping[str, Any]


@dataclass(frozen=True)
class ReportTable:
    """Named columns, and one value of each per row."""

    columns: tuple[str, ...]
    rows: tuple[ReportRow, ...]

    @classmethod
    def of(cls, columns: Sequence[str], rows: Iterable[ReportRow], *, missing: object = 0) -> "ReportTable":
        """Rows with every column; ``missing`` is the value of one that a row lacks."""
        return cls(tuple(columns), tuple({name: row.get(name, missing) for name in columns} for row in rows))

    def __iter__(self) -> Iterator[ReportRow]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def frame(self) -> "pd.DataFrame":
        """The same as a pandas DataFrame."""
        import pandas as pd  # takes a third of a second to import

        return pd.DataFrame([dict(row) for row in self.rows], columns=list(self.columns))

    def write(self, path: Path) -> None:
        """Writes a CSV file."""
        write_text(path, csv_text(self.columns, ([row[name] for name in self.columns] for row in self.rows)))
