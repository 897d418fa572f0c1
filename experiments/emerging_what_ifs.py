"""What the comparison with the paper's A100 would be, had the card more to do per token.

Two mechanisms that the published numbers leave open, each without a new constant: another published launch figure per
block (layers not queued), and the LM head as one more matrix-vector kernel of the width that decode kernels have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from experiments.designs import BOARD, ModelBlocks, fitted_overheads
from experiments.emerging_result import Lengths
from experiments.generation import Overheads, compose
from experiments.gpu_opponents import Opponent
from sttest.boards.load import load_board, require_hbm
from sttest.models.registry import get_config

LAUNCH_FIELDS = ("queued_us", "single_low_us", "back_to_back_us", "single_high_us")
# A decode kernel works on one 16x16 tile of weights per cycle: 256 lanes.
_HEAD_LANES = 256


@dataclass(frozen=True)
class WhatIf:
    """A launch figure of the board with or without LM head, and the best ratio (TDP rule) of every model."""

    launch: str
    launch_us: float
    with_head: bool
    best: Mapping[str, float]


def head_ms(model: str) -> float:
    """Time of the LM head per token, at the lanes of a decode kernel."""
    config = get_config(model)
    clock_mhz = require_hbm(load_board(BOARD)).clock_mhz.value
    return config.hidden * config.vocab / _HEAD_LANES / clock_mhz / 1e3


def what_ifs(blocks: Mapping[str, ModelBlocks], shapes: Sequence[Lengths], opponent: Opponent) -> list[WhatIf]:
    """All combinations; the first one without LM head is the comparison itself."""
    launch = require_hbm(load_board(BOARD)).launch
    found = []
    for with_head in (False, True):
        for field in LAUNCH_FIELDS:
            paid = replace(fitted_overheads(), launch_us=getattr(launch, field).value)
            best = {
                model: max(_ratio(model, own, shape, paid, opponent, with_head=with_head) for shape in shapes)
                for model, own in blocks.items()
            }
            found.append(WhatIf(field, paid.launch_us, with_head, best))
    return found


def _ratio(
    model: str, blocks: ModelBlocks, shape: Lengths, paid: Overheads, opponent: Opponent, *, with_head: bool
) -> float:
    n, m = shape
    time = compose(n, m, get_config(model).layers, blocks.prefill[n], blocks.decode, paid)
    head_s = (1 + m) * head_ms(model) / 1e3 if with_head else 0.0
    theirs = opponent.generation(model, n, m)
    assert theirs is not None
    tdp_w = require_hbm(load_board(BOARD)).power.tdp_w.value
    return theirs.joules["tdp"] / (tdp_w * (time.latency_ms / 1e3 + head_s))
