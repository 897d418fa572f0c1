"""Limits of a process that executes what came in."""

import resource

GRACE_S = 5
"""Seconds of processor time between the signal that says that it is over and the one that ends the process."""


def lower_limit(kind: int, most: int) -> None:
    """Sets a limit of this process, unless it has a lower one already, which only root could raise.

    Args:
        kind: such as ``resource.RLIMIT_AS``.
        most: bytes, or seconds of processor time.
    """
    hard = resource.getrlimit(kind)[1]
    highest = most + GRACE_S if kind == resource.RLIMIT_CPU else most
    if hard != resource.RLIM_INFINITY:
        most, highest = min(most, hard), min(highest, hard)
    resource.setrlimit(kind, (most, highest))
