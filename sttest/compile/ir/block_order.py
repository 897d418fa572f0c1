"""The order of the ops in a block: definitions before uses, else as they were."""

from __future__ import annotations

from xdsl.ir import Block, Operation


def sort_topologically(block: Block) -> None:
    """Moves ops behind those whose results they read; ops that are in order keep their places."""
    ops = list(block.ops)
    placed: dict[Operation, None] = {}
    for op in ops:
        _place(op, block, placed)
    if list(placed) == ops:
        return
    for op in ops:
        op.detach()
    block.add_ops(placed)


def _place(op: Operation, block: Block, placed: dict[Operation, None]) -> None:
    """Places an op behind its producers; the stack is explicit, for chains are as long as models are deep."""
    stack = [op]
    while stack:
        current = stack[-1]
        producers = [operand.owner for operand in current.operands if isinstance(operand.owner, Operation)]
        missing = [each for each in producers if each not in placed and each.parent_block() is block]
        if missing:
            stack += missing
            continue
        stack.pop()
        placed[current] = None
