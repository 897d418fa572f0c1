"""`schedule-processes`: what the hardware of every process does in which cycle, as ops of `sched`."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from sttest.compile.dialects import df, sched
from sttest.compile.ir.module_walk import all_of, target_of
from sttest.compile.schedule.kernel_schedule import NodeSchedules


@dataclass(frozen=True)
class ScheduleProcesses(ModulePass):
    """Adds a `sched.kernel` behind the functions for every kernel; one that is there already is made anew."""

    name = "schedule-processes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """After all that changes nodes.

        Raises:
            InputError: no target, or a module that is not at the stream level.
        """
        board = target_of(op, self.name)
        sched.drop_schedules(op)
        for kernel in all_of(op, df.KernelOp):
            op.body.block.add_op(sched.KernelOp.of(kernel, NodeSchedules(kernel, board).in_turns))
