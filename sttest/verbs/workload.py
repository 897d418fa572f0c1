"""From what a user names, a model and a shape or a file, to the linalg text that is compiled."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from sttest.core.errors import InputError, ToolMissingError
from sttest.core.files import read_text
from sttest.frontend.lowering import linalg_text, require_frontend
from sttest.frontend.shipped import SHIPPED_SHAPES, lowered_text
from sttest.models.config import DecoderConfig
from sttest.models.program import Phase, check_head, check_shape, size_of
from sttest.models.registry import SMALL
from sttest.models.registry import model_config as model_config
from sttest.models.tables import head_columns


@dataclass(frozen=True)
class Workload:
    """What is compiled: a name for the package, and facts for its manifest.

    ``facts`` holds the asked tokens and context of a model's block, which padding may have made fewer than the
    compiled ones.
    """

    name: str
    facts: dict[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True)
class WorkloadShape:
    """Tokens that enter a block and tokens in its cache, and whether the head follows."""

    phase: Phase
    tokens: int
    context: int
    head: bool = False

    def padded(self, tile_size: int) -> WorkloadShape:
        """The shape whose sequence length is a whole number of tiles; the mask input hides the rest.

        >>> Shape("prefill", 40, 0).padded(16)
        Shape(phase='prefill', tokens=48, context=0, head=False)
        >>> Shape("decode", 1, 12).padded(16)
        Shape(phase='decode', tokens=1, context=12, head=False)
        """
        if self.phase == "prefill":
            return replace(self, tokens=_pad(self.tokens, tile_size))
        return replace(self, context=_pad(self.context, tile_size))


def _pad(length: int, tile_size: int) -> int:
    return length if length <= tile_size else -(-length // tile_size) * tile_size


def is_file(model: str) -> bool:
    """Whether the argument means a file of linalg text rather than a model of the registry."""
    return model.endswith(".mlir") or "/" in model


def file_workload(path: Path, shape_options: dict[str, object]) -> tuple[Workload, str]:
    """The text of a file.

    Raises:
        InputError: it can't be read, or a shape was asked for, which only the text itself decides.
    """
    given = [name for name, value in shape_options.items() if value is not None]
    if given:
        raise InputError(
            "shape-of-a-file", f"{', '.join(given)} given, but the text has its shape already", where=str(path),
            hints=[f"leave out {' and '.join(given)}", "name a model of the registry"],
        )  # fmt: skip
    return Workload(path.stem), read_text(path, ["name a .mlir file", "name a model, see 'sttest models'"])


def model_workload(config: DecoderConfig, asked: WorkloadShape, tile_size: int) -> tuple[Workload, WorkloadShape]:
    """Name and facts of a model's block, and the shape that is compiled for it.

    Raises:
        InputError: a shape that the model does not have.
    """
    check_shape(config, asked.phase, asked.tokens, asked.context)
    if asked.head:
        check_head(asked.phase)
    facts: dict[str, str | int] = {"asked_tokens": asked.tokens, "asked_context": asked.context}
    if asked.head:
        facts["head_columns"] = head_columns(config)
    size = size_of(asked.phase, asked.tokens, asked.context)
    return Workload(f"{config.name}-{asked.phase}-{size}{'-head' if asked.head else ''}", facts), asked.padded(
        tile_size
    )


def model_text(config: DecoderConfig, shape: WorkloadShape) -> str:
    """The block's linalg text: lowered by the front end, or the shipped text of the same shape where there is none.

    Raises:
        ToolMissingError: no front end and no such text.
        InputError: the lowering failed.
    """
    try:
        require_frontend()
    except ToolMissingError as error:
        is_small = config.name.startswith(SMALL)
        shapes = SHIPPED_SHAPES[is_small]
        if shapes[shape.phase] == (shape.tokens, shape.context):
            return lowered_text(config.name.removeprefix(SMALL), shape.phase, small=is_small, head=shape.head)
        raise _no_text(error, shapes[shape.phase], shape.phase) from error
    # Padding may reach past the last position of the model; the mask hides it, so it needs none.
    reach = replace(config, max_context=max(config.max_context, shape.tokens + shape.context))
    return linalg_text(reach, shape.phase, shape.tokens, shape.context, head=shape.head)


def _no_text(error: ToolMissingError, shipped: tuple[int, int], phase: str) -> ToolMissingError:
    tokens, context = shipped
    instead = f"--tokens {tokens}" if phase == "prefill" else f"--context {context}"
    hints = [error.hints[0], f"take the shape that is shipped ready-made, {instead}"]
    return ToolMissingError(error.code, error.what, where=error.where, hints=hints)
