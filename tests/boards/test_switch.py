"""The bound of crossing the HBM's switch, worked out by hand from PG276's two links per direction and side."""

import pytest

from sttest.boards.load import load_board
from sttest.boards.switch import Reach, crossing


def test_own_channels_and_those_of_the_same_set_cross_nothing():
    found = crossing([Reach(0, 0, 4096, writes=False), Reach(1, 3, 4096, writes=True)], load_board("u55c"))
    assert found is not None
    assert (found.bytes, found.cycles) == (0, 0)
    assert found.text().startswith("none: every port")


def test_a_side_is_crossed_by_all_that_go_over_it_one_way():
    """Reads from sets 1 and 2 for set 0 come over side 0 the same way; what set 0 writes to set 1 goes the other."""
    reaches = [Reach(0, 4, 1000, writes=False), Reach(1, 8, 3000, writes=False), Reach(2, 5, 2500, writes=True)]
    found = crossing(reaches, load_board("u55c"))
    assert found is not None
    assert found.bytes == 4000
    # Two links of 256 bits at 450 MHz: 28.8 GB/s, at 250 MHz 115.2 bytes per cycle.
    assert found.cycles == pytest.approx(4000 / 115.2)
    assert "unmeasured" in found.text()


@pytest.mark.parametrize("board", ["v80", "kv260", "vck5000"])
def test_a_board_without_such_a_switch_says_nothing(board):
    assert crossing([Reach(0, 31, 4096, writes=False)], load_board(board)) is None
