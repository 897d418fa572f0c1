"""How far results moved, against rows worked out by hand."""

from __future__ import annotations

from experiments.moved import Moved, compared


def row(metric: str, value: str, unit: str = "ms", model: str = "gpt2") -> dict[str, str]:
    return {"model": model, "metric": metric, "unit": unit, "value": value}


def test_only_times_and_speeds_that_both_have_are_compared() -> None:
    before = [row("latency", "100"), row("speed", "50", "tokens/s"), row("gain", "1", "ratio"), row("gone", "3")]
    now = [row("latency", "100.5"), row("speed", "45", "tokens/s"), row("gain", "9", "ratio"), row("new", "3")]
    before, now = [*before, row("latency item: HBM", "1")], [*now, row("latency item: HBM", "2")]
    found = compared("x", before, now)
    assert found is not None
    assert (found.rows, found.moved, found.furthest) == (2, 1, "gpt2, speed, tokens/s")
    assert (round(found.least, 6), round(found.most, 6), round(found.middle, 6)) == (-0.1, 0.005, -0.0475)


def test_points_of_a_search_are_other_designs() -> None:
    assert (
        compared("x", [{**row("cycles", "1"), "point": "point 3"}], [{**row("cycles", "2"), "point": "point 3"}])
        is None
    )


def test_nothing_to_compare_is_none_and_nothing_moved_names_no_row() -> None:
    assert compared("x", [row("latency", "")], [row("latency", "1")]) is None
    assert compared("x", [row("latency", "1")], [row("latency", "1")]) == Moved("x", 1, 0, 0, 0, 0, "")
