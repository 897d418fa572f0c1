"""The rows that others measured: whole, each with its conditions, and near to what is simulated."""

from __future__ import annotations

from dataclasses import fields
from statistics import median

import pytest

from sttest.boards.bursts import BurstTiming
from sttest.boards.load import load_board, require_hbm
from sttest.core.errors import InputError
from sttest.studies.memory.benchmark import Benchmark
from sttest.studies.memory.published import CONDITIONS, PUBLISHED, PublishedRow, published_of, published_rows

EXPRESSED = [row for row in published_rows() if row.conditions is not None]


@pytest.fixture(scope="module")
def errors() -> dict[int, float]:
    """Simulated over measured, less 1, by place in ``EXPRESSED``."""
    return {number: row.simulated() / row.value - 1 for number, row in enumerate(EXPRESSED)}


def test_the_columns_are_the_conditions_of_a_benchmark() -> None:
    assert set(CONDITIONS) == {each.name for each in fields(Benchmark)}
    assert len(PUBLISHED.read_text(encoding="utf-8").splitlines()) == len(published_rows()) + 1


def test_every_row_has_a_source_and_either_conditions_or_a_reason() -> None:
    assert len(EXPRESSED) >= 100
    for row in published_rows():
        assert len(row.source) > 12, row
        assert row.value > 0, row
        assert (row.conditions is None) == (len(row.reason) > 20) == (row.role is None), row
        assert bool(row.fits) == (row.role == "fitted"), row
        assert row.unit == ("ns" if row.figure in ("latency", "served") else "GB/s") or row.conditions is None, row


def test_units_that_are_not_stated_are_said() -> None:
    """XRT and xbtest print MB, of 2^20 bytes by XRT's source and by what else is known of the memories."""
    of_xbtest = [row for row in EXPRESSED if "xbtest" in row.source and row.unit == "GB/s"]
    assert len(of_xbtest) >= 10
    for row in of_xbtest:
        assert "taken as 2^20 bytes" in row.printed
        assert row.value == pytest.approx(float(row.printed.split()[0]) * 2**20 / 1e9, rel=1e-5)


def test_what_is_fitted_is_in_the_boards_file_and_at_most_five_numbers_per_memory() -> None:
    for board, memory in {(row.board, row.memory) for row in EXPRESSED}:
        found = require_hbm(load_board(board)).memory
        of_memory = getattr(found, memory)
        keys = {*type(of_memory).model_fields, *BurstTiming.model_fields, "read_ns", "sustained_gb_per_s_per_channel"}
        named = {
            name.partition(" ")[0]
            for row in EXPRESSED
            if (row.board, row.memory) == (board, memory)
            for name in filter(None, row.fits.split(", "))
        }
        assert named - keys <= {"kernel_cycles"}, "of the kernel of XD099, no memory's"
        timing = of_memory.timing
        kinds = {name: getattr(timing, name).kind for name in BurstTiming.model_fields if getattr(timing, name)}
        read = getattr(of_memory, "read_ns", None)
        assert [*kinds.values(), read and read.kind].count("fitted") <= 5


def test_nineteen_of_twenty_are_within_15_percent_and_half_within_5(errors: dict[int, float]) -> None:
    found = [abs(error) for error in errors.values()]
    assert sum(error <= 0.15 for error in found) >= 0.95 * len(found)
    assert sum(error <= 0.05 for error in found) >= 0.5 * len(found)


def test_predictions_alone_are_nearly_as_good(errors: dict[int, float]) -> None:
    predicted = [abs(errors[number]) for number, row in enumerate(EXPRESSED) if row.role == "predicted"]
    assert len(predicted) >= 100
    assert median(predicted) < 0.03
    assert sum(error <= 0.15 for error in predicted) >= 0.93 * len(predicted)


def test_what_was_fitted_is_met(errors: dict[int, float]) -> None:
    assert max(abs(errors[number]) for number, row in enumerate(EXPRESSED) if row.role == "fitted") < 0.10


_SHORT_WRITES = {"card": "U200", "op": "write", "port_bits": 512, "burst_bytes": 256, "total_bytes": 0}


@pytest.mark.parametrize(
    ("where", "measured", "within"),
    [  # by hand, beside the sources
        ({"card": "U50", "channels": 2, "burst_bytes": 64}, 0.760776, 0.05),
        ({"card": "U55C", "channels": 8, "outstanding": 256, "setting": {}}, 9.034, 0.07),
        ({**_SHORT_WRITES, "outstanding": 32}, 9.599, 1e-3),
        ({"card": "U250", "op": "read", "figure": "latency", "outstanding": 3}, 451.0, 0.02),
    ],
    ids=["one ID over two channels", "many IDs", "pauses of the adapter", "a queue"],
)  # fmt: skip
def test_known_rows_are_there_and_near(where: dict[str, object], measured: float, within: float) -> None:
    def has(row: PublishedRow, name: str) -> object:
        return getattr(row if hasattr(row, name) else row.conditions, name)

    (row,) = (each for each in EXPRESSED if all(has(each, name) == wanted for name, wanted in where.items()))
    assert row.value == pytest.approx(measured, rel=1e-4)
    assert row.simulated() == pytest.approx(measured, rel=within)


def test_a_setting_of_the_controller_is_applied() -> None:
    row = next(each for each in EXPRESSED if each.setting)
    assert row.tier().timing.short_access_ns == 8.5
    assert require_hbm(load_board(row.board)).tier(row.memory).timing.short_access_ns == 6.8


def test_rows_of_the_board_itself_come_first() -> None:
    cards = [row.board for row in published_of("u55c", "hbm", "random-access")]
    assert cards == sorted(cards, reverse=True)
    assert set(cards) == {"u55c", "u50"}
    assert list(published_of("v80", "hbm", "random-access")) == []


def test_a_row_that_no_ports_express_says_why() -> None:
    row = next(each for each in published_rows() if each.conditions is None)
    with pytest.raises(InputError) as caught:
        row.simulated()
    assert caught.value.what == row.reason
