"""Accesses of which no iteration has both, as those of two branches of one choice."""

from typing import Any

from sttest.importers.cpp.instrument import Instrumented
from sttest.importers.cpp.ir import IrFunction, ordered


def exclusive_accesses(instrumented: Instrumented) -> dict[str, Any]:
    """``within``, site and number of its block, and ``exclusive``, pairs of blocks.

    No way leads from one block of a pair to the other within an iteration of the innermost loop that has both. Lanes of
    an unrolled loop are told apart by who asks.
    """
    within: list[list[int]] = []
    pairs: list[list[int]] = []
    count = 0
    for function in instrumented.functions:
        numbers: dict[str, int] = {}
        for block, each in function.instructions():
            site = instrumented.site_of.get(id(each), -1)
            if site >= 0:
                within.append([site, numbers.setdefault(block.name, count + len(numbers))])
        count += len(numbers)
        if len(numbers) > 1:
            pairs += _pairs(function, numbers)
    named = {number for pair in pairs for number in pair}
    return {"within": [each for each in within if each[1] in named], "exclusive": pairs}


def _pairs(function: IrFunction, numbers: dict[str, int]) -> list[list[int]]:
    after = _forward(function)
    names = [name for name in after if name in numbers]
    return [
        [numbers[one], numbers[other]]
        for place, one in enumerate(names)
        for other in names[place + 1 :]
        if other not in after[one] and one not in after[other]
    ]


def _forward(function: IrFunction) -> dict[str, set[str]]:
    """Blocks that may follow each block in the same iterations of the loops that have both, in reverse postorder.

    Where an iteration ends, what is behind its loop follows.
    """
    blocks_of = {loop.header: loop.blocks for loop in function.loops}
    behind = {
        header: [each for name in inside for each in function.blocks[name].successors if each not in inside]
        for header, inside in blocks_of.items()
    }
    following: dict[str, list[str]] = {}
    for name, block in function.blocks.items():
        found, todo = list[str](), list(block.successors)
        while todo:
            one = todo.pop()
            if name in blocks_of.get(one, ()):
                todo += behind[one]
            else:
                found.append(one)
        following[name] = list(dict.fromkeys(found))
    order = ordered(next(iter(function.blocks)), following)
    after: dict[str, set[str]] = {}
    for name in reversed(order):
        after[name] = set(following[name]).union(*(after.get(each, ()) for each in following[name]))
    return {name: after[name] for name in order}
