"""Compiled: how full FIFOs get, and how far processes get, token by token.  Import it late, numba takes its time."""

import numpy as np

from sttest.core.machine_code import kept_on_disk


@kept_on_disk
def peak_held(taken: np.ndarray, gone: np.ndarray, initial: int, gone_at_once: bool) -> int:
    """Most tokens held: ``taken`` and ``gone`` are ascending cycles; a token leaves in the cycle after, or at once."""
    peak, left = initial, 0
    for i in range(taken.size):
        until = taken[i] if gone_at_once else taken[i] - 1
        while left < gone.size and gone[left] <= until:
            left += 1
        peak = max(peak, initial + i + 1 - left)
    return peak


@kept_on_disk
def advance_tokens(
    stage_first: np.ndarray,
    pointer: np.ndarray,
    op: np.ndarray,
    count: np.ndarray,
    total_visits: np.ndarray,
    writer: np.ndarray,
    reader: np.ndarray,
    depth: np.ndarray,
    visits: np.ndarray,
    written: np.ndarray,
    read: np.ndarray,
    peak: np.ndarray,
) -> None:
    """Runs each process until it blocks, wakes whom it unblocks, until nobody can go on; changes the last four."""
    processes = total_visits.size
    waits = np.zeros(2 * depth.size, np.bool_)
    todo = np.empty(processes, np.int64)
    for i in range(processes):
        todo[i] = processes - 1 - i
    waiting = processes
    while waiting > 0:
        waiting -= 1
        process = todo[waiting]
        first, stages = stage_first[process], stage_first[process + 1] - stage_first[process]
        while visits[process] < total_visits[process]:
            stage = first + visits[process] % stages
            blocked = -1
            for i in range(pointer[stage], pointer[stage + 1]):
                fifo = op[i] >> 1
                if op[i] & 1:
                    if written[fifo] + count[i] - depth[fifo] > read[fifo]:
                        blocked = op[i]
                        break
                elif read[fifo] + count[i] > written[fifo]:
                    blocked = op[i]
                    break
            if blocked >= 0:
                waits[blocked] = True
                break
            visits[process] += 1
            for i in range(pointer[stage], pointer[stage + 1]):
                if op[i] & 1:  # before any read of the same stage: its space is not free yet
                    fifo = op[i] >> 1
                    peak[fifo] = max(peak[fifo], written[fifo] + count[i] - read[fifo])
            for i in range(pointer[stage], pointer[stage + 1]):
                fifo = op[i] >> 1
                if op[i] & 1:
                    written[fifo] += count[i]
                    peer = reader[fifo]
                else:
                    read[fifo] += count[i]
                    peer = writer[fifo]
                other = op[i] ^ 1
                if waits[other]:
                    waits[other] = False
                    todo[waiting] = peer  # who waits is not queued
                    waiting += 1
