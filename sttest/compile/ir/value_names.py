"""Names of the tensors that go into a design and come out, whatever text it was made from."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import SSAValue

from sttest.compile.ir.module_walk import returned
from sttest.compile.ir.names import argument_kinds, unique
from sttest.errors import InputError, did_you_mean

ENTERS = "x"
"""The argument that enters the first layer."""
POSITION = "position"
"""The argument that is added to it before, where the card does that (`add-positions`)."""
NUMBERS = "token_ids"
"""The argument that says which token a column of the head is: numbers from 0 on."""


def inputs_per_layer(function: func.FuncOp) -> set[SSAValue]:
    """Inputs of which each layer has its own, as ``sttest.inputs_per_layer`` names them; none without it.

    Raises:
        InputError: it names what is no input.
    """
    wanted = _given(function, "sttest.inputs_per_layer")
    kinds = argument_kinds(function)
    known = {name: value for value, name in argument_names(function).items() if kinds.get(value) == "input"}
    for name in wanted:
        if name not in known:
            raise InputError(
                "bad-attribute", f"sttest.inputs_per_layer names '{name}', which is no input",
                where=f"func.func @{function.sym_name.data}", levers=[did_you_mean(name, known)],
            )  # fmt: skip
    return {known[name] for name in wanted}


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
