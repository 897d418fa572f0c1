"""A `df.converter` as two processes that share a ping-pong buffer: one fills a half, the other drains the last.

Where tokens of a side begin in any bank they are rotated: element ``e`` of a token is moved to the bank that holds it,
or back, and each bank is accessed once, by itself (``sttest.compile.schedule.converter_block``).
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import gcd, prod

from sttest.compile.dialects import df
from sttest.compile.hls.helpers import Helpers
from sttest.compile.hls.memory_layout import element_loops, token_element
from sttest.compile.hls.process import Process
from sttest.compile.hls.types import LocalArray, Token
from sttest.compile.hls.writer import CodeWriter, CountedLoop, affine
from sttest.compile.schedule.converter_block import BlockSide, ConverterBlock, converter_block
from sttest.compile.schedule.tile_ports import row_major_strides


@dataclass(frozen=True)
class Conversion:
    """What a converter does, in the names of its C++."""

    block: ConverterBlock  # its buffer
    # fill, drain: types of the two streams' tokens
    fill: Token
    drain: Token

    @staticmethod
    def of(op: df.ConverterOp, name: str) -> "Conversion":
        """The facts of a converter; ``name`` is for messages.

        Raises:
            InputError: no buffer yet, or a side that leaves it.
        """
        block = converter_block(op, name)
        return Conversion(block, *(Token.of(side.stream, name) for side in (block.fill, block.drain)))

    @property
    def buffer(self) -> LocalArray:
        """One half; an array of one element still has a dim."""
        return LocalArray("block", self.fill.element.c_type, self.block.shape)

    @property
    def c_type(self) -> str:
        """Name of the type of a half."""
        shape = "x".join(str(self.buffer.shape[dim]) for dim in self.buffer.dims) or "1"
        return f"block_{self.fill.element.tag}_{shape}"

    @property
    def typedef(self) -> str:
        """The declaration of that type."""
        return f"typedef {self.fill.element.c_type} {self.c_type}{self.buffer.extents or '[1]'};"


def emit_fill(code: CodeWriter, facts: Conversion, process: Process, helpers: Helpers) -> None:
    """Writes the process that takes the source's tokens."""
    token, walk = facts.fill, _Walk(facts, 0)
    code.comment("Fills blocks with tokens.")
    with _block(code, facts, process, "fill", "write", walk.side):
        token.take(code, "token", process.inputs[0], code.type("TOKEN", token.c_type))
        walk.find_place(code)
        if not any(walk.rotates):
            with code.unrolled(element_loops(token)):
                code.assign(walk.element(), token_element(token))
            return
        walk.declare_banks(code)
        with code.unrolled(element_loops(token)):
            code.assign(walk.of_token(), token_element(token))
        walk.rotate(code, helpers, "bank_{dim}")
        with walk.banks(code) as conditions, code.scope(conditions):
            code.assign(walk.element(), walk.of_bank())


def emit_drain(code: CodeWriter, facts: Conversion, process: Process, helpers: Helpers) -> None:
    """Writes the process that gives the sink's tokens."""
    token, walk = facts.drain, _Walk(facts, 1)
    code.comment("Drains blocks in tokens.")
    with _block(code, facts, process, "drain", "read", walk.side):
        token.declare(code, "token", code.type("TOKEN", token.c_type))
        walk.find_place(code)
        if any(walk.rotates):
            walk.declare_banks(code)
            with walk.banks(code) as conditions, code.scope(conditions):
                code.assign(walk.of_bank(), walk.element())
            walk.rotate(code, helpers, "{size} - bank_{dim}")
        with code.unrolled(element_loops(token)):
            code.assign(token_element(token), walk.of_token() if any(walk.rotates) else walk.element())
        token.write(code, process.outputs[0], "token")


@contextmanager
def _block(
    code: CodeWriter, facts: Conversion, process: Process, kind: str, lock: str, side: BlockSide
) -> Iterator[None]:
    """The loops over blocks and tokens; a lock lives for one block."""
    blocks = [CountedLoop("blocks", "b", facts.block.blocks)]
    tokens = [CountedLoop(f"tokens_{n}", f"t{n}", loop.trip) for n, loop in enumerate(side.loops)]
    with process.every_layer(code, kind), code.loops(blocks):
        code.line(f"hls::{lock}_lock<{code.type('BLOCK', facts.c_type)}> block(blocks);")
        with code.loops(tokens, "pipeline II=1"):
            yield


class _Walk:
    """One side's accesses of a block, by the names of a function's variables."""

    def __init__(self, facts: Conversion, number: int) -> None:
        self.facts, self.dims = facts, facts.block.dims
        self.side = (facts.block.fill, facts.block.drain)[number]
        self.rotates = [dim.rotates[number] for dim in self.dims]
        self._sizes = tuple(zip(self.dims, self.rotates, self.side.shape, strict=True))
        self._banks = tuple(dim.banks if turned else size for dim, turned, size in self._sizes)

    def find_place(self, code: CodeWriter) -> None:
        """Row and bank of the token's first element, of dims that are rows."""
        for number, dim in enumerate(self.dims):
            if dim.is_rows:
                place = self._place(number)
                code.line(f"const int row_{number} = ({place}) / {dim.banks}, bank_{number} = ({place}) % {dim.banks};")

    def _place(self, number: int, *terms: tuple[str, int]) -> str:
        loops = [(f"t{position}", loop.strides[number]) for position, loop in enumerate(self.side.loops)]
        return affine([*loops, *terms], self.side.start[number])

    def element(self) -> str:
        """The element of the block at which the loops stand."""
        index: list[str] = []
        for number, (dim, turned, size) in enumerate(self._sizes):
            inside = [(f"e{number}", 1)] if size > 1 else []
            if not dim.is_rows:
                index.append(self._place(number, *inside))
            elif turned:
                index += [f"k{number} < bank_{number} ? row_{number} + 1 : row_{number}", f"k{number}"]
            else:
                index += [f"row_{number}", affine([(f"bank_{number}", 1), *inside])]
        return self.facts.buffer.at(index) + ("" if self.facts.buffer.dims else "[0]")

    # --- Tokens that are rotated: an array of one element per bank

    def declare_banks(self, code: CodeWriter) -> None:
        """The array."""
        code.registers(self.facts.fill.element.c_type, "banks", prod(self._banks), value="{}")

    def rotate(self, code: CodeWriter, helpers: Helpers, places: str) -> None:
        """Moves the elements to their banks, or back."""
        for number, (dim, turned, _) in enumerate(self._sizes):
            if not turned:
                continue
            step = gcd(dim.banks, *self.side.offsets(number, dim.banks))
            outer, inner = prod(self._banks[:number]), prod(self._banks[number + 1 :])
            stages = (dim.banks // step - 1).bit_length()
            far = places.format(dim=number, size=dim.banks)
            sizes = ", ".join(map(str, (outer, dim.banks, inner, step, stages)))
            code.call(f"{helpers.call('rotate')}<{sizes}>", "banks", f"({far}) / {step}" if step > 1 else far)

    @contextmanager
    def banks(self, code: CodeWriter) -> Iterator[list[str]]:
        """The loops over the array; gives the conditions under which a bank has an element of the token."""
        loops = [
            CountedLoop(f"banks_{number}", f"k{number}", dim.banks)
            if turned
            else CountedLoop(f"elements_{number}", f"e{number}", size)
            for number, (dim, turned, size) in enumerate(self._sizes)
            if turned or size > 1
        ]
        turned = [number for number, each in enumerate(self.rotates) if each]
        with code.unrolled(loops):
            for number in turned:
                from_bank = f"k{number} - bank_{number}"
                wrapped = f"{from_bank} + {self.dims[number].banks}"
                code.constant("int", f"e{number}", f"k{number} < bank_{number} ? {wrapped} : {from_bank}")
            yield [f"e{number} < {self.side.shape[number]}" for number in turned]

    def of_token(self) -> str:
        """The array's element that is one of the token, before it is rotated or after."""
        return self._at([f"e{number}" for number in range(len(self.dims))])

    def of_bank(self) -> str:
        """The array's element that belongs to a bank."""
        return self._at([f"{'k' if turned else 'e'}{number}" for number, turned in enumerate(self.rotates)])

    def _at(self, index: Sequence[str]) -> str:
        strides = row_major_strides(self._banks)
        terms = [
            (name, stride)
            for name, stride, size in zip(index, strides, self.side.shape, strict=True)
            if size > 1 or name.startswith("k")
        ]
        return f"banks[{affine(terms)}]"
