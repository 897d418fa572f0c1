"""Reads a FINN model, an ONNX file of dataflow layers, into plain values; needs the package onnx.

Nothing of a file is executed: custom operations are only read, weights are not looked at.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sttest.core.errors import InputError, ToolMissingError
from sttest.core.files import read_bytes
from sttest.sim.graph import MAX_CYCLES, MAX_PROCESSES, check_text, check_whole

MAX_MODEL_BYTES = 1 << 30
"""Of one ONNX file, most of which are weights; protobuf itself takes no more than twice as much."""
MAX_TEXT_CHARS = 200
FINN_DOMAIN = "finn.custom_op.fpgadataflow"
_BITS = {"BIPOLAR": 1, "BINARY": 1, "TERNARY": 2, "FLOAT32": 32, "FLOAT16": 16}


@dataclass(frozen=True)
class Node:
    """A node of the model; an attribute is a whole number, a text, or a tuple of whole numbers or texts."""

    name: str
    op: str
    domain: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any]
    where: str

    def whole(self, name: str, default: int | None = None, least: int = 1) -> int:
        """An attribute that is one whole number.

        Raises:
            InputError: it is missing, no whole number, or below ``least``.
        """
        value = self._value(name, default)
        if isinstance(value, tuple) and len(value) == 1:  # earlier releases wrote some of them as lists
            value = value[0]
        return check_whole(value, name, self.where, least, MAX_CYCLES)

    def wholes(self, name: str, default: tuple[int, ...] | None = None, least: int = 1) -> tuple[int, ...]:
        """An attribute that is a list of whole numbers, or one of them."""
        value = self._value(name, default)
        values = value if isinstance(value, tuple) else (value,)
        return tuple(check_whole(each, name, self.where, least, MAX_CYCLES) for each in values)

    def pair(self, name: str, default: tuple[int, int] | None = None, least: int = 1) -> tuple[int, int]:
        """An attribute that is [height, width], or one number for both."""
        values = self.wholes(name, default, least)
        if len(values) not in (1, 2):
            raise InputError("bad-attribute", f"{name} has {len(values)} entries, not 2", where=self.where)
        return values[0], values[-1]

    def bits(self, name: str) -> int:
        """The width of the element type that an attribute names."""
        return element_bits(str(self._value(name, None)), self.where)

    def folds(self, total: str | int, lanes: str | int) -> int:
        """How many tokens of ``lanes`` elements make up ``total``; each is an attribute's name or a number.

        Raises:
            InputError: the lanes do not divide the total.
        """
        most = self.whole(total) if isinstance(total, str) else total
        per_token = self.whole(lanes) if isinstance(lanes, str) else lanes
        if most % per_token:
            what = f"{lanes if isinstance(lanes, str) else 'a token'} of {per_token} does not divide {total}"
            raise InputError("bad-folding", what if total == most else f"{what}={most}", where=self.where)
        return most // per_token

    def _value(self, name: str, default: object) -> Any:
        value = self.attributes.get(name, default)
        if value is None:
            raise InputError("missing-attribute", f"attribute '{name}' is missing", where=self.where)
        return value


@dataclass(frozen=True)
class Model:
    """Nodes in the order of the file, and what else of it bears on streams."""

    name: str
    nodes: tuple[Node, ...]
    inputs: tuple[str, ...]  # tensors that come from outside, without constants
    outputs: tuple[str, ...]
    constants: frozenset[str] = frozenset()
    element_types: Mapping[str, str] = field(default_factory=dict[str, str])  # of annotated tensors, such as INT4
    clock_ns: str = ""


def element_bits(name: str, where: str) -> int:
    """The width of one of QONNX's element types, such as ``UINT4``, ``BIPOLAR`` or ``FIXED<8,4>``.

    Raises:
        InputError: it is none of them.
    """
    head, _, arguments = name.rstrip(">").partition("<")
    if name in _BITS:
        return _BITS[name]
    digits = arguments.split(",")[0] if head in ("FIXED", "SCALEDINT") else head.removeprefix("U").removeprefix("INT")
    if not (digits.isascii() and digits.isdecimal()) or len(digits) > 4 or int(digits) == 0:
        hints = ["QONNX has INT4, UINT4, BIPOLAR, FIXED<8,4>, FLOAT32 and their like"]
        raise InputError("unknown-type", f"unknown element type '{name:.40}'", where=where, hints=hints)
    return int(digits)


def read_model(path: Path) -> Model:
    """The model of an ONNX file.

    Raises:
        InputError: it cannot be read, is too large, or is no ONNX model.
        ToolMissingError: the package onnx is not installed.
    """
    data = read_bytes(path, most_bytes=MAX_MODEL_BYTES)
    where = str(path)
    try:
        import onnx
        from google.protobuf.message import DecodeError
    except ImportError as error:
        hints = ["pip install 'sttest[finn]'"]
        raise ToolMissingError("no-onnx", "reading ONNX needs the package onnx", where=where, hints=hints) from error
    found = onnx.ModelProto()
    try:
        found.ParseFromString(data)
    except (DecodeError, ValueError) as error:  # the second is text that is not UTF-8
        raise InputError("not-onnx", "not an ONNX model, or cut off", where=where) from error
    if _has_bytes_for_text(found):
        raise InputError("not-onnx", "no ONNX model: a text in it is not UTF-8", where=where)
    graph = found.graph
    if not graph.node:
        raise InputError("not-onnx", "no ONNX model with nodes", where=where)
    check_whole(len(graph.node), "number of nodes", where, 1, MAX_PROCESSES)
    constants = {each.name for each in graph.initializer} | {each.values.name for each in graph.sparse_initializer}
    return Model(
        graph.name or path.stem,
        _nodes(graph.node, where),
        tuple(each.name for each in graph.input if each.name not in constants),
        tuple(each.name for each in graph.output),
        frozenset(constants),
        {
            each.tensor_name: pair.value
            for each in graph.quantization_annotation
            for pair in each.quant_parameter_tensor_names
            if pair.key == "finn_datatype"
        },
        next((each.value for each in found.metadata_props if each.key == "clk_ns"), ""),
    )


def _has_bytes_for_text(message: Any) -> bool:
    """Whether a message, or one inside of it, has a text that is not UTF-8: protobuf gives the bytes of such a one."""
    for described, value in message.ListFields():
        is_one = isinstance(value, (str, bytes)) or hasattr(value, "ListFields")
        values = (value,) if is_one else value
        if described.type == described.TYPE_MESSAGE and any(map(_has_bytes_for_text, values)):
            return True
        if described.type == described.TYPE_STRING and any(isinstance(each, bytes) for each in values):
            return True
    return False


def _nodes(found: Any, where: str) -> tuple[Node, ...]:
    """The nodes; those without a name get FINN's, the operation and a number per operation."""
    counts: Counter[str] = Counter()
    nodes: list[Node] = []
    for each in found:
        check_text(each.op_type, "operation", where, MAX_TEXT_CHARS)
        check_text(each.name, "name of a node", where, MAX_TEXT_CHARS)
        name = each.name or f"{each.op_type}_{counts[each.op_type]}"
        counts[each.op_type] += 1
        place = f"{where}: {name}"
        attributes = {attribute.name: _value(attribute) for attribute in each.attribute}
        nodes.append(Node(name, each.op_type, each.domain, tuple(each.input), tuple(each.output), attributes, place))
    twice = [name for name, count in Counter(node.name for node in nodes).items() if count > 1]
    if twice:
        raise InputError("duplicate-name", f"two nodes are called '{twice[0]}'", where=where)
    return tuple(nodes)


def _value(attribute: Any) -> Any:
    """The value of an attribute, or None of a kind that no layer needs, such as a tensor."""
    import onnx

    kinds = onnx.AttributeProto
    if attribute.type == kinds.INT:
        return int(attribute.i)
    if attribute.type == kinds.INTS:
        return tuple(map(int, attribute.ints))
    if attribute.type == kinds.STRING:
        return attribute.s.decode("utf-8", "replace")
    if attribute.type == kinds.STRINGS:
        return tuple(each.decode("utf-8", "replace") for each in attribute.strings)
    return None
