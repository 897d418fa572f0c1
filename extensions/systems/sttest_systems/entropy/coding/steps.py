"""What a lane of the decoder does in each cycle, if nothing holds it back: takes a part of a word, gives a group.

A cycle decodes from the bits that the lane held before it, and takes its part of a word beside that if it held fewer
than ``refill_bits``.  A group that is not there whole waits; fill goes by without a group.  The emitted C++ and
SystemVerilog follow the same rule.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sttest_systems.entropy.coding.lanes import EncodedWeights, LaneFormat


@dataclass(frozen=True)
class LaneSteps:
    """Cycles of lanes in which something happens."""

    takes: tuple[NDArray[np.int64], ...]  # cycles in which each lane takes a part of a word
    gives: tuple[NDArray[np.int64], ...]  # cycles in which each lane decodes a group
    ends: NDArray[np.int64]  # [lanes], cycles until it has done everything


def lane_steps(
    bits: NDArray[np.int64], fills: NDArray[np.int64], words: NDArray[np.int64] | int, lane_format: LaneFormat
) -> LaneSteps:
    """Runs lanes beside each other.

    Args:
        bits: [groups, lanes], bits of each group.
        fills: [groups, lanes], fill before each group.
        words: words of memory, of each lane or of all.
        lane_format: lanes.
    """
    groups, lanes = bits.shape
    everyone, size = np.arange(lanes), lane_format.group_bits
    held, group = np.zeros(lanes, np.int64), np.zeros(lanes, np.int64)
    left = np.broadcast_to(np.asarray(words, np.int64), (lanes,)).copy()
    fill_left, ends = fills[0].copy(), np.zeros(lanes, np.int64)
    takes: list[NDArray[np.bool_]] = []
    gives: list[NDArray[np.bool_]] = []
    while True:
        busy = (left > 0) | (group < groups)
        if not busy.any():
            break
        ends += busy
        within = group < groups
        place = np.minimum(group, groups - 1)
        needs = np.where(fill_left > 0, size, bits[place, everyone])
        ready = within & (needs <= held)
        given = ready & (fill_left == 0)
        # Words that nobody needs at the end are taken, so that every lane takes each word.
        taken = (left > 0) & ((held < lane_format.refill_bits) | ~within)
        held += lane_format.word_bits * taken - needs * ready
        held[~within] = 0
        left -= taken
        fill_left -= ready & ~given
        group += given
        place = np.minimum(group, groups - 1)
        fill_left = np.where(given & (group < groups), fills[place, everyone], fill_left)
        takes.append(taken)
        gives.append(given)
    return LaneSteps(_places(takes), _places(gives), ends)


def _places(rows: list[NDArray[np.bool_]]) -> tuple[NDArray[np.int64], ...]:
    return tuple(np.flatnonzero(column) for column in np.array(rows).T)


def steps_of(encoded: EncodedWeights) -> LaneSteps:
    """The steps of all lanes of encoded weights."""
    return lane_steps(encoded.bits, encoded.fills, len(encoded.words), encoded.format)
