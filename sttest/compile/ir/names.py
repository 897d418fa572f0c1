"""Names of kernels: from the PyTorch module that an op came from, else from the parameter that it reads."""

import itertools
import re
from collections.abc import Iterable, Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import BlockArgument, Operation, SSAValue

from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import returned
from sttest.core.errors import InputError, did_you_mean

# Results with these names leave as cache entries where a text does not say (docs/extend/add-a-model.md).
_CACHE_RESULTS = ("k_", "v_")


def unique(base: str, taken: set[str]) -> str:
    """The first of ``base``, ``base_2``, ``base_3`` … that is not taken; takes it.

    >>> unique("norm", {"norm", "norm_2"})
    'norm_3'
    """
    candidates = itertools.chain([base], (f"{base}_{number}" for number in itertools.count(2)))
    name = next(candidate for candidate in candidates if candidate not in taken)
    taken.add(name)
    return name


_CARD = re.compile(r"cards\.(\d+)(?:\.|$)")


def card_named(task: df.TaskOp) -> int:
    """The card of a task by the module that it comes from, such as ``cards.1.attn.q_proj``.

    Raises:
        InputError: its module is on none.
    """
    found = _CARD.match(task.origin_name)
    if found is None:
        raise InputError(
            "no-card",
            f"the module '{task.origin_name:.80}' is on no card",
            where=task.sym_name.data,
            hints=["compile a model with --cards", "compile the text without --cards"],
        )
    return int(found[1])


class NameTable:
    """Unique, readable names for the ops of one function."""

    def __init__(self) -> None:
        self._arguments: dict[SSAValue, str] = {}
        self._taken: set[str] = set()

    def read_arguments(self, function: func.FuncOp) -> None:
        """Takes the argument names of ``sttest.arg_names`` and writes them to the values."""
        for argument, name in given_argument_names(function).items():
            self._arguments[argument] = name
            argument.name_hint = hint(df.identifier(name))

    def of(self, op: Operation, roots: Sequence[SSAValue]) -> tuple[str, str]:
        """A unique identifier and the origin in the model, e.g. ``("attn_q_proj", "attn.q_proj")``."""
        origin = source_of(op) or self._parameter(roots)
        step = op.attributes.get("sttest.step")
        name = f"{origin}_{step.data}" if isinstance(step, StringAttr) else origin
        return unique(df.identifier(name), self._taken), origin

    def _parameter(self, roots: Sequence[SSAValue]) -> str:
        names = [self._arguments.get(root, "") for root in roots if isinstance(root, BlockArgument)]
        weights = [name for name in names if "." in name]
        return weights[0].rsplit(".", 1)[0] if weights else "op"


def source_of(op: Operation) -> str:
    """The PyTorch module that an op came from; empty where the text does not say."""
    source = op.attributes.get("sttest.source")
    return source.data if isinstance(source, StringAttr) else ""


def given_argument_names(function: func.FuncOp) -> dict[SSAValue, str]:
    """The name of each argument, as ``sttest.arg_names`` has it; empty without it."""
    arguments = function.body.block.args
    return dict(zip(arguments, _strings(function, "sttest.arg_names", len(arguments)), strict=False))


def argument_kinds(function: func.FuncOp) -> dict[SSAValue, str]:
    """``parameter``, ``input`` or ``cache`` per argument, as ``sttest.arg_kinds`` has it; empty without it."""
    arguments = function.body.block.args
    return dict(zip(arguments, _strings(function, "sttest.arg_kinds", len(arguments)), strict=False))


def parameters_of(function: func.FuncOp) -> set[SSAValue]:
    """The arguments that are parameters of the model."""
    return {argument for argument, kind in argument_kinds(function).items() if kind == "parameter"}


def given_result_names(function: func.FuncOp) -> list[str]:
    """The name of each result, as ``sttest.result_names`` has it; empty without it."""
    return _strings(function, "sttest.result_names", len(returned(function).operands))


def result_kinds(function: func.FuncOp) -> list[str]:
    """``result``, or ``cache`` for a new entry of the KV cache: by ``sttest.result_kinds``, else by the names."""
    names = given_result_names(function)
    said = _strings(function, "sttest.result_kinds", len(names))
    return said or ["cache" if name.startswith(_CACHE_RESULTS) else "result" for name in names]


def _strings(function: func.FuncOp, attribute: str, wanted: int) -> list[str]:
    """A function's attribute as a list of ``wanted`` strings, or of none where it is missing."""
    found = function.attributes.get(attribute)
    if found is None:
        return []
    strings = [item.data for item in found if isinstance(item, StringAttr)] if isinstance(found, ArrayAttr) else []
    if len(strings) == wanted:
        return strings
    raise InputError(
        "bad-attribute",
        f"{attribute} must be a list of {wanted} strings, found {found}",
        where=f"func.func @{function.sym_name.data}",
    )


def hint(name: str) -> str:
    """A value name that prints and re-parses as itself: the printer owns the suffix ``_<digits>``.

    >>> hint("attn_norm_2")
    'attn_norm2'
    """
    return re.sub(r"_+(\d+)$", r"\1", name)


# --- One name per node of a kernel, and per edge between two


class NodeNames:
    """Names of the nodes in a kernel's body at the itensor level; `name-nodes` writes them onto the nodes."""

    def __init__(self, kernel: df.KernelOp) -> None:
        self._names: dict[Operation, str] = {}
        self._edges: set[str] = set()
        taken: set[str] = set()
        for node in kernel.body.block.ops:
            self._names[node] = unique(self._base(node), taken)

    def of(self, node: Operation) -> str:
        """The node's name."""
        return self._names[node]

    def edge(self, source: Operation, target: Operation, port: int) -> str:
        """A unique name for the stream from ``source`` to input ``port`` of ``target``."""
        name = f"{self.of(source)}__{self.of(target)}"
        return unique(f"{name}_{port}" if name in self._edges else name, self._edges)

    def _base(self, node: Operation) -> str:
        if isinstance(node, df.NodeOp):
            return node.proposed_name(self._producer)
        return node.name.removeprefix("df.")

    def _producer(self, stream: SSAValue) -> str:
        owner = stream.owner
        return self._names.get(owner, "stream") if isinstance(owner, Operation) else "stream"


# --- Names of the tensors that go into a design and come out, whatever text it was made from


ENTERS = "x"
"""The argument that enters the first layer."""
POSITION = "position"
"""The argument that is added to it before, where the card does that (`add-positions`)."""
NUMBERS = "token_ids"
"""The argument that says which token a column of the head is: numbers from 0 on."""


def inputs_per_layer(function: func.FuncOp) -> set[SSAValue]:
    """Inputs of which each layer has its own, as ``sttest.inputs_per_layer`` names them; none without it.

    Raises:
        InputError: it names what is no input.
    """
    wanted = _given(function, "sttest.inputs_per_layer")
    kinds = argument_kinds(function)
    known = {name: value for value, name in argument_names(function).items() if kinds.get(value) == "input"}
    for name in wanted:
        if name not in known:
            raise InputError(
                "bad-attribute",
                f"sttest.inputs_per_layer names '{name}', which is no input",
                where=f"func.func @{function.sym_name.data}",
                hints=[did_you_mean(name, known)],
            )
    return {known[name] for name in wanted}


def argument_names(function: func.FuncOp) -> dict[SSAValue, str]:
    """Unique names: those of ``sttest.arg_names``, without it those of the text, or ``arg<number>``."""
    arguments = function.body.block.args
    spare = [argument.name_hint or f"arg{number}" for number, argument in enumerate(arguments)]
    return dict(zip(arguments, _unique(_given(function, "sttest.arg_names") or spare), strict=True))


def result_names(function: func.FuncOp) -> list[str]:
    """Unique names: those of ``sttest.result_names``, without it ``result<number>``."""
    spare = [f"result{number}" for number in range(len(returned(function).operands))]
    return _unique(_given(function, "sttest.result_names") or spare)


def _given(function: func.FuncOp, attribute: str) -> list[str]:
    found = function.attributes.get(attribute)
    return [item.data for item in found if isinstance(item, StringAttr)] if isinstance(found, ArrayAttr) else []


def _unique(names: Iterable[str]) -> list[str]:
    taken: set[str] = set()
    return [unique(name, taken) for name in names]
