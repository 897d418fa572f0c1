"""Probes for Python, its packages and pyxrt; none is imported into this process."""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

from sttest.boards.tools.ask import ask, printable
from sttest.boards.tools.finding import Finding
from sttest.boards.tools.probe_program import of_version, trouble

_XRT_PREFIX = "/opt/xilinx/xrt"
_REQUIREMENT = re.compile(r"^([A-Za-z0-9._-]+)\s*(?:\[[^]]*\])?\s*(?:==\s*([^\s;,]+))?")
_CHECK_PYXRT = """
import sys, pyxrt
print("lacks", *[name for name in sys.argv[1:] if not hasattr(pyxrt, name)])
"""


def this_python() -> Finding:
    """The interpreter that runs sttest."""
    return Finding("ok", platform.python_version(), sys.executable)


def own_requirements() -> Finding:
    """The packages without which no verb runs."""
    try:
        needed = [name for name, _ in _requirements("")]
        absent = sorted(name for name in needed if _version(name) is None)
    except metadata.PackageNotFoundError:
        return Finding("missing", detail="sttest itself is not installed, only imported")
    if absent:
        return Finding("missing", detail=f"not installed: {', '.join(absent)}")
    return Finding("ok", metadata.version("sttest"), f"{len(needed)} packages")


def package(name: str, extra: str = "") -> Callable[[], Finding]:
    """A probe for a package; the version that sttest pins in ``extra`` is the expected one."""

    def probe() -> Finding:
        version = _version(name)
        if version is None:
            return Finding("missing", detail=f"not installed for {sys.executable}")
        release = version.partition("+")[0]  # a build for one kind of device, such as 2.13.0+cpu
        finding = of_version(release, _pinned(name, extra), "")
        return Finding(finding.status, version, finding.detail)

    return probe


def pyxrt(surface: tuple[str, ...]) -> Callable[[], Finding]:
    """A probe for XRT's Python binding, which is imported in a process of its own: it can crash.

    Args:
        surface: the names that it must have.
    """

    def probe() -> Finding:
        spec = importlib.util.find_spec("pyxrt")
        if spec is None:
            return Finding("missing", detail=_why_no_pyxrt())
        command = (sys.executable, "-P", "-c", _CHECK_PYXRT, *surface)
        answer = ask(command)
        lacks = re.search(r"^lacks ?(.*)$", answer.text, re.MULTILINE)
        if answer.outcome == "answered" and lacks and not lacks.group(1):
            return Finding("ok", detail=printable(str(spec.origin)))
        if answer.outcome == "answered" and lacks:
            return Finding("failed", detail=printable(f"{spec.origin}: has no {', '.join(lacks.group(1).split())}"))
        return trouble(answer, [("pyxrt",)]) or Finding("unreadable", detail=printable(answer.text))

    return probe


def _why_no_pyxrt() -> str:
    """Names a binding that lies on disk but cannot be imported here."""
    root = Path(os.environ.get("XILINX_XRT", _XRT_PREFIX))
    built = sorted(root.glob("python/pyxrt*.so"))
    if not built:
        return "comes with XRT only, not from PyPI"
    if not os.environ.get("XILINX_XRT"):
        return printable(f"{built[0].name} is installed but not on PYTHONPATH: source {root}/setup.sh")
    return printable(
        f"{built[0].name} is of another Python than this {platform.python_version()}, or not on PYTHONPATH"
    )


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _pinned(name: str, extra: str) -> str:
    try:
        return next((pin for known, pin in _requirements(extra) if known == name), "")
    except metadata.PackageNotFoundError:
        return ""


def _requirements(extra: str) -> list[tuple[str, str]]:
    """Name and pinned version ("" if none) of what sttest declares to need, for an extra or without any."""
    found = []
    for line in metadata.requires("sttest") or []:
        requirement, _, marker = line.partition(";")
        of_extra = re.search(r"extra\s*==\s*['\"]([^'\"]+)['\"]", marker)
        match = _REQUIREMENT.match(requirement.strip())
        if match and (of_extra.group(1) if of_extra else "") == extra:
            found.append((match.group(1), match.group(2) or ""))
    return found
