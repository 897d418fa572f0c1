"""What the ladder reads of a design package: the block that it was compiled from, its values, its times."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from sttest.compile.options import Attention
from sttest.core.errors import InputError
from sttest.core.files import MANIFEST, read_object
from sttest.core.validation import validated
from sttest.models.program import BlockShape, Phase
from sttest.package.design_package import SCHEMA, VALUES
from sttest.reference import ReferenceGraph, read_reference_graph
from sttest.sim import TimedGraph, load


class _Workload(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    model: str
    phase: Phase
    asked_tokens: int
    asked_context: int


class _Knobs(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    precision: str
    attention: Attention = "three-pass"
    attention_chunk: int = 0


class _Configuration(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    workload: dict[str, Any]
    knobs: _Knobs


class _Manifest(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    configuration: _Configuration
    values: dict[str, str]


@dataclass(frozen=True)
class PackageFiles:
    """A package of a model's block.

    Attributes:
        folder: folder of the package.
        model: name, as `sttest compile` took it.
        shape: requested shape; the design may be larger.
        precision: name of the scheme.
        values, times: the design.
        chunk: positions per chunk of online softmax; None in three passes.
    """

    folder: Path
    model: str
    shape: BlockShape
    precision: str
    values: ReferenceGraph
    times: TimedGraph
    chunk: int | None = None


def read_package(folder: Path) -> PackageFiles:
    """Reads a package.

    Raises:
        InputError: no package, not of a model's block, or of a design whose values nobody has defined.
    """
    if not folder.is_dir():
        raise InputError("no-package", "no such folder", where=str(folder), hints=["compile a package first"])
    path = folder / MANIFEST
    facts = validated(_Manifest, read_object(path, SCHEMA), str(path))
    if "missing" in facts.values:
        raise InputError("no-values", f"the design has no values: {facts.values['missing']}", where=str(folder))
    if "layers" in facts.values:
        raise InputError(
            "several-layers", "a launch of the design runs several layers, one block is compared", where=str(folder),
            demand=int(facts.values["layers"]), bound=1, unit="layers", hints=["compile with one layer"],
        )  # fmt: skip
    configuration = facts.configuration
    if "head_columns" in configuration.workload:
        raise InputError(
            "with-head", "a launch of the design runs the head, too, one block is compared", where=str(folder),
            hints=["compile without --head"],
        )  # fmt: skip
    if "asked_tokens" not in configuration.workload:
        raise InputError(
            "no-model", "the package was not compiled from a model, so that nothing says what it should compute",
            where=str(folder), hints=["compile a model by its name, see 'sttest models'"],
        )  # fmt: skip
    workload = validated(_Workload, configuration.workload, str(path))
    shape = BlockShape(workload.phase, workload.asked_tokens, workload.asked_context)
    values = read_reference_graph(folder / VALUES)
    knobs = configuration.knobs
    chunk = knobs.attention_chunk if knobs.attention == "one-pass" else None
    return PackageFiles(folder, workload.model, shape, knobs.precision, values, load(folder), chunk)
