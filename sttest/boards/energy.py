"""Energy of a run from what it did: power that is always there, and joules per bit, cycle and access.

What each event costs is in the board's YAML, with a low, a central and a high
case; what happened is an :class:`Activity`, counted by the engines and the
package's activity report (``reports/activity.csv``).  docs/how-it-works/energy.md has the
formula, and how near it comes to boards that were measured.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from math import inf
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, model_validator

from sttest.boards.part import BoardPart, Quantity
from sttest.core.errors import InputError
from sttest.core.files import read_csv
from sttest.core.numbers import real
from sttest.core.report_table import ReportRow, ReportTable

# --- A quantity that nobody has measured exactly: its low, central and high case


CostCase = Literal["low", "central", "high"]
CASES: tuple[CostCase, ...] = ("low", "central", "high")


class Bracket(BoardPart):
    """Three cases of one quantity, each with its own source."""

    low: Quantity
    central: Quantity
    high: Quantity

    @model_validator(mode="after")
    def _in_order(self) -> "Bracket":
        if not self.low.value <= self.central.value <= self.high.value:
            raise ValueError("low, central and high are not in this order")
        return self

    def value(self, case: CostCase) -> float:
        """The number of one case."""
        return getattr(self, case).value


def bracket_in(unit: str) -> AfterValidator:
    """A check for a field: all three cases are in ``unit``."""

    def check(bracket: Bracket) -> Bracket:
        for case in CASES:
            found = getattr(bracket, case).unit
            if found != unit:
                raise ValueError(f"unit '{found}' where '{unit}' is expected")
        return bracket

    return AfterValidator(check)


WattsBracket = Annotated[Bracket, bracket_in("W")]
PicojoulesPerBit = Annotated[Bracket, bracket_in("pJ/bit")]
PicojoulesPerCycle = Annotated[Bracket, bracket_in("pJ/cycle")]
PicojoulesPerAccess = Annotated[Bracket, bracket_in("pJ/access")]


RAM_WORD_BITS = 72
"""Width of one access to a BRAM36 or a URAM288, parity bits included (AMD UG573)."""
_PICO = 1e-12


class EnergyCosts(BoardPart):
    """What a board draws and what its events cost."""

    static_w: WattsBracket  # board and shell, no design loaded
    # what a loaded design adds before it does anything: clock trees, control, memory controllers
    clocked_w: WattsBracket
    hbm: PicojoulesPerBit  # a bit to or from the HBM, its controller and PHY included
    dsp: PicojoulesPerCycle  # a DSP slice in a cycle in which it works
    # bram, uram: an access of 72 bits
    bram: PicojoulesPerAccess
    uram: PicojoulesPerAccess
    srl_fifo: PicojoulesPerBit  # a bit pushed into and popped from a FIFO of shift registers
    ddr: PicojoulesPerBit | None = None  # a bit to or from the DDR; of the board's memory, where it has one


@dataclass(frozen=True)
class Activity:
    """What a run did."""

    seconds: float  # how long it took
    hbm_bits: float = 0.0  # moved between HBM and fabric
    dsp_work_cycles: float = 0.0  # cycles times DSP slices that computed something
    # cycles times DSP slices of processes that were not stalled, with or without work
    dsp_enabled_cycles: float = 0.0
    # bram_bits, uram_bits: written to or read from block memories
    bram_bits: float = 0.0
    uram_bits: float = 0.0
    srl_bits: float = 0.0  # bits that went through FIFOs of shift registers
    ddr_bits: float = 0.0  # moved between DDR and fabric

    def __add__(self, other: "Activity") -> "Activity":
        """One run after the other."""
        return Activity(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))

    def times(self, count: float) -> "Activity":
        """``count`` such runs."""
        return Activity(*(getattr(self, each.name) * count for each in fields(self)))


def idle(seconds: float) -> Activity:
    """A loaded design that waits: launches, the host."""
    return Activity(seconds)


@dataclass(frozen=True)
class Energy:
    """The breakdown of the energy of a run in joules, at the costs of ``case``."""

    case: CostCase
    seconds: float
    static_j: float
    clocked_j: float
    hbm_j: float
    dsp_j: float
    onchip_j: float
    ddr_j: float = 0.0

    @property
    def dynamic_j(self) -> float:
        """What the work itself cost."""
        return self.hbm_j + self.ddr_j + self.dsp_j + self.onchip_j

    @property
    def total_j(self) -> float:
        """All of it: the board's own input."""
        return self.static_j + self.clocked_j + self.dynamic_j

    @property
    def net_j(self) -> float:
        """Net of the idle board."""
        return self.total_j - self.static_j

    @property
    def power_w(self) -> float:
        """Mean power of the run."""
        return self.total_j / self.seconds


def energy(activity: Activity, costs: EnergyCosts, case: CostCase = "central") -> Energy:
    """Energy of a run.

    The high case charges DSP slices for every cycle in which their process is
    not stalled, the others for the cycles in which they have work: HLS gates a
    pipeline as a whole, and what an enabled slice without work toggles is unknown.

    Raises:
        InputError: bits of a DDR whose cost is not known.
    """
    if activity.ddr_bits and costs.ddr is None:
        raise InputError("no-ddr-cost", "nobody says what a bit of this board's DDR costs", where="memory.ddr.energy")
    dsp_cycles = activity.dsp_enabled_cycles if case == "high" else activity.dsp_work_cycles
    onchip_pj = (
        activity.bram_bits / RAM_WORD_BITS * costs.bram.value(case)
        + activity.uram_bits / RAM_WORD_BITS * costs.uram.value(case)
        + activity.srl_bits * costs.srl_fifo.value(case)
    )
    return Energy(
        case=case,
        seconds=activity.seconds,
        static_j=costs.static_w.value(case) * activity.seconds,
        clocked_j=costs.clocked_w.value(case) * activity.seconds,
        hbm_j=activity.hbm_bits * costs.hbm.value(case) * _PICO,
        dsp_j=dsp_cycles * costs.dsp.value(case) * _PICO,
        onchip_j=onchip_pj * _PICO,
        ddr_j=activity.ddr_bits * costs.ddr.value(case) * _PICO if costs.ddr else 0.0,
    )


# --- The activity report of a design package, and the activity of a run of it


COUNTS = ("dsp_work_cycles", "hbm_bits", "bram_bits", "uram_bits", "srl_bits")
COLUMNS = ("element", "kind", "process", "evaluations", "macs", "dsp_slices", *COUNTS)
"""``element``: task, FIFO, converter or DMA.  ``process``: of a task, which others share that take turns on its slices.
``evaluations``: of a task's payload.  ``dsp_slices``: of all its lanes, products in LUTs charged as those in DSPs
that they replace.  The rest is summed over elements into an :class:`Activity`."""
DDR_BITS = "ddr_bits"
"""One more column, of designs that have data in DDR."""
_COMPILE_ANEW = ("compile the package anew",)


def read_activity(path: Path) -> ReportTable:
    """An activity report, a CSV file.

    Raises:
        InputError: it is missing, or not such a report.
    """
    rows: list[ReportRow] = []
    read = read_csv(path, hints=_COMPILE_ANEW)
    columns = (*COLUMNS, DDR_BITS) if read and DDR_BITS in read[0] else COLUMNS
    if not read or tuple(read[0]) != columns:
        raise _bad(path, f"its columns are not {', '.join(columns)}")
    for row in read:
        try:
            counts = {name: real(row[name]) for name in columns[columns.index("process") + 1 :]}
        except ValueError as error:
            raise _bad(path, f"has a count that is not a number ({error})") from error
        if not all(0 <= count < inf for count in counts.values()):
            raise _bad(path, "has counts that are not numbers of 0 or more")
        rows.append(row | counts)
    return ReportTable(columns, tuple(rows))


def activity_of(report: Iterable[ReportRow], busy_cycles: Mapping[str, int], cycles: int, clock_mhz: float) -> Activity:
    """The activity of one run.

    Args:
        report: rows with columns as in :data:`COLUMNS`.
        busy_cycles: per process, from an engine; processes without DSP slices need none.
        cycles: cycles of the run.
        clock_mhz: clock of the design, MHz.

    Raises:
        InputError: the engine ran another design.
    """
    # Tasks that take turns share the slices of the one that has most.
    rows, slices_of = list(report), dict[str, float]()
    for row in rows:
        if row["dsp_slices"] > 0:
            slices_of[row["process"]] = max(slices_of.get(row["process"], 0), row["dsp_slices"])
    missing = [name for name in slices_of if name not in busy_cycles]
    if missing:
        raise InputError(
            "other-design",
            f"the run has no process '{missing[0]}'",
            where="activity report",
            hints=["run the design of the same package"],
        )
    enabled = sum(slices * busy_cycles[name] for name, slices in slices_of.items())
    totals = {name: float(sum(row.get(name, 0) for row in rows)) for name in (*COUNTS, DDR_BITS)}
    return Activity(seconds=cycles / clock_mhz / 1e6, dsp_enabled_cycles=float(enabled), **totals)


def _bad(path: Path, what: str) -> InputError:
    return InputError("bad-activity-report", what, where=str(path), hints=_COMPILE_ANEW)
