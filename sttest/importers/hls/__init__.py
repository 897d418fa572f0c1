"""What Vitis HLS leaves behind, and its C++ (the format ``hls``, read with clang: ``sttest.importers.cpp``)."""

from collections.abc import Mapping
from pathlib import Path

from sttest.sim import TimedGraph


def read_hls(
    source: Path,
    *,
    reports: Path | None = None,
    top: str = "",
    values: Mapping[str, str] | None = None,
    notes: list[str] | None = None,
) -> TimedGraph:
    """The design of a C++ file, a solution or a component; reads stand early in an iteration, and writes late.

    Args:
        source: file or folder.
        reports: folder of the reports, or ``csynth.xml``; without them, times are estimated.
        top: the function that is the design.
        values: numbers of the top's scalars.
        notes: list that gets what was assumed, and the verdict.

    Raises:
        InputError: the design cannot be read, or what it does is not known without numbers that are not given.
        ToolMissingError: there is no clang.
    """
    from sttest.importers.cpp.design import read_design

    return read_design(source, reports, top, values or {}, notes).early
