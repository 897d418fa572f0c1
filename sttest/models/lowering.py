"""PyTorch to linalg text: torch.export, torch-mlir, normalisation, names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sttest.models.program import Program

if TYPE_CHECKING:
    from torch.export import ExportedProgram

_KINDS = {"PARAMETER": "parameter", "BUFFER": "parameter", "CONSTANT_TENSOR": "parameter", "USER_INPUT": "input"}


def lower(program: Program) -> str:
    """The program as linalg on tensors, in MLIR's generic form, parameters as arguments."""
    from torch_mlir import fx, ir
    from torch_mlir.dialects import torch as torch_dialect
    from torch_mlir.extras.fx_importer import FxImporter

    from sttest.models.annotate import annotate
    from sttest.models.normalise import normalise

    exported = _export(program)
    names, kinds = _open_parameters(exported, program.caches)
    _locate_by_module(exported)
    context = ir.Context()
    torch_dialect.register_dialect(context)
    context.allow_unregistered_dialects = True
    importer = FxImporter(context=context)
    module = fx.export_and_import(
        exported,
        output_type="linalg-on-tensors",
        decomposition_table={},
        experimental_support_mutation=True,
        fx_importer=importer,
    )
    normalise(module)
    annotate(module, program, names, kinds)
    return module.operation.get_asm(print_generic_op_form=True)


def _export(program: Program) -> ExportedProgram:
    import torch
    from torch_mlir.extras.fx_decomp_util import get_decomposition_table

    exported = torch.export.export(program.module, (), dict(program.inputs), strict=False)
    return exported.run_decompositions(get_decomposition_table())


def _open_parameters(exported: ExportedProgram, caches: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Make parameters ordinary arguments; gives names and kinds of all arguments in their order."""
    from torch.export.graph_signature import InputKind

    names, kinds = [], []
    for spec in exported.graph_signature.input_specs:
        name = spec.target if spec.kind != InputKind.USER_INPUT else spec.arg.name
        assert name is not None
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
