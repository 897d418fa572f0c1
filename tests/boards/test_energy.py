"""Energy by hand, its laws, and how near it comes to boards that were read."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sttest.boards.board import RULES, FpgaBoard, GpuBoard, fpga_joules, gpu_watts
from sttest.boards.energy import CASES, Activity, Energy, EnergyCosts, energy, idle
from sttest.boards.load import load_board, require_hbm
from sttest.core.errors import InputError

COUNTS = st.floats(0, 1e15)
ACTIVITIES = st.builds(Activity, st.floats(1e-6, 1e3), COUNTS, COUNTS, COUNTS, COUNTS, COUNTS, COUNTS)


@cache
def u55c() -> FpgaBoard:
    return require_hbm(load_board("u55c"))


def costs() -> EnergyCosts:
    return u55c().energy_costs


def gpu(name: str) -> GpuBoard:
    board = load_board(name)
    assert isinstance(board, GpuBoard)
    return board


def test_a_run_by_hand() -> None:
    """One second, 1 Tbit of HBM, 1e12 slice cycles, 72 Gbit of BRAM, 72 Gbit of URAM, 1 Tbit of SRL."""
    done = Activity(1.0, 1e12, 1e12, 2e12, 72e9, 72e9, 1e12)
    used = energy(done, costs(), "central")
    assert (used.static_j, used.clocked_j, used.hbm_j, used.dsp_j) == pytest.approx((15, 22.34, 7, 13.1))
    assert used.onchip_j == pytest.approx(0.015 + 0.035 + 0.1)
    assert used.total_j == used.power_w == pytest.approx(57.59)
    assert used.net_j == pytest.approx(57.59 - 15)


def test_only_the_high_case_charges_slices_without_work() -> None:
    done = Activity(1.0, dsp_work_cycles=1e12, dsp_enabled_cycles=2e12)
    assert [energy(done, costs(), case).dsp_j for case in CASES] == pytest.approx([11.8, 13.1, 31.4])


@pytest.mark.parametrize(
    ("case", "estimate_pj", "toggle"), [("low", 3, 0.125), ("central", 5, 0.1875), ("high", 8, 0.25)]
)
def test_a_slice_costs_what_its_operands_toggle(case: str, estimate_pj: float, toggle: float) -> None:
    counted = 0.49
    assert costs().dsp.value(case) == pytest.approx(estimate_pj * counted / toggle, rel=5e-3)  # type: ignore[arg-type]


@given(ACTIVITIES)
def test_cases_are_in_order_where_no_slice_works_while_stalled(done: Activity) -> None:
    done = Activity(
        done.seconds,
        done.hbm_bits,
        min(done.dsp_work_cycles, done.dsp_enabled_cycles),
        max(done.dsp_work_cycles, done.dsp_enabled_cycles),
        done.bram_bits,
        done.uram_bits,
        done.srl_bits,
    )
    low, central, high = (energy(done, costs(), case).total_j for case in CASES)
    assert low <= central <= high


@given(ACTIVITIES, ACTIVITIES, st.integers(1, 100))
def test_energy_adds_up(one: Activity, other: Activity, count: int) -> None:
    both = energy(one + other, costs()).total_j
    assert both == pytest.approx(energy(one, costs()).total_j + energy(other, costs()).total_j)
    assert energy(one.times(count), costs()).total_j == pytest.approx(count * energy(one, costs()).total_j)


def readings(**where: str) -> list[dict[str, str]]:
    """Published readings whose columns are as asked."""
    path = Path(__file__).parents[2] / "experiments" / "data" / "power_readings.csv"
    with path.open(newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if where.items() <= row.items()]


@pytest.mark.parametrize("case", CASES)
def test_clocked_power_is_what_a_reading_leaves_above_an_idle_board(case: str) -> None:
    (reading,) = readings(anchor=case)
    left = float(reading["power_w"]) - costs().static_w.central.value
    assert costs().clocked_w.value(case) == pytest.approx(left)  # type: ignore[arg-type]


def test_boards_that_no_cost_was_taken_from() -> None:
    """With weight traffic and no other work the model is within a third of a decoding board."""
    read = [row for row in readings(reading="board", anchor="") if float(row["gb_per_s"])]
    assert len(read) == 5
    for row in read:
        used = energy(Activity(1.0, hbm_bits=float(row["gb_per_s"]) * 8e9), costs())
        assert abs(used.power_w / float(row["power_w"]) - 1) < 1 / 3, row["work"]


@pytest.mark.parametrize("case", CASES)
def test_a_waiting_board_draws_static_and_clocked_power(case: str) -> None:
    used = energy(idle(2.0), costs(), case)  # type: ignore[arg-type]
    assert used.dynamic_j == 0
    assert 29 <= used.power_w <= 42


def test_the_three_rules() -> None:
    used = Energy("central", 2.0, static_j=30, clocked_j=20, hbm_j=8, dsp_j=1, onchip_j=1)
    assert {rule: fpga_joules(u55c(), used, rule) for rule in RULES} == {"tdp": 300, "drawn": 60, "net": 30}
    assert {rule: gpu_watts(gpu("a100"), rule) for rule in RULES} == {
        "tdp": 300,
        "drawn": 131.02,
        "net": pytest.approx(131.02 - 62.12),
    }


def test_what_has_no_reading_is_not_made_up() -> None:
    assert gpu_watts(gpu("rtx2080ti"), "tdp") == 250
    with pytest.raises(InputError, match="no reading of 'rtx2080ti'"):
        gpu_watts(gpu("rtx2080ti"), "drawn")
    with pytest.raises(InputError, match="'u280' has no energy costs"):
        _ = require_hbm(load_board("u280")).energy_costs


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("energy: {hbm: {low: {value: 9}}}", "energy.hbm: low, central and high are not in this order"),
        ("energy: {dsp: {low: {unit: pJ/bit}}}", "energy.dsp: unit 'pJ/bit' where 'pJ/cycle' is expected"),
        ("energy: {bramm: {}}", "unknown key 'bramm'; did you mean 'bram'?"),
    ],
)
def test_wrong_costs_are_refused(tmp_path, change: str, says: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(f"extends: u55c\n{change}\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_board(path)
    assert says in str(caught.value)
