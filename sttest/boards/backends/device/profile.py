"""What XRT's counters on the card say of a kernel: ``summary.csv``, written when the host program leaves.

The counters are there where the design was linked with ``[profile] exec``; ``device_counters`` in ``xrt.ini`` has them
read (UG1393, xrt.ini File; the table as XRT 2.16 writes it, with a comma at the end of each line).
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

XRT_INI = "[Debug]\ndevice_counters = true\n"
SUMMARY = "summary.csv"
_SECTION = "Compute Unit Utilization"
_MAX_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True)
class KernelProfile:
    """Executions of one kernel, from its start to its end on the card.

    Attributes:
        calls: counted.
        average_us, least_us, most_us: of one.
        clock_mhz: of the kernel.
    """

    calls: int
    average_us: float
    least_us: float
    most_us: float
    clock_mhz: float


def read_profile(folder: Path, kernel: str) -> KernelProfile | None:
    """The kernel's line of the summary; None where there is no summary, or none of it in there."""
    try:
        with (folder / SUMMARY).open(encoding="utf-8", errors="replace", newline="") as file:
            text = file.read(_MAX_BYTES)
    except OSError:
        return None
    _, found, section = text.partition(f"{_SECTION}\n")
    lines = section.partition("\n\n")[0].splitlines() if found else []
    for row in csv.DictReader(lines):
        if row.get("Kernel") == kernel:
            return _profile(row)
    return None


def _profile(row: dict[str, str]) -> KernelProfile | None:
    try:
        return KernelProfile(
            int(row["Number Of Calls"]),
            float(row["Average Time (ms)"]) * 1e3,
            float(row["Minimum Time (ms)"]) * 1e3,
            float(row["Maximum Time (ms)"]) * 1e3,
            float(row["Clock Frequency (MHz)"]),
        )
    except (KeyError, TypeError, ValueError):
        return None
