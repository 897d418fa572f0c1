"""What of a module does not stream, by its operation and its place in the user's program; imports PyTorch."""

import inspect
import re
import traceback
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.fx import Graph, Node

from sttest.core.errors import InputError

__depends__ = ()

# --- Places


def place_of(node: Node) -> str:
    """The operation, the user's file and line, and the module: ``aten.sort.stable at my.py:12 (block.gate)``.

    >>> place_of(Graph().call_function(aten.relu.default))
    'aten.relu.default'
    """
    shown = str(node.target)
    lines = re.findall(r'File "([^"]+)", line (\d+)', node.meta.get("stack_trace") or "")
    own = [line for line in lines if "/torch/" not in line[0]] or lines
    if own:
        shown += f" at {own[-1][0]}:{own[-1][1]}"
    path = path_of(node)
    return f"{shown} ({path})" if path else shown


def raised_at(error: BaseException, name: str) -> str:
    """A module's name, and the user's file and line that an error came from."""
    frames = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    layers = [frame for frame in frames if "/torch/nn/modules/" in frame[0] and "/module.py" not in frame[0]]
    found = [frame for frame in frames if not frame[0].startswith((*_NOT_THE_USERS, "<"))] or layers
    return f"{name} at {found[-1][0]}:{found[-1][1]}" if found else name


_NOT_THE_USERS = (
    f"{Path(torch.__file__).parent}/",
    f"{Path(__file__).parents[1]}/",
    *(str(path) for path in Path(re.__file__).parents[1].glob("*.py")),
)
"""Where PyTorch, the front end and the standard library are."""


def forward_of(module: nn.Module) -> str:
    """A module's name, with file and line of its computation."""
    name, forward = type(module).__name__, inspect.unwrap(type(module).forward)
    code = getattr(forward, "__code__", None)
    return f"{name} at {code.co_filename}:{code.co_firstlineno}" if code is not None else name


def path_of(node: Node) -> str:
    """Path of the module that a node came from; empty for the module itself."""
    stack: dict[str, tuple[str, Any]] = node.meta.get("nn_module_stack") or {}
    return readable(next(reversed(stack.values()))[0]) if stack else ""


def readable(path: str) -> str:
    """A path whose first part is a name, which that in an ``nn.Sequential`` is not.

    >>> readable("0.weight"), readable("layers.0.up.weight")
    ('layer0.weight', 'layers.0.up.weight')
    """
    return f"layer{path}" if path[:1].isdigit() else path


# --- Operations

_INSTEAD = {
    "convolution": "give the input a batch and channels, as the weight has them",
    "slice": "give the parts as inputs, or compute them by layers of their own",
    "embedding": "look rows up on the host and give them as an input",
    "index": "look rows up on the host and give them as an input",
    "gather": "compare the index, as float32, with torch.arange, and sum the elements under that mask",
    "index_put": "write under torch.where, or multiply by a matrix of zeros and ones",
    "scatter": "multiply by a matrix of zeros and ones that moves the elements",
    "scatter_add": "multiply by a matrix of zeros and ones that moves the elements",
    "scatter_reduce": "multiply by a matrix of zeros and ones that moves the elements",
    "nonzero": "keep the shape, with torch.where and zeros",
}
"""What to write in place of an operation."""
_CONSEQUENCES = ("sym_size", "_assert_scalar", "sym_constrain_range_for_size")
"""What PyTorch adds behind an operation whose shape depends on values."""


def refusal(node: Node) -> InputError | None:
    """Why an operation that an input reaches does not stream, as far as its name says."""
    name = str(node.target).split(".")[1] if node.op == "call_function" and "." in str(node.target) else ""
    random = torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())
    single = isinstance(node.meta.get("val"), Tensor) or name in _CONSEQUENCES
    if not name or (name not in _INSTEAD and single and not random):
        return None
    hint = _INSTEAD.get(name, "compute that on the host and give its result as an input")
    return InputError("unsupported-op", f"{name} is not streamed", where=place_of(node), hints=[hint])


def refuse_operations(graph: Graph) -> None:
    """Refuses the first operation that does not stream.

    Raises:
        InputError: see :func:`refusal`.
    """
    # What gives several tensors stands for a whole layer, a recurrence; its operands say less.
    for node in sorted(graph.nodes, key=lambda node: isinstance(node.meta.get("val"), Tensor)):
        if (found := refusal(node)) is not None:
            raise found


# --- Tensors


_HINTS = {torch.bool: ["give it as float32, and compare that with 0 in the module"]}
_OWN_INTEGERS = ["call float() on it and on what it meets"]
COMPLEX_HINT = ["compute with real and imaginary parts as tensors of float32, a rotation with sines and cosines"]
_INTEGERS = ["look up embeddings on the host and give their rows as an input", "give it as int32 or float32"]


def refuse_types(exported: ExportedProgram, names: list[str]) -> None:
    """Refuses arguments and results of a type that no stream carries.

    Args:
        exported: the program.
        names: names of its arguments, in their order.

    Raises:
        InputError: there is one.
    """
    given = {spec.arg.name for spec in exported.graph_signature.input_specs if spec.kind is InputKind.USER_INPUT}
    placeholders = [node for node in exported.graph.nodes if node.op == "placeholder"]
    for node, name in zip(placeholders, names, strict=True):
        value = node.meta.get("val")
        if not isinstance(value, Tensor):
            continue
        if value.dtype not in (torch.float32, torch.int8, torch.int16, torch.int32):
            user = next((place_of(each) for each in node.users), "the module")
            other = (
                ["module.float() and inputs of float32"]
                if value.dtype.is_floating_point
                else _INTEGERS
                if node.name in given
                else _OWN_INTEGERS
            )
            hints = COMPLEX_HINT if value.dtype.is_complex else _HINTS.get(value.dtype, other)
            kind = str(value.dtype).removeprefix("torch.")
            raise InputError("element-type", f"'{name}' is {kind}, which no stream carries", where=user, hints=hints)
    for node in exported.graph.output_node().all_input_nodes:
        if node.meta["val"].dtype is torch.bool:
            raise InputError(
                "element-type", "a result is bool, which no stream carries", where=place_of(node), hints=["y.float()"]
            )
