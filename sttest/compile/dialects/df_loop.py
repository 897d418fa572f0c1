"""Nodes of a loop over layers: where activations enter a block, and where they leave it or go round."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.irdl import irdl_op_definition, opt_prop_def
from xdsl.utils.exceptions import VerifyException

from sttest.compile.dialects.df_nodes import TAIL, NodeOp
from sttest.compile.dialects.df_rules import check_ports
from sttest.compile.dialects.df_types import itensor_of


@irdl_op_definition
class EnterOp(NodeOp):
    """Gives the first layer its first source, every later layer its second: what the layer before made."""

    name = "df.enter"
    label = opt_prop_def(StringAttr)
    assembly_format = f"$sources {TAIL}"

    def verify_(self) -> None:
        """Two sources and a result of one order."""
        check_ports(self.name, sources=(len(self.sources), 2), results=(len(self.produced), 1))
        _check_one_order(self)


@irdl_op_definition
class LeaveOp(NodeOp):
    """Gives what a layer made to its first sink, for the next layer; that of the last layer to its second."""

    name = "df.leave"
    label = opt_prop_def(StringAttr)
    assembly_format = f"$sources {TAIL}"

    def verify_(self) -> None:
        """A source and two results of one order."""
        check_ports(self.name, sources=(len(self.sources), 1), results=(len(self.produced), 2))
        _check_one_order(self)


def _check_one_order(node: NodeOp) -> None:
    orders = {itensor_of(port) for port in (*node.sources, *node.produced)}
    if len(orders) != 1:
        raise VerifyException(f"{node.name}: what goes round must have the order that enters")
