"""A GPT's decode step on memory that computes: its layers, its LM head, what they read, and what that costs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sttest.boards.energy import CostCase
from sttest.boards.systems import PimBoard
from sttest.core.errors import InputError
from sttest.sim import simulate
from sttest.sim.bursts import ceil_div
from sttest_systems.pim_gpt.graph import Between, Product, Step, Store, step_graph, store_steps
from sttest_systems.pim_gpt.products import (
    ELEMENT_BYTES,
    matrix_passes,
    product_cycles,
    row_plan,
    score_passes,
    send_cycles,
    value_passes,
)

_PICO = 1e-12
_MOST_PHASES = 60_000
"""Phases of a graph; engines take a few more."""


@dataclass(frozen=True)
class Gpt:
    """The shape of a GPT."""

    name: str
    layers: int
    hidden: int
    heads: int
    vocabulary: int
    positions: int

    @property
    def head_dim(self) -> int:
        """Elements of a head."""
        return self.hidden // self.heads

    @property
    def weights(self) -> int:
        """Parameters of the layers' matrices and of the LM head."""
        return self.layers * 12 * self.hidden**2 + self.vocabulary * self.hidden


@dataclass(frozen=True)
class Operations:
    """Additions and multiplications of the controller per element; assumed counts of usual approximations."""

    additions: int
    multiplications: int


NORM = Operations(3, 3)  # mean, variance, and the scaled difference
SOFTMAX = Operations(7, 7)  # exponential by a polynomial of degree 5, its sum, and the product with one over it
GELU = Operations(7, 8)  # the same exponential within a tanh
ADD = Operations(1, 0)


def controller_cycles(board: PimBoard, elements: int, operations: Operations) -> int:
    """Cycles of the controller: its adders and multipliers work side by side, one kind after the other."""
    adds = ceil_div(elements * operations.additions, board.controller_adders.count)
    return adds + ceil_div(elements * operations.multiplications, board.controller_multipliers.count)


def layer_steps(board: PimBoard, gpt: Gpt, context: int) -> list[Step]:
    """The steps of a layer with so many tokens in its caches, the new one included.

    Raises:
        InputError: no token, or more than the model has positions for.
    """
    if not 1 <= context <= gpt.positions:
        raise InputError("bad-value", f"{context} tokens", where=gpt.name, hints=[f"give 1 to {gpt.positions}"])

    def between(name: str, elements: int, *operations: Operations) -> Between:
        return Between(name, sum(controller_cycles(board, elements, each) for each in operations))

    hidden, heads = gpt.hidden, (gpt.heads, gpt.head_dim)
    return [
        between("norm", hidden, NORM),
        Product("query, key, value", matrix_passes(board, hidden, 3 * hidden)),
        *store_steps(board, *heads),
        Product("scores", score_passes(board, *heads, context)),
        between("softmax", gpt.heads * context, SOFTMAX),
        Product("values", value_passes(board, *heads, context)),
        Product("projection", matrix_passes(board, hidden, hidden)),
        between("residual and norm", hidden, ADD, NORM),
        Product("up", matrix_passes(board, hidden, 4 * hidden)),
        between("gelu", 4 * hidden, GELU),
        Product("down", matrix_passes(board, 4 * hidden, hidden)),
        between("residual", hidden, ADD),
    ]


def head_steps(board: PimBoard, gpt: Gpt) -> list[Step]:
    """The last norm and the LM head; which token it is, is left out."""
    return [
        Between("norm", controller_cycles(board, gpt.hidden, NORM)),
        Product("head", matrix_passes(board, gpt.hidden, gpt.vocabulary)),
    ]


def step_cycles(board: PimBoard, steps: Sequence[Step], engine: str = "maxplus") -> int:
    """Simulated cycles of steps, in as many graphs as hold them.

    A product, and a pass of one, begins when all that came before has ended, so times of graphs that follow each other
    add up.
    """
    ends = (simulate(step_graph(board, part), engine).cycles for part in _parts(board, steps))
    return sum(_done(cycles) for cycles in ends)


def _done(cycles: int | None) -> int:
    assert cycles is not None, "steps that follow each other cannot deadlock"
    return cycles


def _parts(board: PimBoard, steps: Sequence[Step]) -> Iterator[list[Step]]:
    """Steps in groups whose graphs have few enough phases, products of several passes cut between them."""
    part, phases = list[Step](), 0
    for step in steps:
        for piece in _pieces(step):
            own = _phases(board, piece)
            # What the controller computes has no phases of its own and goes with what comes before it.
            if phases and own and phases + own > _MOST_PHASES:
                yield part
                part, phases = [], 0
            part.append(piece)
            phases += own
    yield part


def _pieces(step: Step) -> Iterator[Step]:
    if not isinstance(step, Product):
        yield step
        return
    for number, work in enumerate(step.passes):
        yield Product(f"{step.name} {number}", (work,))


def _phases(board: PimBoard, step: Step) -> int:
    if isinstance(step, Between):
        return 0
    passes = step.passes if isinstance(step, Product) else ()
    rows = sum(len(row_plan(board, work)) for work in passes)
    return board.banks * (rows + 1) + board.channels.count * sum(work.columns + 2 for work in passes)


def closed_form_cycles(board: PimBoard, steps: Sequence[Step]) -> int:
    """Cycles of steps without a simulation: nothing overlaps but reading of sums, within a pass."""
    bank = board.bank
    writing = sum(map(board.cycles, (bank.row_to_write_ns, bank.write_recovery_ns, bank.precharge_ns)))
    total = 0
    for step in steps:
        if isinstance(step, Between):
            total += step.cycles
        elif isinstance(step, Store):
            accesses = step.accesses * board.cycles(bank.column_to_column_ns)
            total += send_cycles(board, step.elements) + step.openings * writing + accesses
        else:
            total += product_cycles(board, step.passes)
    return total


@dataclass(frozen=True)
class Activity:
    """What steps do: bits of rows opened, bits multiplied, bits on the buses, busy cycles."""

    activated_bits: float = 0.0
    column_bits: float = 0.0
    bus_bits: float = 0.0
    mac_cycles: float = 0.0  # cycles in which the MAC units of all banks multiply

    def __add__(self, other: "Activity") -> "Activity":
        """One after the other."""
        return Activity(
            self.activated_bits + other.activated_bits,
            self.column_bits + other.column_bits,
            self.bus_bits + other.bus_bits,
            self.mac_cycles + other.mac_cycles,
        )

    def times(self, count: float) -> "Activity":
        """So many such."""
        return Activity(
            self.activated_bits * count, self.column_bits * count, self.bus_bits * count, self.mac_cycles * count
        )


def activity(board: PimBoard, steps: Sequence[Step]) -> Activity:
    """What steps do, counted in the plans of rows."""
    bank, found = board.bank, Activity()
    access_bits, row_bits = 8 * bank.multipliers.count * ELEMENT_BYTES, 8 * bank.row_bytes.count
    channels, element = board.channels.count, 8 * ELEMENT_BYTES
    for step in steps:
        if isinstance(step, Store):
            found += Activity(step.openings * channels * row_bits, 0.0, step.elements * channels * element)
        for work in step.passes if isinstance(step, Product) else ():
            rows = row_plan(board, work)
            accesses = sum(row.accesses for row in rows)
            bus = work.inputs * channels + work.columns * board.banks
            found += Activity(
                len(rows) * board.banks * row_bits,
                accesses * board.banks * access_bits,
                bus * element,
                accesses * board.cycles(bank.column_to_column_ns),
            )
    return found


def joules(board: PimBoard, done: Activity, cycles: float, case: CostCase = "central") -> float:
    """Energy of steps; MAC units draw while they multiply, the controller always; standby of the DRAM is left out."""
    costs, hertz = board.energy, board.clock_mhz.value * 1e6
    moved = (
        done.activated_bits * costs.activation.value(case)
        + done.column_bits * costs.column.value(case)
        + done.bus_bits * costs.bus.value(case)
    )
    macs = board.channels.count * costs.mac_channel_w.value * done.mac_cycles / hertz
    return moved * _PICO + macs + costs.controller_w.value * cycles / hertz
