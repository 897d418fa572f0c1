"""Ports on HBM banks: traffic is balanced as far as ports let it be, and buffers have room."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sttest.core.errors import DoesNotFitError
from sttest.targets.vitis.placement import BALANCED, PortLoad, place, place_as, placements

BANK = 1000


def loads(*run_bytes: int, resident: int = 1) -> list[PortLoad]:
    return [PortLoad(f"p{number}", moved, resident) for number, moved in enumerate(run_bytes)]


def test_equal_ports_get_banks_of_their_own():
    found = place(loads(5, 5, 5), 4, BANK)
    assert sorted(found.banks.values()) == [(0,), (1,), (2,)]
    assert found.busiest_over_mean == 1.0
    assert found.crowded == ()


def test_small_ports_share_a_bank_so_that_none_is_busier_than_the_largest():
    # 8 | 5 + 3 | 4 + 4
    found = placements(loads(8, 4, 4, 5, 3), 32, BANK)[0]
    assert sorted(found.run_bytes.values()) == [8, 8, 8]
    assert found.busiest_over_mean == 1.0


def test_a_port_that_outweighs_all_others_is_named():
    found = placements(loads(100, 1, 1), 32, BANK)[0]
    assert found.busiest_over_mean > BALANCED
    assert found.busiest_port == ("p0", 100)
    assert found.crowded == found.banks["p0"]


def test_wider_placements_are_no_busier():
    found = placements(loads(*range(1, 20)), 16, BANK)
    assert len(found) > 1
    assert len({max(each.run_bytes.values()) for each in found}) == 1
    assert [len(each.run_bytes) for each in found] == sorted(len(each.run_bytes) for each in found)


def test_a_buffer_that_is_larger_than_a_bank_gets_neighbors_of_its_own():
    large = PortLoad("large", 90, 2 * BANK + 1)
    found = place([*loads(3, 4), large], 5, BANK)
    assert found.banks["large"] == (0, 1, 2)
    assert not {0, 1, 2} & {bank for name, banks in found.banks.items() for bank in banks if name != "large"}
    assert found.resident_bytes[0] == BANK


@pytest.mark.parametrize(
    ("given_loads", "banks"), [(loads(1, resident=3 * BANK), 2), (loads(1, 1, 1, resident=BANK), 2)]
)
def test_what_has_no_room_is_refused(given_loads, banks):
    with pytest.raises(DoesNotFitError, match="no room for the buffers of a port"):
        place(given_loads, banks, BANK)


@given(st.lists(st.tuples(st.integers(0, 500), st.integers(1, 2 * BANK)), min_size=1, max_size=40), st.integers(1, 32))
def test_every_placement_keeps_its_promises(ports, banks):
    asked = [PortLoad(f"p{number}", *port) for number, port in enumerate(ports)]
    try:
        found = place(asked, banks, BANK)
    except DoesNotFitError:
        # First fit leaves at most half of each bank empty, but for whole banks of large buffers.
        assert sum(min(port.resident_bytes, 2 * BANK) for port in asked) > banks * BANK / 2
        return
    assert list(found.banks) == [port.port for port in asked]
    for chosen in found.banks.values():
        assert chosen == tuple(range(chosen[0], chosen[-1] + 1))
        assert chosen[-1] < banks
    assert all(used <= BANK for used in found.resident_bytes.values())
    assert sum(found.run_bytes.values()) >= sum(port.run_bytes for port in asked)


def test_ports_stay_on_the_channels_that_they_were_timed_with():
    found = place_as(loads(5, 3, 4), {"p0": 7, "p1": 2, "p2": 2}, 8, BANK)
    assert found is not None
    assert found.banks == {"p0": (7,), "p1": (2,), "p2": (2,)}
    assert found.run_bytes == {2: 7, 7: 5}
    assert found.resident_bytes == {2: 2, 7: 1}


@pytest.mark.parametrize(("banks", "bank_bytes"), [(7, BANK), (8, 1)])
def test_channels_that_are_not_there_or_too_small_are_not_taken(banks, bank_bytes):
    assert place_as(loads(5, 3, 4), {"p0": 7, "p1": 2, "p2": 2}, banks, bank_bytes) is None
