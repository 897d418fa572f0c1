"""Small programs with concatenations, by name: every rank and dim, and everything that a part may be."""

from __future__ import annotations

from linalg_programs import Program, Shape


def _arguments(dim: int, *shapes: Shape) -> str:
    program = Program()
    return program.text(program.concat([program.argument(*shape) for shape in shapes], dim))


def _with_itself(dim: int) -> str:
    program = Program()
    value = program.unary(program.argument(8, 12))
    return program.text(program.concat([value, value, value], dim))


def _views() -> str:
    """A transpose, a broadcast and both reshapes, one of them twice."""
    program = Program()
    turned = program.transpose(program.argument(4, 8), [1, 0])
    repeated = program.broadcast(program.argument(8), 1, 4)
    merged = program.collapse(program.unary(program.argument(2, 4, 4)), 0)
    split = program.collapse(program.expand(program.argument(8, 4), 0, 2), 0)
    return program.text(program.concat([turned, repeated, merged, split, turned], 1))


def _between_products() -> str:
    """Products on both sides: parts that contractions compute, a whole that one reads."""
    program = Program()
    rows = program.argument(16, 8)
    left = program.matmul(rows, program.argument(8, 16))
    right = program.matmul(program.unary(rows), program.argument(8, 8))
    whole = program.concat([left, right, rows], 1)
    return program.text(program.matmul(whole, program.argument(32, 12)), whole)


def _cache() -> str:
    """Attention of one position over a cache and the position itself, side by side."""
    program = Program()
    new = program.unary(program.argument(2, 1, 8))
    keys = program.concat([program.argument(2, 7, 8), new], 1)
    scores = program.matmul(program.argument(2, 4, 8), program.transpose(keys, [0, 2, 1]))
    return program.text(program.matmul(scores, keys))


def _nested() -> str:
    """Concatenations of concatenations, along each dim, and a reduction of them."""
    program = Program()
    value = program.unary(program.argument(4, 6))
    tall = program.concat([value, program.argument(2, 6)], 0)
    square = program.concat([tall, program.argument(6, 1), tall], 1)
    return program.text(program.reduce(square, 0), program.transpose(square, [1, 0]))


def _one_part() -> str:
    program = Program()
    return program.text(program.unary(program.concat([program.argument(4, 6)], 1)))


PROGRAMS = {
    "rank 1": _arguments(0, (12,), (8,), (1,)),
    "rows": _arguments(0, (8, 12), (4, 12)),
    "columns": _arguments(1, (8, 12), (8, 16), (8, 4)),
    "columns of one": _arguments(1, (12, 1), (12, 1)),
    "lengths without a common tile": _arguments(1, (4, 7), (4, 5), (4, 1)),
    "rank 3, middle": _arguments(1, (3, 4, 8), (3, 6, 8)),
    "rank 4, first": _arguments(0, (1, 2, 3, 4), (2, 2, 3, 4)),
    "rank 4, last": _arguments(3, (2, 2, 3, 4), (2, 2, 3, 8), (2, 2, 3, 1), (2, 2, 3, 4)),
    "itself by rows": _with_itself(0),
    "itself by columns": _with_itself(1),
    "views": _views(),
    "between products": _between_products(),
    "cache": _cache(),
    "nested": _nested(),
    "one part": _one_part(),
}
"""Texts by what they show."""
