"""A block, module or text with weights and inputs, as the verbs take it that compute its values."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from sttest.cli.common import Batch, Parameters, Phase, names_of
from sttest.cli.layers import Layer, layer_reference, naming_layers
from sttest.compile.options import CompileOptions
from sttest.compile.own_kernels import define_values
from sttest.core.errors import InputError
from sttest.core.files import read_text
from sttest.crosscheck.case import Case, WeightSource, require_torch
from sttest.crosscheck.text_case import make_module_case, package_case
from sttest.frontend.module_source import ModuleSource, is_module_reference
from sttest.package import DesignPackage
from sttest.studies.compile_request import Request, with_default_shape
from sttest.studies.workload import is_file

VALUE_OPTIONS = (
    "precision",
    "attention",
    "attention_maximum",
    "attention_chunk",
    "kernels",
    "tiers",
    "cards",
    "links",
    "link_credits",
    "ranks",
    "passes",
)
"""Options of the compiler that such verbs take: those that change what is computed, or where."""


@dataclass(frozen=True)
class CheckedBlock:
    """The block and its weights."""

    layer: Layer = None
    phase: Annotated[Phase | None, typer.Option(help="Of a model's block [decode]; a text has none.")] = None
    tokens: Annotated[int | None, typer.Option(help="Tokens that enter the block [prefill, --against: 32].")] = None
    context: Annotated[int | None, typer.Option(help="Tokens in the cache [decode: 64, small models 32].")] = None
    batch: Batch = None
    small: Annotated[bool, typer.Option("--small", help="The family at test sizes.")] = False
    seed: Annotated[int, typer.Option(min=0, help="Of random weights and inputs.")] = 0
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            help="Weights: a folder's first layer, with --against all; for a .mlir file, a .safetensors file by "
            "argument name."
        ),
    ] = None
    parameters: Parameters = None

    @property
    def weights(self) -> WeightSource:
        """Where weights and inputs come from."""
        return WeightSource(self.seed, self.checkpoint)


def asked_of(
    verb: str, model: str, block: CheckedBlock, board: str, options: CompileOptions, work_dir: Path | None
) -> Request:
    """What is to be compiled; a module is made, and values of own kernels are defined.

    Args:
        verb: that is named where another option of it would help.
        model: name, configuration, ``.mlir`` file or ``FILE.py:NAME``.
        block: its shape and weights.
        board: name or file of a board.
        options: of the compiler.
        work_dir: the package's folder; None for the default.

    Raises:
        InputError: a shape of a file, or a checkpoint of a module.
        ToolMissingError: PyTorch, which computes the golden results, is not installed.
    """
    require_torch()
    if options.kernels is not None:
        define_values(Path(options.kernels))
    if block.layer is not None:
        model, block = _of_layer(model, block, block.layer)
    asked = Request(
        model,
        block.phase,
        block.tokens,
        block.context,
        board,
        options,
        work_dir=work_dir,
        parameters=names_of(block.parameters),
        batch=block.batch,
    )
    with naming_layers(verb, model):
        asked = with_default_shape(asked, small=block.small)
        _ = asked.folder  # a configuration of no known block is refused here
    if not is_module_reference(model):
        return asked
    if block.checkpoint is not None:
        hints = ["leave it out", f"load the weights in {model}"]
        raise InputError("checkpoint-of-a-module", "a module has its weights", where="--checkpoint", hints=hints)
    return replace(asked, module=ModuleSource.load(model))


def _of_layer(config: str, block: CheckedBlock, layer: str) -> tuple[str, CheckedBlock]:
    """The module of a layer of transformers, whose shape it has."""
    phase = block.phase or "decode"
    model = layer_reference(layer, config, phase, block.tokens, block.context, small=block.small, seed=block.seed)
    return model, replace(block, phase=None, tokens=None, context=None, small=False)


def case_of(package: DesignPackage, asked: Request, weights: WeightSource) -> Case:
    """Weights, inputs and results of what was asked for.

    Raises:
        InputError: see :func:`~sttest.crosscheck.text_case.package_case`.
    """
    if asked.module is not None:
        return make_module_case(package, asked.module)
    text = read_text(Path(asked.model), hints=["name a .mlir file"]) if is_file(asked.model) else None
    return package_case(package, weights, text)
