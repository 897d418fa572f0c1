"""What a design keeps of attention on its way: FIFOs and converters between the scores and what is mixed."""

from __future__ import annotations

from sttest.compile.compiler import Design
from sttest.compile.dialects.df import KernelOp
from sttest.compile.ir.module_walk import all_of
from sttest.compile.resources.memories import memories

_STEPS = ("attn_scores", "attn_softmax", "attn_mix")
_ROLES = ("fifo", "converter")


def attention_bytes(design: Design) -> int:
    """Bytes of the FIFOs into and behind scores, softmax and mix, and of the converters between them.

    The converters that keep a prompt's keys and values are those of the projections, and left out.
    """
    facts = [each for kernel in all_of(design.module, KernelOp) for each in memories(kernel, design.graph)]
    kept = (each for each in facts if each.role in _ROLES and any(step in each.name for step in _STEPS))
    return -(-sum(each.used_bits for each in kept) // 8)
