"""``hls/link.cfg``: how v++ connects a kernel to the platform (UG1393, Vitis Compiler Configuration File)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sttest.boards.xrt.signature import DesignSignature
from sttest.errors import InputError

_PORT = re.compile(r"^([A-Za-z_]\w*)\.([A-Za-z_]\w*):HBM\[(\d+)(?::(\d+))?\]$")
_UNIT = re.compile(r"^([A-Za-z_]\w*):(\d+):([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)$")


@dataclass(frozen=True)
class LinkConfig:
    """What a configuration file says.

    Attributes:
        units: compute units per kernel.
        banks: per compute unit and argument.
        slrs: per compute unit that is bound to one.
        clock_hz: of all kernels.
    """

    units: Mapping[str, tuple[str, ...]]
    banks: Mapping[tuple[str, str], tuple[int, ...]]
    slrs: Mapping[str, int]
    clock_hz: int


def link_config_text(design: DesignSignature, clock_mhz: float, *, slr: int | None, title: str) -> str:
    """The file for a design whose banks are chosen; identifiers were checked when the signature was made.

    Args:
        design: with its banks.
        clock_mhz: of the kernels.
        slr: super logic region that the kernels are bound to; None leaves them to the tool.
        title: one line.
    """
    units = [(kernel, unit) for kernel in design.kernels for unit in kernel.compute_units]
    lines = [f"# {title}", "[connectivity]"]
    lines += [f"nk={k.name}:{len(k.compute_units)}:{'.'.join(k.compute_units)}" for k in design.kernels]
    if slr is not None:
        lines += [f"slr={unit}:SLR{slr}" for _, unit in units]
    lines += [f"sp={unit}.{each.name}:{_memory(each.banks)}" for kernel, unit in units for each in kernel.buffers]
    lines += ["", "[clock]", f"defaultFreqHz={round(clock_mhz * 1e6)}"]
    # Counters of starts and ends, for latencies on the card (UG1393, --profile Options).
    lines += ["", "[profile]", "exec=all:all", ""]
    return "\n".join(lines)


def read_link_config(path: Path) -> LinkConfig:
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
            first = int(port[3])
            banks[port[1], port[2]] = tuple(range(first, int(port[4] or first) + 1))
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


def _memory(banks: tuple[int, ...]) -> str:
    return f"HBM[{banks[0]}]" if len(banks) == 1 else f"HBM[{banks[0]}:{banks[-1]}]"


def _sections(path: Path) -> dict[str, list[tuple[str, str]]]:
    """Keys may repeat, which no reader of ini files takes."""
    found: dict[str, list[tuple[str, str]]] = {"connectivity": [], "clock": [], "profile": []}
    section = ""
    for line in path.read_text(encoding="utf-8").splitlines():
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
