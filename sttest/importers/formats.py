"""The door of formats: designs of other tools by name, which files each reads, who reads them, whether depths go back.

    Offer("formats", "pipes", "my_package.pipes:PIPES")

is a :class:`Format`, whose module has ``read_NAME(source, **options) -> TimedGraph`` and, where depths can go back,
``write_depths(graph, source, out, **options)``, and where its files have lines that people wrote
``places(source, **options) -> DesignPlaces``.  Where the files leave open in which cycle of an iteration an access
stands, ``schedules(source, **options) -> dict[str, TimedGraph]`` gives the design under each that is possible.
The module is imported when it is asked for.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from sttest.core.errors import InputError, ToolMissingError, did_you_mean
from sttest.core.extensions import all_loaded
from sttest.importers.places import DesignPlaces
from sttest.importers.sniffing import (
    Sniffer,
    is_aie,
    is_allo,
    is_finn,
    is_hls,
    is_lightningsim,
    is_solution,
    is_streamhls,
    is_tapa,
    never,
)
from sttest.sim import TimedGraph

__depends__ = ("sttest/built_in/formats.py", "sttest/importers/*.py", "sttest/importers/*/*.py")


@dataclass(frozen=True)
class Format:
    """A format of another tool."""

    name: str
    summary: str  # whose designs they are
    reads: str  # the file or folder that is named, and what is looked for beside it
    assumes: tuple[str, ...] = ()  # what holds of every imported design and stands in none of its files
    options: tuple[
        str, ...
    ] = ()  # keywords its reader takes besides the source; ``notes`` and ``checks`` are lists it adds to
    writes: str = ""  # what ``write_depths`` writes; empty where depths cannot go back
    depths_file: str = "depths.patch"  # what it is told to write where nobody names a file: its suffix says the form
    depths_option: str = ""  # the option with a file that holds depths beside the design, in what ``writes`` says
    template: str = ""  # what ``template`` gives, for people to fill in; empty where the format needs no such thing
    sniffs: Sniffer = never  # whether a file or folder looks like one of its designs, by what it holds
    is_asked_first: bool = False  # where several take a design: this one knows most of it
    module: str = ""  # that holds the functions; by default the one of its name in this room

    def read(self, source: Path, options: Mapping[str, Any]) -> TimedGraph:
        """The design at ``source``; options that are None are left out.

        Raises:
            InputError: an option that the format does not have, or whatever its reader refuses.
        """
        return self._module_function(f"read_{self.name}")(source, **self._given(options))

    def places(self, source: Path, options: Mapping[str, Any]) -> DesignPlaces:
        """Where processes and FIFOs of a design stand in its files; nothing where the module has no ``places``.

        Raises:
            InputError: whatever the format refuses.
        """
        find = getattr(self._module(), "places", None)
        given = {name: value for name, value in self._given(options).items() if name != "notes"}
        return DesignPlaces() if find is None else find(source, **given)

    def schedules(self, source: Path, options: Mapping[str, Any]) -> dict[str, TimedGraph]:
        """The design under each schedule that is possible, by its name; nothing where its files tell the one it has.

        Raises:
            InputError: whatever the format refuses.
        """
        find = getattr(self._module(), "schedules", None)
        given = {name: value for name, value in self._given(options).items() if name not in ("notes", "checks")}
        return {} if find is None else find(source, **given)

    def template_of(self, source: Path, options: Mapping[str, Any]) -> str:
        """What is to be filled in before ``source`` can be read.

        Raises:
            InputError: nothing is, or whatever the format refuses.
        """
        if not self.template:
            others = ", ".join(name for name, each in formats().items() if each.template)
            hints = [f"{others} has one"]
            raise InputError("no-template", f"nothing is to be stated for {self.name}", where="import", hints=hints)
        return self._module_function("template")(source, **self._given(options))

    def _given(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Options that are not None, all of which the format has."""
        given = {name: value for name, value in options.items() if value is not None}
        for name in given:
            if name not in self.options:
                hints = ["leave it out", f"see 'sttest import' for what {self.name} reads"]
                raise InputError("no-such-option", f"{self.name} has no '{name}'", where="import", hints=hints)
        return given

    def require_writer(self) -> None:
        """Refuses a format to which depths cannot go back.

        Raises:
            InputError: this is one.
        """
        if not self.writes:
            others = ", ".join(name for name, each in formats().items() if each.writes)
            hints = [f"depths go back to {others}"]
            raise InputError("no-way-back", f"depths do not go back to {self.name}", where="import", hints=hints)

    def write_depths(self, graph: TimedGraph, source: Path, out: Path) -> None:
        """Writes the depths of ``graph``, which was read from ``source``, in the tool's own form.

        Raises:
            InputError: depths cannot go back, or whatever the writer refuses.
        """
        self.require_writer()
        self._module_function("write_depths")(graph, source, out)

    def _module_function(self, name: str) -> Callable[..., Any]:
        return getattr(self._module(), name)

    def _module_name(self) -> str:
        return self.module or f"sttest.importers.{self.name}"

    def _module(self) -> ModuleType:
        try:
            return import_module(self._module_name())
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("sttest"):
                raise
            what = f"{self.name} is read with {error.name}, which is not installed"
            is_own = self._module_name().startswith("sttest.")
            hints = ["pip install 'sttest[finn]'"] if is_own else []
            raise ToolMissingError("no-import-library", what, where="import", hints=hints) from error


_STAGES = (
    "a stream is read in the first stage of an iteration and written in its last",
    "memory and the ports of the top are always ready",
)
_ORDER = (
    "accesses of an iteration keep the order of the text; a read is a stage after a write before it",
    "memory and the ports of the top are always ready",
)
_STREAM_DEPTHS = "a patch of the C++ (patch -p1) or, for a name in .tcl, set_directive_stream"
STREAMHLS = Format(
    "streamhls",
    "Stream-HLS: generated C++ with the reports of its synthesis (FPGA 2025 artifact).",
    "the folder of one design, with hls/src/NAME.cpp and hls/**/syn/report/*_csynth.xml",
    assumes=_ORDER,
    options=("no_run", "notes", "checks"),
    writes=_STREAM_DEPTHS,
    sniffs=is_streamhls,
    is_asked_first=True,
)
HLS = Format(
    "hls",
    "Vitis HLS: a dataflow region in C++, compiled by clang and run, with or without reports of its synthesis.",
    "a C++ file, or the folder of a solution or component",
    assumes=_ORDER,
    options=("reports", "top", "values", "no_run", "notes", "checks"),
    writes=_STREAM_DEPTHS,
    module="sttest.importers.cpp",
    sniffs=is_hls,
)
OLD_NAMES = {"vitis": "hls"}
"""Of formats, with what they are called now; they are taken for one release."""
SOLUTION = Format(
    "solution",
    "Vivado and Vitis HLS: a solution folder alone, its schedule and its bitcode, checked against its reports.",
    "the folder of a solution, with .autopilot/db/a.o.3.bc and *.sched.adb; sim/tv for its inputs",
    assumes=(
        "the bitcode is executed, in a process of its own with limits of memory and time, which is no sandbox",
        "a port to memory answers as LightningSim says, in 13 cycles, and its last write in 8",
    ),
    options=("top", "no_run", "anyway", "notes", "checks"),
    sniffs=is_solution,
    is_asked_first=True,
)
FINN = Format(
    "finn",
    "FINN: quantized networks as dataflow layers.",
    "an ONNX model of a build, of a step after step_specialize_layers",
    assumes=(
        "a layer writes in the cycle of the last operand; FINN's estimate has no pipeline stages either",
        "a sliding window unit reads and writes in lockstep: FINN's is never later",
        "inputs are always there, outputs are always taken, a token a cycle",
    ),
    options=("folding", "frames", "notes"),
    writes="a folding configuration (JSON) with inFIFODepths and outFIFODepths",
    depths_option="folding",
    sniffs=is_finn,
)
TAPA = Format(
    "tapa",
    "TAPA: C++ tasks joined by streams.",
    "the graph.json of a work directory, or the directory",
    assumes=(
        "a task reads at the start of an iteration and writes at its end",
        "accesses to memory take no longer than the stated latency",
    ),
    options=("rates", "reports", "notes"),
    writes="the graph.json with other depths, or declarations of streams (.txt)",
    depths_file="graph.json",
    template="a file of rates (YAML), to be filled in",
    sniffs=is_tapa,
)
LIGHTNINGSIM = Format(
    "lightningsim",
    "LightningSim: the trace of a run in C simulation with the reports of its synthesis.",
    "the trace, with --reports",
    assumes=_STAGES,
    options=("reports", "notes"),
    sniffs=is_lightningsim,
)
AIE = Format(
    "aie",
    "mlir-aie: AI Engine arrays, cores joined by object FIFOs.",
    "MLIR before object FIFOs are lowered, as mlir-aie prints it or in generic form",
    assumes=(
        "pools have as many objects as mlir-aie allocates",
        "a DMA channel moves 32 bits a cycle and waits for no other",
        "the array runs at 1,000 MHz",
    ),
    options=("cycles", "frames", "top", "notes"),
    sniffs=is_aie,
    writes="the text with other depths, one for each tile of an object FIFO",
)
ALLO = Format(
    "allo",
    "Allo: dataflow regions, kernels joined by streams.",
    "Allo's MLIR of a region, as Python prints it or in generic form",
    assumes=(
        "a kernel accesses its streams one by one in the order of its text, and computes between in no time",
        "memory and the arguments of the top are always ready",
        "the clock is 300 MHz",
    ),
    options=("cycles", "top", "notes"),
    sniffs=is_allo,
)


@cache
def formats() -> dict[str, Format]:
    """All that are known by name, those of installed extensions last.

    Raises:
        InputError: what an extension offers is no format, or has another name.
    """
    return all_loaded("formats", Format)


def format_named(name: str) -> Format:
    """The format of a name.

    Raises:
        InputError: there is none; the nearest is named.
    """
    name = OLD_NAMES.get(name, name)
    if name not in formats():
        hints = [did_you_mean(name, formats())]
        raise InputError("unknown-format", f"no format '{name:.80}'", where="import", hints=hints)
    return formats()[name]
