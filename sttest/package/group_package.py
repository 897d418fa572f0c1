"""A package of several groups: a design package each, and the tensors that they hand on."""

from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from sttest.boards.board import FpgaBoard
from sttest.core.errors import InputError
from sttest.core.files import MANIFEST, read_model
from sttest.package.design_package import DesignPackage

SCHEMA = "sttest.groups/1"


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Handed(_Entry):
    """A tensor that a group makes and others take."""

    name: str
    giver: int
    takers: tuple[int, ...]
    total_bytes: int


class Groups(_Entry):
    """The content of the file."""

    schema_: Literal["sttest.groups/1"] = Field(alias="schema")
    name: str
    groups: tuple[str, ...]  # folders, in the order in which they run
    tensors: tuple[Handed, ...]


@dataclass(frozen=True)
class GroupPackage:
    """Groups, each a design package, in the order in which they run."""

    folder: Path
    content: Groups
    groups: tuple[DesignPackage, ...]

    @classmethod
    def read(cls, folder: Path) -> Self:
        """The package in a folder.

        Raises:
            InputError: there is none, or it is not whole.
        """
        content = read_model(Groups, folder / MANIFEST, SCHEMA, hints=["compile it with --groups"])
        return cls(folder, content, tuple(DesignPackage.read(folder / name) for name in content.groups))

    @staticmethod
    def is_there(folder: Path) -> bool:
        """Whether a folder holds such a package."""
        try:
            read_model(Groups, folder / MANIFEST, SCHEMA)
        except InputError:
            return False
        return True

    def shared_us(self, board: FpgaBoard, cycles: int) -> float:
        """Time of a run on one card, which is configured anew for every group.

        Args:
            board: the card.
            cycles: of all groups.

        Raises:
            InputError: nothing says how long that takes.
        """
        configured = board.launch.reconfiguration_us
        if configured is None:
            raise InputError(
                "no-reconfiguration",
                f"board '{board.name}' does not say how long a configuration takes",
                where="launch.reconfiguration_us",
                hints=["extend u55c"],
            )
        return cycles / board.clock_mhz.value + len(self.groups) * configured.value

    def on_cards_us(self, board: FpgaBoard, cycles: int) -> float:
        """Time of a run with a card for each group, in a row; a group begins when all that it takes is there."""
        clock, links = board.clock_mhz.value, board.links
        rate, latency = links.bits_per_cycle(clock), links.latency_cycles(clock)
        hops = (self.bytes_over(link) for link in range(len(self.groups) - 1))
        return (cycles + sum(latency + ceil(8 * sent / rate) for sent in hops)) / clock

    def bytes_over(self, link: int) -> int:
        """What goes over the link behind card ``link``: all that is made before it and taken behind it."""
        crossing = (each for each in self.content.tensors if each.giver <= link < max(each.takers))
        return sum(each.total_bytes for each in crossing)


def require_one_design(path: Path) -> None:
    """Refuses a package of several groups, where one design is wanted.

    Raises:
        InputError: ``several-groups``.
    """
    if path.is_dir() and GroupPackage.is_there(path):
        raise InputError(
            "several-groups",
            "a package of several groups, each a design",
            where=str(path),
            hints=[f"name one of them, as in {path / 'group0'}"],
        )
