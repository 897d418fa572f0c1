"""The arithmetic of a task's lanes as text: functions followed by registers for simulators, instances for synthesis."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Protocol

from xdsl.dialects.arith import ExtSIOp, MuliOp
from xdsl.ir import Operation, SSAValue

from sttest.compile.rtl import payload, payload_model
from sttest.compile.rtl.cells import Cells
from sttest.compile.rtl.expressions import Expression, Signal, call, cast, signed, where
from sttest.compile.rtl.payload import bits_of
from sttest.compile.rtl.task_body import TaskBody
from sttest.compile.rtl.tree import Driven, ForEach, Function, Generated, Set, in_loops


@dataclass(frozen=True)
class Joined:
    """Pairs of terms, and what becomes of them: places and terms are expressions over the variables of loops."""

    made: str  # name of the array of what they become
    count: int  # its elements
    bits: int  # bits of an element
    loops: tuple[tuple[str, int], ...]  # variables with their bounds, outermost first
    place: Expression  # place of a pair in the array
    left: Expression
    right: Expression
    stage: int  # stage in which they stand in registers
    passed: tuple[Expression, Expression] | None = None  # place and term, over the outermost loop, of what has no pair


class Lanes(Protocol):
    """How arithmetic is written."""

    def part(
        self,
        name: str,
        ops: Sequence[Operation],
        inputs: Sequence[tuple[SSAValue, Expression]],
        outputs: Sequence[SSAValue],
        count: int,
        cycles: int,
        known: Mapping[SSAValue, int],
        stage: int,
    ) -> Sequence[Expression]:
        """A part of a payload for so many lanes: the arrays of its outputs, so many cycles later.

        Args:
            name: prefix of what it declares.
            ops: its operations, in order.
            inputs: values that come from outside, each with the array that it lies in.
            outputs: values that are wanted.
            count: lanes.
            cycles: from inputs to outputs.
            known: bits of values that are constants.
            stage: stage in which the inputs stand in registers.
        """
        ...

    def joined(self, join: Operation, pairs: Joined, cycles: int) -> Expression:
        """Pairs of terms joined: the array of what they become, so many cycles later."""
        ...


class ModelLanes:
    """Functions with the operators of the simulator, then as many registers as it takes cycles."""

    def __init__(self, body: TaskBody) -> None:
        self.body, self.where = body, body.where

    def part(
        self,
        name: str,
        ops: Sequence[Operation],
        inputs: Sequence[tuple[SSAValue, Expression]],
        outputs: Sequence[SSAValue],
        count: int,
        cycles: int,
        known: Mapping[SSAValue, int],
        stage: int,
    ) -> Sequence[Expression]:
        """See :meth:`Lanes.part`."""
        values, body = [value for value, _ in inputs], self.body
        widths = [bits_of(value, self.where) for value in outputs]
        function = payload_model.payload_function(f"{name}_of", ops, values, outputs, self.where, known)
        body.nodes.append(Function(f"{name}_of", function))
        made = [body.array(f"{name}_{n}", count, bits) for n, bits in enumerate(widths)]
        every, lane = body.wire(f"{name}_all", sum(widths)), Signal("l")
        given = Set(every, call(f"{name}_of", *(array[lane] for _, array in inputs)))
        lows = [sum(widths[:n]) for n in range(len(widths))]
        pairs = zip(made, lows, widths, strict=True)
        taken = [Set(array[lane], every.part(low, bits)) for array, low, bits in pairs]
        body.always([ForEach("l", count, (given, *taken))], stage)
        return [body.delayed(array, bits, count, cycles) for array, bits in zip(made, widths, strict=True)]

    def joined(self, join: Operation, pairs: Joined, cycles: int) -> Expression:
        """See :meth:`Lanes.joined`."""
        kind = "sum" if join.name == "arith.addi" else "extreme"
        self.body.arithmetic[kind] += pairs.bits * prod(count for _, count in pairs.loops)
        made = self.body.array(pairs.made, pairs.count, pairs.bits)
        statements = in_loops(pairs.loops, [Set(made[pairs.place], _expression(join, pairs))])
        if pairs.passed:
            statements += in_loops(pairs.loops[:1], [Set(made[pairs.passed[0]], pairs.passed[1])])
        self.body.always(statements, pairs.stage)
        return self.body.delayed(made, pairs.bits, pairs.count, cycles)


class CellLanes(ModelLanes):
    """Instances of pipelines that XLS makes; sums of integers are adders with registers."""

    def __init__(self, body: TaskBody, cells: Cells) -> None:
        super().__init__(body)
        self.cells = cells

    def part(
        self,
        name: str,
        ops: Sequence[Operation],
        inputs: Sequence[tuple[SSAValue, Expression]],
        outputs: Sequence[SSAValue],
        count: int,
        cycles: int,
        known: Mapping[SSAValue, int],
        stage: int,
    ) -> Sequence[Expression]:
        """See :meth:`Lanes.part`."""
        function = payload.payload_function(
            [(f"i{n}", value) for n, (value, _) in enumerate(inputs)],
            [(f"o{n}", value) for n, value in enumerate(outputs)],
            self.where,
            known,
        )
        widths = [bits_of(value, self.where) for value in outputs]
        made = [self.body.array(f"{name}_{n}", count, bits) for n, bits in enumerate(widths)]
        wires = [array[Signal("l")] for array in (*(array for _, array in inputs), *made)]
        self.body.instance(self.cells.payload(function, cycles), "lane", wires, [("l", count)], name)
        return made

    def joined(self, join: Operation, pairs: Joined, cycles: int) -> Expression:
        """See :meth:`Lanes.joined`."""
        if join.name not in _FLOATS:
            return super().joined(join, pairs, cycles)
        left, right = join.operands
        function = payload.payload_function([("a", left), ("b", right)], [("y", join.results[0])], self.where)
        made = self.body.array(pairs.made, pairs.count, pairs.bits)
        wires = [pairs.left, pairs.right, made[pairs.place]]
        self.body.instance(self.cells.payload(function, cycles), "lane", wires, pairs.loops, pairs.made)
        if pairs.passed:
            self._pass(pairs.passed, pairs, cycles)
        return made

    def _pass(self, passed: tuple[Expression, Expression], pairs: Joined, cycles: int) -> None:
        """What has no pair is there when the others are joined."""
        (variable, count), at = pairs.loops[0], Signal(pairs.loops[0][0])
        odd = self.body.array(f"{pairs.made}_odd", count, pairs.bits)
        self.body.always([ForEach(variable, count, (Set(odd[at], passed[1]),))])
        late = self.body.delayed(odd, pairs.bits, count, cycles)
        given = Driven(Signal(pairs.made)[passed[0]], late[at])
        self.body.nodes.append(Generated(variable, count, (given,), f"{pairs.made}_passed"))


def term_bits(term: SSAValue, bits: int) -> int:
    """The bits of an integer that a term needs: those of what it was extended from, or of the factors of a product."""
    owner = term.owner
    if isinstance(owner, ExtSIOp):
        return bits_of(owner.operands[0], "")
    if isinstance(owner, MuliOp):
        return min(sum(term_bits(factor, bits) for factor in owner.operands), bits)
    return bits


_FLOATS = ("arith.addf", "arith.maximumf", "arith.minimumf")


def _expression(join: Operation, pairs: Joined) -> Expression:
    """Two terms joined."""
    left, right, name = pairs.left, pairs.right, join.name
    match name:
        case "arith.addi":
            return cast(pairs.bits, signed(left)) + cast(pairs.bits, signed(right))
        case "arith.addf":
            return call("fp::fp_add", left, right)
        case "arith.maximumf" | "arith.minimumf":
            return call(f"fp::fp_{name[6:9]}", left, right)
        case "arith.maxsi":
            return where(signed(left).below(signed(right)), right, left)
        case _:
            return where(signed(right).below(signed(left)), right, left)
