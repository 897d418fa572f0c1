"""Rectangles of a floorplan: areas are in proportion, nothing overlaps, everything is inside."""

import csv
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sttest.studies.design_page.floorplan import HEIGHT, WIDTH, floorplan, squarified

sizes = st.lists(st.floats(0.001, 1e6), min_size=1, max_size=40).map(lambda each: sorted(each, reverse=True))


@given(sizes, st.floats(1, 1000), st.floats(1, 1000))
def test_areas_are_in_proportion_and_fill_the_box(sizes, width, height):
    boxes = squarified(sizes, (3.0, 5.0, width, height))
    scale = width * height / sum(sizes)
    for size, (x, y, wide, tall) in zip(sizes, boxes, strict=True):
        assert wide * tall == pytest.approx(size * scale, rel=1e-6, abs=1e-6 * width * height)
        assert x >= 3.0 - 1e-6
        assert y >= 5.0 - 1e-6
        assert x + wide <= 3.0 + width * (1 + 1e-6)
        assert y + tall <= 5.0 + height * (1 + 1e-6)


@given(sizes)
def test_no_two_overlap(sizes):
    boxes = squarified(sizes, (0.0, 0.0, 900.0, 200.0))
    for (x, y, wide, tall), (left, top, other_wide, other_tall) in combinations(boxes, 2):
        across = min(x + wide, left + other_wide) - max(x, left)
        down = min(y + tall, top + other_tall) - max(y, top)
        assert min(across, down) <= 1e-6 or across * down <= 1e-6


def rows(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_each_process_is_in_its_slr_with_the_area_of_its_luts(placed_package):
    partition, resources = (rows(placed_package / f"reports/{name}.csv") for name in ("partition", "resources"))
    plan = floorplan(partition, resources, [20, 10])
    assert [region.name for region in plan.regions] == ["SLR 2", "SLR 1", "SLR 0"]
    assert list(plan.wires) == [10, 20]
    assert [region.is_at_hbm for region in plan.regions] == [False, False, True]
    assert [region.is_at_hbm for region in floorplan(partition, resources, [20, 10], 2).regions] == [True, False, False]
    budgets = {row["process"]: float(row["lut"]) for row in resources if row["kind"] == "budget"}
    for region in plan.regions:
        slr = region.name.split()[1]
        own = {row["process"]: float(row["lut"]) for row in partition if row["slr"] == slr}
        drawn = {cell.tip.split("\n")[0]: cell.width * cell.height for cell in region.cells}
        for name, lut in own.items():
            share = lut / budgets[f"SLR{slr}"]
            assert drawn.get(name, 0.0) == pytest.approx(WIDTH * HEIGHT * share, rel=1e-6, abs=1e-6)
