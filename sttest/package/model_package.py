"""A design package of a model's block, for those who run, compare or ship one."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

from sttest.core.errors import InputError
from sttest.models.config import Maximum
from sttest.models.program import BlockShape, Phase
from sttest.models.registry import described_config
from sttest.package.design_package import DesignPackage
from sttest.package.manifest import Manifest

if TYPE_CHECKING:
    from sttest.models.language_model import LanguageModel


class ModelPackage(DesignPackage):
    """A package whose block is one of a model that is known by name, and whose values are defined.

    Attributes:
        config: the model.
        phase: prefill or decode.
        tokens, context: what was asked for, of each sequence; the design may have more.
        batch: sequences.
        cards: cards that share the block.
        scheme: precision of the numbers.
        layers: layers that a launch runs.
        generates: tokens that a launch makes.
        head: whether a launch runs what follows the last layer, too.
        chunk: positions at a time of attention in one pass; None in three.
        maximum: what the weights of such a chunk are under.
    """

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        super().__init__(folder, manifest)
        workload, options = manifest.configuration.workload, manifest.configuration.options
        name, tokens, context = workload.model, workload.asked_tokens, workload.asked_context
        if name is None or workload.phase not in get_args(Phase) or tokens is None or context is None:
            raise InputError(
                "no-model",
                "the package was not compiled from a model, so that nothing says what it should compute",
                where=str(folder),
                hints=["of a text, 'sttest pack' makes an archive that runs", "compile a model, see 'sttest models'"],
            )
        if (why := manifest.values.missing) is not None:
            raise InputError("no-values", f"the design has no values: {why}", where=str(folder))
        self.config, self.scheme = described_config(name, workload.config), manifest.configuration.quant_scheme
        self.phase: Phase = cast("Phase", workload.phase)
        self.tokens, self.context, self.batch = tokens, context, workload.batch or 1
        self.cards = workload.cards or 1
        self.layers, self.generates = options.layers, options.generate
        self.head = workload.head_columns is not None
        self.chunk = options.attention_chunk if options.attention == "one-pass" else None
        self.maximum: Maximum = options.attention_maximum

    @property
    def shape(self) -> BlockShape:
        """The shape that was asked for; the design may be larger."""
        return BlockShape(self.phase, self.tokens, self.context, self.batch, self.cards)

    def require_one_block(self) -> None:
        """Refuses a package whose launches run more than a block, where one is looked at.

        Raises:
            InputError: the folder cannot be written; the hints say what would help.
        """
        if self.layers > 1:
            raise InputError(
                "several-layers",
                "a launch of the design runs several layers",
                where=str(self.folder),
                demand=self.layers,
                bound=1,
                unit="layers",
                hints=["compile with one layer", "give a prefill's and a decode's package"],
            )
        if self.head:
            raise InputError(
                "with-head",
                "a launch of the design runs the head, too",
                where=str(self.folder),
                hints=["compile without --head"],
            )

    def quantized(self, model: "LanguageModel", calibrate: Callable[[], object]) -> "LanguageModel":
        """The fake-quantized twin of a model in the package's scheme; ``calibrate`` runs typical inputs."""
        from sttest.models.language_model import quantize_model
        from sttest.models.quant.block import observe_peaks

        peaks = observe_peaks(model, calibrate) if self.scheme.activations == "static" else None
        return quantize_model(model, self.scheme, peaks, self.chunk, self.maximum)
