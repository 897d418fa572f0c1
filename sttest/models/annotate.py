"""Names in the text: of arguments and results, of the model, and of each kernel's PyTorch module."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from sttest.models.normalise import function_of
from sttest.models.program import Program


def annotate(module: Any, program: Program, names: Sequence[str], kinds: Sequence[str]) -> None:
    """Attach ``sttest.*`` attributes to the function and ``sttest.source`` to each op that becomes a kernel.

    On the function: ``arg_names`` and ``arg_kinds`` (parameter, input or
    cache) by position, ``result_names``, and the program's own attributes, such
    as ``inputs_per_layer``, names of inputs of which each layer has its own.
    """
    function = function_of(module)
    facts: dict[str, Any] = {"arg_names": names, "arg_kinds": kinds, "result_names": program.results}
    facts |= program.attributes
    for name, value in facts.items():
        function.attributes[f"sttest.{name}"] = _attribute(module.context, value)
    for op in function.regions[0].blocks[0].operations:
        if op.operation.name.startswith("linalg.") or op.operation.name == "tensor.concat":
            op.attributes["sttest.source"] = _attribute(module.context, source_of(op))


def _attribute(context: Any, value: str | int | Sequence[str]) -> Any:
    ir = import_module("torch_mlir.ir")

    with context:
        if isinstance(value, str):
            return ir.StringAttr.get(value)
        if isinstance(value, int):
            return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value)
        return ir.ArrayAttr.get([ir.StringAttr.get(item) for item in value])


def source_of(op: Any) -> str:
    """Path of the module that an op came from; of the consumer where several were fused."""
    found = re.search(r'"([^"]+)"', str(op.location))
    return found.group(1) if found else "block"
