"""Which FIFO accesses a region makes: its control is executed with the integers that are known without any data.

Loops with known bounds, conditions of loop indices and constants, and what integer arithmetic makes of these are
followed; whatever is read from memory or comes from a call is unknown.  Control that depends on it and has accesses
inside is refused by name.  A loop of 2^30 iterations and more, or a ``scf.while`` whose condition holds for ever, is
how a core says *for ever*: its index is not known either, and as soon as what it carries repeats, so do its accesses.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.dialects import affine, arith, scf
from xdsl.dialects.builtin import AffineMapAttr, AffineSetAttr
from xdsl.ir import Block, Operation, SSAValue

from sttest.core.errors import InputError
from sttest.importers.mlir import affine_maps, integers
from sttest.importers.mlir.text import block_of, name_of, whole

FOREVER_TRIPS = 1 << 30
"""A loop at least this long has no end, as mlir-aie's own passes take it."""
MAX_STEPS = 1 << 17
"""Operations with accesses that one region may execute."""
MAX_OPERATIONS = 1 << 20
"""Operations of any kind that one region may execute; one with many operands counts as several."""
MAX_ALL_OPERATIONS = 1 << 23
"""The same of all regions of a design."""
MAX_NESTED = 128
"""Regions and calls inside each other that are executed."""
_MAX_PERIOD = 64
"""Iterations of a loop without end until what it carries repeats."""

Known: TypeAlias = int | None


class EndlessLoopError(Exception):
    """The region is in a loop without end; the accesses from ``first`` on repeat."""

    def __init__(self, first: int) -> None:
        super().__init__("for ever")
        self.first = first


@dataclass
class ExecutedOperations:
    """How many operations were executed of all regions of a design."""

    done: int = 0


@dataclass
class Execution:
    """Executes one region.

    Args:
        where: the process, for errors.
        access: given an operation, notes what it does and says whether it is one that counts.
        counts: whether an operation is one that counts, without noting anything.
        length: how many steps were noted so far.
        matters: whether an operation that counts waits for others: without such a one, control that is not known is
            passed over, each of its regions executed once.
        work: shared with the other regions of the design.
        held: what accesses depend on besides integers.
    """

    where: str
    access: Callable[["Execution", Operation], bool]
    counts: Callable[[Operation], bool]
    length: Callable[[], int]
    matters: Callable[[Operation], bool]
    work: ExecutedOperations = field(default_factory=ExecutedOperations)
    held: Callable[[], Hashable] = tuple
    values: dict[SSAValue, Known] = field(default_factory=dict[SSAValue, Known])
    executed: int = 0  # operations that count
    guessed: set[str] = field(default_factory=set[str])  # why operations were executed once
    _operations: int = 0  # of any kind
    _nested: int = 0  # regions and calls that are being executed
    _blocks: dict[Block, list[tuple[Operation, str, int]]] = field(
        default_factory=dict[Block, list[tuple[Operation, str, int]]]
    )  # operations with their names, and what each counts as
    _holding: dict[Operation, bool] = field(default_factory=dict[Operation, bool])  # whether what counts is inside
    _rounds: set[SSAValue] = field(default_factory=set[SSAValue])  # indices of loops without end, and what they give

    def value(self, value: SSAValue) -> Known:
        """What a value is, if that is known."""
        return self.values.get(value)

    def run(self, block: Block) -> list[Known]:
        """Executes a block and gives what it yields.

        Raises:
            EndlessLoopError: it ends in a loop without end.
            InputError: whether it makes an access is not known, or there are too many, or too much else is executed.
        """
        self._nested += 1
        if self._nested > MAX_NESTED:
            what = f"more than {MAX_NESTED} loops, conditions and calls inside each other"
            raise InputError("nested-control", what, where=self.where, hints=["import it with less inside each other"])
        found: list[Known] = []
        for op, name, weight in self._operations_of(block):
            self._spend(weight)
            if name in ("scf.yield", "scf.condition", "affine.yield"):
                found = [self.value(each) for each in op.operands]
                break
            self._step(op, name)
        self._nested -= 1
        return found

    def _operations_of(self, block: Block) -> list[tuple[Operation, str, int]]:
        if block not in self._blocks:
            self._blocks[block] = [(op, name_of(op), _weight(op)) for op in block.ops]
        return self._blocks[block]

    def _spend(self, operations: int) -> None:
        """Counts what is executed.

        Raises:
            InputError: it is too much.
        """
        self._operations += operations
        self.work.done += operations
        hints = ["import it with smaller bounds"]
        if self._operations > MAX_OPERATIONS:
            what = f"more than {MAX_OPERATIONS:,} operations decide which FIFO accesses it makes"
            raise InputError("too-many-operations", what, where=self.where, hints=hints)
        if self.work.done > MAX_ALL_OPERATIONS:
            what = f"more than {MAX_ALL_OPERATIONS:,} operations decide which FIFO accesses its processes make"
            raise InputError("too-many-operations", what, where=self.where, hints=hints)

    def _step(self, op: Operation, name: str) -> None:
        if self.access(self, op):
            self.executed += 1
            if self.executed > MAX_STEPS:
                what = f"it makes more than {MAX_STEPS:,} FIFO accesses and calls"
                raise InputError("too-many-steps", what, where=self.where, hints=["import it with smaller bounds"])
            return
        if not op.regions:
            self._compute(op, name)
            return
        match op:
            case scf.ForOp():
                self._for(op)
            case affine.ForOp():
                self._affine_for(op)
            case scf.WhileOp():
                self._while(op)
            case scf.IfOp():
                self._branch(op, self.value(op.cond), [op.cond])
            case affine.IfOp():
                self._branch(op, affine_maps.holds(op.condition, [self.value(each) for each in op.args]), op.args)
            case _ if self._has_steps(op):
                self._unknown_control(op, f"'{name}', which holds them, is not followed")
            case _:
                self._compute(op, name)

    # --- Arithmetic

    def _compute(self, op: Operation, name: str) -> None:
        found = self._result(op, name) if len(op.results) == 1 else None
        for result in op.results:
            self.values[result] = found
        if found is None and self._rounds and any(each in self._rounds for each in op.operands):
            self._rounds.update(op.results)

    def _result(self, op: Operation, name: str) -> Known:
        width = integers.width_of(op.results[0].type)
        given = [self.value(each) for each in op.operands]
        if isinstance(op, arith.ConstantOp):
            number = whole(op, "value")
            return None if number is None or width is None else integers.wrapped(number, width)
        if isinstance(op, affine.ApplyOp):
            found = affine_maps.results(op.map, given)
            return found[0] if found else None
        if isinstance(op, arith.SelectOp):
            return None if given[0] is None else given[1] if given[0] else given[2]
        from_width = integers.width_of(op.operands[0].type) if given else None
        if width is None or from_width is None or given[0] is None:
            return None
        if name in integers.CASTS:
            return integers.cast(name, given[0], from_width, width)
        if len(given) != 2 or given[1] is None:
            return None
        if isinstance(op, arith.CmpiOp):
            return integers.compared(op.predicate.value.data, given[0], given[1], from_width)
        return integers.computed(name, given[0], given[1], width)

    # --- Loops

    def _for(self, op: scf.ForOp) -> None:
        low, high, step = (self.value(each) for each in (op.lb, op.ub, op.step))
        if low is None or high is None or step is None or step <= 0:
            self._unknown_control(op, "the bounds of a loop around them are not known", (op.lb, op.ub, op.step))
            return
        self._loop(op, range(low, high, step), op.iter_args)

    def _affine_for(self, op: affine.ForOp) -> None:
        low, high = (
            affine_maps.results(of, [self.value(each) for each in operands])
            for of, operands in ((op.lowerBoundMap, op.lowerBoundOperands), (op.upperBoundMap, op.upperBoundOperands))
        )
        if low is None or high is None or op.step.value.data <= 0:
            given = (*op.lowerBoundOperands, *op.upperBoundOperands)
            self._unknown_control(op, "the bounds of a loop around them are not known", given)
            return
        self._loop(op, range(max(low), min(high), op.step.value.data), op.inits)

    def _loop(self, op: Operation, indices: range, initial: Sequence[SSAValue]) -> None:
        if not self._has_steps(op):
            self._forget(op)
            return
        body, carried = block_of(op, self.where), [self.value(each) for each in initial]
        # An int: a range of 2^63 iterations has no len().
        if (indices.stop - indices.start) // indices.step >= FOREVER_TRIPS:
            self._for_ever(op, body, carried)
        for index in indices:
            self._spend(1)
            self._bind(body.args, [index, *carried])
            carried = self.run(body)
        self._bind(op.results, carried)

    def _for_ever(self, op: Operation, body: Block, carried: list[Known]) -> None:
        """Rounds of a loop without end, whose index is not known.

        Raises:
            EndlessLoopError: in the end.
            InputError: what it carries does not repeat.
        """
        seen: dict[Hashable, int] = {}
        self._rounds.update(body.args[:1])
        while True:
            self._look_for_period(op, seen, carried, most=_MAX_PERIOD)
            self._bind(body.args, [None, *carried])
            carried = self.run(body)

    def _look_for_period(
        self, op: Operation, seen: dict[Hashable, int], carried: Sequence[Known], *, most: int
    ) -> None:
        """Notes what a loop carries: where that was so before, all that follows from it repeats."""
        state = (*carried, self.held())
        if state in seen:
            raise EndlessLoopError(seen[state])
        if len(seen) >= most:
            self._unknown(op, f"what a loop without end carries does not repeat in {most} iterations")
            raise EndlessLoopError(self.length())  # of calls alone
        seen[state] = self.length()

    def _while(self, op: scf.WhileOp) -> None:
        if not self._has_steps(op):
            self._forget(op)
            return
        before, after = (block_of(op, self.where, number) for number in range(2))
        ask = before.last_op
        asked = ask.operands[0] if ask is not None and name_of(ask) == "scf.condition" else None
        # A condition from outside of a loop never changes in it.
        is_endless = asked is not None and (
            isinstance(asked.owner, arith.ConstantOp) or not op.is_ancestor(asked.owner)
        )
        carried = [self.value(each) for each in op.arguments]
        seen: dict[Hashable, int] = {}
        while True:
            self._look_for_period(op, seen, carried, most=_MAX_PERIOD if is_endless else MAX_OPERATIONS)
            self._bind(before.args, carried)
            holds, *passed = self.run(before) or [None]
            if holds is None:
                given = () if asked is None else (asked,)
                self._unknown(op, "the condition of a loop around them depends on data", given)
                self._once(op, [after])
                return
            if not holds:
                self._bind(op.results, passed)
                return
            self._bind(after.args, passed)
            carried = self.run(after)

    # --- Conditions, and control that is not known

    def _branch(self, op: Operation, holds: Known, given: Sequence[SSAValue]) -> None:
        if holds is None:
            self._unknown_control(op, "whether they happen depends on data", given)
            return
        chosen = 0 if holds else 1
        is_there = len(op.regions) > chosen and op.regions[chosen].blocks
        self._bind(op.results, self.run(block_of(op, self.where, chosen)) if is_there else [])

    def _unknown_control(self, op: Operation, why: str, given: Sequence[SSAValue] = ()) -> None:
        """Passes over control that is not known, all that counts in it executed once.

        Raises:
            InputError: accesses to FIFOs depend on it.
        """
        if self._has_steps(op):
            self._unknown(op, why, given)
            self._once(op, [block for region in op.regions for block in region.blocks])
        self._forget(op)

    def _once(self, op: Operation, blocks: Sequence[Block]) -> None:
        """Executes blocks, with whatever they are given."""
        for block in blocks:
            self._bind(block.args, [])
            try:
                self.run(block)
            except EndlessLoopError:
                what = f"whether a loop without end begins is not known ({name_of(op)})"
                hints = ["import it with constant bounds and conditions, after canonicalization"]
                raise InputError("unknown-control", what, where=self.where, hints=hints) from None
        self._forget(op)

    def _unknown(self, op: Operation, why: str, given: Sequence[SSAValue] = ()) -> None:
        """Refuses control that is not known around accesses; of calls alone it is noted.

        Args:
            op: what controls.
            why: for readers.
            given: what decides.

        Raises:
            InputError: accesses to FIFOs depend on it.
        """
        if any(each in self._rounds for each in given):
            why = "they depend on the index of a loop without end"
        if any(self.matters(each) for each in op.walk() if each is not op):
            hints = ["import it with constant bounds and conditions, after canonicalization"]
            what = f"FIFO accesses cannot be counted: {why} ({name_of(op)})"
            raise InputError("unknown-control", what, where=self.where, hints=hints)
        self.guessed.add(why)

    def _has_steps(self, op: Operation) -> bool:
        if op not in self._holding:
            self._holding[op] = any(self.counts(each) for each in op.walk() if each is not op)
        return self._holding[op]

    def _forget(self, op: Operation) -> None:
        self._bind(op.results, [])

    def _bind(self, names: Sequence[SSAValue], known: Sequence[Known]) -> None:
        for number, name in enumerate(names):
            self.values[name] = known[number] if number < len(known) else None


def _weight(op: Operation) -> int:
    """What an operation counts as: its operands and its expressions are work, too."""
    maps = [each for each in (*op.properties.values(), *op.attributes.values())
            if isinstance(each, AffineMapAttr | AffineSetAttr)]  # fmt: skip
    return 1 + (len(op.operands) + len(op.results) + sum(map(affine_maps.size, maps))) // 16
