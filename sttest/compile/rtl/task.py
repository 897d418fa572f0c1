"""A task as a module: tokens into registers, operands of a step to the data path, its values into tokens."""

from collections.abc import Mapping, Sequence
from math import prod

from xdsl.ir import SSAValue

from sttest.boards.operators import Operator
from sttest.compile.dialects import df
from sttest.compile.hls.tile_schedule import TaskPort
from sttest.compile.hls.types import LocalArray, Token, element_of, row_major_strides
from sttest.compile.hls.writer import affine
from sttest.compile.rtl.cells import Cells
from sttest.compile.rtl.data_path import DataPath
from sttest.compile.rtl.module import ModuleText, Side, TaskTurn, gated, unrolled
from sttest.compile.rtl.task_body import TaskBody, at_stage
from sttest.compile.schedule.storage import task_storage, tile_extents
from sttest.compile.schedule.task_schedule import PortMotion
from sttest.compile.schedule.tile_walk import PortTokens, SpreadTokens, task_tokens
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
    members: Sequence[TaskTurn],
    pipeline: Pipeline,
    turns: Sequence[int],
    library: Mapping[str, Operator],
    cells: Cells | None = None,
) -> ModuleText:
    """The module of a task, or of those that take turns on it.

    Args:
        members: the tasks with the sides of their FIFOs.
        pipeline: their process in the timed graph.
        turns: member of each loop of the process.
        library: operators at the board's clock.
        cells: makes the parts of a module for synthesis; None for one that is simulated.

    Raises:
        InputError: a schedule that has no hardware yet.
    """
    return _TaskModule(members, TaskBody(members, pipeline, turns, library, cells)).module()


class _TaskModule:
    def __init__(self, members: Sequence[TaskTurn], body: TaskBody) -> None:
        self.body, self.members = body, members
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
        parts = tuple(self.body.parts.values())
        return ModuleText("task", sides, text, (self.body.pipeline.name,), parts, dict(self.body.arithmetic))

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
            self.body.store(name, tile, bits)
            self.body.count(f"{name}_number", f"{name}_take", len(port.offsets))
            self._tables(port)
            place = f"{name}[{name}_AT[{name}_number] + {name}_ELEMENT[e]]"
            stores = unrolled("e", size, f"{place} <= {name}_data[e * {bits} +: {bits}];")
            self.body.clocked(f"{name}_take", self._unfolded(stores, {f"{name}_number": len(port.offsets)}))
        return self._operands(port)

    def _waiting_tokens(self, port: TaskPort, spread: SpreadTokens) -> None:
        name, bits, size = port.label, port.token.element.bits, port.token.size
        self.body.store(port.registers, spread.registers, size * bits, f"[{size - 1}:0][{bits - 1}:0]")
        self.body.count(f"{name}_number", f"{name}_take", spread.registers)
        store = f"{port.registers}[{name}_number] <= {name}_data;"
        self.body.clocked(f"{name}_take", self.body.unfolded(store, {f"{name}_number": spread.registers}))

    def _tile_from_waiting(self, port: TaskPort, spread: SpreadTokens) -> None:
        """The tile, with the tokens that the present step takes from where they wait."""
        name, bits, size, tile = port.label, port.token.element.bits, port.token.size, prod(port.tile.shape)
        prefix = self.body.counters(self.body.fetch)
        self._tables(port)
        self.body.array(f"{name}_kept", tile, bits)
        self.body.array(name, tile, bits)
        self.body.chosen(tile * bits, 2)
        lines = [f"{name} = {name}_kept;"]
        step = at_stage(affine(self.walk.number), prefix)
        for number, taken in enumerate(port.motion.steps):
            place = number % spread.registers
            lines.append(
                f"if ({step} == {taken}) for (int e = 0; e < {size}; e++) "
                f"{name}[{name}_AT[{number}] + {name}_ELEMENT[e]] = {port.registers}[{place}][e];"
            )
        self.body.always(lines, self.body.fetch)
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
        stores = self.body.unfolded(f"{name}[{self.body.lane}] = {element};", first=True)
        moved = [loop for loop in range(len(self.walk.lanes)) if any(row[loop] for row in port.rows)]
        self.body.chosen(bits * prod(self.walk.lanes[loop] for loop in moved), len(stores))
        self.body.always([line for store in stores for line in (*self.body.lane_loops(), store)], self.body.fetch)
        return name

    def _unfolded(self, statements: Sequence[str], bounds: Mapping[str, int] | None = None) -> list[str]:
        return [line for statement in statements for line in self.body.unfolded(statement, bounds)]

    def _give(self, values: Sequence[str]) -> None:
        """The results of a step into the registers of their tokens, which leave when the control says so.

        Args:
            values: per result the array of what each lane's result becomes in the last stage.
        """
        at_once = self.schedule.stages == 0
        prefix = self.body.counters(self.body.ready - (not at_once))
        for port, value in zip(self.results, values, strict=True):
            if port.motion.turns is not None:
                self._one_token(port, value, prefix, at_once=at_once)
                continue
            self._tile_now(port, value, prefix, at_once=at_once)
            if port.motion.spread is None:
                self._tokens_of_tile(port, f"{port.label}_now" if at_once else port.label)
            else:
                self._waiting_results(port, port.motion.spread, prefix, at_once=at_once)

    def _one_token(self, port: TaskPort, value: str, prefix: str, *, at_once: bool) -> None:
        """A token that steps fill one after the other."""
        name, bits, size = port.label, port.token.element.bits, port.token.size
        element = at_stage(port.element(self.body.point(port)), prefix).replace(f"{name}[", f"{name}_now[", 1)
        self.body.array(name, size, bits)
        self.body.array(f"{name}_now", size, bits)
        stores = self.body.unfolded(self._stored(port, element, value))
        self.body.chosen(size * bits, min(len(stores), 2))
        filled = [line for store in stores for line in (*self._result_loops(port), store)]
        self.body.always([f"{name}_now = {name};", *filled], None if at_once else self.body.ready - 1)
        self.body.clocked(f"advance & {prefix}valid", [f"{name} <= {name}_now;"])
        self.body.line(f"assign {name}_data = {name}{'_now' if at_once else ''};")

    def _tile_now(self, port: TaskPort, value: str, prefix: str, *, at_once: bool) -> None:
        """The tile, and what it is with the results of the present step."""
        name, bits, tile = port.label, port.token.element.bits, prod(port.tile.shape)
        element = at_stage(port.at([affine(dim) for dim in self.body.point(port)]), prefix)
        self.body.store(name, tile, bits)
        loops = range(len(self.walk.lanes)) if port.scanned else self.walk.parallel
        store = self.body.clocked_lanes(loops, self._stored(port, element, value, "<="))
        self.body.clocked(f"advance & {prefix}valid", self._unfolded(store))
        self._tables(port)
        if not at_once and port.motion.spread is None:
            return
        self.body.chosen(tile * bits, 2)
        self.body.store(f"{name}_now", tile, bits)
        element = element.replace(f"{name}[", f"{name}_now[", 1)
        lines = [f"for (int n = 0; n < {tile}; n++) {name}_now[n] = {name}[n];"]
        for store in self.body.unfolded(self._stored(port, element, value)):
            lines += [f"if ({prefix}valid)", *self._result_loops(port), store]
        self.body.always(lines, None if at_once else self.body.ready - 1)

    def _result_loops(self, port: TaskPort) -> list[str]:
        return self.body.lane_loops(None if port.scanned else self.walk.parallel)

    def _stored(self, port: TaskPort, element: str, value: str, becomes: str = "=") -> str:
        lane = self.body.lane if port.scanned else self.body.result_lane
        return f"{element} {becomes} {value}[{lane}];"

    def _tokens_of_tile(self, port: TaskPort, tile: str) -> None:
        name, bits, size = port.label, port.token.element.bits, port.token.size
        self.body.count(f"{name}_number", f"{name}_put", len(port.offsets))
        element = f"{tile}[{name}_AT[{name}_number] + {name}_ELEMENT[e]]"
        store = f"for (int e = 0; e < {size}; e++) {name}_data[e * {bits} +: {bits}] = {element};"
        self.body.chosen(size * bits, len(port.offsets))
        self.body.always(self.body.unfolded(store, {f"{name}_number": len(port.offsets)}, first=True))

    def _waiting_results(self, port: TaskPort, spread: SpreadTokens, prefix: str, *, at_once: bool) -> None:
        """Tokens that are complete wait until those before have left."""
        name, bits, size, places = port.label, port.token.element.bits, port.token.size, spread.registers
        count, waiting = len(port.offsets), port.registers
        token = f"[{size - 1}:0][{bits - 1}:0]"
        self.body.store(waiting, places, size * bits, token)
        self.body.store(f"{name}_token", count, size * bits, token)
        self.body.count(f"{name}_number", f"{name}_put", places)
        element = f"{name}_now[{name}_AT[n] + {name}_ELEMENT[e]]"
        self.body.always(
            [
                f"for (int n = 0; n < {count}; n++)",
                f"  for (int e = 0; e < {size}; e++) {name}_token[n][e] = {element};",
            ]
        )
        self.body.chosen(size * bits, places)
        first, completed = f"{name}_first", self._completed(port)
        moves = any(len(tokens) % places for tokens in completed.values())
        self.body.line(f"int {first} = 0;" if moves else f"localparam int {first} = 0;")
        bounds = {first: places if moves else 1, f"{name}_number": places}
        pushes, now = [], self.body.unfolded(f"{name}_data = {waiting}[{name}_number];", bounds, first=True)
        kept = len(now)
        for step, tokens in completed.items():
            condition = f"({at_stage(affine(self.walk.number) or '0', prefix)} == {step})"
            places_of = {token: f"({first} + {place}) % {places}" for place, token in enumerate(tokens)}
            stores = [f"{waiting}[{place}] <= {name}_token[{token}];" for token, place in places_of.items()]
            stores += [f"{first} <= ({first} + {len(tokens)}) % {places};"] if moves else []
            pushes += [f"if {condition} begin", *(f"  {each}" for each in self._unfolded(stores, bounds)), "end"]
            now += [
                f"if ({name}_complete & {condition} & {place} == {name}_number) {name}_data = {name}_token[{token}];"
                for token, place in places_of.items()
            ]
        whole = [
            f"({prefix}t{loop} == {self.body.last(loop)})" for loop in self.walk.reduced if self.body.is_loop(loop)
        ]
        self.body.line(f"logic {name}_complete;")
        complete = [f"{prefix}valid", *([] if port.scanned else whole)]
        self.body.line(f"assign {name}_complete = {' & '.join(complete)};")
        self.body.clocked(f"advance & {name}_complete", pushes)
        self.body.always(now if at_once else now[:kept])

    @staticmethod
    def _completed(port: TaskPort) -> dict[int, list[int]]:
        """The tokens that each step completes."""
        found: dict[int, list[int]] = {}
        for token, step in enumerate(port.motion.steps):
            found.setdefault(step, []).append(token)
        return found
