"""The xDSL context of sttest: its dialects, its passes, reading and printing IR text."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO

from xdsl.context import Context
from xdsl.dialects import affine, arith, func, linalg, math, memref, scf, tensor
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.parser import Parser
from xdsl.passes import ModulePass
from xdsl.printer import Printer
from xdsl.utils.exceptions import ParseError, VerifyException

from sttest.compile.dialects.df import DF
from sttest.compile.ir.diagnosis import parse_error, rule_error
from sttest.compile.ir.module_walk import all_of
from sttest.compile.passes.add_positions import AddPositions
from sttest.compile.passes.assign_channels import AssignChannels
from sttest.compile.passes.assign_lanes import AssignLanes
from sttest.compile.passes.compare_bits import CompareBits
from sttest.compile.passes.fold_dma import FoldDma
from sttest.compile.passes.fuse_kernels import FuseKernels
from sttest.compile.passes.insert_forks import InsertForks
from sttest.compile.passes.keep_pace import KeepPace
from sttest.compile.passes.keep_reads import KeepReads
from sttest.compile.passes.linalg_to_kernels import LinalgToKernels
from sttest.compile.passes.loop_layers import LoopLayers
from sttest.compile.passes.loop_tokens import LoopTokens
from sttest.compile.passes.lower_to_streams import LowerToStreams
from sttest.compile.passes.make_instances import MakeInstances
from sttest.compile.passes.materialize_converters import MaterializeConverters
from sttest.compile.passes.materialize_dma import MaterializeDma
from sttest.compile.passes.multiply_in_fabric import MultiplyInFabric
from sttest.compile.passes.one_pass_attention import OnePassAttention
from sttest.compile.passes.quantise import Quantise
from sttest.compile.passes.share_engines import ShareEngines
from sttest.compile.passes.share_loads import ShareLoads
from sttest.compile.passes.share_streams import ShareStreams
from sttest.compile.passes.size_fifos import SizeFifos
from sttest.compile.passes.vectorize import Vectorize

_DIALECTS = (
    Builtin, affine.Affine, arith.Arith, func.Func, linalg.Linalg, math.Math, memref.MemRef, scf.Scf, tensor.Tensor, DF,
)  # fmt: skip

PASSES: dict[str, type[ModulePass]] = {
    each.name: each
    for each in (
        AddPositions, OnePassAttention, Quantise, CompareBits, LinalgToKernels, MultiplyInFabric, ShareEngines,
        AssignLanes, FuseKernels, KeepReads, MaterializeConverters, MaterializeDma, FoldDma, Vectorize, InsertForks,
        ShareLoads, AssignChannels, MakeInstances, LowerToStreams, ShareStreams, KeepPace, SizeFifos, LoopLayers,
        LoopTokens,
    )
}  # fmt: skip
"""Every pass by its command-line name, in pipeline order."""


def new_context() -> Context:
    """A context with every dialect that sttest reads."""
    context = Context()
    for dialect in _DIALECTS:
        context.load_dialect(dialect)
    return context


def available_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    """The passes as xDSL's pipeline parser wants them."""
    return {name: lambda each=each: each for name, each in PASSES.items()}


def parse(text: str, where: str, context: Context | None = None) -> ModuleOp:
    """Reads and verifies a module.

    Raises:
        InputError: the text does not parse or breaks a rule of its dialect; it shows the line and names op and rule.
    """
    try:
        module = Parser(context or new_context(), text, where).parse_module()
    except ParseError as error:
        raise parse_error(error, text, where) from error
    except VerifyException as error:
        raise rule_error(error, text, where) from error
    try:
        module.verify()
    except VerifyException as error:
        raise rule_error(error, text, where, module) from error
    return module


def printed(module: ModuleOp) -> str:
    """The module as text that parses again; an f-string of a module would add a debugging frame."""
    if any(len(op.results) > 1 for op in all_of(module, GenericOp)):
        # xDSL prints several results of a generic in parentheses, which it does not read.
        stream = StringIO()
        Printer(stream, print_generic_format=True).print_op(module)
        return f"{stream.getvalue()}\n"
    return f"{module!s}\n"
