"""A decoder block with weights and inputs, which all engines run, and its results in PyTorch, which they must match.

The golden is the fake-quantized block in the order of docs/reference/values.md; the reference is the block in FP32.
"""

import importlib.util
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from sttest.core.errors import ToolMissingError
from sttest.crosscheck.differences import Outputs, recorded_outputs
from sttest.models.cards import check_cards, shared_out
from sttest.models.config import DecoderConfig, Maximum
from sttest.models.families import of_whole, whole_of
from sttest.models.program import BlockShape, check_shape
from sttest.reference import ReferenceGraph
from sttest.reference.graph import Array, Bytes
from sttest.reference.memory import memory_images, read_results
from sttest.runtime.design_memory import BlockMemory, BlockResult, CacheSide, SequenceStep, export_parameters

if TYPE_CHECKING:
    from torch import Tensor, nn

    from sttest.models.quant.scheme import QuantScheme


@dataclass(frozen=True)
class WeightSource:
    """Weights and inputs: random ones of a seed, or a layer of a checkpoint on what the layers before it give.

    Args:
        seed: seed of random weights and inputs, or of random tokens.
        checkpoint: folder of real weights.
        layer: layer of the checkpoint, from 0; those before it run in floating point.
        tokens: tokens that enter the checkpoint's model, as many as the block has positions or more; random if empty.
    """

    seed: int = 0
    checkpoint: Path | None = None
    layer: int = 0
    tokens: tuple[int, ...] = ()


class Case(Protocol):
    """Memory of a design, and the results that every engine must give."""

    @property
    def golden(self) -> Mapping[str, Array]:
        """Results by name."""
        ...

    @property
    def golden_name(self) -> str:
        """Who computed them: ``torch``, or ``reference`` where there is no PyTorch module."""
        ...

    @property
    def golden_s(self) -> float | None:
        """Run time of PyTorch in seconds; None where it did not run."""
        ...

    @property
    def modules(self) -> Outputs:
        """Output of each PyTorch module; empty where there is none."""
        ...

    @property
    def reference(self) -> Array | None:
        """The main result in floating point; None where it is not known."""
        ...

    def images(self, graph: ReferenceGraph) -> dict[str, Bytes]:
        """Memory images by the names of a design's loads."""
        ...

    def results(self, graph: ReferenceGraph, images: Mapping[str, Bytes]) -> dict[str, Array]:
        """Results by name from the images that a design wrote."""
        ...


@dataclass(frozen=True)
class ArgumentCase:
    """Arguments of a design, and its results by the reference engine."""

    arguments: Mapping[str, Array] = field(repr=False)  # arguments by name, as the design has them in memory
    golden: Mapping[str, Array] = field(repr=False)  # results by name, of the reference engine
    # the main result in floating point, float32; None where it was not asked for
    reference: Array | None = field(default=None, repr=False)
    modules: Outputs = field(default_factory=dict, repr=False)  # no PyTorch modules
    golden_name: str = "reference"
    golden_s: float | None = None  # run time of a module, seconds; of a text PyTorch does not run

    def images(self, graph: ReferenceGraph) -> dict[str, Bytes]:
        """Memory images by the names of a design's loads."""
        # Products of one input share its constant scale, of which a block has one for each.
        taken = {name: values for name, values in self.arguments.items() if name in graph.argument}
        return memory_images(graph, taken)

    def results(self, graph: ReferenceGraph, images: Mapping[str, Bytes]) -> dict[str, Array]:
        """Results by name from the images that a design wrote."""
        return read_results(graph, images)


def main_result(graph: ReferenceGraph) -> str:
    """The result whose error is told: ``y``, or the first where none is called so."""
    names = [each.name for each in graph.results]
    return "y" if "y" in names else names[0]


Caches = tuple[CacheSide, CacheSide]


@dataclass(frozen=True)
class BlockCase:
    """A block, its inputs, and its results in PyTorch."""

    # config, shape: the block
    config: DecoderConfig
    shape: BlockShape
    parameters: Mapping[str, Array] = field(repr=False)  # parameters of a design by name
    x: tuple[Array, ...] = field(repr=False)  # activations of each sequence, float32 [tokens, hidden]
    caches: tuple[Caches, ...] = field(repr=False)  # keys and values of each before a decode step; none of a prefill
    # results of the fake-quantized block by name (``y``, ``k_new``, …)
    golden: Mapping[str, Array] = field(repr=False)
    modules: Outputs = field(repr=False)  # output of each module of the fake-quantized block
    # ``y`` of the block in floating point, its cache included, float32 [rows, hidden]
    reference: Array = field(repr=False)
    golden_s: float = 0.0  # run time of the golden, seconds
    golden_name: str = "torch"

    def images(self, graph: ReferenceGraph) -> dict[str, Bytes]:
        """Memory images for a design of this block, by the names of its loads.

        Raises:
            InputError: the design is of another block, or too small.
        """
        memory = BlockMemory(graph, self.config, self.parameters)
        if not self.caches:
            return memory.prefill(*self.x)
        return memory.decode_batch([SequenceStep(x, *caches) for x, caches in zip(self.x, self.caches, strict=True)])

    def results(self, graph: ReferenceGraph, images: Mapping[str, Bytes]) -> dict[str, Array]:
        """Results by name from the images that a design wrote, without padding."""
        memory = BlockMemory(graph, self.config, self.parameters)
        return memory.named_results(images, self.shape.tokens)


def has_torch() -> bool:
    """Whether PyTorch is installed."""
    return importlib.util.find_spec("torch") is not None


def require_torch() -> None:
    """Raise ToolMissingError unless PyTorch, which computes the golden, is installed."""
    if not has_torch():
        raise ToolMissingError(
            "no-torch",
            "PyTorch, which computes the golden results, is not installed",
            where="golden",
            hints=["pip install 'sttest[frontend]'"],
        )


def make_case(
    config: DecoderConfig,
    shape: BlockShape,
    scheme: "QuantScheme",
    source: WeightSource,
    chunk: int | None = None,
    maximum: Maximum = "chunk",
) -> BlockCase:
    """Build a block and run it in PyTorch.

    Args:
        config: model configuration.
        shape: shape of the block; a prefill of the tokens before fills the cache of a decode.  Sequences of a batch
            have different lengths, down to half of what was asked for.
        scheme: quantization scheme; static scales are calibrated on the block's own inputs.
        source: source of weights and inputs.
        chunk: positions per chunk of online softmax; None for softmax in three passes.
        maximum: maximum that the exponents of such a chunk are taken against.

    Raises:
        InputError: a shape that the model does not have, or a checkpoint of another model.
        ToolMissingError: PyTorch is not installed.
    """
    check_shape(config, shape.phase, shape.tokens, shape.context, shape.batch)
    check_cards(config, shape.cards)
    require_torch()
    import torch

    from sttest.models.blocks import run_prefill
    from sttest.models.card_blocks import split_block
    from sttest.models.quant.block import observe_peaks, quantize_block
    from sttest.models.quant.contraction import DefinedOrder

    block, inputs = _block_and_inputs(config, shape, source)

    shared = block if shape.cards == 1 else split_block(block, config, shape.cards)

    def typical() -> None:
        for each in inputs:
            run_prefill(shared, config, each)

    peaks = observe_peaks(shared, typical) if scheme.activations == "static" else None
    quantized = quantize_block(shared, scheme, peaks, chunk, maximum)
    with torch.no_grad():
        reference = _run(block, config, shape, inputs)
        began = time.perf_counter()
        with DefinedOrder():
            golden = _run(quantized, config, shape, inputs)
        golden_s = time.perf_counter() - began
    return BlockCase(
        config=config,
        shape=shape,
        parameters=export_parameters(_phase_block(quantized, config, shape)),
        x=tuple(each[len(each) - _entering(shape, each) :].numpy() for each in inputs),
        caches=golden.caches,
        golden=shared_out(golden.result.named, shape.cards),
        modules=golden.modules,
        reference=reference.result.y,
        golden_s=golden_s,
    )


def _entering(shape: BlockShape, inputs: "Tensor") -> int:
    return len(inputs) if shape.phase == "prefill" else shape.tokens


def lengths_of(shape: BlockShape) -> list[int]:
    """Tokens that enter or are cached, of each sequence of a batch: from all that were asked for down to half.

    >>> lengths_of(BlockShape("decode", 1, 64, 4)), lengths_of(BlockShape("prefill", 32))
    ([64, 54, 43, 32], [32])
    """
    most = shape.tokens if shape.phase == "prefill" else shape.context
    return [most - most * number // (2 * max(shape.batch - 1, 1)) for number in range(shape.batch)]


def _block_and_inputs(
    config: DecoderConfig, shape: BlockShape, source: WeightSource
) -> "tuple[nn.Module, list[Tensor]]":
    """A prefill block with weights, and inputs of each sequence, float32 [cached and entering tokens, hidden]."""
    import torch

    from sttest.models.blocks import PrefillBlock, run_prefill
    from sttest.models.checkpoint import load_model
    from sttest.models.weights import randomize

    counts = lengths_of(shape) if shape.phase == "prefill" else [each + shape.tokens for each in lengths_of(shape)]
    generator = torch.Generator().manual_seed(source.seed + 1)
    if source.checkpoint is None:
        block = PrefillBlock(whole_of(config))
        randomize(block, source.seed)
        inputs = [torch.randn(count, config.hidden, generator=generator) for count in counts]
        return of_whole(block, config), inputs
    model = load_model(config, source.checkpoint)
    inputs, left = [], list(source.tokens)
    for count in counts:
        tokens, left = left[:count], left[count:]
        tokens = tokens or torch.randint(config.vocab, (count,), generator=generator).tolist()
        with torch.no_grad():
            x = model.embedding(tokens, 0)
            for number in range(source.layer):
                x = run_prefill(model.layers[number], config, x, config.layer_kind(number))[0]
        inputs.append(x)
    return model.layers[source.layer], inputs


@dataclass(frozen=True)
class _BlockRun:
    result: BlockResult
    modules: Outputs
    caches: tuple[Caches, ...] = ()


def _run(block: "nn.Module", config: DecoderConfig, shape: BlockShape, inputs: "Sequence[Tensor]") -> _BlockRun:
    from sttest.models.batch import run_decode_batch, run_prefill_batch
    from sttest.models.blocks import run_decode, run_prefill

    is_batch = shape.batch > 1
    if shape.phase == "prefill":
        with recorded_outputs(block) as modules:
            outputs = (
                run_prefill_batch(block, config, inputs, shape.tokens)
                if is_batch
                else run_prefill(block, config, inputs[0])
            )
        return _BlockRun(BlockResult.of(outputs), modules)
    before, now = zip(*(each.split([len(each) - shape.tokens, shape.tokens]) for each in inputs), strict=True)
    caches = [run_prefill(block, config, each)[1:3] for each in before]
    twin = _phase_block(block, config, shape)
    with recorded_outputs(twin) as modules:
        outputs = (
            run_decode_batch(twin, config, now, caches, shape.context)
            if is_batch
            else run_decode(twin, config, now[0], caches[0], shape.context)
        )
    sides = ((CacheSide.of(keys), CacheSide.of(values)) for keys, values in caches)
    return _BlockRun(BlockResult.of(outputs), modules, tuple(sides))


def _phase_block(block: "nn.Module", config: DecoderConfig, shape: BlockShape) -> "nn.Module":
    from sttest.models.card_blocks import WholeBlock, decode_twin_of_cards
    from sttest.models.quant.block import decode_twin

    if shape.phase == "prefill":
        return block
    return decode_twin_of_cards(config, block) if isinstance(block, WholeBlock) else decode_twin(config, block)
