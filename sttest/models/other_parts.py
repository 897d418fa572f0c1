"""Parts of a multimodal checkpoint beside its text model: passed over, which is said."""

from collections import Counter
from collections.abc import Iterable

from sttest.core.errors import note

OTHER_PARTS = ("vision_tower", "multi_modal_projector")
"""Modules of ``Gemma3ForConditionalGeneration`` beside its language model; newer files have ``model.`` before them."""


def other_part(name: str) -> str | None:
    """The part of a model, not of its text model, that a tensor belongs to; None of the text model's.

    >>> other_part("model.vision_tower.post_layernorm.weight"), other_part("model.language_model.norm.weight")
    ('vision_tower', None)
    """
    part = name.removeprefix("model.").partition(".")[0]
    return part if part in OTHER_PARTS else None


def note_other_parts(names: Iterable[str], where: str) -> None:
    """Tell how many tensors of a checkpoint are passed over, and of what."""
    counts = Counter(part for name in names if (part := other_part(name)))
    if counts:
        told = " and ".join(f"{count} tensors of {part}" for part, count in counts.items())
        note(f"{where}: the text model is read, {told} are passed over")
