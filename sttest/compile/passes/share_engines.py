"""`share-engines`: tasks that are alike take turns on one engine instead of having lanes of their own.

A decode step pays its matrix-vector products one after the other, whatever hardware they
have; shared, each has the lanes of all.  Which tasks share is a choice of the design:
``weights``, products with parameters and the sums over their groups; ``all``, whatever is alike.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import get_args

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of, functions
from sttest.compile.ir.names import POSITION, argument_names, card_named, parameters_of, unique
from sttest.compile.options import Sharing
from sttest.compile.sharing.functional_units import alike
from sttest.core.errors import InputError, did_you_mean


@dataclass(frozen=True)
class ShareEngines(ModulePass):
    """Names an engine on the tasks that share it.

    ``share`` is ``none``, ``weights`` or ``all``.  Tasks that an entry of ``own`` names (patterns, joined by ``+``)
    share with each other only: a second engine works beside the first where neither waits for the other.  Tasks of
    several ``cards`` share none.
    """

    name = "share-engines"

    share: str = "none"
    own: tuple[str, ...] = ()
    cards: int = 1

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Sets ``engine`` on tasks of which there are several that are alike.

        Raises:
            InputError: no such way to share; a pattern that no task has that could share.
        """
        ways = get_args(Sharing)
        if self.share not in ways:
            raise InputError(
                "unknown-sharing", f"unknown way to share '{self.share}'", where=self.name,
                hints=[did_you_mean(self.share, ways)],
            )  # fmt: skip
        taken = {task.sym_name.data for task in all_of(op, df.TaskOp)}
        for tasks in self._apart(list(self._candidates(op))):
            for card in range(self.cards):
                own = [task for task in tasks if self.cards == 1 or card_named(task) == card]
                for group in alike(own):
                    if len(group) > 1:
                        _share(group, taken)

    def _apart(self, tasks: Sequence[df.TaskOp]) -> Iterator[list[df.TaskOp]]:
        """Those of each entry, the first that names a task, then all others."""
        left = list(tasks)
        for entry in self.own:
            patterns = entry.split("+")
            self._refuse_unknown(patterns, tasks)
            chosen = [task for task in left if any(fnmatchcase(task.sym_name.data, each) for each in patterns)]
            left = [task for task in left if task not in chosen]
            yield chosen
        yield left

    def _refuse_unknown(self, patterns: Sequence[str], tasks: Sequence[df.TaskOp]) -> None:
        names = [task.sym_name.data for task in tasks]
        for pattern in patterns:
            if not any(fnmatchcase(name, pattern) for name in names):
                raise InputError(
                    "unknown-task", f"no task that could share an engine is called '{pattern:.80}'", where=self.name,
                    hints=[did_you_mean(pattern, names)],
                )  # fmt: skip

    def _candidates(self, op: ModuleOp) -> Iterator[df.TaskOp]:
        for function in functions(op):
            ahead = [argument for argument, name in argument_names(function).items() if name == POSITION]
            # What is added before the first layer would come before all turns of an engine.
            kernels = [each for each in all_of(function, df.KernelOp) if not any(a in each.inputs for a in ahead)]
            if self.share == "all":
                yield from (task for kernel in kernels for task in all_of(kernel, df.TaskOp))
            elif self.share == "weights":
                parameters = parameters_of(function)
                products = [kernel for kernel in kernels if _multiplies(kernel, parameters)]
                sums = [kernel for kernel in kernels if _sums_over_groups(kernel, products)]
                chosen = {*products, *sums}
                yield from (task for kernel in kernels if kernel in chosen for task in all_of(kernel, df.TaskOp))


def _multiplies(kernel: df.KernelOp, parameters: set[SSAValue]) -> bool:
    """Whether a kernel of one task is a product with a parameter."""
    return any(task.is_contraction for task in all_of(kernel, df.TaskOp)) and any(
        tensor in parameters for tensor in kernel.inputs
    )


def _sums_over_groups(kernel: df.KernelOp, products: Sequence[df.KernelOp]) -> bool:
    """Whether a kernel reduces what such a product gives."""
    reduces = any("reduction" in task.loop_kinds for task in all_of(kernel, df.TaskOp))
    return reduces and any(tensor.owner in products for tensor in kernel.inputs)


def _share(group: Sequence[df.TaskOp], taken: set[str]) -> None:
    engine = unique(f"{group[0].sym_name.data}_engine", taken)
    for task in group:
        task.properties["engine"] = StringAttr(engine)
