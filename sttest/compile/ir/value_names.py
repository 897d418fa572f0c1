"""Names of the tensors that go into a design and come out, whatever text it was made from."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import SSAValue

from sttest.compile.ir.module_walk import returned
from sttest.compile.ir.names import unique

ENTERS = "x"
"""The argument that enters the first layer."""
POSITION = "position"
"""The argument that is added to it before, where the card does that (`add-positions`)."""


def argument_names(function: func.FuncOp) -> dict[SSAValue, str]:
    """Unique names: those of ``sttest.arg_names``, without it those of the text, or ``arg<number>``."""
    arguments = function.body.block.args
    spare = [argument.name_hint or f"arg{number}" for number, argument in enumerate(arguments)]
    return dict(zip(arguments, _unique(_given(function, "sttest.arg_names") or spare), strict=True))


def result_names(function: func.FuncOp) -> list[str]:
    """Unique names: those of ``sttest.result_names``, without it ``result<number>``."""
    spare = [f"result{number}" for number in range(len(returned(function).operands))]
    return _unique(_given(function, "sttest.result_names") or spare)


def _given(function: func.FuncOp, attribute: str) -> list[str]:
    found = function.attributes.get(attribute)
    return [item.data for item in found if isinstance(item, StringAttr)] if isinstance(found, ArrayAttr) else []


def _unique(names: Iterable[str]) -> list[str]:
    taken: set[str] = set()
    return [unique(name, taken) for name in names]
