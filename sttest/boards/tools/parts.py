"""The parts that are looked for, and the line that installs each."""

from __future__ import annotations

from sttest.boards.tools.part import Part
from sttest.boards.tools.probe_hardware import XRT_TOOLS, fpga_cards, gpus
from sttest.boards.tools.probe_program import VERSION, program
from sttest.boards.tools.probe_python import own_requirements, package, pyxrt, this_python
from sttest.boards.xrt.contract import SURFACE

_FRONTEND = "pip install 'sttest[frontend]'"
_FROM_AMD = "from AMD's download pages; no package registry has it"


def _tool(name: str, serves: str, asked: str, pattern: str, expected: str, package_name: str) -> Part:
    """A program of Debian; any version near the expected one will do."""
    probe = program([asked.split()], pattern, expected)
    return Part(name, serves, probe, expected, install=f"apt-get install {package_name}")


PARTS: tuple[Part, ...] = (
    Part("python", "everything", this_python),
    Part("python packages", "everything", own_requirements, install="pip install sttest"),
    Part("torch", "models that are lowered anew", package("torch", "frontend"), install=_FRONTEND),
    Part("torch-mlir", "models that are lowered anew", package("torch-mlir", "frontend"), install=_FRONTEND),
    _tool("g++", "emitted C++, Verilator's models", "g++ --version", rf"^\S*g\+\+\S* \(.*?\) {VERSION}", "", "g++"),
    _tool("make", "Verilator's models", "make --version", rf"^GNU Make {VERSION}", "", "make"),
    _tool("verilator", "RTL twin", "verilator --version", rf"^Verilator {VERSION}", "5", "verilator"),
    _tool("iverilog", "RTL twin, small graphs", "iverilog -V", rf"^Icarus Verilog version {VERSION}", "", "iverilog"),
    _tool("vvp", "RTL twin, small graphs", "vvp -V", rf"^Icarus Verilog runtime version {VERSION}", "", "iverilog"),
    Part(
        "v++", "Vitis: hardware emulation, bitstreams",
        program([("v++", "--version")], r"\bv\+\+ v(\d{4}\.\d+(?:\.\d+)?)", "2024.1"), "2024.1", advice=_FROM_AMD,
    ),
    Part(
        "XRT", "host programs of a card",
        program([(tool, "--version") for tool in XRT_TOOLS], rf"^\s*Version\s*:\s*{VERSION}", "2.17"), "2.17",
        advice=_FROM_AMD,
    ),
    Part("pyxrt", "host programs of a card", pyxrt(SURFACE), advice="source /opt/xilinx/xrt/setup.sh"),
    Part("FPGA card", "runs on hardware", fpga_cards, advice="plug in a card, flash its platform, load xocl"),
    Part("GPU", "measured baselines", gpus, advice="needs an NVIDIA card and its driver"),
)  # fmt: skip
