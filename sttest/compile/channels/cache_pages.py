"""Caches in pages: what lies together of a head's keys or values is no longer than a page.

A page holds so many positions of every head, head by head, as vAttention's pages of a layer do (arXiv 2405.04437); the
scales of int8 caches, two bytes per head and position, stay in one stretch.  Times follow from that; the emitted code
addresses a cache as one stretch and looks no page up.
"""

from xdsl.dialects import func
from xdsl.dialects.builtin import TensorType

from sttest.compile.dialects import df
from sttest.compile.ir.names import argument_kinds, argument_names

_SCALE = "_scale"


def bound_by_pages(kernel: df.KernelOp, positions: int) -> None:
    """Sets ``page`` on DMAs of caches that have more positions than a page.

    Args:
        kernel: kernel of a function whose arguments have names and kinds.
        positions: positions per page.
    """
    function = kernel.parent_op()
    if not isinstance(function, func.FuncOp):
        return
    names, kinds = argument_names(function), argument_kinds(function)
    columns: dict[object, int] = {}
    for outer, inner in zip(kernel.inputs, kernel.body.block.args, strict=True):
        if kinds.get(outer) != "cache" or names[outer].endswith(_SCALE) or not isinstance(outer.type, TensorType):
            continue
        *_, there, width = outer.type.get_shape()
        if there > positions:
            columns[inner] = width
    for dma in kernel.body.block.ops:
        if isinstance(dma, df.DmaReadOp) and dma.sources[0] in columns:
            bits = positions * columns[dma.sources[0]] * df.itensor_of(dma.port).element_bits
            dma.properties["page"] = df.i64_attr(bits // 8)
