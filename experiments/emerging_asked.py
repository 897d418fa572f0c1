"""How long a layer may take per token for a published energy ratio to come out: the ratio turned round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from experiments.designs import ModelBlocks, card, fitted_overheads
from experiments.generation import Lengths, compose
from experiments.gpu_opponents import Opponent
from sttest.models.registry import get_config


@dataclass(frozen=True)
class Asked:
    """Decode time per layer and token in ms, launch included: what the ratio asks for, and what is simulated.

    ``is_bound``: only an upper bound of the ratio is published, so the time is a lower bound.
    """

    model: str
    shape: Lengths
    asked_ms: float
    simulated_ms: float
    is_bound: bool

    @property
    def missing_ms(self) -> float:
        """What the simulated layer lacks."""
        return self.asked_ms - self.simulated_ms


def asked(model: str, blocks: ModelBlocks, shapes: Sequence[Lengths], opponent: Opponent, published: str) -> Asked:
    """The time at the shape with the best ratio, rule ``tdp``, TTFT and host constant as simulated.

    Args:
        model, blocks: ours.
        shapes: of which the best counts.
        opponent: has the model at all shapes.
        published: a ratio such as ``1.99``, or a bound such as ``<1``.
    """
    paid, config = fitted_overheads(), get_config(model)
    tdp_w = card().power.tdp_w.value
    ratio = float(published.removeprefix("<"))
    best: tuple[float, Lengths, float, float] | None = None
    for n, m in shapes:
        time = compose(n, m, config.layers, blocks.prefill[n], blocks.decode, paid)
        theirs = opponent.generation(model, n, m)
        assert theirs is not None
        allowed_ms = 1e3 * theirs.joules["tdp"] / (tdp_w * ratio) - time.ttft_ms - paid.host_ms
        per_layer = m * config.layers
        found = (
            theirs.joules["tdp"] / time.latency_ms,
            (n, m),
            allowed_ms / per_layer,
            (time.decode_ms - paid.host_ms) / per_layer,
        )
        best = found if best is None else max(best, found)
    assert best is not None
    return Asked(model, best[1], best[2], best[3], published.startswith("<"))
