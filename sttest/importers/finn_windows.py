"""When a sliding window unit reads and writes: FINN's ConvolutionInputGenerator.

The RTL unit (finn-rtllib/swg) reads and writes at the same time, as far as its cyclic buffer allows; the HLS unit
(slidingwindow.h) first fills whole rows.  Here both are one pipeline, whose reads and writes keep their distance when
one of them is stalled.  The RTL unit is less strict, so that it is never later than this schedule.

Within a row, what the next window needs is read at the end of the window before, as late as it may be.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod

from sttest.core.errors import InputError
from sttest.importers.finn_model import Node
from sttest.importers.finn_schedule import Layer, StreamAccess, StreamNest, each_time, reads_only
from sttest.sim.graph import When


@dataclass(frozen=True)
class _Shape:
    """A window over an image, [height, width] each; ``folds`` tokens per pixel."""

    image: tuple[int, int]
    outputs: tuple[int, int]
    kernel: tuple[int, int]
    stride: tuple[int, int]
    dilation: tuple[int, int]
    folds: int
    is_depthwise: bool

    @property
    def taps(self) -> int:
        """Tokens of one window."""
        return prod(self.kernel) * self.folds

    @property
    def tokens(self) -> int:
        """Tokens of the image."""
        return prod(self.image) * self.folds

    @property
    def first_window(self) -> int:
        """Tokens until the first window is complete."""
        (down, right), (rows, columns) = self.dilation, self.kernel
        return ((rows - 1) * down * self.image[1] + (columns - 1) * right + 1) * self.folds


def window_layer(node: Node) -> Layer:
    """What a ConvolutionInputGenerator does in each cycle.

    Raises:
        InputError: an attribute is missing, or the window exceeds the image.
    """
    simd = node.whole("SIMD")
    shape = _Shape(
        node.pair("IFMDim"), node.pair("OFMDim"), node.pair("ConvKernelDim"), node.pair("Stride", (1, 1)),
        node.pair("Dilation", (1, 1)), node.folds("IFMChannels", "SIMD"), bool(node.whole("depthwise", 0, least=0)),
    )  # fmt: skip
    _check(shape, node)
    is_line = 1 in shape.image
    is_rtl = node.op.endswith("_rtl")
    drain = StreamNest((2 if is_rtl else 1,))  # cycles that FINN counts besides reads and writes
    if _is_parallel(node, shape, is_rtl=is_rtl):
        out_elements = simd * prod(shape.kernel) if node.whole("parallel_window", 0, least=0) else simd
        return Layer((*_parallel(shape), drain), (simd,), (out_elements,))
    if is_line:
        return Layer((*_line(_across(shape), is_rtl=is_rtl), drain), (simd,), (simd,))
    return Layer(_image(shape) if is_rtl else _image_by_rows(shape), (simd,), (simd,))


def _check(shape: _Shape, node: Node) -> None:
    for size, kernel, stride, dilation, outputs in zip(
        shape.image, shape.kernel, shape.stride, shape.dilation, shape.outputs, strict=True
    ):
        reach = (kernel - 1) * dilation + 1
        if reach > size or (size - reach) // stride + 1 != outputs:
            what = f"a window of {reach} over {size} with stride {stride} has no {outputs} positions"
            raise InputError("bad-window", what, where=node.where)


def _across(shape: _Shape) -> _Shape:
    """A line that lies along the width."""
    if shape.image[0] == 1:
        return shape
    turned = {name: getattr(shape, name)[::-1] for name in ("image", "outputs", "kernel", "stride", "dilation")}
    return replace(shape, **turned)


def _is_parallel(node: Node, shape: _Shape, *, is_rtl: bool) -> bool:
    """Whether all of a window is written at once, or a window is one pixel."""
    asked = bool(node.whole("parallel_window", 0, least=0))
    if is_rtl:
        if asked and shape.folds > 1 and not shape.is_depthwise and prod(shape.kernel) > 1:
            raise InputError("bad-folding", "parallel_window needs SIMD = IFMChannels", where=node.where)
        return asked or prod(shape.kernel) == 1
    return asked and 1 in shape.image


def _parallel(shape: _Shape) -> tuple[StreamNest, ...]:
    """A pixel is read in every cycle, and a window written when it is complete (swg_template_parallel.sv)."""
    ends: list[When] = []
    for kernel, stride, dilation, outputs in zip(
        shape.kernel, shape.stride, shape.dilation, shape.outputs, strict=True
    ):
        first = (kernel - 1) * dilation
        ends.append((first, first + (outputs - 1) * stride, stride))
    return (StreamNest((*shape.image, shape.folds), each_time(), (StreamAccess(0, (*ends, None)),)),)


def _image_by_rows(shape: _Shape) -> tuple[StreamNest, ...]:
    """HLS: the rows of the first windows are read, then each output row while the rows of the next are read."""
    width, writes = shape.image[1] * shape.folds, shape.outputs[1] * shape.taps
    cycles = max(writes, shape.stride[1] * width, shape.stride[0] * width)
    fill = width * shape.kernel[0] * shape.dilation[0]
    return (*_fill(fill, shape), *_rows(_Row((cycles,), (_first(writes),), _firsts), shape, fill))


def _image(shape: _Shape) -> tuple[StreamNest, ...]:
    """RTL: what the first window needs is read, then windows are written while that of the next ones is read."""
    columns, (down, right), folds = shape.outputs[1], shape.stride, shape.folds
    width, writes = shape.image[1] * folds, columns * shape.taps
    cycles, fill = max(writes, right * width, down * width), shape.first_window
    if shape.is_depthwise:
        cycles += columns * (right - 1) * (folds - 1)
        fill += (down - 1) * width
    return (*_fill(fill, shape), *_rows(_row(shape, cycles), shape, fill))


def _line(shape: _Shape, *, is_rtl: bool) -> tuple[StreamNest, ...]:
    """Windows over a line, which lies along the width: writing begins before the first window is complete."""
    columns, taps, step = shape.outputs[1], shape.taps, shape.stride[1] * shape.folds
    if shape.is_depthwise and not is_rtl and (shape.stride[1] > 2 or shape.dilation[1] > 1):
        return (*reads_only(shape.tokens), StreamNest((columns * taps,), writes=each_time()))
    slot = max(taps, step)
    rest = shape.tokens - shape.first_window - (columns - 1) * step
    if shape.is_depthwise and shape.stride[1] > 1:  # reads one window ahead
        fill, in_last = shape.first_window, min(rest, slot)
        reads = [((0, columns - 2, 1), (slot - step, slot - 1, 1))] if columns > 1 else []
        reads += [(columns - 1, _first(in_last))] if in_last else []
    else:
        # As many as let the first window, a token of which is read in each of its cycles, go on without a wait.
        fill = shape.first_window - taps
        if shape.is_depthwise:
            fill = (shape.kernel[1] - 1) * (shape.dilation[1] * shape.folds - 1)
        reads = [(0, _first(shape.first_window - fill))]
        reads += [((1, columns - 1, 1), _first(step))] if columns > 1 else []
        in_last = min(rest, slot - step) if columns > 1 else 0
        reads += [(columns - 1, (step, step + in_last - 1, 1))] if in_last else []
    nest = StreamNest(
        (columns, slot), tuple(StreamAccess(0, when) for when in reads), (StreamAccess(0, (None, _first(taps))),)
    )
    return (*reads_only(fill), nest, *reads_only(rest - in_last))


# --- Rows of an image


@dataclass(frozen=True)
class _Row:
    """The cycles of an output row: ``trips``, the writes among them, and where the first ``n`` reads of it are."""

    trips: tuple[int, ...]
    writes: tuple[When, ...]
    reads: Callable[[int], list[tuple[When, ...]]]


def _row(shape: _Shape, cycles: int) -> _Row:
    """How the windows of a row share its cycles, from the finest pattern that fits to the coarsest."""
    columns, step = shape.outputs[1], shape.stride[1] * shape.folds
    in_last = shape.stride[0] * shape.image[1] * shape.folds - (columns - 1) * step
    slot, uneven = divmod(cycles, columns)
    if not uneven and shape.taps <= slot and max(step, in_last) <= slot:  # reads of the next window beside writes

        def beside(count: int) -> list[tuple[When, ...]]:
            full = min(count // step, columns - 1)
            last = count - full * step
            spans: list[tuple[When, ...]] = [((0, full - 1, 1), (slot - step, slot - 1, 1))] if full else []
            return [*spans, (full, (slot - last, slot - 1, 1))] if last else spans

        return _Row((columns, slot), (None, _first(shape.taps)), beside)
    slots = cycles // step
    if cycles == slots * step and shape.taps <= step and columns <= slots:  # pixels between windows are read, too

        def between(count: int) -> list[tuple[When, ...]]:
            full, last = divmod(count, step)
            spans: list[tuple[When, ...]] = [((0, full - 1, 1), None)] if full else []
            return [*spans, (full, _first(last))] if last else spans

        return _Row((slots, step), (_first(columns), _first(shape.taps)), between)
    late = cycles - columns * shape.taps
    return _Row((cycles,), ((late, cycles - 1, 1),), _firsts)


def _first(count: int) -> tuple[int, int, int]:
    return (0, count - 1, 1)


def _firsts(count: int) -> list[tuple[When, ...]]:
    return [(_first(count),)]


def _fill(count: int, shape: _Shape) -> tuple[StreamNest, ...]:
    """Cycles before the first write, in which tokens are read as long as there are any."""
    return (StreamNest((count,), (StreamAccess(0, (_first(min(count, shape.tokens)),)),)),)


def _rows(row: _Row, shape: _Shape, already_read: int) -> tuple[StreamNest, ...]:
    """All output rows, each of which reads what the next one needs; then what no window needs is read."""
    rows, per_row = shape.outputs[0], shape.stride[0] * shape.image[1] * shape.folds
    rest = max(0, shape.tokens - already_read)
    full = min(rows, rest // per_row)
    reads: list[tuple[When, ...]] = [((0, full - 1, 1), *when) for when in row.reads(per_row)] if full else []
    rest -= full * per_row
    if rest and full < rows:
        reads += [(full, *when) for when in row.reads(rest)]
        rest = 0
    nest = StreamNest(
        (rows, *row.trips), tuple(StreamAccess(0, when) for when in reads), (StreamAccess(0, (None, *row.writes)),)
    )
    return (nest, *reads_only(rest))
