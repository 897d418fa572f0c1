"""What `sttest board` prints of memories: public benchmarks simulated on one, and what keeps a kernel slow."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, replace
from textwrap import wrap
from typing import Any

from sttest.boards.tiers import Tier
from sttest.cli.common import print_json
from sttest.core.tables import print_table
from sttest.studies.memory.benchmark import Benchmark
from sttest.studies.memory.families import FAMILIES, Asked, Compared, FamilyName, measure_like
from sttest.studies.memory.published import published_rows
from sttest.studies.memory.why import FULL, Why, why

_WIDTH = 79
_BEATS_OF_A_BURST = 16  # default of Vitis HLS
_RATES = ("port", "read", "write", "total")
_CONDITIONS = {  # columns of a table by what a benchmark calls them
    "op": "op",
    "port_bits": "bits",
    "burst_bytes": "bytes",
    "outstanding": "in flight",
    "channels": "channels",
    "ids": "IDs",
    "masters": "kernels",
}


def print_measured(board: str, tier: Tier, family: FamilyName, asked: Asked, *, as_json: bool) -> None:
    """Prints a public benchmark simulated on a memory.

    Raises:
        InputError: conditions that cannot be, or more channels than the memory has.
    """
    rows = measure_like(family, board, tier, asked)
    if as_json:
        print_json(
            {
                "schema": "sttest.memory/1",
                "board": board,
                "memory": tier.name,
                "benchmark": family,
                "rows": [_plain(row) for row in rows],
            }
        )
        return
    alike = [asdict(row.conditions) for row in rows]
    varied = {name for name in alike[0] if len({each[name] for each in alike}) > 1}
    shown = [name for name in _CONDITIONS if name in varied]
    figures = [_figures(row) for row in rows]
    told = [name for name in figures[0] if any(each[name] for each in figures)]
    if "measured" in told:  # on a page of 80 columns is room for one of them
        told.remove("ns" if "measured ns" in told else "latency ns")
    _print_lines(f"{family} on the {tier.name} of {board}: {_common(rows[0].conditions, varied)}")
    cells = [
        [*(getattr(row.conditions, name) for name in shown), *(found[name] for name in told)]
        for row, found in zip(rows, figures, strict=True)
    ]
    print_table([*(_CONDITIONS[name] for name in shown), *told], cells)
    _print_lines(
        f"as in {FAMILIES[family].who}. GB/s of 10^9 bytes, of all ports, and as measured by others; ns between two "
        "transactions; latency from a request to its first data, of a write from its last data to the response."
    )
    if any(row.conditions.kernel_cycles for row in rows) and asked.kernel_cycles is None:
        _print_lines(
            "behind the m_axi adapter, a random transaction takes the kernel its beats + 2 cycles, at least 4."
        )
    if "measured" not in told:
        _print_lines(f"nobody published it for this memory and these conditions{_where(family)}")


def _figures(row: Compared) -> dict[str, str]:
    """What is told of a row, by column; empty where nobody measured it."""
    slowest, rate, latency = row.measured.slowest, row.of(*_RATES), row.of("latency")
    return {
        "GB/s": f"{row.measured.gb_per_s:.2f}",
        "ns": f"{slowest.transaction_ns:.1f}",
        "latency ns": f"{slowest.latency_ns:.0f}",
        "measured": f"{rate.value:.2f}" if rate else "",
        "measured ns": f"{latency.value:.0f}" if latency else "",
        "on": next((each.card for each in (rate, latency) if each), ""),
    }


def _where(family: FamilyName) -> str:
    """Where there are published figures of a benchmark."""
    places = dict.fromkeys((row.board, row.memory) for row in published_rows() if row.benchmark == family)
    return "; there are figures for " + ", ".join(f"the {memory} of {board}" for board, memory in places)


def _common(conditions: Benchmark, varied: Collection[str]) -> str:
    """The conditions in words, without those that the rows of a table differ in."""
    words = {
        "op": "read and written on the same channels" if conditions.op == "both" else f"{conditions.op} only",
        "pattern": "in sequence" if conditions.pattern == "sequential" else "random",
        "ids": f"{conditions.ids} ID{'s' if conditions.ids == 'many' else ''}",
        "port_bits": f"ports of {conditions.port_bits} bits",
        "burst_bytes": f"bursts of {conditions.burst_bytes} bytes",
        "outstanding": f"{conditions.outstanding} in flight",
        "channels": f"over {conditions.channels} channel{'s' if conditions.channels > 1 else ''}",
        "masters": f"{conditions.masters} kernels on the same channels" if conditions.masters > 1 else "",
        "kernel_cycles": f"{conditions.kernel_cycles} cycles per transaction" if conditions.kernel_cycles else "",
        "clock_mhz": f"{conditions.clock_mhz:g} MHz",
    }
    return ", ".join(text for name, text in words.items() if name not in varied and text)


def _plain(row: Compared) -> dict[str, Any]:
    measured = row.measured
    return {
        "conditions": asdict(row.conditions),
        "gb_per_s": measured.gb_per_s,
        "ports": [asdict(port) for port in measured.ports],
        "published": [
            {"figure": each.figure, "value": each.value, "unit": each.unit, "card": each.card, "source": each.source}
            for each in row.published
        ],
    }


def print_why(board: str, tier: Tier, asked: Asked, *, as_json: bool) -> None:
    """Prints what keeps a kernel with such ports from its channel's bandwidth.

    Raises:
        InputError: conditions that cannot be, or more channels than the memory has.
    """
    bits = asked.port_bits or 512
    found = why(asked.of(replace(Benchmark(), burst_bytes=_BEATS_OF_A_BURST * bits // 8)), tier)
    if as_json:
        print_json({"schema": "sttest.why/1", "board": board, "memory": tier.name, **_why_json(found)})
        return
    _print_lines(f"{_headline(found)}; {tier.name} of {board}: {_common(found.conditions, ())}")
    rows = [(each.what, f"{each.gb_per_s:.2f}", f"{each.gain:.2f}x") for each in found.gains]
    if rows:
        print_table(("one thing better", "GB/s", "gain"), rows)
    for number, step in enumerate(found.steps):
        print(f"{'first' if number == 0 else 'then'}: {step.what}, {step.gb_per_s:.2f} GB/s, {step.gain:.2f}x")
    if not found.causes and found.gb_per_s < FULL * found.bound_gb_per_s:
        print("no change of its ports helps: the memory itself gives no more")


def _headline(found: Why) -> str:
    """What is in the way."""
    told = f"{found.gb_per_s:.2f} of the {found.bound_gb_per_s:.2f} GB/s that its channels give"
    if found.causes:
        return f"{told}: {', then '.join(found.causes)}"
    return f"{told}: nothing about its ports is in the way"


def _why_json(found: Why) -> dict[str, Any]:
    def plain(gains: Sequence[Any]) -> list[dict[str, Any]]:
        return [{"what": each.what, "gb_per_s": each.gb_per_s, "gain": each.gain} for each in gains]

    return {
        "conditions": asdict(found.conditions),
        "gb_per_s": found.gb_per_s,
        "bound_gb_per_s": found.bound_gb_per_s,
        "causes": list(found.causes),
        "gains": plain(found.gains),
        "steps": plain(found.steps),
    }


def _print_lines(text: str) -> None:
    for line in wrap(text, _WIDTH, break_on_hyphens=False, subsequent_indent="  "):
        print(line)
