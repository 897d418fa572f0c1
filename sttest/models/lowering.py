"""PyTorch to linalg text: torch.export, torch-mlir, normalisation, names.

torch-mlir may take the whole interpreter down, so callers go through
:mod:`sttest.models.isolated`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sttest.errors import InputError
from sttest.models.annotate import annotate, source_of
from sttest.models.normalise import normalise
from sttest.models.program import Program

if TYPE_CHECKING:
    from torch.export import ExportedProgram

_KINDS = {"PARAMETER": "parameter", "BUFFER": "parameter", "CONSTANT_TENSOR": "parameter", "USER_INPUT": "input"}
_ALLOWED_DIALECTS = ("arith", "builtin", "func", "linalg", "math")
_ALLOWED_TENSOR_OPS = (
    "tensor.cast", "tensor.collapse_shape", "tensor.concat", "tensor.empty", "tensor.expand_shape",
)  # fmt: skip


def lower(program: Program, report: Callable[[str], None] = lambda stage: None) -> str:
    """The program as linalg on tensors, in MLIR's generic form, parameters as arguments.

    Args:
        program: what to lower.
        report: told the name of each stage as it starts.

    Raises:
        InputError: the program needs an op that no streaming loop nest can express.
    """
    report("torch.export")
    exported = export(program)
    names, kinds = _open_parameters(exported, program.caches)
    _locate_by_module(exported)
    report("torch-mlir")
    module = to_linalg(exported)
    report("normalisation")
    normalise(module)
    _check_ops(module)
    annotate(module, program, names, kinds)
    return module.operation.get_asm(print_generic_op_form=True)


def export(program: Program) -> ExportedProgram:
    """The program as a graph of ATen ops that torch-mlir knows."""
    import torch
    from torch_mlir.extras.fx_decomp_util import get_decomposition_table

    # Clones, because inputs that are one tensor would become one argument.
    inputs = {name: tensor.clone() for name, tensor in program.inputs.items()}
    exported = torch.export.export(program.module, (), inputs, strict=False)
    return exported.run_decompositions(get_decomposition_table())


def to_linalg(exported: ExportedProgram) -> Any:
    """The graph as an MLIR module, straight from torch-mlir."""
    from torch_mlir import fx
    from torch_mlir.dialects import torch as torch_dialect
    from torch_mlir.extras.fx_importer import FxImporter

    context = import_module("torch_mlir.ir").Context()
    context.allow_unregistered_dialects = True
    torch_dialect.register_dialect(context)
    return fx.export_and_import(
        exported,
        output_type="linalg-on-tensors",
        decomposition_table={},
        experimental_support_mutation=True,
        fx_importer=FxImporter(context=context),
    )


def _open_parameters(exported: ExportedProgram, caches: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Make parameters ordinary arguments; gives names and kinds of all arguments in their order."""
    from torch.export.graph_signature import InputKind

    names: list[str] = []
    kinds: list[str] = []
    for spec in exported.graph_signature.input_specs:
        name = spec.target or spec.arg.name
        names.append(name)
        kinds.append("cache" if name in caches else _KINDS[spec.kind.name])
        spec.kind = InputKind.USER_INPUT
    return names, kinds


def _locate_by_module(exported: ExportedProgram) -> None:
    """Give each node the path of its module as its location, which survives the lowering."""
    for node in exported.graph.nodes:
        stack: dict[str, tuple[str, Any]] = node.meta.get("nn_module_stack") or {}
        path = next(reversed(stack.values()))[0] if stack else ""
        node.meta["stack_trace"] = f'File "{path or "block"}", line 1,'


def _check_ops(module: Any) -> None:
    ir = import_module("torch_mlir.ir")
    foreign: list[Any] = []

    def look(op: Any) -> Any:
        if op.name.split(".")[0] not in _ALLOWED_DIALECTS and op.name not in _ALLOWED_TENSOR_OPS:
            foreign.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(look)
    if foreign:
        raise InputError(
            "unsupported-op",
            f"lowering leaves {foreign[0].name}, which is no loop nest over whole tensors",
            where=f"module {source_of(foreign[0])}",
            levers=["write the module without the operation that needs it", "compute that on the host"],
        )
