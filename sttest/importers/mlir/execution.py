"""Which FIFO accesses a region makes: its control is executed with the integers that are known without any data.

Loops with known bounds, conditions of loop indices and constants, and what integer arithmetic makes of these are
followed; whatever is read from memory or comes from a call is unknown.  Control that depends on it and has accesses
inside is refused by name.  A loop of 2^30 iterations and more, or a ``scf.while`` whose condition holds for ever, is
how a core says *for ever*.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.dialects import affine, arith, scf
from xdsl.dialects.builtin import AffineMapAttr, IntegerAttr
from xdsl.ir import Block, Operation, SSAValue

from sttest.core.errors import InputError
from sttest.importers.mlir.text import block_of, name_of

FOREVER_TRIPS = 1 << 30
"""A loop at least this long has no end, as mlir-aie's own passes take it."""
MAX_STEPS = 1 << 17
"""Operations with accesses that one region may execute."""
_MAX_PERIOD = 64
"""Iterations of a loop without end until what it carries repeats."""

Known: TypeAlias = int | None


class EndlessLoopError(Exception):
    """The region is in a loop without end; the accesses from ``first`` on repeat."""

    def __init__(self, first: int) -> None:
        super().__init__("for ever")
        self.first = first


_BINARY: Mapping[str, Callable[[int, int], int]] = {
    "arith.addi": lambda a, b: a + b,
    "arith.subi": lambda a, b: a - b,
    "arith.muli": lambda a, b: a * b,
    "arith.divsi": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
    "arith.divui": lambda a, b: a // b,
    "arith.floordivsi": lambda a, b: a // b,
    "arith.ceildivsi": lambda a, b: -(-a // b),
    "arith.remsi": lambda a, b: abs(a) % abs(b) * (1 if a >= 0 else -1),
    "arith.remui": lambda a, b: a % b,
    "arith.maxsi": max,
    "arith.minsi": min,
    "arith.andi": lambda a, b: a & b,
    "arith.ori": lambda a, b: a | b,
    "arith.xori": lambda a, b: a ^ b,
    "arith.shli": lambda a, b: a << (b & 63),
    "arith.shrsi": lambda a, b: a >> (b & 63),
}
_CASTS = ("arith.index_cast", "arith.index_castui", "arith.extsi", "arith.extui", "arith.trunci")
_COMPARE: Sequence[Callable[[int, int], bool]] = (
    lambda a, b: a == b, lambda a, b: a != b, lambda a, b: a < b, lambda a, b: a <= b, lambda a, b: a > b,
    lambda a, b: a >= b, lambda a, b: a < b, lambda a, b: a <= b, lambda a, b: a > b, lambda a, b: a >= b,
)  # fmt: skip


_COMPARE_BY: Mapping[str, Callable[[int, int], bool]] = {"==": _COMPARE[0], "<=": _COMPARE[3], ">=": _COMPARE[5]}


@dataclass
class Execution:
    """Executes one region.

    Args:
        where: the process, for errors.
        access: given an operation, notes what it does and says whether it is one that counts.
        counts: whether an operation is one that counts, without noting anything.
        length: how many steps were noted so far.
        matters: whether an operation that counts waits for others: without such a one, control that is not known is
            passed over, its body executed once.
    """

    where: str
    access: Callable[["Execution", Operation], bool]
    counts: Callable[[Operation], bool]
    length: Callable[[], int]
    matters: Callable[[Operation], bool]
    values: dict[SSAValue, Known] = field(default_factory=dict[SSAValue, Known])
    executed: int = 0  # operations that count
    guessed: list[str] = field(default_factory=list[str])  # operations whose control is not known, executed once

    def value(self, value: SSAValue) -> Known:
        """What a value is, if that is known."""
        return self.values.get(value)

    def run(self, block: Block) -> list[Known]:
        """Executes a block and gives what it yields.

        Raises:
            EndlessLoopError: it ends in a loop without end.
            InputError: whether it makes an access is not known, or there are too many.
        """
        for op in block.ops:
            name = name_of(op)
            if name in ("scf.yield", "scf.condition", "affine.yield"):
                return [self.value(each) for each in op.operands]
            self._step(op, name)
        return []

    def _step(self, op: Operation, name: str) -> None:
        if self.access(self, op):
            self.executed += 1
            if self.executed > MAX_STEPS:
                what = f"it makes more than {MAX_STEPS:,} FIFO accesses and calls"
                raise InputError("too-many-steps", what, where=self.where, hints=["import it with smaller bounds"])
            return
        if isinstance(op, scf.ForOp):
            self._for(op)
        elif isinstance(op, affine.ForOp):
            self._affine_for(op)
        elif isinstance(op, scf.WhileOp):
            self._while(op)
        elif isinstance(op, scf.IfOp):
            self._branch(op, self.value(op.cond), op.true_region.blocks, op.false_region.blocks)
        elif isinstance(op, affine.IfOp):
            self._branch(op, self._in_set(op), op.then_region.blocks, op.else_region.blocks)
        elif op.regions and self._has_steps(op):
            self._unknown(op, f"'{name}', which holds them, is not followed")
        else:
            self._compute(op, name)

    # --- Arithmetic

    def _compute(self, op: Operation, name: str) -> None:
        for result in op.results:
            self.values[result] = None
        if len(op.results) != 1:
            return
        self.values[op.results[0]] = self._result(op, name)

    def _result(self, op: Operation, name: str) -> Known:
        given = [self.value(each) for each in op.operands]
        if isinstance(op, arith.ConstantOp):
            return op.value.value.data if isinstance(op.value, IntegerAttr) else None
        if name in _CASTS:
            return given[0]
        if isinstance(op, arith.SelectOp):
            return None if given[0] is None else given[1] if given[0] else given[2]
        if isinstance(op, affine.ApplyOp):
            return None if None in given else op.map.data.eval(*_split(op.map, [each or 0 for each in given]))[0]
        if len(given) != 2 or given[0] is None or given[1] is None:
            return None
        if isinstance(op, arith.CmpiOp):
            return int(_COMPARE[op.predicate.value.data](given[0], given[1]))
        if name not in _BINARY or (given[1] == 0 and ("div" in name or "rem" in name)):
            return None
        return _BINARY[name](given[0], given[1])

    # --- Control

    def _for(self, op: scf.ForOp) -> None:
        low, high, step = (self.value(each) for each in (op.lb, op.ub, op.step))
        carried = [self.value(each) for each in op.iter_args]
        if low is None or high is None or step is None or step <= 0:
            self._unknown_loop(op, "the bounds of a loop around them are not known")
            return
        self._loop(op, block_of(op, self.where), range(low, high, step), carried)

    def _affine_for(self, op: affine.ForOp) -> None:
        low = self._bound(op.lowerBoundMap, op.lowerBoundOperands, max)
        high = self._bound(op.upperBoundMap, op.upperBoundOperands, min)
        if low is None or high is None:
            self._unknown_loop(op, "the bounds of a loop around them are not known")
            return
        self._loop(
            op, block_of(op, self.where), range(low, high, op.step.value.data), [self.value(each) for each in op.inits]
        )

    def _bound(self, of: AffineMapAttr, operands: Sequence[SSAValue], choose: Callable[[list[int]], int]) -> Known:
        given = [self.value(each) for each in operands]
        known = [each for each in given if each is not None]
        if len(known) < len(given):
            return None
        return choose(list(of.data.eval(*_split(of, known))))

    def _loop(self, op: Operation, body: Block, indices: range, carried: list[Known]) -> None:
        if not self._has_steps(op):
            self._forget(op)
            return
        # An int: a range of 2^63 iterations has no len().
        endless = (indices.stop - indices.start) // indices.step >= FOREVER_TRIPS
        seen: dict[tuple[Known, ...], int] = {}
        for index in indices:
            if endless:
                self._look_for_period(op, seen, tuple(carried))
            self._bind(body.args, [index, *carried])
            carried = self.run(body)
        self._bind(op.results, carried)

    def _look_for_period(self, op: Operation, seen: dict[tuple[Known, ...], int], state: tuple[Known, ...]) -> None:
        if state in seen:
            raise EndlessLoopError(seen[state])
        if len(seen) == _MAX_PERIOD:
            self._unknown(op, f"what a loop without end carries does not repeat in {_MAX_PERIOD} iterations")
        seen[state] = self.length()

    def _while(self, op: scf.WhileOp) -> None:
        if not self._has_steps(op):
            self._forget(op)
            return
        carried = [self.value(each) for each in op.arguments]
        seen: dict[tuple[Known, ...], int] = {}
        while True:
            if None not in carried:
                self._look_for_period(op, seen, tuple(carried))
            before = block_of(op, self.where)
            self._bind(before.args, carried)
            holds, *passed = self.run(before)
            if holds is None:
                self._unknown_loop(op, "the condition of a loop around them depends on data")
                return
            if not holds:
                self._bind(op.results, passed)
                return
            after = block_of(op, self.where, 1)
            self._bind(after.args, passed)
            carried = self.run(after)

    def _branch(self, op: Operation, holds: Known, then: Sequence[Block], other: Sequence[Block]) -> None:
        if holds is None:
            if self._has_steps(op):
                self._unknown(op, "whether they happen depends on data")
                for block in then:
                    self.run(block)
            self._forget(op)
            return
        blocks = then if holds else other
        self._bind(op.results, self.run(blocks[0]) if blocks else [])

    def _in_set(self, op: affine.IfOp) -> Known:
        given = [self.value(each) for each in op.args]
        known = [each for each in given if each is not None]
        if len(known) < len(given):
            return None
        condition = op.condition.data
        dims, symbols = known[: condition.num_dims], known[condition.num_dims :]
        holds = (_COMPARE_BY[each.kind.value](each.lhs.eval(dims, symbols), each.rhs.eval(dims, symbols))
                 for each in condition.constraints)  # fmt: skip
        return int(all(holds))

    def _unknown_loop(self, op: Operation, why: str) -> None:
        if self._has_steps(op):
            self._unknown(op, why)
            for region in op.regions:
                for block in region.blocks:
                    self.run(block)
        self._forget(op)

    def _unknown(self, op: Operation, why: str) -> None:
        """Refuses control that is not known around accesses; of calls alone it is noted.

        Raises:
            InputError: accesses to FIFOs depend on it.
        """
        if any(self.matters(each) for each in op.walk() if each is not op):
            hints = ["import it with constant bounds and conditions, after canonicalization"]
            what = f"FIFO accesses cannot be counted: {why} ({name_of(op)})"
            raise InputError("unknown-control", what, where=self.where, hints=hints)
        self.guessed.append(why)

    def _has_steps(self, op: Operation) -> bool:
        return any(self.counts(each) for each in op.walk() if each is not op)

    def _forget(self, op: Operation) -> None:
        self._bind(op.results, [])

    def _bind(self, names: Sequence[SSAValue], known: Sequence[Known]) -> None:
        for number, name in enumerate(names):
            self.values[name] = known[number] if number < len(known) else None


def _split(of: AffineMapAttr, given: list[int]) -> tuple[list[int], list[int]]:
    """Operands of an affine map as its dims and its symbols."""
    return given[: of.data.num_dims], given[of.data.num_dims :]
