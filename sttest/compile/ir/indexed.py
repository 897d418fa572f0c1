"""Parameters of which a design reads the parts that it has computed the numbers of, such as the weights of experts.

A text names them: ``sttest.indexed`` has ``name:dim`` for each, where ``dim`` is that along which the chosen parts lie
one after the other; ``sttest.index`` is the result that has their numbers, ``sttest.index_range`` how many parts
memory holds.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr
from xdsl.ir import SSAValue

from sttest.compile.ir.module_walk import returned
from sttest.compile.ir.names import given_argument_names, given_result_names
from sttest.compile.linalg.iteration import shape_of
from sttest.core.errors import InputError

_SCALE = "_scale"


@dataclass(frozen=True)
class IndexedParameters:
    """What a function says of them."""

    index: str  # the result that has the numbers, [1, count]
    count: int  # parts that are read
    parts: int  # parts in memory
    dims: Mapping[str, int]

    @staticmethod
    def of(function: func.FuncOp) -> "IndexedParameters | None":
        """Those of a function; None where there are none.

        Raises:
            InputError: attributes that do not fit together.
        """
        named = function.attributes.get("sttest.indexed")
        if named is None:
            return None
        index, parts = (function.attributes.get(f"sttest.{key}") for key in ("index", "index_range"))
        results = given_result_names(function)
        if not isinstance(named, ArrayAttr) or not isinstance(index, StringAttr) or not isinstance(parts, IntegerAttr):
            raise _bad("sttest.indexed needs sttest.index and sttest.index_range", function)
        if index.data not in results:
            raise _bad(f"sttest.index is no result: '{index.data:.80}'", function)
        pairs = [each.data.rpartition(":") for each in named if isinstance(each, StringAttr)]
        if any(dim not in ("0", "1") for _, _, dim in pairs):
            raise _bad("sttest.indexed has names with a dim, 0 or 1", function)
        shape = shape_of(returned(function).operands[results.index(index.data)])
        if len(shape) != 2 or shape[0] != 1:
            raise _bad(f"the index is a row of numbers, not of shape {list(shape)}", function)
        found = IndexedParameters(index.data, shape[1], parts.value.data, {name: int(dim) for name, _, dim in pairs})
        found._check(function)
        return found

    def _check(self, function: func.FuncOp) -> None:
        shapes = {name: shape_of(argument) for argument, name in given_argument_names(function).items()}
        if self.parts < 1:
            raise _bad(f"sttest.index_range is {self.parts}", function)
        for name, dim in self.dims.items():
            shape = shapes.get(name)
            if shape is None or len(shape) != 2 or shape[dim] % self.count:
                said = "no argument" if shape is None else f"of shape {list(shape)}"
                raise _bad(f"'{name:.80}' is {said}, not {self.count} parts along dim {dim} of two", function)

    def dim_of(self, name: str) -> int | None:
        """The dim along which parts of a parameter lie, or those of its scales; None of any other."""
        return self.dims.get(name, self.dims.get(name.removesuffix(_SCALE)))

    def shape_in_memory(self, name: str, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of an argument as the host has it: of an indexed one all parts, [parts, rows, columns]."""
        dim = self.dim_of(name)
        if dim is None:
            return shape
        return (self.parts, *(size // self.count if place == dim else size for place, size in enumerate(shape)))


def indexed_arguments(function: func.FuncOp) -> set[SSAValue]:
    """The arguments that are read by parts, and their scales: memory holds each part as a design reads it."""
    indexed = IndexedParameters.of(function)
    if indexed is None:
        return set()
    return {value for value, name in given_argument_names(function).items() if indexed.dim_of(name) is not None}


def _bad(what: str, function: func.FuncOp) -> InputError:
    return InputError("bad-attribute", what, where=f"func.func @{function.sym_name.data}")
