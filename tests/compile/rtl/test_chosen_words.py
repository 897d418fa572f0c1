"""Walks of ports that read parts by number: what they count through means the words that the reference reads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from sttest.compile.rtl.dma import ChosenWords, PortTensor, PortTensors, TensorSegment, port_words
from sttest.compile.rtl.walks import Bursts
from sttest.core.errors import InputError
from sttest.reference.graph import Load, MemoryLayout, Parts, ReferenceStream
from sttest.reference.memory import chosen_image, images_of

BEAT = 64  # bits


def tensor(tiles: int, rows: int, chosen: int, parts: int) -> PortTensor:
    """Columns in ``tiles`` tiles; of each, ``rows`` tiles of every chosen part follow each other."""
    stream = ReferenceStream("s", "i8", (4, 4), (tiles, chosen * rows), (1, 1), ((0, 4), (4, 0)), (0, 0), 2)
    layout = MemoryLayout((chosen * rows, tiles), (1, 1), (4, 4), BEAT, packed=True)
    load = Load("l", "w", "s", layout, parts=Parts("index", chosen, parts, 0, tiles))
    return PortTensor(load, stream)


def meant(chosen: ChosenWords, number: int, numbers: list[int]) -> int:
    """The word in memory that a number of the walk means, as ``chosen_bursts`` computes it."""
    low, rest = number & (1 << chosen.low_bits) - 1, number >> chosen.low_bits
    segment, layer = chosen.segments[rest & (1 << chosen.segment_bits) - 1], rest >> chosen.segment_bits
    word = segment.start + layer * chosen.layer_words
    if not segment.part_words:
        return word + low
    place = low >> segment.run_bits & (1 << segment.chosen_bits) - 1
    run = low >> segment.run_bits + segment.chosen_bits
    return word + numbers[place] * segment.part_words + run * segment.run_words + (low & (1 << segment.run_bits) - 1)


@settings(max_examples=100, deadline=None)
@given(some.data())
def test_words_of_a_walk_are_those_that_the_reference_reads(data):
    tiles, rows = data.draw(some.integers(1, 4)), data.draw(some.integers(1, 3))
    chosen = data.draw(some.integers(1, 4))
    parts = data.draw(some.integers(chosen, 7))
    numbers = data.draw(some.lists(some.integers(0, parts - 1), min_size=chosen, max_size=chosen))
    one = tensor(tiles, rows, chosen, parts)
    words = port_words(PortTensors((one,)))
    assert words.chosen is not None
    values = np.random.default_rng(tiles).integers(-9, 9, one.node.shape, np.int8)
    memory = _image(one, values)
    found = np.concatenate(
        [memory.reshape(-1, BEAT // 8)[meant(words.chosen, int(number), numbers)] for number in words.words.numbers]
    )
    assert np.array_equal(found, chosen_image(one.node, memory, np.array(numbers), "i8"))
    bursts = Bursts.of(words.words, words.chosen.longest, BEAT // 8)
    # Bursts of a power of two that begin at its multiples stay in their page.
    assert all(each <= words.chosen.longest for each in (*bursts.full, *bursts.rest))
    for first in bursts.route.numbers * bursts.unit:
        assert meant(words.chosen, int(first), numbers) % words.chosen.longest == 0


def _image(one: PortTensor, values: np.ndarray) -> np.ndarray:
    from types import SimpleNamespace

    graph = SimpleNamespace(loads=(one.node,), argument={"w": None}, stream={"s": one.stream}, name="g")
    return images_of(graph, {"w": values})["l"]  # pyright: ignore[reportArgumentType] - what it looks at


def test_layers_and_other_tensors_keep_their_places():
    first, second = tensor(2, 1, 2, 3), tensor(1, 3, 2, 3)
    words = port_words(PortTensors((first, second), repeats=3, is_per_layer=True))
    chosen = words.chosen
    assert chosen is not None
    assert chosen.segments[1].start == first.words
    assert chosen.layer_words == first.words + second.words
    meant_words = [meant(chosen, int(number), [2, 0]) for number in words.words.numbers]
    assert max(meant_words) < 3 * chosen.layer_words
    per_layer = len(meant_words) // 3
    assert [each - chosen.layer_words for each in meant_words[per_layer : 2 * per_layer]] == meant_words[:per_layer]


def test_a_run_that_ends_within_a_word_is_refused():
    stream = ReferenceStream("s", "i8", (1, 4), (3, 2), (1, 1), ((0, 1), (4, 0)), (0, 0), 2)
    layout = MemoryLayout((2, 3), (1, 1), (1, 4), BEAT, packed=True)
    load = Load("l", "w", "s", layout, parts=Parts("index", 2, 4, 0, 3))
    with pytest.raises(InputError, match="runs of chosen parts are not whole words"):
        port_words(PortTensors((PortTensor(load, stream),)))


def test_a_segment_walks_past_its_run():
    segment = TensorSegment(0, 0, run_words=4, part_words=8, runs=2, chosen=3)
    walked = segment.walked(np.arange(24))
    assert len(set(walked.tolist())) == 24
    assert (np.diff(walked) > 0).all()
    assert np.diff(walked)[3] > 1
