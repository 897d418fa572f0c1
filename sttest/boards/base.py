"""What every board has: a name, what it is, and the kind of its main part.

    Offer("parts", "tpu", "my_package.tpu:TpuBoard")

is a :class:`DataSheet`, which a file names by ``device``.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from sttest.boards.memories import Tier, TierName
from sttest.boards.part import BoardPart

if TYPE_CHECKING:
    from sttest.boards.board import FpgaBoard

# Names end up in folder names.
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=64)]


class DataSheet(BoardPart):
    """A machine; unless its kind says otherwise, one that designs are compared with, and not compiled for."""

    device: str  # its kind
    name: Name
    title: str

    @property
    def target(self) -> "FpgaBoard | None":
        """The board as a card that dataflow kernels can be compiled for; None for all others."""
        return None

    @property
    def tiers(self) -> Mapping[TierName, Tier]:
        """Its memories that kernels read, from the fastest down."""
        return {}
