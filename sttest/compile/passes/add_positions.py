"""`add-positions`: the row of a learned position is added to that of a token on the card, not by the host.

The block's input is then the row of the token alone; the other comes as an argument of its own, ``position``.
"""

from dataclasses import dataclass

from xdsl.builder import Builder, ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr, TensorType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from sttest.compile.ir.module_walk import functions
from sttest.compile.ir.names import ENTERS, POSITION, argument_names
from sttest.compile.linalg.tensor_build import Named, generic
from sttest.core.errors import InputError


@dataclass(frozen=True)
class AddPositions(ModulePass):
    """Adds an argument to the one function that has an argument ``x``, and a sum in front of all readers of that."""

    name = "add-positions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Sets names and kinds of the new argument, too.

        Raises:
            InputError: no function with such an argument.
        """
        for function in functions(op):
            for argument, name in argument_names(function).items():
                if name == ENTERS:
                    _add(function, argument)
                    return
        raise InputError("no-input", f"no argument '{ENTERS}' that a position could be added to", where=self.name)


def _add(function: func.FuncOp, token: SSAValue) -> None:
    block, kind = function.body.block, token.type
    assert isinstance(kind, TensorType)
    readers = list(token.uses)
    position = block.insert_arg(kind, len(block.args))
    position.name_hint = POSITION
    identity = AffineMap.identity(kind.get_num_dims())
    with ImplicitBuilder(Builder(InsertPoint.at_start(block))):
        both = [(token, identity), (position, identity)]
        total = generic(both, (kind, identity), lambda a, b, _: arith.AddfOp(a, b).result, Named("embed"))
    for use in readers:
        use.operation.operands[use.index] = total
    for attribute, entry in (("sttest.arg_names", POSITION), ("sttest.arg_kinds", "input")):
        given = function.attributes.get(attribute)
        if isinstance(given, ArrayAttr):
            function.attributes[attribute] = ArrayAttr([*given, StringAttr(entry)])
    function.update_function_type()
