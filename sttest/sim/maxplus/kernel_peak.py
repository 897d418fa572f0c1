"""Compiled: how full the FIFOs got, with the periods that were jumped over left out, in which nothing new happened."""

from __future__ import annotations

from numba import njit

from sttest.sim.maxplus.arrays import Records, Wholes


@njit(cache=True)
def find_peaks(
    sources: Wholes,
    fifos: Records,
    times: Wholes,
    initial: Wholes,
    is_claimed: Wholes,
    gone_at_once: Wholes,
    jumps: Wholes,
    written: Wholes,
    read: Wholes,
    writes: Wholes,
    reads: Wholes,
    peaks: Wholes,
) -> None:
    """Fills in ``peaks``, the most tokens that each FIFO held; a token leaves in the cycle after its read, or at once.

    Args, after ``sources``: ``is_claimed``: by an actor, whose claims count instead of writes;
    ``jumps``: periods per jump and FIFO; ``written``, ``read``, ``writes``, ``reads``: per jump and
    FIFO, tokens before it, and tokens per period.
    """
    for i in range(fifos.size):
        fifo = fifos[i]
        begin, after = fifo.write_first, fifo.written
        if is_claimed[i]:
            begin, after = fifo.claim_first, fifo.claimed
        held = peak = initial[i]
        at, left = initial[i], 0
        for jump in range(jumps.shape[0] + 1):
            is_last = jump == jumps.shape[0]
            stop, left_stop = (after, fifo.read) if is_last else (written[jump, i], read[jump, i])
            for token in range(at, stop):
                until = times[begin + token] - (0 if gone_at_once[i] else 1)
                while left < left_stop and times[fifo.read_first + left] <= until:
                    left += 1
                    held -= 1
                held += 1
                peak = max(peak, held)
            if not is_last:
                # All that is read before a jump is read before what is written after it.
                held += jumps[jump, i] * (writes[jump, i] - reads[jump, i]) - (left_stop - left)
                at, left = stop + jumps[jump, i] * writes[jump, i], left_stop + jumps[jump, i] * reads[jump, i]
        peaks[i] = peak
