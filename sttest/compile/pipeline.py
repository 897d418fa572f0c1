"""The order of the passes, and when each of them runs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from xdsl.passes import ModulePass

from sttest.compile.options import CompileOptions
from sttest.compile.passes.add_positions import AddPositions
from sttest.compile.passes.assign_channels import AssignChannels
from sttest.compile.passes.assign_lanes import AssignLanes
from sttest.compile.passes.buffer_rereads import BufferRereads
from sttest.compile.passes.call_own_kernels import CallOwnKernels
from sttest.compile.passes.cascade_products import CascadeProducts
from sttest.compile.passes.code_parameters import CodeParameters
from sttest.compile.passes.expand_functions import ExpandFunctions
from sttest.compile.passes.flatten_bottleneck_loops import FlattenBottleneckLoops
from sttest.compile.passes.float_min_as_int import FloatMinAsInt
from sttest.compile.passes.fold_dma import FoldDma
from sttest.compile.passes.fuse_kernels import FuseKernels
from sttest.compile.passes.index_dmas import IndexDmas
from sttest.compile.passes.insert_forks import InsertForks
from sttest.compile.passes.linalg_to_kernels import LinalgToKernels
from sttest.compile.passes.loop_layers import LoopLayers
from sttest.compile.passes.loop_tokens import LoopTokens
from sttest.compile.passes.lower_to_streams import LowerToStreams
from sttest.compile.passes.materialize_converters import MaterializeConverters
from sttest.compile.passes.materialize_dma import MaterializeDma
from sttest.compile.passes.merge_weight_streams import MergeWeightStreams
from sttest.compile.passes.multiply_in_fabric import MultiplyInFabric
from sttest.compile.passes.name_nodes import NameNodes
from sttest.compile.passes.online_softmax import OnlineSoftmax
from sttest.compile.passes.place_on_cards import PlaceOnCards
from sttest.compile.passes.quantize import Quantize
from sttest.compile.passes.share_engines import ShareEngines
from sttest.compile.passes.share_streams import ShareStreams
from sttest.compile.passes.size_fifos import SizeFifos
from sttest.compile.passes.split_products import SplitProducts
from sttest.compile.passes.vectorize import Vectorize
from sttest.models.quant.scheme import load_scheme


@dataclass(frozen=True)
class Step:
    """A pass of the pipeline."""

    kind: type[ModulePass]  # of the pass; which options it takes is said in :mod:`sttest.compile.options`.
    when: Callable[[CompileOptions], bool] = lambda options: True  # whether it runs with these options
    # arguments that follow from several options
    also: Callable[[CompileOptions], dict[str, Any]] = lambda options: {}

    def made(self, options: CompileOptions) -> ModulePass:
        """The pass with its options."""
        return self.kind(**options.for_pass(self.kind.name), **self.also(options))


def _shares(options: CompileOptions) -> bool:
    return options.share != "none"


def _codes(options: CompileOptions) -> dict[str, Any]:
    return {"codes": load_scheme(options.precision).codes}


def _port_rates(options: CompileOptions) -> dict[str, Any]:
    """Ports are as wide as tasks need where many lanes, or the work of several tasks, must not wait for them."""
    return {"full_rate": bool(options.gemv_lanes) or options.flatten_bottleneck_loops or _shares(options)}


_TILING = (
    Step(AddPositions, lambda options: options.positions),
    Step(OnlineSoftmax, lambda options: options.attention == "one-pass"),
    Step(Quantize),
    Step(ExpandFunctions),
    Step(FloatMinAsInt),
    Step(LinalgToKernels),
    Step(CallOwnKernels, lambda options: options.kernels is not None),
    Step(MultiplyInFabric, lambda options: bool(options.fabric)),
    Step(CascadeProducts, lambda options: bool(options.cascades)),
    Step(ShareEngines, _shares),
    Step(AssignLanes),
)
_STREAMING = (
    Step(FuseKernels),
    Step(BufferRereads, lambda options: options.buffer_rereads_kib > 0),
    Step(MaterializeConverters),
    Step(MaterializeDma),
    Step(FoldDma, also=lambda options: {"parameters": not options.prefetch_kib}),
    Step(Vectorize, also=_port_rates),
    Step(InsertForks),
    Step(MergeWeightStreams, _shares),
    Step(PlaceOnCards, lambda options: options.cards > 1),
    Step(CodeParameters, lambda options: bool(_codes(options)["codes"]), _codes),
    Step(AssignChannels),
    Step(SplitProducts, lambda options: options.product_units > 1),
    Step(NameNodes),
    Step(LowerToStreams),
    Step(ShareStreams, _shares),
    Step(IndexDmas),
    Step(FlattenBottleneckLoops, lambda options: options.flatten_bottleneck_loops),
    Step(SizeFifos),
    Step(LoopLayers, lambda options: options.layers > 1),
    Step(LoopTokens, lambda options: options.generate > 1),
)
PASSES = {step.kind.name: step.kind for step in (*_TILING, *_STREAMING)}
"""Every pass by its command-line name, in pipeline order."""


def tiling_passes(options: CompileOptions) -> tuple[ModulePass, ...]:
    """The passes that decide types, tiles and lanes."""
    return tuple(step.made(options) for step in _TILING if step.when(options))


def streaming_passes(options: CompileOptions) -> tuple[ModulePass, ...]:
    """The passes from tiled kernels to sized streams, for the target of the module."""
    return tuple(step.made(options) for step in _STREAMING if step.when(options))


def all_passes(options: CompileOptions) -> tuple[ModulePass, ...]:
    """All passes from linalg to sized streams."""
    return (*tiling_passes(options), *streaming_passes(options))
