"""Walking a module: its functions, and the ops of one kind inside an op."""

from __future__ import annotations

from functools import cache
from typing import TypeVar

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from sttest.errors import InputError

OpT = TypeVar("OpT", bound=Operation)


def all_of(root: Operation, kind: type[OpT]) -> list[OpT]:
    """Every op of that kind inside ``root``, in program order; the list stays valid while ops are replaced."""
    found: list[OpT] = []
    _collect(root, kind, found)
    return found


def _collect(op: Operation, kind: type[OpT], found: list[OpT]) -> None:
    # Compilations walk modules hundreds of times: a generator per level and `isinstance` would take a tenth of them.
    if _is_a(type(op), kind):
        found.append(op)  # pyright: ignore[reportArgumentType]
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                _collect(inner, kind, found)


@cache
def _is_a(of: type[Operation], kind: type[Operation]) -> bool:
    return issubclass(of, kind)


def functions(module: ModuleOp) -> list[func.FuncOp]:
    """The functions that have a body.

    Raises:
        InputError: a body has several blocks, or does not end in ``func.return``.
    """
    found = [function for function in all_of(module, func.FuncOp) if function.body.blocks]
    for function in found:
        if len(function.body.blocks) > 1:
            raise InputError(
                "control-flow",
                f"the body has {len(function.body.blocks)} blocks, only straight-line code streams",
                where=f"func.func @{function.sym_name.data}",
                levers=["unroll the control flow before export"],
            )
        returned(function)
    return found


def returned(function: func.FuncOp) -> func.ReturnOp:
    """The op that returns the function's results.

    Raises:
        InputError: the body does not end in ``func.return``.
    """
    last = function.body.block.last_op
    if not isinstance(last, func.ReturnOp):
        raise InputError(
            "no-return", "the body does not end in func.return", where=f"func.func @{function.sym_name.data}"
        )
    return last
