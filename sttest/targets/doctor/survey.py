"""Looks for all parts at once."""

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from sttest.core.errors import ToolMissingError
from sttest.targets.csim import AP_TYPES_VARIABLE, GET_AP_TYPES
from sttest.targets.doctor.ask import (
    VERSION,
    XRT_TOOLS,
    PartStatus,
    ap_types,
    fpga_cards,
    gpus,
    own_requirements,
    package,
    printable,
    program,
    pyxrt,
    this_python,
)
from sttest.targets.xrt.contract import SURFACE

# --- A part outside sttest that something needs


@dataclass(frozen=True)
class ExternalTool:
    """A program, package or piece of hardware."""

    name: str  # unique name
    serves: str  # purpose of the tool
    probe: Callable[[], PartStatus]  # looks for it; never raises, and takes little more than `ask.LIMIT_S`.
    expected: str = ""  # start of the version that sttest was written for; empty where any will do
    install: str = ""  # the one line that installs it on Debian or Ubuntu; empty where there is none
    advice: str = ""  # advice for tools that no command installs

    @property
    def remedy(self) -> str:
        """What to do where it is missing."""
        return self.install or self.advice


def survey(parts: Sequence[ExternalTool]) -> dict[str, PartStatus]:
    """Findings by name of part; takes as long as the slowest probe."""
    with ThreadPoolExecutor(max_workers=len(parts)) as pool:
        return dict(zip((part.name for part in parts), pool.map(_find, parts), strict=True))


def _find(part: ExternalTool) -> PartStatus:
    try:
        return part.probe()
    except Exception as error:  # one broken probe must not cost the report on all others
        return PartStatus("failed", detail=printable(f"cannot be looked for: {type(error).__name__}: {error}"))


# --- The parts that are looked for, and the line that installs each


_FRONTEND = "pip install 'sttest[frontend]'"
_RTL = "pip install 'sttest[rtl]'"
_SEARCH = "pip install 'sttest[search]'"
_CLUSTER = "pip install 'sttest[cluster]'"
_BUILD = "pip install 'sttest[build]'"
_FINN = "pip install 'sttest[finn]'"
_FROM_AMD = "from AMD's download pages; no package registry has it"


def _tool(name: str, serves: str, asked: str, pattern: str, expected: str, package_name: str) -> ExternalTool:
    """A program of Debian; any version near the expected one will do."""
    probe = program([asked.split()], pattern, expected)
    return ExternalTool(name, serves, probe, expected, install=f"apt-get install {package_name}")


PARTS: tuple[ExternalTool, ...] = (
    ExternalTool("python", "everything", this_python),
    ExternalTool("python packages", "everything", own_requirements, install="pip install sttest"),
    ExternalTool("torch", "models that are lowered anew", package("torch", "frontend"), install=_FRONTEND),
    ExternalTool("torch-mlir", "models that are lowered anew", package("torch-mlir", "frontend"), install=_FRONTEND),
    _tool("g++", "emitted C++, Verilator's models", "g++ --version", rf"^\S*g\+\+\S* \(.*?\) {VERSION}", "", "g++"),
    ExternalTool(
        "ap_int.h",
        "emitted C++ against Xilinx's integer types",
        ap_types,
        advice=f"'{GET_AP_TYPES}', then --ap-types DIR or {AP_TYPES_VARIABLE}=DIR",
    ),
    _tool("clang++", "imports of C++", "clang++ --version", rf"clang version {VERSION}", "", "clang"),
    _tool("make", "Verilator's models", "make --version", rf"^GNU Make {VERSION}", "", "make"),
    _tool("verilator", "RTL twin", "verilator --version", rf"^Verilator {VERSION}", "5", "verilator"),
    _tool("iverilog", "RTL twin, small graphs", "iverilog -V", rf"^Icarus Verilog version {VERSION}", "", "iverilog"),
    _tool("vvp", "RTL twin, small graphs", "vvp -V", rf"^Icarus Verilog runtime version {VERSION}", "", "iverilog"),
    ExternalTool("optuna", "design-space search", package("optuna", "search"), install=_SEARCH),
    ExternalTool("distributed", "studies on several machines", package("distributed", "cluster"), install=_CLUSTER),
    ExternalTool("onnx", "models of FINN", package("onnx", "finn"), install=_FINN),
    ExternalTool("tree-sitter-cpp", "checks of emitted C++", package("tree-sitter-cpp", "build"), install=_BUILD),
    ExternalTool("pyosys", "synthesis of emitted SystemVerilog", package("pyosys", "rtl"), install=_RTL),
    ExternalTool("xls-python", "payloads of emitted SystemVerilog", package("xls-python", "rtl"), install=_RTL),
    ExternalTool(
        "v++",
        "Vitis: hardware emulation, bitstreams",
        program([("v++", "--version")], r"\bv\+\+ v(\d{4}\.\d+(?:\.\d+)?)", "2024.1"),
        "2024.1",
        advice=_FROM_AMD,
    ),
    ExternalTool(
        "vitis_hls",
        "synthesis of single processes, before 2023.2",
        program([("vitis_hls", "-version")], r"\bv(\d{4}\.\d+(?:\.\d+)?)", "2024.1"),
        "2024.1",
        advice=_FROM_AMD,
    ),
    ExternalTool(
        "XRT",
        "host programs of a card",
        program([(tool, "--version") for tool in XRT_TOOLS], rf"^\s*Version\s*:\s*{VERSION}", "2.17"),
        "2.17",
        advice=_FROM_AMD,
    ),
    ExternalTool("pyxrt", "host programs of a card", pyxrt(SURFACE), advice="source /opt/xilinx/xrt/setup.sh"),
    ExternalTool("FPGA card", "runs on hardware", fpga_cards, advice="plug in a card, flash its platform, load xocl"),
    ExternalTool("GPU", "measured baselines", gpus, advice="needs an NVIDIA card and its driver"),
)


# --- What of sttest works with the parts that are there


_BASE = ("python", "python packages")


@dataclass(frozen=True)
class Capability:
    """A verb, an option or an engine, with the parts that it needs beside Python and its packages."""

    name: str
    needs: tuple[str, ...] = ()

    def lacks(self, found: Mapping[str, PartStatus]) -> list[str]:
        """Parts that are not there or do not work."""
        return [name for name in (*_BASE, *self.needs) if found[name].usable is False]

    def works(self, found: Mapping[str, PartStatus]) -> bool | None:
        """Whether it works here; None where a part did not answer."""
        if self.lacks(found):
            return False
        return None if any(found[name].usable is None for name in self.needs) else True


CAPABILITIES: tuple[Capability, ...] = (
    Capability("simulate, size, dot, corpus, board, models, whatif, studies"),
    Capability("compile: models and shapes whose text is shipped"),
    Capability("compile: any shape, lowered from PyTorch", ("torch", "torch-mlir")),
    Capability("emulate --simulator verilator", ("verilator", "make", "g++")),
    Capability("emulate --simulator icarus", ("iverilog", "vvp")),
    Capability("synth", ("pyosys",)),
    Capability("build --flow rtl", ("xls-python",)),
    Capability(f"engine csim with --ap-types of {AP_TYPES_VARIABLE}", ("g++", "ap_int.h")),
    Capability("import hls, streamhls", ("clang++",)),
    Capability("import lightningsim, solution, aie, allo, tapa"),
    Capability("import finn", ("onnx",)),
    Capability("explore", ("optuna",)),
    Capability("whatif --scheduler", ("distributed",)),
    Capability("build --dry-run, --check-intervals", ("tree-sitter-cpp",)),
    Capability("build", ("tree-sitter-cpp", "v++")),
    Capability("calibrate --dry-run, simulate --calibrated"),
    Capability("calibrate", ("v++",)),
    Capability("pack", ("torch",)),
    Capability("run --backend emulator", ("torch", "g++")),
    Capability("run --backend hw_emu", ("torch", "v++", "XRT", "pyxrt")),
    Capability("run --backend device", ("torch", "XRT", "pyxrt", "FPGA card")),
    Capability("baselines measured on a GPU", ("torch", "GPU")),
)


# --- Refuses work whose tools are not there, before any of it is begun


def require_tools(capability: str, *, without: Collection[str] = ()) -> None:
    """Makes sure that a capability's parts are there; takes little more than a second.

    A part that did not answer in time may be there, on a machine that is busy: what uses it has a time limit.

    Args:
        capability: its name among `CAPABILITIES`.
        without: parts that are not needed this time.

    Raises:
        ToolMissingError: names every part that is missing, and what installs it.
    """
    needs = next(able.needs for able in CAPABILITIES if able.name == capability)
    parts = [part for part in PARTS if part.name in needs and part.name not in without]
    found = survey(parts)
    missing = [part for part in parts if found[part.name].usable is False]
    if missing:
        told = "; ".join(f"{part.name}: {found[part.name].detail or found[part.name].status}" for part in missing)
        ways = [f"for {part.name}: {part.remedy}" for part in missing if part.remedy]
        raise ToolMissingError("tools-missing", told, where=capability, hints=[", ".join(ways)] if ways else [])
