"""Runs a kernel under Verilator, its memory behind AXI4 ports that stall as chance will."""

import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np

from sttest.compile.rtl import module_text
from sttest.compile.rtl.payload_model import FP_PACKAGE
from sttest.core.errors import SttestError
from sttest.reference.graph import Bytes
from sttest.targets.rtl.design import write_payload_model
from sttest.targets.rtl.drive import call_tool, find_simulator, largest_stack
from sttest.targets.rtl.kernel import VENDOR_CELLS, RtlKernel
from sttest.targets.rtl.kernel_port import CONTROL, MEMORY

__depends__ = ("sttest/targets/rtl/hdl/*", "sttest/targets/rtl/kernel_bench.cpp")

LAUNCHES = 2
"""One after the other, since a kernel must come back to its start by itself."""
MAX_CYCLES = 20_000_000
_COUNT = "toggles "
"""What the lines of what modules counted begin with (``dot_products.sv``)."""
_TOP = "bench"
_VERILATOR = (
    "verilator", "--cc", "--exe", "--top-module", _TOP, "--prefix", "Vbench", "-O3", "--x-assign", "fast",
    "--x-initial", "fast", "--noassert", "-Wno-lint", "-Wno-style", "-Wno-fatal", "--output-split", "20000",
    "--unroll-count", "100000", "--unroll-stmts", "1", "-Mdir", "obj",
)  # fmt: skip
_MAKE = ("make", "-j2", "-C", "obj", "-f", "Vbench.mk", "OPT_SLOW=-O0", "OPT_GLOBAL=-O1", "OPT_FAST=-O1", "Vbench")


@dataclass(frozen=True)
class KernelRun:
    """What a kernel did."""

    done: bool  # whether all launches ended
    cycles: int  # cycles of all launches, with those of the host; chance has a part in them
    complaints: tuple[str, ...]  # what AXI forbids, and accesses outside of an argument
    memory: Mapping[str, Bytes]  # memory of each argument at the end
    counts: tuple[str, ...] = ()  # what modules counted, a line each: scope and numbers


def run_kernel_with_memory(
    kernel: RtlKernel,
    images: Mapping[str, Bytes],
    folder: Path,
    *,
    seed: int = 1,
    max_cycles: int = MAX_CYCLES,
    define: str = "",
) -> KernelRun:
    """Builds a kernel and launches it as a host would, several times.

    Args:
        kernel: kernel between memory ports.
        images: memory by argument, for those that are written too.
        folder: folder of sources and build, which is made anew.
        seed: of the stalls of memory.
        max_cycles: clock cycles after which it is stopped.
        define: macro that makes modules count something; none if left out.

    Raises:
        ToolMissingError: Verilator is not installed.
        SttestError: it refused the sources.
    """
    find_simulator("verilator")
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "memory").mkdir(parents=True)
    for number, argument in enumerate(kernel.arguments):
        (folder / "memory" / f"{number}.bin").write_bytes(images[argument.name].tobytes())
    sources = _written(kernel, folder, seed)
    flags = f"-DARGUMENTS={len(kernel.arguments)} -I../include"
    defines = [f"-D{define}"] if define else []
    call_tool([*_VERILATOR, *defines, "-CFLAGS", flags, *sources], folder)
    call_tool(_MAKE, folder)
    done = subprocess.run(
        ["obj/Vbench", str(max_cycles)], cwd=folder, capture_output=True, check=False, preexec_fn=largest_stack
    )
    *told, last = done.stdout.decode("utf-8", "replace").strip().splitlines() or [""]
    counts = tuple(line.removeprefix(_COUNT) for line in told if line.startswith(_COUNT))
    complaints = tuple(line for line in told if not line.startswith(_COUNT))
    verdict, _, rest = last.partition(" ")
    if done.returncode or verdict not in ("done", "limit"):
        raise SttestError("simulator-failed", f"the simulation ended with {done.returncode}: {last}", where=str(folder))
    memory = {
        each.name: np.fromfile(folder / "memory" / f"{number}.out", np.uint8)
        for number, each in enumerate(kernel.arguments)
    }
    return KernelRun(verdict == "done", int(rest.split()[0]), complaints, memory, counts)


def _written(kernel: RtlKernel, folder: Path, seed: int) -> list[str]:
    ours = files("sttest.targets.rtl").joinpath("hdl")
    log, memory = (ours.joinpath(f"{name}.sv").read_text(encoding="utf-8") for name in ("twin_log", "axi_memory"))
    kernel_sources = kernel.sources({}, models=kernel.is_simulated)
    texts = {
        "twin_log.sv": log,
        "packages.sv": FP_PACKAGE,
        f"{VENDOR_CELLS}.sv": module_text(VENDOR_CELLS),
        "checked_fifo.sv": module_text("checked_fifo"),
        **kernel_sources,
        "axi_memory.sv": memory,
        "bench.sv": _bench(kernel, seed),
    }
    bench = "kernel_bench.cpp"
    cpp = {bench: files("sttest.targets.rtl").joinpath(bench).read_text(encoding="utf-8")}
    for name, text in (texts | cpp).items():
        (folder / name).write_text(text, encoding="utf-8")
    return [*texts, write_payload_model(folder), bench]


def _bench(kernel: RtlKernel, seed: int) -> str:
    buses = ["s_axi_control", *(each.bus for each in kernel.arguments)]
    wires, memories = [], []
    for number, bus in enumerate(buses):
        bits = kernel.arguments[number - 1].words.word_bits if number else 32
        sizes = {"WORD": bits, "STROBE": bits // 8, "ADDRESS": 64 if number else 12}
        signals = MEMORY if number else CONTROL
        for name, width, _ in signals:
            wires.append(f"  logic [{(sizes.get(width) or int(width)) - 1}:0] {bus}_{name};\n")
        joined = ", ".join(f".{name}({bus}_{name})" for name, _, _ in signals if number or name != "wstrb")
        if number:
            memories.append(
                f"  axi_memory #(.WORD({bits}), .SEED({seed * 1000 + number})) {bus}_memory "
                f"(.clk(ap_clk), .reset(~ap_rst_n), {joined});\n"
            )
        else:
            parameters = f".ARGUMENTS({len(kernel.arguments)}), .LAUNCHES({LAUNCHES})"
            memories.append(
                f"  assign {bus}_wstrb = '1;\n"
                f"  axi_host #({parameters}) host (.clk(ap_clk), .reset(~ap_rst_n), .finished(finished), {joined});\n"
            )
    ports = ", ".join(
        f".{bus}_{name}({bus}_{name})"
        for number, bus in enumerate(buses)
        for name, _, _ in (MEMORY if number else CONTROL)
    )
    return f"""module bench (
  input  logic ap_clk,
  input  logic ap_rst_n,
  output logic finished
);
{"".join(wires)}{"".join(memories)}  {kernel.name} kernel (.ap_clk(ap_clk), .ap_rst_n(ap_rst_n), .interrupt(), {ports});
endmodule
"""
