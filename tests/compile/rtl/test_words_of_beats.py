"""Ports whose tokens are whole beats: found beat by beat, their words are those that all elements' addresses say."""

import numpy as np
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from sttest.compile.rtl.dma import PortTensor, PortTensors, port_words
from sttest.core.errors import InputError
from sttest.reference.graph import Load, MemoryLayout, ReferenceStream, Store
from sttest.reference.memory import beat_numbers, element_addresses


@st.composite
def tensors(draw: st.DrawFn) -> PortTensor:
    """Int8 tensors of two dims, streamed tile by tile, some of them again and again."""
    beat = draw(st.sampled_from([(1, 8), (2, 4), (4, 2), (8, 1)]))
    beats, grid = (draw(st.tuples(st.integers(1, 3), st.integers(1, 3))) for _ in range(2))
    packed, writes = draw(st.booleans()), draw(st.booleans())
    layout = MemoryLayout(grid, beats, beat, 64, packed)
    # A token is the whole tile, or a beat of it.
    whole = draw(st.booleans())
    element = layout.tile if whole else beat
    inner = (1, 1) if whole else beats
    again = draw(st.integers(1, 3))
    trips = (again, *grid, *inner)
    coefficients = ((0, layout.tile[0], 0, element[0], 0), (0, 0, layout.tile[1], 0, element[1]))
    stream = ReferenceStream("x", "i8", element, trips, (1,) * 5, coefficients, (0, 0), 2)
    return PortTensor(Store("port", "x", layout) if writes else Load("port", "x", "x", layout), stream)


@given(tensors())
@settings(max_examples=150)
def test_words_and_order_are_those_of_the_elements(tensor: PortTensor):
    layout, stream = tensor.node.layout, tensor.stream
    written = isinstance(tensor.node, Store)
    assert beat_numbers(layout, stream, written=written) is not None
    addresses = element_addresses(layout, stream, written=written)
    words = addresses // 8
    changes = [row[np.sort(np.unique(row, return_index=True)[1])] for row in words]
    try:
        found = port_words(PortTensors((tensor,)))
    except InputError:
        reject()  # no counter walks through them
    assert found.words.numbers.tolist() == np.concatenate(changes).tolist()
    rank = {word: place for place, word in enumerate(changes[0])}
    assert list(found.order) == [rank[each // 8] * 8 + each % 8 for each in addresses[0]]


def test_a_token_with_a_part_of_a_beat_is_left_to_its_elements():
    layout = MemoryLayout((2, 1), (1, 2), (1, 8), 64)
    stream = ReferenceStream("x", "i8", (1, 4), (2, 4), (1, 4), ((1, 0), (0, 1)), (0, 0), 2)
    assert beat_numbers(layout, stream) is None
    assert port_words(PortTensors((PortTensor(Load("port", "x", "x", layout), stream),))).words.numbers.tolist() == [
        0,
        1,
        2,
        3,
    ]
