"""A design package of a model's block, as the verbs need it that run or ship one."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from sttest.core.errors import InputError
from sttest.core.files import MANIFEST
from sttest.models.config import DecoderConfig
from sttest.models.program import Phase
from sttest.models.quant.scheme import QuantScheme, load_scheme
from sttest.models.registry import model_config
from sttest.package.host_files import DesignFiles, read_design
from sttest.reference import ReferenceGraph, read_reference_graph

if TYPE_CHECKING:
    from sttest.models.language_model import LanguageModel

_SCHEMA = "sttest.package/1"
VALUES = "values.json"


@dataclass(frozen=True)
class ModelPackage:
    """A package whose block is one of a model that is known by name.

    Attributes:
        path: the folder.
        files: files that a host needs.
        config: configuration of the model.
        phase: phase of the block.
        tokens, context: requested shape; the design may have more.
        scheme: quantization scheme.
        cycles: simulated, of one launch; None where the design deadlocks.
        clock_mhz: clock of the kernel, MHz.
        layers: layers per launch.
        head: whether it runs what follows the last layer, too.
        generates: tokens that a launch makes.
        chunk: positions per chunk of online softmax; None in three passes.
    """

    path: Path
    files: DesignFiles
    config: DecoderConfig
    phase: Phase
    tokens: int
    context: int
    scheme: QuantScheme
    cycles: int | None
    clock_mhz: float
    layers: int = 1
    head: bool = False
    generates: int = 1
    chunk: int | None = None

    @cached_property
    def graph(self) -> ReferenceGraph:
        """What the design computes."""
        return read_reference_graph(self.path / VALUES)

    @property
    def board(self) -> str:
        """Name of the board that it was compiled for."""
        return self.files.design.board

    @property
    def simulated_us(self) -> float:
        """Simulated time of one launch, 0 where there is none."""
        return (self.cycles or 0) / self.clock_mhz

    def quantised(self, model: LanguageModel, calibrate: Callable[[], object]) -> LanguageModel:
        """The fake-quantised twin of a model in the package's scheme; ``calibrate`` runs typical inputs."""
        from sttest.models.language_model import quantise_model
        from sttest.models.quant.block import observe_peaks

        peaks = observe_peaks(model, calibrate) if self.scheme.activations == "static" else None
        return quantise_model(model, self.scheme, peaks, self.chunk)


def read_model_package(path: Path) -> ModelPackage:
    """Reads what a package says of itself.

    Raises:
        InputError: no package, or one of no model, or without values or C++.
    """
    manifest = _manifest(path)
    try:
        configuration = manifest["configuration"]
        workload, knobs = configuration["workload"], configuration["knobs"]
        scheme = knobs["precision"]
        cycles, clock_mhz = manifest["sizing"]["cycles"], float(manifest["clock_mhz"])
        name, phase = workload["model"], workload["phase"]
        tokens, context = int(workload["asked_tokens"]), int(workload["asked_context"])
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            "no-model", "its manifest tells of no block of a model", where=str(path),
            hints=["compile a model by name, as in 'sttest compile small-gpt2 --phase decode --context 32'"],
        ) from error  # fmt: skip
    if not (path / VALUES).is_file():
        hints = ["see 'values' in its manifest.json"]
        raise InputError("no-values", "nobody has defined what it computes", where=str(path), hints=hints)
    return ModelPackage(
        path, read_design(path), model_config(name), cast("Phase", phase), tokens, context, load_scheme(scheme),
        cycles, clock_mhz, int(knobs.get("layers", 1)), "head_columns" in workload, int(knobs.get("generate", 1)),
        int(knobs["attention_chunk"]) if knobs.get("attention") == "one-pass" else None,
    )  # fmt: skip


def _manifest(path: Path) -> dict[str, Any]:
    try:
        manifest = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        manifest, reason = None, str(error)
    else:
        reason = ""
    if not isinstance(manifest, dict) or manifest.get("schema") != _SCHEMA:
        raise InputError(
            "no-package", f"no design package{f' ({reason})' if reason else ''}", where=str(path),
            hints=["name a folder that 'sttest compile' made"],
        )  # fmt: skip
    return manifest
