"""`share-engines`: tasks that are alike take turns on one engine instead of having lanes of their own.

A decode step pays its matrix-vector products one after the other, whatever hardware they
have; shared, each has the lanes of all.  Which tasks share is a choice of the design:
``weights``, products with parameters and the sums over their groups; ``all``, whatever is alike; ``auto``, task by
task, by the volume of its data.

``auto`` is after InTAR (He et al., FCCM 2025, arXiv 2502.08807), which trades sequential execution, for hardware that
is never idle, against dataflow, for data that has no room.  Between the first and the last turn of an engine nothing
streams past it, so that all that tasks give to others in this stretch of the program may have to be kept.  An engine
takes turns as long as that fits on chip; with the next turn a new engine begins.  What is alone is spatial.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import accumulate
from math import prod
from typing import get_args

from xdsl.context import Context
from xdsl.dialects.builtin import FixedBitwidthType, ModuleOp, StringAttr, TensorType
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of, functions, target_of
from sttest.compile.ir.names import POSITION, argument_names, card_named, parameters_of, unique
from sttest.compile.options import Sharing
from sttest.compile.sharing.functional_units import alike
from sttest.core.errors import InputError, did_you_mean


@dataclass(frozen=True)
class ShareEngines(ModulePass):
    """Names an engine on the tasks that share it.

    ``share`` is ``none``, ``weights``, ``all`` or ``auto``.  Tasks that an entry of ``own`` names (patterns, joined by
    ``+``) share with each other only: a second engine works beside the first where neither waits for the other.  Tasks
    of several ``cards`` share none.
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
                "unknown-sharing",
                f"unknown way to share '{self.share}'",
                where=self.name,
                hints=[did_you_mean(self.share, ways)],
            )
        taken = {task.sym_name.data for task in all_of(op, df.TaskOp)}
        for tasks in self._apart(list(self._candidates(op))):
            for card in range(self.cards):
                own = [task for task in tasks if self.cards == 1 or card_named(task) == card]
                for group in alike(own):
                    for members in self._in_stretches(group, op) if self.share == "auto" else [group]:
                        if len(members) > 1:
                            share(members, taken)

    def _in_stretches(self, group: Sequence[df.TaskOp], op: ModuleOp) -> Iterator[list[df.TaskOp]]:
        """The members of a group in engines, each of which ends before what it may have to keep has no room on chip."""
        room_bytes = self.cards * target_of(op, self.name).fabric.usable_onchip_bytes
        kernels = all_of(op, df.KernelOp)
        place = {kernel: number for number, kernel in enumerate(kernels)}
        given = list(accumulate(map(given_bytes, kernels), initial=0))
        engine: list[df.TaskOp] = []
        for task in group:
            if engine and given[place[_kernel(task)] + 1] - given[place[_kernel(engine[0])]] > room_bytes:
                yield engine
                engine = []
            engine.append(task)
        yield engine

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
                    "unknown-task",
                    f"no task that could share an engine is called '{pattern:.80}'",
                    where=self.name,
                    hints=[did_you_mean(pattern, names)],
                )

    def _candidates(self, op: ModuleOp) -> Iterator[df.TaskOp]:
        for function in functions(op):
            ahead = [argument for argument, name in argument_names(function).items() if name == POSITION]
            # What is added before the first layer would come before all turns of an engine.
            kernels = [each for each in all_of(function, df.KernelOp) if not any(a in each.inputs for a in ahead)]
            if self.share in ("all", "auto"):
                yield from (task for kernel in kernels for task in all_of(kernel, df.TaskOp))
            elif self.share == "weights":
                parameters = parameters_of(function)
                products = [kernel for kernel in kernels if _multiplies(kernel, parameters)]
                sums = [kernel for kernel in kernels if _sums_over_groups(kernel, products)]
                chosen = {*products, *sums}
                yield from (task for kernel in kernels if kernel in chosen for task in all_of(kernel, df.TaskOp))


def given_bytes(kernel: df.KernelOp) -> int:
    """What a kernel gives to other kernels, in bytes; results of the block go to memory and don't count."""
    read = [tensor for tensor in kernel.outputs if any(isinstance(use.operation, df.KernelOp) for use in tensor.uses)]
    return sum(map(_bytes, read))


def _kernel(task: df.TaskOp) -> df.KernelOp:
    kernel = task.parent_op()
    assert isinstance(kernel, df.KernelOp)
    return kernel


def _bytes(tensor: SSAValue) -> int:
    assert isinstance(tensor.type, TensorType)
    element = tensor.type.element_type
    assert isinstance(element, FixedBitwidthType)
    return prod(tensor.type.get_shape()) * element.bitwidth // 8


def _multiplies(kernel: df.KernelOp, parameters: set[SSAValue]) -> bool:
    """Whether a kernel of one task is a product with a parameter."""
    return any(task.is_contraction for task in all_of(kernel, df.TaskOp)) and any(
        tensor in parameters for tensor in kernel.inputs
    )


def _sums_over_groups(kernel: df.KernelOp, products: Sequence[df.KernelOp]) -> bool:
    """Whether a kernel reduces what such a product gives."""
    reduces = any("reduction" in task.loop_kinds for task in all_of(kernel, df.TaskOp))
    return reduces and any(tensor.owner in products for tensor in kernel.inputs)


def share(group: Sequence[df.TaskOp], taken: set[str]) -> None:
    """Puts tasks that are alike on one engine, whose name is not among those taken, and is from now on."""
    engine = unique(f"{group[0].sym_name.data}_engine", taken)
    for task in group:
        task.properties["engine"] = StringAttr(engine)
