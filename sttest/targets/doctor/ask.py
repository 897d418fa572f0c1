"""Asks an installed program a question, and survives whatever it does: hangs, floods, crashes, garbage.

A program is given ``LIMIT_S`` seconds and ``MAX_ANSWER_BYTES``; one that needs more is killed with all that it
started.
"""

import importlib.util
import os
import platform
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import IO, Literal

from sttest.core.children import python_command
from sttest.core.errors import InputError
from sttest.targets.csim import AP_TYPES_VARIABLE, ap_types_folder

LIMIT_S = 1.0
"""Together with the start of Python this keeps a survey, whose questions are asked at once, below 2 s."""
MAX_ANSWER_BYTES = 64 * 1024
_POLL_S = 0.05

Outcome = Literal["answered", "missing", "failed", "silent"]


@dataclass(frozen=True)
class Answer:
    """What came of a question."""

    # ``answered``: left with exit code 0; ``missing``: no such program; ``failed``: could not be started, left with
    # another code, by a signal, or printed without end; ``silent``: not done in time
    outcome: Outcome
    text: str = ""  # output on both streams, or the reason of a failure to start
    trouble: str = ""  # a few words on what went wrong; empty where nothing did
    path: str = ""  # the program's file

    @property
    def last_line(self) -> str:
        """The line in which programs say why they failed, made printable."""
        lines = [line for line in self.text.splitlines() if line.strip()]
        return printable(lines[-1]) if lines else ""


def ask(command: Sequence[str], limit_s: float = LIMIT_S) -> Answer:
    """Runs a program without input, for at most ``limit_s`` seconds."""
    path = shutil.which(command[0])
    if path is None:
        return Answer("missing")
    try:
        process = subprocess.Popen(
            [path, *command[1:]],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        return Answer("failed", trouble=f"cannot be started ({error.strerror})", path=path)
    with process:
        try:
            return _answer(process, path, limit_s)
        finally:
            _kill_group(process)


def printable(text: str, most: int = 200) -> str:
    """One line of at most ``most`` characters, without any that could steer a terminal."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _answer(process: subprocess.Popen[bytes], path: str, limit_s: float) -> Answer:
    assert process.stdout is not None
    deadline = time.monotonic() + limit_s
    output = _read(process, process.stdout, deadline)
    text = output.decode("utf-8", errors="replace")
    if len(output) == MAX_ANSWER_BYTES:
        return Answer("failed", text, f"printed more than {MAX_ANSWER_BYTES} bytes", path)
    try:
        code = process.wait(timeout=max(deadline - time.monotonic(), _POLL_S))
    except subprocess.TimeoutExpired:
        return Answer("silent", text, f"no answer within {limit_s:g} s", path)
    if code == 0:
        return Answer("answered", text, path=path)
    return Answer("failed", text, f"killed by signal {-code}" if code < 0 else f"exit code {code}", path)


def _read(process: subprocess.Popen[bytes], stream: IO[bytes], deadline: float) -> bytes:
    """Output until its end, the deadline or the size limit; a child that keeps the pipe open is not waited for."""
    output = b""
    while len(output) < MAX_ANSWER_BYTES and time.monotonic() < deadline:
        ready, _, _ = select.select([stream], [], [], _POLL_S)
        if not ready and process.poll() is not None:
            break
        chunk = os.read(stream.fileno(), MAX_ANSWER_BYTES) if ready else b""
        if ready and not chunk:
            break
        output += chunk
    return output[:MAX_ANSWER_BYTES]


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Ends what still runs; a process that has left by itself has been reaped, and its number may be another's."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


# --- What a probe found


Status = Literal["ok", "other-version", "missing", "failed", "unreadable", "silent"]
"""``other-version``: works, but sttest was written for another release; ``unreadable``: answered in a way that
holds no version; ``silent``: did not answer in time, so that nothing is known."""


@dataclass(frozen=True)
class PartStatus:
    """One part, looked for."""

    status: Status  # whether it is there and answers
    version: str | None = None  # version that the tool reports; None if it reports none
    detail: str = ""  # one printable line: where it was found, or what is wrong with it

    @property
    def usable(self) -> bool | None:
        """Whether to count on the part; None where it is not known."""
        return None if self.status == "silent" else self.status in ("ok", "other-version")


# --- A probe for a program that tells its version


VERSION = r"(\d+(?:\.\d+)+)"


def program(commands: Sequence[Sequence[str]], pattern: str, expected: str = "") -> Callable[[], PartStatus]:
    """A probe that asks the first of some programs that is installed.

    Args:
        commands: alternatives, each a program with the arguments that make it tell its version.
        pattern: regular expression whose first group is the version in the answer.
        expected: start of the version that sttest was written for.
    """

    def probe() -> PartStatus:
        answer = first_answer(commands)
        return trouble(answer, commands) or version_in(answer, pattern, expected)

    return probe


def first_answer(commands: Sequence[Sequence[str]]) -> Answer:
    """The answer of the first program that is installed."""
    answer = Answer("missing")
    for command in commands:
        answer = ask(command)
        if answer.outcome != "missing":
            break
    return answer


def trouble(answer: Answer, commands: Sequence[Sequence[str]]) -> PartStatus | None:
    """The finding for a program that did not answer; None for one that did."""
    if answer.outcome == "answered":
        return None
    if answer.outcome == "missing":
        return PartStatus("missing", detail=f"no {' or '.join(command[0] for command in commands)} on PATH")
    told = f": {answer.last_line}" if answer.last_line else ""
    return PartStatus(answer.outcome, detail=printable(f"{answer.path}: {answer.trouble}{told}"))


def version_in(answer: Answer, pattern: str, expected: str) -> PartStatus:
    """The finding for a program that answered."""
    found = re.search(pattern, answer.text, re.MULTILINE)
    if found is None:
        told = printable(answer.text, most=60)
        return PartStatus("unreadable", detail=printable(f"{answer.path}: no version in its answer '{told}'"))
    return of_version(found.group(1), expected, answer.path)


def of_version(version: str, expected: str, detail: str) -> PartStatus:
    """The finding for a part of a known version."""
    if expected and version != expected and not version.startswith(f"{expected}."):
        return PartStatus(
            "other-version", version, printable(f"{detail}; sttest was written for {expected}".lstrip("; "))
        )
    return PartStatus("ok", version, detail)


# --- Probes for Python, its packages and pyxrt; none is imported into this process


_XRT_PREFIX = "/opt/xilinx/xrt"
_REQUIREMENT = re.compile(r"^([A-Za-z0-9._-]+)\s*(?:\[[^]]*\])?\s*(?:==\s*([^\s;,]+))?")
_CHECK_PYXRT = """
import sys, pyxrt
print("lacks", *[name for name in sys.argv[1:] if not hasattr(pyxrt, name)])
"""


def this_python() -> PartStatus:
    """The interpreter that runs sttest."""
    return PartStatus("ok", platform.python_version(), sys.executable)


def own_requirements() -> PartStatus:
    """The packages without which no verb runs."""
    try:
        needed = [name for name, _ in _requirements("")]
        absent = sorted(name for name in needed if _version(name) is None)
    except metadata.PackageNotFoundError:
        return PartStatus("missing", detail="sttest itself is not installed, only imported")
    if absent:
        return PartStatus("missing", detail=f"not installed: {', '.join(absent)}")
    return PartStatus("ok", metadata.version("sttest"), f"{len(needed)} packages")


def package(name: str, extra: str = "") -> Callable[[], PartStatus]:
    """A probe for a package; the version that sttest pins in ``extra`` is the expected one."""

    def probe() -> PartStatus:
        version = _version(name)
        if version is None:
            return PartStatus("missing", detail=f"not installed for {sys.executable}")
        release = version.partition("+")[0]  # a build for one kind of device, such as 2.13.0+cpu
        finding = of_version(release, _pinned(name, extra), "")
        return PartStatus(finding.status, version, finding.detail)

    return probe


def pyxrt(surface: tuple[str, ...]) -> Callable[[], PartStatus]:
    """A probe for XRT's Python binding, which is imported in a process of its own: it can crash.

    Args:
        surface: the names that it must have.
    """

    def probe() -> PartStatus:
        spec = importlib.util.find_spec("pyxrt")
        if spec is None:
            return PartStatus("missing", detail=_why_no_pyxrt())
        answer = ask(python_command(["-c", _CHECK_PYXRT, *surface]))
        lacks = re.search(r"^lacks ?(.*)$", answer.text, re.MULTILINE)
        if answer.outcome == "answered" and lacks and not lacks.group(1):
            return PartStatus("ok", detail=printable(str(spec.origin)))
        if answer.outcome == "answered" and lacks:
            return PartStatus("failed", detail=printable(f"{spec.origin}: has no {', '.join(lacks.group(1).split())}"))
        return trouble(answer, [("pyxrt",)]) or PartStatus("unreadable", detail=printable(answer.text))

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


def ap_types() -> PartStatus:
    """Xilinx's integer types, where the environment names a folder."""
    named = os.environ.get(AP_TYPES_VARIABLE)
    if not named:
        return PartStatus("missing", detail=f"{AP_TYPES_VARIABLE} is not set")
    try:
        return PartStatus("ok", detail=printable(str(ap_types_folder(Path(named)))))
    except InputError as error:
        return PartStatus("missing", detail=printable(f"{AP_TYPES_VARIABLE}: {error}"))


# --- Probes for cards: FPGAs through XRT's own tool, GPUs through NVIDIA's


XRT_TOOLS = ("xrt-smi", "xbutil")
"""``xrt-smi`` is the name since XRT 2.18, ``xbutil`` the one before; both print the same two tables."""
_EXAMINE = tuple((tool, "examine") for tool in XRT_TOOLS)
_QUERY_GPUS = (("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"),)
# "[0000:81:00.1]  :  xilinx_u55c_gen3x16_xdma_base_3  …  Yes", with bars instead of blanks since 2.18.
_CARD = re.compile(r"^\W*\[([0-9a-fA-F:.]+)\][\s:|]+([A-Za-z0-9_]+)(.*)$", re.MULTILINE)
_GPU = re.compile(r"^([^,\n]+), (\d+(?:\.\d+)+)\s*$", re.MULTILINE)


def fpga_cards() -> PartStatus:
    """The cards that XRT sees, and whether they are ready."""
    answer = first_answer(_EXAMINE)
    found = trouble(answer, _EXAMINE)
    if found:
        return found
    cards = [(bdf, shell, "Yes" in re.split(r"[\s|]+", rest)) for bdf, shell, rest in _CARD.findall(answer.text)]
    if cards:
        told = [f"{shell} at {bdf}{'' if ready else ', not ready'}" for bdf, shell, ready in cards]
        any_ready = any(ready for _, _, ready in cards)
        return PartStatus("ok" if any_ready else "failed", detail=printable("; ".join(told)))
    if "0 devices found" in answer.text:
        return PartStatus("missing", detail="XRT finds no card")
    return PartStatus("unreadable", detail=printable(f"{answer.path}: no list of cards in its answer"))


def gpus() -> PartStatus:
    """The GPUs that NVIDIA's driver sees; the version is the driver's."""
    answer = first_answer(_QUERY_GPUS)
    found = trouble(answer, _QUERY_GPUS)
    if found:
        return found
    cards = _GPU.findall(answer.text)
    if not cards:
        told = printable(answer.text, most=60)
        return PartStatus("unreadable", detail=printable(f"{answer.path}: no list of GPUs in its answer '{told}'"))
    counted = Counter(name for name, _ in cards)
    return PartStatus("ok", cards[0][1], printable(", ".join(f"{n} x {name}" for name, n in counted.items())))
