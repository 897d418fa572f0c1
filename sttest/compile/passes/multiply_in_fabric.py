"""`multiply-in-fabric`: the products of integers of chosen tasks are made of LUTs, not DSPs.

A design of many lanes can run out of DSPs while LUTs are left; which tasks give theirs up is the user's choice.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.passes import ModulePass

from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of
from sttest.core.errors import InputError, did_you_mean


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
            for task in self._chosen(pattern, tasks):
                task.properties["fabric"] = UnitAttr()

    def _chosen(self, pattern: str, tasks: Sequence[df.TaskOp]) -> list[df.TaskOp]:
        multiplying = [task for task in tasks if task.multiplies_integers]
        named = [task for task in tasks if fnmatchcase(task.sym_name.data, pattern)]
        chosen = [task for task in named if task in multiplying]
        if chosen:
            return chosen
        if not multiplying:
            raise InputError(
                "no-integer-product", "no task multiplies integers", where=self.name,
                hints=["take a precision that quantises"],
            )  # fmt: skip
        code = "no-integer-product" if named else "unknown-task"
        what = "no integers are multiplied by a task" if named else "no task is"
        hints = [did_you_mean(pattern, [task.sym_name.data for task in multiplying])]
        raise InputError(code, f"{what} called '{pattern:.80}'", where=self.name, hints=hints)
