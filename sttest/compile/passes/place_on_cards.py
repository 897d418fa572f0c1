"""`place-on-cards`: every node of a design over several cards gets its card; what others read goes round the ring.

A task is on the card whose module it comes from (``cards.1.attn``), what feeds it is on the same one.  A stream that
several cards read is copied once per card: each passes it on to its neighbor, one way to the cards up to half the
ring away, the other way to the rest.  So every stream between cards goes over one link.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue, Use
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of, refuse_other_cards, require_dmas, require_positive
from sttest.compile.ir.names import card_named

Readers = Mapping[int, Sequence[Use]]
"""Who reads a stream, by card."""


@dataclass(frozen=True)
class PlaceOnCards(ModulePass):
    """Places nodes on ``cards``, and says on the kernel how the ``links`` between them work."""

    name = "place-on-cards"

    cards: int = 1
    links: str = "streamed"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Sets ``card`` on all nodes, and copies streams on every card that they pass.

        Raises:
            InputError: a text that is not for so many cards, or a kernel that takes its streams from outside.
        """
        require_positive(self.name, cards=self.cards)
        refuse_other_cards(op, self.cards)
        for kernel in all_of(op, df.KernelOp):
            require_dmas(self.name, kernel)
            _place(kernel)
            for node in _nodes(kernel):
                _go_round(node, self.cards)
            kernel.properties["links"] = StringAttr(self.links)


def _nodes(kernel: df.KernelOp) -> list[df.NodeOp]:
    return [node for node in kernel.body.block.ops if isinstance(node, df.NodeOp)]


def _place(kernel: df.KernelOp) -> None:
    """A node is where its readers are; if they are on several cards, or none, where its tokens come from."""
    nodes = _nodes(kernel)
    readers: dict[Operation, set[int]] = {}
    for node in reversed(nodes):
        above = node if isinstance(node, df.TaskOp) else _giver(node) if isinstance(node, df.DmaWriteOp) else None
        below = (readers.get(use.operation, set()) for stream in node.streams for use in stream.uses)
        readers[node] = {card_named(above)} if above is not None else set().union(*below)
    for node in nodes:
        source = node.sources[0].owner
        where = source.card_number if len(readers[node]) != 1 and isinstance(source, df.NodeOp) else min(readers[node])
        node.properties["card"] = df.i64_attr(where)


def _giver(node: df.NodeOp) -> df.TaskOp | None:
    """The task whose tokens a node passes on."""
    owner = node.sources[0].owner
    if isinstance(owner, df.TaskOp):
        return owner
    return _giver(owner) if isinstance(owner, df.NodeOp) and owner.passes_on else None


def _go_round(node: df.NodeOp, cards: int) -> None:
    streams = [node.sources[0]] if isinstance(node, df.ForkOp) else [*node.streams]
    for stream in streams:
        of = node.streams if isinstance(node, df.ForkOp) else [stream]
        readers: dict[int, list[Use]] = {}
        for use in [use for each in of for use in each.uses]:
            if isinstance(use.operation, df.NodeOp):
                readers.setdefault(use.operation.card_number, []).append(use)
        if not readers.keys() - {node.card_number}:
            continue
        _Ring(cards, node.card_number).deliver(stream, node.card_number, readers, node)
        if isinstance(node, df.ForkOp):
            Rewriter.erase_op(node)


@dataclass(frozen=True)
class _Ring:
    """The way of a stream from the card that it starts on."""

    cards: int
    start: int

    def deliver(self, stream: SSAValue, card: int, readers: Readers, after: Operation) -> None:
        """Hands a stream to the readers on a card, and on to its neighbors for all others."""
        here = [*readers.get(card, ())]
        ways = {way: self._along(way, readers, card) for way in (1, -1)}
        ways = {way: beyond for way, beyond in ways.items() if beyond}
        copies: Sequence[SSAValue] = [stream]
        if len(here) + len(ways) > 1 or (card != self.start and not here):
            fork = df.ForkOp(stream, len(here) + len(ways))
            fork.properties["card"] = df.i64_attr(card)
            Rewriter.insert_op(fork, InsertPoint.after(after))
            copies, after = fork.streams, fork
        for use, copy in zip(here, copies, strict=False):
            use.operation.operands[use.index] = copy
        for copy, (way, beyond) in zip(copies[len(here) :], ways.items(), strict=True):
            self.deliver(copy, (card + way) % self.cards, beyond, after)

    def _along(self, way: int, readers: Readers, card: int) -> Readers:
        """Readers on the cards that are further along a way than ``card``."""
        return {
            each: uses
            for each, uses in readers.items()
            if each != card and self._way(each) == way and (card == self.start or self._way(card) == way)
        }

    def _way(self, card: int) -> int:
        return 1 if (card - self.start) % self.cards <= self.cards // 2 else -1
