"""How far a stream walks memory in one stretch, against the addresses of its elements."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import f32
from xdsl.ir.affine import AffineMap

from sttest.compile.channels.bursts_ahead import contiguous_elements
from sttest.compile.compiler import compile_text
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of
from sttest.compile.options import CompileOptions
from sttest.compile.passes.materialize_dma import packed_layout
from sttest.frontend.shipped import lowered_text
from sttest.sim.graph import MemoryPort


def addresses(stream: df.ITensorType, layout: tuple[int, ...]) -> np.ndarray:
    """Where each element lies, [tokens, elements of a token]."""
    rank = len(stream.element_shape)
    grid, beats, beat = (np.array(layout[part * rank : (part + 1) * rank]) for part in range(3))
    inside = np.array([*product(*map(range, stream.element_shape))])
    starts = np.array([*stream.offsets()])
    places = starts[:, None, :] + inside[None]
    tile = beats * beat
    parts = [places // tile, places % tile // beat, places % beat]
    number = np.zeros(places.shape[:2], dtype=np.int64)
    for part, extents in zip(parts, (grid, beats, beat), strict=True):
        for dim in range(rank):
            number = number * extents[dim] + part[..., dim]
    return number


def first_stretch(where: np.ndarray) -> int:
    """Elements from the first address on that come one after the other, token by token."""
    elements = where.shape[1]
    lowest = where.min(axis=1)
    follows = np.diff(lowest) == elements
    tokens = len(lowest) if follows.all() else int(np.argmin(follows)) + 1
    return tokens * elements


@st.composite
def streams(draw: st.DrawFn) -> df.ITensorType:
    """Two dims in tiles, walked in any order, rows or columns again."""
    tile = [draw(st.sampled_from((1, 2, 4))) for _ in range(2)]
    grid = [draw(st.sampled_from((1, 2, 3))) for _ in range(2)]
    order = draw(st.permutations((0, 1)))
    again = draw(st.sampled_from((1, 2)))
    exprs = ["0", "0"]
    for level, dim in enumerate(order):
        exprs[dim] = f"d{level}"
    text = AffineMap.from_callable(lambda a, b, c: tuple({"d0": a, "d1": b}[expr] for expr in exprs))
    trips = [*(grid[dim] for dim in order), again]
    return df.ITensorType.of(tile, f32, trips, [*(tile[dim] for dim in order), 1], text)


@given(streams(), st.sampled_from((32, 64, 128)))
def test_no_stretch_is_longer_than_what_lies_there(stream: df.ITensorType, beat_bits: int) -> None:
    layout = packed_layout(stream, beat_bits)
    where = addresses(stream, layout)
    stretch = contiguous_elements(stream, layout)
    assert stretch % stream.token_elements == 0
    tokens = stretch // stream.token_elements
    for first in range(0, len(where), tokens):
        run = where[first : first + tokens]
        assert np.array_equal(np.sort(run.reshape(-1)), run.min() + np.arange(run.size))
    assert stretch <= first_stretch(where)


@pytest.mark.parametrize("model", ["gpt2", "llama"])
@pytest.mark.parametrize("phase", ["decode", "prefill"])
def test_bursts_of_blocks_lie_in_one_piece(model: str, phase: str) -> None:
    design = compile_text(lowered_text(model, phase, small=True), "block", "u55c", CompileOptions())
    ports = {port.name: port for port in design.graph.processes if isinstance(port, MemoryPort)}
    checked = 0
    for dma in (*all_of(design.module, df.DmaReadOp), *all_of(design.module, df.DmaWriteOp)):
        if isinstance(dma, df.DmaReadOp) and dma.packed is not None:
            continue
        assert dma.layout is not None
        assert dma.label is not None
        stream = df.itensor_of(dma.sources[0] if isinstance(dma, df.DmaWriteOp) else dma.sinks[0])
        stretch = first_stretch(addresses(stream, dma.layout.values)) * stream.element_bits // 8
        port = ports[dma.label.data]
        assert port.burst_bytes <= max(stretch, 1)
        checked += port.burst_bytes > port.token_bytes
    assert checked > 0


def test_the_same_rows_again_are_another_stretch() -> None:
    rows = df.ITensorType.of((1, 4), f32, (3, 2), (1, 4), AffineMap.from_callable(lambda a, b: (0, b)))
    assert contiguous_elements(rows, packed_layout(rows, 64)) == prod((2, 4))
