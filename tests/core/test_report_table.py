"""A report as CSV and as a DataFrame."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from sttest.core.report_table import ReportTable


def test_every_row_has_every_column(tmp_path: Path) -> None:
    table = ReportTable.of(["name", "bits"], [{"name": "a, b", "bits": 3}, {"name": "c"}])
    assert [*table] == [{"name": "a, b", "bits": 3}, {"name": "c", "bits": 0}]
    table.write(tmp_path / "t.csv")
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "t.csv"), table.frame())


def test_a_table_without_rows_has_its_columns(tmp_path: Path) -> None:
    table = ReportTable.of(["name", "bits"], [])
    assert (len(table), [*table.frame().columns]) == (0, ["name", "bits"])
    table.write(tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text(encoding="utf-8") == "name,bits\n"
