"""Compiled: positions in a program, and for how long it goes on as it did before."""

from __future__ import annotations

from numba import njit

from sttest.sim.maxplus.arrays import Records, Wholes


@njit
def repeated_visits(
    processes: Records, then: Records, gap: Wholes, pattern: Wholes, segments: Records, index: int, most: int
) -> int:
    """How many visits of a pipeline, from now on, are those that it made from ``then`` on; ``most`` are looked at."""
    now, was = processes[index], then[index]
    segment, left, stage, stages = now.segment, now.left, now.stage, now.gap
    old_segment, old_left, old_stage, old_stages = was.segment, was.left, was.stage, was.gap
    most = min(most, now.all_visits - now.visits)
    count = 0
    while count < most:
        if stages != old_stages or pattern[stage] != pattern[old_stage]:
            return count
        if segment == old_segment and stage == old_stage:
            if left == old_left:
                return most  # the same place in an earlier run
            walks = min(left, old_left) - 1
            if walks > 0:
                first = segments[segment].first
                count += walks * (segments[segment].last + 1 - first)
                left, old_left = left - walks, old_left - walks
                stages = old_stages = segments[segment].again if stage == first else gap[stage]
                continue
        rows = min(most - count - 1, segments[segment].last - stage, segments[old_segment].last - old_stage)
        row = 0
        while (
            row < rows
            and gap[stage + row + 1] == gap[old_stage + row + 1]
            and pattern[stage + row + 1] == pattern[old_stage + row + 1]
        ):
            row += 1
        count, stage, old_stage = count + row, stage + row, old_stage + row
        segment, left, stage, stages = _next(now, gap, segments, segment, left, stage)
        old_segment, old_left, old_stage, old_stages = _next(now, gap, segments, old_segment, old_left, old_stage)
        count += 1
    return most


@njit
def _next(
    process: Records, gap: Wholes, segments: Records, segment: int, left: int, stage: int
) -> tuple[int, int, int, int]:
    """Segment, walks left of it, row, and stages to there, one visit later."""
    if stage < segments[segment].last:
        return segment, left, stage + 1, gap[stage + 1]
    if left > 1:
        return segment, left - 1, segments[segment].first, segments[segment].again
    is_rerun = segment == process.last
    segment = process.first if is_rerun else segment + 1
    stage = segments[segment].first
    return segment, segments[segment].times, stage, process.rerun if is_rerun else gap[stage]


@njit
def seek(processes: Records, gap: Wholes, segments: Records, index: int) -> None:
    """Puts a pipeline where it stands after its ``visits``."""
    process = processes[index]
    run = 0
    for i in range(process.first, process.last + 1):
        run += (segments[i].last + 1 - segments[i].first) * segments[i].times
    rest = process.visits % run
    for i in range(process.first, process.last + 1):
        rows = segments[i].last + 1 - segments[i].first
        if rest >= rows * segments[i].times:
            rest -= rows * segments[i].times
            continue
        walked = rest // rows
        process.segment, process.left = i, segments[i].times - walked
        process.stage = segments[i].first + rest % rows
        process.gap = gap[process.stage]
        if rest % rows == 0 and walked > 0:
            process.gap = segments[i].again
        elif rest == 0 and i == process.first and process.visits > 0:
            process.gap = process.rerun
        return
