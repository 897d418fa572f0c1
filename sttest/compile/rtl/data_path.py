"""The data path of a task: the payload in its lanes, trees and running values of reductions.

What its arithmetic looks like, for simulators or for synthesis, is that of :mod:`~sttest.compile.rtl.lanes`.
"""

from collections.abc import Sequence
from math import prod

from xdsl.dialects.arith import AddiOp, ConstantOp
from xdsl.ir import Operation, SSAValue

from sttest.boards.operators import add_tree_levels
from sttest.compile.dialects import df
from sttest.compile.hls.tile_schedule import TaskPort
from sttest.compile.hls.types import element_of, row_major_strides
from sttest.compile.hls.writer import affine
from sttest.compile.rtl.lanes import CellLanes, Joined, ModelLanes, term_bits
from sttest.compile.rtl.payload import constant_bits
from sttest.compile.rtl.products import products_of_integers
from sttest.compile.rtl.task_body import TaskBody, at_stage
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

    def values(self, operands: Sequence[str]) -> list[str]:
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
        arrays: Sequence[str],
        cycles: int,
        count: int = 0,
        stage: int | None = None,
    ) -> list[str]:
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

    def _joined(self, ops: Sequence[Operation], operands: Sequence[str], reduction: Reduction) -> list[str]:
        """Terms in a tree of lanes, then joined to what came before."""
        assert reduction.join is not None
        assert reduction.term is not None
        shared, bits = self.walk.shared, self.results[0].token.element.bits
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

    def _tree(self, terms: str, reduction: Reduction, bits: int, each: int, cycles: int, stage: int) -> str:
        """The terms of each result's lanes joined, neighbors first; so many cycles in all.

        A sum of integers is a bit wider in every level.
        """
        assert reduction.join is not None
        assert reduction.term is not None
        count, shared, level, name = self.body.results_at_once, self.walk.shared, 0, terms
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
                f"r * {rest} + {odd} + n",
                *(f"{name}[r * {shared} + {odd + n} + 2 * n]" for n in range(2)),
                stage=stage,
                passed=(f"r * {rest}", f"{wide}'($signed({name}[r * {shared}]))") if odd else None,
            )
            name, shared, stage = self.lanes.joined(reduction.join, pairs, takes), rest, stage + takes
        return name

    def _running(self, total: str, reduction: Reduction, bits: int) -> list[str]:
        """A running value that is back a cycle after it was needed."""
        port = self.results[0]
        prefix, count = self.body.counters(self.body.ready - 1), self.body.results_at_once
        init = self._init(bits)
        self.body.array("earlier", count, bits)
        kept = self.storage.running.get(0)
        before = init
        if kept is not None:
            self._kept_array(kept, 0, bits)
            place = self._kept_place(port, kept, prefix)
            first = " && ".join(self._first(prefix))
            before = f"({first} ? {init} : kept0[{place}])" if first else init
        lane = self.body.result_lane
        if before != init and not isinstance(reduction.join, AddiOp):
            self.body.arithmetic["choice"] += count * bits
        fetch = self.body.unfolded(f"earlier[{lane}] = {before};", first=True)
        lines = [line for each in fetch for line in (*self.body.lane_loops(self.walk.parallel), each)]
        self.body.always(lines, self.body.ready - 1)
        assert reduction.join is not None
        pairs = Joined("next", count, bits, (("r", count),), "r", "earlier[r]", f"{total}[r]", self.body.ready - 1)
        found = self.lanes.joined(reduction.join, pairs, 0)
        if kept is not None:
            self._keep(port, kept, prefix, found, 0)
        return [found]

    def _init(self, bits: int) -> str:
        assert self.task.init is not None
        return f"{bits}'h{constant_bits(self.task.init, self.where) & ((1 << bits) - 1):x}"

    def _first(self, prefix: str) -> list[str]:
        """Conditions of a result's first step."""
        found = [f"{prefix}t{loop} == 0" for loop in self.walk.reduced if self.body.is_loop(loop)]
        return found + [f"{prefix}s{loop} == 0" for loop in self.walk.reduced if self.walk.steps[loop] > 1]

    def _kept_place(self, port: TaskPort, kept: StoredArray, prefix: str, steps: int = 1) -> str:
        """Where the running value of a lane's result waits, which comes back after so many steps."""
        if line_places(self.walk, self.body.tasks):
            count = self.body.results_at_once
            return f"{(kept.shape[0] - steps) * count} + {self.body.result_lane}"
        index = [*port.held, *(affine(dim) for dim in self.body.point(port))]
        strides = row_major_strides(kept.shape)
        terms = [f"{stride} * ({each})" for each, stride in zip(index, strides, strict=True)]
        return at_stage(" + ".join(terms) or "0", prefix)

    def _keep(self, port: TaskPort, kept: StoredArray, prefix: str, value: str, number: int) -> None:
        """Running values are put by."""
        name, size, count = f"kept{number}", prod(kept.shape), self.body.results_at_once
        lane = self.body.result_lane
        if line_places(self.walk, self.body.tasks):
            before = f"{{{name}[{size - count - 1}:0], {value}}}" if size > count else value
            self.body.clocked(f"advance & {prefix}valid", [f"{name} <= {before};"])
            return
        place = self._kept_place(port, kept, prefix)
        keep = self.body.clocked_lanes(self.walk.parallel, f"{name}[{place}] <= {value}[{lane}];")
        self.body.clocked(f"advance & {prefix}valid", [line for each in keep for line in self.body.unfolded(each)])

    def _kept_array(self, kept: StoredArray, number: int, bits: int) -> None:
        size = prod(kept.shape)
        if line_places(self.walk, self.body.tasks):
            self.body.array(f"kept{number}", size, bits)
        else:
            self.body.store(f"kept{number}", size, bits)

    @property
    def _levels(self) -> int:
        """Levels of the counter that the deepest sum among the tasks needs."""
        return sum_levels(self.walk, self.body.tasks)

    def _pairwise(self, total: str, reduction: Reduction, bits: int, each: int) -> list[str]:
        """The sum of 2 ** n steps waits in level n for that of the next as many, as a binary counter carries."""
        assert reduction.join is not None
        port, count = self.results[0], self.body.results_at_once
        number = self._levels
        lane, name = self.body.result_lane, total
        start = self.body.ready - number * each
        carries = "1'b1"
        kept = self.storage.running.get(0)
        shape = kept.shape[1:] if kept is not None else ()
        strides, size = row_major_strides(shape), prod(shape)
        for level in range(number):
            stage = start + level * each
            prefix = self.body.counters(stage)
            index = [*port.held, *(affine(dim) for dim in self.body.point(port))]
            place = at_stage(" + ".join(f"{by} * ({at})" for at, by in zip(index, strides, strict=True)) or "0", prefix)
            step, first = self._step_number(prefix), f"({1 << number} - {self.body.steps_of_sum})"
            self.body.store(f"level{level}", max(size, 1), bits)
            self.body.line(f"int number{level};")
            self.body.line(f"logic carries{level}, odd{level}, adds{level};")
            self.body.line(f"assign number{level} = {step} + {first};")
            self.body.line(f"assign odd{level} = number{level}[{level}];")
            self.body.line(f"assign adds{level} = odd{level} & (number{level} >> {level} << {level}) > {first};")
            self.body.line(f"assign carries{level} = {carries};")
            stored = f"stored{level}"
            self.body.array(stored, count, bits)
            fetch = self.body.unfolded(f"{stored}[{lane}] = level{level}[{place}];", first=True)
            self.body.always([line for each in fetch for line in (*self.body.lane_loops(self.walk.parallel), each)])
            keep = self.body.clocked_lanes(self.walk.parallel, f"level{level}[{place}] <= {name}[{lane}];")
            self.body.clocked(
                f"advance & {prefix}valid & carries{level} & ~odd{level}",
                [line for each in keep for line in self.body.unfolded(each)],
            )
            cycles = each if level < number - 1 else each - 1
            pairs = Joined(f"added{level}", count, bits, (("r", count),), "r", f"{stored}[r]", f"{name}[r]", stage)
            added = self.lanes.joined(reduction.join, pairs, cycles)
            adds = self.body.delayed(f"adds{level}", 1, 1, cycles)
            alone = self.body.delayed(name, bits, count, cycles)
            self.body.arithmetic["choice"] += count * bits
            self.body.array(f"sum{level}", count, bits)
            self.body.line(f"assign sum{level} = {adds} ? {added} : {alone};")
            name = f"sum{level}"
            if level < number - 1:
                self.body.line(f"logic goes{level};")
                self.body.line(f"assign goes{level} = carries{level} & odd{level};")
                carries = self.body.delayed(f"goes{level}", 1, 1, cycles)
        return [name]

    def _step_number(self, prefix: str) -> str:
        """The number of a result's step."""
        found = "0"
        for loop in self.walk.reduced:
            if self.body.is_loop(loop):
                found = f"({found}) * {self.body.trip(loop)} + {prefix}t{loop}"
        for loop in self.walk.reduced:
            if self.walk.steps[loop] > 1:
                found = f"({found}) * {self.walk.steps[loop]} + {prefix}s{loop}"
        return found

    def _chain(self, ops: Sequence[Operation], yielded: Sequence[SSAValue], operands: Sequence[str]) -> list[str]:
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
        prefix = self.body.counters(start)
        running = [self._running_before(n, port, prefix, each * shared) for n, port in enumerate(self.results)]
        given: list[list[str]] = [[] for _ in yielded]
        for lane in range(shared):
            arrays = []
            for value, array in zip(crossing, early, strict=True):
                bits = element_of(value.type, self.where).bits
                name = f"early{crossing.index(value)}_of{lane}"
                self.body.array(name, count, bits)
                self.body.always([f"for (int r = 0; r < {count}; r++) {name}[r] = {array}[r * {shared} + {lane}];"])
                arrays.append(self.body.delayed(name, bits, count, lane * each))
            values = [*crossing, *self.running_values]
            # The register of the result is the last one of the last lane.
            takes = each if lane < shared - 1 else each - 1
            at = start + lane * each
            running = self._part(f"chain{lane}", behind, values, yielded, [*arrays, *running], takes, count, at)
            for n, (array, value) in enumerate(zip(running, yielded, strict=True)):
                bits = element_of(value.type, self.where).bits
                given[n].append(self.body.delayed(array, bits, count, (shared - lane) * each - 1 - takes))
        return self._put_by(given)

    def _running_before(self, number: int, port: TaskPort, prefix: str, cycles: int) -> str:
        """The running values that a step goes on with."""
        bits, count = port.token.element.bits, self.body.results_at_once
        init = self._init(bits)
        name, kept, lane = f"before{number}", self.storage.running.get(number), self.body.result_lane
        self.body.array(name, count, bits)
        before = init
        if kept is not None and not port.scanned:
            self._kept_array(kept, number, bits)
            place = self._kept_place(port, kept, prefix, -(-cycles // self.body.interval))
            first = " && ".join(self._first(prefix))
            before = f"({first} ? {init} : kept{number}[{place}])" if first else init
        self.body.arithmetic["choice"] += count * bits if before != init else 0
        fetch = self.body.unfolded(f"{name}[{lane}] = {before};", first=True)
        self.body.always([line for each in fetch for line in (*self.body.lane_loops(self.walk.parallel), each)])
        return name

    def _put_by(self, given: Sequence[Sequence[str]]) -> list[str]:
        """The values behind the last lane; of a scan, those behind each."""
        prefix, shared, count = (self.body.counters(self.body.ready - 1), self.walk.shared, self.body.results_at_once)
        values = []
        for number, (port, lanes) in enumerate(zip(self.results, given, strict=True)):
            kept = self.storage.running.get(number)
            if not port.scanned:
                values.append(lanes[-1])
                if kept is not None:
                    self._keep(port, kept, prefix, lanes[-1], number)
                continue
            bits, name = port.token.element.bits, f"scan{number}"
            self.body.array(name, count * shared, bits)
            self.body.always(
                [
                    f"for (int r = 0; r < {count}; r++) {name}[r * {shared} + {n}] = {lane}[r];"
                    for n, lane in enumerate(lanes)
                ]
            )
            values.append(name)
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
