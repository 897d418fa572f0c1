"""Tables of the page on memories: numbers of boards' files with the rows that they rest on, and how far they carry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from experiments.memory import MEMORIES, Errors
from sttest.boards.load import load_board, require_hbm
from sttest.boards.part import Quantity
from sttest.boards.tiers import TierName
from sttest.core.files import read_csv
from sttest.core.tables import markdown_table
from sttest.studies.memory.published import PublishedRow, published_rows

RESULT = Path(__file__).parents[1] / "results" / "memory" / "table.csv"
_RATE = "sustained_gb_per_s_per_channel"
_TOLD = {
    _RATE: "rate of reads",
    "kernel_read_ns": "latency of a read",
    "read_ns": "latency of a read",
    "busy_read_ns": "the same from when a saturated channel is free",
    "response_ns": "response of a write",
    "busy_response_ns": "the same from when a saturated channel is free",
    "write_over_read": "rate of writes over that of reads",
    "short_access_bytes": "a short random access",
    "short_access_ns": "time between two of them",
    "access_ns": "time between two longer ones",
    "id_wait_ns": "wait of one ID before another channel",
    "read_turns": "bursts read in a row while others wait",
    "write_turns": "bursts written in a row while others wait",
    "write_gap_cycles": "pause of Vitis' adapter after a write burst",
}


def memory_parameters(board: str, memory: TierName) -> str:
    """The numbers of a memory's law, each with its kind and the published rows that it was read off or fitted on."""
    lines = [
        (told, f"{quantity.value:g} {_UNITS.get(quantity.unit, quantity.unit)}".strip(), quantity.kind, rests_on)
        for told, quantity, rests_on in _quantities(board, memory)
    ]
    return markdown_table(("what", "value", "kind", "rests on"), lines, is_right=lambda column: column == 1)


_UNITS = {"count": "", "ratio": ""}


def _quantities(board: str, memory: TierName) -> Iterator[tuple[str, Quantity, str]]:
    """What each is, its value, and what it rests on."""
    pcie = require_hbm(load_board(board)).pcie
    if memory == "host" and pcie is not None:  # which is slower than what is behind it
        yield "rate, of the link to the host", pcie.host_to_card_gb_per_s, "xrt-smi's copies to a U55C"
    for name, told in _TOLD.items():
        quantity = _quantity(board, memory, name)
        if quantity is not None and not (memory == "host" and name == _RATE):
            yield told, quantity, _rests_on(board, memory, name, quantity)


def _quantity(board: str, memory: TierName, name: str) -> Quantity | None:
    of_memory = getattr(require_hbm(load_board(board)).memory, memory)
    return getattr(of_memory, name, None) or getattr(of_memory.timing, name, None)


def _rests_on(board: str, memory: TierName, name: str, quantity: Quantity) -> str:
    """Rows that a number was taken from, of all boards whose memory is the same and has the same number."""
    cards = Counter(
        f"{row.benchmark} ({row.card})"
        for row in published_rows()
        if row.conditions is not None
        and name in row.fits.split(", ")
        and MEMORIES[row.board, row.memory] == MEMORIES[board, memory]
        and (other := _quantity(row.board, row.memory, name)) is not None
        and other.value == quantity.value
    )
    told = (f"{count} row{'s' if count > 1 else ''} of {who}" for who, count in cards.items())
    return ", ".join(told) or "what the board's file names"


# --- How far the law carries, from the table of results


def memory_rows() -> list[dict[str, str]]:
    """The rows of the result that have a simulation."""
    return [row for row in read_csv(RESULT) if row["kind"] == "simulated" and row["value"]]


def _errors(lines: list[dict[str, str]]) -> Errors:
    found = sorted(abs(float(row["error"])) for row in lines)
    middle = found[len(found) // 2] if len(found) % 2 else sum(found[len(found) // 2 - 1 : len(found) // 2 + 1]) / 2
    close, near = (sum(error <= bound for error in found) / len(found) for bound in (0.05, 0.15))
    return Errors(len(found), middle, close, near, found[-1])


def memory_errors() -> str:
    """Errors by memory and role."""
    lines = memory_rows()
    groups: dict[tuple[str, str], list[dict[str, str]]] = {}
    for memory in (*dict.fromkeys(MEMORIES.values()), ""):
        for role in ("fitted", "predicted"):
            groups[memory or "all", role] = [
                row for row in lines if row["memory"] == (memory or row["memory"]) and row["role"] == role
            ]
    told = [(*key, *_shown(_errors(found))) for key, found in groups.items()]
    return _table(("memory", "role"), told)


def memory_benchmarks() -> str:
    """Errors by memory, card and benchmark."""
    groups: dict[tuple[str, str, str], list[dict[str, str]]] = {}
    for row in memory_rows():
        name = "STREAM" if row["benchmark"].startswith("STREAM") else row["benchmark"]
        groups.setdefault((row["memory"], row["card"], name), []).append(row)
    return _table(("memory", "card", "benchmark"), [(*key, *_shown(_errors(found))) for key, found in groups.items()])


def _shown(found: Errors) -> tuple[str, ...]:
    return (f"{found.count}", f"{found.middle:.1%}", f"{found.close:.0%}", f"{found.near:.0%}", f"{found.most:.0%}")


def _table(first: tuple[str, ...], lines: list[tuple[str, ...]]) -> str:
    columns = (*first, "rows", "median error", "within 5%", "within 15%", "largest")
    return markdown_table(columns, lines, is_right=lambda column: column >= len(first))


def memory_misses() -> str:
    """Rows that are more than 15 % off."""
    lines = [
        (row["memory"], row["card"], f"{row['benchmark']}: {_conditions(row)}", *_compared(row))
        for row in memory_rows()
        if abs(float(row["error"])) > 0.15
    ]
    columns = ("memory", "card", "conditions", "measured", "simulated", "error")
    return markdown_table(columns, lines, is_right=lambda column: column > 2)


def _conditions(row: dict[str, str]) -> str:
    told = [row["op"], f"{row['port_bits']} bits", f"{row['burst_bytes']} B", f"{row['outstanding']} in flight"]
    told += [f"{row['channels']} channels"] if row["channels"] != "1" else []
    told += [f"{int(row['total_bytes']) // 1024} KB"] if row["total_bytes"] not in ("", "0") else []
    return ", ".join(told)


def _compared(row: dict[str, str]) -> tuple[str, str, str]:
    return f"{float(row['reference']):.2f}", f"{float(row['value']):.2f}", f"{float(row['error']):+.0%}"


def memory_not_expressed() -> str:
    """Measured rows that no ports express, by reason."""
    reasons: dict[str, list[PublishedRow]] = {}
    for row in published_rows():
        if row.conditions is None:
            reasons.setdefault(row.reason, []).append(row)
    lines = [
        (
            ", ".join(dict.fromkeys(row.source.split(" (")[0].split(",")[0].split(";")[0] for row in rows)),
            str(len(rows)),
            reason,
        )
        for reason, rows in reasons.items()
    ]
    return markdown_table(("source", "rows", "why not"), lines, is_right=lambda column: column == 1)
