"""The clock model against routed designs, each predicted from all others: ``python -m experiments.clock_check``."""

from __future__ import annotations

from statistics import median

from sttest.boards.frequency import HeldOut, leave_one_out, routed_designs
from sttest.core.tables import print_table

COLUMNS = ("design", "board", "LUT share", "clock MHz", "from the others MHz", "error %", "kind")
ROW_COLUMNS = ("design", "board", "clock MHz", "used as", "source")


def rows() -> list[tuple[str, ...]]:
    """A line per design that has a share and a clock."""
    return [
        (
            each.row.design,
            each.row.board,
            f"{each.row.share:.1%}",
            f"{each.row.clock_mhz:g}",
            f"{each.predicted_mhz:.0f}",
            f"{100 * each.error:+.1f}",
            each.row.kind,
        )
        for each in leave_one_out()
    ]


def source_rows() -> list[tuple[str, ...]]:
    """All routed designs that are known, with what the model takes of them."""
    return [
        (row.design, row.board, f"{row.mhz:g}" if row.mhz else "", row.used, row.source) for row in routed_designs()
    ]


def median_error() -> float:
    """Of the absolute errors, in percent."""
    return 100 * median(abs(each.error) for each in leave_one_out())


def worst() -> HeldOut:
    """The design that is predicted worst."""
    return max(leave_one_out(), key=lambda each: abs(each.error))


if __name__ == "__main__":
    print_table(COLUMNS, rows(), title="Clock of routed designs, each predicted from the others")
    print(f"median error {median_error():.1f} %, worst {100 * worst().error:+.1f} % ({worst().row.design})")
