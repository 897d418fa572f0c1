"""Decoding a model that the card does not hold: some layers stay, the others come from a lower memory for each token.

A window has room for so many layers; one that comes in has its place from its first byte on, until it has been
computed with.  Loads and layers are the two actors of a timed graph, so that what overlaps is simulated; what a load
and a layer take are simulations of their own (:mod:`~sttest.studies.tier_copy`, a design's timed graph).
"""

from sttest.core.errors import InputError
from sttest.sim import simulate
from sttest.sim.graph import Actor, ActorPhase, Fifo, TimedGraph

_WARM, _TOKENS = 2, 8
"""Tokens after which all tokens take as long, and how many more are simulated."""


def window_graph(layers: int, streamed: int, layer_cycles: int, load_cycles: int, room: int, tokens: int) -> TimedGraph:
    """Loads and layers of so many tokens.

    Args:
        layers: layers of the model.
        streamed: those that come from the lower memory, spread evenly over the model.
        layer_cycles: cycles of a layer.
        load_cycles: cycles in which a layer comes in.
        room: layers of the window.
        tokens: tokens, one after the other.

    Raises:
        InputError: no layers, none that comes in, or no room.
    """
    if not 1 <= streamed <= layers or room < 1:
        what = f"{streamed} of {layers} layers through room for {room}"
        raise InputError("bad-window", what, where="window of weights")
    comes_in = [(number + 1) * streamed // layers > number * streamed // layers for number in range(layers)]
    turn = {"layer": 1}
    stays = ActorPhase(layer_cycles, turn, turn)
    comes = ActorPhase(layer_cycles, {"in": 1, **turn}, turn)
    loads = ActorPhase(load_cycles, {"load": 1}, {"in": 1, "load": 1})
    return TimedGraph(
        "weight-window",
        1.0,
        # A load claims its place as it begins, a layer gives it back as it ends; neither overlaps with itself.
        (
            Fifo("in", room, 1, "srl"),
            Fifo("load", 2, 1, "srl", initial_tokens=1),
            Fifo("layer", 2, 1, "srl", initial_tokens=1),
        ),
        (
            Actor("loads", (loads,), firings=tokens * streamed),
            Actor("layers", tuple(comes if coming else stays for coming in comes_in), firings=tokens * layers),
        ),
    )


def token_cycles(layers: int, streamed: int, layer_cycles: int, load_cycles: int, room: int = 2) -> float:
    """Cycles from one token to the next, when both actors are in their stride; arguments as of :func:`window_graph`."""
    if streamed == 0:
        return float(layers * layer_cycles)
    ends = []
    for tokens in (_WARM, _WARM + _TOKENS):
        cycles = simulate(window_graph(layers, streamed, layer_cycles, load_cycles, room, tokens)).cycles
        assert cycles is not None, "loads and layers cannot deadlock"
        ends.append(cycles)
    return (ends[1] - ends[0]) / _TOKENS
