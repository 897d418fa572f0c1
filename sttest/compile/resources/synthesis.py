"""What synthesis makes of a process, estimated from its structure and from what it made of others.

The figures (`boards/data/synthesized.yaml`) are of kind ``synthesized``: operators by themselves, lanes of one design,
and what the frame around lanes takes per bit of register, of counter, of adder.
"""

from functools import cache
from importlib.resources import files
from math import ceil
from pathlib import Path

from sttest.boards.part import BoardPart
from sttest.boards.resources import MemoryKind, Resources, total
from sttest.compile.resources.structure import lanes_of, structure_of
from sttest.compile.rtl.cells import CellModule
from sttest.compile.rtl.dma import PortWords
from sttest.compile.rtl.module import ModuleText
from sttest.compile.rtl.walks import Bursts, room_kind
from sttest.core.files import read_yaml
from sttest.core.results import Kind
from sttest.core.validation import validated

__depends__ = ("sttest/boards/data/synthesized*.yaml",)


class Amounts(BoardPart):
    """What something takes."""

    lut: float = 0
    ff: float = 0
    dsp: float = 0

    @property
    def resources(self) -> Resources:
        """The same as resources of a board."""
        return Resources(lut=self.lut, ff=self.ff, dsp=self.dsp)


class LaneRow(BoardPart):
    """A lane that was synthesized."""

    operations: dict[str, int]
    bits_in: int
    bits_out: int
    cycles: int
    amounts: Amounts


class PortRows(BoardPart):
    """Memory ports."""

    source: str
    kind: Kind
    read: Amounts
    write: Amounts
    counter_bit: Amounts  # more, per bit of what counts bursts and parts of words
    number_bit: Amounts  # more, per bit of addresses and parts that are added up


class SynthesizedRows(BoardPart):
    """Figures of synthesis."""

    source: str
    kind: Kind
    operators: dict[str, Amounts]  # each by itself, with the stages of the operator library
    composed: Amounts  # factors on sums of operators that are one lane
    lanes: tuple[LaneRow, ...]
    frame: dict[str, Amounts]  # amounts per amount of the structure of a process


class ProductsRow(BoardPart):
    """A task whose lanes sum products of integers, by what they are made of."""

    implementation: str
    factors: str
    lanes: int
    products: Amounts  # products and the trees over them
    process: Amounts  # all of the task


class ProductsRows(BoardPart):
    """Implementations of sums of products."""

    source: str
    kind: Kind
    lut_products: dict[int, Amounts]  # a product in LUTs, by its bits
    skew_bit: Amounts  # a bit of a factor that waits for its place in a chain, 3 to 16 cycles
    rows: tuple[ProductsRow, ...]


_DATA = Path(str(files("sttest.boards").joinpath("data")))
ROWS_FILE, PORTS_FILE = _DATA / "synthesized.yaml", _DATA / "synthesized_ports.yaml"
LANES_FILE = _DATA / "synthesized_lanes.yaml"


@cache
def synthesized_rows() -> SynthesizedRows:
    """The rows of the data file."""
    return validated(SynthesizedRows, read_yaml(ROWS_FILE), str(ROWS_FILE))


@cache
def port_rows() -> PortRows:
    """The rows of memory ports."""
    return validated(PortRows, read_yaml(PORTS_FILE), str(PORTS_FILE))


@cache
def lane_rows() -> ProductsRows:
    """The rows of implementations of lanes."""
    return validated(ProductsRows, read_yaml(LANES_FILE), str(LANES_FILE))


def process_estimate(module: ModuleText, rows: SynthesizedRows) -> Resources:
    """LUTs, flip-flops and DSPs of a process; blocks of memory are those that it declares."""
    figures = {**rows.frame, "skew bits": lane_rows().skew_bit}
    frame = total(figures[name].resources * amount for name, amount in structure_of(module).items())
    return frame + total(part_estimate(part, rows) * count for part, count in lanes_of(module).items())


def part_estimate(part: CellModule, rows: SynthesizedRows) -> Resources:
    """A lane, as it was synthesized elsewhere or as the sum of its operators; or sums of products in DSPs."""
    if part.products is not None:
        return _products(*part.products)
    bits_in, bits_out = sum(bits for _, bits in part.inputs), sum(bits for _, bits in part.outputs)
    operations = dict(part.operations)
    for row in rows.lanes:
        if (row.operations, row.bits_in, row.bits_out, row.cycles) == (operations, bits_in, bits_out, part.cycles):
            return row.amounts.resources
    if not operations:
        return Resources(lut=bits_in * ceil(part.cycles / 16) if part.cycles > 2 else 0, ff=bits_in * part.cycles)
    made = total(rows.operators[name].resources * count for name, count in operations.items())
    if sum(operations.values()) == 1:
        return made
    return Resources(lut=made.lut * rows.composed.lut, ff=made.ff * rows.composed.ff, dsp=made.dsp * rows.composed.dsp)


def _products(lanes: int, bits: int, results: int, chain: int) -> Resources:
    """A DSP per lane, or LUTs as they were synthesized for products about as wide; the tree of chains."""
    made = Resources(dsp=lanes)
    if not chain:
        known = lane_rows().lut_products
        made = known[min(known, key=lambda each: abs(each - bits))].resources * (lanes * results)
    return made + sum_tree(lanes, bits, results, max(chain, 1))


def sum_tree(lanes: int, bits: int, results: int, chain: int) -> Resources:
    """An adder for each pair of chains, a LUT and a register per bit.

    Args:
        lanes: products of a sum.
        bits: width of a product.
        results: sums.
        chain: products that are summed before the tree.
    """
    chains, adders, wide = -(-lanes // chain), 0, bits + (min(chain, lanes) - 1).bit_length()
    while chains > 1:
        wide += 1
        adders += chains // 2 * wide
        chains = (chains + 1) // 2
    return Resources(lut=results * adders, ff=results * adders)


def port_estimate(words: PortWords, bursts: Bursts, room: int, *, reads: bool, rows: PortRows) -> Resources:
    """A memory port: what any takes, its counters and sums, its tokens that are not one word each, and its memory.

    Args:
        words: how its tokens lie in words of memory.
        bursts: its bursts.
        room: words that it has places for.
        reads: whether it reads memory.
        rows: synthesized ports.
    """
    routes = [bursts.route, *([] if words.parts is None else [words.parts])]
    made = [(rows.read if reads else rows.write).resources]
    made += [rows.counter_bit.resources * route.counter_bits for route in routes]
    made += [rows.number_bit.resources * route.number_bits for route in routes]
    return total([*made, port_tokens(words, reads=reads), _port_memory(words.word_bits, room)])


def _port_memory(bits: int, room: int) -> Resources:
    if room_kind(room) == "bram":
        return Resources(bram18=ceil(bits / 36))
    return Resources(lut=_lutram_luts(room, bits), ff=bits)


def _lutram_luts(depth: int, bits: int) -> int:
    """Eight LUTs hold 14 bits of 32 words, or 7 of 64; the output register holds a word more."""
    return ceil(bits / (14 if depth <= 33 else 7)) * 8 * ceil((depth - 1) / 64)


def port_tokens(words: PortWords, *, reads: bool) -> Resources:
    """What tokens take that are several words or parts of one: registers, and multiplexers of 4 to 1 in a LUT."""
    parts, several, bits = words.tokens_per_word, words.words_per_token, words.word_bits
    if reads:
        return Resources(lut=words.token_bits * ceil((parts - 1) / 3), ff=(several - 1) * bits)
    # Parts that no token is have no registers; those of words that are not full have a bit each that says so.
    collected = 0 if parts == 1 else bits if words.parts is None else words.used_parts * (words.token_bits + 1)
    return Resources(lut=bits * ceil((several - 1) / 3), ff=collected)


def fifo_estimate(kind: MemoryKind, depth: int, bits: int, predicted: Resources) -> Resources:
    """The rule of docs/hardware/synthesis.md; blocks of memory as predicted."""
    count = depth.bit_length()
    if kind == "srl":
        lines = ceil(depth / 32)
        luts = bits * lines + bits * ceil((lines - 1) / 3) + count + (3 if depth > 3 else 2)
        return Resources(lut=luts, ff=count + 2)
    place = max(depth - 2, 1).bit_length()
    # The output register of blocks is in them.
    words, word = (_lutram_luts(depth, bits), bits) if kind == "lutram" else (0, 0)
    lut, ff = 2 * count + 3 + words, count + 2 * place + 3 + word
    return Resources(lut=lut, ff=ff, bram18=predicted.bram18, uram=predicted.uram)


def relay_fifo_estimate(bits: int) -> Resources:
    """Two words and two flags in flip-flops; a LUT per bit chooses what comes first."""
    return Resources(lut=bits + 2, ff=2 * bits + 2)


def corrected(predicted: Resources, estimate: Resources) -> Resources:
    """An estimate of logic with the blocks of memory that are predicted."""
    return Resources(estimate.dsp, estimate.lut, estimate.ff, predicted.bram18, predicted.uram)
