"""What a manifest of goldens says of a design besides values: order of tokens, nodes, and where integers have scales.

It is data for readers that know nothing of this project (docs/your-design/goldens.md), so every fact is spelled out.
A scalar is a tensor of one dim and one element there.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import Any

from sttest.core.errors import InputError
from sttest.reference import ReferenceGraph
from sttest.reference.engine import run_order
from sttest.reference.graph import (
    Access,
    Argument,
    Concat,
    Converter,
    Custom,
    Fork,
    Gather,
    Load,
    Node,
    Payload,
    ReferenceStream,
    ScalarOp,
    Slice,
    Store,
    Task,
    is_integer,
)

PRODUCT = "integer product"
"""What a task is said to compute that sums products of integers exactly, wrapping at 32 bits."""
_SCALE = "_scale"
_ROUNDING = ["arith.fptosi", "arith.minimumf", "arith.maximumf", "math.roundeven"]
"""How an integer is made of a number, last operation first; the two in the middle are left out or turned around."""

# --- The order of tokens


def stream_order(stream: ReferenceStream) -> dict[str, Any]:
    """Loops around the tokens of a stream, outermost first: their trips, and how far each moves along which dims.

    Raises:
        InputError: tokens in front of the tensor's first element.
    """
    moves = [[row[loop] * step for row in stream.coefficients] for loop, step in enumerate(stream.steps)]
    if min((*stream.start, *(each for row in moves for each in row)), default=0) < 0:
        what = "its tokens go backwards, which a manifest of goldens does not say"
        raise InputError("bad-value-graph", what, where=f"stream '{stream.name}'", hints=["name other streams: --only"])
    return _order(stream.trips, moves, stream.start, stream.element)


def row_major_order(shape: Sequence[int]) -> dict[str, Any]:
    """One element after the other, the last dim the fastest."""
    sizes = with_dims(shape)
    moves = [[int(dim == loop) for dim in range(len(sizes))] for loop in range(len(sizes))]
    return _order(sizes, moves, [0] * len(sizes), [1] * len(sizes))


def with_dims(shape: Sequence[int]) -> list[int]:
    """A shape of one dim at least."""
    return list(shape) or [1]


def _order(
    trips: Sequence[int], moves: Sequence[Sequence[int]], start: Sequence[int], token: Sequence[int]
) -> dict[str, Any]:
    dims = len(token) or 1
    loops = [
        {"trips": trip, "moves": list(row) or [0], "dims": [dim for dim, move in enumerate(row) if move]}
        for trip, row in zip(trips or [1], moves or [[0] * dims], strict=True)  # one loop at least
    ]
    return {"loops": loops, "start": list(start) or [0], "token": with_dims(token)}


def tensor_shape(stream: ReferenceStream) -> list[int]:
    """The shape of the tensor that a stream carries, up to its farthest element."""
    reach = [
        sum((trip - 1) * step * factor for trip, step, factor in zip(stream.trips, stream.steps, row, strict=True))
        for row in stream.coefficients
    ]
    return with_dims([low + far + size for low, far, size in zip(stream.start, reach, stream.element, strict=True)])


# --- The nodes


def node_facts(node: Node, graph: ReferenceGraph) -> dict[str, Any]:
    """What a node does to its streams, as JSON values."""
    found: dict[str, Any] = {"name": node.name, "kind": node.kind}
    found |= {"reads": list(node.sources), "writes": list(node.sinks)}
    match node:
        case Load():
            return found | _load_facts(node)
        case Store():
            return found | {"results": [each.name for each in graph.results if each.store == node.name]}
        case Concat():
            return found | {"module": node.origin, "turns": node.turns}
        case Gather():
            return found | {"code": node.code}
        case Converter():
            return found | {"buffer": list(node.buffer), "blocks": node.blocks}
        case Custom():
            return found | {"module": node.origin, "function": node.function, "numbers": list(node.numbers)}
        case Task():
            return found | _task_facts(node)
        case Fork():
            return found


def _load_facts(load: Load) -> dict[str, Any]:
    """The argument, and how it is read where that is not as a whole."""
    found: dict[str, Any] = {"argument": load.argument}
    if load.part is not None:
        found["slice"] = asdict(load.part)
    if load.parts is not None:
        found["parts"] = asdict(load.parts)
    return found if load.coded is None else found | {"code": load.coded.code}


def _task_facts(task: Task) -> dict[str, Any]:
    loops = [
        {"kind": kind, "trips": trips, "tile": tile, "extent": trips * tile}
        for kind, trips, tile in zip(task.kinds, task.trips, task.tile, strict=True)
    ]
    count = len(task.sources)
    return {
        "module": task.origin,
        "computes": PRODUCT if is_integer_product(task) else None,
        "loops": loops,
        "reads_at": [_access(each, len(loops)) for each in task.accesses[:count]],
        "writes_at": [_access(each, len(loops)) for each in task.accesses[count:]],
        "init": task.init,
        "pairwise": task.pairwise,
        "body": _body(task.payload),
    }


def _access(access: Access, loops: int) -> dict[str, Any]:
    """Per dim of the tensor the factor of every loop's number, and the constant that is added."""
    rows = [list(row) for row in access.coefficients] or [[0] * loops]
    return {"factors": rows, "start": list(access.start) or [0]}


def _body(payload: Payload) -> dict[str, Any]:
    ops = [
        " ".join(filter(None, [f"v{number} =", op.op, op.predicate, op.value, *(f"v{each}" for each in op.operands)]))
        + f" : {op.dtype}"
        for number, op in enumerate(payload.ops, start=len(payload.arguments))
    ]
    return {"arguments": list(payload.arguments), "ops": ops, "results": [f"v{each}" for each in payload.results]}


def is_integer_product(task: Task) -> bool:
    """Whether a task sums, from 0, the products of its two sources, which are integers, in i32."""
    payload, running = task.payload, len(task.sources)
    if running != 2 or len(task.sinks) != 1 or "reduction" not in task.kinds or task.init not in ("0", "-0"):
        return False
    if not all(is_integer(dtype) for dtype in payload.types) or payload.types[payload.results[0]] != "i32":
        return False
    made = dict(enumerate(payload.ops, start=len(payload.arguments)))

    def source(number: int) -> int:
        """The argument that a value is, be it extended."""
        return source(made[number].operands[0]) if number in made and made[number].op == "arith.extsi" else number

    last = made.get(payload.results[0])
    if last is None or last.op != "arith.addi" or running not in last.operands:
        return False
    (term,) = [each for each in last.operands if each != running] or [running]
    factors = made.get(term)
    is_product = factors is not None and factors.op == "arith.muli" and factors.dtype == "i32"
    return is_product and factors is not None and {source(each) for each in factors.operands} == {0, 1}


# --- Arguments that streams carry as they are, and scales of integers


class Origins:
    """Where the values of a design's streams come from.

    Args:
        graph: the design.
    """

    def __init__(self, graph: ReferenceGraph) -> None:
        self.graph = graph
        self.writer: dict[str, Node] = {name: node for node in graph.nodes for name in node.sinks}
        self.reader: dict[str, Node] = {name: node for node in graph.nodes for name in node.sources}

    @cached_property
    def carried(self) -> dict[str, str]:
        """The argument whose elements a stream carries, at the places that they have there, by stream."""
        return {name: argument for name, (argument, part) in self._of_arguments.items() if part is None}

    def slice_of(self, stream: str) -> dict[str, Any] | None:
        """Which part of every token of an argument a stream carries; None where that is not so."""
        argument, part = self._of_arguments.get(stream, ("", None))
        return None if part is None else {"argument": argument, **asdict(part)}

    @cached_property
    def _of_arguments(self) -> dict[str, tuple[str, Slice | None]]:
        """Argument, and slice of it, whose elements a stream carries."""
        found: dict[str, tuple[str, Slice | None]] = {}
        coded: dict[str, str] = {}
        for node in run_order(self.graph):
            if isinstance(node, Load) and node.coded is not None:
                coded[node.sink] = node.argument
            elif isinstance(node, Load) and node.parts is None:
                found[node.sink] = node.argument, node.part
            elif isinstance(node, Gather):
                first, *others = (coded.get(name) or found.get(name, ("",))[0] for name in node.sources)
                # A share of a code's tokens is not all of the argument.
                if first and all(each == first for each in others) and self._has_all(node.sink, first):
                    found[node.sink] = first, None
            elif isinstance(node, Fork | Converter) and node.source in found:
                found |= dict.fromkeys(node.sinks, found[node.source])
        return found

    def _has_all(self, stream: str, argument: str) -> bool:
        return tensor_shape(self.graph.stream[stream]) == with_dims(self.graph.argument[argument].shape)

    def quantization(self, stream: ReferenceStream) -> dict[str, Any] | None:
        """The scale of a stream of integers: an argument's own, or the stream of those that a task has rounded by."""
        if not is_integer(stream.dtype):
            return None
        if stream.name in self.carried:
            return self.argument_quantization(self.graph.argument[self.carried[stream.name]])
        node = self._made_by(stream.name)
        return self._rounded_by(node) if isinstance(node, Task) else None

    def _made_by(self, stream: str) -> Node:
        """The node that computes a stream's values, in front of forks and converters."""
        node = self.writer[stream]
        while isinstance(node, Fork | Converter):
            node = self.writer[node.source]
        return node

    def _rounded_by(self, task: Task) -> dict[str, Any] | None:
        """What a task has multiplied by before it rounded: a constant, or one over the scales of a stream."""
        found: dict[str, Any] = {"zero_point": 0, "value": "integer * scale", "rounded_by": task.name}
        for factor in _factors_before_rounding(task.payload):
            if isinstance(factor, float):
                return found | {"scale": 1 / factor} if factor else None
            if factor < len(task.sources):
                made = self._made_by(task.sources[factor])
                if isinstance(made, Task) and _is_reciprocal(made.payload):
                    return found | {"scale_stream": made.sources[0], "scale_port": factor}
        return None

    def result_quantization(self, name: str) -> dict[str, Any] | None:
        """The same of a result, whose scales are a result, too."""
        results = {each.name: each for each in self.graph.results}
        own, scale = results[name], results.get(f"{name}{_SCALE}")
        if scale is None or not is_integer(own.dtype) or scale.shape != own.shape[:-1]:
            return None
        places = [{"dim": dim, "per": 1} for dim in range(len(scale.shape))]
        return {"scale": scale.name, "zero_point": 0, "value": "integer * scale", "scale_at": places}

    def argument_quantization(self, argument: Argument) -> dict[str, Any] | None:
        """Where the scales of an argument lie; None where it has none.

        ``scale_at`` says for each dim of the scales which dim of the argument counts there, and how many of its
        elements share one; it is left out where the design does not say.
        """
        scale = self.graph.argument.get(f"{argument.name}{_SCALE}")
        if scale is None or not is_integer(argument.dtype):
            return None
        found: dict[str, Any] = {"scale": scale.name, "zero_point": 0, "value": "integer * scale"}
        places = self._scale_places(argument, scale.shape)
        return found if places is None else found | {"scale_at": places}

    def _scale_places(self, argument: Argument, scale: Sequence[int]) -> list[dict[str, int]] | None:
        if tuple(scale) == argument.shape[:-1]:
            return [{"dim": dim, "per": 1} for dim in range(len(scale))]
        summed = self._summed_dims(argument.name)
        if len(summed) != 1 or len(scale) != len(argument.shape):
            return None
        (dim,) = summed
        others = [each for each in range(len(argument.shape)) if each != dim]
        if tuple(scale[1:]) != tuple(argument.shape[each] for each in others) or argument.shape[dim] % scale[0]:
            return None
        return [{"dim": dim, "per": argument.shape[dim] // scale[0]}, *({"dim": each, "per": 1} for each in others)]

    def _summed_dims(self, argument: str) -> set[int]:
        """The dims of an argument along which the products that read it sum."""
        return {
            dim
            for stream, (name, _part) in self._of_arguments.items()
            if name == argument and isinstance(task := self.reader[stream], Task)
            for dim in _reduced(task, task.sources.index(stream))
        }


def _reduced(task: Task, port: int) -> Iterable[int]:
    rows = task.accesses[port].coefficients
    return (dim for dim, row in enumerate(rows) if any(row[loop] for loop in task.reductions))


def _factors_before_rounding(payload: Payload) -> list[int | float]:
    """Arguments, by number, and constants of the product that a payload's one result was rounded from, if it was."""
    made = dict(enumerate(payload.ops, start=len(payload.arguments)))
    number, path = payload.results[0], []
    while number in made and made[number].op in _ROUNDING:
        path.append(made[number].op)
        number = made[number].operands[0]
    is_rounded = len(payload.results) == 1 and path[:1] == _ROUNDING[:1] and path[-1:] == _ROUNDING[-1:]
    if not is_rounded or number not in made or made[number].op != "arith.mulf":
        return []
    constants = {each: op for each, op in made.items() if op.op == "arith.constant"}
    return [float(constants[each].value) if each in constants else each for each in made[number].operands]


def _is_reciprocal(payload: Payload) -> bool:
    """Whether a payload is 1 over its one source."""
    if not payload.ops or payload.ops[-1].op != "arith.divf" or len(payload.arguments) != 2:
        return False
    one, source = payload.ops[-1].operands
    made: Mapping[int, ScalarOp] = dict(enumerate(payload.ops, start=len(payload.arguments)))
    if source in made and made[source].op == "arith.extf":
        (source,) = made[source].operands
    return source == 0 and one in made and made[one].op == "arith.constant" and float(made[one].value) == 1.0
