"""A `df.task` as a C++ function: tile loops, steps, lanes and the payload (docs/reference/values.md, section Tasks)."""

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from math import prod

from xdsl.ir import Attribute, BlockArgument, SSAValue

from sttest.compile.dialects import df
from sttest.compile.hls.formula import formula
from sttest.compile.hls.helpers import Helpers
from sttest.compile.hls.memory_layout import element_loops, token_element
from sttest.compile.hls.payload import PayloadCode, constant
from sttest.compile.hls.process import EngineProcess, Process
from sttest.compile.hls.running_values import LANES, RunningValues, running_name
from sttest.compile.hls.tile_schedule import TaskPort, TileVisit, TurnTrips, task_ports, visits
from sttest.compile.hls.top import PortTiming
from sttest.compile.hls.tree import CppArgument, around, is_word
from sttest.compile.hls.types import element_of
from sttest.compile.hls.value_names import ValueNames, element_name
from sttest.compile.hls.writer import CodeWriter, CountedLoop, affine, counted
from sttest.compile.ir.names import unique
from sttest.compile.schedule.packed_products import PackedProducts, packed_products
from sttest.compile.schedule.reductions import Reduction
from sttest.compile.schedule.storage import StoredArray, largest, memory_name, task_storage
from sttest.compile.schedule.tile_walk import SpreadTokens, Step
from sttest.core.errors import InputError


def emit_task(code: CodeWriter, task: df.TaskOp, process: Process, timing: PortTiming, helpers: Helpers) -> None:
    """Writes the function of a task.

    Args:
        code: tree that is appended to.
        task: task at the stream level.
        process: its name and streams.
        timing: the interval that the pipeline is asked for, and where it drains.
        helpers: functions that the payload calls.

    Raises:
        InputError: types, operations or stream orders that have no C++.
    """
    _TaskEmitter(code, task, process, timing, helpers, TurnTrips([task], timing)).emit()


class _TaskEmitter:
    def __init__(
        self,
        code: CodeWriter,
        task: df.TaskOp,
        process: Process,
        timing: PortTiming,
        helpers: Helpers,
        trips: TurnTrips,
    ) -> None:
        self.code, self.task, self.process, self.timing, self.helpers = code, task, process, timing, helpers
        self.trips = trips
        schedules = [timing.schedules[member.sym_name.data] for member in trips.members]
        self.schedule = timing.schedules[task.sym_name.data]
        self.walk, self.name = self.schedule.walk, task.sym_name.data
        self.interval = max(each.interval for each in schedules)
        assert process.values is not None
        self.values = process.values
        self.sources, self.results = task_ports(task, self.schedule, self.values.symbols)
        self.storage = task_storage(task, self.schedule, trips.members)
        self.running = RunningValues.of(task, self.walk, self.results, trips, self.storage)

    def emit(self) -> None:
        code = self.code
        code.sentence(_described(self.task, self.values, self.walk.count, self.interval))
        with self._function():
            for port in (*self.sources, *self.results):
                self._declare(port)
            self.running.declare(code, self._kind)
            left, inner = self._nest()
            # Where a pipeline drains, the loops around it must not become one with it.
            drain = "loop_flatten off" if inner else "pipeline off"
            with code.loops(left, drain):
                self._before_tiles()
                for loop in self.trips.counters:
                    code.variable("int", f"t{loop}", "0")
                with code.loops(inner, f"pipeline II={self.interval}"):
                    self._body()
                    if self.trips.counters:
                        self.trips.count_on(code, inner[1:])
                self._behind_tiles()

    def _function(self) -> AbstractContextManager[None]:
        """The process, or what a process calls for a turn."""
        name, parameters = self.process.name, self.process.parameters
        if len(self.trips.members) == 1:
            return self.process.every_layer(self.code, f"like_{name}")
        return self.code.function(name, parameters, names=self.values.all)

    def _nest(self) -> tuple[list[CountedLoop], list[CountedLoop]]:
        """The loops that the pipeline is left for, and those that it flattens: tiles, then steps."""
        left, inner = self.trips.loops
        steps = [
            CountedLoop(f"steps_{loop}", f"s{loop}", self.walk.steps[loop])
            for loop in self.walk.order
            if self.walk.steps[loop] > 1
        ]
        return left, [*inner, *steps]

    def _body(self) -> None:
        for port, stream in zip(self.sources, self.process.inputs, strict=True):
            if (turns := port.motion.turns) is not None:
                if self._comes_every_step(port):
                    port.token.take(self.code, port.tile.name, stream)
                else:
                    with self.code.scope(turns.first):
                        port.token.read(self.code, port.tile.name, stream)
                continue
            if port.motion.spread is not None:
                self._receive(port, stream, port.motion.spread)
                if port.motion.spread.in_place:
                    continue
            for visit in visits(port, port.steps(self.walk)):
                self._read(port, stream, visit)
        self._compute()
        for number, (port, stream) in enumerate(zip(self.results, self.process.outputs, strict=True)):
            if port.motion.turns is not None:
                steps = [] if port.scanned else self.running.last_steps
                when = [*self._is_complete(port), *steps, *port.motion.turns.last]
                value = running_name(number) if self.running.is_result(port) else port.tile.name
                with self.code.scope(when):
                    port.token.write(self.code, stream, value)
                continue
            for visit in visits(port, port.steps(self.walk)):
                self._write(port, stream, visit)
            if port.motion.spread is not None:
                with self.code.unrolled(_tokens_of_step(port, port.motion.spread)):
                    self._send(port, stream, port.motion.spread)

    # Tokens that take their turn: a source's wait in registers until a step needs them, a result's until the port has
    # moved those before.

    def _before_tiles(self) -> None:
        """Registers, and the tokens that the first tile's steps come too late for."""
        for port in (*self.sources, *self.results):
            if (spread := port.motion.spread) is not None:
                words = [port.token.words] if port.token.words > 1 else []
                self.code.registers(port.token.c_type, port.registers, spread.registers, *words)
                if port in self.results:
                    self.code.line(f"int waiting_{port.tile.name} = 0, next_{port.tile.name} = 0;")
        if not self.schedule.ahead:
            return
        cycles = self.schedule.ahead * self.interval
        with self.code.loops([CountedLoop("first_tokens", "n", cycles)], "pipeline II=1"):
            for port, stream in zip(self.sources, self.process.inputs, strict=True):
                if (spread := port.motion.spread) is not None and spread.ahead:
                    start = cycles - spread.ahead * self.interval
                    when = [f"n >= {start}"] if start else []
                    token = affine([("n", 1)], -start)
                    if spread.every > 1:
                        token, comes = _every(token, spread.every * self.interval)
                        when.append(comes)
                    elif start + spread.first_tokens < cycles:
                        when.append(f"n < {start + spread.first_tokens}")
                    with self.code.scope(when):
                        port.token.read(self.code, f"{port.registers}[{token}]", stream)

    def _behind_tiles(self) -> None:
        """The last tile's tokens that are left."""
        for port, stream in zip(self.results, self.process.outputs, strict=True):
            if (spread := port.motion.spread) is not None and spread.rest:
                with self.code.loops([CountedLoop(f"rest_{port.tile.name}", "n", spread.rest)], "pipeline II=1"):
                    self._send(port, stream, spread)

    def _receive(self, port: TaskPort, stream: str, spread: SpreadTokens) -> None:
        """The tokens that come in this step, of this tile or, at its end, of the next."""
        step, next_tile = affine(self.walk.number), self.walk.count - spread.ahead
        own_steps = spread.steps - spread.ahead
        own = [f"{step} < {own_steps}"] if own_steps < self.walk.count else []
        own += [f"{self._token(spread, spread.ahead)} < {spread.tokens}"] if spread.tokens % spread.per_step else []
        is_last = [f"{loop.variable} == {loop.last}" for loop in self.trips.loops[1]]
        following = [f"{step} >= {next_tile}", f"!({' && '.join(is_last)})" if is_last else "false"]
        with self.code.unrolled(_tokens_of_step(port, spread)):
            branches = (self.code.scope, own, spread.ahead), (self.code.otherwise, following, -next_tile)
            for branch, conditions, shift in branches if spread.ahead else branches[:1]:
                if spread.every > 1:
                    conditions.append(_every(affine(self.walk.number, shift), spread.every)[1])
                with branch(conditions):
                    port.token.read(self.code, port.register_of(self._token(spread, shift)), stream)

    def _send(self, port: TaskPort, stream: str, spread: SpreadTokens) -> None:
        """The first token that waits."""
        waiting, first = f"waiting_{port.tile.name}", f"next_{port.tile.name}"
        with self.code.scope([f"{waiting} > 0"]):
            port.token.write(self.code, stream, f"{port.registers}[{first}]")
            self.code.assign(first, f"{first} == {spread.registers - 1} ? 0 : {first} + 1")
            self.code.line(f"--{waiting};")

    def _token(self, spread: SpreadTokens, shift: int = 0) -> str:
        """The number of the token that comes so many steps after that of the present step's number."""
        each, inner = spread.per_step, [("n", 1)] if spread.per_step > 1 else []
        if spread.every > 1:
            return _every(affine(self.walk.number, shift), spread.every)[0]
        return affine([*((name, factor * each) for name, factor in self.walk.number), *inner], shift * each)

    def _declare(self, port: TaskPort) -> None:
        if port.motion.turns is not None:
            if not self._comes_every_step(port) and not (port in self.results and self.running.is_result(port)):
                port.token.declare(self.code, port.tile.name)
            return
        if (stored := self.storage.tiles.get(port.label)) is not None:
            port.tile.declare(self.code, stored.at_once, self._kind(stored))

    def _kind(self, array: StoredArray) -> str:
        """The kind of memory that an array is bound to, none for registers."""
        return self.timing.memory_kinds.get(memory_name(self.task, array.name), "") if array.depth > 1 else ""

    def _comes_every_step(self, port: TaskPort) -> bool:
        """Whether a source's token is read in every step."""
        return port in self.sources and port.motion.turns is not None and not port.motion.turns.first

    def _read(self, port: TaskPort, stream: str, visit: TileVisit) -> None:
        when = self._is_step(visit.step)
        waits = "" if port.motion.spread is None else port.register_of(visit.number)
        if port.token.size == 1 and not visit.loops:
            with self.code.scope(when):
                self.code.assign(port.at(visit.places), waits or f"{stream}.read()")
            return
        with self.code.scope(when), self.code.unrolled(visit.loops):
            if not waits:
                port.token.take(self.code, "token", stream)
            with self.code.unrolled(element_loops(port.token, f"read_{port.tile.name}")):
                self.code.assign(port.at(visit.places), token_element(port.token, waits or "token"))

    def _write(self, port: TaskPort, stream: str, visit: TileVisit) -> None:
        when = [*self._is_complete(port), *self._is_step(visit.step)]
        waits = "" if port.motion.spread is None else port.register_of(visit.number)
        if port.token.size == 1 and not visit.loops and not waits:
            with self.code.scope(when):
                port.token.write(self.code, stream, port.at(visit.places))
            return
        with self.code.scope(when), self.code.unrolled(visit.loops):
            if not waits:
                port.token.declare(self.code, "token")
            with self.code.unrolled(element_loops(port.token, f"write_{port.tile.name}")):
                self.code.assign(token_element(port.token, waits or "token"), port.at(visit.places))
            if waits:
                self.code.line(f"++waiting_{port.tile.name};")
            else:
                port.token.write(self.code, stream, "token")

    def _is_complete(self, port: TaskPort) -> list[str]:
        """That this tile of a result is whole: the last iteration of the reductions, unless every iteration counts."""
        if port.scanned:
            return []
        return [f"t{loop} == {self.trips.last(loop)}" for loop in self.walk.reduced if self.trips.is_loop(loop)]

    def _compute(self) -> None:
        """The payload at every lane; of a reduction, terms are joined and the running value is put by."""
        for port in self.results:
            if port.motion.turns is None and port.label not in self.storage.tiles:
                port.tile.declare(self.code, port.tile.shape)
        block, reduction = self.task.payload.block, self.running.reduction
        # One running value is worked on itself; of several, the payload takes those from before the point.
        names = [f"running{n or ''}" for n in range(len(self.results))]
        if reduction is not None and len(self.results) == 1:
            names = [running_name(0)]
        arguments = [*map(self._element_name, self.sources), *names]
        packed = packed_products(self.task, prod(self.walk.lanes))
        known = {} if packed is None else self._multiply_pairs(packed)
        payload = PayloadCode(
            block,
            arguments,
            self.helpers,
            self.name,
            reduction,
            self.values.taken,
            known,
            in_luts=self.task.multiplies_in_fabric,
        )
        with self.code.unrolled(self._lane_loops("results", self.walk.parallel)):
            self.running.begin(self.code, self._point)
            with self.code.unrolled(self._shared_lanes(reduction)):
                self._take(payload, block.args, arguments)
                for number, (port, value) in enumerate(zip(self.results, payload.results, strict=True)):
                    if port.scanned or reduction is None:
                        self.code.assign(port.element(self._point(port)), value)
                    else:
                        self.running.give(self.code, number, value, self._lane)
            self.running.end(self.code, self._point, payload)

    def _multiply_pairs(self, packed: PackedProducts) -> dict[SSAValue, str]:
        """The products of all lanes, two by two, before the payload; where the payload finds each."""
        lanes, pair = self.walk.lanes, f"l{packed.loop}"
        loops = self._lane_loops("products", range(len(lanes)))
        halves = [replace(each, trip=each.trip // 2) if each.variable == pair else each for each in loops]
        ports = self.sources[packed.shared], self.sources[packed.other]
        shared, low = (port.element(self._point(port)) for port in ports)
        first, second = f"2 * {pair}", f"2 * {pair} + 1"
        array = unique("products", {*self.values.taken})
        product = "".join([array, *(f"[{each.variable}]" for each in loops)])
        self.code.variable(f"ap_int<{packed.bits}>", array, extents="".join(f"[{each.trip}]" for each in loops))
        self.code.pragma(f"array_partition variable={array} type=complete dim=0")
        with self.code.unrolled(halves):
            of_pair = [_with(text, pair, lane) for text in (low, product) for lane in (first, second)]
            self.code.call(self.helpers.call("two_products"), shared, *of_pair)
        return {packed.product.result: f"{self._element_type(packed)}({product})"}

    def _element_type(self, packed: PackedProducts) -> str:
        return element_of(packed.product.result.type, self.name).c_type

    def _take(self, payload: PayloadCode, values: Sequence[BlockArgument], arguments: Sequence[str]) -> None:
        """The payload's arguments at a point, and its statements."""
        joined = self.running.reduction is not None and self.running.reduction.order != "chain"
        for number, (port, value, name) in enumerate(
            zip((*self.sources, *self.results), values, arguments, strict=True), start=-len(self.sources)
        ):
            if not value.uses.get_length() or (number >= 0 and joined):
                continue
            self._check_argument(port, value.type)
            if value in payload.needless:
                continue
            if name == (running_name(number) if number >= 0 else port.tile.name):
                continue
            self.code.constant(port.token.element.payload_type, name, self._argument(port, number))
        self.code.add(*payload.temporaries)

    def _element_name(self, port: TaskPort) -> str:
        """The variable of a source's element; a token that is one stands for itself."""
        is_element = self._comes_every_step(port) and port.token.element.payload_type == port.token.c_type
        return port.tile.name if is_element else element_name(port.tile.name)

    def _argument(self, port: TaskPort, result: int) -> str:
        """An element of a source, or the running value of a result."""
        if result < 0 or port.scanned:
            return port.element(self._point(port))
        if self.running.reduction is not None:
            return running_name(result)
        assert self.task.init is not None
        return constant(self.task.init, port.token.element)

    @property
    def _lane(self) -> str:
        """The number of a lane among those of a result."""
        lanes, terms, stride = self.walk.lanes, [], 1
        for loop in reversed(self.walk.reduced):
            terms.insert(0, (f"l{loop}", stride if lanes[loop] > 1 else 0))
            stride *= lanes[loop]
        return affine(terms)

    def _check_argument(self, port: TaskPort, dtype: Attribute) -> None:
        where = self.task.sym_name.data
        if element_of(dtype, where) != port.token.element:
            raise InputError(
                "implicit-conversion",
                f"the payload works on {dtype} where the stream carries {port.token.element.tag}",
                where=where,
                hints=["write conversions and scales into the payload"],
            )
        if port in self.results and self.task.init is None:
            raise InputError(
                "reads-destination",
                "the payload reads its result, which only a reduction may",
                where=where,
                hints=["pass the value as a source"],
            )

    def _lane_loops(self, label: str, loops: Sequence[int]) -> list[CountedLoop]:
        lanes = self.walk.lanes
        return [CountedLoop(f"{label}_{loop}", f"l{loop}", lanes[loop]) for loop in loops if lanes[loop] > 1]

    def _shared_lanes(self, reduction: Reduction | None) -> list[CountedLoop]:
        """The lanes of one result; terms are counted by their name."""
        loops = self._lane_loops("lanes", self.walk.reduced)
        is_named = reduction is not None and reduction.order != "chain" and len(loops) == 1
        return [replace(loops[0], bound=LANES)] if is_named else loops

    def _point(self, port: TaskPort) -> list[list[tuple[str, int]]]:
        """Index of the present point in a tile, as variables with factors per data dim."""
        steps, lanes = self.walk.steps, self.walk.lanes
        index = []
        for row in port.rows:
            terms: list[tuple[str, int]] = []
            for loop, factor in enumerate(row):
                terms += [(f"s{loop}", factor * lanes[loop])] if steps[loop] > 1 else []
                terms += [(f"l{loop}", factor)] if lanes[loop] > 1 else []
            index.append(terms)
        return index

    def _is_step(self, step: Step) -> list[str]:
        return [f"s{loop} == {step[loop]}" for loop in self.walk.order if self.walk.steps[loop] > 1]


def _every(number: str, steps: int) -> tuple[str, str]:
    """Of what happens once in so many steps, its number and its condition.

    >>> _every("8 * s0 + s1 + 3", 4)
    ('(8 * s0 + s1 + 3) / 4', '(8 * s0 + s1 + 3) % 4 == 0')
    """
    inner = number if is_word(number) else f"({number})"
    return f"{inner} / {steps}", f"{inner} % {steps} == 0"


def _tokens_of_step(port: TaskPort, spread: SpreadTokens) -> list[CountedLoop]:
    """The loop over the tokens that pass in one step, if there are several."""
    return [CountedLoop(f"pass_{port.tile.name}", "n", spread.per_step)] if spread.per_step > 1 else []


def _with(text: str, variable: str, value: str) -> str:
    """An expression with a variable's value put in.

    >>> _with("in1[16 * l2 + l0][l0]", "l0", "2 * l0 + 1")
    'in1[16 * l2 + (2 * l0 + 1)][2 * l0 + 1]'
    """
    if (parts := around(text, variable)) is None:
        return text
    before, behind = parts
    is_index = before.endswith("[") and behind.startswith("]")
    return f"{before}{value if is_index else f'({value})'}{_with(behind, variable, value)}"


def _described(task: df.TaskOp, values: ValueNames, steps: int, interval: int) -> str:
    points = "x".join(map(str, task.tile_sizes)) or "1"
    return f"{formula(task, values)}.  Tiles of {points}, {counted(steps, 'step')} of {counted(interval, 'cycle')}."


# --- An engine as C++: a function for one turn, and the process that calls it for each of its tasks


def emit_engine(
    code: CodeWriter,
    members: Sequence[df.TaskOp],
    process: EngineProcess,
    timing: PortTiming,
    helpers: Helpers,
    behind: Collection[df.TaskOp] = (),
) -> None:
    """Writes both functions.

    Args:
        code: tree that is appended to.
        members: the tasks, in the order of their turns.
        process: names and streams.
        timing: timing of every task.
        helpers: functions that the payload calls.
        behind: the last of them, whose turns come once, after those of all layers.

    Raises:
        InputError: see :func:`emit_task`; also members whose tokens or arrays differ.
    """
    trips = TurnTrips(members, timing)
    told = [CppArgument("const int ", name) for name in trips.told]
    turn = replace(process.turn, parameters=(*process.turn.parameters, *told))
    _TaskEmitter(code, largest(members), turn, timing, helpers, trips).emit()
    names = ", ".join(member.sym_name.data for member in members)
    code.comment(f"One engine for {len(members)} tasks, which take turns: {names}.")
    with process.whole.defined(code):
        code.pragma(f"allocation function instances={turn.name} limit=1")
        arguments = {
            member: [*streams, *(str(values[number]) for values in trips.told.values())]
            for number, (member, streams) in enumerate(zip(members, process.streams, strict=True))
        }
        turns = ([member for member in members if (member in behind) is once] for once in (False, True))
        for member in code.in_layers(*turns):
            tiles = "x".join(map(str, member.trip_counts)) or "1"
            module = f" of {member.origin_name}" if member.origin_name else ""
            code.comment(f"{member.sym_name.data}{module}: {tiles} tiles.")
            code.call(turn.name, *arguments[member])
