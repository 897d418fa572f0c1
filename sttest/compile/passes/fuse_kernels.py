"""`fuse-kernels`: merges kernels into groups, one FPGA kernel each (streamtensor.md section 2.2).

Inside a group the tensors between kernels become streams; where the two sides
stream in different orders a `df.converter` joins them, shared by all readers
that want the same order.
"""

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from sttest.compile.dialects import df
from sttest.compile.dialects.stream_order import converter_buffer, same_order
from sttest.compile.ir.module_walk import all_of, functions, sort_topologically, target_of
from sttest.compile.ir.names import hint
from sttest.compile.spaces.fusion import EdgeFacts, Fusion, KernelFacts, fuse
from sttest.sim.graph import PING_PONG


@dataclass(frozen=True)
class FuseKernels(ModulePass):
    """Greedy fusion in topological order under ``c_max_bytes`` of on-chip memory, or what ``cards`` targets have."""

    name = "fuse-kernels"

    c_max_bytes: int | None = None
    cards: int = 1

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Merges the kernels of every function.

        Raises:
            InputError: no target, and no ``c_max_bytes``.
            DoesNotFitError: a kernel's own buffers exceed the memory.
        """
        c_max_bytes = self.c_max_bytes
        if c_max_bytes is None:
            c_max_bytes = self.cards * target_of(op, self.name).fabric.usable_onchip_bytes
        for function in functions(op):
            kernels = [item for item in function.body.block.ops if isinstance(item, df.KernelOp)]
            merge_groups(function, decide(kernels, c_max_bytes))


def merge_groups(function: func.FuncOp, fusion: Fusion) -> None:
    """Merges a function's kernels, each of which the decision has in a group."""
    kernels = [item for item in function.body.block.ops if isinstance(item, df.KernelOp)]
    _merge_groups(kernels, fusion)
    # A group stands where its last kernel stood, which may be behind readers of its first.
    sort_topologically(function.body.block)


def decide(kernels: list[df.KernelOp], c_max_bytes: int) -> Fusion:
    """The fusion space's decision for these kernels."""
    facts = [KernelFacts(kernel.sym_name.data, local_buffer_bytes(kernel)) for kernel in kernels]
    edges = []
    for kernel in kernels:
        for tensor, inside in zip(kernel.inputs, kernel.body.block.args, strict=True):
            producer = tensor.owner
            if isinstance(producer, df.KernelOp):
                cost = converter_bytes(df.itensor_of(producer.stream_of(tensor)), df.itensor_of(inside))
                edges.append(EdgeFacts(producer.sym_name.data, kernel.sym_name.data, cost))
    return fuse(facts, edges, c_max_bytes)


def converter_bytes(source: df.ITensorType, result: df.ITensorType) -> int:
    """On-chip bytes of the converter between two stream orders, 0 where they agree."""
    if same_order(source, result):
        return 0
    return -(-converter_buffer(source, result).ping_pong_bits(source.element_bits) // 8)


def local_buffer_bytes(kernel: df.KernelOp) -> int:
    """On-chip bytes of a kernel's tiles: every source and result token twice (ping-pong)."""
    ports = [df.itensor_of(port) for task in all_of(kernel, df.TaskOp) for port in (*task.sources, *task.produced)]
    return sum(-(-PING_PONG * port.token_bits // 8) for port in ports)


def _merge_groups(kernels: list[df.KernelOp], fusion: Fusion) -> None:
    members: list[list[df.KernelOp]] = [[] for _ in fusion.costs]
    for kernel in kernels:
        members[fusion.group_of[kernel.sym_name.data]].append(kernel)
    # Later groups first: a group's readers are then already one kernel.
    for number, group in reversed(list(enumerate(members))):
        _merge(f"group{number}", group)


def _merge(name: str, members: list[df.KernelOp]) -> None:
    group = _Group()
    for kernel in members:
        group.take(kernel)
    outputs = [
        tensor
        for kernel in members
        for tensor in kernel.outputs
        if any(use.operation not in members for use in tensor.uses)
    ]
    group.block.add_op(df.YieldOp([group.streams[tensor] for tensor in outputs]))
    merged = df.KernelOp(name, group.inputs, [tensor.type for tensor in outputs], Region(group.block))
    Rewriter.insert_op(merged, InsertPoint.after(members[-1]))
    for old, new in zip(outputs, merged.outputs, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    for kernel in reversed(members):
        Rewriter.erase_op(kernel)


@dataclass
class _Group:
    """The body of a merged kernel while it grows."""

    block: Block = field(default_factory=Block)
    inputs: list[SSAValue] = field(default_factory=list)
    streams: dict[SSAValue, SSAValue] = field(default_factory=dict)
    ports: dict[tuple[SSAValue, df.ITensorType], SSAValue] = field(default_factory=dict)

    def take(self, kernel: df.KernelOp) -> None:
        """Moves a kernel's body in, its ports joined to streams of the group or to new inputs."""
        for tensor, inside in zip(kernel.inputs, kernel.body.block.args, strict=True):
            inside.replace_all_uses_with(self._port(tensor, df.itensor_of(inside)))
        terminator = kernel.terminator
        for tensor, stream in zip(kernel.outputs, terminator.arguments, strict=True):
            self.streams[tensor] = stream
            stream.name_hint = hint(kernel.sym_name.data)
        Rewriter.erase_op(terminator)
        for op in list(kernel.body.block.ops):
            op.detach()
            self.block.add_op(op)

    def _port(self, tensor: SSAValue, wanted: df.ITensorType) -> SSAValue:
        source = self.streams.get(tensor)
        if source is not None and same_order(df.itensor_of(source), wanted):
            return source
        if (tensor, wanted) not in self.ports:
            self.ports[tensor, wanted] = self._new_port(tensor, source, wanted)
        return self.ports[tensor, wanted]

    def _new_port(self, tensor: SSAValue, source: SSAValue | None, wanted: df.ITensorType) -> SSAValue:
        if source is not None:
            converter = df.ConverterOp(source, wanted)
            self.block.add_op(converter)
            converter.streams[0].name_hint = f"{source.name_hint}_ordered"
            return converter.streams[0]
        self.inputs.append(tensor)
        port = self.block.insert_arg(wanted, len(self.block.args))
        port.name_hint = tensor.name_hint
        return port
