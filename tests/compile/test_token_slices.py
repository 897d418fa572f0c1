"""Slices of tokens: streams that walk in step, and DMAs of a real block that read them."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import Float32Type
from xdsl.ir.affine import AffineMap

from sttest.compile.compiler import compile_text
from sttest.compile.dialects.itensor import ITensorType
from sttest.compile.dialects.stream_order import is_sliced, most_slices, slice_dim, sliced
from sttest.compile.options import CompileOptions
from sttest.frontend.shipped import lowered_text
from sttest.sim import simulate
from sttest.sim.graph import MemoryPort, Pipeline


def stream(element: list[int], trips: list[int], steps: list[int], index: AffineMap) -> ITensorType:
    return ITensorType.of(element, Float32Type(), trips, steps, index)


TILES = stream([1, 16, 8], [2, 3, 4], [1, 16, 8], AffineMap.identity(3))
REPEATED = stream([16, 8], [5, 3, 4], [1, 16, 8], AffineMap.from_callable(lambda _, row, column: (row, column)))


@pytest.mark.parametrize("whole", [TILES, REPEATED], ids=["behind a dim of one", "streamed again"])
def test_a_slice_lies_where_its_token_does_in_a_tensor_of_slices(whole: ITensorType) -> None:
    dim, slices = slice_dim(whole.element_shape), 4
    part = sliced(whole, slices)
    assert is_sliced(part, whole, slices)
    assert not is_sliced(part, whole, 2)
    assert part.token_elements * slices == whole.token_elements
    assert part.full_shape[dim] * slices == whole.full_shape[dim]
    for own, of_whole in zip(part.offsets(), whole.offsets(), strict=True):
        assert tuple(at * slices if axis == dim else at for axis, at in enumerate(own)) == of_whole


def test_tokens_are_cut_as_far_as_their_first_long_dim_goes() -> None:
    assert most_slices(TILES) == 16
    assert most_slices(stream([6, 4], [2], [6], AffineMap.from_callable(lambda row: (row, 0)))) == 2
    assert most_slices(stream([1], [4], [1], AffineMap.identity(1))) == 1


def test_what_a_tensor_of_slices_cannot_be_streamed_like_is_not_cut() -> None:
    diagonal = AffineMap.from_callable(lambda both: (both, both))
    overlapping = stream([4], [3], [2], AffineMap.identity(1))
    assert most_slices(stream([4, 4], [3], [4], diagonal)) == most_slices(overlapping) == 1


def test_a_decode_reads_its_weights_in_slices_over_channels_of_their_own() -> None:
    graph = compile_text(
        lowered_text("gpt2", "decode", small=False), "gpt2", "u55c", CompileOptions(precision="w4a8")
    ).graph
    ports = {each.fifo: each for each in graph.processes if isinstance(each, MemoryPort)}
    gathers = [
        each
        for each in graph.processes
        if isinstance(each, Pipeline) and each.category == "gather" and each.name.endswith("_weight")
    ]
    assert len(gathers) == 6
    for gather in gathers:
        read = [ports[event.fifo] for event in gather.loops[0].events if event.op == "read"]
        assert len({port.channels for port in read}) == len(read) == 4
        assert len({(port.tokens, port.token_bytes, port.origin) for port in read}) == 1
    assert all(len(port.channels) == 1 for port in ports.values())
    # Bound by its products: their 256 lanes take 128 bytes per cycle, which four channels give and two do not.
    assert simulate(graph).cycles == pytest.approx(44_500, rel=0.05)
