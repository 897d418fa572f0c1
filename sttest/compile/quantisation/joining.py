"""Two sums over softmax weights that one op adds up: positions in two tensors, summed as if they lay in one.

A decode step of several tokens has its keys and values in the cache and in what the step computes.  Integers are added
before they are rescaled, so that where the positions lie is no part of the value.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter


@dataclass(frozen=True)
class Meeting:
    """Where two results are added.

    Attributes:
        first, second: who gives them, in program order.
        reader: the only op that reads either, element by element.
        places: of the results among its inputs.
    """

    first: GenericOp
    second: GenericOp
    reader: GenericOp
    places: tuple[int, int]

    def join(self, total: SSAValue) -> GenericOp:
        """Reads ``total`` where the two were added; gives the op that does."""
        kept, dropped = self.places
        body = self.reader.body.clone()
        left, right = body.block.args[kept], body.block.args[dropped]
        addition = _only_addition(left, right)
        assert addition is not None
        addition.result.replace_all_uses_with(left)
        Rewriter.erase_op(addition)
        body.block.erase_arg(right)
        inputs = [total if place == kept else value for place, value in enumerate(self.reader.inputs)]
        maps = list(self.reader.indexing_maps.data)
        del inputs[dropped], maps[dropped]
        kinds = [result.type for result in self.reader.results]
        found = GenericOp(inputs, list(self.reader.outputs), body, maps, self.reader.iterator_types, kinds)
        found.attributes.update(self.reader.attributes)
        Rewriter.insert_op(found, InsertPoint.before(self.reader))
        for old, new in zip(self.reader.results, found.results, strict=True):
            old.replace_all_uses_with(new)
        Rewriter.erase_op(self.reader)
        return found


def meeting_of(op: GenericOp) -> Meeting | None:
    """The op that adds the result of ``op`` to that of another one; None where there is none."""
    reader = _only_reader(op.results[0])
    if reader is None:
        return None
    mine = next(place for place, value in enumerate(reader.inputs) if value is op.results[0])
    for place, value in enumerate(reader.inputs):
        other = value.owner
        if place == mine or not isinstance(other, GenericOp) or _only_reader(value) is not reader:
            continue
        added = _only_addition(reader.body.block.args[mine], reader.body.block.args[place])
        if added is not None and reader.indexing_maps.data[mine] == reader.indexing_maps.data[place]:
            first, second = (op, other) if op.is_before_in_block(other) else (other, op)
            return Meeting(first, second, reader, (mine, place))
    return None


def _only_reader(value: SSAValue) -> GenericOp | None:
    readers = [use.operation for use in value.uses]
    reader = readers[0] if len(readers) == 1 else None
    return reader if isinstance(reader, GenericOp) else None


def _only_addition(left: BlockArgument, right: BlockArgument) -> arith.AddfOp | None:
    """The addition of two scalars that nothing else reads."""
    users: set[Operation] = {use.operation for scalar in (left, right) for use in scalar.uses}
    user = users.pop() if len(users) == 1 else None
    return user if isinstance(user, arith.AddfOp) and {*user.operands} == {left, right} else None
