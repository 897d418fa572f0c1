"""Tensors that come in slices: what memory holds of each, and the tokens that they make up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from small_values import argument

from sttest.core.errors import InputError
from sttest.reference import memory_images, read_results, run
from sttest.reference.graph import (
    Gather,
    Load,
    MemoryLayout,
    ReferenceGraph,
    ReferenceStream,
    Result,
    Slice,
    Store,
    read_reference_graph,
    write_reference_graph,
)

TENSOR = np.arange(24, dtype=np.float32).reshape(4, 6)
# Tokens of 2 x 3 in two slices of 1 x 3, each out of memory of its own.
WHOLE = ReferenceStream("whole", "f32", (2, 3), (2, 2), (2, 3), ((1, 0), (0, 1)), (0, 0), 2)
PARTS = tuple(ReferenceStream(f"part{n}", "f32", (1, 3), (2, 2), (1, 3), ((1, 0), (0, 1)), (0, 0), 2) for n in range(2))
LAYOUT = MemoryLayout((2, 2), (1, 1), (1, 3), 512, packed=True)
RESULT = MemoryLayout((2, 2), (1, 1), (2, 3), 512)


def loads(slices: int = 2) -> tuple[Load, ...]:
    return tuple(Load(f"load{n}", "a", f"part{n}", LAYOUT, Slice(0, 2, n, slices)) for n in range(2))


def graph(nodes: tuple[Load, ...] | None = None, parts: tuple[ReferenceStream, ...] = PARTS) -> ReferenceGraph:
    ends = (Gather("gather", ("part0", "part1"), "whole"), Store("store", "whole", RESULT))
    result = Result("r", "store", (4, 6), "f32")
    return ReferenceGraph("sliced", (argument(),), (result,), (*parts, WHOLE), (*(nodes or loads()), *ends))


def test_memory_holds_one_slice_of_every_token() -> None:
    images = memory_images(graph(), {"a": TENSOR})
    assert images["load0"].view(np.float32)[:12].tolist() == [0, 1, 2, 3, 4, 5, 12, 13, 14, 15, 16, 17]
    assert images["load1"].view(np.float32)[:12].tolist() == [6, 7, 8, 9, 10, 11, 18, 19, 20, 21, 22, 23]


def test_a_gather_makes_the_tokens_whole() -> None:
    ran = run(graph(), memory_images(graph(), {"a": TENSOR}), keep=["whole"])
    assert ran.streams["whole"][1].tolist() == [[3, 4, 5], [9, 10, 11]]
    assert np.array_equal(read_results(graph(), ran.results)["r"], TENSOR)


def test_slices_are_written_and_read_back(tmp_path) -> None:
    write_reference_graph(graph(), tmp_path / "values.json")
    assert read_reference_graph(tmp_path / "values.json") == graph()


@pytest.mark.parametrize(
    ("part", "says"), [((0, 3, 0, 2), "tokens of 3 are not 2 equal slices"), ((0, 2, 2, 2), "number is 2, at most 1")]
)
def test_slices_that_cannot_be_are_refused(part: tuple[int, int, int, int], says: str) -> None:
    with pytest.raises(InputError, match=says):
        Slice(*part)


def test_a_slice_of_another_tensor_is_refused() -> None:
    longer = replace(loads()[0], part=Slice(0, 4, 0, 4))
    with pytest.raises(InputError, match="streams f32"):
        graph((longer, loads()[1]))
    with pytest.raises(InputError, match="cuts tokens of 8 along dim 0"):
        graph((replace(loads()[0], part=Slice(0, 8, 0, 2)), loads()[1]))


def test_slices_that_do_not_make_up_a_token_are_refused() -> None:
    narrow = replace(PARTS[1], element=(1, 2), steps=(1, 2), trips=(2, 3))
    short = replace(loads()[1], layout=MemoryLayout((2, 3), (1, 1), (1, 2), 512, packed=True))
    design = graph((loads()[0], short), (PARTS[0], narrow))
    with pytest.raises(InputError, match="do not make up the tokens of 'whole'"):
        run(design, memory_images(design, {"a": TENSOR}))
