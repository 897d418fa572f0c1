"""A task as a module: tokens into registers, operands of a step to the data path, its values into tokens."""

from collections.abc import Mapping, Sequence
from math import prod

from xdsl.ir import SSAValue

from sttest.boards.operators import Operator
from sttest.compile.dialects import df
from sttest.compile.hls.tile_schedule import TaskPort
from sttest.compile.hls.types import LocalArray, Token, element_of, row_major_strides
from sttest.compile.hls.writer import affine
from sttest.compile.rtl.data_path import DataPath
from sttest.compile.rtl.module import ModuleText, Side, TaskTurn, gated, unrolled
from sttest.compile.rtl.task_body import TaskBody, at_stage
from sttest.compile.schedule.storage import task_storage, tile_extents
from sttest.compile.schedule.task_schedule import PortMotion
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
    members: Sequence[TaskTurn], pipeline: Pipeline, turns: Sequence[int], library: Mapping[str, Operator]
) -> ModuleText:
    """The module of a task, or of those that take turns on it.

    Args:
        members: the tasks with the sides of their FIFOs.
        pipeline: their process in the timed graph.
        turns: member of each loop of the process.
        library: operators at the board's clock.

    Raises:
        InputError: a schedule that has no hardware yet.
    """
    return _TaskModule(members, pipeline, turns, library).module()


class _TaskModule:
    def __init__(
        self, members: Sequence[TaskTurn], pipeline: Pipeline, turns: Sequence[int], library: Mapping[str, Operator]
    ) -> None:
        self.body, self.members = TaskBody(members, pipeline, turns, library), members
        self.task, self.schedule, self.walk = self.body.task, self.body.schedule, self.body.walk
        self.where = self.body.where
        sources, results = task_tokens(self.task)
        motion = self.schedule
        self.sources = [
            self._port(value, f"in{n}", tokens, moved)
            for n, (value, tokens, moved) in enumerate(zip(self.task.sources, sources, motion.sources, strict=True))
        ]
        self.results = [
            self._port(value, f"out{n}", tokens, moved, () if tokens.scanned else self.task.held_loops)
            for n, (value, tokens, moved) in enumerate(zip(self.task.produced, results, motion.results, strict=True))
        ]

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
        storage = task_storage(self.task, self.schedule, self.body.tasks)
        self._give(DataPath(self.body, self.results, storage).values(operands))
        sides = tuple(dict.fromkeys(side for turn in self.members for side in (*turn.sources, *turn.results)))
        ends = self._ends()
        control = gated(self.body.control, sides)
        # Counters are known only when all that asks for them is written.
        text = (
            control + ends + "".join(self.body.text) + "  assign ended_all = ended;\n  assign moving_all = advance;\n"
        )
        return ModuleText("task", sides, text, (self.body.pipeline.name,))

    # --- The FIFOs of a port: those of all turns

    def _ends(self) -> str:
        """The handshakes of ports whose FIFO changes from turn to turn."""
        lines = []
        for number, port in enumerate(self.sources):
            lines += self._joined(port, [turn.sources[number] for turn in self.members], "take")
        given: dict[Side, list[tuple[str, int]]] = {}
        for number, port in enumerate(self.results):
            sides = [turn.results[number] for turn in self.members]
            lines += self._joined(port, sides, "put")
            for turn, side in enumerate(sides):
                given.setdefault(side, []).append((port.label, turn))
        for side, uses in given.items():
            if side.name != uses[0][0]:
                by_port = {label: [turn for each, turn in uses if each == label] for label, _ in uses}
                *others, (last, _) = by_port.items()
                chosen = "".join(f"({self.body.control.is_turn(turns)}) ? {label}_data : " for label, turns in others)
                lines.append(f"assign {side.name}_data = {chosen}{last}_data;")
        return "".join(f"  {line}\n" for line in lines)

    def _joined(self, port: TaskPort, sides: Sequence[Side], does: str) -> list[str]:
        """The wires of a port in terms of its sides."""
        if sides[0].name == port.label:
            return []
        name, width = port.label, sides[0].bits
        turns = {side: [turn for turn, each in enumerate(sides) if each == side] for side in sides}
        when = {side: f"({self.body.control.is_turn(of)})" for side, of in turns.items()}
        moved = " | ".join(f"{when[side]} & {side.name}_{does}" for side in turns)
        lines = [f"logic {name}_{does};", f"assign {name}_{does} = {moved};", f"logic [{width - 1}:0] {name}_data;"]
        if does == "take":
            *others, last = turns
            chosen = "".join(f"{when[side]} ? {side.name}_data : " for side in others)
            lines.append(f"assign {name}_data = {chosen}{last.name}_data;")
        return lines

    # --- Sources

    def _source(self, port: TaskPort) -> str:
        """Registers of a source's tokens; the array of its operands per lane."""
        name, bits, size = port.label, port.token.element.bits, port.token.size
        spread = port.motion.spread
        if port.motion.turns is not None:
            self.body.array(name, size, bits)
            self.body.clocked(f"{name}_take", [f"{name} <= {name}_data;"])
        elif spread is not None:
            self._waiting_tokens(port, spread)
            if not spread.in_place:
                self._tile_from_waiting(port, spread)
        else:
            tile = prod(port.tile.shape)
            self.body.line(f"logic [{bits - 1}:0] {name} [{tile}];")
            self.body.count(f"{name}_number", f"{name}_take", len(port.offsets))
            self._tables(port)
            place = f"{name}[{name}_AT[{name}_number] + {name}_ELEMENT[e]]"
            self.body.clocked(f"{name}_take", [*unrolled("e", size, f"{place} <= {name}_data[e * {bits} +: {bits}];")])
        return self._operands(port)

    def _waiting_tokens(self, port: TaskPort, spread: SpreadTokens) -> None:
        name, bits, size = port.label, port.token.element.bits, port.token.size
        self.body.line(f"logic [{size - 1}:0][{bits - 1}:0] {port.registers} [{spread.registers}];")
        self.body.count(f"{name}_number", f"{name}_take", spread.registers)
        self.body.clocked(f"{name}_take", [f"{port.registers}[{name}_number] <= {name}_data;"])

    def _tile_from_waiting(self, port: TaskPort, spread: SpreadTokens) -> None:
        """The tile, with the tokens that the present step takes from where they wait."""
        name, bits, size, tile = port.label, port.token.element.bits, port.token.size, prod(port.tile.shape)
        prefix = self.body.counters(self.body.fetch)
        self._tables(port)
        self.body.array(f"{name}_kept", tile, bits)
        self.body.array(name, tile, bits)
        lines = [f"{name} = {name}_kept;"]
        step = at_stage(affine(self.walk.number), prefix)
        for number, taken in enumerate(port.motion.steps):
            place = number % spread.registers
            lines.append(
                f"if ({step} == {taken}) for (int e = 0; e < {size}; e++) "
                f"{name}[{name}_AT[{number}] + {name}_ELEMENT[e]] = {port.registers}[{place}][e];"
            )
        self.body.always(lines)
        self.body.clocked(f"advance & {prefix}valid", [f"{name}_kept <= {name};"])

    def _tables(self, port: TaskPort) -> None:
        """Places in the tile: of each token, and from there of its elements."""
        strides = row_major_strides(port.tile.shape)
        starts = [sum(a * b for a, b in zip(offset, strides, strict=True)) for offset in port.offsets]
        elements = [0]
        for size, stride in zip(port.token.shape, strides, strict=True):
            elements = [at + step * stride for at in elements for step in range(size)]
        self.body.table(f"{port.label}_AT", starts)
        self.body.table(f"{port.label}_ELEMENT", elements)

    def _operands(self, port: TaskPort) -> str:
        """Per lane the element that a step works on."""
        prefix, bits = self.body.counters(self.body.fetch), port.token.element.bits
        name = f"{port.label}_lane"
        self.body.array(name, self.body.lane_count, bits)
        element = at_stage(port.element(self.body.point(port)), prefix)
        self.body.always([*self.body.lane_loops(), f"{name}[{self.body.lane}] = {element};"])
        return name

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
        prefix, name, bits, size = (
            self.body.counters(self.body.ready - 1),
            port.label,
            port.token.element.bits,
            port.token.size,
        )
        spread, lane = port.motion.spread, self.body.lane if port.scanned else self.body.result_lane
        if port.motion.turns is not None:
            self._token_now(port, value, prefix)
            self.body.clocked(f"advance & {prefix}valid", [f"{name} <= {name}_now;"])
            self.body.line(f"assign {name}_data = {name};")
            return
        element = at_stage(self._in_tile(port), prefix)
        self.body.line(f"logic [{bits - 1}:0] {name} [{prod(port.tile.shape)}];")
        loops = range(len(self.walk.lanes)) if port.scanned else self.walk.parallel
        self.body.clocked(f"advance & {prefix}valid", self.body.clocked_lanes(loops, f"{element} <= {value}[{lane}];"))
        self._tables(port)
        if spread is None:
            self.body.count(f"{name}_number", f"{name}_put", len(port.offsets))
            self.body.always(
                [f"for (int e = 0; e < {size}; e++) "
                 f"{name}_data[e * {bits} +: {bits}] = {name}[{name}_AT[{name}_number] + {name}_ELEMENT[e]];"]
            )  # fmt: skip
            return
        self._waiting_results(port, spread, value, prefix)

    def _token_now(self, port: TaskPort, value: str, prefix: str) -> None:
        """A token with what the present step adds to it."""
        name, bits, size = port.label, port.token.element.bits, port.token.size
        element = at_stage(port.element(self.body.point(port)), prefix).replace(f"{name}[", f"{name}_now[", 1)
        lane = self.body.lane if port.scanned else self.body.result_lane
        self.body.array(name, size, bits)
        self.body.array(f"{name}_now", size, bits)
        self.body.always([f"{name}_now = {name};", *self._result_loops(port), f"{element} = {value}[{lane}];"])

    def _result_loops(self, port: TaskPort) -> list[str]:
        return self.body.lane_loops(None if port.scanned else self.walk.parallel)

    def _in_tile(self, port: TaskPort) -> str:
        return port.at([affine(dim) for dim in self.body.point(port)])

    def _waiting_results(self, port: TaskPort, spread: SpreadTokens, value: str, prefix: str) -> None:
        """Tokens that are complete wait until those before have left."""
        name, bits, size, tile = port.label, port.token.element.bits, port.token.size, prod(port.tile.shape)
        lane = self.body.lane if port.scanned else self.body.result_lane
        element = at_stage(self._in_tile(port), prefix).replace(f"{name}[", f"{name}_now[", 1)
        self.body.line(f"logic [{bits - 1}:0] {name}_now [{tile}];")
        count = len(port.offsets)
        self.body.line(
            f"logic [{size - 1}:0][{bits - 1}:0] {port.registers} [{spread.registers}], {name}_token [{count}];"
        )
        self.body.count(f"{name}_number", f"{name}_put", spread.registers)
        self.body.always(
            [f"for (int n = 0; n < {tile}; n++) {name}_now[n] = {name}[n];",
             *self._result_loops(port), f"{element} = {value}[{lane}];",
             f"for (int n = 0; n < {count}; n++)",
             f"  for (int e = 0; e < {size}; e++) {name}_token[n][e] = {name}_now[{name}_AT[n] + {name}_ELEMENT[e]];"]
        )  # fmt: skip
        whole = (
            []
            if port.scanned
            else [f"{prefix}t{loop} == {self.body.last(loop)}" for loop in self.walk.reduced if self.body.is_loop(loop)]
        )
        step = at_stage(affine(self.walk.number) or "0", prefix)
        self.body.line(f"int {name}_first = 0;")
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
        self.body.clocked(" & ".join(["advance", f"{prefix}valid", *(f"({each})" for each in whole)]), lines)
        self.body.line(f"assign {name}_data = {port.registers}[{name}_number];")

    def _given_at_once(self, port: TaskPort, value: str) -> None:
        """Results without a stage: of the present step as they are, of those before from registers."""
        prefix, name = self.body.counters(self.body.ready), port.label
        if port.motion.turns is None or port.motion.spread is not None:
            raise InputError("no-rtl", "tiles that take no stage have no RTL yet", where=self.where)
        self._token_now(port, value, prefix)
        self.body.clocked(f"advance & {prefix}valid", [f"{name} <= {name}_now;"])
        self.body.line(f"assign {name}_data = {name}_now;")
