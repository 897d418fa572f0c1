"""Sliding windows: the schedule against FINN's RTL unit, clocked here after finn-rtllib/swg/swg_template_default.sv."""

from dataclasses import replace
from itertools import product
from math import prod
from typing import Any

import pytest

from sttest.core.errors import InputError
from sttest.importers.finn_layers import layer_of
from sttest.importers.finn_model import Node
from sttest.importers.finn_schedule import StreamAccess, StreamNest
from sttest.sim.graph import When


def node(suffix: str = "_rtl", **attributes: Any) -> Node:
    """A window generator; sizes are [height, width]."""
    given = {"inputDataType": "INT4", "Dilation": (1, 1), **attributes}
    size, kernel, stride, dilation = (given[name] for name in ("IFMDim", "ConvKernelDim", "Stride", "Dilation"))
    given["OFMDim"] = tuple(
        (each - (reach - 1) * step - 1) // pace + 1
        for each, reach, pace, step in zip(size, kernel, stride, dilation, strict=True)
    )
    return Node("w", f"ConvolutionInputGenerator{suffix}", "", ("in",), ("out",), given, "here")


def is_in(when: When, index: int) -> bool:
    """Whether an access happens at an index of one dim."""
    if isinstance(when, tuple):
        return index in range(when[0], when[1] + 1, when[2])
    return when is None or index == when


def happens(accesses: tuple[StreamAccess, ...], index: tuple[int, ...]) -> bool:
    """Whether there is an access in an iteration."""
    return any(all(is_in(when, index[dim]) for dim, when in enumerate(access.when)) for access in accesses)


def spelled(nests: tuple[StreamNest, ...]) -> list[tuple[bool, bool]]:
    """Per cycle, whether a token is read and whether one is written."""
    return [
        (happens(nest.reads, index), happens(nest.writes, index))
        for nest in nests
        for index in product(*map(range, nest.trips))
    ]


def elements(unit: Node) -> list[int]:
    """The place in the image of each token that is written, in order."""
    (rows, columns), (taps_h, taps_w) = unit.pair("OFMDim"), unit.pair("ConvKernelDim")
    (down, right), (far_h, far_w) = unit.pair("Stride"), unit.pair("Dilation")
    folds, width = unit.folds("IFMChannels", "SIMD"), unit.pair("IFMDim")[1]

    def place(row: int, column: int, tap_h: int, tap_w: int, fold: int) -> int:
        return ((row * down + tap_h * far_h) * width + column * right + tap_w * far_w) * folds + fold

    inner = [range(taps_h), range(taps_w), range(folds)]
    if unit.attributes.get("depthwise"):
        order = product(range(rows), range(columns), range(folds), range(taps_h), range(taps_w))
        return [place(row, column, tap_h, tap_w, fold) for row, column, fold, tap_h, tap_w in order]
    return [place(*index) for index in product(range(rows), range(columns), *inner)]


def clocked(unit: Node) -> int:
    """Cycles of the RTL unit whose input is always there and whose output is always taken.

    A token is read when the buffer has a place for it: one that holds nothing that the present window is still to
    take, nor anything of the next.
    """
    (taps_h, taps_w), (far_h, far_w), (down, right) = (
        unit.pair("ConvKernelDim"),
        unit.pair("Dilation"),
        unit.pair("Stride"),
    )
    folds, (height, width) = unit.folds("IFMChannels", "SIMD"), unit.pair("IFMDim")
    least = ((taps_h - 1) * far_h * width + (taps_w - 1) * far_w + 1) * folds
    spare = max(0, ((right - 1) - taps_h * taps_w) * folds) + max(0, ((down - 1) * width - taps_h * taps_w) * folds)
    buffer = least + spare
    wanted = elements(unit)
    window = taps_h * taps_w * (1 if unit.attributes.get("depthwise") and folds > 1 else folds)
    newest, done, cycles, tail = -1, 0, 0, 0
    while done < len(wanted) or newest < height * width * folds - 1:
        fetches = done < len(wanted) and wanted[done] <= newest
        current = wanted[done] if done < len(wanted) else None
        reads = newest < height * width * folds - 1 and (
            current is None or (newest - (buffer - 1) < tail and newest - (buffer - 1) < current)
        )
        if fetches:
            if done % window == 0:
                after = done + window
                tail = wanted[after] if after < len(wanted) else tail + buffer
            done += 1
        newest += reads
        cycles += 1
        assert cycles < 1_000_000
    return cycles


SHAPES = [
    {"IFMDim": (6, 6), "IFMChannels": 4, "SIMD": 2, "ConvKernelDim": (3, 3), "Stride": (1, 1)},
    {"IFMDim": (6, 9), "IFMChannels": 4, "SIMD": 4, "ConvKernelDim": (3, 3), "Stride": (1, 1)},
    {"IFMDim": (8, 8), "IFMChannels": 2, "SIMD": 1, "ConvKernelDim": (2, 2), "Stride": (2, 2)},
    {"IFMDim": (9, 9), "IFMChannels": 2, "SIMD": 1, "ConvKernelDim": (3, 3), "Stride": (2, 2)},
    {"IFMDim": (7, 7), "IFMChannels": 2, "SIMD": 2, "ConvKernelDim": (3, 3), "Stride": (1, 1), "Dilation": (2, 2)},
    {"IFMDim": (6, 6), "IFMChannels": 4, "SIMD": 2, "ConvKernelDim": (3, 3), "Stride": (1, 1), "depthwise": 1},
    {"IFMDim": (8, 8), "IFMChannels": 4, "SIMD": 1, "ConvKernelDim": (2, 2), "Stride": (2, 2), "depthwise": 1},
    {"IFMDim": (9, 9), "IFMChannels": 2, "SIMD": 1, "ConvKernelDim": (3, 2), "Stride": (1, 1)},
    {"IFMDim": (10, 11), "IFMChannels": 2, "SIMD": 1, "ConvKernelDim": (3, 3), "Stride": (3, 3)},
    {"IFMDim": (1, 12), "IFMChannels": 4, "SIMD": 2, "ConvKernelDim": (1, 3), "Stride": (1, 1)},
    {"IFMDim": (12, 1), "IFMChannels": 4, "SIMD": 1, "ConvKernelDim": (4, 1), "Stride": (1, 1)},
    {"IFMDim": (1, 13), "IFMChannels": 4, "SIMD": 2, "ConvKernelDim": (1, 3), "Stride": (1, 2)},
    {"IFMDim": (1, 12), "IFMChannels": 4, "SIMD": 2, "ConvKernelDim": (1, 3), "Stride": (1, 1), "Dilation": (1, 2)},
    {"IFMDim": (1, 12), "IFMChannels": 4, "SIMD": 2, "ConvKernelDim": (1, 3), "Stride": (1, 1), "depthwise": 1},
    {"IFMDim": (1, 13), "IFMChannels": 4, "SIMD": 2, "ConvKernelDim": (1, 3), "Stride": (1, 2), "depthwise": 1},
]
UNEVEN = [
    {"IFMDim": (1, 13), "IFMChannels": 4, "SIMD": 2, "ConvKernelDim": (1, 3), "Stride": (1, 3), "depthwise": 1},
    {"IFMDim": (1, 13), "IFMChannels": 4, "SIMD": 2, "ConvKernelDim": (1, 3), "Stride": (1, 1), "Dilation": (1, 2),
     "depthwise": 1},
    {"IFMDim": (4, 11), "IFMChannels": 2, "SIMD": 1, "ConvKernelDim": (1, 2), "Stride": (2, 3)},
    {"IFMDim": (5, 10), "IFMChannels": 4, "SIMD": 2, "ConvKernelDim": (1, 2), "Stride": (1, 3)},
]  # fmt: skip
"""Strides beyond the window or in one direction only, of which FINN's formula is up to three times its RTL's cycles."""


@pytest.mark.parametrize("suffix", ["_rtl", "_hls"])
@pytest.mark.parametrize("shape", [*SHAPES, *UNEVEN])
def test_no_token_is_written_before_it_was_read(shape: dict[str, Any], suffix: str) -> None:
    """All of the image is read, all windows are written, and each token is there when it is."""
    unit = node(suffix, **shape)
    wanted = elements(unit)
    read = written = 0
    for reads, writes in spelled(layer_of(unit).nests):
        read += reads
        if writes:
            assert wanted[written] < read
            written += 1
    assert written == len(wanted)
    assert read == prod(unit.pair("IFMDim")) * unit.folds("IFMChannels", "SIMD")


def test_a_window_in_parallel_needs_all_channels_of_a_pixel() -> None:
    """A token is then a window, written when it is complete."""
    shape = {"IFMDim": (5, 6), "IFMChannels": 4, "ConvKernelDim": (3, 3), "Stride": (1, 1), "parallel_window": 1}
    whole = layer_of(node(SIMD=4, **shape))
    assert (whole.tokens("read", 0), whole.tokens("write", 0)) == (5 * 6, 3 * 4)
    assert (whole.in_elements, whole.out_elements) == ((4,), (4 * 9,))
    reads = [number for number, (_, writes) in enumerate(spelled(whole.nests)) if writes]
    assert reads == [row * 6 + column for row in range(2, 5) for column in range(2, 6)]
    with pytest.raises(InputError, match="parallel_window needs SIMD = IFMChannels") as caught:
        layer_of(node(SIMD=2, **shape))
    assert (caught.value.code, caught.value.where) == ("bad-folding", "here")


def test_a_window_that_exceeds_its_image_is_refused() -> None:
    """Nor may there be other positions than fit."""
    unit = node(IFMDim=(6, 6), IFMChannels=2, SIMD=1, ConvKernelDim=(3, 3), Stride=(1, 1))
    for changes, message in (
        ({"OFMDim": (4, 5)}, "a window of 3 over 6 with stride 1 has no 5 positions"),
        ({"Dilation": (3, 1)}, "a window of 7 over 6 with stride 1 has no 4 positions"),
    ):
        with pytest.raises(InputError, match=message) as caught:
            layer_of(replace(unit, attributes={**unit.attributes, **changes}))
        assert caught.value.code == "bad-window"


@pytest.mark.parametrize("shape", SHAPES)
def test_the_schedule_is_never_faster_than_the_rtl_unit(shape: dict[str, Any]) -> None:
    """FINN's formula, which the schedule follows, exceeds the cycles of its RTL by up to a sixth."""
    unit = node(**shape)
    assert clocked(unit) <= layer_of(unit).cycles <= 7 / 6 * clocked(unit)


@pytest.mark.parametrize("shape", UNEVEN)
def test_nor_is_it_where_strides_are_uneven(shape: dict[str, Any]) -> None:
    """How much later it is depends on the formula alone."""
    unit = node(**shape)
    assert clocked(unit) <= layer_of(unit).cycles
