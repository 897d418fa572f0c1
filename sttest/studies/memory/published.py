"""What others measured of memories, each with its conditions, and what is simulated beside it.

``memory_published.csv`` has a row per figure.  Its conditions are those of a
:class:`~sttest.studies.memory.benchmark.Benchmark` on a memory of one of our boards; those that no ports express have
a reason in their place.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal

from pydantic import TypeAdapter

from sttest.boards.load import load_board, require_hbm
from sttest.boards.tiers import Tier, TierName
from sttest.core.errors import InputError
from sttest.core.files import read_csv
from sttest.studies.memory.benchmark import Benchmark, alternating, measure
from sttest.studies.whatif.study import STUDIES

__depends__ = ("sttest/studies/data/memory_published.csv",)

PUBLISHED = STUDIES / "memory_published.csv"
Role = Literal["fitted", "predicted"]
Figure = Literal["total", "port", "read", "write", "latency", "served", "blocks"]
"""GB/s of all ports, of the slowest, or of one direction; ns as :class:`Reached` has them; GB/s of kernels that read
and write blocks by turns."""
CONDITIONS = (
    "op", "clock_mhz", "port_bits", "burst_bytes", "outstanding", "write_outstanding", "masters", "channels", "shared",
    "pattern", "ids", "kernel_cycles", "gap", "joined", "total_bytes",
)  # fmt: skip
COLUMNS = (
    "board", "memory", "card", "benchmark", *CONDITIONS, "blocks", "setting", "figure", "value", "unit", "printed",
    "assumed", "role", "fits", "source", "reason",
)  # fmt: skip


@dataclass(frozen=True)
class PublishedRow:
    """A figure that others measured."""

    board: str  # ours, whose file has the memory
    memory: TierName
    card: str  # theirs
    benchmark: str
    value: float
    unit: str
    source: str
    reason: str = ""  # why no ports express it; else empty
    conditions: Benchmark | None = None  # None where no ports express it
    figure: Figure = "port"
    blocks: int = 0  # blocks read before one is written, by turns; 0 for ports that work at once
    setting: Mapping[str, float] = field(
        default_factory=dict[str, float]
    )  # what the controller was set to, by keys of ``timing``
    printed: str = ""  # the figure as printed, where it is converted
    assumed: str = ""  # conditions that the source does not state
    role: Role | None = None
    fits: str = ""  # keys of the board's file that were chosen so that this row comes out, or read off it

    def tier(self) -> Tier:
        """The memory, as it was set."""
        tier = _tier(self.board, self.memory)
        return replace(tier, timing=replace(tier.timing, **self.setting)) if self.setting else tier

    def simulated(self, engine: str = "maxplus") -> float:
        """The same figure of our memory.

        Raises:
            InputError: no ports express it.
        """
        if self.conditions is None:
            raise InputError("not-expressed", self.reason, where=self.benchmark)
        return figure_of(self.figure, self.conditions, self.blocks, self.tier(), engine)


@cache
def _tier(board: str, memory: TierName) -> Tier:
    return require_hbm(load_board(board)).tier(memory)


def figure_of(figure: Figure, conditions: Benchmark, blocks: int, tier: Tier, engine: str = "maxplus") -> float:
    """A figure of a benchmark on a memory."""
    if figure == "blocks":
        return conditions.masters * alternating(replace(conditions, masters=1), blocks, tier, engine)
    found = measure(conditions, tier, engine)
    if figure in ("latency", "served"):
        port = found.of(conditions.directions[0])
        return port.latency_ns if figure == "latency" else port.served_ns
    if figure == "total":
        return found.gb_per_s
    return (found.slowest if figure == "port" else found.of("read" if figure == "read" else "write")).gb_per_s


@cache
def published_rows() -> tuple[PublishedRow, ...]:
    """All rows, in the order of the file."""
    rows = TypeAdapter(PublishedRow)
    return tuple(rows.validate_python(_fields(line)) for line in read_csv(PUBLISHED, COLUMNS))


def _fields(line: Mapping[str, str]) -> dict[str, object]:
    given: dict[str, object] = {name: text for name, text in line.items() if text and name not in CONDITIONS}
    if not line["reason"]:
        given["conditions"] = {name: line[name] for name in CONDITIONS if line[name]}
    pairs = (each.partition("=") for each in line["setting"].split())
    return given | {"setting": {name: text for name, _, text in pairs}}


ALIKE: tuple[tuple[tuple[str, TierName], ...], ...] = ((("u50", "hbm"), ("u55c", "hbm"), ("u280", "hbm")),)
"""Memories of different boards that are the same: HBM2 at 900 MHz behind AMD's hard controller and Vitis' shells."""


def published_of(board: str, memory: TierName, benchmark: str) -> Iterator[PublishedRow]:
    """Rows that ports express of a benchmark on what is the memory of a board; those of the board itself first."""
    same = next((each for each in ALIKE if (board, memory) in each), ((board, memory),))
    rows = [row for row in published_rows() if row.conditions is not None and row.benchmark == benchmark]
    for own in (True, False):
        yield from (
            row for row in rows if (row.board == board) is own and (row.board, row.memory) in same and not row.setting
        )
