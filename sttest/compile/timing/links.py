"""Links between cards in a timed graph: who sends, who receives, and the credits that come back.

A link has a sender, which sends the messages of its streams one after the other, in program order and those of nearer
cards first.  A message is cut into frames.  The sender starts a frame when it has credits for all of its tokens, which
it then passes on as they come.  A stream on a link is three FIFOs: what the sender reads, the way to the other card
with the receive buffer at its end, and the way back of the credits, one for each token that leaves the buffer.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil

from sttest.boards.board import FpgaBoard
from sttest.boards.part import Network
from sttest.compile.dialects import df
from sttest.compile.schedule.drains import producer_of
from sttest.compile.sharing.processes import fifos_of
from sttest.sim.crossings import writing_to
from sttest.sim.graph import COPY_CYCLES, MIN_DEPTH, Event, Fifo, Loop, Pipeline, Process
from sttest.sim.overlap import LINK_CATEGORY as CATEGORY


@dataclass(frozen=True)
class Message:
    """Tokens of one stream that go over a link in a layer."""

    fifo: str
    tokens: int
    bits: int  # bits of a token
    turn: int  # place among the messages of the card that it comes from
    hops: int  # links that it has come over before

    @property
    def total_bytes(self) -> int:
        """Payload."""
        return self.tokens * self.bits // 8


@dataclass
class Links:
    """The links of a kernel on several cards, at the stream level.

    Args:
        kernel: its nodes are on cards.
        board: each of the cards.
        shared: whether a link, or a queue's FIFO, is one for all of its streams; else each has its own.
    """

    kernel: df.KernelOp
    board: FpgaBoard
    shared: bool = True
    # messages by (from card, to card), in their order
    messages: dict[tuple[int, int], list[Message]] = field(init=False)

    def __post_init__(self) -> None:
        found: dict[tuple[int, int], list[Message]] = {}
        for name, streams in fifos_of(self.kernel).items():
            for stream in streams:
                ends = stream.writer.card_number, stream.reader.card_number
                if ends[0] != ends[1]:
                    kind = stream.result.type.itensor
                    fifo = name if self.shared else stream.sym_name.data
                    message = Message(fifo, kind.tokens, kind.token_bits, self._turn(stream), _hops(stream))
                    found.setdefault(ends, []).append(message)
        self.messages = {ends: sorted(each, key=lambda m: (m.turn, m.hops)) for ends, each in found.items()}

    def bytes_from(self, card: int) -> int:
        """Payload that a card sends in a layer, what it passes on included."""
        own = (each for (sender, _), messages in self.messages.items() if sender == card for each in messages)
        return sum(message.total_bytes for message in own)

    def fifos(self) -> list[Fifo]:
        """What is added to the FIFOs of a graph."""
        found: list[Fifo] = []
        for ends, messages in self.messages.items():
            for name in _names(messages):
                found += self._fifos_of(_name(ends), name, messages)
        return found

    def processes(self, processes: Sequence[Process], layers: int) -> tuple[Process, ...]:
        """The processes of a graph, those that write to other cards to senders, and the links.

        Args:
            processes: those of the kernel.
            layers: how often a run goes through the kernel.
        """
        all_messages = [message for messages in self.messages.values() for message in messages]
        sent = {each.fifo: _made(each.fifo) if self._collects(each) else _sent(each.fifo) for each in all_messages}
        found = [writing_to(each, sent) if self.messages else each for each in processes]
        for ends, messages in self.messages.items():
            link = _name(ends)
            loops = tuple(self._sending(link, message) for message in messages)
            if self.shared:
                found.append(Pipeline(link, loops, repeat=layers, category=CATEGORY))
            else:
                found += [Pipeline(f"{link}__{n}", (loop,), category=CATEGORY) for n, loop in enumerate(loops)]
            for name in _names(messages):
                own = [message for message in messages if message.fifo == name]
                if self._collects(own[0]):
                    collected = tuple(loop for each in own for loop in _collecting(each))
                    found.append(Pipeline(f"{link}__collect__{name}", collected, repeat=layers, category=CATEGORY))
                received = tuple(_receiving(link, each) for each in own)
                found.append(Pipeline(f"{link}__receive__{name}", received, repeat=layers, category=CATEGORY))
        return tuple(found)

    def _collects(self, message: Message) -> bool:
        """Whether a message waits until all of it is there; on its way it does so no more."""
        return self.kernel.links is not None and self.kernel.links.data == "whole" and not message.hops

    @cached_property
    def _network(self) -> Network:
        return self.board.links

    @property
    def _clock_mhz(self) -> float:
        return self.board.clock_mhz.value

    def _turn(self, stream: df.StreamOp) -> int:
        """Place of the node that the tokens come from among those of its card whose tokens go over links."""
        root = _root(stream)
        own = [each for each in self._senders if each.card_number == root.card_number]
        return own.index(root)

    @cached_property
    def _senders(self) -> list[df.NodeOp]:
        crossing = {
            _root(stream)
            for streams in fifos_of(self.kernel).values()
            for stream in streams
            if stream.writer.card_number != stream.reader.card_number
        }
        return [node for node in self.kernel.body.block.ops if node in crossing and isinstance(node, df.NodeOp)]

    def _fifos_of(self, link: str, name: str, messages: Sequence[Message]) -> list[Fifo]:
        own = [message for message in messages if message.fifo == name]
        bits, latency = own[0].bits, self._network.latency_cycles(self._clock_mhz)
        asked = self.kernel.credits.value.data if self.kernel.credits is not None else 0
        share = self._network.receive_bytes.count * 8 // (len(_names(messages)) * bits)
        room = asked or max(share, *(self._frame_tokens(each) for each in own))
        found = [
            Fifo(_sent(name), MIN_DEPTH, bits, "srl"),
            Fifo(_wire(link, name), room, bits, "ram", latency=latency),
            Fifo(_credits(link, name), room, 1, "srl", room, latency=latency),
        ]
        return [*found, Fifo(_made(name), MIN_DEPTH, bits, "srl")] if self._collects(own[0]) else found

    def _frame_tokens(self, message: Message) -> int:
        """The most tokens that fit a frame, and divide the message."""
        most = max(1, self._network.frame_bytes.count * 8 // message.bits)
        return next(count for count in range(min(most, message.tokens), 0, -1) if message.tokens % count == 0)

    def _sending(self, link: str, message: Message) -> Loop:
        """Frame by frame, each token at the link's rate, and the block that ends the frame."""
        count, rate = self._frame_tokens(message), self._network.bits_per_cycle(self._clock_mhz)
        beats = ceil(message.bits / rate)
        length = count * beats + ceil(self._network.frame_overhead_bytes.count * 8 / rate)
        events = [Event(_credits(link, message.fifo), "read", 0, tokens=count)]
        for token in range(count):
            events.append(Event(_sent(message.fifo), "read", token * beats))
            events.append(Event(_wire(link, message.fifo), "write", (token + 1) * beats - 1))
        return Loop((message.tokens // count,), length, length, tuple(events))


def _root(stream: df.StreamOp) -> df.NodeOp:
    """The node that makes the tokens which are passed on."""
    node = stream.writer
    while node.passes_on and (above := producer_of(node.sources[0])) is not None:
        node = above
    return node


def _hops(stream: df.StreamOp) -> int:
    """Cards between the one that a stream's tokens come from and the one that sends them on."""
    node, cards = stream.writer, {stream.writer.card_number}
    while node.passes_on and (above := producer_of(node.sources[0])) is not None:
        node = above
        cards.add(node.card_number)
    return len(cards) - 1


def _receiving(link: str, message: Message) -> Loop:
    events = (
        Event(_wire(link, message.fifo), "read", 0),
        Event(message.fifo, "write", 0),
        Event(_credits(link, message.fifo), "write", 0),
    )
    return Loop((message.tokens,), 1, 1, events)


def _collecting(message: Message) -> tuple[Loop, Loop]:
    """A buffer that takes a whole message before it gives its first token."""
    taken = (Event(_made(message.fifo), "read", 0),)
    given = (Event(_sent(message.fifo), "write", COPY_CYCLES - 1),)
    return Loop((message.tokens,), 1, COPY_CYCLES, taken), Loop((message.tokens,), 1, COPY_CYCLES, given)


def _names(messages: Sequence[Message]) -> list[str]:
    return [*dict.fromkeys(message.fifo for message in messages)]


def _name(ends: tuple[int, int]) -> str:
    return f"link_{ends[0]}_{ends[1]}"


def _made(fifo: str) -> str:
    return f"{fifo}__made"


def _sent(fifo: str) -> str:
    return f"{fifo}__send"


def _wire(link: str, fifo: str) -> str:
    return f"{link}__{fifo}"


def _credits(link: str, fifo: str) -> str:
    return f"{link}__credits__{fifo}"
