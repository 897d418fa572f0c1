"""Counting locks and processes that acquire and release them, for verdicts that share no code with sttest.

What mlir-aie lowers an object FIFO to (AIE2): a pool of n objects has a lock ``free`` that begins at n and a lock
``full`` that begins at 0.  A producer acquires ``free`` and releases ``full``, a consumer the reverse.
Processes are generators of such steps, written out by hand for each design.
"""

from collections.abc import Generator, Mapping

Steps = Generator[tuple[str, str, int]]


def stuck(processes: Mapping[str, Steps], locks: dict[str, int]) -> dict[str, str]:
    """The processes that never end, each with the lock that it waits for: none, if all end."""
    at = {name: next(steps, None) for name, steps in processes.items()}
    moved = True
    while moved:
        moved = False
        for name, steps in processes.items():
            while (step := at[name]) is not None:
                op, lock, count = step
                if op == "acquire" and locks[lock] < count:
                    break
                locks[lock] += count if op == "release" else -count
                at[name], moved = next(steps, None), True
    return {name: step[1] for name, step in at.items() if step is not None}


def pool(name: str, depth: int) -> dict[str, int]:
    """The locks of a pool."""
    return {f"{name} free": depth, f"{name} full": 0}


def move(source: str | None, targets: list[str], times: int) -> Steps:
    """DMA: objects out of a pool, or out of the host's memory, into all others."""
    for _ in range(times):
        if source is not None:
            yield "acquire", f"{source} full", 1
        for target in targets:
            yield "acquire", f"{target} free", 1
        if source is not None:
            yield "release", f"{source} free", 1
        for target in targets:
            yield "release", f"{target} full", 1
