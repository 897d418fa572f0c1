"""What the comparison with the paper's A100 would be, had the card more to do per token.

Three things that the published numbers leave open, each without a new constant: another published launch figure per
block (layers not queued), the LM head as one more matrix-vector kernel of the width that decode kernels have, and an
A100 that runs the Llama that the paper cites (16 layers) and not the one whose shape it gives (22).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from experiments.designs import ModelBlocks, card, fitted_overheads
from experiments.generation import Lengths, Overheads, compose
from experiments.gpu_opponents import Opponent
from sttest.models.registry import get_config

LAUNCH_FIELDS = ("queued_us", "single_low_us", "back_to_back_us", "single_high_us")
# A decode kernel works on one 16x16 tile of weights per cycle: 256 lanes.
_HEAD_LANES = 256
CITED_LLAMA = "llama-3.2-1b"


@dataclass(frozen=True)
class WhatIf:
    """A launch figure of the board with or without LM head, and the best ratio (TDP rule) of every model.

    ``cited_llama``: of our Llama over an A100 that runs the cited one.
    """

    launch: str
    launch_us: float
    with_head: bool
    best: Mapping[str, float]
    cited_llama: float


def head_ms(model: str) -> float:
    """Time of the LM head per token, at the lanes of a decode kernel."""
    config = get_config(model)
    clock_mhz = card().clock_mhz.value
    return config.hidden * config.vocab / _HEAD_LANES / clock_mhz / 1e3


def what_ifs(blocks: Mapping[str, ModelBlocks], shapes: Sequence[Lengths], opponent: Opponent) -> list[WhatIf]:
    """All combinations; the first one without LM head is the comparison itself.

    Args:
        blocks: by model, Llama among them.
        shapes: of which the best counts.
        opponent: has every model.
    """
    launch = card().launch
    found = []
    for with_head in (False, True):
        for field in LAUNCH_FIELDS:
            paid = replace(fitted_overheads(), launch_us=getattr(launch, field).value)
            ratios = {
                model: best_ratio(own, model, shapes, opponent, paid, with_head=with_head)
                for model, own in blocks.items()
            }
            cited = best_ratio(
                blocks["llama"], "llama", shapes, opponent, paid, with_head=with_head, theirs=CITED_LLAMA
            )
            found.append(WhatIf(field, paid.launch_us, with_head, ratios, cited))
    return found


def best_ratio(
    blocks: ModelBlocks,
    model: str,
    shapes: Sequence[Lengths],
    opponent: Opponent,
    paid: Overheads,
    *,
    with_head: bool,
    theirs: str = "",
) -> float:
    """The best ratio over some shapes, rule ``tdp``: our tokens per joule over theirs.

    Args:
        blocks: ours.
        model: of these blocks.
        shapes: of which the best counts.
        opponent: has the model at all shapes.
        paid: launch and host.
        with_head: whether our LM head is timed.
        theirs: the opponent's model, if it is another.
    """
    return max(_ratio(blocks, model, theirs or model, shape, opponent, paid, with_head) for shape in shapes)


def _ratio(
    blocks: ModelBlocks, ours: str, theirs: str, shape: Lengths, opponent: Opponent, paid: Overheads, with_head: bool
) -> float:
    n, m = shape
    time = compose(n, m, get_config(ours).layers, blocks.prefill[n], blocks.decode, paid)
    head_s = (1 + m) * head_ms(ours) / 1e3 if with_head else 0.0
    found = opponent.generation(theirs, n, m)
    assert found is not None
    tdp_w = card().power.tdp_w.value
    return found.joules["tdp"] / (tdp_w * (time.latency_ms / 1e3 + head_s))
