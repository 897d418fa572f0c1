"""Integers of MLIR by their width, beside those of numpy, and in designs that count with them."""

import random

import numpy as np
import pytest
from mlir_designs import allo_source, put_times

from sttest.importers.allo import read_allo
from sttest.importers.mlir import integers

WIDTHS = {8: (np.int8, np.uint8), 16: (np.int16, np.uint16), 32: (np.int32, np.uint32), 64: (np.int64, np.uint64)}
SIGNED = {
    "addi": np.add, "subi": np.subtract, "muli": np.multiply, "andi": np.bitwise_and, "ori": np.bitwise_or,
    "xori": np.bitwise_xor, "maxsi": np.maximum, "minsi": np.minimum, "floordivsi": np.floor_divide,
    "remsi": np.fmod,
    "ceildivsi": lambda a, b: np.negative(np.floor_divide(np.negative(a), b)),
    "divsi": lambda a, b: np.where(
        (np.sign(a) * np.sign(b) < 0) & (np.fmod(a, b) != 0), np.floor_divide(a, b) + 1, np.floor_divide(a, b)
    ).astype(a.dtype),
}  # fmt: skip
UNSIGNED = {
    "divui": np.floor_divide, "remui": np.remainder, "maxui": np.maximum, "minui": np.minimum,
    "ceildivui": lambda a, b: (np.floor_divide(a, b) + (np.remainder(a, b) != 0)).astype(a.dtype),
}  # fmt: skip
SHIFTS = {"shli": (np.left_shift, 0), "shrsi": (np.right_shift, 0), "shrui": (np.right_shift, 1)}
PREDICATES = (
    (np.equal, 0), (np.not_equal, 0), (np.less, 0), (np.less_equal, 0), (np.greater, 0), (np.greater_equal, 0),
    (np.less, 1), (np.less_equal, 1), (np.greater, 1), (np.greater_equal, 1),
)  # fmt: skip


def operands(width, name, count=60):
    """Pairs of signed numbers: the ends of the range, those around zero, and others."""
    least, most = -(1 << (width - 1)), (1 << (width - 1)) - 1
    chosen = random.Random(f"{name} {width}")
    special = (least, least + 1, -2, -1, 0, 1, 2, most - 1, most)
    pairs = [(a, b) for a in special for b in special]
    return pairs + [(chosen.randint(least, most), chosen.randint(least, most)) for _ in range(count)]


def of_numpy(function, a, b, width, kind):
    signed, other = WIDTHS[width]
    left, right = np.array([a], signed), np.array([b], signed)
    if kind:
        left, right = left.view(other), right.view(other)
    with np.errstate(over="ignore"):
        found = function(left, right)
    return int(found.view(signed)[0]) if found.dtype != bool else -int(found[0])


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", [*SIGNED, *UNSIGNED])
def test_arithmetic_is_that_of_numpy(name, width):
    function, kind = (SIGNED[name], 0) if name in SIGNED else (UNSIGNED[name], 1)
    for a, b in operands(width, name):
        undefined = "div" in name or "rem" in name
        if undefined and (b == 0 or (kind == 0 and a == -(1 << (width - 1)))):
            continue
        assert integers.computed(f"arith.{name}", a, b, width) == of_numpy(function, a, b, width, kind), (a, b)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", SHIFTS)
def test_shifts_are_those_of_numpy(name, width):
    function, kind = SHIFTS[name]
    for a, _ in operands(width, name, count=10):
        for b in (0, 1, width // 2, width - 1):
            assert integers.computed(f"arith.{name}", a, b, width) == of_numpy(function, a, b, width, kind), (a, b)
        for b in (width, width + 1, -1):
            assert integers.computed(f"arith.{name}", a, b, width) is None


@pytest.mark.parametrize("width", WIDTHS)
def test_comparisons_are_those_of_numpy(width):
    for predicate, (function, kind) in enumerate(PREDICATES):
        for a, b in operands(width, predicate, count=20):
            assert integers.compared(predicate, a, b, width) == of_numpy(function, a, b, width, kind), (a, b)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("to", WIDTHS)
def test_casts_are_those_of_numpy(width, to):
    for a, _ in operands(width, to, count=20):
        signed, unsigned = WIDTHS[width]
        extended = int(np.array([a], signed).astype(WIDTHS[to][0])[0])
        filled = int(np.array([a], signed).view(unsigned).astype(WIDTHS[to][1]).view(WIDTHS[to][0])[0])
        for name in ("index_cast", "extsi", "trunci"):
            assert integers.cast(f"arith.{name}", a, width, to) == extended
        for name in ("index_castui", "extui"):
            assert integers.cast(f"arith.{name}", a, width, to) == filled


@pytest.mark.parametrize("name", ["divsi", "divui", "floordivsi", "ceildivsi", "ceildivui", "remsi", "remui"])
def test_what_mlir_leaves_undefined_is_not_known(name):
    assert integers.computed(f"arith.{name}", 7, 0, 8) is None
    least = integers.computed(f"arith.{name}", -128, -1, 8)
    assert least == {"divui": 0, "ceildivui": 1, "remsi": 0, "remui": -128}.get(name)


def test_other_operations_are_not_computed():
    assert integers.computed("arith.nothing", 1, 2, 32) is None


def test_one_bit_is_minus_one_or_zero():
    """Of i1: true is all bits set."""
    assert integers.computed("arith.xori", -1, -1, 1) == 0
    assert integers.computed("arith.addi", -1, -1, 1) == 0
    assert integers.compared(0, 3, 3, 32) == -1
    assert integers.cast("arith.extui", -1, 1, 32) == 1
    assert integers.cast("arith.extsi", -1, 1, 32) == -1


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("%e = arith.cmpi eq, %c1, %c1 : index\n%no = arith.xori %e, %yes : i1\n"
         "%x = arith.select %no, %c3, %c2 : index", 2),
        ("%w = arith.extui %yes : i1 to i32\n%x = arith.index_cast %w : i32 to index", 1),
        ("%e = arith.cmpi eq, %c1, %c1 : index\n%x = arith.index_castui %e : i1 to index", 1),
        ("%a = arith.constant 258 : i32\n%b = arith.trunci %a : i32 to i8\n%x = arith.index_cast %b : i8 to index", 2),
        ("%a = arith.constant 127 : i8\n%k = arith.constant -122 : i8\n%b = arith.subi %k, %a : i8\n"
         "%x = arith.index_cast %b : i8 to index", 7),
        ("%a = arith.constant 65 : i8\n%b = arith.constant 2 : i8\n%d = arith.shli %a, %b : i8\n"
         "%x = arith.index_cast %d : i8 to index", 4),
        ("%a = arith.constant 259 : index\n%b = arith.index_cast %a : index to i8\n"
         "%x = arith.index_cast %b : i8 to index", 3),
        ("%a = arith.constant -1 : i32\n%b = arith.constant 7 : i32\n%h = arith.cmpi ugt, %a, %b : i32\n"
         "%x = arith.select %h, %c5, %c2 : index", 5),
        ("%a = arith.constant -1 : i8\n%b = arith.constant 60 : i8\n%d = arith.divui %a, %b : i8\n"
         "%x = arith.index_cast %d : i8 to index", 4),
        ("%a = arith.constant -1 : i8\n%b = arith.constant 5 : i8\n%d = arith.shrui %a, %b : i8\n"
         "%x = arith.index_cast %d : i8 to index", 7),
        ("%a = arith.constant -1 : i4\n%x = arith.index_castui %a : i4 to index", 15),
        ("%a = arith.constant 2 : index\n%m1 = arith.constant -1 : index\n%x = arith.minui %a, %m1 : index", 2),
    ],
)  # fmt: skip
def test_loops_run_as_often_as_integers_of_a_width_say(tmp_path, text, count):
    body = f"%yes = arith.constant true\n{text}\nPUT\nscf.for %i = %c0 to %x step %c1 {{\nPUT\n}}"
    assert len(put_times(read_allo(allo_source(tmp_path, body)))) == 1 + count


def test_integers_that_are_wider_than_any_count_are_not_computed(tmp_path):
    """A square in each of 3,000 rounds would have 2^3000 bits of i1000000."""
    body = """%many = arith.constant 3000 : index
    %big = arith.constant 3 : i1000000
    %last = scf.for %i = %c0 to %many step %c1 iter_args(%n0 = %big) -> (i1000000) {
      PUT
      %n1 = arith.muli %n0, %n0 : i1000000
      scf.yield %n1 : i1000000
    }"""
    assert len(put_times(read_allo(allo_source(tmp_path, body)))) == 3000
