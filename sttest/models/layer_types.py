"""Which layers of a model have a sliding window: ``layer_types`` of Hugging Face as fields of a configuration."""

from collections.abc import Sequence
from typing import Any

from sttest.core.errors import InputError
from sttest.models.config import LayerKind

FULL, SLIDING = "full_attention", "sliding_attention"
TYPES = (FULL, SLIDING)


def every(period: int, layers: int) -> list[str]:
    """Types of layers of which every so-manieth sees everything.

    >>> every(2, 3)
    ['sliding_attention', 'full_attention', 'sliding_attention']
    """
    return [SLIDING if (n + 1) % period else FULL for n in range(layers)]


def layer_types(given: Sequence[str] | None, default: Sequence[str], where: str, *, reads: bool) -> list[str]:
    """The types that a model's layers have.

    Args:
        given: the file's, or none.
        default: those of a file that has none.
        where: the file, for errors.
        reads: whether transformers reads those of the file; a family where it does not has the default ones.

    Raises:
        InputError: as many as layers were not given, or others than the layers have.
    """
    if given is None:
        return list(default)
    if len(given) != len(default):
        what = f"{len(given)} entries for {len(default)} layers"
        raise InputError("bad-value", what, where=f"{where}: layer_types", hints=["give one for each layer"])
    if not reads and list(given) != list(default):
        what = f"transformers does not read it for this family, whose layers are all {default[0]}"
        hints = ["delete it", "name the model_type that reads it"]
        raise InputError("bad-value", what, where=f"{where}: layer_types", hints=hints)
    return list(given)


def window_fields(kinds: Sequence[str], window: int | None, where: str) -> dict[str, Any]:
    """Fields of a configuration, from the type of each layer and the positions that a window has.

    Raises:
        InputError: layers with a window that has no size.
    """
    if SLIDING not in kinds:
        return {"sliding_window": None, "global_every": 1}
    if window is None:
        what = f"{kinds.count(SLIDING)} layers are {SLIDING}, and no window is in use: transformers refuses them"
        hints = [f"give sliding_window, with use_sliding_window where the family has it, or make all {FULL}"]
        raise InputError("bad-value", what, where=f"{where}: sliding_window", hints=hints)
    period = kinds.index(FULL) + 1 if FULL in kinds else 0
    if list(kinds) == (every(period, len(kinds)) if period else [SLIDING] * len(kinds)):
        return {"sliding_window": window, "global_every": period}
    told: tuple[LayerKind, ...] = tuple("global" if kind == FULL else "local" for kind in kinds)
    return {"sliding_window": window, "layer_kinds": told}
