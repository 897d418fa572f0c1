"""What a co-simulation measures of a design that is started over AXI-lite, by the design's own latency.

The test bench of Vivado and Vitis HLS takes turns: it reads the status register, writes a value of each argument that
is not written yet, writes the start bit, and reads a value of each result.  The clock runs from its first turn to the
last result, so all of this is in the latency that it reports.  Cycles of a turn are what the test benches of public
folders of 2018.3, 2022.1 and 2023.2 take when they are simulated around a stub; later and earlier ones work otherwise.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sttest.core.files import read_text
from sttest.importers.solution.folder import Solution, top_interface

_OLDEST, _NEWEST = (2018, 0), (2023, 2)
_IN_PLACE = (2023, 0)
"""The first version that writes only words that differ: it ends an argument's turn by itself after each word."""
_STATUS, _START, _CONTINUE = 5, 6, 6
"""Cycles of a turn; the last is added to one that finds a design done that waits for ap_continue."""
_TO_START, _TO_FLAG = 3, 3
"""From the turn that writes the start bit to the design's begin, and from the last word to when a start is allowed."""
_MOST_ROUNDS = 1_000_000
_LINE = re.compile(
    r"//\s*0x[0-9a-f]+ : (?:Data|(Control)) signal of (\w+)\s*\n//\s*bit \d+(?:~\d+)? +- [^(\n]*\(([^)]*)\)"
)
_MEMORY = re.compile(r"// 0x[0-9a-f]+ : Memory '(\w+)' \((\d+) \* (\d+)b\)")


@dataclass
class _Argument:
    """An argument or a result: ``length`` turns, each of so many words of 32 bits, of which ``left`` are to be taken.

    ``has_valid`` is set of a result with a flag that is read behind it.
    """

    words: int
    length: int = 1
    left: int = 1
    has_valid: bool = False

    @property
    def is_memory(self) -> bool:
        return self.length > 1


@dataclass(frozen=True)
class LiteBench:
    """The test bench: arguments that it writes and results that it reads, and its version."""

    arguments: Sequence[_Argument]
    results: Sequence[_Argument]
    version: tuple[int, int]
    waits_to_continue: bool

    def measured(self, latency: int) -> int | None:
        """Cycles that it measures of a design of that latency; None where it takes too many rounds."""
        turns = _Turns(self, latency)
        return next((cycles for _ in range(_MOST_ROUNDS) if (cycles := turns.around()) is not None), None)


def bench_of(solution: Solution) -> LiteBench | None:
    """The test bench of a solution, by its registers; None of one that starts otherwise, or that nobody here knows."""
    found = re.match(r"(\d+)\.(\d+)", solution.version)
    files = sorted((solution.root / "syn" / "verilog").glob("*_s_axi.v"))
    if found is None or len(files) != 1 or not top_interface(solution).starts_over_axi:
        return None
    version = int(found[1]), int(found[2])
    text = read_text(files[0])
    if not _OLDEST <= version <= _NEWEST or not re.search(r"bit 0 +- ap_start", text):
        return None
    arguments, results = _registers(text)
    for name, length, bits in ((each[1], int(each[2]), int(each[3])) for each in _MEMORY.finditer(text)):
        in_a_word = max(1, 32 // (8 if bits <= 8 else 16 if bits <= 16 else 32))
        turns = -(-length // in_a_word)
        memory = _Argument(-(-bits // 32), turns, turns)
        (results if re.search(rf"\b{name}_d0\b", text) else arguments).append(memory)
    return LiteBench(arguments, results, version, waits_to_continue="ap_continue (" in text)


def _registers(text: str) -> tuple[list[_Argument], list[_Argument]]:
    arguments: dict[str, _Argument] = {}
    results: dict[str, _Argument] = {}
    for is_control, name, access in _LINE.findall(text):
        side = arguments if "Write" in access else results
        if is_control:
            if name in results:
                results[name].has_valid = True
        elif name in side:
            side[name].words += 1
        else:
            side[name] = _Argument(1)
    return [*arguments.values()], [*results.values()]


class _Turns:
    """The turns of one transaction, in rounds of one each; the clock that is reported runs from cycle 2 on."""

    def __init__(self, bench: LiteBench, latency: int) -> None:
        self.bench, self.latency = bench, latency
        self.arguments = [replace(each) for each in bench.arguments]
        self.results = [replace(each) for each in bench.results]
        self.cycle = 1  # at which the next turn begins
        self.may_start = 1
        self.end: int | None = None  # of the design, once it is started
        self.is_done = self.is_hidden = False

    def around(self) -> int | None:
        """A round of turns, and what is measured if the transaction ends in it, behind rounds that only wait."""
        if self.end is not None and not self.is_done:
            idle = _STATUS + len(self.arguments) + 1 + len(self.results)
            self.cycle += max(0, -((self.cycle - self.end) // idle)) * idle
        begin = self.cycle
        self.cycle += _STATUS
        if not self.is_done and self.end is not None and self.end <= begin:
            self.is_done = True
            self.cycle += _CONTINUE if self.bench.waits_to_continue else 0
            if not self.results:
                return begin + _STATUS - 1
        for each in self.arguments:
            is_hiding = each.is_memory and each.left > 0
            self._take(self._written(each) if each.left else 0, is_hiding=is_hiding)
        can_start = self.end is None and not any(each.left for each in self.arguments) and self.cycle >= self.may_start
        if can_start:
            self.end = self.cycle + _TO_START + self.latency
        self._take(_START if can_start else 0)
        for each in self.results:
            self._take(self._read(each) if self.is_done and each.left else 0)
        is_over = self.is_done and not any(each.left for each in self.results)
        return self.cycle - 2 if is_over else None

    def _take(self, cycles: int, *, is_hiding: bool = False) -> None:
        """A turn of so many cycles, of one if there is nothing to do; one is hidden behind a turn that ends late."""
        self.cycle += max(cycles, 1) - self.is_hidden
        self.is_hidden = is_hiding and self.bench.version >= _IN_PLACE

    def _written(self, argument: _Argument) -> int:
        is_first, each = argument.left == argument.length, 5 * argument.words
        cycles = 2 + 4 * argument.words
        argument.left -= 1
        if self.bench.version >= _IN_PLACE:
            cycles = 1 + each
            if argument.is_memory and is_first:
                argument.left -= 1
                cycles += each
        self.may_start = self.cycle + cycles - 1 + _TO_FLAG
        return cycles

    @staticmethod
    def _read(result: _Argument) -> int:
        result.left -= 1
        return 2 + 5 * (result.words + result.has_valid)
