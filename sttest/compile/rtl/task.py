"""A task as a module: tokens into registers, operands of a step, the payload's pipeline, running values, results.

The stages of a step, counted from the cycle in which its first token can come: after ``interval`` cycles its operands
stand in registers, after as many more as the schedule has stages its results do.  All of it moves on when the stage of
the whole process does.
"""

import re
from collections.abc import Mapping, Sequence
from math import prod

from xdsl.ir import Operation, SSAValue

from sttest.boards.operators import Operator, add_tree_levels
from sttest.compile.dialects import df
from sttest.compile.hls.tile_schedule import TaskPort
from sttest.compile.hls.types import LocalArray, Token, element_of, row_major_strides
from sttest.compile.hls.writer import affine
from sttest.compile.rtl.control import Control
from sttest.compile.rtl.module import ModuleText, Side, delayed, gated, unrolled
from sttest.compile.rtl.payload import constant_bits
from sttest.compile.rtl.payload_model import payload_function
from sttest.compile.schedule.operators import arrival_stages, chain_cycles, join_stages
from sttest.compile.schedule.reductions import Reduction, levels, reduction_of
from sttest.compile.schedule.storage import StoredArray, TaskStorage, line_places, task_storage, tile_extents
from sttest.compile.schedule.task_schedule import PortMotion, TaskSchedule
from sttest.compile.schedule.tile_walk import PortTokens, SpreadTokens, task_tokens
from sttest.core.errors import InputError
from sttest.sim.graph import Pipeline


class _FlatToken(Token):
    """A token as an array of its elements."""

    def at(self, variable: str, index: str) -> str:
        return f"{variable}[{index}]"


class _FlatArray(LocalArray):
    """A tile as an array of one dim."""

    def at(self, index: Sequence[str]) -> str:
        strides = row_major_strides(self.shape)
        terms = [
            f"{stride} * ({each})" if stride > 1 else f"({each})" for each, stride in zip(index, strides, strict=True)
        ]
        return f"{self.name}[{' + '.join(terms) or '0'}]"


def task_module(
    task: df.TaskOp, schedule: TaskSchedule, pipeline: Pipeline, sides: Sequence[Side], library: Mapping[str, Operator]
) -> ModuleText:
    """The module of a task.

    Args:
        task: task at the stream level.
        schedule: its schedule.
        pipeline: its process in the timed graph.
        sides: its sources, then its results, named ``in0`` … and ``out0`` ….
        library: operators at the board's clock.

    Raises:
        InputError: a schedule that has no hardware yet.
    """
    return _TaskModule(task, schedule, pipeline, sides, library).module()


class _TaskModule:
    def __init__(
        self,
        task: df.TaskOp,
        schedule: TaskSchedule,
        pipeline: Pipeline,
        sides: Sequence[Side],
        library: Mapping[str, Operator],
    ) -> None:
        self.task, self.schedule, self.pipeline, self.sides, self.library = task, schedule, pipeline, sides, library
        self.where, self.walk = task.sym_name.data, schedule.walk
        self.control = Control(pipeline)
        self.interval, self.reduction = schedule.interval, reduction_of(task)
        self.storage: TaskStorage = task_storage(task, schedule)
        self.depth = len(task.trip_counts) - (len(pipeline.loops[0].trips) if _has_inner(task, pipeline) else 0)
        sources, results = task_tokens(task)
        arity = len(sources)
        self.sources = [
            self._port(value, f"in{n}", tokens, motion)
            for n, (value, tokens, motion) in enumerate(zip(task.sources, sources, schedule.sources, strict=True))
        ]
        self.results = [
            self._port(value, f"out{n}", tokens, motion, () if tokens.scanned else task.held_loops)
            for n, (value, tokens, motion) in enumerate(zip(task.produced, results, schedule.results, strict=True))
        ]
        self.source_values = list(task.payload.block.args[:arity])
        self.running_values = list(task.payload.block.args[arity:])
        self.text: list[str] = []
        self._wires: set[str] = set()

    # --- Places in time

    @property
    def fetch(self) -> int:
        """The stage in which the operands of a tile's first step stand in registers."""
        return (self.schedule.ahead + 1) * self.interval

    @property
    def ready(self) -> int:
        """The stage in which its results do."""
        return self.fetch + self.schedule.stages

    def counters(self, stage: int) -> str:
        """Declares the counters of a stage; the prefix of their names, ``_valid`` among them."""
        prefix = f"at{stage}_"
        if prefix in self._wires:
            return prefix
        self._wires.add(prefix)
        order = [loop for loop in self.walk.order if self.walk.steps[loop] > 1]
        found = self.control.counters(0, stage, [self.walk.steps[loop] for loop in order])
        inner = len(self.task.trip_counts) - self.depth
        names = [f"t{loop + self.depth}" for loop in range(inner)] or ["none"]
        names += [f"s{loop}" for loop in order]
        lines = [f"  logic {prefix}valid;\n  assign {prefix}valid = {found.valid};\n"]
        for name, index in zip(names, found.indices, strict=True):
            if name != "none":
                lines.append(f"  int {prefix}{name};\n  assign {prefix}{name} = int'({index});\n")
        self.text += lines
        return prefix

    # --- Ports and storage

    def _port(
        self, value: SSAValue, label: str, tokens: PortTokens, motion: PortMotion, held: Sequence[int] = ()
    ) -> TaskPort:
        stream = df.itensor_of(value)
        token = _FlatToken(element_of(stream.dtype, self.where), stream.element_shape)
        array = _FlatArray(label, token.element.c_type, tile_extents(self.task, tokens))
        return TaskPort(label, token, tokens, motion, self.walk, tuple(f"t{loop}" for loop in held), array)

    def module(self) -> ModuleText:
        """The module."""
        operands = [self._source(port) for port in self.sources]
        self._compute(operands)
        control = gated(self.control, self.sides)
        # Counters are known only when all that asks for them is written.
        text = control + "".join(self.text) + "  assign ended_all = ended;\n  assign moving_all = advance;\n"
        return ModuleText("task", tuple(self.sides), text, (self.pipeline.name,))

    def _source(self, port: TaskPort) -> str:
        """Registers of a source's tokens; the array of its operands per lane."""
        name, bits, size = port.label, port.token.element.bits, port.token.size
        spread = port.motion.spread
        if port.motion.turns is not None:
            self._array(name, size, bits)
            self._clocked(f"{name}_take", [f"{name} <= {name}_data;"])
        elif spread is not None:
            self._waiting_tokens(port, spread)
            if not spread.in_place:
                self._tile_from_waiting(port, spread)
        else:
            tile = prod(port.tile.shape)
            self._line(f"logic [{bits - 1}:0] {name} [{tile}];")
            self._count(f"{name}_number", f"{name}_take", len(port.offsets))
            self._tables(port)
            place = f"{name}[{name}_AT[{name}_number] + {name}_ELEMENT[e]]"
            self._clocked(f"{name}_take", [*unrolled("e", size, f"{place} <= {name}_data[e * {bits} +: {bits}];")])
        return self._operands(port)

    def _waiting_tokens(self, port: TaskPort, spread: SpreadTokens) -> None:
        name, bits, size = port.label, port.token.element.bits, port.token.size
        self._line(f"logic [{size - 1}:0][{bits - 1}:0] {port.registers} [{spread.registers}];")
        self._count(f"{name}_number", f"{name}_take", spread.registers)
        self._clocked(f"{name}_take", [f"{port.registers}[{name}_number] <= {name}_data;"])

    def _tile_from_waiting(self, port: TaskPort, spread: SpreadTokens) -> None:
        """The tile, with the tokens that the present step takes from where they wait."""
        name, bits, size, tile = port.label, port.token.element.bits, port.token.size, prod(port.tile.shape)
        prefix = self.counters(self.fetch)
        self._tables(port)
        self._array(f"{name}_kept", tile, bits)
        self._array(name, tile, bits)
        lines = [f"{name} = {name}_kept;"]
        step = _at(affine(self.walk.number), prefix)
        for number, taken in enumerate(port.motion.steps):
            place = number % spread.registers
            lines.append(
                f"if ({step} == {taken}) for (int e = 0; e < {size}; e++) "
                f"{name}[{name}_AT[{number}] + {name}_ELEMENT[e]] = {port.registers}[{place}][e];"
            )
        self._always(lines)
        self._clocked(f"advance & {prefix}valid", [f"{name}_kept <= {name};"])

    def _tables(self, port: TaskPort) -> None:
        """Places in the tile: of each token, and from there of its elements."""
        strides = row_major_strides(port.tile.shape)
        starts = [sum(a * b for a, b in zip(offset, strides, strict=True)) for offset in port.offsets]
        elements = [0]
        for size, stride in zip(port.token.shape, strides, strict=True):
            elements = [at + step * stride for at in elements for step in range(size)]
        self._table(f"{port.label}_AT", starts)
        self._table(f"{port.label}_ELEMENT", elements)

    def _operands(self, port: TaskPort) -> str:
        """Per lane the element that a step works on."""
        prefix, bits = self.counters(self.fetch), port.token.element.bits
        name = f"{port.label}_lane"
        self._array(name, self._lane_count, bits)
        element = _at(port.element(self._point(port)), prefix)
        self._always([*self._lane_loops(), f"{name}[{self._lane}] = {element};"])
        return name

    # --- Lanes

    @property
    def _lane_count(self) -> int:
        return prod(self.walk.lanes)

    @property
    def _results_at_once(self) -> int:
        return prod(self.walk.lanes[loop] for loop in self.walk.parallel)

    @property
    def _result_lane(self) -> str:
        """The number of the result that a lane works on."""
        return _mixed([(f"l{loop}", self.walk.lanes[loop]) for loop in self.walk.parallel])

    @property
    def _lane(self) -> str:
        """The number of a lane: lanes of one result are neighbors."""
        loops = (*self.walk.parallel, *self.walk.reduced)
        return _mixed([(f"l{loop}", self.walk.lanes[loop]) for loop in loops])

    def _lane_loops(self, loops: Sequence[int] | None = None) -> list[str]:
        every = range(len(self.walk.lanes)) if loops is None else loops
        return [
            f"for (int l{loop} = 0; l{loop} < {self.walk.lanes[loop]}; l{loop}++)"
            for loop in every if self.walk.lanes[loop] > 1
        ]  # fmt: skip

    def _point(self, port: TaskPort) -> list[list[tuple[str, int]]]:
        steps, lanes = self.walk.steps, self.walk.lanes
        index = []
        for row in port.rows:
            terms: list[tuple[str, int]] = []
            for loop, factor in enumerate(row):
                terms += [(f"s{loop}", factor * lanes[loop])] if steps[loop] > 1 else []
                terms += [(f"l{loop}", factor)] if lanes[loop] > 1 else []
            index.append(terms)
        return index

    # --- The payload

    def _compute(self, operands: Sequence[str]) -> None:
        ops = [op for op in self.task.payload.block.ops if not isinstance(op, df.YieldOp)]
        yielded = list(self.task.payload.block.last_op.operands)  # pyright: ignore
        if self.reduction is None:
            values = self._part("payload", ops, self.source_values, yielded, operands, self.schedule.stages - 1)
            self._give(values)
        elif self.reduction.order == "chain":
            self._chain(ops, yielded, operands)
        else:
            self._joined(ops, operands, self.reduction)

    def _part(
        self,
        name: str,
        ops: Sequence[Operation],
        inputs: Sequence[SSAValue],
        outputs: Sequence[SSAValue],
        arrays: Sequence[str],
        cycles: int,
        count: int = 0,
    ) -> list[str]:
        """Instances of a part of the payload, one per lane, and the arrays of their outputs, so many cycles later."""
        count = count or self._lane_count
        used = _needed(ops, outputs)
        kept = [(value, array) for value, array in zip(inputs, arrays, strict=True) if value in used]
        widths = [element_of(value.type, self.where).bits for value in outputs]
        self.text.append(
            payload_function(
                f"{name}_of", [op for op in ops if op in used], [v for v, _ in kept], outputs, self.where, self._known
            )
        )
        for n, bits in enumerate(widths):
            self._array(f"{name}_{n}", count, bits)
        self._line(f"logic [{sum(widths) - 1}:0] {name}_all;")
        arguments = ", ".join(f"{array}[l]" for _, array in kept)
        lines = [f"for (int l = 0; l < {count}; l++) begin", f"  {name}_all = {name}_of({arguments});"]
        low = 0
        for n, bits in enumerate(widths):
            lines.append(f"  {name}_{n}[l] = {name}_all[{low} +: {bits}];")
            low += bits
        self._always([*lines, "end"])
        return [self._delayed(f"{name}_{n}", bits, count, max(cycles, 0)) for n, bits in enumerate(widths)]

    def _delayed(self, name: str, bits: int, count: int, cycles: int) -> str:
        """An array, so many cycles later."""
        if not cycles:
            return name
        late = re.sub(r"\W", "_", f"{name}_late")
        text, last = delayed(late, name, bits, cycles, "advance")
        self.text.append(text.replace(f"logic [{bits - 1}:0]", f"logic [{count - 1}:0][{bits - 1}:0]", 1))
        return last

    @property
    def _known(self) -> dict[SSAValue, int]:
        """What a payload that reduces nothing takes for the value before."""
        if self.reduction is not None or self.task.init is None:
            return {}
        return {value: constant_bits(self.task.init, self.where) for value in self.running_values}

    # --- Reductions

    def _joined(self, ops: Sequence[Operation], operands: Sequence[str], reduction: Reduction) -> None:
        """Terms in a tree of lanes, then joined to what came before."""
        assert reduction.join is not None
        assert reduction.term is not None
        arrival = arrival_stages(self.task, self.library)
        stages, shared, bits = arrival.get(reduction.term, 0), self.walk.shared, self.results[0].token.element.bits
        each, depth = join_stages(self.task, reduction.join, self.library), add_tree_levels(shared)
        late = levels(self.task, self._lane_count) * each if reduction.order == "pairwise" else 0
        # Registers that are left for the terms: the last one is that of the result.
        waits = self.schedule.stages - 1 - depth * each - late
        merged = min(waits, 0)
        waits, last = max(waits, 0) + int(late > 0), depth * each + merged
        before = [op for op in ops if op is not reduction.join]
        (terms,) = self._part("term", before, self.source_values, [reduction.term], operands, waits)
        total = self._tree(terms, reduction, bits, each, last)
        if reduction.order == "pairwise":
            self._pairwise(total, reduction, bits, each)
        else:
            self._running(total, reduction, bits)
        del stages

    def _join(self, reduction: Reduction, left: str, right: str) -> str:
        """An expression of two terms."""
        assert reduction.join is not None
        name = reduction.join.name
        match name:
            case "arith.addi":
                return f"{left} + {right}"
            case "arith.addf":
                return f"fp::fp_add({left}, {right})"
            case "arith.maximumf" | "arith.minimumf":
                return f"fp::fp_{name[6:9]}({left}, {right})"
            case "arith.maxsi":
                return f"($signed({left}) < $signed({right}) ? {right} : {left})"
            case _:
                return f"($signed({right}) < $signed({left}) ? {right} : {left})"

    def _tree(self, terms: str, reduction: Reduction, bits: int, each: int, cycles: int) -> str:
        """The terms of each result's lanes joined, neighbors first; so many cycles in all."""
        count, shared, level, name = self._results_at_once, self.walk.shared, 0, terms
        depth = add_tree_levels(shared)
        left = cycles
        while shared > 1:
            half = shared // 2
            rest = shared - half
            made = f"tree{level}"
            self._array(made, count * rest, bits)
            odd = shared % 2
            pair = f"{name}[r * {shared} + {odd} + 2 * n]", f"{name}[r * {shared} + {odd} + 2 * n + 1]"
            lines = [f"for (int r = 0; r < {count}; r++) begin"]
            lines += [f"  {made}[r * {rest}] = {name}[r * {shared}];"] if odd else []
            lines += [
                f"  for (int n = 0; n < {half}; n++) {made}[r * {rest} + {odd} + n] = {self._join(reduction, *pair)};",
                "end",
            ]
            self._always(lines)
            level += 1
            takes = min(each, left) if level < depth else left
            left -= takes
            name, shared = self._delayed(made, bits, count * rest, takes), rest
        return name

    def _running(self, total: str, reduction: Reduction, bits: int) -> None:
        """A running value that is back a cycle after it was needed."""
        port = self.results[0]
        prefix, count = self.counters(self.ready - 1), self._results_at_once
        init = self._init(bits)
        self._array("next", count, bits)
        kept = self.storage.running.get(0)
        before = init
        if kept is not None:
            self._kept_array(kept, 0, bits)
            place = self._kept_place(port, kept, prefix)
            first = " && ".join(self._first(prefix))
            before = f"({first} ? {init} : kept0[{place}])" if first else init
        lane = self._result_lane
        joined = self._join(reduction, before, f"{total}[{lane}]")
        self._always([*self._lane_loops(self.walk.parallel), f"next[{lane}] = {joined};"])
        if kept is not None:
            self._keep(port, kept, prefix, "next", 0)
        self._give(["next"])

    def _init(self, bits: int) -> str:
        assert self.task.init is not None
        return f"{bits}'h{constant_bits(self.task.init, self.where) & ((1 << bits) - 1):x}"

    def _first(self, prefix: str) -> list[str]:
        """Conditions of a result's first step."""
        trips = self.task.trip_counts
        found = [f"{prefix}t{loop} == 0" for loop in self.walk.reduced if trips[loop] > 1]
        return found + [f"{prefix}s{loop} == 0" for loop in self.walk.reduced if self.walk.steps[loop] > 1]

    def _kept_place(self, port: TaskPort, kept: StoredArray, prefix: str, steps: int = 1) -> str:
        """Where the running value of a lane's result waits, which comes back after so many steps."""
        if line_places(self.walk, [self.task]):
            count = self._results_at_once
            return f"{(kept.shape[0] - steps) * count} + {self._result_lane}"
        index = [*port.held, *(affine(dim) for dim in self._point(port))]
        strides = row_major_strides(kept.shape)
        terms = [f"{stride} * ({each})" for each, stride in zip(index, strides, strict=True)]
        return _at(" + ".join(terms) or "0", prefix)

    def _keep(self, port: TaskPort, kept: StoredArray, prefix: str, value: str, number: int) -> None:
        """Running values are put by."""
        name, size, count = f"kept{number}", prod(kept.shape), self._results_at_once
        lane = self._result_lane
        if line_places(self.walk, [self.task]):
            before = f"{{{name}[{size - count - 1}:0], {value}}}" if size > count else value
            self._clocked(f"advance & {prefix}valid", [f"{name} <= {before};"])
            return
        place = self._kept_place(port, kept, prefix)
        self._clocked(
            f"advance & {prefix}valid", self._clocked_lanes(self.walk.parallel, f"{name}[{place}] <= {value}[{lane}];")
        )

    def _kept_array(self, kept: StoredArray, number: int, bits: int) -> None:
        size = prod(kept.shape)
        if line_places(self.walk, [self.task]):
            self._array(f"kept{number}", size, bits)
        else:
            self._line(f"logic [{bits - 1}:0] kept{number} [{size}];")

    def _pairwise(self, total: str, reduction: Reduction, bits: int, each: int) -> None:
        """The sum of 2 ** n steps waits in level n for that of the next as many, as a binary counter carries."""
        port, count = self.results[0], self._results_at_once
        number = levels(self.task, self._lane_count)
        lane, name = self._result_lane, total
        start = self.ready - number * each
        carries = "1'b1"
        kept = self.storage.running.get(0)
        shape = kept.shape[1:] if kept is not None else ()
        strides, size = row_major_strides(shape), prod(shape)
        for level in range(number):
            stage = start + level * each
            prefix = self.counters(stage)
            index = [*port.held, *(affine(dim) for dim in self._point(port))]
            place = _at(" + ".join(f"{by} * ({at})" for at, by in zip(index, strides, strict=True)) or "0", prefix)
            step, first = self._step_number(prefix), (1 << number) - self._steps_of_sum
            self._line(f"logic [{bits - 1}:0] level{level} [{max(size, 1)}];")
            self._array(f"sum{level}", count, bits)
            self._line(f"int number{level};")
            self._line(f"logic carries{level}, odd{level};")
            self._line(f"assign number{level} = {step} + {first};")
            self._line(f"assign odd{level} = (number{level} >> {level}) % 2 == 1;")
            waits = f"(number{level} >> {level} << {level}) > {first}"
            self._line(f"assign carries{level} = {carries};")
            added = f"fp::fp_add(level{level}[{place}], {name}[{lane}])"
            self._always([
                *self._lane_loops(self.walk.parallel),
                f"sum{level}[{lane}] = odd{level} & ({waits}) ? {added} : {name}[{lane}];",
            ])  # fmt: skip
            self._clocked(
                f"advance & {prefix}valid & carries{level} & ~odd{level}",
                self._clocked_lanes(self.walk.parallel, f"level{level}[{place}] <= {name}[{lane}];"),
            )
            cycles = each if level < number - 1 else each - 1
            name = self._delayed(f"sum{level}", bits, count, cycles)
            if level < number - 1:
                self._line(f"logic goes{level};")
                self._line(f"assign goes{level} = carries{level} & odd{level};")
                carries = self._delayed(f"goes{level}", 1, 1, cycles)
        self._give([name])

    @property
    def _steps_of_sum(self) -> int:
        return prod(self.walk.steps[loop] * self.task.trip_counts[loop] for loop in self.walk.reduced)

    def _step_number(self, prefix: str) -> str:
        """The number of a result's step."""
        found = "0"
        for loop in self.walk.reduced:
            if self.task.trip_counts[loop] > 1:
                found = f"({found}) * {self.task.trip_counts[loop]} + {prefix}t{loop}"
        for loop in self.walk.reduced:
            if self.walk.steps[loop] > 1:
                found = f"({found}) * {self.walk.steps[loop]} + {prefix}s{loop}"
        return found

    def _chain(self, ops: Sequence[Operation], yielded: Sequence[SSAValue], operands: Sequence[str]) -> None:
        """One term after the other joined to the running values, lanes of one result one behind the other."""
        assert self.reduction is not None
        each, shared, count = chain_cycles(self.task, self.library), self.walk.shared, self._results_at_once
        start = self.ready - shared * each
        behind = _depending(ops, self.running_values)
        before = [op for op in ops if op not in behind]
        made = {result for op in before for result in op.results}
        crossing = [
            value for value in dict.fromkeys(operand for op in behind for operand in op.operands)
            if value in made or value in self.source_values
        ]  # fmt: skip
        crossing += [
            value for value in yielded if value not in crossing and (value in made or value in self.source_values)
        ]
        early = self._part("early", before, self.source_values, crossing, operands, start - self.fetch)
        prefix = self.counters(start)
        running = [self._running_before(n, port, prefix, each * shared) for n, port in enumerate(self.results)]
        given: list[list[str]] = [[] for _ in yielded]
        for lane in range(shared):
            arrays = []
            for value, array in zip(crossing, early, strict=True):
                bits = element_of(value.type, self.where).bits
                name = f"early{crossing.index(value)}_of{lane}"
                self._array(name, count, bits)
                self._always([f"for (int r = 0; r < {count}; r++) {name}[r] = {array}[r * {shared} + {lane}];"])
                arrays.append(self._delayed(name, bits, count, lane * each))
            values = [*crossing, *self.running_values]
            found = self._part(f"chain{lane}", behind, values, yielded, [*arrays, *running], 0, count)
            widths = [element_of(value.type, self.where).bits for value in yielded]
            for n, (array, bits) in enumerate(zip(found, widths, strict=True)):
                given[n].append(self._delayed(array, bits, count, (shared - lane) * each - 1))
            if lane < shared - 1:
                running = [self._delayed(array, bits, count, each) for array, bits in zip(found, widths, strict=True)]
        self._put_by(given)

    def _running_before(self, number: int, port: TaskPort, prefix: str, cycles: int) -> str:
        """The running values that a step goes on with."""
        bits, count = port.token.element.bits, self._results_at_once
        init = self._init(bits)
        name, kept, lane = f"before{number}", self.storage.running.get(number), self._result_lane
        self._array(name, count, bits)
        before = init
        if kept is not None and not port.scanned:
            self._kept_array(kept, number, bits)
            place = self._kept_place(port, kept, prefix, -(-cycles // self.interval))
            first = " && ".join(self._first(prefix))
            before = f"({first} ? {init} : kept{number}[{place}])" if first else init
        self._always([*self._lane_loops(self.walk.parallel), f"{name}[{lane}] = {before};"])
        return name

    def _put_by(self, given: Sequence[Sequence[str]]) -> None:
        """The values behind the last lane; of a scan, those behind each."""
        prefix, shared, count = self.counters(self.ready - 1), self.walk.shared, self._results_at_once
        values = []
        for number, (port, lanes) in enumerate(zip(self.results, given, strict=True)):
            kept = self.storage.running.get(number)
            if not port.scanned:
                values.append(lanes[-1])
                if kept is not None:
                    self._keep(port, kept, prefix, lanes[-1], number)
                continue
            bits, name = port.token.element.bits, f"scan{number}"
            self._array(name, count * shared, bits)
            self._always(
                [
                    f"for (int r = 0; r < {count}; r++) {name}[r * {shared} + {n}] = {lane}[r];"
                    for n, lane in enumerate(lanes)
                ]
            )
            values.append(name)
        self._give(values)

    # --- Results

    def _give(self, values: Sequence[str]) -> None:
        """The results of a step into the registers of their tokens, which leave when the control says so.

        Args:
            values: per result the array of what each lane's result becomes in the last stage.
        """
        for port, value in zip(self.results, values, strict=True):
            if self.schedule.stages == 0:
                self._given_at_once(port, value)
            else:
                self._given(port, value)

    def _given(self, port: TaskPort, value: str) -> None:
        prefix, name, bits, size = self.counters(self.ready - 1), port.label, port.token.element.bits, port.token.size
        spread, lane = port.motion.spread, self._lane if port.scanned else self._result_lane
        if port.motion.turns is not None:
            self._token_now(port, value, prefix)
            self._clocked(f"advance & {prefix}valid", [f"{name} <= {name}_now;"])
            self._line(f"assign {name}_data = {name};")
            return
        element = _at(self._in_tile(port), prefix)
        self._line(f"logic [{bits - 1}:0] {name} [{prod(port.tile.shape)}];")
        loops = range(len(self.walk.lanes)) if port.scanned else self.walk.parallel
        self._clocked(f"advance & {prefix}valid", self._clocked_lanes(loops, f"{element} <= {value}[{lane}];"))
        self._tables(port)
        if spread is None:
            self._count(f"{name}_number", f"{name}_put", len(port.offsets))
            self._always(
                [f"for (int e = 0; e < {size}; e++) "
                 f"{name}_data[e * {bits} +: {bits}] = {name}[{name}_AT[{name}_number] + {name}_ELEMENT[e]];"]
            )  # fmt: skip
            return
        self._waiting_results(port, spread, value, prefix)

    def _token_now(self, port: TaskPort, value: str, prefix: str) -> None:
        """A token with what the present step adds to it."""
        name, bits, size = port.label, port.token.element.bits, port.token.size
        element = _at(port.element(self._point(port)), prefix).replace(f"{name}[", f"{name}_now[", 1)
        lane = self._lane if port.scanned else self._result_lane
        self._array(name, size, bits)
        self._array(f"{name}_now", size, bits)
        self._always([f"{name}_now = {name};", *self._result_loops(port), f"{element} = {value}[{lane}];"])

    def _result_loops(self, port: TaskPort) -> list[str]:
        return self._lane_loops(None if port.scanned else self.walk.parallel)

    def _in_tile(self, port: TaskPort) -> str:
        return port.at([affine(dim) for dim in self._point(port)])

    def _waiting_results(self, port: TaskPort, spread: SpreadTokens, value: str, prefix: str) -> None:
        """Tokens that are complete wait until those before have left."""
        name, bits, size, tile = port.label, port.token.element.bits, port.token.size, prod(port.tile.shape)
        lane = self._lane if port.scanned else self._result_lane
        element = _at(self._in_tile(port), prefix).replace(f"{name}[", f"{name}_now[", 1)
        self._line(f"logic [{bits - 1}:0] {name}_now [{tile}];")
        count = len(port.offsets)
        self._line(f"logic [{size - 1}:0][{bits - 1}:0] {port.registers} [{spread.registers}], {name}_token [{count}];")
        self._count(f"{name}_number", f"{name}_put", spread.registers)
        self._always(
            [f"for (int n = 0; n < {tile}; n++) {name}_now[n] = {name}[n];",
             *self._result_loops(port), f"{element} = {value}[{lane}];",
             f"for (int n = 0; n < {count}; n++)",
             f"  for (int e = 0; e < {size}; e++) {name}_token[n][e] = {name}_now[{name}_AT[n] + {name}_ELEMENT[e]];"]
        )  # fmt: skip
        trips = self.task.trip_counts
        whole = (
            []
            if port.scanned
            else [f"{prefix}t{loop} == {trips[loop] - 1}" for loop in self.walk.reduced if trips[loop] > 1]
        )
        step = _at(affine(self.walk.number) or "0", prefix)
        self._line(f"int {name}_first = 0;")
        lines, by_step = [], {}
        for token, complete in enumerate(port.motion.steps):
            by_step.setdefault(complete, []).append(token)
        for complete, tokens in by_step.items():
            lines.append(f"if ({step} == {complete}) begin")
            for place, token in enumerate(tokens):
                target = f"{port.registers}[({name}_first + {place}) % {spread.registers}]"
                lines.append(f"  {target} <= {name}_token[{token}];")
            lines.append(f"  {name}_first <= ({name}_first + {len(tokens)}) % {spread.registers};")
            lines.append("end")
        self._clocked(" & ".join(["advance", f"{prefix}valid", *(f"({each})" for each in whole)]), lines)
        self._line(f"assign {name}_data = {port.registers}[{name}_number];")

    def _given_at_once(self, port: TaskPort, value: str) -> None:
        """Results without a stage: of the present step as they are, of those before from registers."""
        prefix, name = self.counters(self.ready), port.label
        if port.motion.turns is None or port.motion.spread is not None:
            raise InputError("no-rtl", "tiles that take no stage have no RTL yet", where=self.where)
        self._token_now(port, value, prefix)
        self._clocked(f"advance & {prefix}valid", [f"{name} <= {name}_now;"])
        self._line(f"assign {name}_data = {name}_now;")

    def _clocked_lanes(self, loops: Sequence[int], statement: str) -> list[str]:
        """A statement for each lane."""
        lines = [statement]
        for loop in loops:
            lines = [each for line in lines for each in unrolled(f"l{loop}", self.walk.lanes[loop], line)]
        return lines

    # --- Text

    def _array(self, name: str, count: int, bits: int) -> None:
        """Elements that are copied as one."""
        self._line(f"logic [{count - 1}:0][{bits - 1}:0] {name};")

    def _line(self, text: str) -> None:
        self.text.append(f"  {text}\n")

    def _always(self, lines: Sequence[str]) -> None:
        self.text.append("  always_comb begin\n" + "".join(f"    {line}\n" for line in lines) + "  end\n")

    def _clocked(self, when: str, lines: Sequence[str]) -> None:
        body = "".join(f"    {line}\n" for line in lines)
        self.text.append(f"  always_ff @(posedge clk) if ({when}) begin\n{body}  end\n")

    def _count(self, name: str, when: str, bound: int) -> None:
        self._line(f"int {name} = 0;")
        last = f"{name} == {bound - 1} ? 0 : {name} + 1"
        self._line(f"always_ff @(posedge clk) if (reset) {name} <= 0; else if ({when}) {name} <= {last};")

    def _table(self, name: str, values: Sequence[int]) -> None:
        self._line(f"localparam int {name} [{len(values)}] = '{{{', '.join(map(str, values))}}};")


def _has_inner(task: df.TaskOp, pipeline: Pipeline) -> bool:
    """Whether the pipeline's loops are some of the task's, not the one of a single iteration."""
    trips = pipeline.loops[0].trips
    return (
        len(trips) <= len(task.trip_counts)
        and tuple(task.trip_counts[len(task.trip_counts) - len(trips) :]) == trips
        and pipeline.repeat * prod(trips) == prod(task.trip_counts)
    )


def _at(text: str, prefix: str) -> str:
    """An expression with the counters of a stage."""
    return re.sub(r"\b([st]\d+)\b", rf"{prefix}\1", text)


def _mixed(pairs: Sequence[tuple[str, int]]) -> str:
    """A number of several digits, the last one fastest.

    >>> _mixed([("l0", 2), ("l1", 1), ("l2", 4)])
    '4 * l0 + l2'
    """
    terms, stride = [], 1
    for name, count in reversed(pairs):
        if count > 1:
            terms.insert(0, f"{stride} * {name}" if stride > 1 else name)
        stride *= count
    return " + ".join(terms) or "0"


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
