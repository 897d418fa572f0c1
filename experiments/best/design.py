"""A found design, made again: compiled with all that its file says, simulated, placed."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from experiments.best.cases import BOARD, Case
from experiments.best.found import Found
from sttest.boards.energy import Activity, activity_of, idle
from sttest.boards.frequency import ClockBand
from sttest.boards.resources import KINDS
from sttest.compile.compiler import CompiledDesign, compile_text
from sttest.compile.dialects import df
from sttest.compile.dialects.stream_order import without_repeats
from sttest.compile.options import CompileOptions
from sttest.compile.reports import activity_table
from sttest.compile.resources.clock import TimeAtClock, placed_clocks, times_at_clocks
from sttest.compile.resources.design import die_under
from sttest.compile.resources.placement import SlrPlacement, place, tokens_carried
from sttest.compile.sharing.processes import process_name
from sttest.core.errors import DeadlockError
from sttest.core.report_table import ReportTable
from sttest.sim import Simulation, simulate
from sttest.sim.critical_path import Breakdown, breakdown
from sttest.sim.graph import DEFAULT_MAX_ACCESSES, MAX_ACCESSES_VARIABLE, MemoryPort

MOST_ACCESSES = 1 << 30
"""Accesses of FIFOs in a launch that is made again."""
_RECORDED_LAYERS = 3
_WEIGHTS = ("_weight", "_weight_scale")


@dataclass(frozen=True)
class Fullest:
    """How much is taken of something that a budget bounds, and where."""

    share: float  # share of the budget
    what: str
    where: str


@dataclass(frozen=True)
class Made:
    """A design with its run and its place.

    Attributes:
        found: what it was made from.
        design, placed: itself.
        counts: activity report of a launch.
        done: what a launch does, registers between SLRs included.
        itemized: recorded, before registers between SLRs; of fewer layers where a launch is too long to record.
        itemized_layers: how many these are.
        band: the clocks that it may reach.
        times: of a launch at each of them.
    """

    found: Found
    design: CompiledDesign
    placed: SlrPlacement
    counts: ReportTable
    done: Activity
    itemized: Simulation
    itemized_layers: int
    band: ClockBand
    times: tuple[TimeAtClock, ...]

    @property
    def cycles(self) -> int:
        """Of a launch, registers between SLRs included."""
        cycles = self.placed.cycles[1]
        if cycles is None:
            raise DeadlockError("deadlock", "deadlocks with registers between SLRs", where=self.found.case.name)
        return cycles

    @property
    def unplaced_cycles(self) -> int | None:
        """Of a launch, without these registers."""
        return self.placed.cycles[0]

    @property
    def launch_ms(self) -> float:
        """On the card, of one launch."""
        return self.cycles / self.design.board.clock_mhz.value / 1e3

    @property
    def queue_ms(self) -> float:
        """What launches of a token or a prompt cost that wait in a queue, one after the other."""
        return self.found.launches * self.design.board.launch.queued_us.value / 1e3 / self.found.makes

    @property
    def card_ms(self) -> float:
        """A token in decode, a prompt in prefill: all layers, launches in a queue and no other work of the host."""
        return self.found.launches * self.launch_ms / self.found.makes + self.queue_ms

    @property
    def host_ms(self) -> float:
        """What the host adds to that in a generation: it stands between two launches that make tokens."""
        launch = self.design.board.launch
        return (
            0
            if self.found.case.phase == "prefill"
            else ((launch.token_gap_us.value - launch.queued_us.value) / 1e3 / self.found.makes)
        )

    @property
    def ms(self) -> float:
        """A token of a generation as its user sees it, or a prompt."""
        return self.card_ms + self.host_ms

    @property
    def tokens_per_s(self) -> float:
        """That enter the blocks: generated ones in decode, those of the prompt in prefill."""
        return self.found.case.tokens / self.ms * 1e3

    @property
    def card_tokens_per_s(self) -> float:
        """The same with nothing of the host but queued launches."""
        return self.found.case.tokens / self.card_ms * 1e3

    @property
    def activity(self) -> Activity:
        """What the board does for a token of a generation, or for a prompt: launches, and waiting for the host."""
        busy_s = self.found.launches * self.launch_ms / 1e3 / self.found.makes
        return self.done.times(self.found.launches / self.found.makes) + idle(self.ms / 1e3 - busy_s)

    @cached_property
    def weight_bytes(self) -> int:
        """Weights and their scales, each once, those of the head included where it is in the launch."""
        repeats = _repeats(self.design)
        read = sum(
            port.tokens * port.token_bytes // repeats[port.name]
            for port in self.design.graph.processes
            if isinstance(port, MemoryPort)
            and port.op == "read"
            and port.origin.split(", ")[0].endswith(_WEIGHTS)
            and "norm" not in port.origin
        )
        return self.found.launches * read // self.found.makes

    def roofline_tokens_per_s(self, gb_per_s: float) -> float:
        """If reading the weights once were all that takes time."""
        return self.found.case.tokens * gb_per_s * 1e9 / self.weight_bytes

    @cached_property
    def items(self) -> Breakdown:
        """The critical path of a launch of ``itemized_layers``, before registers between SLRs."""
        return breakdown(self.itemized)

    @property
    def fullest(self) -> Fullest:
        """What the board runs out of first: a resource of an SLR, or the lines of a boundary."""
        shares = [
            Fullest(getattr(share, kind), kind, f"SLR{slr}")
            for slr, share in enumerate(self.placed.partition.shares)
            for kind in KINDS
        ]
        return max(*shares, *self.lines, key=lambda each: each.share)

    @property
    def lines(self) -> list[Fullest]:
        """Shares of the super long lines that the budget leaves of each boundary."""
        most = die_under(self.design, self.placed.taken).sll_per_boundary
        wires = enumerate(self.placed.partition.wires)
        return [Fullest(count / most, "super long lines", f"SLR{slr} to SLR{slr + 1}") for slr, count in wires]

    def card_ms_at(self, time: TimeAtClock) -> float:
        """As :attr:`card_ms`, at another clock.

        Raises:
            DeadlockError: it does not finish there.
        """
        if time.us is None:
            raise DeadlockError("deadlock", f"deadlocks at {time.clock_mhz:g} MHz", where=self.found.case.name)
        return self.found.launches * time.us / 1e3 / self.found.makes + self.queue_ms


def make(found: Found) -> Made:
    """Makes a design again.

    Raises:
        InputError: the block is another one now, or no longer has these tasks.
        DoesNotFitError: it no longer fits the board.
        DeadlockError: it does not finish.
    """
    text = found.block()
    with long_launches():
        design = compile_text(text, f"{found.case.name}-{BOARD}", BOARD, found.options)
        placed = place(design)
        run = simulate(placed.graph)
        band = placed_clocks(design, placed)
        times = times_at_clocks(design, placed, band)
    if placed.cycles[0] is None:
        raise DeadlockError("deadlock", "the sized design deadlocks", where=design.name)
    layers = found.layers if is_recordable(design) else _recordable_layers(design, found.layers)
    short = (
        design if layers == found.layers else compile_text(text, design.name, BOARD, found.options.with_(layers=layers))
    )
    counts, busy = activity_table(design), {name: process.busy_cycles for name, process in run.breakdown.items()}
    done = activity_of(counts, busy, run.cycles or 0, design.board.clock_mhz.value)
    return Made(found, design, placed, counts, done, simulate(short.graph, record=True), layers, band, times)


def _repeats(design: CompiledDesign) -> dict[str, int]:
    """How often each DMA reads its tensor in a layer: once per block of rows, where nothing keeps it."""
    found: dict[str, int] = {}
    for op in design.module.walk():
        if isinstance(op, df.DmaReadOp):
            stream = df.itensor_of(op.sinks[0])
            once = without_repeats(stream)
            found[process_name(op)] = stream.tokens * stream.token_bits // (once.tokens * once.token_bits)
    return found


def is_recordable(design: CompiledDesign) -> bool:
    """Whether all access times of a launch fit in memory: the limit that holds where nothing is set."""
    return sum(tokens_carried(design.graph).values()) * 2 <= DEFAULT_MAX_ACCESSES


def _recordable_layers(design: CompiledDesign, layers: int) -> int:
    """The most layers, of the few that are enough, whose access times fit in memory."""
    of_layer = sum(tokens_carried(design.graph).values()) * 2 // layers
    return max(1, min(_RECORDED_LAYERS, layers // 2, DEFAULT_MAX_ACCESSES // of_layer))


@contextmanager
def long_launches() -> Iterator[None]:
    """Raises the limit on FIFO accesses: cycles alone take a few bytes for each."""
    before = os.environ.get(MAX_ACCESSES_VARIABLE)
    os.environ[MAX_ACCESSES_VARIABLE] = str(MOST_ACCESSES)
    try:
        yield
    finally:
        if before is None:
            del os.environ[MAX_ACCESSES_VARIABLE]
        else:
            os.environ[MAX_ACCESSES_VARIABLE] = before


def command(case: Case, options: CompileOptions, lanes_from: Path, package: Path) -> list[str]:
    """The command that makes the design's package; options at their defaults are left out.

    Args:
        case, options: of the design.
        lanes_from: folder with the lanes of its tasks.
        package: where the package goes.
    """
    shape = case.shape
    size = ["--tokens", str(shape.tokens)] if shape.phase == "prefill" else ["--context", str(shape.context)]
    words = ["sttest", "compile", case.model, "--phase", case.phase, *size, "--board", BOARD]
    words += options.command_line()
    words += ["--head"] if case.head else []
    return [*words, "--lanes-from", str(lanes_from), "--check-resources", "-o", str(package)]


def shown(words: list[str]) -> str:
    """A command as one types it."""
    return shlex.join(words)
