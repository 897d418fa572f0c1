"""A cache whose entries keep their places: room, masks, and how little changes from token to token."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("torch")

from sttest.core.errors import InputError
from sttest.models.registry import get_config, small
from sttest.models.tables import decode_mask
from sttest.reference.graph import Argument, Load, MemoryLayout, ReferenceGraph, ReferenceStream
from sttest.reference.memory import unpack
from sttest.runtime.card_generation import BEAT_BYTES, changes
from sttest.runtime.design_memory import BlockMemory, CacheSide, ResidentCache

CONFIG = small(get_config("gemma"))
KV, DIM, ROOM = CONFIG.kv_heads, CONFIG.head_dim, 32
SHAPES = {
    "x": ("f32", (1, CONFIG.hidden)),
    "mask": ("f32", (ROOM,)),
    "rope": ("f32", (1, 2, 2, DIM // 2)),
    "k_cache": ("i8", (KV, ROOM, DIM)),
    "k_cache_scale": ("f16", (KV, ROOM)),
    "v_cache": ("i8", (KV, ROOM, DIM)),
    "v_cache_scale": ("f16", (KV, ROOM)),
}


def decode_graph() -> ReferenceGraph:
    """Loads every argument whole; nobody reads them."""
    loads, streams = [], []
    for name, (dtype, shape) in SHAPES.items():
        rank = len(shape)
        layout = MemoryLayout((1,) * rank, (1,) * rank, shape, 512)
        streams.append(ReferenceStream(name, cast("Any", dtype), shape, (), (), ((),) * rank, (0,) * rank, depth=2))
        loads.append(Load(f"load_{name}", name, name, layout))
    arguments = tuple(Argument(name, "cache", shape, cast("Any", dtype)) for name, (dtype, shape) in SHAPES.items())
    graph = SimpleNamespace(
        name="decode",
        arguments=arguments,
        argument={each.name: each for each in arguments},
        loads=loads,
        stream={each.name: each for each in streams},
    )
    return cast("ReferenceGraph", graph)


def cache_of(kind: str = "global") -> ResidentCache:
    return ResidentCache(BlockMemory(decode_graph(), CONFIG, {}, cast("Any", kind)))


def entries(count: int, first: int = 1) -> CacheSide:
    values = np.arange(first, first + KV * count * DIM).reshape(KV, count, DIM) % 100 + 1
    return CacheSide(values.astype(np.int8), np.full((KV, count), 0.5, np.float16))


def tensor(cache: ResidentCache, images: dict, name: str) -> np.ndarray:
    graph = cache.memory.graph
    load = next(load for load in graph.loads if load.argument == name)
    return unpack(images[load.name], load.layout, graph.stream[load.sink])


X = np.zeros((1, CONFIG.hidden), np.float32)


@pytest.mark.parametrize("kind", ["global", "local"])
def test_entries_lie_at_their_positions_and_free_places_are_hidden(kind):
    cache = cache_of(kind)
    cache.append(entries(20), entries(20, 7))
    images = cache.images(X)
    assert np.array_equal(tensor(cache, images, "k_cache")[:, :20], entries(20).values)
    assert not tensor(cache, images, "v_cache")[:, 20:].any()
    assert (tensor(cache, images, "k_cache_scale")[:, 20:] == 1).all()
    mask = tensor(cache, images, "mask")
    assert np.array_equal(mask[:20], decode_mask(CONFIG, 20, cast("Any", kind)))
    assert (mask[20:] < -1e30).all()


def test_a_token_changes_one_entry_per_head():
    cache = cache_of()
    cache.append(entries(4), entries(4))
    before = cache.images(X)["load_k_cache"]
    cache.append(entries(1, 9), entries(1, 9))
    found = list(changes(before, cache.images(X)["load_k_cache"]))
    beats = -(-DIM // BEAT_BYTES) + 1
    assert sum(part.stop - part.start for part in found) <= KV * beats * BEAT_BYTES


def test_what_has_no_room_is_refused():
    cache = cache_of()
    cache.append(entries(ROOM), entries(ROOM))
    with pytest.raises(InputError, match="demand 33 tokens, bound 32 tokens"):
        cache.append(entries(1), entries(1))


def test_a_design_without_a_cache_is_refused():
    graph = cast("ReferenceGraph", SimpleNamespace(name="prefill", argument={}))
    with pytest.raises(InputError, match="the design takes no 'k_cache'"):
        ResidentCache(BlockMemory(graph, CONFIG, {}))


@given(st.integers(1, 80), st.data())
def test_writing_the_changes_makes_one_image_another(beats, data):
    size = beats * BEAT_BYTES
    before = np.zeros(size, np.uint8)
    after = before.copy()
    for place in data.draw(st.lists(st.integers(0, size - 1), max_size=8)):
        after[place] = 1
    parts = list(changes(before, after))
    for part in parts:
        before[part] = after[part]
        assert part.start % BEAT_BYTES == part.stop % BEAT_BYTES == 0
    assert np.array_equal(before, after)
    assert all(a.stop < b.start for a, b in itertools.pairwise(parts))
