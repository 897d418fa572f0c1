"""The data path of a task: the payload in its lanes, trees and running values of reductions.

What its arithmetic looks like, for simulators or for synthesis, is that of :mod:`~sttest.compile.rtl.lanes`.
"""

from collections.abc import Sequence
from math import prod

from xdsl.dialects.arith import AddiOp, ConstantOp
from xdsl.ir import Operation, SSAValue

from sttest.boards.operators import add_tree_levels
from sttest.compile.dialects import df
from sttest.compile.rtl.expressions import (
    HIGH,
    Constant,
    Expression,
    Signal,
    cast,
    joined,
    of_all,
    signed,
    value_of,
    where,
)
from sttest.compile.rtl.lanes import CellLanes, Joined, ModelLanes, term_bits
from sttest.compile.rtl.payload import bits_of, constant_bits
from sttest.compile.rtl.products import products_of_integers
from sttest.compile.rtl.task_body import At, TaskBody
from sttest.compile.rtl.task_port import TaskPort, linear, row_major
from sttest.compile.rtl.tree import ForEach, Set, Statement, in_loops
from sttest.compile.schedule.operators import chain_cycles, join_stages
from sttest.compile.schedule.reductions import Reduction
from sttest.compile.schedule.storage import StoredArray, TaskStorage, line_places, sum_levels


class DataPath:
    """From the operands of all lanes to the values that their results become.

    Args:
        body: the module that it is a part of.
        results: result ports of the task.
        storage: arrays of the task.
    """

    def __init__(self, body: TaskBody, results: Sequence[TaskPort], storage: TaskStorage) -> None:
        self.body, self.results, self.storage = body, results, storage
        self.task, self.schedule, self.walk, self.where = body.task, body.schedule, body.walk, body.where
        self.lanes = ModelLanes(body) if body.cells is None else CellLanes(body, body.cells)
        arguments = body.task.payload.block.args
        arity = len(body.task.sources)
        self.source_values, self.running_values = list(arguments[:arity]), list(arguments[arity:])

    def values(self, operands: Sequence[Expression]) -> Sequence[Expression]:
        """Per result the array of what each lane's result becomes in the last stage.

        Args:
            operands: per source the array of the elements that the lanes work on.
        """
        ops = [op for op in self.task.payload.block.ops if not isinstance(op, df.YieldOp)]
        yielded = list(self.task.payload.block.last_op.operands)  # pyright: ignore
        if self.body.reduction is None:
            return self._part("payload", ops, self.source_values, yielded, operands, self.schedule.stages - 1)
        if self.body.reduction.order == "chain":
            return self._chain(ops, yielded, operands)
        return self._joined(ops, operands, self.body.reduction)

    def _part(
        self,
        name: str,
        ops: Sequence[Operation],
        inputs: Sequence[SSAValue],
        outputs: Sequence[SSAValue],
        arrays: Sequence[Expression],
        cycles: int,
        count: int = 0,
        stage: int | None = None,
    ) -> Sequence[Expression]:
        """Instances of a part of the payload, one per lane, and the arrays of their outputs, so many cycles later."""
        used = _needed(ops, outputs)
        kept = [(value, array) for value, array in zip(inputs, arrays, strict=True) if value in used]
        ops = [op for op in ops if op in used]
        count, stage = count or self.body.lane_count, self.body.fetch if stage is None else stage
        return self.lanes.part(name, ops, kept, outputs, count, max(cycles, 0), self._known, stage)

    @property
    def _known(self) -> dict[SSAValue, int]:
        """What a payload that reduces nothing takes for the value before."""
        if self.body.reduction is not None or self.task.init is None:
            return {}
        return {value: constant_bits(self.task.init, self.where) for value in self.running_values}

    def _joined(
        self, ops: Sequence[Operation], operands: Sequence[Expression], reduction: Reduction
    ) -> list[Expression]:
        """Terms in a tree of lanes, then joined to what came before."""
        assert reduction.join is not None
        assert reduction.term is not None
        shared, bits = self.walk.shared, self.results[0].bits
        each, depth = join_stages(self.task, reduction.join, self.body.library), add_tree_levels(shared)
        late = self._levels * each if reduction.order == "pairwise" else 0
        # Registers that are left for the terms: the last one is that of the result.
        waits = self.schedule.stages - 1 - depth * each - late
        merged = min(waits, 0)
        waits, last = max(waits, 0) + int(late > 0), depth * each + merged
        before = [op for op in ops if op is not reduction.join]
        if self.body.cells is not None and isinstance(reduction.join, AddiOp):
            summed = products_of_integers(self.body, reduction.term, waits + last)
            if summed is not None:
                return self._running(summed, reduction, bits)
        (terms,) = self._part("term", before, self.source_values, [reduction.term], operands, waits)
        total = self._tree(terms, reduction, bits, each, last, self.body.fetch + waits)
        if reduction.order == "pairwise":
            return self._pairwise(total, reduction, bits, each)
        return self._running(total, reduction, bits)

    def _tree(
        self, terms: Expression, reduction: Reduction, bits: int, each: int, cycles: int, stage: int
    ) -> Expression:
        """The terms of each result's lanes joined, neighbors first; so many cycles in all.

        A sum of integers is a bit wider in every level.
        """
        assert reduction.join is not None
        assert reduction.term is not None
        count, shared, level, found = self.body.results_at_once, self.walk.shared, 0, terms
        r, n = Signal("r"), Signal("n")
        depth, left = add_tree_levels(shared), cycles
        is_sum = isinstance(reduction.join, AddiOp)
        wide = term_bits(reduction.term, bits) if is_sum else bits
        while shared > 1:
            half, odd = shared // 2, shared % 2
            rest = half + odd
            level, wide = level + 1, min(wide + is_sum, bits)
            takes = min(each, left) if level < depth else left
            left -= takes
            pairs = Joined(
                f"tree{level - 1}",
                count * rest,
                wide,
                (("r", count), ("n", half)),
                r * rest + odd + n,
                *(found[r * shared + (odd + other) + 2 * n] for other in range(2)),
                stage=stage,
                passed=(r * rest, cast(wide, signed(found[r * shared]))) if odd else None,
            )
            found, shared, stage = self.lanes.joined(reduction.join, pairs, takes), rest, stage + takes
        return found

    def _running(self, total: Expression, reduction: Reduction, bits: int) -> list[Expression]:
        """A running value that is back a cycle after it was needed."""
        assert reduction.join is not None
        port, count, r = self.results[0], self.body.results_at_once, Signal("r")
        at = self.body.counters(self.body.ready - 1)
        earlier = self.body.array("earlier", count, bits)
        kept = self.storage.running.get(0)
        before = init = self._init(bits)
        if kept is not None:
            before = self._before(port, kept, 0, at, init)
        if before != init and not isinstance(reduction.join, AddiOp):
            self.body.arithmetic["choice"] += count * bits
        self._fetch(earlier, before, self.body.ready - 1)
        pairs = Joined("next", count, bits, (("r", count),), r, earlier[r], total[r], self.body.ready - 1)
        found = self.lanes.joined(reduction.join, pairs, 0)
        if kept is not None:
            self._keep(port, kept, at, found, 0)
        return [found]

    def _before(
        self, port: TaskPort, kept: StoredArray, number: int, at: At, init: Expression, steps: int = 1
    ) -> Expression:
        """The running value that a lane goes on with, which comes back after so many steps."""
        values = self._kept_array(kept, number, port.bits)
        first = self._first(at)
        return (
            where(of_all("&&", first, HIGH), init, values[self._kept_place(port, kept, at, steps)]) if first else init
        )

    def _fetch(self, array: Signal, value: Expression, stage: int | None = None) -> None:
        """An array of what each lane's result takes."""
        loops = self.body.lane_loops(self.walk.parallel)
        (fetch,) = in_loops(loops, [Set(array[self.body.result_lane], value)])
        self.body.always([self.body.unfolded(fetch, first=True)], stage)

    def _init(self, bits: int) -> Expression:
        assert self.task.init is not None
        return Constant(constant_bits(self.task.init, self.where) & ((1 << bits) - 1), bits, "h")

    def _first(self, at: At) -> list[Expression]:
        """Conditions of a result's first step."""
        found = [at[f"t{loop}"].equals(0) for loop in self.walk.reduced if self.body.is_loop(loop)]
        return found + [at[f"s{loop}"].equals(0) for loop in self.walk.reduced if self.walk.steps[loop] > 1]

    def _kept_place(self, port: TaskPort, kept: StoredArray, at: At, steps: int = 1) -> Expression:
        """Where the running value of a lane's result waits, which comes back after so many steps."""
        if line_places(self.walk, self.body.tasks):
            return value_of((kept.shape[0] - steps) * self.body.results_at_once) + self.body.result_lane
        return self._place(port, kept.shape, at)

    def _place(self, port: TaskPort, shape: tuple[int, ...], at: At) -> Expression:
        """The place of a lane's result among those of all held loops and of a tile."""
        return at.of(row_major([*map(Signal, port.held), *map(linear, self.body.point(port))], shape))

    def _keep(self, port: TaskPort, kept: StoredArray, at: At, value: Expression, number: int) -> None:
        """Running values are put by."""
        values, size, count = Signal(f"kept{number}"), prod(kept.shape), self.body.results_at_once
        when = self.body.control.advance & at.valid
        if line_places(self.walk, self.body.tasks):
            moved = joined([values.part(0, size - count), value]) if size > count else value
            self.body.clocked(when, Set(values, moved))
            return
        self.body.clocked(when, self._per_result(values[self._kept_place(port, kept, at)], value))

    def _per_result(self, target: Expression, values: Expression) -> Statement:
        """An element for each lane's result, at a clock edge."""
        return self.body.unrolled(self.walk.parallel, Set(target, values[self.body.result_lane]))

    def _kept_array(self, kept: StoredArray, number: int, bits: int) -> Signal:
        # Running values of one step are the result that is given.
        same_as = "out0" if number == 0 else ""
        as_one = line_places(self.walk, self.body.tasks) > 0
        return self.body.kept(f"kept{number}", prod(kept.shape), bits, as_one=as_one, same_as=same_as)

    @property
    def _levels(self) -> int:
        """Levels of the counter that the deepest sum among the tasks needs."""
        return sum_levels(self.walk, self.body.tasks)

    def _pairwise(self, total: Expression, reduction: Reduction, bits: int, each: int) -> list[Expression]:
        """The sum of 2 ** n steps waits in level n for that of the next as many, as a binary counter carries."""
        assert reduction.join is not None
        body, port, count, r = self.body, self.results[0], self.body.results_at_once, Signal("r")
        number, found, carries = self._levels, total, HIGH
        start = body.ready - number * each
        kept = self.storage.running.get(0)
        shape = kept.shape[1:] if kept is not None else ()
        for level in range(number):
            stage = start + level * each
            at = body.counters(stage)
            place, step = self._place(port, shape, at), self._step_number(at)
            first = value_of(1 << number) - body.steps_of_sum
            waiting = body.kept(f"level{level}", max(prod(shape), 1), bits)
            counted = body.assigned(f"number{level}", step + first, kind="int")
            odd = body.assigned(f"odd{level}", counted[level])
            adds = body.assigned(f"adds{level}", odd & (counted >> level << level).above(first))
            carry = body.assigned(f"carries{level}", carries)
            stored = body.array(f"stored{level}", count, bits)
            self._fetch(stored, waiting[place])
            body.clocked(body.control.advance & at.valid & carry & ~odd, self._per_result(waiting[place], found))
            cycles = each if level < number - 1 else each - 1
            pairs = Joined(f"added{level}", count, bits, (("r", count),), r, stored[r], found[r], stage)
            added = self.lanes.joined(reduction.join, pairs, cycles)
            late = body.delayed(adds, 1, 1, cycles)
            alone = body.delayed(found, bits, count, cycles)
            body.arithmetic["choice"] += count * bits
            found = body.array(f"sum{level}", count, bits)
            body.give(found, where(late, added, alone))
            if level < number - 1:
                carries = body.delayed(body.assigned(f"goes{level}", carry & odd), 1, 1, cycles)
        return [found]

    def _step_number(self, at: At) -> Expression:
        """The number of a result's step."""
        found: Expression = value_of(0)
        for loop in self.walk.reduced:
            if self.body.is_loop(loop):
                found = found * self.body.trip(loop) + at[f"t{loop}"]
        for loop in self.walk.reduced:
            if self.walk.steps[loop] > 1:
                found = found * self.walk.steps[loop] + at[f"s{loop}"]
        return found

    def _chain(
        self, ops: Sequence[Operation], yielded: Sequence[SSAValue], operands: Sequence[Expression]
    ) -> list[Expression]:
        """One term after the other joined to the running values, lanes of one result one behind the other."""
        assert self.body.reduction is not None
        each, shared, count = (chain_cycles(self.task, self.body.library), self.walk.shared, self.body.results_at_once)
        start = self.body.ready - shared * each
        constants = [op for op in ops if isinstance(op, ConstantOp)]
        behind = [*constants, *_depending(ops, self.running_values)]
        before = [op for op in ops if op not in behind]
        made = {result for op in before for result in op.results}
        crossing = [
            value
            for value in dict.fromkeys(operand for op in behind for operand in op.operands)
            if value in made or value in self.source_values
        ]
        crossing += [
            value for value in yielded if value not in crossing and (value in made or value in self.source_values)
        ]
        early_ops, cycles = [*constants, *before], start - self.body.fetch
        early = self._part("early", early_ops, self.source_values, crossing, operands, cycles)
        at = self.body.counters(start)
        running: Sequence[Expression] = [
            self._running_before(n, port, at, each * shared) for n, port in enumerate(self.results)
        ]
        given: list[list[Expression]] = [[] for _ in yielded]
        r = Signal("r")
        for lane in range(shared):
            arrays: list[Expression] = []
            for place, (value, array) in enumerate(zip(crossing, early, strict=True)):
                bits = bits_of(value, self.where)
                own = self.body.array(f"early{place}_of{lane}", count, bits)
                self.body.always([ForEach("r", count, (Set(own[r], array[r * shared + lane]),))])
                arrays.append(self.body.delayed(own, bits, count, lane * each))
            values = [*crossing, *self.running_values]
            # The register of the result is the last one of the last lane.
            takes = each if lane < shared - 1 else each - 1
            stage = start + lane * each
            running = self._part(f"chain{lane}", behind, values, yielded, [*arrays, *running], takes, count, stage)
            for n, (array, value) in enumerate(zip(running, yielded, strict=True)):
                late = (shared - lane) * each - 1 - takes
                given[n].append(self.body.delayed(array, bits_of(value, self.where), count, late))
        return self._put_by(given)

    def _running_before(self, number: int, port: TaskPort, at: At, cycles: int) -> Signal:
        """The running values that a step goes on with."""
        count, kept, init = self.body.results_at_once, self.storage.running.get(number), self._init(port.bits)
        found, before = self.body.array(f"before{number}", count, port.bits), init
        if kept is not None and not port.scanned:
            before = self._before(port, kept, number, at, init, -(-cycles // self.body.interval))
        self.body.arithmetic["choice"] += count * port.bits if before != init else 0
        self._fetch(found, before)
        return found

    def _put_by(self, given: Sequence[Sequence[Expression]]) -> list[Expression]:
        """The values behind the last lane; of a scan, those behind each."""
        at, shared, count = self.body.counters(self.body.ready - 1), self.walk.shared, self.body.results_at_once
        values: list[Expression] = []
        r = Signal("r")
        for number, (port, lanes) in enumerate(zip(self.results, given, strict=True)):
            kept = self.storage.running.get(number)
            if not port.scanned:
                values.append(lanes[-1])
                if kept is not None:
                    self._keep(port, kept, at, lanes[-1], number)
                continue
            steps = self.body.array(f"scan{number}", count * shared, port.bits)
            self.body.always(
                [ForEach("r", count, (Set(steps[r * shared + n], lane[r]),)) for n, lane in enumerate(lanes)]
            )
            values.append(steps)
        return values


def _depending(ops: Sequence[Operation], values: Sequence[SSAValue]) -> list[Operation]:
    """The operations that are made of some of these values."""
    known, found = {*values}, []
    for op in ops:
        if any(operand in known for operand in op.operands):
            found.append(op)
            known.update(op.results)
    return found


def _needed(ops: Sequence[Operation], outputs: Sequence[SSAValue]) -> set[object]:
    """The operations and values that some outputs are made of."""
    found: set[object] = {*outputs}
    for op in reversed(ops):
        if any(result in found for result in op.results):
            found.add(op)
            found.update(op.operands)
    return found
