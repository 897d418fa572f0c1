"""Small designs of Vitis HLS for tests: C++, and reports in the tool's form, with numbers of our own."""

from __future__ import annotations

import shutil
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "hls-residual"
SOLUTION = EXAMPLE / "hls_residual" / "solution1"


def loop(name: str, trips: int, interval: int = 1, depth: int = 2) -> str:
    cycles = (trips - 1) * interval + depth - 1
    return (
        f"<{name}><Name>{name}</Name><TripCount>{trips}</TripCount><Latency>{cycles}</Latency>"
        f"<PipelineII>{interval}</PipelineII><PipelineDepth>{depth}</PipelineDepth></{name}>"
    )


def performance(cycles: int, loops: str) -> str:
    return (
        "<PerformanceEstimates><SummaryOfTimingAnalysis><EstimatedClockPeriod>2.9</EstimatedClockPeriod>"
        f"</SummaryOfTimingAnalysis><SummaryOfOverallLatency><Worst-caseLatency>{cycles}</Worst-caseLatency>"
        f"</SummaryOfOverallLatency><SummaryOfLoopLatency>{loops}</SummaryOfLoopLatency></PerformanceEstimates>"
    )


def report(top: str, cycles: int = 100, loops: str = "", modules: dict[str, str] | None = None) -> str:
    """A report of ``top``, which has ``loops``, with those of other modules by name."""
    others = "".join(
        f"<Module><Name>{name}</Name>{performance(100, each)}</Module>" for name, each in (modules or {}).items()
    )
    return (
        "<profile><ReportVersion><Version>2023.2</Version></ReportVersion><UserAssignments>"
        f"<Part>xcu55c</Part><TopModelName>{top}</TopModelName><TargetClockPeriod>3.33</TargetClockPeriod>"
        f"</UserAssignments>{performance(cycles, loops)}<AreaEstimates><Resources><BRAM_18K>0</BRAM_18K><DSP>0</DSP>"
        "<FF>0</FF><LUT>0</LUT><URAM>0</URAM></Resources></AreaEstimates>"
        f"<ModuleInformation>{others}</ModuleInformation></profile>"
    )


def design(folder: Path, text: str, modules: dict[str, str], top: str = "top") -> tuple[Path, Path]:
    """Writes a C++ file and the report of its modules; gives both."""
    source, reports = folder / "design.cpp", folder / "csynth.xml"
    source.write_text(text, encoding="utf-8")
    reports.write_text(report(top, modules=modules), encoding="utf-8")
    return source, reports


def example(folder: Path) -> Path:
    """A copy of the example that may be changed; its solution."""
    shutil.copytree(EXAMPLE, folder / "example")
    return folder / "example" / SOLUTION.relative_to(EXAMPLE)
