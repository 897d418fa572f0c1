"""Nodes of the dataflow graph: they read sources and fill results (itensor level) or sinks (stream level)."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from math import gcd, prod

from xdsl.dialects.arith import MuliOp
from xdsl.dialects.builtin import (
    I64,
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    UnitAttr,
)
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    var_operand_def,
    var_result_def,
)
from xdsl.irdl.operations import VariadicAttrAccessor
from xdsl.utils.exceptions import VerifyException

from sttest.compile.dialects.df_rules import check_ports, check_same_tensor, check_single_use
from sttest.compile.dialects.df_types import STREAM, IntListAttr, itensor_of
from sttest.compile.dialects.itensor import ITensorType

# What every node prints after its own properties: where it pushes (stream level) or what it returns (itensor level).
TAIL = (
    "(`named` $label^)? (`into` $sinks^)? attr-dict `:` type($sources) (`into` type($sinks)^)? (`->` type($streams)^)?"
)
_LOOP_KINDS = ("parallel", "reduction")


@cache
def _first_size(sizes: bytes) -> int:
    """The first of a few 32-bit numbers; every walk from a stream to its nodes asks for it."""
    return int.from_bytes(sizes[:4], sys.byteorder)


def _walks_along(accesses: ArrayAttr[AffineMapAttr], port: int, iterators: str) -> bool:
    """Whether any reduction of a nest moves a port's element; attributes never change, and it is asked many times."""
    known: dict[tuple[int, str], bool] = vars(accesses).setdefault("_walks_along", {})
    found = known.get((port, iterators))
    if found is None:
        access = accesses.data[port].data
        origin = access.eval((0,) * access.num_dims, ())
        units = (
            tuple(int(loop == unit) for loop in range(access.num_dims))
            for unit, kind in enumerate(iterators.split(","))
            if kind == "reduction"
        )
        found = known[port, iterators] = any(access.eval(unit, ()) != origin for unit in units)
    return found


class NodeOp(IRDLOperation):
    """What all nodes of the dataflow graph share: they read sources and fill results (itensor level) or sinks."""

    sources = var_operand_def(AnyAttr())
    sinks = var_operand_def(STREAM)
    streams = var_result_def(AnyAttr())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        # irdl's accessors take the sizes of both groups apart at every look; there are thousands of looks per design.
        for name, port in (("sources", _sources), ("sinks", _sinks)):
            if isinstance(cls.__dict__.get(name), VariadicAttrAccessor):
                setattr(cls, name, property(port))

    @property
    def source_count(self) -> int:
        """Operands before this number are sources, the others sinks."""
        sizes = self.properties["operandSegmentSizes"]
        assert isinstance(sizes, DenseArrayBase)
        return _first_size(sizes.data.data)

    @property
    def produced(self) -> Sequence[SSAValue]:
        """Results at the itensor level, sinks at the stream level."""
        return self.sinks or self.streams


def _sources(node: NodeOp) -> Sequence[SSAValue]:
    return node.operands[: node.source_count]


def _sinks(node: NodeOp) -> Sequence[SSAValue]:
    return node.operands[node.source_count :]


@irdl_op_definition
class TaskOp(NodeOp):
    """A tiled loop nest over tokens with a scalar payload.

    The nest has ``trips`` iterations per loop and works on a tile of ``tile``
    points per loop in each; ``iterators`` names each loop ``parallel`` or
    ``reduction``.  Every source is read once per iteration of the whole nest,
    every result written once per iteration of its parallel part, when all
    reductions stand at their last; one that reductions index, behind a result
    that they do not, is written in every iteration: what the running value
    makes of each (a scan).  A reduction around parallel loops keeps a
    running tile for every iteration of these.  ``contracts``
    says that the payload multiplies the first two sources and sums: a matmul.
    ``accesses`` has one map per source, then per result: from a point of the
    loops to the element of the tensor that the payload's argument stands for.
    Tasks of one ``engine`` take turns, in program order, on one piece of hardware.
    ``fabric`` says that its products of integers are made of LUTs, not DSPs.
    The passes of the outermost loop of a task that is ``whole`` follow each other without a drain.
    """

    name = "df.task"
    sym_name = prop_def(StringAttr)
    trips = prop_def(IntListAttr)
    tile = prop_def(IntListAttr)
    iterators = prop_def(StringAttr)
    origin = opt_prop_def(StringAttr)
    init = opt_prop_def(FloatAttr | IntegerAttr)
    contracts = opt_prop_def(UnitAttr)
    accesses = opt_prop_def(ArrayAttr[AffineMapAttr])
    lanes = opt_prop_def(IntegerAttr[I64])
    engine = opt_prop_def(StringAttr)
    fabric = opt_prop_def(UnitAttr)
    whole = opt_prop_def(UnitAttr)
    payload = region_def("single_block")
    assembly_format = (
        "$sym_name `loops` $trips `tile` $tile `kinds` $iterators "
        "(`init` $init^)? (`contracts` $contracts^)? (`lanes` $lanes^)? (`engine` $engine^)? (`fabric` $fabric^)? "
        "(`whole` $whole^)? (`origin` $origin^)? (`accesses` $accesses^)? "
        "`ins` `(` ($sources^ `:` type($sources))? `)` (`into` `(` $sinks^ `:` type($sinks) `)`)? "
        "(`->` type($streams)^)? $payload attr-dict-with-keyword"
    )

    @property
    def trip_counts(self) -> tuple[int, ...]:
        """Iterations of every tile loop, outermost first."""
        return self.trips.values

    @property
    def tile_sizes(self) -> tuple[int, ...]:
        """Points of every loop that one iteration works on."""
        return self.tile.values

    @property
    def loop_kinds(self) -> tuple[str, ...]:
        """``parallel`` or ``reduction`` for every loop."""
        return tuple(self.iterators.data.split(",")) if self.iterators.data else ()

    @property
    def tile_points(self) -> int:
        """Scalar payload evaluations of one iteration."""
        return prod(self.tile_sizes)

    @property
    def iterations(self) -> int:
        """Iterations of the whole nest."""
        return prod(self.trip_counts)

    @property
    def reduction_iterations(self) -> int:
        """Iterations of the nest per result token."""
        return prod(trip for trip, kind in zip(self.trip_counts, self.loop_kinds, strict=True) if kind == "reduction")

    @property
    def reduction_points(self) -> int:
        """Payload evaluations per result element."""
        loops = zip(self.trip_counts, self.tile_sizes, self.loop_kinds, strict=True)
        return prod(trip * size for trip, size, kind in loops if kind == "reduction")

    @property
    def held_loops(self) -> tuple[int, ...]:
        """The parallel loops inside of a reduction: a running tile is held for each of their iterations."""
        loops = [*zip(self.trip_counts, self.loop_kinds, strict=True)]
        outermost = next((n for n, (trip, kind) in enumerate(loops) if kind == "reduction" and trip > 1), len(loops))
        return tuple(n for n, (trip, kind) in enumerate(loops) if n > outermost and kind == "parallel" and trip > 1)

    @property
    def iterations_per_sum(self) -> int:
        """Iterations from one update of a running tile to the next."""
        between = 1
        for trip, kind in reversed([*zip(self.trip_counts, self.loop_kinds, strict=True)]):
            if kind == "reduction" and trip > 1:
                return between
            between *= trip
        return 1

    @property
    def iterations_per_result(self) -> int:
        """Iterations from one result token to the next: reductions around parallel loops give them in a burst."""
        between = 1
        for trip, kind in reversed([*zip(self.trip_counts, self.loop_kinds, strict=True)]):
            if kind == "parallel" and trip > 1:
                return between
            between *= trip if kind == "reduction" else 1
        return between

    def is_scanned(self, result: int) -> bool:
        """Whether reductions index a result, by its number: it is written in every iteration."""
        if self.accesses is None:
            return False
        return _walks_along(self.accesses, len(self.sources) + result, self.iterators.data)

    def writes(self, result: int) -> int:
        """How often the nest writes a result, by its number."""
        return self.iterations if self.is_scanned(result) else self.iterations // self.reduction_iterations

    @property
    def is_contraction(self) -> bool:
        """Whether the payload multiplies the first two sources and sums."""
        return self.contracts is not None

    @property
    def multiplies_integers(self) -> bool:
        """Whether the payload has a product of integers."""
        return any(isinstance(op, MuliOp) for op in self.payload.block.ops)

    @property
    def multiplies_in_fabric(self) -> bool:
        """Whether these products are made of LUTs."""
        return self.fabric is not None

    @property
    def lane_count(self) -> int:
        """Payload evaluations per cycle; 1 before unrolling."""
        return self.lanes.value.data if self.lanes is not None else 1

    def verify_(self) -> None:
        """The nest must be exactly that of the types it reads and writes, and the payload fit both."""
        self._check_loops()
        self._check_accesses()
        for source in self.sources:
            self._check_tokens(source, self.iterations, "read")
        for number, produced in enumerate(self.produced):
            self._check_tokens(produced, self.writes(number), "written")
        self._check_payload()

    def _check_loops(self) -> None:
        if not len(self.trip_counts) == len(self.tile_sizes) == len(self.loop_kinds):
            raise VerifyException("df.task: trips, tile and iterators must name the same loops")
        if any(size < 1 for size in (*self.trip_counts, *self.tile_sizes)):
            raise VerifyException("df.task: trips and tile sizes must be at least 1")
        unknown = set(self.loop_kinds) - set(_LOOP_KINDS)
        if unknown:
            raise VerifyException(f"df.task: a loop is parallel or reduction, not '{sorted(unknown)[0]}'")
        if self.lane_count < 1:
            raise VerifyException(f"df.task: {self.lane_count} lanes, there must be at least 1")

    def _check_accesses(self) -> None:
        if self.accesses is None:
            return
        ports = [*self.sources, *self.produced]
        if len(self.accesses) != len(ports):
            raise VerifyException(f"df.task: {len(self.accesses)} accesses for {len(ports)} sources and results")
        for access, port in zip(self.accesses, ports, strict=True):
            found = (access.data.num_dims, len(access.data.results))
            wanted = (len(self.trip_counts), len(itensor_of(port).full_shape))
            if found != wanted:
                raise VerifyException(f"df.task: an access maps {found[0]} loops to {found[1]} dims, not {wanted}")

    def _check_payload(self) -> None:
        found, wanted = len(self.payload.block.args), len(self.sources) + len(self.produced)
        if found != wanted:
            raise VerifyException(
                f"df.task: the payload has {found} arguments, one per source and result makes {wanted}"
            )
        last = self.payload.block.last_op
        yielded = 0 if last is None else len(last.operands)
        if yielded != len(self.produced):
            raise VerifyException(f"df.task: the payload yields {yielded} values for {len(self.produced)} results")
        if "reduction" in self.loop_kinds and self.init is None:
            raise VerifyException("df.task: a reduction needs the value that it starts from (init)")
        if self.multiplies_in_fabric and not self.multiplies_integers:
            raise VerifyException("df.task: fabric is for products of integers, and the payload has none")
        if self.contracts is not None and (len(self.sources) < 2 or "reduction" not in self.loop_kinds):
            raise VerifyException("df.task: a contraction has two factors and a reduction loop")

    def _check_tokens(self, value: SSAValue, wanted: int, verb: str) -> None:
        tokens = itensor_of(value).tokens
        if tokens % wanted or (tokens != wanted and not itensor_of(value).is_vector):
            raise VerifyException(
                f"df.task {self.sym_name}: a stream of {tokens} tokens is {verb} {wanted} times by the loop nest"
            )


@irdl_op_definition
class ConverterOp(NodeOp):
    """Turns one stream order of a tensor into another through a ping-pong buffer inside ``before_loop`` loops.

    One that only repeats what it has ``kept`` has words of whole tokens in its buffer.
    """

    name = "df.converter"
    label = opt_prop_def(StringAttr)
    buffer = opt_prop_def(IntListAttr)
    before_loop = opt_prop_def(IntegerAttr[I64])
    blocks = opt_prop_def(IntegerAttr[I64])
    kept = opt_prop_def(UnitAttr)
    assembly_format = (
        f"$sources (`buffer` $buffer^)? (`before` $before_loop^)? (`blocks` $blocks^)? (`kept` $kept^)? {TAIL}"
    )

    def __init__(self, source: SSAValue, result: ITensorType) -> None:
        super().__init__(operands=[[source], []], result_types=[[result]])

    @property
    def at_once(self) -> list[int]:
        """Neighbours per data dim that are written or read in one cycle: those of a token."""
        source, result = (itensor_of(port).element_shape for port in self._ends)
        return [max(pair) for pair in zip(source, result, strict=True)]

    @property
    def word(self) -> list[int]:
        """Neighbours per data dim that lie in one word of the buffer: one, or what both sides of ``kept`` ones move."""
        source, result = (itensor_of(port).element_shape for port in self._ends)
        if self.kept is None:
            return [1] * len(source)
        return [gcd(*pair) for pair in zip(source, result, strict=True)]

    @property
    def _ends(self) -> tuple[SSAValue, SSAValue]:
        return self.sources[0], self.produced[0]

    def verify_(self) -> None:
        """One tensor on both sides, and the buffer covers a block of it."""
        check_ports(self.name, sources=(len(self.sources), 1), results=(len(self.produced), 1))
        source, result = itensor_of(self.sources[0]), itensor_of(self.produced[0])
        check_same_tensor(self.name, source, result)
        rank = len(source.full_shape)
        if self.buffer is not None and len(self.buffer.values) != rank:
            raise VerifyException(f"df.converter: the buffer {self.buffer.values} of a tensor of rank {rank}")
        blocks = self.blocks.value.data if self.blocks is not None else 1
        for tokens in (source.tokens, result.tokens):
            if blocks < 1 or tokens % blocks:
                raise VerifyException(f"df.converter: {tokens} tokens do not make {blocks} blocks")


@irdl_op_definition
class ForkOp(NodeOp):
    """Copies a stream to several readers, and drains after each of its ``passes``."""

    name = "df.fork"
    label = opt_prop_def(StringAttr)
    passes = opt_prop_def(IntegerAttr[I64])
    assembly_format = f"$sources (`passes` $passes^)? {TAIL}"

    def __init__(self, source: SSAValue, copies: int) -> None:
        super().__init__(operands=[[source], []], result_types=[[source.type] * copies])

    def verify_(self) -> None:
        """All copies have the source's order; each is read once."""
        if len(self.sources) != 1 or not self.produced:
            raise VerifyException("df.fork: it has one source and at least one result")
        source = itensor_of(self.sources[0])
        if any(itensor_of(copy) != source for copy in self.produced):
            raise VerifyException("df.fork: every result must have the type of the source")
        check_single_use(self.name, self.streams)


@irdl_op_definition
class JoinOp(NodeOp):
    """Takes one token of each source in turn; all have the result's type."""

    name = "df.join"
    label = opt_prop_def(StringAttr)
    assembly_format = f"$sources {TAIL}"

    def verify_(self) -> None:
        """All sources have the result's type."""
        check_ports(self.name, sources=(min(len(self.sources), 1), 1), results=(len(self.produced), 1))
        result = itensor_of(self.produced[0])
        if any(itensor_of(source) != result for source in self.sources):
            raise VerifyException("df.join: every source must have the type of the result")
