"""The order of the passes, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.passes import ModulePass

from sttest.compile.passes.add_positions import AddPositions
from sttest.compile.passes.assign_channels import AssignChannels
from sttest.compile.passes.assign_lanes import AssignLanes
from sttest.compile.passes.buffer_rereads import KeepReads
from sttest.compile.passes.flatten_bottleneck_loops import KeepPace
from sttest.compile.passes.float_min_as_int import CompareBits
from sttest.compile.passes.fold_dma import FoldDma
from sttest.compile.passes.fuse_kernels import FuseKernels
from sttest.compile.passes.insert_forks import InsertForks
from sttest.compile.passes.linalg_to_kernels import LinalgToKernels
from sttest.compile.passes.loop_layers import LoopLayers
from sttest.compile.passes.loop_tokens import LoopTokens
from sttest.compile.passes.lower_to_streams import LowerToStreams
from sttest.compile.passes.materialize_converters import MaterializeConverters
from sttest.compile.passes.materialize_dma import MaterializeDma
from sttest.compile.passes.merge_weight_streams import ShareLoads
from sttest.compile.passes.multiply_in_fabric import MultiplyInFabric
from sttest.compile.passes.name_nodes import MakeInstances
from sttest.compile.passes.online_softmax import OnePassAttention
from sttest.compile.passes.quantize import Quantise
from sttest.compile.passes.share_engines import ShareEngines
from sttest.compile.passes.share_streams import ShareStreams
from sttest.compile.passes.size_fifos import SizeFifos
from sttest.compile.passes.vectorize import Vectorize
from sttest.compile.sharing.functional_units import Attention, ChannelUse, Sharing


@dataclass(frozen=True)
class CompileOptions:
    """What a user may turn.  Defaults are the documented ones (streamtensor.md section 2) where there are such.

    Attributes:
        tile_size: points per tiled loop.
        tiles: points per loop of single tasks (``name:64x1x128``), orders: of their loops (``name:1,0,2``).
        gemv_lanes: lanes of each GEMV with a weight (docs/explanation/tiling.md), on top of ``overall_unroll``; 0 for
            what ``tile_size`` gives.
        overall_unroll: lanes that all tasks share.
        first_lanes: lanes of a task before it is given more, at most the points of its tile.
        lanes: lanes per task (``name:lanes``) instead of ``overall_unroll``, chosen at another shape.
        precision: scheme of docs/explanation/quantization.md (``w4a8``, …, ``fp32``), or a YAML file with one.
        beat_bits: width of a DMA port.
        vector_bits: widest token.
        strategy: FIFO sizing, ``normal`` or ``conservative``.
        prefetch_kib: on-chip room for parameters that are read ahead.
        keep_kib: inputs up to this size that are streamed several times are read once and kept on chip.
        keep_pace: whether the slowest tasks walk all rows without a drain in between (docs/explanation/schedules.md).
        layers: layers per launch, one after the other.
        generate: tokens that one launch makes, each with all its layers and the head (docs/explanation/schedules.md).
        positions: whether the card adds a learned position to a token's embedding; of such families, where a launch
            makes several tokens.
        share: which tasks take turns on one engine, ``none``, ``weights`` or ``all`` (docs/explanation/schedules.md).
        own_engines: tasks that share engines with each other only (``pattern+pattern``).
        fabric: tasks (patterns) whose products of integers are made of LUTs, not DSPs.
        channels: use of memory channels: ``apart`` for large DMAs, ``together`` for all, or ``auto``
            (docs/explanation/cost-model.md).
        attention: ``three-pass`` or ``one-pass``, whose buffers hold ``attention_chunk`` positions, not all.
    """

    tile_size: int = 16
    tiles: tuple[str, ...] = ()
    orders: tuple[str, ...] = ()
    gemv_lanes: int = 0
    overall_unroll: int = 4096
    first_lanes: int = 16
    lanes: tuple[str, ...] = ()
    precision: str = "w4a8"
    beat_bits: int = 512
    vector_bits: int = 4096
    strategy: str = "normal"
    share: Sharing = "none"
    own_engines: tuple[str, ...] = ()
    fabric: tuple[str, ...] = ()
    prefetch_kib: int = 0
    keep_kib: int = 0
    keep_pace: bool = False
    layers: int = 1
    channels: ChannelUse = "auto"
    generate: int = 1
    positions: bool = False
    attention: Attention = "three-pass"
    attention_chunk: int = 64


def passes(knobs: CompileOptions, board: str, c_max_bytes: int) -> tuple[ModulePass, ...]:
    """All passes from linalg to sized streams, for a board by name or path and its on-chip memory."""
    return (*tiling_passes(knobs), *streaming_passes(knobs, board, c_max_bytes))


def streaming_passes(knobs: CompileOptions, board: str, c_max_bytes: int) -> tuple[ModulePass, ...]:
    """The passes from tiled kernels to sized streams."""
    return (
        FuseKernels(c_max_bytes),
        *((KeepReads(knobs.keep_kib),) if knobs.keep_kib else ()),
        MaterializeConverters(),
        MaterializeDma(knobs.beat_bits),
        FoldDma(parameters=not knobs.prefetch_kib),
        Vectorize(knobs.vector_bits, _full_rate(knobs), knobs.keep_pace),
        InsertForks(),
        *((ShareLoads(),) if knobs.share != "none" else ()),
        AssignChannels(board, knobs.layers, knobs.channels),
        MakeInstances(),
        LowerToStreams(),
        *((ShareStreams(),) if knobs.share != "none" else ()),
        *((KeepPace(board),) if knobs.keep_pace else ()),
        SizeFifos(knobs.strategy, board, knobs.prefetch_kib),
        *((LoopLayers(knobs.layers),) if knobs.layers > 1 else ()),
        *((LoopTokens(knobs.generate),) if knobs.generate > 1 else ()),
    )


def _full_rate(knobs: CompileOptions) -> bool:
    """Whether ports are as wide as tasks need: many lanes, or the work of several tasks, must not wait for them."""
    return bool(knobs.gemv_lanes) or knobs.keep_pace or knobs.share != "none"


def tiling_passes(knobs: CompileOptions) -> tuple[ModulePass, ...]:
    """The passes that decide types, tiles and lanes."""
    return (
        *((AddPositions(),) if knobs.positions else ()),
        *((OnePassAttention(knobs.attention_chunk),) if knobs.attention == "one-pass" else ()),
        Quantise(knobs.precision),
        CompareBits(),
        LinalgToKernels(knobs.tile_size, knobs.tiles, knobs.orders, knobs.gemv_lanes),
        *((MultiplyInFabric(knobs.fabric),) if knobs.fabric else ()),
        *((ShareEngines(knobs.share, knobs.own_engines),) if knobs.share != "none" else ()),
        AssignLanes(knobs.overall_unroll, knobs.first_lanes, knobs.lanes, knobs.gemv_lanes),
    )
