"""`multiply-in-fabric`: the products of integers of chosen tasks are made of LUTs, not DSPs.

A design of many lanes can run out of DSPs while LUTs are left; which tasks give theirs up is the user's choice.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.passes import ModulePass

from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of
from sttest.compile.ir.task_patterns import integer_tasks


@dataclass(frozen=True)
class MultiplyInFabric(ModulePass):
    """Marks the tasks of ``tasks`` (patterns of names) that multiply integers; others that a pattern fits stay."""

    name = "multiply-in-fabric"

    tasks: tuple[str, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Sets ``fabric``.

        Raises:
            InputError: a pattern that no task has, or only tasks without a product of integers.
        """
        tasks = all_of(op, df.TaskOp)
        for pattern in self.tasks:
            for task in integer_tasks(pattern, tasks, lambda each: each.multiplies_integers, self.name):
                task.properties["fabric"] = UnitAttr()
