"""Sliding windows: the schedule against FINN's RTL unit, clocked here after finn-rtllib/swg/swg_template_default.sv."""

from itertools import product
from math import prod
from typing import Any

import pytest

from sttest.importers.finn_layers import layer_of
from sttest.importers.finn_model import Node
from sttest.importers.finn_schedule import Access, Nest
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


def happens(accesses: tuple[Access, ...], index: tuple[int, ...]) -> bool:
    """Whether there is an access in an iteration."""
    return any(all(is_in(when, index[dim]) for dim, when in enumerate(access.when)) for access in accesses)


def spelled(nests: tuple[Nest, ...]) -> list[tuple[bool, bool]]:
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


@pytest.mark.parametrize("suffix", ["_rtl", "_hls"])
@pytest.mark.parametrize("shape", SHAPES)
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


@pytest.mark.parametrize("shape", SHAPES)
def test_the_schedule_is_never_faster_than_the_rtl_unit(shape: dict[str, Any]) -> None:
    """FINN's formula, which the schedule follows, exceeds the cycles of its RTL by up to a sixth."""
    unit = node(**shape)
    assert clocked(unit) <= layer_of(unit).cycles <= 7 / 6 * clocked(unit)
