"""Small process networks by hand."""

from __future__ import annotations

from dataclasses import replace

from sttest.reference.graph import (
    Access,
    Argument,
    Concat,
    Converter,
    Load,
    MemoryLayout,
    Payload,
    ReferenceGraph,
    ReferenceStream,
    Result,
    ScalarOp,
    Store,
    Task,
)

# A 4x6 tensor in 2x3 tiles, row by row of tiles; and the same by columns of tiles, in tokens of 2x1.
ROWS = ReferenceStream("rows", "f32", (2, 3), (2, 2), (2, 3), ((1, 0), (0, 1)), (0, 0), depth=2)
COLUMNS = ReferenceStream("columns", "f32", (2, 1), (6, 2), (1, 2), ((0, 1), (1, 0)), (0, 0), depth=2)
LAYOUT = MemoryLayout(grid=(2, 2), beats=(2, 1), beat=(1, 3), beat_bits=64)
BY_COLUMN = MemoryLayout(grid=(2, 6), beats=(1, 1), beat=(2, 1), beat_bits=64)


def argument(shape: tuple[int, ...] = (4, 6)) -> Argument:
    return Argument("a", "input", shape, "f32")


def reordering() -> ReferenceGraph:
    """Loads by rows, stores by columns; the converter buffers the whole tensor."""
    return ReferenceGraph(
        "reordering",
        (argument(),),
        (Result("r", "store", (4, 6), "f32"),),
        (ROWS, COLUMNS),
        (
            Load("load", "a", "rows", LAYOUT),
            Converter("order", "rows", "columns", buffer=(4, 6), blocks=1),
            Store("store", "columns", BY_COLUMN),
        ),
    )


def joining(turns: int = 2) -> ReferenceGraph:
    """The tensor, then its first three columns, side by side in every row of tiles."""
    first = replace(ROWS, name="first", trips=(2, 1))
    wide = replace(ROWS, name="wide", trips=(2, 3))
    return ReferenceGraph(
        "joining",
        (argument(), Argument("b", "input", (4, 3), "f32")),
        (Result("r", "store", (4, 9), "f32"),),
        (ROWS, first, wide),
        (
            Load("load", "a", "rows", LAYOUT),
            Load("load_b", "b", "first", replace(LAYOUT, grid=(2, 1))),
            Concat("join", ("rows", "first"), "wide", turns, origin="mix"),
            Store("store", "wide", replace(LAYOUT, grid=(2, 3))),
        ),
    )


def elementwise(*ops: ScalarOp, dtype: str = "f32") -> Task:
    """One source, one result, both in the order of ``ROWS``."""
    points = Access(((1, 0), (0, 1)), (0, 0))
    payload = Payload((dtype, dtype), ops, (1 + len(ops),))  # type: ignore[arg-type]
    return Task("task", (2, 2), (2, 3), ("parallel", "parallel"), ("rows",), ("out",), (points, points), payload)


def computing(task: Task) -> ReferenceGraph:
    """Loads by rows, computes, stores by rows."""
    return ReferenceGraph(
        "computing",
        (argument(),),
        (Result("r", "store", (4, 6), "f32"),),
        (ROWS, replace(ROWS, name="out")),
        (Load("load", "a", "rows", LAYOUT), task, Store("store", "out", LAYOUT)),
    )


DOUBLED = elementwise(ScalarOp("arith.addf", "f32", (0, 0)))
