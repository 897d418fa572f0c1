"""Runs clang, and what it made, in processes with limits of time and memory."""

import hashlib
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
from base64 import b64decode, b64encode
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from sttest.core.children import python_command
from sttest.core.errors import InputError, ToolMissingError
from sttest.core.kept import KeptFiles
from sttest.core.limits import end_with, lower_limit
from sttest.importers.cpp.includes import check_includes

HEADERS = Path(__file__).parent / "headers"
MOST_SECONDS = 120
MOST_BYTES = 16 << 30
"""Of address space: each process of a design has a stack of 32 MiB, which it hardly ever fills."""
_MOST_MESSAGE = 1200
_TRIED = ("clang++", "clang++-19", "clang++-18", "clang++-17", "clang++-16", "clang++-15", "clang++-14")

__depends__ = ("sttest/importers/cpp/headers/*", "sttest/importers/cpp/headers/*/*")


@cache
def clang() -> tuple[str, ...]:
    """The command of a clang: the system's, else the one in the package ziglang.

    Raises:
        ToolMissingError: there is neither.
    """
    if path := next(filter(None, map(shutil.which, _TRIED)), None):
        return (path,)
    if find_spec("ziglang") is not None:
        return (*python_command(["-m", "ziglang"]), "c++")
    hints = ["apt-get install clang", "pip install ziglang"]
    raise ToolMissingError("no-clang", "C++ is read with clang, which is not installed", where="import", hints=hints)


def run_limited(command: Sequence[str], folder: Path, what: str, seconds: int = MOST_SECONDS) -> str:
    """Runs a command in a folder; gives what it printed.

    Args:
        command: program and arguments.
        folder: where it runs.
        what: what it does, in errors.
        seconds: of processor time that it may take.

    Raises:
        InputError: it failed, or needed more than the limits.
    """

    parent = os.getpid()

    def limit() -> None:
        end_with(parent)
        lower_limit(resource.RLIMIT_CPU, seconds)
        lower_limit(resource.RLIMIT_AS, MOST_BYTES)
        lower_limit(resource.RLIMIT_CORE, 0)

    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=4 * seconds,
            stdin=subprocess.DEVNULL, preexec_fn=limit, env=os.environ | {"LC_ALL": "C"}, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise InputError("too-slow", f"{what} takes more than {4 * seconds} s", where=str(folder)) from None
    if done.returncode:
        raise InputError("cpp-failed", f"{what} failed: {_first_error(done)}", hints=_hints(done))
    return done.stdout


def _first_error(done: subprocess.CompletedProcess[str]) -> str:
    """What a program says of its failure, or by which signal it ended."""
    lines = [line.strip() for line in done.stderr.splitlines()]
    told = next((line for line in lines if ("error:" in line and "linker" not in line) or "undefined ref" in line), "")
    if not told and done.returncode == -signal.SIGXCPU:
        told = "it takes too much processor time"
    if not told and done.returncode < 0:
        told = f"it was ended by signal {-done.returncode}"
    return (told or (lines[-1] if lines else f"exit code {done.returncode}"))[:_MOST_MESSAGE]


def undeclared(told: str) -> str | None:
    """The name that clang does not know; None where it fails for another cause."""
    found = re.search(r"use of undeclared identifier '([A-Za-z_]\w*)'", told)
    return None if found is None else found[1]


def _hints(done: subprocess.CompletedProcess[str]) -> list[str]:
    if re.search(r"'(hls_(?:dds|dsp|linear)[\w.]*|ap_axi_\w+\.h|dsp_\w+\.h)' file not found", done.stderr):
        return ["a library of AMD, whose code is not public: import solution reads a synthesized folder of it"]
    if "file not found" in done.stderr:
        return ["put the header beside the source"]
    if (name := undeclared(done.stderr)) is not None:
        macro = f"give --set {name}=NUMBER if it is a macro of the command line"
        return [macro, "say so in the flags of an hls_config.cfg or a Tcl script beside it"]
    if done.returncode == -signal.SIGXCPU:
        return ["give smaller scalars with --set", "or a part of the design with --top"]
    if "undefined reference" in done.stderr:
        return ["name the folder of the project, which names all sources"]
    return []


def preprocess(source: Path, out: Path, flags: Sequence[str]) -> None:
    """The text of a source with all that it includes; definitions of macros stay, pragmas too.

    Args:
        source: C++.
        out: file to write.
        flags: folders of headers (``-I``) and macros (``-D``).

    Raises:
        InputError: clang refuses it, or it includes what is no file.
    """
    check_includes(source, flags)
    options = [f"-I{HEADERS}", *flags, "-include", "sttest_hls.h"]
    command = [*clang(), *_DIALECT, "-E", "-dD", *options, str(source), "-o", str(out)]
    run_limited(command, out.parent, "reading the C++")


# What is thrown ends the run: no hardware has exceptions, and simulation code beside a kernel may throw.
_DIALECT = (
    "-x", "c++", "-std=gnu++17", "-w", "-D__SYNTHESIS__", "-D__VITIS_HLS__", "-fexceptions", "-fignore-exceptions",
    "-fpermissive",
)  # fmt: skip
_KEPT = (
    "-O1", "-Xclang", "-disable-llvm-passes", "-fno-discard-value-names", "-gline-tables-only",
    "-ffp-contract=off", "-fno-threadsafe-statics", "-fno-stack-protector", "-emit-llvm", "-c",
)  # fmt: skip


def compile_bitcode(source: Path, out: Path) -> None:
    """LLVM bitcode of preprocessed text, as it is written: no pass has been over it.

    Raises:
        InputError: clang refuses it.
    """
    dialect = [each for each in _DIALECT if each != "-fpermissive"]
    run_limited([*clang(), *dialect, *_KEPT, str(source), "-o", str(out)], out.parent, "compiling the C++")


def link(design: Path, out: Path) -> None:
    """A program of a design's object file and the runtime that records what it does.

    Raises:
        InputError: something is called that is nowhere defined.
    """
    runtime = out.parent / "runtime.o"
    _runtime(runtime)
    # What the runtime is made of comes first: a stream outside of functions is made before the program begins.
    command = [*clang(), str(runtime), str(design), "-o", str(out), "-lm", "-no-pie"]
    run_limited(command, out.parent, "linking the design")


def _runtime(out: Path) -> None:
    """The object file of the runtime, which is kept: it is the same for all designs."""
    source = HEADERS / "runtime.cpp"
    key = hashlib.sha256("\0".join([source.read_text(encoding="utf-8"), *clang()]).encode()).hexdigest()
    kept, name = KeptFiles("hls-runtime"), f"{key}.txt"
    text = kept.text(name)
    if text is None:
        run_limited(
            [*clang(), "-std=gnu++17", "-O1", "-c", str(source), "-o", str(out)], out.parent, "compiling the runtime"
        )
        kept.keep(name, b64encode(out.read_bytes()).decode())
    else:
        out.write_bytes(b64decode(text))


def lower(parts: Sequence[Path], request: Path, out: Path) -> None:
    """Analyzes the bitcode of a design's files and compiles it with calls of the runtime, in a process of its own.

    Raises:
        InputError: LLVM cannot read it.
    """
    command = python_command(
        ["-m", "sttest.importers.cpp.lower", str(request), str(out), *map(str, parts)], ends_with_us=True
    )
    path = os.pathsep.join(
        filter(None, [str(Path(sys.modules["sttest"].__file__ or "").parents[1]), os.environ.get("PYTHONPATH", "")])
    )
    run_limited(["env", f"PYTHONPATH={path}", *command], out.parent, "analyzing the C++")
