"""Public benchmarks of memories as families of conditions: what is measured as they did, or with other conditions."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Literal, get_args

from sttest.boards.tiers import Tier
from sttest.studies.memory.benchmark import Benchmark, Ids, Measured, Op, Pattern, measure
from sttest.studies.memory.published import PublishedRow, published_of

FamilyName = Literal["axi-burst", "outstanding-ramp", "random-access"]
Master = Literal["hls", "rtl"]
"""Vitis' m_axi adapter, which pauses after a write burst and whose kernel takes cycles of its own per random
transaction; or a master of your own in RTL, which does neither."""


_FIELDS = ("op", "pattern", "ids", "port_bits", "channels", "burst_bytes", "outstanding", "clock_mhz")


@dataclass(frozen=True)
class Asked:
    """Conditions that somebody asks for; None for those of the benchmark."""

    op: Op | None = None
    clock_mhz: float | None = None
    port_bits: int | None = None
    burst_bytes: int | None = None
    outstanding: int | None = None
    channels: int | None = None
    masters: int | None = None  # kernels on the same channels
    pattern: Pattern | None = None
    ids: Ids | None = None
    master: Master | None = None
    kernel_cycles: int | None = None

    @property
    def _given(self) -> dict[str, Any]:
        """What is asked for, by fields of a benchmark."""
        given: dict[str, Any] = {name: getattr(self, name) for name in _FIELDS if getattr(self, name) is not None}
        return given if self.master is None else given | {"gap": 0 if self.master == "rtl" else None}

    def among(self, benchmarks: list[Benchmark]) -> list[Benchmark]:
        """Those that have what is asked for, one condition after the other; all where none has it."""
        for name, wanted in self._given.items():
            benchmarks = [each for each in benchmarks if getattr(each, name) == wanted] or benchmarks
        return benchmarks

    def of(self, benchmark: Benchmark) -> Benchmark:
        """A benchmark with these conditions in place of its own."""
        given = self._given
        if self.masters is not None:
            given |= {"masters": self.masters, "shared": True}
        found = replace(benchmark, **given)
        if found.op == "both":
            found = replace(found, shared=True, joined=found.gap is None)
        return replace(found, kernel_cycles=self._kernel_cycles(found))

    def _kernel_cycles(self, found: Benchmark) -> int:
        if self.kernel_cycles is not None:
            return self.kernel_cycles
        return kernel_cycles_of_hls(found) if found.pattern == "random" and found.gap is None else 0


def kernel_cycles_of_hls(benchmark: Benchmark) -> int:
    """Cycles per random transaction of a pipelined loop of Vitis HLS: beats + 2 (AMD UG1399), 4 at least (XD099)."""
    return max(4, benchmark.beats + 2)


@dataclass(frozen=True)
class Family:
    """A public benchmark."""

    name: FamilyName
    who: str  # names of those who published it
    conditions: Callable[[], Iterable[Benchmark]]


def _axi_burst() -> Iterable[Benchmark]:
    for bits, op, outstanding, beats in product((256, 512), ("read", "write"), (4, 32), (4, 16, 32)):
        yield Benchmark(op, 300.0, bits, beats * bits // 8, outstanding)


def _outstanding_ramp() -> Iterable[Benchmark]:
    for op, outstanding in product(("read", "write"), (1, 2, 3, 4, 8, 16, 32)):
        yield Benchmark(op, 300.0, 512, 4096, outstanding, gap=0)


def _random_access() -> Iterable[Benchmark]:
    for channels, size in product((1, 2, 4), (64, 128, 256, 512, 1024)):
        yield Benchmark("read", 300.0, 512, size, 128, channels=channels, pattern="random")
    for outstanding, channels in product((64, 256), (1, 2, 4, 8, 16)):
        yield Benchmark("read", 300.0, 256, 32, outstanding, channels=channels, pattern="random", ids="many", gap=0)


FAMILIES: Mapping[FamilyName, Family] = {
    each.name: each
    for each in (
        Family("axi-burst", "axi_burst_performance of Vitis_Accel_Examples", _axi_burst),
        Family("outstanding-ramp", "xbtest, bursts of 4 KiB by how many are in flight", _outstanding_ramp),
        Family("random-access", "XD099 (one ID) and hbmex (many IDs)", _random_access),
    )
}
assert tuple(FAMILIES) == get_args(FamilyName)


@dataclass(frozen=True)
class Compared:
    """A benchmark on a memory, and what others measured under the same conditions."""

    conditions: Benchmark
    measured: Measured
    published: tuple[PublishedRow, ...]

    def of(self, *figures: str) -> PublishedRow | None:
        """The first published row of one of the figures."""
        return next((row for row in self.published if row.figure in figures), None)


def measure_like(family: FamilyName, board: str, tier: Tier, asked: Asked = Asked()) -> list[Compared]:
    """Simulates a public benchmark on a memory.

    Args:
        family: benchmark.
        board: name of the board that the memory is of, by which published figures are found.
        tier: memory.
        asked: conditions in place of the benchmark's own.

    Raises:
        InputError: conditions that cannot be, or more channels than the memory has.
    """
    own = asked.among(list(FAMILIES[family].conditions()))
    conditions = dict.fromkeys(asked.of(each) for each in own)
    if asked.channels is None:  # a memory of few channels has fewer rows
        conditions = dict.fromkeys(each for each in conditions if each.channels_used <= tier.channels)
    rows = list(published_of(board, tier.name, family))
    found: list[Compared] = []
    for each in conditions:
        same = tuple(row for row in rows if row.conditions == each)
        found.append(Compared(each, measure(each, tier), same))
    return found
