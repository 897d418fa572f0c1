"""A module with several kernels as modules of one kernel each, which is what streams, timed graphs and resources take.

What one kernel hands to another is a result of the first module and an argument of the second: a tensor in memory.
"""

from collections.abc import Iterator

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Block, Region, SSAValue

from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of, functions
from sttest.compile.ir.names import parameters_of


def kernel_modules(module: ModuleOp) -> Iterator[tuple[str, ModuleOp]]:
    """Every kernel by its name, in program order, copied; ops between kernels (on the host) are left out.

    Raises:
        InputError: a function is not straight-line code.
    """
    for function in functions(module):
        parameters = parameters_of(function)
        for kernel in all_of(function, df.KernelOp):
            yield kernel.sym_name.data, ModuleOp([_function_of(kernel, parameters)], dict(module.attributes))


def _function_of(kernel: df.KernelOp, parameters: set[SSAValue]) -> func.FuncOp:
    block = Block(arg_types=[tensor.type for tensor in kernel.inputs])
    for argument, tensor in zip(block.args, kernel.inputs, strict=True):
        argument.name_hint = tensor.name_hint
    copy = kernel.clone(dict(zip(kernel.inputs, block.args, strict=True)))
    block.add_ops([copy, func.ReturnOp(*copy.outputs)])
    types = ([tensor.type for tensor in kernel.inputs], [tensor.type for tensor in kernel.outputs])
    function = func.FuncOp(kernel.sym_name.data, types, Region(block))
    kinds = ("parameter" if tensor in parameters else "input" for tensor in kernel.inputs)
    function.attributes["sttest.arg_kinds"] = ArrayAttr([StringAttr(kind) for kind in kinds])
    return function
