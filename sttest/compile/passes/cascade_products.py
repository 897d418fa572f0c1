"""`cascade-products`: the sums of products of chosen tasks run down the cascade of DSPs, so many of them in a row.

A chain costs no adder in LUTs, and a cycle of latency for each of its products, which wait for their turn.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of
from sttest.compile.ir.task_patterns import integer_tasks
from sttest.compile.schedule.cascades import can_cascade
from sttest.core.errors import InputError


@dataclass(frozen=True)
class CascadeProducts(ModulePass):
    """Gives the tasks of each entry of ``lengths`` (``pattern:length``) the length of their chains, the last one wins.

    Of the tasks that a pattern fits those are meant that sum products of integers in DSPs.  A result of fewer lanes has
    a chain of these.
    """

    name = "cascade-products"

    lengths: tuple[str, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Sets ``cascade``.

        Raises:
            InputError: an entry without a length, a pattern that no task has, or only tasks that sum no such products.
        """
        tasks = all_of(op, df.TaskOp)
        for entry in self.lengths:
            pattern, _, length = entry.rpartition(":")
            if not pattern or length not in map(str, df.CASCADE_LENGTHS):
                raise InputError(
                    "bad-cascade",
                    f"'{entry:.80}' does not give a task the length of its chains",
                    where=self.name,
                    hints=[f"write NAME={'|'.join(map(str, df.CASCADE_LENGTHS))}"],
                )
            for task in integer_tasks(pattern, tasks, can_cascade, self.name):
                task.properties["cascade"] = df.i64_attr(int(length))
