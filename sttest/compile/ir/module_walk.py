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
    found: list[OpT] = [root] if isinstance(root, kind) else []
    _collect(root, kind, _are_a(kind), found)
    return found


def _collect(op: Operation, kind: type[OpT], known: dict[type[Operation], bool], found: list[OpT]) -> None:
    # Compilations walk modules hundreds of times: iterators and `isinstance` would take a tenth of them.
    for region in op.regions:
        for block in region.blocks:
            inner = block.first_op
            while inner is not None:
                of = type(inner)
                is_one = known.get(of)
                if is_one is None:
                    is_one = known[of] = issubclass(of, kind)
                if is_one:
                    found.append(inner)  # pyright: ignore[reportArgumentType]
                if inner.regions:
                    _collect(inner, kind, known, found)
                inner = inner.next_op


@cache
def _are_a(_kind: type[Operation]) -> dict[type[Operation], bool]:
    """Whether types of ops are of a kind, as far as that was asked."""
    return {}


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
