"""Names of what goes through a kernel: of a task's values, short as in its formula, and of FIFOs, as in the model."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.arith import ConstantOp
from xdsl.ir import Operation, SSAValue

from sttest.compile.dialects import df
from sttest.compile.dialects.df import identifier
from sttest.compile.hls.types import legal
from sttest.compile.ir.names import unique
from sttest.compile.schedule.reductions import reduction_of
from sttest.compile.sharing.processes import node_label, process_name

# --- What a function makes of a value's name


_BEFORE = ("kept", "level", "tokens", "waiting", "next", "read", "write", "pass", "rest")
_BEHIND = ("in", "out", "i")


def element_name(value: str) -> str:
    """The element of a token that a lane works on."""
    return f"{value}_i"


def stream_name(value: str, *, is_read: bool) -> str:
    """The FIFO that a task reads or writes."""
    return f"{value}_{'in' if is_read else 'out'}"


def names_of_symbols(names: Sequence[str]) -> dict[str, str]:
    """What symbols of values stand for.

    >>> names_of_symbols(["x"])
    {'@v0@': 'x', '@V0@': 'X'}
    """
    symbols = zip(_symbols(len(names)), names, strict=True)
    return {each: text for sign, name in symbols for each, text in ((sign, name), (sign.upper(), name.upper()))}


def _symbols(count: int) -> list[str]:
    return [f"@v{number}@" for number in range(count)]


def _forms(name: str) -> set[str]:
    return {name, *(f"{each}_{name}" for each in _BEFORE), *(f"{name}_{each}" for each in _BEHIND)}


# --- The values of a task


@dataclass(frozen=True)
class ValueNames:
    """The values of a task's streams, different from each other."""

    sources: tuple[str, ...]
    results: tuple[str, ...]

    @property
    def taken(self) -> set[str]:
        """All names that a function makes of them."""
        return set().union(*map(_forms, self.all))

    @property
    def all(self) -> tuple[str, ...]:
        """Those of sources, then those of results."""
        return (*self.sources, *self.results)

    @property
    def symbols(self) -> "ValueNames":
        """What stands for them until a function is printed."""
        found, arity = _symbols(len(self.all)), len(self.sources)
        return ValueNames(tuple(found[:arity]), tuple(found[arity:]))


_STEPS = {"quantize": "quantized", "dequantize": "dequantized", "rescale": "rescaled", "groups": "grouped"}
"""Values by the step of a module that makes them; other steps are called like the value."""
_FACTS = frozenset(("peak", "joint_peak", "scale", "reciprocal", "denominator"))
"""Steps that make something of a module's value, not the value."""
_OPERATIONS = {
    "arith.maximumf": "maximum",
    "arith.minimumf": "minimum",
    "math.rsqrt": "inverse_root",
    "math.sqrt": "root",
    "math.exp": "exponential",
    "math.tanh": "tangent",
}
_GREATER, _LESS = (2, 3, 9, 10), (4, 5, 11, 12)
"""Predicates of arith.cmpf by MLIR's numbers."""
_JOINS = {"arith.maximumf": "maximum", "arith.minimumf": "minimum", "arith.maxsi": "maximum", "arith.minsi": "minimum"}
# What a task's function calls its own, and what it counts, with letters before numbers.
_LOCAL = {"b", "n", "w", "tile", "tiles", "before", "token", "step_of_sum", "carries"}
_LOCAL |= {"write", "range", "to_int", "to_uint", "to_int64", "to_uint64"}
_COUNTED = ("term", "acc", "running")
_LETTERS = frozenset("belstv")
_DIGITS = "0123456789"


def value_names(kernel: df.KernelOp, taken: Collection[str]) -> Mapping[df.TaskOp, ValueNames]:
    """The names of all tasks' values.

    Args:
        kernel: kernel at the stream level, its nodes named.
        taken: names that no value may have.
    """
    tasks = [node for node in kernel.body.block.ops if isinstance(node, df.TaskOp)]
    loads = [node.tensor_name for node in kernel.body.block.ops if isinstance(node, df.DmaReadOp)]
    modules = sorted({_module(task) for task in tasks}, key=len, reverse=True)
    with_parameters = {module for module in modules if any(each.startswith(f"{module}_") for each in loads)}
    counts = Counter(_module(task) for task in tasks if not _step(task))
    in_steps = {module for module, count in counts.items() if count > 1}
    return {task: _Naming(task, modules, with_parameters, in_steps).names({*taken}) for task in tasks}


@dataclass(frozen=True)
class _Naming:
    """Names for one task."""

    task: df.TaskOp
    modules: Sequence[str]  # modules of all tasks, the longest first
    with_parameters: Collection[str]  # those that have some
    in_steps: Collection[str]  # those that several tasks without names of their own compute

    def names(self, taken: set[str]) -> ValueNames:
        sources = tuple(_free(self._carried(stream), taken) for stream in self.task.sources)
        wanted = self._made_by(self.task)
        return ValueNames(sources, tuple(_free(wanted, taken) for _ in self.task.produced))

    def _carried(self, stream: SSAValue) -> str:
        """What a source carries: a parameter by its part of the module's, a value by its step or its module."""
        maker = _maker(stream)
        if isinstance(maker, df.DmaOp):
            module = next((each for each in self.modules if maker.tensor_name.startswith(f"{each}_")), "")
            return maker.tensor_name.removeprefix(f"{module}_")
        if not isinstance(maker, df.TaskOp):
            return "x" if maker is None else maker.kind
        module = _module(self.task)
        if _module(maker) == module:
            return self._made_by(maker)
        # What a layer works on is its x, whoever made it.
        value = "x" if module in self.with_parameters else _short(maker)
        return f"{value}_{_fact(maker)}" if _fact(maker) else value

    def _made_by(self, task: df.TaskOp) -> str:
        step = _fact(task) or _step(task)
        if step:
            return _STEPS.get(step, step)
        named = _operation(task) if _module(task) in self.in_steps else ""
        return named or ("y" if _module(task) in self.with_parameters else _short(task))


def _maker(stream: SSAValue) -> df.NodeOp | None:
    """The node that made the tokens of a stream, behind those that only pass them on."""
    owner = stream.owner
    node = owner.writer if isinstance(owner, df.StreamOp) else None
    while node is not None and (node.passes_on or isinstance(node, df.EnterOp)):
        owner = node.sources[0].owner
        node = owner.writer if isinstance(owner, df.StreamOp) else None
    return node


def _module(task: df.TaskOp) -> str:
    return identifier(task.origin_name) if task.origin_name else task.sym_name.data


def _short(task: df.TaskOp) -> str:
    """The last part of a module's name: ``q`` of ``attn.q_proj``, ``norm`` of ``attn_norm``."""
    parts = (task.origin_name or task.sym_name.data).split(".")
    last = parts[-1] if len(parts) > 1 else parts[-1].rpartition("_")[2]
    return identifier(last).removesuffix("_proj")


def _step(task: df.TaskOp) -> str:
    """The step of its module that a task is; empty for the module itself, numbered or not."""
    step = task.sym_name.data.removeprefix(_module(task)).strip("_")
    bare = step.rstrip(_DIGITS)
    step = step if bare == step else bare.removesuffix("_")
    return "" if step == task.sym_name.data else step


def _fact(task: df.TaskOp) -> str:
    """What a task makes of its module's value, rescaled or not; empty where it makes the value."""
    step = _step(task)
    maker = _maker(task.sources[0]) if step == "rescale" else None
    if isinstance(maker, df.TaskOp) and _step(maker) in _FACTS:
        return _step(maker)
    return step if step in _FACTS else ""


def _operation(task: df.TaskOp) -> str:
    """What a task computes where one word says it; else empty."""
    reduction = reduction_of(task)
    if reduction is None:
        last = _behind_conversions(task.payload.block.last_op)
        return "" if last is None else chosen(last) or _OPERATIONS.get(last.name, "")
    if reduction.join is None or reduction.term is None:
        return ""
    term = reduction.term.owner
    if isinstance(term, arith.MulfOp) and isinstance(reduction.join, arith.AddfOp):
        if term.lhs is term.rhs:
            return "squares"
        return "mean" if any(isinstance(each.owner, ConstantOp) for each in term.operands) else ""
    return _JOINS.get(reduction.join.name, "")


def chosen(op: Operation) -> str:
    """``maximum`` or ``minimum`` where one of two is selected by comparing them; else empty."""
    compared = op.operands[0].owner if isinstance(op, arith.SelectOp) else None
    if not isinstance(compared, arith.CmpfOp) or {*compared.operands} != {*op.operands[1:]}:
        return ""
    number = compared.predicate.value.data
    if number not in (*_GREATER, *_LESS):
        return ""
    is_first = compared.operands[0] is op.operands[1]
    return "maximum" if is_first is (number in _GREATER) else "minimum"


def _behind_conversions(op: Operation | None) -> Operation | None:
    """The operation whose result a payload yields."""
    while op is not None and op.operands and (isinstance(op, df.YieldOp) or op.name in ("arith.truncf", "arith.extf")):
        owner = op.operands[0].owner
        op = owner if isinstance(owner, Operation) else None
    return op


def _free(wanted: str, taken: set[str]) -> str:
    """A legal name of which no form is taken; takes all of them."""
    name = legal(wanted)
    name = f"{name}_value" if _is_local(name) else name
    tried = set[str]()
    found = unique(name, tried)
    while _forms(found) & taken:
        found = unique(name, tried)
    taken |= _forms(found)
    return found


def _is_local(name: str) -> bool:
    bare = name.rstrip(_DIGITS)
    return name in _LOCAL or bare in _COUNTED or (bare != name and bare in _LETTERS)


# --- FIFOs of the kernel


_ON_THE_WAY = ("load", "gather", "fork", "order")


def fifo_variable(writer: df.NodeOp, number: int) -> str:
    """A name for the FIFO of a node's result: what it carries, whether that comes from memory, and which copy it is.

    Args:
        writer: node that writes it.
        number: number of the result among the node's.
    """
    path, value = _parted(process_name(writer))
    state = "ordered" if "order_" in path else "in" if "load_" in path or "gather_" in path else "out"
    return f"{value}_{state}{'' if len(writer.sinks) == 1 else number}"


def blocks_variable(converter: df.ConverterOp) -> str:
    """A name for the blocks between the halves of a converter."""
    return f"{_parted(node_label(converter))[1]}_blocks"


def _parted(label: str) -> tuple[str, str]:
    """What a node does with a value, and the value."""
    path, value = "", label
    while (parts := value.partition("_"))[0] in _ON_THE_WAY and parts[2]:
        path, value = f"{path}{parts[0]}_", parts[2]
    return path, value
