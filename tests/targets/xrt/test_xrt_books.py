"""The emulator's books, on random histories: ranges are sets, buffers never overlap."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from sttest.core.errors import DoesNotFitError
from sttest.targets.xrt.contract import PAGE_BYTES
from sttest.targets.xrt.emulator.storage import ByteRanges, CardMemory

WINDOWS = st.tuples(st.integers(0, 30), st.integers(0, 8)).map(lambda pair: range(pair[0], sum(pair)))


@given(st.lists(st.tuples(st.booleans(), WINDOWS), max_size=20), WINDOWS)
def test_ranges_are_sets(history, window):
    found, expected = ByteRanges(), set()
    for puts_in, piece in history:
        (found.add if puts_in else found.discard)(piece)
        expected = expected | set(piece) if puts_in else expected - set(piece)
    assert {byte for piece in found for byte in piece} == expected
    assert {byte for piece in found.within(window) for byte in piece} == expected & set(window)
    assert {byte for piece in found.outside(window) for byte in piece} == set(window) - expected
    assert all(left.stop < right.start for left, right in pairwise(found))


REQUESTS = st.tuples(st.integers(1, 3 * PAGE_BYTES), st.integers(0, 3), st.integers(1, 4))


def taken_or_room(memory, size, banks):
    """An address, or what the error says there is room for."""
    try:
        return memory.take(size, banks), size
    except DoesNotFitError as error:
        return None, error.bound


@given(st.lists(st.one_of(REQUESTS, st.integers(0, 30)), max_size=30))
def test_buffers_lie_on_pages_in_their_banks_and_do_not_overlap(history):
    memory, taken = CardMemory(banks=4, bank_bytes=4 * PAGE_BYTES), {}
    for step in history:
        if isinstance(step, int):
            for address in list(taken)[step:][:1]:
                memory.free(address)
                del taken[address]
            continue
        size, first, count = step
        banks = range(first, min(first + count, 4))
        address, room = taken_or_room(memory, size, banks)
        if address is None:
            assert room < size
            continue
        assert address % PAGE_BYTES == 0
        assert banks.start * 4 * PAGE_BYTES <= address <= address + size <= banks.stop * 4 * PAGE_BYTES
        assert all(address + size <= start or start + length <= address for start, length in taken.items())
        taken[address] = size
    assert memory.used_bytes() == sum(taken.values())
