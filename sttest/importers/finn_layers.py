"""What each FINN layer reads and writes in which cycle, as loop nests of one cycle per iteration.

The nests follow the loops of finn-hlslib and finn-rtllib, so that their cycles add up to FINN's own estimate
(``get_exp_cycles`` of each custom operation, Xilinx/finn 39f0c9a6); the sources of a layer's loops stand beside it.
Elements of a stream come in tokens of PE or SIMD of them.
"""

from collections.abc import Callable
from math import gcd, prod

from sttest.core.errors import InputError, did_you_mean
from sttest.importers.finn_model import Node
from sttest.importers.finn_schedule import Layer, StreamAccess, StreamNest, each_time, reads_only
from sttest.importers.finn_windows import window_layer


def _vectors(node: Node) -> int:
    return prod(node.wholes("numInputVectors", (1,)))


def _matrix(node: Node) -> Layer:
    """Matrix-vector unit (mvau.hpp): each vector is read once, and kept for the rows that follow."""
    fold_out, fold_in = node.folds("MH", "PE"), node.folds("MW", "SIMD")
    pe, simd = node.whole("PE"), node.whole("SIMD")
    reads = (StreamAccess(0, (None, 0, None)), StreamAccess(1))  # of input 1, weights, where they are a stream
    nest = StreamNest((_vectors(node), fold_out, fold_in), reads, (StreamAccess(0, (None, None, fold_in - 1)),))
    return Layer((nest,), (simd, simd * pe), (pe,))


def _depthwise(node: Node) -> Layer:
    """Vector-vector unit (vvau.hpp): each channel has its own window, read as it is used."""
    pe, simd = node.whole("PE"), node.whole("SIMD", 1)
    taps = node.folds(prod(node.pair("Kernel")), simd)
    trips = (prod(node.pair("Dim")), node.folds("Channels", "PE"), taps)
    nest = StreamNest(trips, (StreamAccess(0), StreamAccess(1)), (StreamAccess(0, (None, None, taps - 1)),))
    return Layer((nest,), (pe * simd, pe * simd), (pe,))


def _map(node: Node, inputs: int = 1, outputs: int = 1) -> Layer:
    """A token in, a token out, in every cycle."""
    pe = node.whole("PE")
    nest = StreamNest((_vectors(node) * node.folds("NumChannels", "PE"),), each_time(inputs), each_time(outputs))
    return Layer((nest,), (pe,) * inputs, (pe,) * outputs)


def _two_inputs(node: Node) -> Layer:
    return _map(node, inputs=2)


def _duplicate(node: Node) -> Layer:
    outputs = node.whole("NumOutputStreams", 2)
    if outputs != len(node.outputs):
        what = f"NumOutputStreams is {outputs}, but it has no output {min(outputs, len(node.outputs))}"
        raise InputError("no-such-port", what, where=node.where)
    return _map(node, outputs=outputs)


def _padding(node: Node) -> Layer:
    """Padding writes in every cycle and reads inside the image (fmpadding.sv, streamtools.h)."""
    (height, width), pad = node.pair("ImgDim"), node.wholes("Padding", (1, 1, 1, 1), least=0)
    if len(pad) != 4:
        raise InputError("bad-attribute", f"Padding has {len(pad)} entries, not 4", where=node.where)
    simd = node.whole("SIMD", 1)
    top, left, bottom, right = pad
    trips = (_vectors(node), height + top + bottom, width + left + right, node.folds("NumChannels", simd))
    inside = (None, (top, top + height - 1, 1), (left, left + width - 1, 1), None)
    return Layer((StreamNest(trips, (StreamAccess(0, inside),), each_time()),), (simd,), (simd,))


def _pixel_padding(node: Node) -> Layer:
    """Zeros between pixels, for transposed convolutions."""
    (height, width), (down, right) = node.pair("ImgDim"), node.pair("Stride")
    simd = node.whole("SIMD", 1)
    rows, columns = (height - 1) * down + 1, (width - 1) * right + 1
    trips = (_vectors(node), rows, columns, node.folds("NumChannels", simd))
    pixels = (None, (0, rows - 1, down), (0, columns - 1, right), None)
    return Layer((StreamNest(trips, (StreamAccess(0, pixels),), each_time()),), (simd,), (simd,))


def _pool(node: Node) -> Layer:
    """A pool takes the windows of a sliding window unit, channel fold by channel fold (pool.hpp)."""
    pe, taps = node.whole("PE"), prod(node.wholes("KernelSize"))
    outputs = node.whole("BatchSize", 1) * prod(node.wholes("OutImgDims"))
    trips = (outputs, node.folds("Channels", "PE"), taps)
    return Layer((StreamNest(trips, each_time(), (StreamAccess(0, (None, None, taps - 1)),)),), (pe,), (pe,))


def _max_pool(node: Node) -> Layer:
    """Max pooling with a line buffer: as many rows as a window has are read, then a row is written (maxpool.h)."""
    (height, width), (down, right) = node.pair("ImgDim"), node.pair("PoolDim")
    ceil = node.whole("CeilMode", 0, least=0)
    rows, columns = (-(-size // step) if ceil else size // step for size, step in ((height, down), (width, right)))
    if not rows or not columns or rows * down > height or columns * right > width:
        raise InputError("cut-window", "windows that reach beyond the image have no known rate", where=node.where)
    channels = node.whole("NumChannels")
    is_line = height == down == 1
    lanes = (node.whole("PE", 0, least=0) or channels) if is_line else channels
    folds = node.folds(channels, lanes)
    turns, reads, writes = (columns, right * folds, folds) if is_line else (rows, down * width, columns)
    nest = StreamNest(
        (turns, reads + writes),
        (StreamAccess(0, (None, (0, reads - 1, 1))),),
        (StreamAccess(0, (None, (reads, reads + writes - 1, 1))),),
    )
    rest = (width - columns * right) * folds if is_line else (height - rows * down) * width
    return Layer((nest, *reads_only(rest)), (lanes,), (lanes,))


def _global_pool(node: Node) -> Layer:
    """Sums of all pixels, written when all were read."""
    pe = node.whole("PE")
    vectors = node.wholes("numInputVectors", (1,))
    frames, folds = vectors[0], node.folds("NumChannels", "PE")
    pixels = prod(vectors[1:])
    last = (None, (pixels, pixels, 1), None)
    nest = StreamNest(
        (frames, pixels + 1, folds), (StreamAccess(0, (None, (0, pixels - 1, 1), None)),), (StreamAccess(0, last),)
    )
    return Layer((nest,), (pe,), (pe,))


def _label_select(node: Node) -> Layer:
    """The K largest labels are written after all were read."""
    pe, best = node.whole("PE"), node.whole("K")
    nest = StreamNest((_vectors(node), node.folds("Labels", "PE")), each_time())
    return Layer((nest, StreamNest((_vectors(node), best), writes=each_time())), (pe,), (1,))


def _down_sampler(node: Node) -> Layer:
    simd, step, size = node.whole("SIMD", 1), node.whole("Stride", 2), node.whole("ImgDim")
    kept = (0, size - 1, step)
    rows = () if node.whole("is1D", 0, least=0) else (size,)
    trips = (_vectors(node), *rows, size, node.folds("NumChannels", simd))
    writes = (StreamAccess(0, (None, *(kept for _ in rows), kept, None)),)
    return Layer((StreamNest(trips, each_time(), writes),), (simd,), (simd,))


def _upsample(node: Node) -> Layer:
    """Nearest neighbor: every pixel is written as often as it is repeated."""
    size, channels = node.whole("IFMDim"), node.whole("NumChannels")
    times = node.folds("OFMDim", size)
    if node.whole("DimMode", 0, least=0):
        nest = StreamNest((size, times), (StreamAccess(0, (None, 0)),), each_time())
    else:
        trips = (_vectors(node), size, times, size, times)
        nest = StreamNest(trips, (StreamAccess(0, (None, None, 0, None, 0)),), each_time())
    return Layer((nest,), (channels,), (channels,))


def _concat(node: Node) -> Layer:
    """Channels of several streams side by side; with a SIMD, one stream after the other."""
    name = "ElemsPerStream" if "ElemsPerStream" in node.attributes else "ChannelsPerStream"
    channels, simd = node.wholes(name), node.whole("SIMD", 0, least=0)
    if not simd:
        nest = StreamNest((_vectors(node),), each_time(len(channels)), each_time())
        return Layer((nest,), channels, (sum(channels),))
    spans = _spans(node, channels, simd)
    reads = tuple(StreamAccess(port, (None, span)) for port, span in enumerate(spans))
    return Layer(
        (StreamNest((_vectors(node), spans[-1][1] + 1), reads, each_time()),), (simd,) * len(channels), (simd,)
    )


def _split(node: Node) -> Layer:
    channels, simd = node.wholes("ChannelsPerStream"), node.whole("SIMD", 0, least=0)
    if not simd:
        nest = StreamNest((_vectors(node),), each_time(), each_time(len(channels)))
        return Layer((nest,), (sum(channels),), channels)
    spans = _spans(node, channels, simd)
    writes = tuple(StreamAccess(port, (None, span)) for port, span in enumerate(spans))
    return Layer(
        (StreamNest((_vectors(node), spans[-1][1] + 1), each_time(), writes),), (simd,), (simd,) * len(channels)
    )


def _spans(node: Node, channels: tuple[int, ...], simd: int) -> list[tuple[int, int, int]]:
    """First and last iteration of each stream in those of all of them."""
    spans: list[tuple[int, int, int]] = []
    for each in channels:
        first = spans[-1][1] + 1 if spans else 0
        spans.append((first, first + node.folds(each, simd) - 1, 1))
    return spans


def _lookup(node: Node) -> Layer:
    if node.attributes.get("mem_mode", "internal_embedded") not in ("internal_embedded", "const"):
        raise InputError("external-lookup", "an embedding in external memory has no fixed rate", where=node.where)
    nest = StreamNest((prod(node.wholes("InputShape", (1,))),), each_time(), each_time())
    return Layer((nest,), (1,), (node.whole("EmbeddingDim"),))


def _width_converter(node: Node) -> Layer:
    return converter(node.whole("inWidth"), node.whole("outWidth"), prod(node.wholes("shape")) * node.bits("dataType"))


def converter(in_bits: int, out_bits: int, frame_bits: int) -> Layer:
    """Between two widths of a stream, through a word of their least common multiple (dwc.sv); elements are bits.

    Args:
        in_bits: width of a token that is read.
        out_bits: width of a token that is written.
        frame_bits: bits of a frame, a multiple of the least common multiple.
    """
    word = in_bits * out_bits // gcd(in_bits, out_bits)
    reads, writes = word // in_bits, word // out_bits
    words = -(-frame_bits // word)  # a last word that is not full is filled up
    cycles = max(reads, writes)
    nest = StreamNest(
        (words, cycles),
        (StreamAccess(0, (None, (0, reads - 1, 1))),),
        (StreamAccess(0, (None, (cycles - writes, cycles - 1, 1))),),
    )
    return Layer((nest,), (in_bits,), (out_bits,))


def _last_marker(node: Node) -> Layer:
    elements = node.folds("StreamWidth", "ElemWidth")
    return Layer((StreamNest((node.whole("NumIters"),), each_time(), each_time()),), (elements,), (elements,))


def _memory(node: Node) -> Layer:
    """A DMA at one end of the pipeline, as fast as its memory port is wide."""
    bits, width = node.bits("dataType"), node.whole("streamWidth")
    tokens = node.folds(node.whole("NumChannels") * _vectors(node) * bits, width)
    slow = -(-width // node.whole("intfWidth"))
    incoming = node.attributes.get("direction", "in") == "in"
    nest = StreamNest((tokens,), () if incoming else each_time(), each_time() if incoming else (), slow)
    elements = (node.folds(width, bits),)
    return Layer((nest,), () if incoming else elements, elements if incoming else ())


def _elementwise(node: Node) -> Layer:
    """Two operands of one shape, or a stream and a constant."""
    shapes = {name: node.wholes(f"{name}_shape") for name in ("lhs", "rhs", "out")}
    streamed = [name for name in ("lhs", "rhs") if node.attributes.get(f"{name}_style", "input") == "input"]
    if any(shapes[name] != shapes["out"] for name in streamed):
        raise InputError("broadcast", "an operand that is repeated has no known rate", where=node.where)
    pe = node.whole("PE")
    nest = StreamNest((node.folds(prod(shapes["out"]), pe),), each_time(2), each_time())
    return Layer((nest,), (pe, pe), (pe,))


_LAYERS: dict[str, Callable[[Node], Layer]] = {
    "MVAU": _matrix,
    "VVAU": _depthwise,
    "Thresholding": _map,
    "ChannelwiseOp": _map,
    "AddStreams": _two_inputs,
    "StreamingEltwise": _two_inputs,
    "DuplicateStreams": _duplicate,
    "FMPadding": _padding,
    "FMPadding_Pixel": _pixel_padding,
    "ConvolutionInputGenerator": window_layer,
    "Pool": _pool,
    "StreamingMaxPool": _max_pool,
    "GlobalAccPool": _global_pool,
    "LabelSelect": _label_select,
    "DownSampler": _down_sampler,
    "UpsampleNearestNeighbour": _upsample,
    "StreamingConcat": _concat,
    "StreamingSplit": _split,
    "Lookup": _lookup,
    "StreamingDataWidthConverter": _width_converter,
    "TLastMarker": _last_marker,
    "IODMA": _memory,
    **{f"Elementwise{each}": _elementwise for each in ("Add", "Sub", "Mul")},
}
_EARLIER = {
    "StreamingFCLayer": "MVAU",
    "MatrixVectorActivation": "MVAU",
    "Vector_Vector_Activate": "VVAU",
    "VectorVectorActivation": "VVAU",
    "Thresholding_Binary_Search": "Thresholding",
    "ConvolutionInputGenerator1D": "ConvolutionInputGenerator",
}
"""Names of operations in releases up to FINN 0.9."""


def kind_of(node: Node) -> str:
    """The operation without the suffix of its implementation, by its name of today."""
    name = node.op.removesuffix("_hls").removesuffix("_rtl").removesuffix("_Batch")
    return _EARLIER.get(name, name)


def is_known(node: Node) -> bool:
    """Whether :func:`layer_of` knows what the operation does."""
    return kind_of(node) in _LAYERS


def layer_of(node: Node) -> Layer:
    """What a node does in each cycle.

    Raises:
        InputError: the operation is not known, or an attribute is missing or impossible.
    """
    if not is_known(node):
        hints = [did_you_mean(kind_of(node), _LAYERS)]
        raise InputError("unknown-layer", f"no schedule is known for a {node.op:.80}", where=node.where, hints=hints)
    return _LAYERS[kind_of(node)](node)
