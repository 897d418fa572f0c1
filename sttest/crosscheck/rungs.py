"""The backends that sttest brings: PyTorch, the reference engine, two simulators, emitted C++ and RTL, and the card."""

from collections.abc import Sequence
from dataclasses import replace

from sttest.crosscheck.backends import Backend, Climb
from sttest.crosscheck.engines import EngineResult, clocked, run_csim, run_reference, simulated
from sttest.targets.csim import build_kernel
from sttest.targets.doctor.survey import PARTS, survey


def _torch(climb: Climb) -> EngineResult:
    if climb.case.golden_s is None:
        return EngineResult("torch", "missing", note="a text has no PyTorch module; the golden is 'reference'")
    note = "the golden" if climb.case.golden_name == "torch" else "the golden is 'reference'"
    return EngineResult("torch", "done", seconds=climb.case.golden_s, note=note)


def _reference(climb: Climb) -> EngineResult:
    return climb.compared(run_reference(climb.package.reference_graph, climb.images))


def _csim(climb: Climb) -> EngineResult:
    files = climb.package.files
    kernel = build_kernel(files, climb.work, ap_types=climb.ap_types)
    climb.integer_types = kernel.integer_types
    rung = climb.compared(
        run_csim(climb.package.reference_graph, climb.images, kernel, files, climb.streams), kernel.build_s
    )
    return rung if rung.note else replace(rung, note=f"built in {kernel.build_s:.1f} s")


def _elsewhere(backend: str, needs: Sequence[str]) -> EngineResult:
    """The row of a backend that runs a host program, not this ladder: what it lacks, or the verb that runs it."""
    found = survey([part for part in PARTS if part.name in needs])
    missing = [name for name in needs if not found[name].usable]
    if missing:
        return EngineResult(backend, "missing", note=f"{', '.join(missing)} not found; see 'sttest doctor'")
    return EngineResult(backend, "elsewhere", note=f"run by 'sttest run --backend {backend}'")


TORCH = Backend("torch", _torch, ("torch",), knows_depths=False)
REFERENCE = Backend("reference", _reference, knows_depths=False)
SIMPY = Backend("simpy", lambda climb: simulated("simpy", climb.package.timed_graph))
MAXPLUS = Backend("maxplus", lambda climb: simulated("maxplus", climb.package.timed_graph))
CSIM = Backend("csim", _csim, ("g++",))
# Building the RTL twin of a whole block takes minutes.
RTL = Backend(
    "rtl", lambda climb: clocked(climb.package.timed_graph, climb.work), ("verilator", "make", "g++"), is_asked=False
)
HW_EMU = Backend("hw_emu", lambda _climb: _elsewhere("hw_emu", HW_EMU.needs), ("v++", "XRT", "pyxrt"))
DEVICE = Backend("device", lambda _climb: _elsewhere("device", DEVICE.needs), ("XRT", "pyxrt", "FPGA card"))
