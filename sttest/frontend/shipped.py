"""Blocks lowered in advance, so that everything below the front end runs without PyTorch."""

from importlib.resources import files
from pathlib import Path

from sttest.core.errors import InputError, did_you_mean
from sttest.frontend.lowering import lower_isolated
from sttest.models.program import block_program, check_head, size_of
from sttest.models.registry import SMALL, get_config
from sttest.models.registry import small as reduced

__depends__ = ("sttest/frontend/lowered/*.mlir",)

SHIPPED_MODELS = ("gpt2", "qwen", "llama", "llama-3.2-1b", "gemma")
"""Models of the registry whose texts are shipped."""
# Shapes of the shipped texts: (tokens, context).
SHIPPED_SHAPES: dict[bool, dict[str, tuple[int, int]]] = {
    True: {"prefill": (32, 0), "decode": (1, 32)},
    False: {"prefill": (32, 0), "decode": (1, 64)},
}


def file_name(model: str, phase: str, tokens: int, context: int, *, head: bool = False) -> str:
    """Name of the text of a block, such as ``gpt2-decode-c64.mlir``, or ``gpt2-decode-c64-head.mlir`` with the head."""
    return f"{model}-{phase}-{size_of(phase, tokens, context)}{'-head' if head else ''}.mlir"


def lowered_text(name: str, phase: str, *, small: bool | None = None, head: bool = False) -> str:
    """The shipped linalg text of one decoder block: 32 tokens, or 32 (small) or 64 (full size) cached ones.

    Args:
        name: one of :data:`SHIPPED_MODELS`, at its published size, or with ``small-`` before it at test sizes.
        phase: ``prefill`` or ``decode``.
        small: test sizes or the published size, whatever the name says.
        head: with what follows the last block; of decode steps.

    Raises:
        InputError: no such model or phase, a model without a text, or the head of a prefill.
    """
    small = name.startswith(SMALL) if small is None else small
    shapes = SHIPPED_SHAPES[small]
    if phase not in shapes:
        raise InputError(
            "unknown-phase", f"there is no phase '{phase}'", where="phase", hints=["choose prefill or decode"]
        )
    if head:
        check_head(phase)
    model = get_config(name.removeprefix(SMALL)).name
    if model not in SHIPPED_MODELS:
        hints = [did_you_mean(model, SHIPPED_MODELS)]
        raise InputError("not-shipped", "no text of the model is shipped", where=model, hints=hints)
    file = file_name(f"{SMALL}{model}" if small else model, phase, *shapes[phase], head=head)
    path = files("sttest.frontend") / "lowered" / file
    return path.read_text(encoding="utf-8")


def shipped() -> list[tuple[str, str, bool]]:
    """Every ``(name, phase, small)`` that :func:`lowered_text` takes."""
    return [
        (name, phase, small) for small, shapes in SHIPPED_SHAPES.items() for name in SHIPPED_MODELS for phase in shapes
    ]


# --- Write the shipped texts anew: ``python -m sttest.frontend.shipped``


def ship(folder: Path) -> None:
    """Lower every model in both phases, decode with and without the head, small and at full size, into ``folder``."""
    for name, phase, small in shipped():
        config = reduced(get_config(name)) if small else get_config(name)
        tokens, context = SHIPPED_SHAPES[small][phase]
        for head in (False, True) if phase == "decode" else (False,):
            arguments = {"config": config, "phase": phase, "tokens": tokens, "context": context, "head": head}
            path = folder / file_name(config.name, phase, tokens, context, head=head)
            path.write_text(lower_isolated(block_program, arguments), encoding="utf-8")


if __name__ == "__main__":
    ship(Path(__file__).parent / "lowered")
