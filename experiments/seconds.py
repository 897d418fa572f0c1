"""``python -m experiments.seconds``: what commands took, from the manifests of the committed results that they made.

A run that took points of an earlier one over says nothing of what all of it takes; then what was measured before stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sttest.core.closure import ROOT
from sttest.core.extensions import offers
from sttest.core.files import csv_text, read_csv, write_text
from sttest.studies.report.read import ResultSet, read_results
from sttest.studies.seconds import COLUMNS, SECONDS


def updated(known: Iterable[Mapping[str, str]], results: Iterable[ResultSet]) -> list[tuple[str, str, str]]:
    """The rows of the table of seconds, by command.

    Args:
        known: rows of the table as it is.
        results: the committed results.
    """
    rows = {row["command"]: tuple(row[column] for column in COLUMNS) for row in known}
    rows |= {row[0]: row for row in map(_row, results) if row is not None}
    return [(command, seconds, source) for _, (command, seconds, source) in sorted(rows.items())]


def _row(found: ResultSet) -> tuple[str, str, str] | None:
    manifest = found.manifest
    verb = _verb(found)
    if verb is None or manifest.get("taken_over") != 0:
        return None
    day, cores = str(manifest["finished_utc"])[:10], manifest["cpus"]
    took_s = max(1, round(manifest["wall_s"]))
    return f"sttest {verb} {found.name}", f"{took_s}", f"results/{found.name}, {day}, {cores} cores"


def _verb(found: ResultSet) -> str | None:
    config = found.manifest.get("config") or {}
    if "study" in config or "ablation" in config:
        return "whatif"
    return "reproduce" if found.name in offers("experiments") else None  # studies say it themselves


def table() -> str:
    """The table as it should be."""
    return csv_text(COLUMNS, updated(read_csv(SECONDS, COLUMNS), read_results(ROOT / "results")))


def main() -> None:
    """Writes the table."""
    write_text(SECONDS, table())
    print(f"written: {SECONDS.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
