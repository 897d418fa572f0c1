"""The clock model: its shape, its errors by an independent fit, and what it says of designs beyond all rows."""

import csv
from itertools import pairwise
from pathlib import Path
from statistics import mean

import pytest

from sttest.boards.frequency import ROUTED_FILE, RoutedDesign, clock_band, clock_of_share, leave_one_out, routed_designs
from sttest.core.errors import InputError


def row(name: str, share: float, mhz: float) -> RoutedDesign:
    return RoutedDesign(
        design=name, board="b", share_percent=share, mhz=mhz, floorplan="no", used="share", kind="assumed", source="s"
    )


def pooled(points: list[tuple[float, float]]) -> list[float]:
    """Antitonic regression by its max-min formula, which shares nothing with pooling."""
    values = [mhz for _, mhz in sorted(points)]
    size = len(values)
    return [max(min(mean(values[a : b + 1]) for a in range(at + 1)) for b in range(at, size)) for at in range(size)]


def test_a_clock_that_falls_is_kept_and_one_that_rises_is_pooled():
    falling = [row("a", 10, 300), row("b", 20, 200)]
    assert clock_of_share(0.15, falling) == pytest.approx(250)
    rising = [row("a", 10, 200), row("b", 20, 300), row("c", 30, 100)]
    assert [clock_of_share(share, rising) for share in (0, 0.1, 0.2, 0.3, 0.9)] == pytest.approx(
        [250, 250, 250, 100, 100]
    )


def test_the_fit_is_the_max_min_formula_on_the_shipped_rows():
    with ROUTED_FILE.open(newline="", encoding="utf-8") as file:
        read = [each for each in csv.DictReader(file) if each["used"] == "share"]
    points = [
        (
            float(each["share_percent"]) / 100
            if each["share_percent"]
            else float(each["luts"]) / float(each["of_luts"]),
            float(each["mhz"]),
        )
        for each in read
    ]
    known = [each for each in routed_designs() if each.used == "share"]
    for (share, _), wanted in zip(sorted(points), pooled(points), strict=True):
        assert clock_of_share(share, known) == pytest.approx(wanted)


def test_a_row_does_not_take_part_in_its_own_prediction():
    rows = [row("a", 10, 300), row("b", 20, 200), row("c", 30, 100)]
    found = {each.row.design: each.predicted_mhz for each in leave_one_out(rows)}
    # Outside of the others the nearest of them, between them the line.
    assert found == {"a": 200, "b": 200, "c": 200}
    assert [round(each.error, 3) for each in leave_one_out(rows)] == [-0.333, 0, 1]


def test_the_band_is_ordered_and_does_not_rise_with_the_share():
    bands = [clock_band(share / 100) for share in range(5, 90, 5)]
    assert all(band.low < band.middle <= band.high for band in bands)
    assert all(after.middle <= before.middle for before, after in pairwise(bands))
    # The low case covers every row that was predicted too fast.
    for held in leave_one_out():
        assert held.predicted_mhz * bands[0].low / bands[0].middle <= held.row.clock_mhz + 0.5


def test_what_no_routed_design_has_shown_is_said():
    assert clock_band(0.4, 0.39).remarks == ()
    assert "more than the 44%" in clock_band(0.5).remarks[0]
    assert "failed to route" in clock_band(0.6).remarks[0]
    assert "long lines" in clock_band(0.4, 0.5).remarks[0]


def test_every_row_has_a_source_and_a_file_of_others_is_refused(tmp_path: Path):
    assert all(each.source and (each.mhz or each.used == "failed") for each in routed_designs())
    path = tmp_path / "rows.csv"
    path.write_text("design,mhz\na,-3\n", encoding="utf-8")
    with pytest.raises(InputError):
        routed_designs(path)
