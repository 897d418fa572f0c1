"""What a bank does for a product of a matrix with a vector: passes over the input, rows of DRAM, column accesses.

A channel holds as much of the input as its buffer has room for, so a matrix is worked through in passes.  A pass's
part of the matrix lies in the banks of all channels, column by column, and fills row after row of DRAM; a column is
padded to whole accesses.  Every bank has as many columns as the one with most.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sttest.boards.systems import PimBoard
from sttest.core.errors import InputError
from sttest.sim.bursts import ceil_div

ELEMENT_BYTES = 2  # BF16


@dataclass(frozen=True)
class Pass:
    """A part of an input and the columns that every bank multiplies it with."""

    inputs: int  # elements sent to a channel
    columns: int  # columns of a bank
    length: int  # elements of a column


@dataclass(frozen=True)
class Row:
    """A row of DRAM that a bank opens."""

    accesses: int
    columns: int  # columns that end in it, and whose sums can be read


def row_plan(board: PimBoard, work: Pass) -> list[Row]:
    """The rows of a pass, in the order in which a bank opens them."""
    per_row = board.bank.row_bytes.count // (board.bank.multipliers.count * ELEMENT_BYTES)
    per_column = ceil_div(work.length, board.bank.multipliers.count)
    left, done, rows = work.columns * per_column, 0, list[Row]()
    while left:
        taken = min(per_row, left)
        left -= taken
        ended = (work.columns * per_column - left) // per_column
        rows.append(Row(taken, ended - done))
        done = ended
    return rows


def matrix_passes(board: PimBoard, inputs: int, outputs: int) -> tuple[Pass, ...]:
    """The passes of a weight matrix, whose columns are spread over all banks.

    Args:
        board: memory that computes.
        inputs: elements of the vector, rows of the matrix.
        outputs: elements of the result, columns of the matrix.

    Raises:
        InputError: an empty matrix.
    """
    if inputs < 1 or outputs < 1:
        raise InputError("bad-value", f"a matrix of {inputs} x {outputs}", hints=["give 1 or more"])
    return _cut(board, inputs, ceil_div(outputs, board.banks))


def score_passes(board: PimBoard, heads: int, head_dim: int, context: int) -> tuple[Pass, ...]:
    """The passes of queries over cached keys: a channel has whole heads, a bank keys of tokens."""
    own = ceil_div(heads, board.channels.count)
    fit = max(1, _room(board) // head_dim)
    keys = ceil_div(context, board.banks_per_channel.count)
    parts = [min(fit, own - first) for first in range(0, own, fit)]
    return tuple(Pass(part * head_dim, part * keys, head_dim) for part in parts)


def value_passes(board: PimBoard, heads: int, head_dim: int, context: int) -> tuple[Pass, ...]:
    """The passes of probabilities over cached values, which lie by element of the head."""
    columns = ceil_div(head_dim, board.banks_per_channel.count)
    return _cut(board, context, columns) * ceil_div(heads, board.channels.count)


def pass_cycles(board: PimBoard, work: Pass) -> int:
    """Cycles of a pass in closed form: send the input, open and close rows, multiply, read the last row's sums.

    It knows no tokens and no bus.  Sums of a row are read while the next one is worked through, which is long enough
    but for a last row that is short.
    """
    bank = board.bank
    per_column = ceil_div(work.length, bank.multipliers.count)
    per_row = bank.row_bytes.count // (bank.multipliers.count * ELEMENT_BYTES)
    accesses = work.columns * per_column
    rows = ceil_div(accesses, per_row)
    ended = [max(0, row) * per_row // per_column for row in (rows - 2, rows - 1)]
    access = board.cycles(bank.column_to_column_ns)
    opening = board.cycles(bank.row_to_column_ns) + board.cycles(bank.precharge_ns)
    last = opening + (accesses - (rows - 1) * per_row) * access
    waiting = max(0, (ended[1] - ended[0]) * access - last)
    reading = (work.columns - ended[1]) * access + waiting
    return send_cycles(board, work.inputs) + rows * opening + accesses * access + reading


def product_cycles(board: PimBoard, passes: Sequence[Pass]) -> int:
    """Cycles of a product in closed form: its passes follow each other, as a channel has one buffer."""
    return sum(pass_cycles(board, each) for each in passes)


def send_cycles(board: PimBoard, elements: int) -> int:
    """Cycles of a channel's bus for so many elements."""
    per_cycle = board.bus_gb_per_s.value * 1e3 / board.clock_mhz.value
    return ceil_div(elements * ELEMENT_BYTES, int(per_cycle))


def _room(board: PimBoard) -> int:
    return board.buffer_bytes.count // ELEMENT_BYTES


def _cut(board: PimBoard, inputs: int, columns: int) -> tuple[Pass, ...]:
    room = _room(board)
    parts = [min(room, inputs - first) for first in range(0, inputs, room)]
    return tuple(Pass(part, columns, part) for part in parts)
