"""A decode step on memory that computes, as actors: every bank, every channel's bus, and the controller.

A firing of a bank is a row of DRAM: open it, multiply what it holds, close it.  The bus of a channel sends the input
of a pass to its banks and reads a sum of each of them, so it does one at a time; sums wait in the banks.  The
controller adds the sums of passes as they come and computes what lies between two products.  A cycle is one of the
board's clock.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sttest.boards.systems import PimBoard
from sttest.sim.bursts import ceil_div
from sttest.sim.graph import Actor, ActorPhase, Fifo, TimedGraph
from sttest_systems.pim_gpt.products import Pass, row_plan, send_cycles


@dataclass(frozen=True)
class Product:
    """A product of a matrix in the banks with a vector."""

    name: str
    passes: tuple[Pass, ...]


@dataclass(frozen=True)
class Store:
    """Vectors that are written into rows of a bank of each channel."""

    name: str
    elements: int  # sent to a channel
    openings: int  # rows of the same bank that they go to
    accesses: int  # accesses of all these rows


@dataclass(frozen=True)
class Between:
    """What the controller computes before the next product or store; it needs all results of what came before."""

    name: str
    cycles: int


Step = Product | Store | Between


def step_graph(board: PimBoard, steps: Sequence[Step], name: str = "pim-step") -> TimedGraph:
    """The actors of steps that follow each other.

    Args:
        board: memory that computes.
        steps: products, stores and what lies between them; the controller starts each of the first two.
        name: name of the graph.

    Raises:
        InputError: not a graph that an engine could run.
    """
    channels, banks = range(board.channels.count), range(board.banks_per_channel.count)
    bank, bus = _bank_phases(board, steps), _bus_phases(board, steps)
    deepest = max((writes for phase in bank for key, writes in phase.writes.items() if key == "sum"), default=1)
    fifos = [_turn("controller")]
    actors = [_actor("controller", _controller_phases(board, steps))]
    for c in channels:
        fifos += [_turn(f"bus{c}"), Fifo(f"go{c}", 1, 1, "srl"), Fifo(f"done{c}", 1, 1, "srl")]
        ends = {
            "go": [f"go{c}"],
            "done": [f"done{c}"],
            "input": [f"input{c}.{b}" for b in banks],
            "sum": [f"sum{c}.{b}" for b in banks],
        }
        actors.append(_actor(f"bus{c}", [_onto(phase, ends) for phase in bus]))
        for b in banks:
            # A bank's unit has room for the sums of the row that it works through and of the one before.
            fifos += [
                _turn(f"bank{c}.{b}"),
                Fifo(f"input{c}.{b}", 1, 1, "srl"),
                Fifo(f"sum{c}.{b}", 2 * deepest, 1, "srl"),
            ]
            own = {"input": [f"input{c}.{b}"], "sum": [f"sum{c}.{b}"]}
            actors.append(_actor(f"bank{c}.{b}", [_onto(phase, own) for phase in bank]))
    return TimedGraph(name, board.clock_mhz.value, tuple(fifos), tuple(actors))


def _turn(actor: str) -> Fifo:
    """What keeps firings of an actor apart: a token that it takes and gives back."""
    return Fifo(f"turn.{actor}", 2, 1, "srl", initial_tokens=1)


def _actor(name: str, phases: Sequence[ActorPhase]) -> Actor:
    turn = {f"turn.{name}": 1}
    with_turn = (ActorPhase(each.time, {**each.reads, **turn}, {**each.writes, **turn}) for each in phases)
    return Actor(name, tuple(with_turn), firings=len(phases), category="pim")


def _onto(phase: ActorPhase, ends: dict[str, list[str]]) -> ActorPhase:
    """A phase whose streams are those of one bank or bus."""
    reads = {fifo: count for key, count in phase.reads.items() for fifo in ends[key]}
    return ActorPhase(phase.time, reads, {fifo: count for key, count in phase.writes.items() for fifo in ends[key]})


def _bank_phases(board: PimBoard, steps: Sequence[Step]) -> list[ActorPhase]:
    bank, found = board.bank, list[ActorPhase]()
    access = board.cycles(bank.column_to_column_ns)
    opening = board.cycles(bank.row_to_column_ns) + board.cycles(bank.precharge_ns)
    writing = sum(map(board.cycles, (bank.row_to_write_ns, bank.write_recovery_ns, bank.precharge_ns)))
    for step in steps:
        if isinstance(step, Store):
            found.append(ActorPhase(step.openings * writing + step.accesses * access, {"input": 1}, {"sum": 1}))
        for work in step.passes if isinstance(step, Product) else ():
            for place, row in enumerate(row_plan(board, work)):
                writes = {"sum": row.columns} if row.columns else {}
                found.append(ActorPhase(opening + row.accesses * access, {} if place else {"input": 1}, writes))
    return found


def _bus_phases(board: PimBoard, steps: Sequence[Step]) -> list[ActorPhase]:
    access, found = board.cycles(board.bank.column_to_column_ns), list[ActorPhase]()
    for step in steps:
        if isinstance(step, Between):
            continue
        if isinstance(step, Store):
            found.append(ActorPhase(send_cycles(board, step.elements), {"go": 1}, {"input": 1}))
            found.append(ActorPhase(0, {"sum": 1}, {"done": 1}))
            continue
        for number, work in enumerate(step.passes):
            found.append(ActorPhase(send_cycles(board, work.inputs), {} if number else {"go": 1}, {"input": 1}))
            found += [ActorPhase(access, {"sum": 1}, {}) for _ in range(work.columns)]
        found[-1] = ActorPhase(access, {"sum": 1}, {"done": 1})
    return found


def _controller_phases(board: PimBoard, steps: Sequence[Step]) -> list[ActorPhase]:
    """Starts each product or store when all that came before has ended."""
    each_go = {f"go{c}": 1 for c in range(board.channels.count)}
    each_done = {f"done{c}": 1 for c in range(board.channels.count)}
    found, cycles, waits = list[ActorPhase](), 0, dict[str, int]()
    for step in steps:
        if isinstance(step, Between):
            cycles += step.cycles
            continue
        found.append(ActorPhase(cycles, waits, each_go))
        cycles, waits = 0, each_done
    found.append(ActorPhase(cycles, waits, {}))
    return found


def store_steps(board: PimBoard, heads: int, head_dim: int) -> tuple[Store, Store]:
    """Writes of a token's key, to one row, and of its value, each element to the row that it has among the tokens."""
    own = ceil_div(heads, board.channels.count)
    elements, lanes = own * head_dim, board.bank.multipliers.count
    spread = own * ceil_div(head_dim, board.banks_per_channel.count)
    return (Store("key", elements, 1, own * ceil_div(head_dim, lanes)), Store("value", elements, spread, spread))
