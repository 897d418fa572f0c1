"""A design of a linalg text or a module that is no model's block, with parameters and inputs, for every engine.

Nobody but the text says what it computes.  Its golden is the reference engine, which the emitted C++ and the hardware
must match to the bit; the text compiled in floating point is what the precision is held against.  A module says
itself what it computes: in floating point it is the golden, and a precision is held against it.
"""

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.dialects.tensor import ExpandShapeOp
from xdsl.ir import SSAValue

from sttest.compile.compiler import compile_text
from sttest.compile.ir.module_walk import functions
from sttest.compile.ir.names import argument_names
from sttest.compile.linalg.iteration import is_view, reassociation
from sttest.compile.opt import parse
from sttest.compile.quantization.grouping import summed_dims, views_of
from sttest.compile.reference_graph import value_graph
from sttest.core.errors import InputError, did_you_mean
from sttest.crosscheck.case import ArgumentCase, Case, WeightSource, main_result, require_torch
from sttest.crosscheck.rtl_values import random_tensors
from sttest.frontend.module_source import ModuleSource
from sttest.models.families import family_of
from sttest.package import DesignPackage, ModelPackage
from sttest.reference import ReferenceGraph, run
from sttest.reference.graph import Argument, Array
from sttest.reference.memory import memory_images, read_results

__depends__ = ("sttest/crosscheck/case.py",)  # those of block families

_SCALE = "_scale"
_DRAWN_SCALE = 1 / 64


def is_text(package: DesignPackage) -> bool:
    """Whether a package was compiled from a text rather than from a model's block."""
    workload = package.manifest.configuration.workload
    return workload.model is None or workload.asked_tokens is None


def package_case(package: DesignPackage, source: WeightSource, text: str | None = None) -> Case:
    """The case of a package: its model's block, or its text where it is of no model.

    Raises:
        InputError: a launch of several layers, or see :func:`make_text_case` and :func:`make_case`.
    """
    if is_text(package):
        return make_text_case(package, source, text)
    block = ModelPackage.read(package.folder)
    block.require_one_block()
    make = family_of(block.config).load_case()
    case = make(block.config, block.shape, block.scheme, source, block.chunk, block.maximum)
    if package.manifest.configuration.options.kernels is None:
        return case
    # PyTorch does not know what an own kernel computes.
    graph = package.reference_graph
    golden = case.results(graph, run(graph, case.images(graph)).results)
    return replace(case, golden=golden, modules={}, golden_name="reference")


def drawn_case(package: DesignPackage, seed: int) -> ArgumentCase:
    """Random arguments as the design has them in memory, and what the reference engine makes of them.

    It needs no PyTorch, and is a model's block or a text all the same: a kernel is right if it does with any values
    what the reference engine does.  Scales are positive and small, so that sums stay finite.

    Args:
        package: compiled design.
        seed: of the arguments.

    Raises:
        InputError: a launch of several layers.
    """
    if not is_text(package):
        ModelPackage.read(package.folder).require_one_block()
    graph = package.reference_graph
    drawn = random_tensors(graph, seed)
    scales = {
        name: np.abs(values) * np.float32(_DRAWN_SCALE) for name, values in drawn.items() if name.endswith(_SCALE)
    }
    arguments = {name: values.astype(drawn[name].dtype) for name, values in (drawn | scales).items()}
    golden = read_results(graph, run(graph, memory_images(graph, arguments)).results)
    return ArgumentCase(arguments, golden)


def make_text_case(package: DesignPackage, source: WeightSource, text: str | None = None) -> ArgumentCase:
    """Arguments from a file or a seed, quantized as the design has them, and what the design makes of them.

    Args:
        package: a design compiled from a text.
        source: a ``.safetensors`` file of tensors by argument name, or a seed for what it does not have.
        text: the text that was compiled; without it there are no results in floating point.

    Raises:
        InputError: a tensor of another shape or type, or a scheme with constant scales of inputs.
        ToolMissingError: PyTorch, which quantizes parameters, or safetensors is not installed.
    """
    graph = package.reference_graph
    plain = float_arguments(graph, source)
    arguments = quantized_arguments(package, plain)
    golden = read_results(graph, run(graph, memory_images(graph, arguments)).results)
    return ArgumentCase(arguments, golden, None if text is None else _in_floating_point(package, text, plain))


def make_module_case(package: DesignPackage, source: ModuleSource) -> ArgumentCase:
    """Arguments of a module, its parameters and its example inputs, and its own results.

    Args:
        package: a design compiled from the module.
        source: the module.

    Raises:
        InputError: a scheme with constant scales of inputs.
    """
    graph, inputs = package.reference_graph, source.inputs()
    tensors = source.parameters() | inputs
    arguments = quantized_arguments(package, {name: tensors[name] for name in tensors if name in graph.argument})
    began = time.perf_counter()
    own = source.run(inputs)
    seconds = time.perf_counter() - began
    main = own[main_result(graph)]
    if not package.manifest.configuration.quant_scheme.quantizes:
        return ArgumentCase(arguments, own, main, golden_name="torch", golden_s=seconds)
    golden = read_results(graph, run(graph, memory_images(graph, arguments)).results)
    return ArgumentCase(arguments, golden, main, golden_s=seconds)


def float_arguments(graph: ReferenceGraph, source: WeightSource) -> dict[str, Array]:
    """Every argument of the text, parameters in floating point: from the file, else random ones of the seed."""
    wanted = [each for each in graph.arguments if not _is_scale(graph, each)]
    given = {} if source.checkpoint is None else _from_file(source.checkpoint, wanted)
    random = np.random.default_rng(source.seed)
    # Drawn for all, so that a file changes no other argument.
    drawn = {each.name: _random(random, each, is_scaled=f"{each.name}{_SCALE}" in graph.argument) for each in wanted}
    return drawn | given


def quantized_arguments(package: DesignPackage, plain: Mapping[str, Array]) -> dict[str, Array]:
    """The arguments as the design reads them: integers and scales where the scheme has them (docs/reference/values.md).

    Raises:
        InputError: a scheme with constant scales, which come from a calibration.
    """
    graph = package.reference_graph
    found = {
        name: tensor.astype(np.float16) if graph.argument[name].dtype == "f16" else tensor
        for name, tensor in plain.items()
    }
    static = next((each.name for each in graph.arguments if each.name.endswith("input_scale")), None)
    if static is not None and static not in plain:
        raise InputError(
            "no-calibration",
            f"the constant scale '{static}' comes from a calibration, which a text has not",
            where=package.name,
            hints=["compile it with --precision w8a8"],
        )
    scaled = [each for each in graph.arguments if f"{each.name}{_SCALE}" in graph.argument and each.dtype != "f32"]
    if not scaled:
        return found
    require_torch()
    import torch

    from sttest.models.quant.quantizers import quantize_kv, quantize_weight

    scheme, rows = package.manifest.configuration.quant_scheme, _summed_dims(package)
    for each in scaled:
        values = torch.from_numpy(plain[each.name])
        if each.kind == "cache":
            made = quantize_kv(values, scheme.kv_max, scheme.kv_scales)
            found[each.name] = made.values.numpy()
        else:
            # The dim that is summed comes first in a group of rows.
            dim = rows[each.name]
            groups = graph.argument[f"{each.name}{_SCALE}"].shape[0]
            made = quantize_weight(
                values.movedim(dim, 0),
                each.shape[dim] // groups,
                scheme.of_layer(each.name.removesuffix(".weight")).weights,
            )
            found[each.name] = made.values.movedim(0, dim).contiguous().numpy()
        found[f"{each.name}{_SCALE}"] = made.scales.numpy()
    return found


def _is_scale(graph: ReferenceGraph, argument: Argument) -> bool:
    """Whether quantization added the argument."""
    name = argument.name.removesuffix(_SCALE)
    return name != argument.name and (name in graph.argument or name.endswith(".input")) and argument.kind != "input"


def _random(random: np.random.Generator, argument: Argument, *, is_scaled: bool) -> Array:
    if argument.dtype not in ("f32", "f16") and not is_scaled:
        raise InputError(
            "integer-argument",
            f"'{argument.name}' is of type {argument.dtype}, and only its maker knows its range",
            where="arguments",
            hints=["take f32 arguments; --precision makes integers of them"],
        )
    # Products of random rows keep the magnitude of what they are made of.
    rows = argument.shape[0] if argument.kind == "parameter" and len(argument.shape) > 1 else 1
    return (random.standard_normal(argument.shape) / np.sqrt(rows)).astype(np.float32)


def _from_file(path: Path, wanted: list[Argument]) -> dict[str, Array]:
    require_torch()
    from sttest.models.checkpoint import read_tensors

    shapes, found = {each.name: each.shape for each in wanted}, {}
    for name, tensor in read_tensors(path).items():
        if name not in shapes:
            raise InputError(
                "unknown-argument",
                f"the design takes no '{name:.80}'",
                where=str(path),
                hints=[did_you_mean(name, shapes)],
            )
        if tuple(tensor.shape) != shapes[name]:
            raise InputError(
                "other-shape",
                f"'{name}' is {list(tensor.shape)} in the file, {list(shapes[name])} in the design",
                where=str(path),
                hints=["store it in the shape of the text's argument"],
            )
        found[name] = tensor.contiguous().numpy()
    return found


def _in_floating_point(package: DesignPackage, text: str, plain: Mapping[str, Array]) -> Array:
    """The main result of the text with nothing quantized."""
    design = compile_text(
        text, package.name, package.board, package.manifest.configuration.options.with_(precision="fp32")
    )
    graph = value_graph(design.module, design.name)
    found = read_results(graph, run(graph, memory_images(graph, plain)).results)
    return found[main_result(graph)]


# --- Along which dim a contraction sums a weight: groups of rows lie there


def _summed_dims(package: DesignPackage) -> dict[str, int]:
    """The dim of each quantized weight that is summed, by argument name, from the IR after quantization."""
    name, text = next(iter(package.ir.items()), ("", ""))
    if "quantize" not in name:
        raise InputError("no-ir", "the package keeps no IR", where=str(package.folder), hints=["compile it anew"])
    (function,) = functions(parse(text, name))
    found: dict[str, int] = {}
    for argument, given in argument_names(function).items():
        dims = {dim for view in views_of(argument) for dim in _summed_in(view, argument)}
        if len(dims) == 1:
            found[given] = dims.pop()
    return found


def _summed_in(view: SSAValue, argument: SSAValue) -> set[int]:
    """The dims of an argument that readers of a view of it sum; only whole tensors and split dims are looked at."""
    summed = {
        dim
        for use in view.uses
        if isinstance(op := use.operation, GenericOp) and not is_view(op) and use.index < len(op.inputs)
        for dim in summed_dims(op, op.indexing_maps.data[use.index].data)
    }
    if view is argument:
        return summed
    if isinstance(split := view.owner, ExpandShapeOp) and split.src is argument:
        return {dim for dim, parts in enumerate(reassociation(split)) if summed.intersection(parts)}
    return set()
