"""The steps from C++ to a linked design, as commands (UG1393: v++ command; xclbinutil is part of XRT)."""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from sttest.boards.tiers import banks_text
from sttest.core.errors import InputError, ToolMissingError
from sttest.core.files import read_text
from sttest.core.kernel_signature import DesignSignature
from sttest.package.kernel_files import CPP, FLOORPLAN_TCL, HEADERS, LINK_CONFIG
from sttest.targets.doctor.survey import PARTS

Target = Literal["hw_emu", "hw"]
_HOOK = "run.impl_1.STEPS.OPT_DESIGN.TCL.PRE"
"""What Vivado sources before it optimizes."""


@dataclass(frozen=True)
class BuildStep:
    """One command."""

    name: str  # ``compile``, ``link`` or ``emconfig``; also of its log
    command: tuple[str, ...]  # program and arguments; paths are relative to the folder of the build
    inputs: tuple[Path, ...]  # files whose content decides whether it must run again
    output: Path  # the file that it makes
    limit_s: float  # seconds after which it is ended


@dataclass(frozen=True)
class StepLimits:
    """Time limits of the steps, in seconds.  A bitstream of a full card takes many hours."""

    compile_s: float = 4 * 3600.0
    link_s: float = 24 * 3600.0
    emconfig_s: float = 600.0

    def scaled(self, given: Mapping[str, float | None]) -> "StepLimits":
        """The limits with the given ones in their place."""
        chosen = {name: value for name, value in given.items() if value is not None}
        return StepLimits(**{**vars(self), **chosen})


@dataclass(frozen=True)
class Plan:
    """A build of one kernel."""

    kernel: str  # name of the top function
    target: Target  # the search's target
    platform: str  # name of the Vitis platform, from the board's file
    vitis: str  # release of Vitis that the platform goes with
    clock_mhz: float  # clock of the kernel, MHz
    folder: Path  # folder of the build; sources are in its parent
    jobs: int  # number of jobs that the tools may run at a time
    limits: StepLimits = field(default_factory=StepLimits)  # time limits
    floorplan: bool = False  # whether pblocks are written beside the sources

    @property
    def xclbin(self) -> Path:
        """The linked design."""
        return self.folder / f"{self.kernel}.xclbin"

    def steps(self) -> tuple[BuildStep, ...]:
        """All steps in order; each needs what the one before it made."""
        sources, config = [self.folder.parent / name for name in (CPP, *HEADERS)], self.folder.parent / LINK_CONFIG
        sources = tuple(path for path in sources if path.is_file() or path.name == CPP)
        compiled = self.folder / f"{self.kernel}.xo"
        emulation = self.folder / "emconfig.json"
        first = BuildStep("compile", self.compile_command(f"../{CPP}"), sources, compiled, self.limits.compile_s)
        pblocks = (self.folder.parent / FLOORPLAN_TCL,) if self._pblocks() else ()
        second = BuildStep(
            "link",
            self.link_command(f"../{LINK_CONFIG}"),
            (compiled, config, *pblocks),
            self.xclbin,
            self.limits.link_s,
        )
        if self.target == "hw":
            return first, second
        third = BuildStep("emconfig", self.emconfig_command(), (), emulation, self.limits.emconfig_s)
        return first, second, third

    def compile_command(self, source: str) -> tuple[str, ...]:
        """C++ to a kernel object."""
        clock = f"{round(self.clock_mhz * 1e6)}:{self.kernel}"
        return (*self._common("compile"), "-k", self.kernel, "--hls.clock", clock, "-o", f"{self.kernel}.xo", source)

    def link_command(self, config: str) -> tuple[str, ...]:
        """A kernel object to a design that XRT loads."""
        return (
            *self._common("link"),
            "--jobs",
            str(self.jobs),
            "--config",
            config,
            *self._pblocks(),
            "-o",
            f"{self.kernel}.xclbin",
            f"{self.kernel}.xo",
        )

    def _pblocks(self) -> tuple[str, ...]:
        """Vivado runs in a folder of its own, so the path is whole."""
        if not self.floorplan or self.target != "hw":
            return ()
        path = self.folder.parent / FLOORPLAN_TCL
        return "--vivado.prop", f"{_HOOK}={path}"

    def emconfig_command(self) -> tuple[str, ...]:
        """What hardware emulation must know of the card that it plays."""
        return ("emconfigutil", "--platform", self.platform, "--od", ".")

    def _common(self, mode: str) -> tuple[str, ...]:
        return (
            "v++",
            f"--{mode}",
            "--target",
            self.target,
            "--platform",
            self.platform,
            "--save-temps",
            "--temp_dir",
            f"_x-{mode}",
            "--log_dir",
            f"logs-{mode}",
            "--report_dir",
            f"reports-{mode}",
        )


# --- ``hls/Makefile``: the steps of a build by hand


_TEXT = """\
# {title}
# make TARGET=hw_emu    hardware emulation     make TARGET=hw    bitstream (hours)
# Needs Vitis {vitis} with the platform {platform}: source settings64.sh first.
TARGET ?= hw_emu
BUILD := build-$(TARGET)
ifeq ($(filter $(TARGET),hw_emu hw),)
$(error TARGET is hw_emu or hw)
endif

.PHONY: all clean
.DELETE_ON_ERROR:
all: $(BUILD)/{kernel}.xclbin {emulation}

$(BUILD)/{kernel}.xo: kernel.cpp $(wildcard *.h)
\tmkdir -p $(BUILD)
\tcd $(BUILD) && {compile}

$(BUILD)/{kernel}.xclbin: $(BUILD)/{kernel}.xo link.cfg
\tcd $(BUILD) && {link}{pblocks}

$(BUILD)/emconfig.json:
\tmkdir -p $(BUILD)
\tcd $(BUILD) && {emconfig}

clean:
\trm -rf build-hw_emu build-hw
"""


def makefile_text(plan: Plan, title: str) -> str:
    """The file's text; `Plan` has the commands, here with the target left open."""
    return _TEXT.format(
        title=title,
        vitis=plan.vitis,
        platform=plan.platform,
        kernel=plan.kernel,
        emulation="$(if $(filter hw_emu,$(TARGET)),$(BUILD)/emconfig.json)",
        compile=_open(plan.compile_command(f"../{CPP}"), plan.target),
        link=_open(replace(plan, floorplan=False).link_command(f"../{LINK_CONFIG}"), plan.target),
        pblocks=f" $(if $(filter hw,$(TARGET)),--vivado.prop {_HOOK}=$(CURDIR)/{FLOORPLAN_TCL})"
        if plan.floorplan
        else "",
        emconfig=shlex.join(plan.emconfig_command()),
    )


def _open(command: tuple[str, ...], target: Target) -> str:
    words = ["$(TARGET)" if word == target else shlex.quote(word) for word in command]
    return " ".join(words)


# --- ``hls/link.cfg``: how v++ connects a kernel to the platform (UG1393, Vitis Compiler Configuration File)


_PORT = re.compile(r"^([A-Za-z_]\w*)\.([A-Za-z_]\w*):(HBM|DDR)\[(\d+)(?::(\d+))?\]$")
_HBM_BANKS = 32
"""Banks of the devices that have one (AMD PG276); the DDR's are numbered behind."""
_UNIT = re.compile(r"^([A-Za-z_]\w*):(\d+):([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)$")


@dataclass(frozen=True)
class LinkConfig:
    """What a configuration file says."""

    units: Mapping[str, tuple[str, ...]]  # compute units per kernel
    banks: Mapping[tuple[str, str], tuple[int, ...]]  # banks per compute unit and argument
    slrs: Mapping[str, int]  # SLR of each compute unit that is bound to one
    clock_hz: int  # clock of all kernels, Hz


STRATEGY = (
    "run.impl_1.STEPS.OPT_DESIGN.ARGS.DIRECTIVE=Explore",
    "run.impl_1.STEPS.PLACE_DESIGN.ARGS.DIRECTIVE=EarlyBlockPlacement",
    "run.impl_1.STEPS.PHYS_OPT_DESIGN.IS_ENABLED=true",
    "run.impl_1.STEPS.PHYS_OPT_DESIGN.ARGS.DIRECTIVE=Explore",
    "run.impl_1.STEPS.ROUTE_DESIGN.ARGS.DIRECTIVE=Explore",
)
"""Directives of Vivado for a kernel with a floorplan: as in TAPA's scripts where there are many DSPs and memories."""


def link_config_text(
    design: DesignSignature,
    clock_mhz: float,
    *,
    slr: int | None,
    title: str,
    placed: bool = False,
    hbm_banks: int = _HBM_BANKS,
) -> str:
    """The file for a design whose banks are chosen; identifiers were checked when the signature was made.

    Args:
        design: signature of the design, with its banks.
        clock_mhz: clock of the kernels, MHz.
        slr: super logic region that the kernels are bound to; None leaves them to the tool.
        title: one line.
        placed: whether the kernel has a floorplan.
        hbm_banks: number of banks that are of the HBM; those behind are of the DDR.
    """
    units = [(kernel, unit) for kernel in design.kernels for unit in kernel.compute_units]
    lines = [f"# {title}", "[connectivity]"]
    lines += [f"nk={k.name}:{len(k.compute_units)}:{'.'.join(k.compute_units)}" for k in design.kernels]
    if slr is not None:
        lines += [f"slr={unit}:SLR{slr}" for _, unit in units]
    lines += [
        f"sp={unit}.{each.name}:{banks_text(each.banks, hbm_banks)}"
        for kernel, unit in units
        for each in kernel.buffers
    ]
    lines += ["", "[clock]", f"defaultFreqHz={round(clock_mhz * 1e6)}"]
    # Counters of starts and ends, for latencies on the card (UG1393, --profile Options).
    lines += ["", "[profile]", "exec=all:all", ""]
    if placed:
        lines += ["[vivado]", *(f"prop={each}" for each in STRATEGY), ""]
    return "\n".join(lines)


def read_link_config(path: Path, hbm_banks: int = _HBM_BANKS) -> LinkConfig:
    """Reads what :func:`link_config_text` wrote, or somebody changed since.

    Raises:
        InputError: it cannot be read, or holds what we do not write.
    """
    sections = _sections(path)
    units: dict[str, tuple[str, ...]] = {}
    banks: dict[tuple[str, str], tuple[int, ...]] = {}
    slrs: dict[str, int] = {}
    for key, value in sections["connectivity"]:
        port, unit = _PORT.match(value), _UNIT.match(value)
        if key == "sp" and port:
            before, first = hbm_banks * (port[3] == "DDR"), int(port[4])
            banks[port[1], port[2]] = tuple(range(before + first, before + int(port[5] or first) + 1))
        elif key == "nk" and unit:
            units[unit[1]] = tuple(unit[3].split("."))
        elif key == "slr" and re.match(r"^\w+:SLR\d$", value):
            name, _, region = value.partition(":SLR")
            slrs[name] = int(region)
        else:
            raise InputError("bad-link-config", f"'{key}={value}' is not what we write", where=str(path))
    clock = dict(sections["clock"]).get("defaultFreqHz", "")
    if not clock.isdecimal():
        raise InputError("bad-link-config", f"defaultFreqHz is '{clock}'", where=str(path))
    return LinkConfig(units, banks, slrs, int(clock))


def _sections(path: Path) -> dict[str, list[tuple[str, str]]]:
    """Keys may repeat, which no reader of ini files takes."""
    found: dict[str, list[tuple[str, str]]] = {"connectivity": [], "clock": [], "profile": [], "vivado": []}
    section = ""
    for line in read_text(path).splitlines():
        text = line.partition("#")[0].strip()
        if not text:
            continue
        key, equals, value = text.partition("=")
        if text.startswith("[") and text.endswith("]"):
            section = text[1:-1]
        elif not equals or section not in found:
            raise InputError("bad-link-config", f"'{text}' is not what we write", where=str(path))
        else:
            found[section].append((key, value))
    return found


# --- The installed Vitis: which version, asked of itself


def vitis_version(expected: str, *, any_version: bool, tool: str = "v++", where: str = "build") -> str:
    """What an installed tool says of its version.

    Args:
        expected: start of the version that the board's platform goes with.
        any_version: take any other one too.
        tool: ``v++`` or ``vitis_hls``.
        where: verb that needs it.

    Raises:
        ToolMissingError: there is none, or it does not answer.
        InputError: another version, or one that cannot be made out.
    """
    part = next(part for part in PARTS if part.name == tool)
    found = part.probe()
    if found.status in ("missing", "failed", "silent"):
        what = f"{tool}: {found.detail}"
        raise ToolMissingError("tools-missing", what, where=where, hints=[f"get it {part.remedy}"])
    version = found.version or ""
    if not version and not any_version:
        raise InputError(
            "unknown-version",
            f"{tool} does not tell its version ({found.detail})",
            where=tool,
            hints=["source its settings64.sh", f"{where} all the same with --any-version"],
        )
    if not version.startswith(expected) and not any_version:
        raise InputError(
            "other-version",
            f"{tool} is {version}, the platform goes with {expected}",
            where=tool,
            hints=[f"source the settings64.sh of {expected}", f"{where} all the same with --any-version"],
        )
    return version or "unknown"
