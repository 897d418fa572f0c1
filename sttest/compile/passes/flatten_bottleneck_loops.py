"""`flatten-bottleneck-loops`: which pipelines drain after every pass, and which are walked as one flat loop.

A pipeline that is left drains, and its last results do not wait for the next row.  For
the slowest tasks of a design that time is not there: each drain of theirs holds up all rows
behind it.  Those walk all passes in one loop.  What others give in bursts is copied in bursts.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from sttest.boards.operators import operators
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of, target_of
from sttest.compile.schedule.drains import NodeNests, producer_of
from sttest.compile.schedule.task_schedule import TaskSchedule, task_schedule
from sttest.sim.graph import COPY_CYCLES


@dataclass(frozen=True)
class FlattenBottleneckLoops(ModulePass):
    """Sets ``whole`` on tasks that would be slower than the slowest if they drained, and ``passes`` on forks.

    A module at the stream level, with a target.  Tasks that share an engine stay as they are.
    """

    name = "flatten-bottleneck-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Before FIFOs are sized.

        Raises:
            InputError: no target.
        """
        library = operators(target_of(op, self.name))
        for kernel in all_of(op, df.KernelOp):
            costs = {task: task_schedule(task, library) for task in all_of(kernel, df.TaskOp)}
            pace = max((_busy(task, cost) for task, cost in costs.items()), default=0)
            pipelines = NodeNests(costs)
            left = {task: task.trip_counts[0] for task in costs if task.engine is None and pipelines.is_left(task)}
            for task, passes in left.items():
                if _busy(task, costs[task]) + passes * costs[task].latency > pace:
                    task.properties["whole"] = UnitAttr()
            for fork in all_of(kernel, df.ForkOp):
                passes = _passes(fork, left)
                if passes and df.itensor_of(fork.sources[0]).tokens + passes * COPY_CYCLES <= pace:
                    fork.properties["passes"] = df.i64_attr(passes)


def _busy(task: df.TaskOp, cost: TaskSchedule) -> int:
    return task.iterations * cost.ii


def _passes(fork: df.ForkOp, left: dict[df.TaskOp, int]) -> int:
    """How often the task is left whose results are copied; 0 where it is not."""
    writer = _task_behind(fork.sources[0])
    return left.get(writer, 0) if isinstance(writer, df.TaskOp) and writer.whole is None else 0


def _task_behind(stream: SSAValue) -> Operation | None:
    writer = producer_of(stream)
    return _task_behind(writer.sources[0]) if isinstance(writer, df.ForkOp) else writer
