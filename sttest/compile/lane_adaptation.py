"""The lanes of one design for another that has other tasks: of another scheme, without head, of several tokens.

Tasks that both have keep their lanes; of those that could take turns here, and have unlike lanes, each keeps its own,
too.  A task that has none gets those of the compiler's rule, at most as many as its kin in the given design: tasks of
the same step (``quantize``), or what is usual where there are none.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from statistics import median_high

from sttest.compile.dialects import df

_SHOWN = 4
"""Names of tasks in a line."""
_ALIKE = 0.9
"""How alike two names are of which one may be a mistake for the other (difflib's ratio)."""


@dataclass(frozen=True)
class LaneAdaptation:
    """Where a design differs from the lanes that it was given."""

    left_out: tuple[str, ...] = ()  # tasks that it does not have
    added: tuple[str, ...] = ()  # tasks that none were given for, ``name:lanes``
    smaller: tuple[str, ...] = ()  # tasks whose tiles have fewer points than the lanes given, ``name:lanes``
    apart: tuple[str, ...] = ()  # tasks off the functional unit of those that are alike, whose lanes are others

    @property
    def lines(self) -> list[str]:
        """What differs, a line each.

        >>> for line in LaneAdaptation(("attn_q_prj", "attn_norm_peak"), ("attn_q_proj:32",)).lines:
        ...     print(line)
        2 given for tasks that are not here: attn_q_prj (attn_q_proj?), attn_norm_peak
        1 not given: attn_q_proj takes 32
        """
        known = [_name(entry) for entry in self.added]
        told = {
            "given for tasks that are not here": [_asked(name, known) for name in self.left_out],
            "not given": [_takes(entry) for entry in self.added],
            "given beyond the points of a tile": [_takes(entry) for entry in self.smaller],
            "unlike those of units that could be shared": self.apart,
        }
        return [_line(what, names) for what, names in told.items() if names]


def adaptation_of(
    given: Sequence[str], engines: Mapping[str, str | None], tasks: Sequence[df.TaskOp]
) -> LaneAdaptation:
    """How a design differs from the lanes that it was given.

    Args:
        given: lanes that were asked for, ``name:lanes``; empty where the compiler chose them.
        engines: unit of each task before lanes were assigned; None of one that takes no turns.
        tasks: tasks of the design, which have their lanes.
    """
    if not given:
        return LaneAdaptation()
    wanted = {_name(entry): int(entry.rpartition(":")[2]) for entry in given}
    found = {task.sym_name.data: task.lane_count for task in tasks}
    return LaneAdaptation(
        tuple(name for name in wanted if name not in found),
        tuple(f"{name}:{lanes}" for name, lanes in found.items() if name not in wanted),
        tuple(f"{name}:{lanes}" for name, lanes in found.items() if wanted.get(name, lanes) > lanes),
        tuple(name for name, engine in engines_of(tasks).items() if engine != engines[name]),
    )


def engines_of(tasks: Sequence[df.TaskOp]) -> dict[str, str | None]:
    """The engine of each task; None of one that takes no turns."""
    return {task.sym_name.data: task.engine.data if task.engine is not None else None for task in tasks}


def most_of_kin(name: str, given: Mapping[str, int], beside: Sequence[str]) -> int:
    """The most lanes for a task that was given none.

    Args:
        name: name of the task.
        given: lanes by task of another design.
        beside: tasks of this design that have lanes there, and are products as this one is, or are none.

    >>> most_of_kin("fc_quantize", {"q_quantize": 4, "k_quantize": 16, "fc": 64, "norm": 8}, ["norm"])
    16
    >>> most_of_kin("embed", {"q_quantize": 4, "k_quantize": 16, "fc": 64, "norm": 8}, ["norm"])
    8
    """
    kin = [lanes for task, lanes in given.items() if _step(task) == _step(name)]
    return max(kin) if kin else median_high([given[task] for task in beside] or list(given.values()))


def _step(name: str) -> str:
    """The last word of a task's name: what it does.

    >>> _step("attn_softmax_5"), _step("attn_q_proj_quantize"), _step("embed")
    ('softmax', 'quantize', 'embed')
    """
    return re.sub(r"(_\d+)+$", "", name).rpartition("_")[2]


def _name(entry: str) -> str:
    return entry.rpartition(":")[0]


def _asked(name: str, known: Sequence[str]) -> str:
    near = get_close_matches(name, known, n=1, cutoff=_ALIKE)
    return f"{name} ({near[0]}?)" if near else name


def _takes(entry: str) -> str:
    return f"{_name(entry)} takes {entry.rpartition(':')[2]}"


def _line(what: str, names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{len(names)} {what}: {', '.join(names[:_SHOWN])}{more}"
