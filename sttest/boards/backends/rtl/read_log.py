"""Reads what a testbench wrote: lines of text, and from Verilator one binary file of access times per FIFO."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from sttest.boards.backends.rtl.run import Blocked, RtlRun, Violation

Lines = dict[str, list[list[int]]]


def read_runs(
    folder: Path, log: Path, graphs: list[dict[str, Any]], simulator: str, build_s: float, run_s: float
) -> list[RtlRun]:
    """One run per graph of the folder's manifest."""
    lines, verdicts = _parse(log)
    accesses = _text_accesses(lines["access"]) if simulator == "icarus" else None
    runs, first_process, first_fifo = [], 0, 0
    for number, graph in enumerate(graphs):
        names = _Names(graph, first_process, first_fifo)
        times = [
            _fifo_times(folder, first_fifo + index, accesses) for index in range(len(graph["fifos"]))
        ]  # (writes, reads) per FIFO
        finish = names.finish(lines["finish"])
        done = [cycle for cycle in finish.values() if cycle is not None]
        runs.append(
            RtlRun(
                name=graph["name"],
                simulator=simulator,
                verdict=verdicts[number],
                cycles=max(done) if verdicts[number] == "done" else None,
                finish=finish,
                writes={name: pair[0] for name, pair in zip(graph["fifos"], times, strict=True)},
                reads={name: pair[1] for name, pair in zip(graph["fifos"], times, strict=True)},
                blocked=names.blocked(lines["blocked"]),
                violations=names.violations(lines["wrong"]),
                build_s=build_s,
                run_s=run_s,
            )
        )
        first_process += len(graph["processes"])
        first_fifo += len(graph["fifos"])
    return runs


def _parse(log: Path) -> tuple[Lines, dict[int, str]]:
    """Numbers of the lines by their first word, and the verdict per graph."""
    lines: Lines = defaultdict(list)
    verdicts: dict[int, str] = {}
    with log.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            word, *rest = line.split()
            if word == "graph":
                verdicts[int(rest[0])] = rest[1]
            elif word in ("access", "finish", "blocked", "wrong"):
                lines[word].append([_number(text) for text in rest])
    return lines, verdicts


def _number(text: str) -> int:
    """-1 for what the simulator calls unknown, as a place of a FIFO that was never written."""
    return -1 if text.strip("xX") == "" else int(text)


class _Names:
    """The names of one graph behind the numbers of the log."""

    def __init__(self, graph: dict[str, Any], first_process: int, first_fifo: int) -> None:
        self.processes = {first_process + k: name for k, name in enumerate(graph["processes"])}
        self.fifos = {first_fifo + k: name for k, name in enumerate(graph["fifos"])}

    def finish(self, lines: list[list[int]]) -> dict[str, int | None]:
        cycles: dict[str, int | None] = dict.fromkeys(self.processes.values())
        cycles.update({self.processes[process]: cycle for process, cycle in lines if process in self.processes})
        return cycles

    def blocked(self, lines: list[list[int]]) -> tuple[Blocked, ...]:
        return tuple(
            Blocked(self.processes[process], "write" if op % 2 else "read", self.fifos[op // 2], need, have)
            for process, op, need, have in lines
            if process in self.processes
        )

    def violations(self, lines: list[list[int]]) -> tuple[Violation, ...]:
        return tuple(
            Violation(self.fifos[fifo], got, expected, cycle)
            for fifo, got, expected, cycle in lines
            if fifo in self.fifos
        )


def _text_accesses(lines: list[list[int]]) -> dict[int, list[int]]:
    """Cycles by FIFO side, one entry per token."""
    sides: dict[int, list[int]] = defaultdict(list)
    for op, tokens, cycle in lines:
        sides[op].extend([cycle] * tokens)
    return sides


def _fifo_times(folder: Path, fifo: int, accesses: dict[int, list[int]] | None) -> tuple[np.ndarray, np.ndarray]:
    """Writes and reads, int64."""
    if accesses is not None:
        writes, reads = accesses.get(2 * fifo + 1, []), accesses.get(2 * fifo, [])
        return np.array(writes, np.int64), np.array(reads, np.int64)
    return read_times(folder / "times" / f"{fifo}.bin")


def read_times(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Writes and reads from a file: int64 (bytes per cycle, writes, reads), then the cycles, 4 or 8 bytes each."""
    width, writes, _ = np.fromfile(path, "<i8", 3).tolist()
    cycles = np.fromfile(path, f"<u{width}", offset=24).astype(np.int64)
    return cycles[:writes], cycles[writes:]
