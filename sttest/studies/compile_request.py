"""What `sttest compile` is asked for, and its package."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from sttest.compile.resources.placement import place
from sttest.core.errors import InputError, note
from sttest.explore.choice import Chosen
from sttest.frontend.module_source import is_module_reference
from sttest.models.registry import SMALL, model_config
from sttest.package import check_target, read_lanes
from sttest.package.compiled import write_package
from sttest.studies.workload import CompileRequest, Step, is_file

LayersOf = Literal["one", "all"]


@dataclass(frozen=True)
class Request(CompileRequest):
    """What the options of the command ask for."""

    work_dir: Path | None = None  # folder of the package; None for the default
    lanes_from: Path | None = None  # a package whose lanes are taken over
    check_resources: bool = False  # refuse a design that does not fit, and give every process an SLR

    def with_lanes(self) -> "Request":
        """The request with the lanes of the package that it names.

        Raises:
            InputError: there is none, or it has no lanes.
        """
        if self.lanes_from is None:
            return self
        options = self.options.with_(lanes=read_lanes(self.lanes_from), adapt_lanes=True)
        return replace(self, options=options, lanes_from=None)

    @property
    def folder(self) -> Path:
        """The folder of the package: ``build/<model>-<phase>-<board>`` unless another is named."""
        if self.work_dir is not None:
            return self.work_dir
        name = (
            Path(self.model.rpartition(":")[0] if is_module_reference(self.model) else self.model).stem
            if is_file(self.model)
            else model_config(self.model).name
        )
        parts = (name, self.phase, self.board_name)
        return Path("build") / "-".join(part for part in parts if part)


DEFAULT_TOKENS, DEFAULT_CONTEXT = 32, 64
"""Tokens of a prefill, and context of a decode: the shapes that are shipped lowered, and need no torch-mlir."""
DEFAULT_SMALL_CONTEXT = 32


def with_default_shape(asked: Request, *, small: bool = False) -> Request:
    """The compilation, its model small if asked for, with the phase, the tokens or the context that it lacks.

    >>> with_default_shape(Request("gpt2", "decode"), small=True).context
    32
    """
    if is_file(asked.model):
        if small:
            raise InputError("shape-of-a-file", "--small is for models", where=asked.model, hints=["leave it out"])
        return asked
    if asked.phase is None:
        asked = replace(asked, phase="decode")
    if small and not asked.model.startswith(SMALL):
        asked = replace(asked, model=f"{SMALL}{asked.model}")
    context = DEFAULT_SMALL_CONTEXT if asked.model.startswith(SMALL) else DEFAULT_CONTEXT
    if asked.phase == "prefill" and asked.tokens is None:
        return replace(asked, tokens=DEFAULT_TOKENS)
    if asked.phase == "decode" and asked.context is None:
        return replace(asked, context=context)
    return asked


def with_told_shape(asked: Request) -> Request:
    """The compilation with the tokens or the context that it lacks, which is said on stderr; a phase is asked for."""
    if asked.phase is None:
        return asked
    found = with_default_shape(asked)
    if found.tokens != asked.tokens:
        note(f"--tokens is not given: a prompt of {found.tokens} tokens")
    if found.context != asked.context:
        note(f"--context is not given: {found.context} tokens in the cache")
    return found


def with_layers_of(asked: Request, layers: LayersOf) -> Request:
    """A decode step of one layer, or of all layers in a launch, of what the request lacks the default.

    Raises:
        InputError: a file, whose layers nobody knows; layers that were given as a number, too.
    """
    if is_file(asked.model) or asked.options.layers > 1:
        where = asked.model if is_file(asked.model) else "--layers"
        raise InputError(
            "layers-twice", "--layers-of is of a model, without --layers", where=where, hints=["leave one of them out"]
        )
    found = with_default_shape(asked)
    count = model_config(asked.model).layers if layers == "all" else 1
    return replace(found, options=found.options.with_(layers=count))


def compile_package(request: Request, step: Step = lambda step: None) -> Chosen:
    """Compiles and writes the package into the request's folder.  All input is checked before any work.

    Args:
        request: what is asked for.
        step: callback that gets the name of each step before it runs.

    Raises:
        SttestError: bad input, a design that does not fit, or no front end.
    """
    check_target(request.folder)
    request = request.with_lanes()
    found = request.chosen(step)
    if request.check_resources:
        step("placing")
    placed = place(found.design) if request.check_resources else None
    write_package(found.design, request.folder, placed, fit=found.fit, which=found.facts)
    return found
