"""A task as a module: tokens into registers, operands of a step to the data path, its values into tokens."""

from collections.abc import Mapping, Sequence
from math import prod

from xdsl.ir import SSAValue

from sttest.boards.operators import Operator
from sttest.compile.dialects import df
from sttest.compile.rtl.cells import Cells
from sttest.compile.rtl.data_path import DataPath
from sttest.compile.rtl.expressions import Expression, Signal, all_of, any_of, chosen
from sttest.compile.rtl.module import ModuleText, Side, TaskTurn, gated
from sttest.compile.rtl.movers import ENDED
from sttest.compile.rtl.task_body import At, TaskBody
from sttest.compile.rtl.task_port import TaskPort, linear
from sttest.compile.rtl.tree import (
    Constants,
    Driven,
    ForEach,
    IfElse,
    Node,
    Register,
    Set,
    Statement,
    Unrolled,
    Wire,
    in_loops,
)
from sttest.compile.schedule.storage import task_storage, tile_extents
from sttest.compile.schedule.task_schedule import PortMotion
from sttest.compile.schedule.tile_ports import row_major_strides
from sttest.compile.schedule.tile_walk import PortTokens, SpreadTokens, task_tokens
from sttest.sim.graph import Pipeline


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
        bits, tile = df.itensor_of(value).element_bits, tile_extents(self.task, tokens)
        return TaskPort(label, tokens, motion, self.walk, tuple(f"t{loop}" for loop in held), bits, tile)

    def module(self) -> ModuleText:
        """The module."""
        operands = [self._source(port) for port in self.sources]
        storage = task_storage(self.task, self.schedule, self.body.tasks)
        self._give(DataPath(self.body, self.results, storage).values(operands))
        sides = tuple(dict.fromkeys(side for turn in self.members for side in (*turn.sources, *turn.results)))
        ends = self._ends()
        control = gated(self.body.control, sides)
        # Counters are known only when all that asks for them is written.
        nodes = (*control, *ends, *self.body.nodes, *ENDED)
        parts = tuple(self.body.parts.values())
        return ModuleText("task", sides, nodes, (self.body.pipeline.name,), parts, dict(self.body.arithmetic))

    # --- The FIFOs of a port: those of all turns

    def _ends(self) -> list[Node]:
        """The handshakes of ports whose FIFO changes from turn to turn."""
        nodes: list[Node] = []
        for number, port in enumerate(self.sources):
            nodes += self._joined(port, [turn.sources[number] for turn in self.members], "take")
        given: dict[Side, list[tuple[str, int]]] = {}
        for number, port in enumerate(self.results):
            sides = [turn.results[number] for turn in self.members]
            nodes += self._joined(port, sides, "put")
            for turn, side in enumerate(sides):
                given.setdefault(side, []).append((port.label, turn))
        for side, uses in given.items():
            if side.name != uses[0][0]:
                by_port = {label: [turn for each, turn in uses if each == label] for label, _ in uses}
                options = [
                    (self.body.control.is_turn(turns), Signal(f"{label}_data")) for label, turns in by_port.items()
                ]
                nodes.append(Driven(side.data, chosen(options[:-1], options[-1][1])))
        return nodes

    def _joined(self, port: TaskPort, sides: Sequence[Side], does: str) -> list[Node]:
        """The wires of a port in terms of its sides."""
        if sides[0].name == port.label:
            return []
        moves, data = Signal(f"{port.label}_{does}"), Signal(f"{port.label}_data")
        turns = {side: [turn for turn, each in enumerate(sides) if each == side] for side in sides}
        when = {side: self.body.control.is_turn(of) for side, of in turns.items()}
        moved = any_of([when[side] & side.does for side in turns])
        nodes: list[Node] = [Wire(moves.name), Driven(moves, moved), Wire(data.name, (sides[0].bits,))]
        if does == "take":
            *others, last = turns
            nodes.append(Driven(data, chosen([(when[side], side.data) for side in others], last.data)))
        return nodes

    # --- Sources

    def _source(self, port: TaskPort) -> Signal:
        """Registers of a source's tokens; the array of its operands per lane."""
        body, name, bits, size = self.body, port.label, port.bits, port.size
        spread, take, data = port.motion.spread, Signal(f"{name}_take"), Signal(f"{name}_data")
        if port.motion.turns is not None:
            body.clocked(take, Set(body.kept(name, size, bits, as_one=True), data))
        elif spread is not None:
            self._waiting_tokens(port, spread, take, data)
            if not spread.in_place:
                self._tile_from_waiting(port, spread)
        else:
            tile = body.kept(name, prod(port.tile), bits)
            number = body.count(f"{name}_number", take, len(port.offsets))
            starts, elements, e = *self._tables(port), Signal("e")
            store = Set(tile[starts[number] + elements[e]], data.part(e * bits, bits))
            unfolded = body.unfolded(store, {number.name: len(port.offsets)})
            body.clocked(take, Unrolled((("e", size),), unfolded))
        return self._operands(port)

    def _waiting_tokens(self, port: TaskPort, spread: SpreadTokens, take: Signal, data: Signal) -> None:
        tokens = self.body.kept(port.registers.name, spread.registers, port.size, port.bits)
        number = self.body.count(f"{port.label}_number", take, spread.registers)
        self.body.clocked(take, self.body.unfolded(Set(tokens[number], data), {number.name: spread.registers}))

    def _tile_from_waiting(self, port: TaskPort, spread: SpreadTokens) -> None:
        """The tile, with the tokens that the present step takes from where they wait."""
        name, bits, size, tile = port.label, port.bits, port.size, prod(port.tile)
        at, e = self.body.counters(self.body.fetch), Signal("e")
        starts, elements = self._tables(port)
        kept = self.body.kept(f"{name}_kept", tile, bits, as_one=True)
        now = self.body.array(name, tile, bits)
        self.body.chosen(tile * bits, 2)
        statements: list[Statement] = [Set(now, kept)]
        step = at.of(linear(self.walk.number))
        for number, taken in enumerate(port.motion.steps):
            store = Set(now[starts[number] + elements[e]], port.registers[number % spread.registers][e])
            statements.append(IfElse(step.equals(taken), (ForEach("e", size, (store,)),)))
        self.body.always(statements, self.body.fetch)
        self.body.clocked(self.body.control.advance & at.valid, Set(kept, now))

    def _tables(self, port: TaskPort) -> tuple[Signal, Signal]:
        """Places in the tile: of each token, and from there of its elements."""
        strides = row_major_strides(port.tile)
        starts = [sum(a * b for a, b in zip(offset, strides, strict=True)) for offset in port.offsets]
        elements = [0]
        for size, stride in zip(port.tokens.shape, strides, strict=True):
            elements = [at + step * stride for at in elements for step in range(size)]
        return self.body.table(f"{port.label}_AT", starts), self.body.table(f"{port.label}_ELEMENT", elements)

    def _operands(self, port: TaskPort) -> Signal:
        """Per lane the element that a step works on."""
        at, bits, lanes = self.body.counters(self.body.fetch), port.bits, self.body.lane_loops()
        found = self.body.array(f"{port.label}_lane", self.body.lane_count, bits)
        element = at.of(port.element(self.body.point(port), Signal(port.label)))
        (store,) = in_loops(lanes, [Set(found[self.body.lane], element)])
        moved = [loop for loop in range(len(self.walk.lanes)) if any(row[loop] for row in port.rows)]
        self.body.chosen(bits * prod(self.walk.lanes[loop] for loop in moved), self.body.options(store))
        self.body.always([self.body.unfolded(store, first=True)], self.body.fetch)
        return found

    # --- Results

    def _give(self, values: Sequence[Expression]) -> None:
        """The results of a step into the registers of their tokens, which leave when the control says so.

        Args:
            values: per result the array of what each lane's result becomes in the last stage.
        """
        at_once = self.schedule.stages == 0
        at = self.body.counters(self.body.ready - (not at_once))
        for port, value in zip(self.results, values, strict=True):
            if port.motion.turns is not None:
                self._one_token(port, value, at, at_once=at_once)
                continue
            self._tile_now(port, value, at, at_once=at_once)
            if port.motion.spread is None:
                self._tokens_of_tile(port, Signal(f"{port.label}_now" if at_once else port.label))
            else:
                self._waiting_results(port, port.motion.spread, at, at_once=at_once)

    def _one_token(self, port: TaskPort, value: Expression, at: At, *, at_once: bool) -> None:
        """A token that steps fill one after the other."""
        token = self.body.kept(port.label, port.size, port.bits, as_one=True)
        now = self.body.array(f"{port.label}_now", port.size, port.bits)
        element = at.of(port.element(self.body.point(port), now))
        (store,) = in_loops(self._result_loops(port), [self._stored(port, element, value)])
        self.body.chosen(port.size * port.bits, min(self.body.options(store), 2))
        when = None if at_once else self.body.ready - 1
        self.body.always([Set(now, token), self.body.unfolded(store)], when)
        self.body.clocked(self.body.control.advance & at.valid, Set(token, now))
        self.body.give(Signal(f"{port.label}_data"), now if at_once else token)

    def _tile_now(self, port: TaskPort, value: Expression, at: At, *, at_once: bool) -> None:
        """The tile, and what it is with the results of the present step."""
        size = prod(port.tile)
        place = [at.of(linear(dim)) for dim in self.body.point(port)]
        tile = self.body.kept(port.label, size, port.bits)
        loops = range(len(self.walk.lanes)) if port.scanned else self.walk.parallel
        store = self._stored(port, port.at(place, tile), value)
        self.body.clocked(self.body.control.advance & at.valid, self.body.unrolled(loops, store))
        self._tables(port)
        if not at_once and port.motion.spread is None:
            return
        self.body.chosen(size * port.bits, 2)
        now, n = self.body.store(f"{port.label}_now", size, port.bits), Signal("n")
        stores = in_loops(self._result_loops(port), [self._stored(port, port.at(place, now), value)])
        statements = [ForEach("n", size, (Set(now[n], tile[n]),)), self.body.unfolded(IfElse(at.valid, stores))]
        self.body.always(statements, None if at_once else self.body.ready - 1)

    def _result_loops(self, port: TaskPort) -> list[tuple[str, int]]:
        return self.body.lane_loops(None if port.scanned else self.walk.parallel)

    def _stored(self, port: TaskPort, element: Expression, value: Expression) -> Set:
        return Set(element, value[self.body.lane if port.scanned else self.body.result_lane])

    def _tokens_of_tile(self, port: TaskPort, tile: Signal) -> None:
        name, bits, size, count = port.label, port.bits, port.size, len(port.offsets)
        number, e = self.body.count(f"{name}_number", Signal(f"{name}_put"), count), Signal("e")
        element = tile[Signal(f"{name}_AT")[number] + Signal(f"{name}_ELEMENT")[e]]
        store = ForEach("e", size, (Set(Signal(f"{name}_data").part(e * bits, bits), element),))
        self.body.chosen(size * bits, count)
        self.body.always([self.body.unfolded(store, {number.name: count}, first=True)])

    def _waiting_results(self, port: TaskPort, spread: SpreadTokens, at: At, *, at_once: bool) -> None:
        """Tokens that are complete wait until those before have left."""
        body, name, bits, size, places = self.body, port.label, port.bits, port.size, spread.registers
        n, e, data = Signal("n"), Signal("e"), Signal(f"{name}_data")
        waiting = body.kept(port.registers.name, places, size, bits)
        tokens = body.store(f"{name}_token", len(port.offsets), size, bits)
        number = body.count(f"{name}_number", Signal(f"{name}_put"), places)
        element = Signal(f"{name}_now")[Signal(f"{name}_AT")[n] + Signal(f"{name}_ELEMENT")[e]]
        body.always(in_loops([("n", len(port.offsets)), ("e", size)], [Set(tokens[n][e], element)]))
        body.chosen(size * bits, places)
        first, completed = Signal(f"{name}_first"), self._completed(port)
        moves = any(len(done) % places for done in completed.values())
        body.nodes.append(Register(first.name, kind="int", initial=0) if moves else Constants(first.name, 0))
        bounds = {first.name: places if moves else 1, number.name: places}
        pushes: list[Statement] = []
        now: list[Statement] = [body.unfolded(Set(data, waiting[number]), bounds, first=True)]
        for step, done in completed.items():
            condition = at.of(linear(self.walk.number)).equals(step)
            places_of = {token: (first + place) % places for place, token in enumerate(done)}
            stores = [body.unfolded(Set(waiting[place], tokens[token]), bounds) for token, place in places_of.items()]
            stores += [Set(first, (first + len(done)) % places)] if moves else []
            pushes.append(IfElse(condition, tuple(stores)))
            for token, place in places_of.items():
                here = Signal(f"{name}_complete") & condition & place.equals(number)
                now.append(IfElse(here, (Set(data, tokens[token]),)))
        whole = [at[f"t{loop}"].equals(body.last(loop)) for loop in self.walk.reduced if body.is_loop(loop)]
        complete = body.assigned(f"{name}_complete", all_of([at.valid, *([] if port.scanned else whole)]))
        body.clocked(body.control.advance & complete, *pushes)
        body.always(now if at_once else now[:1])

    @staticmethod
    def _completed(port: TaskPort) -> dict[int, list[int]]:
        """The tokens that each step completes."""
        found: dict[int, list[int]] = {}
        for token, step in enumerate(port.motion.steps):
            found.setdefault(step, []).append(token)
        return found
