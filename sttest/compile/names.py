"""Names of kernels: from the PyTorch module that an op came from, else from the parameter that it reads."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import BlockArgument, Operation, SSAValue


def identifier(text: str) -> str:
    """A name that is safe in IR, JSON, C++ and Verilog: letters, digits and underscores, no leading digit.

    >>> identifier("attn.q_proj"), identifier("1;rm")
    ('attn_q_proj', '_1_rm')
    """
    clean = re.sub(r"[^0-9A-Za-z_]+", "_", text)
    return f"_{clean}" if clean[:1].isdigit() or not clean else clean


class NameTable:
    """Unique, readable names for the ops of one function."""

    def __init__(self) -> None:
        self._arguments: dict[SSAValue, str] = {}
        self._taken: Counter[str] = Counter()

    def read_arguments(self, function: func.FuncOp) -> None:
        """Takes the argument names of ``sttest.arg_names`` and writes them to the values."""
        names = function.attributes.get("sttest.arg_names")
        if not isinstance(names, ArrayAttr):
            return
        for argument, name in zip(function.body.block.args, names, strict=True):
            if isinstance(name, StringAttr):
                self._arguments[argument] = name.data
                argument.name_hint = hint(identifier(name.data))

    def of(self, op: Operation, roots: Sequence[SSAValue]) -> tuple[str, str]:
        """A unique identifier and the origin in the model, e.g. ``("attn_q_proj", "attn.q_proj")``."""
        source = op.attributes.get("sttest.source")
        origin = source.data if isinstance(source, StringAttr) and source.data else self._parameter(roots)
        base = identifier(origin)
        self._taken[base] += 1
        number = self._taken[base]
        return (base if number == 1 else f"{base}_{number}"), origin

    def _parameter(self, roots: Sequence[SSAValue]) -> str:
        names = [self._arguments.get(root, "") for root in roots if isinstance(root, BlockArgument)]
        weights = [name for name in names if "." in name]
        return weights[0].rsplit(".", 1)[0] if weights else "op"


def argument_kinds(function: func.FuncOp) -> dict[SSAValue, str]:
    """``parameter``, ``input`` or ``cache`` per argument, as ``sttest.arg_kinds`` has it; empty without it."""
    kinds = function.attributes.get("sttest.arg_kinds")
    if not isinstance(kinds, ArrayAttr):
        return {}
    pairs = zip(function.body.block.args, kinds, strict=True)
    return {argument: kind.data for argument, kind in pairs if isinstance(kind, StringAttr)}


def parameters_of(function: func.FuncOp) -> set[SSAValue]:
    """The arguments that are parameters of the model."""
    return {argument for argument, kind in argument_kinds(function).items() if kind == "parameter"}


def hint(name: str) -> str:
    """A value name that prints and re-parses as itself: the printer owns the suffix ``_<digits>``.

    >>> hint("attn_norm_2")
    'attn_norm2'
    """
    return re.sub(r"_+(\d+)$", r"\1", name)
