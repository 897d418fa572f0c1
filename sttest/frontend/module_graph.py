"""A module's graph of ATen operations, in which every tensor that no input reaches is an argument; imports PyTorch.

What depends on parameters alone, a transposed weight or a causal mask, is computed once, before anything is compiled.
"""

import logging
import math
import re
import struct
from contextlib import redirect_stderr
from dataclasses import dataclass
from io import StringIO
from typing import Any

import torch
from torch import Tensor, nn
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, InputSpec, OutputKind, TensorArgument
from torch.fx import Graph, GraphModule, Node
from torch.utils import _pytree as pytree

from sttest.core.errors import InputError
from sttest.frontend.complex_numbers import write_pairs
from sttest.frontend.decompositions import aten, decompositions
from sttest.frontend.filled import define_empty, join_parts, write_fills
from sttest.frontend.refusals import forward_of, path_of, place_of, raised_at, readable, refuse_operations, refuse_types
from sttest.frontend.selections import write_selections
from sttest.frontend.slices import push_slices

_CHEAP = {
    aten.expand.default,
    aten.unsqueeze.default,
    aten.squeeze.dim,
    aten.view.default,
    aten._unsafe_view.default,
    aten.full.default,
    aten.scalar_tensor.default,
    aten.ne.Scalar,
}
"""What costs less where it is used than as a tensor in memory."""


_LARGEST = float(torch.finfo(torch.float32).max)


@dataclass
class ModuleGraph:
    """A graph whose placeholders are all user inputs.

    Attributes:
        exported: the graph; holds no values.
        names: of the arguments, in order.
        kinds: ``parameter`` or ``input``, by position.
        results: names of what is returned, in order.
        held: tensors of the module, by name.
        offline: computes the parameters `made` from all tensors of the module, in the order of `tensors`.
    """

    exported: ExportedProgram
    names: list[str]
    kinds: list[str]
    results: list[str]
    held: dict[str, Tensor]
    offline: GraphModule
    made: list[str]
    tensors: list[Tensor]

    def parameters(self) -> dict[str, Tensor]:
        """Values of all arguments of kind ``parameter``."""
        with torch.no_grad():
            made = dict(zip(self.made, self.offline(*self.tensors), strict=True))
        found = self.held | made
        return {name: found[name] for name, kind in zip(self.names, self.kinds, strict=True) if kind == "parameter"}


def module_graph(module: nn.Module, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> ModuleGraph:
    """The graph of one call of a module.

    Raises:
        InputError: the module can't be exported, is not in float32, changes its buffers, or returns no tensor of its
            own making.
    """
    exported, results = streaming_program(module, arguments, keywords)
    holders, frontier = _constants(exported)
    offline = _computation(holders, frontier)
    specs = {spec.arg.name: spec for spec in exported.graph_signature.input_specs}
    values = _held(exported)
    tensors = [values[node] for node in holders]
    names: dict[str, str] = {}
    for spec in specs.values():
        name = spec.arg.name if spec.kind is InputKind.USER_INPUT else readable(spec.target or "")
        names[spec.arg.name] = _unique(name, set(names.values()))
    held = {names[node.name]: tensor for node, tensor in zip(holders, tensors, strict=True)}
    made = [_hold(exported, node, names) for node in frontier]
    _drop_unused(exported)
    exported.graph_module.recompile()
    specs = exported.graph_signature.input_specs
    specs[:] = [spec for spec in specs if _is_tensor_argument(exported, spec)]
    ordered = [names[spec.arg.name] for spec in specs]
    kinds = ["input" if spec.kind is InputKind.USER_INPUT else "parameter" for spec in specs]
    refuse_operations(exported.graph)
    refuse_types(exported, ordered)
    for spec in specs:
        spec.kind, spec.target, spec.persistent = InputKind.USER_INPUT, None, None
    exported._state_dict, exported._constants = {}, {}
    return ModuleGraph(exported, ordered, kinds, results, held, offline, made, tensors)


def _is_tensor_argument(exported: ExportedProgram, spec: InputSpec) -> bool:
    """Whether an argument is a tensor; a number, a text or None is in the graph already, and its placeholder goes."""
    if isinstance(spec.arg, TensorArgument):
        return True
    for node in [each for each in exported.graph.nodes if each.op == "placeholder" and each.name == spec.arg.name]:
        exported.graph.erase_node(node)
    return False


def streaming_program(
    module: nn.Module, arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> tuple[ExportedProgram, list[str]]:
    """One call of a module in operations that stream where there are such, and the names of its results.

    Raises:
        InputError: see :func:`module_graph`.
    """
    exported = _export(module, arguments, keywords)
    results = _result_names(exported, forward_of(module))
    _drop_nothing(exported)
    _write_literals(exported)
    write_fills(exported.graph)
    define_empty(exported.graph, _held(exported))
    join_parts(exported.graph)
    write_pairs(exported.graph, offline_nodes(exported))
    stored = set(_holders(exported))
    push_slices(exported.graph, stored)
    exported.graph.eliminate_dead_code()
    write_selections(exported.graph, stored)
    write_fills(exported.graph)
    _name_outputs(exported)
    _widen_masks(exported)
    _widen_integers(exported)
    _refuse_constant_results(exported)
    _round_numbers(exported.graph)
    return exported, results


def _drop_nothing(exported: ExportedProgram) -> None:
    """Results that are None go."""
    output, specs = exported.graph.output_node(), exported.graph_signature.output_specs
    returned: Any = output.args[0]
    kept = [index for index, each in enumerate(returned) if isinstance(each, Node)]
    if len(kept) == len(returned):
        return
    output.args = (tuple(returned[index] for index in kept),)
    specs[:] = [specs[index] for index in kept]
    call = exported.module_call_graph[0].signature
    assert call is not None
    _, call.out_spec = pytree.tree_flatten(tuple(range(len(kept))))
    call.outputs = [each for each in call.outputs if isinstance(each, TensorArgument)]


def _refuse_constant_results(exported: ExportedProgram) -> None:
    constant = offline_nodes(exported)
    for node in exported.graph.output_node().all_input_nodes:
        if node in constant:
            raise InputError(
                "not-computed",
                "a result depends on no input",
                where=place_of(node),
                hints=["leave it out of the results, as it is the same in every call"],
            )


def offline_nodes(exported: ExportedProgram) -> set[Node]:
    """What no input reaches: the module's tensors, and all that is computed of them alone."""
    found = set(_holders(exported))
    for node in exported.graph.nodes:
        if node.op == "call_function" and found.issuperset(node.all_input_nodes):
            found.add(node)
    return found


def _export(module: nn.Module, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> ExportedProgram:
    before = logging.root.manager.disable
    logging.disable()  # PyTorch logs its own traceback, and prints the graph as far as it got
    try:
        with redirect_stderr(StringIO()):
            exported = torch.export.export(module, arguments, keywords, strict=False)
            for node in list(exported.graph.nodes):
                # Of a type that a cast away from float64 changes.
                if node.target is aten._assert_tensor_metadata.default:
                    exported.graph.erase_node(node)
            return exported.run_decompositions(decompositions())
    except Exception as error:
        message = next(filter(None, map(str.strip, str(error).splitlines())), type(error).__name__)
        hints = ["give inputs that it takes", "write it without branches on values of tensors, and return its state"]
        raise InputError(
            "not-exportable",
            f"PyTorch cannot export the module: {message}",
            where=raised_at(error, type(module).__name__),
            hints=hints,
        ) from error
    finally:
        logging.disable(before)


def _round_numbers(graph: Graph) -> None:
    """Numbers as float32 has them; torch-mlir keeps others in double precision and narrows them where they are used."""
    for node in graph.nodes:
        if node.op == "call_function":
            node.args = tuple(_f32(each) for each in node.args)


def _f32(value: Any) -> Any:
    if not isinstance(value, float) or not math.isfinite(value):
        return value
    return struct.unpack("f", struct.pack("f", max(min(value, _LARGEST), -_LARGEST)))[0]


def _write_literals(exported: ExportedProgram) -> None:
    """A number that PyTorch lifted out of the code, as in ``y[0] = 2.0``, is written where it is used."""
    graph, signature = exported.graph, exported.graph_signature
    for spec in signature.input_specs:
        value = exported.constants.get(spec.target or "")
        if spec.kind is not InputKind.CONSTANT_TENSOR or not isinstance(value, Tensor) or value.dim():
            continue
        node = next(each for each in graph.nodes if each.name == spec.arg.name)
        with graph.inserting_after(_last_placeholder(graph)):
            number = graph.call_function(aten.full.default, ([], value.item()), {"dtype": value.dtype})
        number.meta = dict(node.meta)
        node.replace_all_uses_with(number)


# --- What no input reaches


def _constants(exported: ExportedProgram) -> tuple[list[Node], list[Node]]:
    """Placeholders of the module's tensors, and the last nodes that depend on nothing else."""
    nodes, holders = list(exported.graph.nodes), _holders(exported)
    constant = set(holders)
    for node in nodes:
        random = torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())
        if node.op == "call_function" and not random and constant.issuperset(node.all_input_nodes):
            constant.add(node)
    frontier: list[Node] = []
    for node in reversed(nodes):
        if node not in constant or node.op == "placeholder" or constant.issuperset(node.users):
            continue
        joined = any(user.target in (aten.cat.default, aten.mm.default) for user in node.users)
        if (node.target in _CHEAP and not joined) or not isinstance(node.meta.get("val"), Tensor):
            constant.remove(node)
        else:
            frontier.insert(0, node)
    return holders, frontier


def _holders(exported: ExportedProgram) -> list[Node]:
    """Placeholders of the module's tensors."""
    kinds = {spec.arg.name: spec.kind for spec in exported.graph_signature.input_specs}
    nodes = exported.graph.nodes
    return [node for node in nodes if node.op == "placeholder" and kinds[node.name] is not InputKind.USER_INPUT]


def _held(exported: ExportedProgram) -> dict[Node, Tensor]:
    """The module's tensors, by their placeholders."""
    specs = {spec.arg.name: spec for spec in exported.graph_signature.input_specs}
    stored = {**dict(exported.state_dict), **exported.constants}
    return {node: stored[specs[node.name].target or ""].detach() for node in _holders(exported)}


def _name_outputs(exported: ExportedProgram) -> None:
    """The signature's names of results, as the graph has them now."""
    returned: Any = exported.graph.output_node().args[0]
    for spec, node in zip(exported.graph_signature.output_specs, returned, strict=True):
        if isinstance(node, Node) and isinstance(spec.arg, TensorArgument):
            spec.arg = TensorArgument(name=node.name)


def _widen_masks(exported: ExportedProgram) -> None:
    """Truth values that no input reaches, kept as zeros and ones: memory has no bits."""
    graph, stored = exported.graph, offline_nodes(exported)
    for node in [each for each in graph.nodes if each in stored and isinstance(each.meta.get("val"), Tensor)]:
        if node.meta["val"].dtype is not torch.bool or stored.issuperset(node.users):
            continue
        readers = [each for each in node.users if each not in stored]
        with graph.inserting_after(node if node.op != "placeholder" else _last_placeholder(graph)):
            wide = graph.call_function(aten._to_copy.default, (node,), {"dtype": torch.float32})
        with graph.inserting_after(wide):
            mask = graph.call_function(aten.ne.Scalar, (wide, 0))
        wide.meta, mask.meta = {**node.meta, "val": node.meta["val"].float()}, dict(node.meta)
        for each in readers:
            each.replace_input_with(node, mask)


_COMPARISONS = {aten.eq.Tensor, aten.ne.Tensor, aten.lt.Tensor, aten.le.Tensor, aten.gt.Tensor, aten.ge.Tensor}
_ARITHMETIC = {aten.add.Tensor, aten.sub.Tensor, aten.mul.Tensor, aten.div.Tensor}


def _widen_integers(exported: ExportedProgram) -> None:
    """Integers that no input reaches become the numbers that arithmetic and comparisons with float32 take them for."""
    graph, stored = exported.graph, offline_nodes(exported)
    for node in [each for each in graph.nodes if each not in stored and each.target in _ARITHMETIC | _COMPARISONS]:
        floats = any(each.meta["val"].dtype is torch.float32 for each in node.all_input_nodes)
        for operand in stored.intersection(node.all_input_nodes):
            value = operand.meta["val"]
            if not floats or value.is_floating_point() or not value.dim():
                continue
            with graph.inserting_before(node):
                number = graph.call_function(aten._to_copy.default, (operand,), {"dtype": torch.float32})
            number.meta = {**operand.meta, "val": value.float()}
            node.replace_input_with(operand, number)


def _last_placeholder(graph: Graph) -> Node:
    """The last placeholder."""
    return [node for node in graph.nodes if node.op == "placeholder"][-1]


def _computation(holders: list[Node], frontier: list[Node]) -> GraphModule:
    """The graph that leads from the module's tensors to the frontier."""
    graph, copies = Graph(), {}
    for node in holders:
        copies[node] = graph.placeholder(node.name)

    def copied(node: Node) -> Node:
        if node not in copies:
            for each in node.all_input_nodes:
                copied(each)
            copies[node] = graph.node_copy(node, copies.__getitem__)
        return copies[node]

    graph.output(tuple(copied(node) for node in frontier))
    return GraphModule({}, graph)


def _hold(exported: ExportedProgram, node: Node, names: dict[str, str]) -> str:
    """Make a node an argument beside the parameters; gives its name, that of the first parameter behind it."""
    graph, specs = exported.graph, exported.graph_signature.input_specs
    first = next(each for each in graph.nodes if each.op == "placeholder")
    with graph.inserting_before(first):
        argument = graph.placeholder(f"made_{node.name}")
    argument.meta["val"] = node.meta["val"].contiguous()
    node.replace_all_uses_with(argument)
    names[argument.name] = _unique(_parameter_behind(node, names), set(names.values()))
    spec = InputSpec(InputKind.BUFFER, TensorArgument(name=argument.name), target=argument.name, persistent=True)
    specs.insert(0, spec)
    return names[argument.name]


def _parameter_behind(node: Node, names: dict[str, str]) -> str:
    waiting = [node]
    while waiting:
        each = waiting.pop(0)
        if each.op == "placeholder":
            return f"{names[each.name]}_t" if node.target is aten.permute.default else f"{names[each.name]}_made"
        waiting += each.all_input_nodes
    path = path_of(node)
    return f"{path}.constant" if path else "constant"


def _drop_unused(exported: ExportedProgram) -> None:
    """Erase dead operations, and parameters that nothing reads any more."""
    graph, signature = exported.graph, exported.graph_signature
    graph.eliminate_dead_code()
    specs = {spec.arg.name: spec for spec in signature.input_specs}
    for node in list(graph.nodes):
        if node.op == "placeholder" and not node.users and specs[node.name].kind is not InputKind.USER_INPUT:
            signature.input_specs.remove(specs[node.name])
            graph.erase_node(node)


def _unique(name: str, taken: set[str]) -> str:
    candidates = (name if number == 1 else f"{name}_{number}" for number in range(1, len(taken) + 2))
    return next(each for each in candidates if each not in taken)


# --- Inputs and results


def _result_names(exported: ExportedProgram, where: str) -> list[str]:
    """A name per tensor returned: ``y``, ``y0`` and on, or the keys of a dict; errors name the module's computation.

    Raises:
        InputError: a buffer that changes, a result that is an argument, one that is there twice, or none.
    """
    specs = exported.graph_signature.output_specs
    nodes = {node.name: node for node in exported.graph.nodes}
    inputs = {spec.arg.name for spec in exported.graph_signature.input_specs}
    for each in specs:
        if each.kind is OutputKind.TOKEN:
            raise InputError(
                "unsupported-op",
                "the module checks values while it runs, as torch.linalg does",
                where=where,
                hints=["compute that on the host and give its result as an input"],
            )
        if each.kind is not OutputKind.USER_OUTPUT:
            raise InputError(
                "changes-state",
                f"the module writes to '{each.target}'",
                where=place_of(nodes[each.arg.name]),
                hints=["return the new value and take the old one as an input"],
            )
    found = [spec.arg.name if isinstance(spec.arg, TensorArgument) else None for spec in specs]
    tensors = [name for name in found if name is not None]
    if not tensors or len(set(tensors)) < len(tensors) or inputs.intersection(tensors):
        raise InputError(
            "not-computed",
            "a result is an input, or one is there twice, or there is none",
            where=where,
            hints=["return each tensor that the module computes once"],
        )
    spec: Any = exported.call_spec.out_spec
    paths, _ = pytree.tree_flatten_with_path(pytree.tree_unflatten(list(range(len(found))), spec))
    return [_result_name(path) for path, index in paths if found[index] is not None]


def _result_name(path: tuple[Any, ...]) -> str:
    parts = [str(getattr(key, "key", getattr(key, "name", getattr(key, "idx", "")))) for key in path]
    shown = re.sub(r"\W", "_", "_".join(parts))
    return shown if shown[:1].isalpha() else f"y{shown}"
