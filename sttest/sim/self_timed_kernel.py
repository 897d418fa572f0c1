"""Compiled: self-timed execution of actors until a state comes back.  Import it late, numba takes its time."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Any

import numpy as np
from numba import njit

PERIODIC, DEAD, STANDING_STILL, TOO_LONG = range(4)
"""How an execution ended: in a periodic phase, with nothing going on, with no time passing, or given up."""


@njit(cache=True)
def run_self_timed(
    phase_first: np.ndarray,
    duration: np.ndarray,
    read_first: np.ndarray,
    read_fifo: np.ndarray,
    read_tokens: np.ndarray,
    write_first: np.ndarray,
    write_fifo: np.ndarray,
    write_tokens: np.ndarray,
    writer: np.ndarray,
    reader: np.ndarray,
    initial: np.ndarray,
    depth: np.ndarray,
    iteration_firings: int,
    most_firings: int,
) -> tuple[int, int, int, np.ndarray, np.ndarray]:
    """Starts every firing as early as it can, and looks at the state once per iteration of the first actor.

    Brent's search: the state is compared with one that is kept, and which is replaced after 1, 2, 4 … iterations.

    Returns:
        How it ended; firings of the first actor in a period; cycles of a period; and by FIFO, whether a firing in
        the period started the moment that a token came, or space (where it ended in a deadlock: lacks them).
    """
    actors, fifos = phase_first.size - 1, initial.size
    tokens, space = initial.copy(), depth - initial
    phase = phase_first[:-1].copy()
    # By FIFO: how much came in the present cycle, and which cycle that was.
    came, came_at = np.zeros((2, fifos), np.int64), np.full((2, fifos), -1, np.int64)
    needs = np.zeros((2, fifos), np.bool_)
    running = [(0, 0)]
    running.pop()
    queued = np.ones(actors, np.bool_)
    todo = np.arange(actors)[::-1].copy()
    waiting = actors
    now, started, first_firings, instant = 0, 0, 0, 0
    kept_tokens, kept_phase, kept_running = tokens.copy(), phase.copy(), running.copy()
    kept_now, kept_firings, looks, power, iteration = 0, 0, 0, 1, -1
    while True:
        while True:
            while waiting > 0:
                waiting -= 1
                actor = todo[waiting]
                queued[actor] = False
                while True:
                    stage = phase[actor]
                    reads = slice(read_first[stage], read_first[stage + 1])
                    writes = slice(write_first[stage], write_first[stage + 1])
                    if not _is_there(tokens, read_fifo[reads], read_tokens[reads]):
                        break
                    if not _is_there(space, write_fifo[writes], write_tokens[writes]):
                        break
                    _take(tokens, came[0], came_at[0], needs[0], read_fifo[reads], read_tokens[reads], now)
                    _take(space, came[1], came_at[1], needs[1], write_fifo[writes], write_tokens[writes], now)
                    heappush(running, (now + duration[stage], stage))
                    phase[actor] = stage + 1 if stage + 1 < phase_first[actor + 1] else phase_first[actor]
                    first_firings += actor == 0
                    started += 1
                    instant += 1
                    if instant > most_firings // 8:
                        return STANDING_STILL, 0, 0, needs[0], needs[1]
            if len(running) == 0 or running[0][0] > now:
                break
            while len(running) > 0 and running[0][0] == now:
                stage = heappop(running)[1]
                for i in range(read_first[stage], read_first[stage + 1]):
                    fifo = read_fifo[i]
                    _give(space, came[1], came_at[1], fifo, read_tokens[i], now)
                    waiting = _wake(todo, queued, waiting, writer[fifo])
                for i in range(write_first[stage], write_first[stage + 1]):
                    fifo = write_fifo[i]
                    _give(tokens, came[0], came_at[0], fifo, write_tokens[i], now)
                    waiting = _wake(todo, queued, waiting, reader[fifo])
        if len(running) == 0:
            needs[:] = False
            for actor in range(actors):
                stage = phase[actor]
                reads = slice(read_first[stage], read_first[stage + 1])
                writes = slice(write_first[stage], write_first[stage + 1])
                _note_lack(tokens, needs[0], read_fifo[reads], read_tokens[reads])
                _note_lack(space, needs[1], write_fifo[writes], write_tokens[writes])
            return DEAD, 0, 0, needs[0], needs[1]
        if started > most_firings:
            return TOO_LONG, 0, 0, needs[0], needs[1]
        if first_firings // iteration_firings > iteration:
            iteration = first_firings // iteration_firings
            if looks > 0 and (tokens == kept_tokens).all() and (phase == kept_phase).all():
                if _same_running(running, now, kept_running, kept_now):
                    return PERIODIC, first_firings - kept_firings, now - kept_now, needs[0], needs[1]
            looks += 1
            if looks == power:
                power *= 2
                kept_tokens[:], kept_phase[:], kept_running = tokens, phase, running.copy()
                kept_now, kept_firings = now, first_firings
                needs[:] = False
        now = running[0][0]
        instant = 0


@njit
def _is_there(amount: np.ndarray, fifos: np.ndarray, wanted: np.ndarray) -> bool:
    for i in range(fifos.size):
        if amount[fifos[i]] < wanted[i]:
            return False
    return True


@njit
def _take(
    amount: np.ndarray,
    came: np.ndarray,
    came_at: np.ndarray,
    needs: np.ndarray,
    fifos: np.ndarray,
    wanted: np.ndarray,
    now: int,
) -> None:
    """Takes what a firing wants, and notes where there was too little before this cycle."""
    for i in range(fifos.size):
        fifo = fifos[i]
        if came_at[fifo] == now and amount[fifo] - came[fifo] < wanted[i]:
            needs[fifo] = True
        amount[fifo] -= wanted[i]


@njit
def _give(amount: np.ndarray, came: np.ndarray, came_at: np.ndarray, fifo: int, given: int, now: int) -> None:
    amount[fifo] += given
    came[fifo] = given if came_at[fifo] != now else came[fifo] + given
    came_at[fifo] = now


@njit
def _wake(todo: np.ndarray, queued: np.ndarray, waiting: int, actor: int) -> int:
    if queued[actor]:
        return waiting
    queued[actor] = True
    todo[waiting] = actor
    return waiting + 1


@njit
def _note_lack(amount: np.ndarray, needs: np.ndarray, fifos: np.ndarray, wanted: np.ndarray) -> None:
    for i in range(fifos.size):
        if amount[fifos[i]] < wanted[i]:
            needs[fifos[i]] = True


@njit
def _same_running(running: Any, now: int, others: Any, then: int) -> bool:
    """Whether the same firings run, with as many cycles to go."""
    if len(running) != len(others):
        return False
    mine, theirs = sorted(running), sorted(others)
    for i in range(len(mine)):
        if mine[i][0] - now != theirs[i][0] - then or mine[i][1] != theirs[i][1]:
            return False
    return True
