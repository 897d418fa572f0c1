"""Builds small linalg texts: by hand, op by op, or at random."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from math import prod

Shape = tuple[int, ...]

_FILLS = {"addf": "0.0", "maximumf": "0xFF800000"}


def tensor(shape: Shape) -> str:
    """The type of a tensor of f32."""
    return f"tensor<{''.join(f'{size}x' for size in shape)}f32>"


def access(rank: int, dims: tuple[int, ...] | list[int]) -> str:
    """A map from ``rank`` loops to some of them."""
    loops = ", ".join(f"d{loop}" for loop in range(rank))
    return f"affine_map<({loops}) -> ({', '.join(f'd{dim}' for dim in dims)})>"


@dataclass
class Program:
    """A function that grows op by op; every method returns the name of a new value."""

    arguments: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    shapes: dict[str, Shape] = field(default_factory=dict)

    def argument(self, *shape: int) -> str:
        """A new function argument."""
        name = f"%a{len(self.arguments)}"
        self.arguments.append(name)
        self.shapes[name] = shape
        return name

    def generic(
        self, inputs: list[tuple[str, list[int]]], result: Shape, out: list[int], loops: str, body: str, fill: str = ""
    ) -> str:
        """A linalg.generic: inputs with the loops that index them, ``p`` and ``r`` per loop, the body's lines."""
        rank, name = len(loops), f"%v{len(self.lines)}"
        destination, kind = f"{name}_out", tensor(result)
        lines = [f'{destination} = "tensor.empty"() : () -> {kind}']
        if fill:
            lines += [
                f"{name}_c = arith.constant {fill} : f32",
                f'{name}_fill = "linalg.fill"({name}_c, {destination}) <{{operandSegmentSizes = array<i32: 1, 1>}}> '
                f"({{ ^bb0(%x: f32, %y: f32): linalg.yield %x : f32 }}) : (f32, {kind}) -> {kind}",
            ]
            destination = f"{name}_fill"
        maps = ", ".join([access(rank, dims) for _, dims in inputs] + [access(rank, out)])
        kinds = ", ".join(f"#linalg.iterator_type<{'parallel' if loop == 'p' else 'reduction'}>" for loop in loops)
        operands = ", ".join([value for value, _ in inputs] + [destination])
        types = ", ".join([tensor(self.shapes[value]) for value, _ in inputs] + [kind])
        scalars = ", ".join(f"%i{number}: f32" for number in range(len(inputs))) + ", %acc: f32"
        lines += [
            f'{name} = "linalg.generic"({operands}) <{{indexing_maps = [{maps}], iterator_types = [{kinds}], '
            f"operandSegmentSizes = array<i32: {len(inputs)}, 1>}}> ({{",
            f"^bb0({scalars}):\n{body}\n}}) : ({types}) -> {kind}",
        ]
        self.lines.append("\n".join(lines))
        self.shapes[name] = result
        return name

    def matmul(self, left: str, right: str) -> str:
        """``[…, n, k] @ [k, m]``, or of equal batch dims."""
        *batch, rows, _ = self.shapes[left]
        columns = self.shapes[right][-1]
        count = len(batch)
        b = list(range(count))
        shared = b if len(self.shapes[right]) == count + 2 else []
        return self.generic(
            [(left, [*b, count, count + 2]), (right, [*shared, count + 2, count + 1])],
            (*batch, rows, columns),
            [*b, count, count + 1],
            "p" * (count + 2) + "r",
            "%m = arith.mulf %i0, %i1 : f32\n%s = arith.addf %m, %acc : f32\nlinalg.yield %s : f32",
            _FILLS["addf"],
        )

    def transpose(self, value: str, order: list[int]) -> str:
        """Result dim d is source dim ``order[d]``."""
        shape = self.shapes[value]
        source = [order.index(dim) for dim in range(len(shape))]
        return self._view(value, source, tuple(shape[dim] for dim in order))

    def broadcast(self, value: str, position: int, size: int) -> str:
        """A new dim at ``position`` along which the value repeats."""
        shape = self.shapes[value]
        result = (*shape[:position], size, *shape[position:])
        return self._view(value, [dim for dim in range(len(result)) if dim != position], result)

    def _view(self, value: str, source: list[int], result: Shape) -> str:
        dims = list(range(len(result)))
        return self.generic([(value, source)], result, dims, "p" * len(result), "linalg.yield %i0 : f32")

    def reduce(self, value: str, dim: int, combiner: str = "addf") -> str:
        """Sum or maximum over one dim."""
        shape = self.shapes[value]
        dims = list(range(len(shape)))
        loops = "".join("r" if d == dim else "p" for d in dims)
        out = [d for d in dims if d != dim]
        body = f"%s = arith.{combiner} %i0, %acc : f32\nlinalg.yield %s : f32"
        return self.generic([(value, dims)], tuple(shape[d] for d in out), out, loops, body, _FILLS[combiner])

    def unary(self, value: str) -> str:
        """The exponential."""
        dims = list(range(len(self.shapes[value])))
        body = "%s = math.exp %i0 : f32\nlinalg.yield %s : f32"
        return self.generic([(value, dims)], self.shapes[value], dims, "p" * len(dims), body)

    def settle(self, value: str) -> str:
        """A quarter, to the nearest whole number between -2 and 2: whole numbers stay whole, and small."""
        dims = list(range(len(self.shapes[value])))
        body = (
            "%q = arith.constant 0.25 : f32\n%h = arith.constant 2.0 : f32\n%l = arith.constant -2.0 : f32\n"
            "%p = arith.mulf %i0, %q : f32\n%r = math.roundeven %p : f32\n"
            "%a = arith.maximumf %r, %l : f32\n%s = arith.minimumf %a, %h : f32\nlinalg.yield %s : f32"
        )
        return self.generic([(value, dims)], self.shapes[value], dims, "p" * len(dims), body)

    def add(self, left: str, right: str, right_dims: list[int] | None = None) -> str:
        """Elementwise sum; ``right`` may have only some of the dims of ``left``."""
        dims = list(range(len(self.shapes[left])))
        body = "%s = arith.addf %i0, %i1 : f32\nlinalg.yield %s : f32"
        other = dims if right_dims is None else right_dims
        return self.generic([(left, dims), (right, other)], self.shapes[left], dims, "p" * len(dims), body)

    def expand(self, value: str, dim: int, outer: int) -> str:
        """Dim ``dim`` becomes ``outer`` x the rest."""
        shape = self.shapes[value]
        result = (*shape[:dim], outer, shape[dim] // outer, *shape[dim + 1 :])
        return self._reshape("expand", value, result, _groups(len(shape), dim))

    def collapse(self, value: str, dim: int) -> str:
        """Dims ``dim`` and ``dim + 1`` become one."""
        shape = self.shapes[value]
        result = (*shape[:dim], shape[dim] * shape[dim + 1], *shape[dim + 2 :])
        return self._reshape("collapse", value, result, _groups(len(result), dim))

    def concat(self, values: list[str], dim: int) -> str:
        """The values one behind the other along ``dim``."""
        shapes, name = [self.shapes[value] for value in values], f"%v{len(self.lines)}"
        result = (*shapes[0][:dim], sum(shape[dim] for shape in shapes), *shapes[0][dim + 1 :])
        types = f"({', '.join(tensor(shape) for shape in shapes)}) -> {tensor(result)}"
        self.lines.append(f'{name} = "tensor.concat"({", ".join(values)}) <{{dim = {dim} : i64}}> : {types}')
        self.shapes[name] = result
        return name

    def _reshape(self, kind: str, value: str, result: Shape, groups: list[list[int]]) -> str:
        name = f"%v{len(self.lines)}"
        listed = ", ".join(f"[{', '.join(f'{dim} : i64' for dim in group)}]" for group in groups)
        types = f"({tensor(self.shapes[value])}) -> {tensor(result)}"
        static = f", static_output_shape = array<i64: {', '.join(map(str, result))}>"
        extra = static if kind == "expand" else ""
        self.lines.append(f'{name} = "tensor.{kind}_shape"({value}) <{{reassociation = [{listed}]{extra}}}> : {types}')
        self.shapes[name] = result
        return name

    def text(self, *results: str) -> str:
        """The function that returns these values."""
        arguments = ", ".join(f"{name}: {tensor(self.shapes[name])}" for name in self.arguments)
        types = ", ".join(tensor(self.shapes[name]) for name in results)
        returned = f"func.return {', '.join(results)} : {types}"
        return f"func.func @main({arguments}) -> ({types}) {{\n" + "\n".join([*self.lines, returned]) + "\n}\n"


def _groups(rank: int, dim: int) -> list[list[int]]:
    """Reassociation where group ``dim`` has two dims and every other one."""
    groups, position = [], 0
    for group in range(rank):
        size = 2 if group == dim else 1
        groups.append(list(range(position, position + size)))
        position += size
    return groups


_SIZES = (1, 2, 3, 4, 6, 8, 12, 16)
_MAX_ELEMENTS = 4096


def random_program(seed: int, ops: int = 6) -> str:
    """A chain of random ops on random shapes that returns its last value and, at times, one in between."""
    return _random_chain(Program(), seed, ops)


def random_whole_program(seed: int, ops: int = 6) -> str:
    """The same chain of ops, on whole numbers: small ones in, and every sum in it is exact in float32."""
    return _random_chain(_Whole(), seed, ops)


class _Whole(Program):
    """Whole numbers only, brought back to at most 2 after every sum over a loop."""

    def unary(self, value: str) -> str:
        return self.settle(value)

    def matmul(self, left: str, right: str) -> str:
        return self.settle(super().matmul(left, right))

    def reduce(self, value: str, dim: int, combiner: str = "addf") -> str:
        return self.settle(super().reduce(value, dim, combiner))


def _random_chain(program: Program, seed: int, ops: int) -> str:
    source = random.Random(seed)
    value = program.argument(*(source.choice(_SIZES) for _ in range(source.randint(1, 3))))
    computed = []
    for _ in range(ops):
        value = _random_op(program, value, source)
        if any(part in "".join(program.lines[-1:]) for part in ("arith.", "math.", "tensor.concat")):
            computed.append(value)
    value = program.unary(value)
    extra = [source.choice(computed)] if computed and source.random() < 0.3 else []
    return program.text(value, *extra)


def _random_op(program: Program, value: str, source: random.Random) -> str:
    shape = program.shapes[value]
    kind = source.choice(
        ("matmul", "transpose", "broadcast", "reduce", "unary", "add", "bias", "reshape", "heads", "concat")
    )
    if kind == "matmul" and len(shape) >= 2:
        columns = source.choice(_SIZES)
        if prod(shape) * columns <= 4 * _MAX_ELEMENTS:
            return program.matmul(value, program.argument(shape[-1], columns))
    if kind == "transpose" and shape:
        return program.transpose(value, source.sample(range(len(shape)), len(shape)))
    if kind == "broadcast" and len(shape) < 4 and prod(shape) * 4 <= _MAX_ELEMENTS:
        return program.broadcast(value, source.randint(0, len(shape)), source.choice((1, 2, 4)))
    if kind == "reduce" and len(shape) > 1:
        return program.reduce(value, source.randrange(len(shape)), source.choice(("addf", "maximumf")))
    if kind == "heads" and len(shape) == 2 and shape[0] <= 16:
        return _random_heads(program, value, source)
    if kind == "add":
        return program.add(value, program.unary(value))
    if kind == "bias" and shape:
        dim = source.randrange(len(shape))
        return program.add(value, program.argument(shape[dim]), [dim])
    if kind == "reshape" and shape:
        return _random_reshape(program, value, source)
    if kind == "concat" and shape and prod(shape) * 4 <= _MAX_ELEMENTS:
        return _random_concat(program, value, source)
    return program.unary(value)


def _random_heads(program: Program, value: str, source: random.Random) -> str:
    """Attention scores: [n, h * d] in heads, each times its own transpose, side by side again."""
    width = program.shapes[value][1]
    heads = source.choice([size for size in range(1, width + 1) if width % size == 0])
    queries = program.transpose(program.expand(value, 1, heads), [1, 0, 2])
    keys = program.transpose(program.expand(program.unary(value), 1, heads), [1, 2, 0])
    scores = program.transpose(program.matmul(queries, keys), [1, 0, 2])
    return program.collapse(scores, 1)


def _random_concat(program: Program, value: str, source: random.Random) -> str:
    """The value between one to three others: itself, what is computed of it, arguments as they are and turned."""
    shape = program.shapes[value]
    dim = source.randrange(len(shape))
    parts = [value]
    for _ in range(source.randint(1, 3)):
        kind = source.choice(("same", "computed", "argument", "turned"))
        other = (*shape[:dim], source.choice((1, shape[dim], source.choice(_SIZES))), *shape[dim + 1 :])
        if kind == "computed":
            part = program.unary(value)
        elif kind == "argument":
            part = program.argument(*other)
        elif kind == "turned":
            backwards = list(reversed(range(len(shape))))
            part = program.transpose(program.argument(*reversed(other)), backwards)
        else:
            part = value
        parts.insert(source.randint(0, len(parts)), part)
    return program.concat(parts, dim)


def _random_reshape(program: Program, value: str, source: random.Random) -> str:
    shape = program.shapes[value]
    if len(shape) > 1 and source.random() < 0.5:
        return program.collapse(value, source.randrange(len(shape) - 1))
    dim = source.randrange(len(shape))
    if len(shape) > 3:
        return program.collapse(value, 0)
    outer = source.choice([size for size in range(1, shape[dim] + 1) if shape[dim] % size == 0])
    return program.expand(value, dim, outer)
