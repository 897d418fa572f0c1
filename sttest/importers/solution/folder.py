"""The folder of a Vivado or Vitis HLS solution: where its files are, what is the top, what its co-simulation said.

Only files that the tool wrote are read; none of the C++ is needed.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sttest.core.errors import InputError
from sttest.core.files import parse_xml, place_of, read_bytes, read_text

_DATABASE = Path(".autopilot", "db")
_RESERVED = ("read", "write")
_MODULE = re.compile(r"^module\s+(\w*fifo\w*)", re.MULTILINE)
_INSTANCE = re.compile(r"^[^\S\n]*+(\w*fifo_w(\d+)_d(\d+)_\w+)\s+(\w+?)_U?\s*\(", re.MULTILINE)
_DATE = re.compile(r"^\*?\s*(?:Date|Report time)\s*:?\s+(.*\d{4}.*)", re.MULTILINE)
_CLOCK = re.compile(r"\b(\d{1,2}):(\d{2}):(\d{2})\b(?: +([AP])M\b)?")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTH = "|".join(_MONTHS)
_DAYS = (
    re.compile(rf"\b(?P<month>{_MONTH}) +(?P<day>\d{{1,2}}) .*\b(?P<year>\d{{4}})\b"),
    re.compile(rf"\b(?P<day>\d{{1,2}}) (?P<month>{_MONTH})\b.*\b(?P<year>\d{{4}})\b"),
    re.compile(r"\b(?P<year>\d{4})[.年]? ?(?P<month>\d{1,2})[.月] ?(?P<day>\d{1,2})[.日]"),
)
"""Days as the tool writes them where its language is English, and in languages that have numbers for months."""
_MOST_VALUES = 1 << 22
"""Of one port in one transaction."""


@dataclass(frozen=True)
class FifoModule:
    """A FIFO as the Verilog has it; ``impl`` is ``srl`` or ``ram``."""

    bits: int
    depth: int
    impl: str


@dataclass(frozen=True)
class Solution:
    """A solution folder."""

    root: Path
    top: str
    clock_mhz: float
    schedules: dict[str, Path]  # by name of the file without its ending
    version: str  # of the tool, empty where no report says it

    @property
    def bitcode(self) -> Path:
        """What was scheduled."""
        return self.root / _DATABASE / "a.o.3.bc"


def file_name(function: str) -> str:
    """What files about a function are called."""
    if function in _RESERVED:
        return f"{function}_r"
    name = re.sub(r"[\W_]+", "_", function)
    name = f"p{name}" if name.startswith("_") else name
    return f"{name}s" if name.endswith("_") else name


def find_solution(path: Path, top: str = "") -> Solution:
    """The solution in a folder, or the only one below it.

    Raises:
        InputError: there is none, there are several, or a file that is needed is not there.
    """
    root = _root(path)
    database = root / _DATABASE
    schedules = {each.name.removesuffix(".sched.adb"): each for each in sorted(database.glob("*.sched.adb"))}
    if not schedules:
        hints = [
            "keep .autopilot/db when the solution is archived",
            "synthesize it again",
            "import hls reads C++ with reports",
        ]
        raise InputError(
            "no-schedule", "no schedule database (*.sched.adb) is there", where=place_of(root), hints=hints
        )
    report = _top_report(root)
    top = top or _top(root, report)
    period = _period(root, top)
    if period is None:
        hints = ["keep syn/report/csynth.xml or NAME_csynth.xml"]
        raise InputError("no-clock", "no report of the synthesis says the clock", where=place_of(root), hints=hints)
    version = re.search(r"<(?:Version|ReportVersion>\s*<Version)>\s*([\d.]+)", report)
    return Solution(root, top, 1000.0 / period, schedules, version[1] if version else "")


def _root(path: Path) -> Path:
    if (path / _DATABASE).is_dir():
        return path
    found = (
        sorted({each.parent.parent.parent for each in path.glob(f"*/{_DATABASE}/a.o.3.bc")}) if path.is_dir() else []
    )
    if len(found) == 1:
        return found[0]
    if found:
        hints = [f"name {each}" for each in found[:5]]
        raise InputError("several-solutions", "several solutions are below it", where=place_of(path), hints=hints)
    hints = ["name the folder that contains .autopilot", "import hls reads C++, with or without reports"]
    raise InputError(
        "no-solution", "no .autopilot/db is there, so it is no solution", where=place_of(path), hints=hints
    )


def _top_report(root: Path) -> str:
    path = root / "syn" / "report" / "csynth.xml"
    return read_text(path) if path.is_file() else ""


def _top(root: Path, report: str) -> str:
    """The name of the top: of the co-simulation if that was scheduled, of the synthesis, or of the project."""
    names = [each.name.removesuffix("_cosim.rpt") for each in sorted(root.glob("sim/report/*_cosim.rpt"))]
    if len(names) == 1 and (root / _DATABASE / f"{file_name(names[0])}.sched.adb").is_file():
        return names[0]
    if found := re.search(r"<TopModelName>\s*([^<\s]+)", report):
        return found[1]
    for path in sorted([*root.parent.glob("*.app"), *root.glob("*.app")]):
        if found := re.search(r'<(?:AutoPilot:)?project[^>]*\btop="([^"]+)"', read_text(path)):
            return found[1]
    raise InputError("no-top", "no file says which function is the top", where=place_of(root), hints=["name it: --top"])


def _period(root: Path, top: str) -> float | None:
    """The target clock in ns."""
    reports = [root / "syn" / "report" / name for name in ("csynth.xml", f"{file_name(top)}_csynth.xml")]
    for path in [each for each in reports if each.is_file()]:
        if found := re.search(r"<TargetClockPeriod>\s*([\d.]+)", read_text(path)):
            return float(found[1])
    path = root / _DATABASE / f"{file_name(top)}.verbose.sched.rpt"
    if path.is_file() and (found := re.search(r"\|\s*ap_clk\s*\|\s*([\d.]+)", read_text(path))):
        return float(found[1])
    return None


# --- Vectors of the co-simulation


def vector_files(root: Path, top: str, way: str) -> dict[str, Path]:
    """Files of values by port; ``way`` is ``in`` or ``out``."""
    found: dict[str, Path] = {}
    for folder in (*root.glob(".autopilot/db/sim_tb/tv_*/cdatafile"), root / "sim" / "tv" / "cdatafile"):
        for path in sorted(folder.glob(f"c.{top}.autotv{way}_*.dat")):
            found[path.name.removeprefix(f"c.{top}.autotv{way}_").removesuffix(".dat")] = path
    return found


def first_values(path: Path) -> list[int]:
    """The values of the first transaction."""
    values: list[int] = []
    begun = False
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line.startswith(("[[transaction]]", "[[/transaction]]")):
                if begun:
                    break
                begun = True
            elif begun and line.lstrip().startswith("0x"):
                values.append(int(line.split()[0], 16))
                if len(values) == _MOST_VALUES:
                    break
    return values


# --- What co-simulation and synthesis said


@dataclass(frozen=True)
class CosimulatedLatency:
    """Cycles of the first transaction; ``is_older`` where the solution was synthesized again afterwards."""

    cycles: int
    is_older: bool


def cosimulated_latency(solution: Solution) -> CosimulatedLatency | None:
    """The latency that co-simulation measured, if it was run."""
    for name in ("verilog", "vhdl", "systemc"):
        folder = solution.root / "sim" / "report" / name
        cycles = _first_transaction(folder / "result.transaction.rpt")
        if cycles is None and (folder / "lat.rpt").is_file():
            found = set(re.findall(r'M(?:AX|IN)_LATENCY = "(\d+)"', read_text(folder / "lat.rpt")))
            cycles = int(found.pop()) if len(found) == 1 else None  # others are not of the first transaction
        if cycles:
            return CosimulatedLatency(cycles, _is_older(solution))
    return None


def _first_transaction(path: Path) -> int | None:
    found = re.search(r"transaction\s+0:\s+(\d+)", read_text(path)) if path.is_file() else None
    return int(found[1]) if found else None


def _is_older(solution: Solution) -> bool:
    report = solution.root / "sim" / "report" / f"{solution.top}_cosim.rpt"
    if not report.is_file():
        return any(solution.root.glob("sim/report/*_cosim.rpt"))  # that of another top
    cosimulated = _dates([report])
    scheduled = _dates((solution.root / _DATABASE).glob("*.verbose.sched.rpt"))
    return bool(cosimulated and scheduled) and max(cosimulated) < max(scheduled)


def _dates(paths: Iterable[Path]) -> list[datetime]:
    found = [_DATE.search(read_bytes(path)[:4096].decode("utf-8", "replace")) for path in paths]
    return [date for each in found if each and (date := _date(each[1])) is not None]


def _date(text: str) -> datetime | None:
    """The time in a text, whatever zone it is in; None where it cannot be read."""
    clock, day = _CLOCK.search(text), next((found for each in _DAYS if (found := each.search(text))), None)
    if clock is None or day is None:
        return None
    hour = int(clock[1]) % 12 + 12 * (clock[4] == "P") if clock[4] else int(clock[1])
    month = day["month"]
    try:
        number = int(month) if month.isdecimal() else _MONTHS.index(month) + 1
        return datetime(int(day["year"]), number, int(day["day"]), hour, int(clock[2]), int(clock[3]))
    except ValueError:
        return None


def synthesized_latency(solution: Solution, function: str) -> tuple[int, int] | None:
    """Least and greatest latency of a function by its synthesis report; None where there is none or it is not known."""
    path = solution.root / "syn" / "report" / f"{file_name(function)}_csynth.xml"
    if not path.is_file():
        return None
    try:
        report = parse_xml(read_bytes(path), place_of(path))
    except InputError:  # some were merged by hand
        return None
    texts = [report.findtext(f".//SummaryOfOverallLatency/{name}-caseLatency", "") for name in ("Best", "Worst")]
    if not all(text.strip().isdecimal() for text in texts):
        return None
    return int(texts[0]), int(texts[1])


@dataclass(frozen=True)
class TopInterface:
    """What the ports of the top are, as far as a report of the synthesis says it: protocols as ``m_axi``."""

    protocols: frozenset[str]
    starts_over_axi: bool  # whether a register of an AXI-lite port starts it


def top_interface(solution: Solution) -> TopInterface:
    """The ports of the top; none where no report is there."""
    reports = [
        solution.root / "syn" / "report" / name for name in (f"{file_name(solution.top)}_csynth.xml", "csynth.xml")
    ]
    text = next((read_text(each) for each in reports if each.is_file()), "")
    protocols = frozenset(re.findall(r"<IOProtocol>\s*(\w+)", text))
    has_start = re.search(r"<name>\s*ap_start\b", text) is not None
    return TopInterface(protocols, "s_axi" in protocols and not has_start and "ap_ctrl_none" not in protocols)


def fifo_modules(solution: Solution) -> dict[str, FifoModule]:
    """FIFOs by the name of their instance, from the Verilog that was generated."""
    impls: dict[str, str] = {}
    instances: dict[str, tuple[str, int, int]] = {}
    for path in sorted((solution.root / "syn" / "verilog").glob("*.v")):
        text = read_bytes(path).decode("utf-8", "replace")
        if _MODULE.search(text):
            impls[path.stem] = "srl" if re.search(r"SRL|ShiftReg", text, re.IGNORECASE) else "ram"
        instances |= {each[4]: (each[1], int(each[2]), int(each[3])) for each in _INSTANCE.finditer(text)}
    return {
        name: FifoModule(bits, depth, impls[module])
        for name, (module, bits, depth) in instances.items()
        if module in impls
    }
