"""What a host must know of an emitted kernel (`hls/signature.json`)."""

from __future__ import annotations

from typing import Any

from sttest.boards.xrt.signature import BufferArgument, DesignSignature, KernelSignature
from sttest.compile.hls.kernel import EmittedKernel
from sttest.compile.hls.memory_layout import MemoryLayout
from sttest.compile.hls.network import Memory, Tensor
from sttest.compile.hls.timing import KernelTiming


def signature(kernel: EmittedKernel, timing: KernelTiming, design: str, board: str) -> DesignSignature:
    """The arguments in order, each with the pseudo-channel of its DMA.

    Args:
        kernel: with the arguments' layouts.
        timing: of the same kernel.
        design: the package's name.
        board: whose channels these are.
    """
    arguments = tuple(_argument(index, memory, timing) for index, memory in enumerate(kernel.memories))
    return DesignSignature(
        design=design, board=board, kernels=(KernelSignature(name=kernel.name, arguments=arguments),)
    )


def memory_table(kernel: EmittedKernel) -> list[dict[str, Any]]:
    """What the signature has no place for: which DMA an argument belongs to, and how its tensor lies in memory."""
    return [_memory_facts(index, memory) for index, memory in enumerate(kernel.memories)]


def _memory_facts(index: int, memory: Memory) -> dict[str, Any]:
    shared = len(memory.tensors) + len(memory.behind) > 1
    return {
        "index": index,
        "name": memory.name,
        "dma": memory.label,
        "direction": "write" if memory.writes else "read",
        "c_type": memory.c_type,
        "element": memory.element.tag,
        **({"parts": [_part(tensor) for tensor in memory.tensors]} if shared else _place(memory.tensors[0].layout)),
        "bytes": memory.words * memory.word_bytes,
        **({"layers": memory.layers} if memory.layers > 1 else {}),
        **({"steps": memory.steps} if memory.steps > 1 else {}),
        **({"rows": memory.rows} if memory.rows > 1 else {}),
        **({"behind": [_part(tensor) for tensor in memory.behind]} if memory.behind else {}),
    }


def _part(tensor: Tensor) -> dict[str, Any]:
    """A tensor of several in an argument: they follow each other, each from a whole word on."""
    return {"load": tensor.label, **_place(tensor.layout), "bytes": tensor.layout.words * tensor.layout.word_bytes}


def _place(layout: MemoryLayout) -> dict[str, Any]:
    return {
        "shape": [cells * size for cells, size in zip(layout.grid, layout.tile, strict=True)],
        "grid": list(layout.grid),
        "tile": list(layout.tile),
        "beat": list(layout.beat),
        "packed": layout.packed,
    }


def _argument(index: int, memory: Memory, timing: KernelTiming) -> BufferArgument:
    return BufferArgument(
        name=memory.name,
        index=index,
        element=memory.element.in_signature,
        bytes=memory.words * memory.word_bytes,
        access="write" if memory.writes else "read_write" if memory.takes_entries else "read",
        port=memory.bundle,
        banks=(timing.channels[memory.label],),
        alignment_bytes=memory.word_bytes,
    )
