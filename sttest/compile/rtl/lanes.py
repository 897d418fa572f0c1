"""The arithmetic of a task's lanes as text: functions followed by registers for simulators, instances for synthesis."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Protocol

from xdsl.dialects.arith import ExtSIOp, MuliOp
from xdsl.ir import Operation, SSAValue

from sttest.compile.hls.types import element_of
from sttest.compile.rtl import payload, payload_model
from sttest.compile.rtl.cells import Cells
from sttest.compile.rtl.task_body import TaskBody


@dataclass(frozen=True)
class Joined:
    """Pairs of terms, and what becomes of them: places and terms are expressions over the variables of loops."""

    made: str  # array of what they become
    count: int  # its elements
    bits: int  # bits of an element
    loops: tuple[tuple[str, int], ...]  # variables with their bounds, outermost first
    place: str  # place of a pair in the array
    left: str
    right: str
    stage: int  # stage in which they stand in registers
    passed: tuple[str, str] | None = None  # place and term, over the outermost loop, of what has no pair


class Lanes(Protocol):
    """How arithmetic is written."""

    def part(
        self,
        name: str,
        ops: Sequence[Operation],
        inputs: Sequence[tuple[SSAValue, str]],
        outputs: Sequence[SSAValue],
        count: int,
        cycles: int,
        known: Mapping[SSAValue, int],
        stage: int,
    ) -> list[str]:
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

    def joined(self, join: Operation, pairs: Joined, cycles: int) -> str:
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
        inputs: Sequence[tuple[SSAValue, str]],
        outputs: Sequence[SSAValue],
        count: int,
        cycles: int,
        known: Mapping[SSAValue, int],
        stage: int,
    ) -> list[str]:
        """See :meth:`Lanes.part`."""
        values, body = [value for value, _ in inputs], self.body
        widths = [element_of(value.type, self.where).bits for value in outputs]
        body.text.append(payload_model.payload_function(f"{name}_of", ops, values, outputs, self.where, known))
        for n, bits in enumerate(widths):
            body.array(f"{name}_{n}", count, bits)
        body.line(f"logic [{sum(widths) - 1}:0] {name}_all;")
        arguments = ", ".join(f"{array}[l]" for _, array in inputs)
        lines = [f"for (int l = 0; l < {count}; l++) begin", f"  {name}_all = {name}_of({arguments});"]
        low = 0
        for n, bits in enumerate(widths):
            lines.append(f"  {name}_{n}[l] = {name}_all[{low} +: {bits}];")
            low += bits
        body.always([*lines, "end"], stage)
        return [body.delayed(f"{name}_{n}", bits, count, cycles) for n, bits in enumerate(widths)]

    def joined(self, join: Operation, pairs: Joined, cycles: int) -> str:
        """See :meth:`Lanes.joined`."""
        kind = "sum" if join.name == "arith.addi" else "extreme"
        self.body.arithmetic[kind] += pairs.bits * prod(count for _, count in pairs.loops)
        heads = [f"for (int {name} = 0; {name} < {count}; {name}++)" for name, count in pairs.loops]
        lines = [*heads, f"  {pairs.made}[{pairs.place}] = {_expression(join, pairs)};"]
        if pairs.passed:
            lines += [heads[0], f"  {pairs.made}[{pairs.passed[0]}] = {pairs.passed[1]};"]
        self.body.array(pairs.made, pairs.count, pairs.bits)
        self.body.always(lines, pairs.stage)
        return self.body.delayed(pairs.made, pairs.bits, pairs.count, cycles)


class CellLanes(ModelLanes):
    """Instances of pipelines that XLS makes; sums of integers are adders with registers."""

    def __init__(self, body: TaskBody, cells: Cells) -> None:
        super().__init__(body)
        self.cells = cells

    def part(
        self,
        name: str,
        ops: Sequence[Operation],
        inputs: Sequence[tuple[SSAValue, str]],
        outputs: Sequence[SSAValue],
        count: int,
        cycles: int,
        known: Mapping[SSAValue, int],
        stage: int,
    ) -> list[str]:
        """See :meth:`Lanes.part`."""
        function = payload.payload_function(
            [(f"i{n}", value) for n, (value, _) in enumerate(inputs)],
            [(f"o{n}", value) for n, value in enumerate(outputs)],
            self.where,
            known,
        )
        made = [f"{name}_{n}" for n in range(len(outputs))]
        for array, value in zip(made, outputs, strict=True):
            self.body.array(array, count, element_of(value.type, self.where).bits)
        wires = [f"{array}[l]" for array in (*(array for _, array in inputs), *made)]
        self._instances(name, function, cycles, [("l", count)], wires)
        return made

    def joined(self, join: Operation, pairs: Joined, cycles: int) -> str:
        """See :meth:`Lanes.joined`."""
        if join.name not in _FLOATS:
            return super().joined(join, pairs, cycles)
        left, right = join.operands
        function = payload.payload_function([("a", left), ("b", right)], [("y", join.results[0])], self.where)
        self.body.array(pairs.made, pairs.count, pairs.bits)
        wires = [pairs.left, pairs.right, f"{pairs.made}[{pairs.place}]"]
        self._instances(pairs.made, function, cycles, pairs.loops, wires)
        if pairs.passed:
            self._passed(pairs, cycles)
        return pairs.made

    def _passed(self, pairs: Joined, cycles: int) -> None:
        assert pairs.passed is not None
        (variable, count), odd = pairs.loops[0], f"{pairs.made}_odd"
        self.body.array(odd, count, pairs.bits)
        head = f"for (int {variable} = 0; {variable} < {count}; {variable}++)"
        self.body.always([f"{head} {odd}[{variable}] = {pairs.passed[1]};"])
        late = self.body.delayed(odd, pairs.bits, count, cycles)
        head = f"for (genvar {variable} = 0; {variable} < {count}; {variable}++)"
        self.body.line(f"{head} assign {pairs.made}[{pairs.passed[0]}] = {late}[{variable}];")

    def _instances(
        self,
        name: str,
        function: payload.PayloadFunction,
        cycles: int,
        loops: Sequence[tuple[str, int]],
        wires: Sequence[str],
    ) -> None:
        part = self.cells.payload(function, cycles)
        heads = [f"for (genvar {each} = 0; {each} < {count}; {each}++) begin : {name}_{each}" for each, count in loops]
        self.body.instance(part, [*heads, part.instance("lane", wires), *("end" for _ in heads)])


def term_bits(term: SSAValue, bits: int) -> int:
    """The bits of an integer that a term needs: those of what it was extended from, or of the factors of a product."""
    owner = term.owner
    if isinstance(owner, ExtSIOp):
        return element_of(owner.operands[0].type, "").bits
    if isinstance(owner, MuliOp):
        return min(sum(term_bits(factor, bits) for factor in owner.operands), bits)
    return bits


_FLOATS = ("arith.addf", "arith.maximumf", "arith.minimumf")


def _expression(join: Operation, pairs: Joined) -> str:
    """Two terms joined."""
    left, right, name = pairs.left, pairs.right, join.name
    match name:
        case "arith.addi":
            return f"{pairs.bits}'($signed({left})) + {pairs.bits}'($signed({right}))"
        case "arith.addf":
            return f"fp::fp_add({left}, {right})"
        case "arith.maximumf" | "arith.minimumf":
            return f"fp::fp_{name[6:9]}({left}, {right})"
        case "arith.maxsi":
            return f"($signed({left}) < $signed({right}) ? {right} : {left})"
        case _:
            return f"($signed({right}) < $signed({left}) ? {right} : {left})"
