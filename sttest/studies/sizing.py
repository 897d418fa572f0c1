"""Depths of a graph's FIFOs: by the compiler's linear program, or by search in simulation."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from sttest.compile.timing.fifo_depths import stream_depths
from sttest.core.errors import InputError
from sttest.sim import TimedGraph, simulate
from sttest.sim.sizing import Sizing, back_to_back, size_by_simulation, size_for_throughput
from sttest.sim.sizing.finite import NO_LOSS, least_live_depths

Program = Callable[[str], Mapping[str, int]]
"""A linear program that sizes FIFOs: depths in tokens by strategy."""


@dataclass(frozen=True)
class SizeRequest:
    """What was asked for."""

    method: str = "sim"  # ``sim`` or ``lp``
    # method of the linear program; None for the depths that a compiled design has, and for ``normal`` otherwise
    strategy: str | None = None
    throughput: str | None = None  # iterations per time unit of endless actors, as in ``1/960``; None for the highest
    invocations: int = 1  # runs that overlap
    # goal of a finite graph, ``no-loss``, ``no-deadlock`` or a number of cycles; None for ``no-loss``
    target: str | None = None

    def sizing(
        self, graph: TimedGraph, *, compiled: bool = False, program: Program | None = None, where: str = ""
    ) -> Sizing:
        """Sizes a graph.

        Args:
            graph: graph to be sized.
            compiled: whether its depths are those of the linear program already.
            program: the linear program that sizes it; one of the graph alone if not given.
            where: place named in errors, the graph's name if empty.

        Raises:
            InputError: options that say nothing about such a graph.
            DeadlockError: no depths are enough.
            DoesNotFitError: no depths are enough for what was asked.
        """
        endless = graph.is_endless
        self._check(where or graph.name, endless=endless)
        repeated = back_to_back(graph, self.invocations)
        if self.method == "lp":
            return _by_program(
                graph, repeated, program_depths(graph, self.strategy, compiled=compiled, program=program)
            )
        if endless:
            return size_for_throughput(graph, _fraction(self.throughput))
        return size_by_simulation(repeated, _target(self.target), known=self._program(graph, compiled, program))

    def _program(self, graph: TimedGraph, compiled: bool, program: Program | None) -> dict[str, int]:
        """What the linear program says, to start from, too; nothing where it has no depths."""
        try:
            return program_depths(graph, compiled=compiled, program=program)
        except InputError:
            return {}

    def _check(self, where: str, *, endless: bool) -> None:
        """Refuses options that say nothing about such a graph."""
        of_finite = {"--method lp": self.method == "lp", "--target": self.target is not None}
        of_finite["--invocations"] = self.invocations != 1
        wrong = of_finite if endless else {"--throughput": self.throughput is not None}
        for option, is_given in wrong.items():
            if is_given:
                kind = "never ends" if endless else "comes to an end"
                raise InputError("option", f"{option} says nothing about a graph that {kind}", where=where)
        of_other = {"--target": self.target, "--strategy": self.strategy}
        option = "--target" if self.method == "lp" else "--strategy"
        if of_other[option] is not None:
            hints = [f"add --method {'sim' if self.method == 'lp' else 'lp'}"]
            what = f"{option} says nothing about method {self.method}"
            raise InputError("option", what, where="size", hints=hints)


_ROUNDED_DIGITS = 6
# N/M, a whole number or a decimal; bounded, so that no text becomes a number of a million digits.
_THROUGHPUT = re.compile(r"[0-9]{1,18}(/0*[1-9][0-9]{0,17}|\.[0-9]{1,18})?([eE][+-]?[0-9]{1,2})?", re.ASCII)


def _fraction(text: str | None) -> Fraction | None:
    if text is None:
        return None
    if not _THROUGHPUT.fullmatch(text) or ("/" in text and "e" in text.lower()):
        hints = ["write it as in --throughput 1/960 or 0.00104"]
        raise InputError("bad-throughput", f"'{text:.40}' is not N/M", where="throughput (--throughput)", hints=hints)
    value = Fraction(text)
    digits = re.sub(r"[eE].*", "", text).replace(".", "").lstrip("0")
    if "/" in text or ("e" not in text.lower() and len(digits) < _ROUNDED_DIGITS):
        return value
    digits = digits.ljust(_ROUNDED_DIGITS, "0")
    # Published rates are rounded decimals: whatever rounds to these digits reaches them.
    return value - value / (2 * int(digits))


def _target(text: str | None) -> str | int:
    if text is None:
        return NO_LOSS
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 18 else text


def program_depths(
    graph: TimedGraph, strategy: str | None = None, *, compiled: bool = False, program: Program | None = None
) -> dict[str, int]:
    """Depths by the linear program: those that a design was compiled with, or solved for now.

    FIFOs that it doesn't size keep what they have.

    Raises:
        InputError: actors, or FIFOs without initial tokens that form a cycle.
    """
    given = {fifo.name: fifo.depth for fifo in graph.fifos}
    if strategy is None and compiled:
        return given
    found = stream_depths(graph, strategy or "normal") if program is None else program(strategy or "normal")
    return {**given, **found}


@dataclass(frozen=True)
class BesideProgram:
    """The linear program's depths beside those found by simulation.

    ``cycles`` of a run with the program's, None on a deadlock; ``free_cycles`` if no FIFO is ever full.  ``as_slow``:
    depths by simulation for as many cycles as the program's take, where those lose some: at most their bits.
    """

    depths: dict[str, int]
    cycles: int | None
    free_cycles: int | None
    as_slow: Sizing | None = None

    @property
    def falls_short(self) -> bool:
        """Whether they deadlock or lose cycles."""
        return self.cycles is None or (self.free_cycles is not None and self.cycles > self.free_cycles)


def beside_program(graph: TimedGraph, request: SizeRequest, sizing: Sizing, *, compiled: bool) -> BesideProgram:
    """The linear program's depths to stand beside a sizing by simulation.

    Raises:
        InputError: the program has no depths for such a graph.
    """
    depths = program_depths(graph, request.strategy, compiled=compiled)
    repeated = back_to_back(graph, request.invocations)
    cycles, free = simulate(repeated, depths=depths).cycles, simulate(repeated, unbounded=True).cycles
    is_slower = request.target in (None, NO_LOSS) and cycles is not None and cycles > (sizing.cycles or cycles)
    if sizing.method != "sim" or cycles is None or not is_slower:
        return BesideProgram(depths, cycles, free)
    return BesideProgram(depths, cycles, free, size_by_simulation(repeated, cycles, known=depths))


def _by_program(graph: TimedGraph, repeated: TimedGraph, depths: dict[str, int]) -> Sizing:
    bounds = least_live_depths(repeated)
    names = [fifo.name for fifo in graph.fifos]
    cycles = simulate(repeated, depths=depths).cycles
    return Sizing(
        graph=graph,
        method="lp",
        depths=depths,
        cycles=cycles,
        lower_bounds=dict(zip(names, bounds, strict=True)),
        lower_total=sum(bounds),
        is_exact=cycles is not None and sum(bounds) == sum(depths.values()),
    )
