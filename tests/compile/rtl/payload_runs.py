"""Payloads on many points: by XLS's compiler for the host, and by the reference evaluator."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block

from sttest.compile.dialects import df
from sttest.compile.opt import new_context, parse
from sttest.compile.reference_graph import _payload as reference_payload
from sttest.compile.rtl.payload import PayloadFunction, payload_function, require_xls
from sttest.reference.graph import BITS, NUMPY
from sttest.reference.task import compiled

_BATCH = 32
"""Points per call of the compiled function, in a loop that it has."""


def block_of(types: Sequence[str], body: str, results: Sequence[tuple[str, str]]) -> Block:
    """A payload of arguments ``%x0`` … of the given types; results by name and type."""
    arguments = ", ".join(f"%x{number}: {kind}" for number, kind in enumerate(types))
    module = parse(f"builtin.module {{ func.func @f({arguments}) -> () {{ {body} func.return }} }}", "t", new_context())
    (function,) = (op for op in module.body.ops if isinstance(op, FuncOp))
    block = function.body.block
    assert block.last_op is not None
    block.erase_op(block.last_op)
    named = {f"%{value.name_hint}": value for op in block.ops for value in op.results}
    named |= {f"%x{number}": value for number, value in enumerate(block.args)}
    block.add_op(df.YieldOp([named[name] for name, _ in results]))
    return block


def function_of(block: Block) -> PayloadFunction:
    """The whole payload, ports ``x0`` … and ``y0`` …."""
    yielded = block.last_op
    assert isinstance(yielded, df.YieldOp)
    inputs = [(f"x{number}", value) for number, value in enumerate(block.args)]
    return payload_function(inputs, [(f"y{number}", value) for number, value in enumerate(yielded.arguments)], "test")


def by_reference(block: Block, values: Sequence[NDArray]) -> list[NDArray]:
    """What the reference evaluator gives."""
    with np.errstate(all="ignore"):
        found = compiled(reference_payload(block))([*values])
    return [np.broadcast_to(each, values[0].shape) for each in found]


def by_xls(function: PayloadFunction, values: Sequence[NDArray]) -> list[NDArray]:
    """What the function in DSLX gives: the bits of each output, as unsigned integers."""
    xls = require_xls()
    package = xls.parse_ir_package(xls.convert_dslx_to_ir(function.text + _batch(function), "payload.x", "payload"))
    run = package.get_function(xls.mangle_dslx_name("payload", "batch")).to_jit().run
    count = len(values[0])
    outputs: list[list[NDArray]] = [[] for _ in function.outputs]
    bits = [bits_of(each, port.bits) for each, port in zip(values, function.inputs, strict=True)]
    for first in range(0, count, _BATCH):
        # The first element of an array is the highest part of its bits.
        parts = [np.resize(each[first : first + _BATCH], _BATCH)[::-1].tobytes() for each in bits]
        found = run([xls.Value.from_bits(xls.Bits.from_bytes(8 * len(part), part)) for part in parts])
        for number, (port, output) in enumerate(zip(function.outputs, outputs, strict=True)):
            raw = found.get_element(number).get_bits().to_bytes()
            output.append(np.frombuffer(raw, _container(port.bits))[::-1])
    return [np.concatenate(output)[:count] for output in outputs]


def _batch(function: PayloadFunction) -> str:
    """DSLX that goes over arrays, an element in as many whole bytes as it needs."""
    widths = [np.dtype(_container(port.bits)).itemsize * 8 for port in (*function.inputs, *function.outputs)]
    ins, outs = widths[: len(function.inputs)], widths[len(function.inputs) :]
    each_out = range(len(outs))
    arguments = ", ".join(f"in{n}: uN[{_BATCH * width}]" for n, width in enumerate(ins))
    arrays = "".join(f"  let array{n} = in{n} as u{width}[{_BATCH}];\n" for n, width in enumerate(ins))
    call = ", ".join(f"array{n}[i] as u{port.bits}" for n, port in enumerate(function.inputs))
    state = ", ".join(f"u{width}[{_BATCH}]" for width in outs)
    kept, found, after = (", ".join(f"{name}{n}" for n in each_out) for name in ("kept", "found", "after"))
    updated = ", ".join(f"update(kept{n}, i, found{n} as u{width})" for n, width in enumerate(outs))
    start = ", ".join(f"u{width}[{_BATCH}]:[u{width}:0, ...]" for width in outs)
    given = ", ".join(f"after{n} as uN[{_BATCH * width}]" for n, width in enumerate(outs))
    return f"""
pub fn batch({arguments}) -> ({", ".join(f"uN[{_BATCH * width}]" for width in outs)},) {{
{arrays}  let ({after},) = for (i, ({kept},)): (u32, ({state},)) in u32:0..u32:{_BATCH} {{
    let ({found},) = payload({call});
    ({updated},)
  }}(({start},));
  ({given},)
}}
"""


def _container(bits: int) -> type:
    return next(kind for kind in (np.uint8, np.uint16, np.uint32) if bits <= np.dtype(kind).itemsize * 8)


def bits_of(values: NDArray, bits: int) -> NDArray:
    """The bits of elements as unsigned integers; of truth values, as they are."""
    kind = _container(bits)
    if values.dtype == np.bool_:
        return values.astype(kind)
    raw = np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}")
    return (raw & ((1 << bits) - 1)).astype(kind)


def different(found: NDArray, wanted: NDArray, kind: str) -> NDArray[np.bool_]:
    """Where bits are others than those of the values wanted, which are not both NaN."""
    unlike = found != bits_of(wanted.astype(NUMPY[kind]), BITS[kind])
    if kind not in ("f32", "f16"):
        return unlike
    return unlike & ~(np.isnan(found.view(NUMPY[kind])) & np.isnan(wanted))


def random_values(kind: str, count: int, seed: int) -> NDArray:
    """Random elements of a type, of integers with zeros and extremes."""
    source = np.random.default_rng(seed)
    if kind == "f16":
        return source.integers(0, 1 << 16, count, dtype=np.uint16).view(np.float16)
    if kind == "i1":
        return source.integers(0, 2, count).astype(np.bool_)
    low, high = -(1 << (BITS[kind] - 1)), (1 << (BITS[kind] - 1)) - 1
    values = source.integers(low, high, count, endpoint=True)
    some = source.integers(0, count, count // 8)
    values[some] = source.choice([low, high, 0, 1, -1], len(some))
    return values.astype(NUMPY[kind])
