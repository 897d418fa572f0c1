"""What of a kernel runs once per layer, and what once per launch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from xdsl.dialects import func

from sttest.compile.dialects.df import DmaReadOp, DmaWriteOp, EnterOp, KernelOp, LeaveOp, NodeOp
from sttest.compile.module_walk import all_of
from sttest.compile.names import argument_kinds
from sttest.compile.processes import process_name
from sttest.sim.graph import Memory, Pipeline, Process


def once_per_launch(kernel: KernelOp) -> set[NodeOp]:
    """Where activations enter and leave, and the DMAs outside of that; empty without a loop over layers."""
    found: set[NodeOp] = {*all_of(kernel, EnterOp), *all_of(kernel, LeaveOp)}
    streams = {port for enter in all_of(kernel, EnterOp) for port in enter.sources}
    streams |= {port for leave in all_of(kernel, LeaveOp) for port in leave.sinks}
    found |= {dma for dma in all_of(kernel, DmaReadOp) if dma.sinks[0] in streams}
    return found | {dma for dma in all_of(kernel, DmaWriteOp) if dma.sources[0] in streams}


def has_part_per_layer(kernel: KernelOp, dma: DmaReadOp | DmaWriteOp) -> bool:
    """Whether memory holds a tensor of its own for each layer: parameters, caches, and what goes into them.

    Tables and masks are the same for all layers.
    """
    if kernel.layer_count == 1 or dma in once_per_launch(kernel):
        return False
    if isinstance(dma, DmaWriteOp):
        return True
    outer = kernel.inputs[kernel.body.block.args.index(dma.sources[0])]
    function = kernel.parent_op()
    kinds = argument_kinds(function) if isinstance(function, func.FuncOp) else {}
    return kinds.get(outer, "parameter") != "input"


def over_layers(kernel: KernelOp, processes: Iterable[Process]) -> list[Process]:
    """Processes of one layer, run for all layers of a kernel."""
    once = {process_name(node) for node in once_per_launch(kernel)}
    return [each if each.name in once else _times(each, kernel.layer_count) for each in processes]


def _times(process: Process, layers: int) -> Process:
    if isinstance(process, Pipeline):
        return replace(process, repeat=process.repeat * layers)
    return replace(process, tokens=process.tokens * layers) if isinstance(process, Memory) else process
