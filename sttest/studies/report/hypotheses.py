"""What was tried as an explanation of a published figure and is not kept: its numbers stand apart."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sttest.core.results import Row


@dataclass(frozen=True)
class Hypothesis:
    """A claim, the rows that test it, and why they speak against it.

    ``pattern`` is matched against the whole metric of rows that have a reference.
    """

    experiment: str
    pattern: str
    claim: str
    verdict: str

    def tests(self, row: Row) -> bool:
        """Whether a row is one of its numbers."""
        return (
            row.experiment == self.experiment
            and row.reference is not None
            and re.fullmatch(self.pattern, row.metric) is not None
        )


_OF_A100 = r"best tokens/J over A100 per layer, rule tdp, "
REJECTED = (
    Hypothesis(
        "gpt2",
        r"speed .* with launch (?!queued_us).*",
        "A launch costs 50 to 113 µs, as published for launches that the host waits for",
        "Decode would be too slow at every length, with no time left for the host.  Launches in a queue are kept.",
    ),
    Hypothesis(
        "gpt2",
        r".* with scheme w4a8",
        "Scales of the cache are folded into the softmax weights",
        "Time to first token would be too short, more so for long prompts.  Latency and speed alone would allow it.",
    ),
    Hypothesis(
        "emerging",
        r"best tokens/J over A100.* rule (drawn|net)",
        "The paper counts the power that is drawn, not the TDP",
        "Over a launch-bound A100 every ratio moves away; over one with CUDA graphs they come nearer.",
    ),
    Hypothesis(
        "emerging",
        _OF_A100 + r"launch (?!queued_us, LM head not timed).*",
        "The newer models wait for each launch, or compute the LM head on the card",
        "Each would bring one model nearer and none brings all three; nothing that is published says so.",
    ),
    Hypothesis(
        "emerging",
        r"best tokens/J over (A100 eager|A100 HF eager|H200 .*)(, rule tdp|, rule drawn|, rule net)",
        "The opponent is a GPU in eager mode, or another GPU",
        "Eager mode makes the ratio several times too large; an H200 is not what the paper measured.",
    ),
    Hypothesis(
        "fig9",
        r"best tokens/J over .*",
        "Other lanes, launches and an LM head on the card explain all three ratios of Fig. 9",
        "The nearest case waits for a launch per layer, and no prefill design of any case fits the board.",
    ),
    Hypothesis(
        "onchip",
        r"fused over original, the model's operations.*",
        "The paper's unfused design stores only what the model's own operations exchange",
        "Fusion would then save far less than is published.  Counted over all kernels, it saves more in prefill.",
    ),
    Hypothesis(
        "attention",
        r"one pass.*",
        "Attention in one pass is 6.7 times as fast as in three (FuseMax over FLAT)",
        "Here one pass gains next to nothing.  The published ratio is between two accelerators that differ in more.",
    ),
    Hypothesis(
        "schedules",
        r"(reconfiguring|chosen by volume of data) over dataflow \[prefill.*",
        "Switching between dataflow and sequential execution is 1.8 times as fast as dataflow (InTAR), in prefill too",
        "In prefill it is slower than dataflow here; in decode it is faster than published.",
    ),
    Hypothesis(
        "wafer-mesh",
        r"time with .*",
        "Relays between cores take 2, 5, 10 or 20 cycles, or a core multiplies twice per cycle",
        "No delay explains both published sizes.  Two products per cycle come near, and are not documented.",
    ),
)
"""Hypotheses in the order of the page."""


def tested_by(rows: Iterable[Row]) -> list[tuple[Hypothesis, Sequence[Row]]]:
    """Hypotheses that some of the rows test, with those rows; a row tests the first that it matches."""
    found: dict[Hypothesis, list[Row]] = {}
    for row in rows:
        hypothesis = next((each for each in REJECTED if each.tests(row)), None)
        if hypothesis is not None:
            found.setdefault(hypothesis, []).append(row)
    return [(each, found[each]) for each in REJECTED if each in found]


def is_rejected(row: Row) -> bool:
    """Whether a row tests a hypothesis that was rejected."""
    return any(each.tests(row) for each in REJECTED)
