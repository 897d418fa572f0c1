"""The order of the passes, and when each of them runs."""

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.passes import ModulePass

from sttest.compile.options import CompileOptions
from sttest.compile.steps import Step, steps
from sttest.models.quant.scheme import load_scheme

__depends__ = ("sttest/compile/passes/*.py",)


def _shares(options: CompileOptions) -> bool:
    return options.share != "none"


def _codes(options: CompileOptions) -> dict[str, Any]:
    return {"codes": load_scheme(options.precision).codes}


def _port_rates(options: CompileOptions) -> dict[str, Any]:
    """Ports are as wide as tasks need where many lanes, or the work of several tasks, must not wait for them."""
    return {"full_rate": bool(options.gemv_lanes) or options.flatten_bottleneck_loops or _shares(options)}


def _own(
    name: str,
    after: str,
    when: Callable[[CompileOptions], bool] = lambda options: True,
    also: Callable[[CompileOptions], dict[str, Any]] = lambda options: {},
) -> Step:
    """A pass of sttest, in the file of its name."""
    target = f"sttest.compile.passes.{name.replace('-', '_')}:{name.title().replace('-', '')}"
    return Step(name, target, after, when, also)


ADD_POSITIONS = _own("add-positions", "", lambda options: options.positions)
ONLINE_SOFTMAX = _own("online-softmax", "add-positions", lambda options: options.attention == "one-pass")
QUANTIZE = _own("quantize", "online-softmax")
EXPAND_FUNCTIONS = _own("expand-functions", "quantize")
FLOAT_MIN_AS_INT = _own("float-min-as-int", "expand-functions")
LINALG_TO_KERNELS = _own("linalg-to-kernels", "float-min-as-int")
CALL_OWN_KERNELS = _own("call-own-kernels", "linalg-to-kernels", lambda options: options.kernels is not None)
MULTIPLY_IN_FABRIC = _own("multiply-in-fabric", "call-own-kernels", lambda options: bool(options.fabric))
CASCADE_PRODUCTS = _own("cascade-products", "multiply-in-fabric", lambda options: bool(options.cascades))
SHARE_ENGINES = _own("share-engines", "cascade-products", _shares)
ASSIGN_LANES = _own("assign-lanes", "share-engines")
FUSE_KERNELS = _own("fuse-kernels", "assign-lanes")
BUFFER_REREADS = _own("buffer-rereads", "fuse-kernels", lambda options: options.buffer_rereads_kib > 0)
MATERIALIZE_CONVERTERS = _own("materialize-converters", "buffer-rereads")
MATERIALIZE_DMA = _own("materialize-dma", "materialize-converters")
FOLD_DMA = _own("fold-dma", "materialize-dma", also=lambda options: {"parameters": not options.prefetch_kib})
VECTORIZE = _own("vectorize", "fold-dma", also=_port_rates)
INSERT_FORKS = _own("insert-forks", "vectorize")
MERGE_WEIGHT_STREAMS = _own("merge-weight-streams", "insert-forks", _shares)
PLACE_ON_CARDS = _own("place-on-cards", "merge-weight-streams", lambda options: options.cards > 1)
CODE_PARAMETERS = _own("code-parameters", "place-on-cards", lambda options: bool(_codes(options)["codes"]), _codes)
ASSIGN_CHANNELS = _own("assign-channels", "code-parameters")
SPLIT_PRODUCTS = _own("split-products", "assign-channels", lambda options: options.product_units > 1)
NAME_NODES = _own("name-nodes", "split-products")
LOWER_TO_STREAMS = _own("lower-to-streams", "name-nodes")
SHARE_STREAMS = _own("share-streams", "lower-to-streams", _shares)
INDEX_DMAS = _own("index-dmas", "share-streams")
FLATTEN_BOTTLENECK_LOOPS = _own(
    "flatten-bottleneck-loops", "index-dmas", lambda options: options.flatten_bottleneck_loops
)
SIZE_FIFOS = _own("size-fifos", "flatten-bottleneck-loops")
LOOP_LAYERS = _own("loop-layers", "size-fifos", lambda options: options.layers > 1)
LOOP_TOKENS = _own("loop-tokens", "loop-layers", lambda options: options.generate > 1)
SCHEDULE_PROCESSES = _own("schedule-processes", "loop-tokens")


def tiling_passes(options: CompileOptions) -> tuple[ModulePass, ...]:
    """The passes that decide types, tiles and lanes."""
    line = [*steps().values()]
    return _made(line[: line.index(FUSE_KERNELS)], options)


def streaming_passes(options: CompileOptions) -> tuple[ModulePass, ...]:
    """The passes from tiled kernels to sized streams, for the target of the module."""
    line = [*steps().values()]
    return _made(line[line.index(FUSE_KERNELS) :], options)


def all_passes(options: CompileOptions) -> tuple[ModulePass, ...]:
    """All passes from linalg to sized streams."""
    return _made([*steps().values()], options)


def _made(line: Sequence[Step], options: CompileOptions) -> tuple[ModulePass, ...]:
    return tuple(step.made(options) for step in line if step.runs(options))


def place_of(name: str, passes: Sequence[ModulePass]) -> int:
    """The number of passes before that of a name; of all where it is none of them."""
    return next((number for number, each in enumerate(passes) if each.name == name), len(passes))
