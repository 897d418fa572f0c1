"""`call-own-kernels`: payloads of chosen tasks become calls of the user's functions (docs/extend/own-kernel.md)."""

from dataclasses import dataclass
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, f32
from xdsl.ir import Block, Region
from xdsl.passes import ModulePass

from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of
from sttest.compile.own_kernels import (
    CPP,
    SYSTEMVERILOG,
    OwnKernel,
    cpp_text,
    keep_texts,
    read_own_kernels,
    systemverilog_text,
)
from sttest.core.errors import InputError, did_you_mean


@dataclass(frozen=True)
class CallOwnKernels(ModulePass):
    """Replaces payloads by what the YAML file ``file`` says; the C++ is kept in the module."""

    name = "call-own-kernels"

    file: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrites the tasks in place.

        Raises:
            InputError: a file that says something else, no such task, or one that is no elementwise task of f32.
        """
        path, tasks = Path(self.file), {task.sym_name.data: task for task in all_of(op, df.TaskOp)}
        texts: dict[str, str] = {}
        hardware: dict[str, str] = {}
        for kernel in read_own_kernels(path):
            if kernel.task not in tasks:
                raise InputError(
                    "unknown-task",
                    f"no task is called '{kernel.task}'",
                    where=str(path),
                    hints=[did_you_mean(kernel.task, tasks), "sttest compile writes all names to reports/kernels.csv"],
                )
            task = tasks[kernel.task]
            _refuse_unfit(task, str(path))
            texts[kernel.function] = cpp_text(kernel, path.parent, len(task.sources))
            if (text := systemverilog_text(kernel, path.parent)) is not None:
                hardware[kernel.function] = text
            _replace(task, kernel)
        keep_texts(op, CPP, texts)
        if hardware:
            keep_texts(op, SYSTEMVERILOG, hardware)


def _refuse_unfit(task: df.TaskOp, where: str) -> None:
    kinds = {*(argument.type for argument in task.payload.block.args)}
    if "reduction" in task.loop_kinds:
        what, hint = "reduces", "an own kernel stands for an elementwise task"
    elif len(task.produced) != 1:
        what, hint = f"has {len(task.produced)} results", "an own kernel gives one"
    elif kinds != {f32}:
        what, hint = f"has elements of {', '.join(sorted(map(str, kinds)))}", "an own kernel takes and gives f32"
    else:
        return
    raise InputError("unfit-task", f"the task '{task.sym_name.data}' {what}", where=where, hints=[hint])


def _replace(task: df.TaskOp, kernel: OwnKernel) -> None:
    block = Block(arg_types=[argument.type for argument in task.payload.block.args])
    figures = {name: getattr(kernel, name) for name in ("interval", "dsp", "ff", "lut")} | {"stages": kernel.latency}
    call = df.CallOp.create(
        operands=list(block.args[: len(task.sources)]),
        result_types=[f32],
        properties={"callee": StringAttr(kernel.function), **{name: IntegerAttr(n, 64) for name, n in figures.items()}},
    )
    block.add_ops([call, df.YieldOp(call.results)])
    task.detach_region(task.payload)
    task.add_region(Region(block))
