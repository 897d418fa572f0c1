"""Runs a compiled kernel on memory images in a process of its own."""

import os
import re
import subprocess
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sttest.core.errors import InputError, SttestError
from sttest.core.files import read_json
from sttest.targets.csim.build import Executable

# --- What a C simulation gave


@dataclass(frozen=True)
class FifoUse:
    """A stream after the run: its places, the tokens that went through, and the most that it held at a time."""

    name: str
    depth: int
    written: int
    read: int
    peak: int


@dataclass(frozen=True)
class BlockedProcess:
    """A process that stood still at the end: it waits to read a token of ``fifo``, or to write one."""

    process: str
    waits_to: Literal["read", "write"]
    fifo: str


@dataclass(frozen=True)
class CsimRun:
    """One call of a kernel."""

    # ``done``, or ``deadlock`` where every process that was left waited for another
    verdict: Literal["done", "deadlock"]
    # memory image per written argument, uint8; empty after a deadlock
    results: dict[str, NDArray[np.uint8]] = field(repr=False)
    fifos: dict[str, FifoUse] = field(repr=False)  # use of each stream and converter buffer, by name
    blocked: tuple[BlockedProcess, ...] = ()  # processes that stood still after a deadlock
    seconds: float = 0.0  # duration of the run without the build
    # the folder with the tokens of every stream (``<name>.bin``: elements in order, int4 as int8), if they were asked
    # for.
    streams: Path | None = None


RUN_TIMEOUT_S = 600.0
_DEADLOCK = 3
_DEPTHS = "depths.txt"
_WORD = re.compile(r"\[\d+\]$")
"""What follows the name of a stream in that of the FIFO of its second word, and of those behind it."""


def run_kernel(
    kernel: Executable,
    memory: Mapping[str, NDArray[np.uint8]],
    *,
    streams: Path | None = None,
    depths: Mapping[str, int] | None = None,
    timeout_s: float = RUN_TIMEOUT_S,
) -> CsimRun:
    """Calls the kernel once.

    Args:
        kernel: executable from :func:`build_kernel`.
        memory: image of every argument that the kernel reads, of the signature's size.
        streams: a folder that gets the tokens of every stream.
        depths: other depths than the kernel declares, by stream; unknown names are ignored.
        timeout_s: after which the process is killed.

    Raises:
        InputError: an image is missing, surplus or of the wrong size.
        SttestError: the process failed or did not end.
    """
    _check(kernel, memory)
    with tempfile.TemporaryDirectory(prefix="sttest-csim-") as name:
        folder = Path(name)
        for argument in kernel.signature.buffers:
            if argument.is_read:
                (folder / f"{argument.name}.in").write_bytes(np.ascontiguousarray(memory[argument.name]).tobytes())
        began = time.perf_counter()
        lines = "".join(f"{name} {depth}\n" for name, depth in (depths or {}).items())
        (folder / _DEPTHS).write_text(lines, encoding="utf-8")
        code = _call(kernel, folder, streams, timeout_s)
        seconds = time.perf_counter() - began
        report = read_json(folder / "report.json")
        results = {} if code == _DEADLOCK else _results(kernel, folder)
    fifos = {row["name"]: FifoUse(**row) for row in report["fifos"]}
    if streams is not None:
        _join_words(streams, fifos)
    return CsimRun(
        verdict=report["verdict"],
        results=results,
        fifos={name: each for name, each in fifos.items() if not _WORD.search(name)},
        blocked=tuple(BlockedProcess(**{**row, "fifo": _WORD.sub("", row["fifo"])}) for row in report["blocked"]),
        seconds=seconds,
        streams=streams,
    )


def _join_words(streams: Path, fifos: Mapping[str, FifoUse]) -> None:
    """Puts the words of tokens that go through several FIFOs together, in the file of the first."""
    words: dict[str, list[str]] = {}
    for name in sorted(fifos, key=lambda each: (len(each), each)):
        words.setdefault(_WORD.sub("", name), []).append(name)
    for name, parts in words.items():
        if len(parts) > 1:
            paths = [streams / f"{part}.bin" for part in parts]
            # After a deadlock a token may lack its last words.
            tokens = min(fifos[part].written for part in parts)
            columns = [
                np.fromfile(path, np.uint8).reshape(fifos[part].written, -1)[:tokens]
                for path, part in zip(paths, parts, strict=True)
                if tokens
            ]
            joined = np.concatenate(columns, axis=1) if columns else np.zeros(0, np.uint8)
            joined.tofile(streams / f"{name}.bin")
            for path in paths[1:]:
                path.unlink()


def _check(kernel: Executable, memory: Mapping[str, NDArray[np.uint8]]) -> None:
    wanted = {argument.name: argument.bytes for argument in kernel.signature.buffers if argument.is_read}
    for name in wanted.keys() ^ memory.keys():
        what = "has no memory image" if name in wanted else "is not an argument that the kernel reads"
        raise InputError("bad-arguments", f"'{name}' {what}", where=kernel.signature.name)
    for name, demand in wanted.items():
        if memory[name].dtype != np.uint8 or memory[name].size != demand:
            raise InputError(
                "bad-arguments",
                f"the memory image of '{name}' has another size than the kernel reads",
                where=kernel.signature.name,
                demand=demand,
                bound=memory[name].nbytes,
                unit="bytes",
            )


def _call(kernel: Executable, folder: Path, streams: Path | None, timeout_s: float) -> int:
    environment = {name: value for name, value in os.environ.items() if name != "STTEST_STREAMS"}
    environment["STTEST_DEPTHS"] = str(folder / _DEPTHS)
    if streams is not None:
        streams.mkdir(parents=True, exist_ok=True)
        environment["STTEST_STREAMS"] = str(streams.resolve())
    command = (str(kernel.path.resolve()), str(folder))
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, errors="replace", timeout=timeout_s
        )
    except subprocess.TimeoutExpired as error:
        raise SttestError(
            "csim-timeout",
            "the C simulation did not end",
            where=kernel.signature.name,
            bound=timeout_s,
            unit="s",
            hints=["allow more time"],
        ) from error
    if done.returncode not in (0, _DEADLOCK):
        said = done.stderr.strip().splitlines() or ["no message"]
        raise SttestError(
            "csim-failed", f"the C simulation ended with {done.returncode}: {said[-1]}", where=kernel.signature.name
        )
    return done.returncode


def _results(kernel: Executable, folder: Path) -> dict[str, NDArray[np.uint8]]:
    return {
        argument.name: np.frombuffer((folder / f"{argument.name}.out").read_bytes(), np.uint8)
        for argument in kernel.signature.buffers
        if argument.is_written
    }
