"""Memory of compiled blocks: padding, what is missing, what has no room."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sttest.core.errors import InputError
from sttest.models.registry import get_config, small
from sttest.models.tables import decode_mask, prefill_mask, rope_table
from sttest.reference.graph import NUMPY, Argument, Load, MemoryLayout, ReferenceGraph, ReferenceStream, Result, Store
from sttest.reference.memory import unpack
from sttest.runtime.design_memory import BlockMemory, CacheSide

CONFIG = small(get_config("gemma"))
KV, DIM = CONFIG.kv_heads, CONFIG.head_dim


def design(arguments: dict[str, tuple[str, tuple[int, ...], str]], results: dict[str, str]) -> ReferenceGraph:
    """Loads every argument whole, and stores some of them as results."""
    streams, nodes, found = [], [], []
    for name, (_, shape, dtype) in arguments.items():
        rank = len(shape)
        streams.append(ReferenceStream(name, dtype, shape, (), (), ((),) * rank, (0,) * rank, depth=2))  # type: ignore[arg-type]
        layout = MemoryLayout((1,) * rank, (1,) * rank, shape, 512)
        nodes += [Load(f"load_{name}", name, name, layout), Store(f"store_{name}", name, layout)]
    for name, source in results.items():
        found.append(Result(name, f"store_{source}", arguments[source][1], arguments[source][2]))  # type: ignore[arg-type]
    given = (Argument(name, *facts[:1], *facts[1:]) for name, facts in arguments.items())  # type: ignore[arg-type]
    return ReferenceGraph("design", tuple(given), tuple(found), tuple(streams), tuple(nodes))


PREFILL = design(
    {
        "norm.weight": ("parameter", (CONFIG.hidden,), "f32"),
        "x": ("input", (8, CONFIG.hidden), "f32"),
        "mask": ("input", (8, 8), "f32"),
        "rope": ("input", (8, 2, 2, DIM // 2), "f32"),
        "k": ("cache", (KV, 8, DIM), "i8"),
        "k_scale": ("cache", (KV, 8), "f16"),
    },
    {"y": "x", "k_new": "k", "k_new_scale": "k_scale", "v_new": "k"},
)
DECODE = design(
    {
        "x": ("input", (1, CONFIG.hidden), "f32"),
        "mask": ("input", (8,), "f32"),
        "rope": ("input", (1, 2, 2, DIM // 2), "f32"),
        "k_cache": ("cache", (KV, 8, DIM), "i8"),
        "k_cache_scale": ("cache", (KV, 8), "f16"),
        "v_cache": ("cache", (KV, 8, DIM), "i8"),
        "v_cache_scale": ("cache", (KV, 8), "f16"),
    },
    {},
)
WEIGHT = {"norm.weight": np.ones(CONFIG.hidden, np.float32)}


def tensor(graph: ReferenceGraph, images: dict, name: str) -> np.ndarray:
    load = next(load for load in graph.loads if load.argument == name)
    return unpack(images[load.name], load.layout, graph.stream[load.sink])


def side(positions: int) -> CacheSide:
    values = np.arange(KV * positions * DIM).reshape(KV, positions, DIM) % 100 + 1
    return CacheSide(values.astype(np.int8), np.full((KV, positions), 0.5, np.float16))


@pytest.mark.parametrize("kind", ["global", "local"])
def test_fewer_tokens_stand_at_the_end(kind) -> None:
    graph = replace(PREFILL, arguments=PREFILL.arguments)
    kept = tuple(node for node in graph.nodes if "k" not in node.name.split("_"))
    names = {name for node in kept for name in (*node.sources, *node.sinks)}
    graph = replace(
        graph,
        nodes=kept,
        results=graph.results[:1],
        streams=tuple(stream for stream in graph.streams if stream.name in names),
    )
    x = np.full((5, CONFIG.hidden), 3, np.float32)
    images = BlockMemory(graph, CONFIG, WEIGHT, kind).prefill(x)
    rows = tensor(graph, images, "x")
    assert not rows[:3].any()
    assert np.array_equal(rows[3:], x)
    assert np.array_equal(tensor(graph, images, "mask"), prefill_mask(CONFIG, 8, kind, padding=3))
    assert np.array_equal(tensor(graph, images, "rope"), rope_table(CONFIG, [0, 0, 0, 0, 1, 2, 3, 4], kind))
    assert np.array_equal(tensor(graph, images, "norm.weight"), WEIGHT["norm.weight"])


def test_a_shorter_cache_stands_at_the_end() -> None:
    images = BlockMemory(DECODE, CONFIG, {}).decode(np.zeros((1, CONFIG.hidden), np.float32), side(6), side(6))
    assert not tensor(DECODE, images, "k_cache")[:, :2].any()
    assert np.array_equal(tensor(DECODE, images, "v_cache")[:, 2:], side(6).values)
    assert tensor(DECODE, images, "k_cache_scale")[0].tolist() == [1, 1, *[0.5] * 6]
    assert np.array_equal(tensor(DECODE, images, "mask"), decode_mask(CONFIG, 8, padding=2))
    assert np.array_equal(tensor(DECODE, images, "rope"), rope_table(CONFIG, [6]))


def test_results_come_back_without_padding() -> None:
    memory = BlockMemory(PREFILL, CONFIG, WEIGHT)
    images = {
        store.name: (np.arange(8 * CONFIG.hidden * 4) % 50).astype(np.uint8)[: _bytes(store)]
        for store in PREFILL.stores
    }
    whole, part = memory.results(images, 8), memory.results(images, 3)
    assert np.array_equal(part.y, whole.y[5:])
    assert np.array_equal(part.k_new.values, whole.k_new.values[:, 5:])
    assert np.array_equal(part.k_new.scales, whole.k_new.scales[:, 5:])
    assert part.v_new.scales is None


def _bytes(store: Store) -> int:
    dtype = PREFILL.stream[store.source].dtype
    return -(-int(np.prod(store.layout.shape)) * NUMPY[dtype].itemsize // 64) * 64


def test_what_does_not_fit_is_refused() -> None:
    x = np.zeros((9, CONFIG.hidden), np.float32)
    memory = BlockMemory(PREFILL, CONFIG, WEIGHT)
    with pytest.raises(InputError, match=r"no room for so many tokens .demand 9 tokens, bound 8 tokens"):
        memory.prefill(x)
    with pytest.raises(InputError, match="no room for so many cached tokens"):
        BlockMemory(DECODE, CONFIG, {}).decode(x[:1], side(9), side(9))
    with pytest.raises(InputError, match="the design takes no 'k_cache'; compile the block for this phase"):
        memory.decode(x[:1], side(2), side(2))
    with pytest.raises(InputError, match=r"the parameter 'norm.weight' has no values"):
        BlockMemory(PREFILL, CONFIG, {}).prefill(x[:2])
    with pytest.raises(InputError, match="the argument 'k' has no values"):
        memory.prefill(x[:2])
    bare = CacheSide(side(2).values)
    with pytest.raises(InputError, match="the argument 'k_cache_scale' has no values"):
        BlockMemory(DECODE, CONFIG, {}).decode(x[:1], bare, bare)
