"""`sttest board`: every quantity of a board with its provenance, and a check of its bandwidth."""

from dataclasses import asdict
from typing import Any

from sttest.boards.board import FpgaBoard
from sttest.boards.load import load_board, quantities
from sttest.boards.part import Quantity
from sttest.core.tables import print_table
from sttest.studies.board_check import BandwidthCheck, check_bandwidth
from sttest.verbs.output import print_json


def run(name: str, *, as_json: bool) -> None:
    """Prints a board and, if kernels can be fed from its HBM, the bandwidth that the memory model reaches.

    Raises:
        InputError: no such board, or a description that is none.
    """
    board = load_board(name)
    check = check_bandwidth(board) if isinstance(board, FpgaBoard) and board.memory.hbm else None
    found = dict(quantities(board))
    if as_json:
        print_json(_document(board.name, board.title, found, check))
        return
    rows = ((key, q.value, q.unit, q.kind, q.source) for key, q in found.items())
    print_table(("quantity", "value", "unit", "kind", "source"), rows, title=f"{board.name}: {board.title}")
    print(_check_text(check) if check else "bandwidth check: none, no HBM pseudo-channels for dataflow kernels")


def _document(name: str, title: str, found: dict[str, Quantity], check: BandwidthCheck | None) -> dict[str, Any]:
    ratios: dict[str, float] = {}
    if check:
        ratios = {
            "reached_over_sustained": check.reached_over_sustained, "reached_over_peak": check.reached_over_peak,
        }  # fmt: skip
    return {
        "schema": "sttest.board/1",
        "name": name,
        "title": title,
        "quantities": {key: quantity.model_dump() for key, quantity in found.items()},
        "bandwidth": {**asdict(check), **ratios} if check else None,
    }


def _check_text(check: BandwidthCheck) -> str:
    return (
        f"bandwidth check: {check.streamed_bytes:,} bytes over {check.channels} channels in {check.cycles:,} cycles: "
        f"{check.reached_gb_per_s:.1f} GB/s reached, {check.reached_over_sustained:.1%} of the declared sustained "
        f"{check.sustained_gb_per_s:.1f}, {check.reached_over_peak:.1%} of the declared peak {check.peak_gb_per_s:.1f}"
    )
