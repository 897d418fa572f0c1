"""What a whole generation does, for its energy: composed like its time (experiments/generation.py)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np

from experiments.blocks import BlockTime
from experiments.generation import Overheads, sum_over_contexts
from sttest.boards.energy import Activity, idle


@dataclass(frozen=True)
class GenerationActivity:
    """What the board did until the first token, and after it; the host's share is in the latter, as in its time."""

    prefill: Activity
    decode: Activity

    @property
    def whole(self) -> Activity:
        """Both."""
        return self.prefill + self.decode


def compose_activity(
    input_len: int,
    output_len: int,
    layers: int,
    prefill: BlockTime,
    decode: Mapping[int, BlockTime],
    overheads: Overheads,
) -> GenerationActivity:
    """The activity of one row; arguments as of :func:`experiments.generation.compose`."""
    launch_s = overheads.launch_us / 1e6
    contexts = np.arange(input_len, input_len + output_len)
    blocks = {context: block.done for context, block in decode.items()}
    steps = Activity(
        *(
            sum_over_contexts(contexts, {context: getattr(done, each.name) for context, done in blocks.items()})
            for each in fields(Activity)
        )
    )
    waiting = idle(layers * output_len * launch_s + overheads.host_ms / 1e3)
    return GenerationActivity((prefill.done + idle(launch_s)).times(layers), steps.times(layers) + waiting)
