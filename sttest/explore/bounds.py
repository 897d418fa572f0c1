"""What no design can beat, before it is made: cycles from work, bytes and dependences; resources from lanes alone.

Cycles of a block are at least

- of every task, its work over its lanes; of tasks that take turns, the sum;
- of the memory, every input once over all channels;
- along every chain of tasks: a task that streams a tensor several times has read what comes last only in its first
  pass at best, so that all later passes start after its producer is done.

Nothing is estimated: a simulation that comes out below is a fault of one of the two (``tests/explore``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sttest.boards.resources import Resources
from sttest.explore.facts import BlockFacts, TaskFacts


@dataclass(frozen=True)
class Bounds:
    """Least cycles of one block by reason, and least resources.

    Attributes:
        work_cycles: of the slowest engine by itself.
        memory_cycles: of all bytes over all channels.
        chain_cycles: of the longest chain of tasks that wait for each other.
        logic: of the engines, without memories and what moves data.
    """

    work_cycles: int
    memory_cycles: float
    chain_cycles: int
    logic: Resources

    @property
    def cycles(self) -> float:
        """The longest of the three."""
        return max(self.work_cycles, self.memory_cycles, self.chain_cycles)


def bounds(facts: BlockFacts, lanes: Mapping[str, int]) -> Bounds:
    """The bounds of a block with these lanes.

    Args:
        facts: of the tiled block.
        lanes: by task, each admissible.
    """
    done: list[int] = []
    for task in facts.tasks:
        done.append(_done(task, task.interval(lanes[task.name]), done))
    return Bounds(
        max((engine.cycles(lanes[engine.tasks[0].name]) for engine in facts.engines), default=0),
        facts.loaded_bytes / facts.bytes_per_cycle,
        max(done, default=0),
        facts.logic(lanes),
    )


def _done(task: TaskFacts, interval: int, done: list[int]) -> int:
    """The first cycle in which the last result of a task can be there."""
    # An iteration starts up to one interval before its operands are all read.
    after = (done[wait.producer] + (wait.rest - 1) * interval + 1 for wait in task.waits)
    return max(task.iterations * interval, *after, 0)
