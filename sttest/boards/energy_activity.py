"""The activity report of a design package, and the activity of a run of it.

The report (``reports/activity.csv``) holds what one run of the design does
whatever its timing; an engine adds how long it took and how long each process
was busy.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from sttest.boards.energy import Activity
from sttest.errors import InputError

ACTIVITY_FILE = "reports/activity.csv"
COUNTS = ("dsp_work_cycles", "hbm_bits", "bram_bits", "uram_bits", "srl_bits")
COLUMNS = ("element", "kind", "evaluations", "macs", "dsp_slices", *COUNTS)
"""``element``: process, FIFO, converter or DMA.  ``evaluations``: of a task's payload.  ``dsp_slices``: of all its
lanes, products in LUTs charged as those in DSPs that they replace.  The rest is summed over elements into an
:class:`Activity`."""


def read_activity(package: Path) -> pd.DataFrame:
    """The activity report of a package.

    Raises:
        InputError: it is missing, or not such a report.
    """
    path = package / ACTIVITY_FILE
    try:
        report = pd.read_csv(path)
    except (OSError, ValueError) as error:
        raise _bad(path, f"cannot be read: {error}") from error
    if tuple(report.columns) != COLUMNS:
        raise _bad(path, "does not have the columns of an activity report")
    counts = report[["dsp_slices", *COUNTS]]
    if not all(pd.api.types.is_numeric_dtype(kind) for kind in counts.dtypes) or not bool((counts >= 0).all(axis=None)):
        raise _bad(path, "has counts that are not numbers of 0 or more")
    return report


def activity_of(report: pd.DataFrame, busy_cycles: Mapping[str, int], cycles: int, clock_mhz: float) -> Activity:
    """The activity of one run.

    Args:
        report: columns as in :data:`COLUMNS`.
        busy_cycles: per process, from an engine; processes without DSP slices need none.
        cycles: of the run.
        clock_mhz: of the design.

    Raises:
        InputError: the engine ran another design.
    """
    computing = report[report["dsp_slices"] > 0]
    missing = [name for name in computing["element"] if name not in busy_cycles]
    if missing:
        raise InputError(
            "other-design", f"the run has no process '{missing[0]}'", where="activity report",
            levers=["run the design of the same package"],
        )  # fmt: skip
    enabled = sum(slices * busy_cycles[name] for name, slices in computing[["element", "dsp_slices"]].values)
    totals = {name: float(report[name].sum()) for name in COUNTS}
    return Activity(seconds=cycles / clock_mhz / 1e6, dsp_enabled_cycles=float(enabled), **totals)


def _bad(path: Path, what: str) -> InputError:
    return InputError("bad-activity-report", what, where=str(path), levers=["compile the package anew"])
