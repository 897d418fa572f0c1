"""Public measurements of memories beside their simulation."""

from __future__ import annotations

import pytest

from experiments import memory
from sttest.core.results import table_rows
from sttest.studies.memory.benchmark import Benchmark
from sttest.studies.memory.published import PublishedRow, published_rows


def test_a_row_for_every_measurement_with_its_conditions_error_role_and_source(tmp_path, capsys) -> None:
    memory.reproduce(tmp_path / "memory")
    assert "beyond 15 %" in capsys.readouterr().out
    rows = table_rows(tmp_path / "memory" / "table.csv")
    measured = [row for row in rows if row["kind"] == "simulated"]
    assert len(measured) == len(published_rows())
    for number, (row, published) in enumerate(zip(measured, published_rows(), strict=True), start=1):
        assert row["point"] == str(number)
        assert float(row["reference"]) == published.value
        assert row["source"] == published.source
        if published.conditions is None:
            assert (row["value"], row["role"]) == ("", "not expressed")
            assert row["note"].startswith(published.reason)
            continue
        assert row["role"] == published.role
        assert row["note"].startswith(str(published.role))
        assert row["burst_bytes"] == str(published.conditions.burst_bytes)
        assert abs(float(row["error"])) < 0.6
    share = next(row for row in rows if row["metric"] == "share within 15% [all, all]")
    within = [abs(float(row["error"])) <= 0.15 for row in measured if row["error"] and row["value"]]
    assert float(share["value"]) == pytest.approx(sum(within) / len(within))


def test_errors_of_rows() -> None:
    row = PublishedRow("u50", "hbm", "U50", "made", 10.0, "GB/s", "nobody", conditions=Benchmark(), role="predicted")
    found = memory.errors_of([memory.Simulated(row, value) for value in (10.0, 10.4, 11.0, 13.0)])
    assert (found.count, found.close, found.near) == (4, 0.5, 0.75)
    assert found.middle == pytest.approx(0.07)
    assert found.most == pytest.approx(0.3)
    assert set(memory.groups([memory.Simulated(row, 10.0)])) == {
        (one, other) for one in ("HBM2", "all") for other in ("predicted", "all")
    }
