"""`df.concat`: the node that reads its sources in turn and gives their tokens to one stream."""

from __future__ import annotations

from xdsl.dialects.builtin import I64, IntegerAttr, StringAttr
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def
from xdsl.utils.exceptions import VerifyException

from sttest.compile.dialects.concat_order import resized, turns
from sttest.compile.dialects.df_nodes import NodeOp
from sttest.compile.dialects.df_rules import check_parts, check_ports
from sttest.compile.dialects.df_types import itensor_of
from sttest.compile.dialects.stream_order import same_order


@irdl_op_definition
class ConcatOp(NodeOp):
    """Joins streams along data dim ``dim``: in each turn all tokens of the first source, then of the second, ….

    Every source streams as the result does, with fewer trips of the outermost
    loop that walks ``dim``; the loops around that one are the turns.
    """

    name = "df.concat"
    dim = prop_def(IntegerAttr[I64])
    label = opt_prop_def(StringAttr)
    origin = opt_prop_def(StringAttr)
    assembly_format = (
        "$sources `along` $dim (`origin` $origin^)? (`named` $label^)? (`into` $sinks^)? attr-dict "
        "`:` type($sources) (`into` type($sinks)^)? (`->` type($streams)^)?"
    )

    @property
    def along(self) -> int:
        """The data dim along which the sources lie one behind the other."""
        return self.dim.value.data

    @property
    def turns(self) -> int:
        """How often every source is read in turn."""
        return turns(itensor_of(self.produced[0]), self.along)

    @property
    def tokens_per_turn(self) -> tuple[int, ...]:
        """Tokens of each source in a turn."""
        return tuple(itensor_of(source).tokens // self.turns for source in self.sources)

    def verify_(self) -> None:
        """The sources cover the result along the dim, in its order."""
        check_ports(self.name, sources=(min(len(self.sources), 1), 1), results=(len(self.produced), 1))
        whole = itensor_of(self.produced[0])
        check_parts(self.name, whole, self.sources, self.along)
        for number, source in enumerate(self.sources):
            part = itensor_of(source)
            wanted = resized(whole, self.along, part.full_shape[self.along])
            if wanted is None or not same_order(wanted, part):
                raise VerifyException(
                    f"df.concat: source {number} does not stream as the result does along dim {self.along}; "
                    "use df.converter"
                )
