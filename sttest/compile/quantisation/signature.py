"""A function's arguments and results while some change their type and others join them."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, FunctionType, StringAttr, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.rewriter import Rewriter

from sttest.compile.ir.module_walk import returned
from sttest.compile.ir.names import argument_kinds, argument_names, is_cache_entry, result_names
from sttest.compile.linalg.iteration import shape_of


class Signature:
    """Names and kinds move with the arguments; :meth:`write` makes the function's type and attributes true again."""

    def __init__(self, function: func.FuncOp) -> None:
        self._function = function
        self._block = function.body.block
        self._names = list(argument_names(function).values())
        self._kinds = list(argument_kinds(function).values())
        self._results = result_names(function)

    def kind(self, argument: SSAValue) -> str:
        """``parameter``, ``input`` or ``cache``; empty where the text does not say."""
        place = self._place(argument)
        return self._kinds[place] if self._kinds and place is not None else ""

    def name(self, argument: SSAValue) -> str:
        """The argument's name; empty where the text does not say."""
        place = self._place(argument)
        return self._names[place] if self._names and place is not None else ""

    def find(self, name: str) -> SSAValue | None:
        """The argument of that name."""
        return next((argument for argument in self._block.args if name and self.name(argument) == name), None)

    def of_kind(self, kind: str) -> list[SSAValue]:
        """The arguments of one kind, in order."""
        return [argument for argument in self._block.args if self.kind(argument) == kind]

    def cached(self) -> list[int]:
        """Numbers of the results that are new entries of the KV cache."""
        return [number for number, name in enumerate(self._results) if is_cache_entry(name)]

    def result(self, number: int) -> SSAValue:
        """What the function returns there."""
        return returned(self._function).operands[number]

    def retype(self, argument: SSAValue, dtype: Attribute) -> SSAValue:
        """The argument with another element type."""
        return Rewriter.replace_value_with_new_type(argument, TensorType(dtype, shape_of(argument)))

    def add_argument(self, behind: SSAValue | None, name: str, kind: str, dtype: TensorType) -> SSAValue:
        """A new argument right behind another one, or behind the last of its kind, or first."""
        if behind is None:
            behind = next(iter(reversed(self.of_kind(kind))), None)
        place = self._place(behind)
        number = 0 if place is None else place + 1
        if self._names:
            self._names.insert(number, name)
        if self._kinds:
            self._kinds.insert(number, kind)
        return self._block.insert_arg(dtype, number)

    def replace_result(self, number: int, value: SSAValue) -> None:
        """Returns another value there."""
        returned(self._function).operands[number] = value

    def add_result(self, number: int, name: str, value: SSAValue) -> None:
        """A new result before number ``number``."""
        end = returned(self._function)
        values: Sequence[SSAValue] = [*end.operands[:number], value, *end.operands[number:]]
        self._results.insert(number, name)
        Rewriter.replace_op(end, func.ReturnOp(*values))

    def result_name(self, number: int) -> str:
        """The result's name."""
        return self._results[number]

    def write(self) -> None:
        """Type and attributes of the function as they are now."""
        function = self._function
        types = [argument.type for argument in self._block.args]
        function.function_type = FunctionType.from_lists(types, [value.type for value in returned(function).operands])
        for key, values in (("arg_names", self._names), ("arg_kinds", self._kinds), ("result_names", self._results)):
            if values:
                function.attributes[f"sttest.{key}"] = _strings(values)

    def _place(self, argument: SSAValue | None) -> int | None:
        return next((number for number, each in enumerate(self._block.args) if each is argument), None)


def _strings(values: Sequence[str]) -> ArrayAttr[StringAttr]:
    return ArrayAttr([StringAttr(value) for value in values])
