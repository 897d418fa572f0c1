"""Compiles the emitted C++ of a design package together with a main program that feeds it."""

import hashlib
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sttest.core.errors import InputError, SttestError, ToolMissingError
from sttest.core.kernel_signature import BufferArgument, KernelSignature
from sttest.package import KernelFiles
from sttest.targets.csim.headers import HeaderFolders, ap_types_folder, header_folders

# --- The main program of a C simulation: arguments from files, one call of the kernel, results into files


_PROGRAM = """\
// Runs {name} once: reads <folder>/<argument>.in, writes <folder>/<argument>.out and <folder>/report.json.
#include <ap_int.h>
#include <sttest_process.h>
#include <sys/prctl.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using beats = std::vector<ap_uint<{beat_bits}>>;

extern "C" void {name}({parameters});

namespace {{

std::FILE* opened(const std::string& path, const char* mode) {{
  std::FILE* file = std::fopen(path.c_str(), mode);
  if (file == nullptr) {{
    std::fprintf(stderr, "cannot open %s\\n", path.c_str());
    std::exit(1);
  }}
  return file;
}}

void load(beats& memory, const std::string& path) {{
  std::FILE* file = opened(path, "rb");
  if (std::fread(memory.data(), sizeof(memory[0]), memory.size(), file) != memory.size()) {{
    std::fprintf(stderr, "%s is too short\\n", path.c_str());
    std::exit(1);
  }}
  std::fclose(file);
}}

void store(const beats& memory, const std::string& path) {{
  std::FILE* file = opened(path, "wb");
  if (std::fwrite(memory.data(), sizeof(memory[0]), memory.size(), file) != memory.size()) std::exit(1);
  if (std::fclose(file) != 0) std::exit(1);
}}

}}  // namespace

int main(int count, char** words) {{
  static_assert(sizeof(ap_uint<{beat_bits}>) == {beat_bytes}, "a beat is {beat_bytes} bytes");
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // who started it also ends it in time, but not after a kill
  if (count != 2) return 2;
  const std::string folder = words[1];
  sttest::scheduler::get().report_to(folder + "/report.json");
{memories}
{loads}
  {name}({arguments});
{stores}
  sttest::scheduler::get().write_report("done");
  return 0;
}}
"""


def main_program(signature: KernelSignature) -> str:
    """The text for a kernel; names are checked identifiers.

    Raises:
        InputError: an argument is no buffer of whole beats, or ports have different widths.
    """
    beat_bytes = max((each.alignment_bytes for each in signature.buffers), default=1)
    buffers = [_whole_beats(argument, beat_bytes) for argument in signature.arguments]
    return _PROGRAM.format(
        name=signature.name,
        beat_bytes=beat_bytes,
        beat_bits=8 * beat_bytes,
        parameters=", ".join(_parameter(each) for each in buffers),
        memories="\n".join(f"  beats {each.name}({each.bytes // beat_bytes});" for each in buffers),
        loads=_lines("load", "in", [each for each in buffers if each.is_read]),
        stores=_lines("store", "out", [each for each in buffers if each.is_written]),
        arguments=", ".join(f"{each.name}.data()" for each in buffers),
    )


def _whole_beats(argument: object, beat_bytes: int) -> BufferArgument:
    is_buffer = isinstance(argument, BufferArgument)
    if not is_buffer or argument.alignment_bytes != beat_bytes or argument.bytes % beat_bytes:
        raise InputError("bad-argument", f"not a buffer of whole {beat_bytes}-byte beats: {argument}", where="csim")
    return argument


def _parameter(buffer: BufferArgument) -> str:
    return f"{'' if buffer.is_written else 'const '}ap_uint<{8 * buffer.alignment_bytes}>* {buffer.name}"


def _lines(function: str, suffix: str, buffers: list[BufferArgument]) -> str:
    return "\n".join(f'  {function}({each.name}, folder + "/{each.name}.{suffix}");' for each in buffers)


COMPILER = "g++"
# -ffp-contract=off: every float operation is rounded by itself, as docs/reference/values.md says and as Vitis HLS does.
# Directives mean nothing to a compiler; the kernel says so itself, but GCC before 13 does not listen.
FLAGS = ("-std=c++17", "-O2", "-Wall", "-Wextra", "-Wno-unknown-pragmas", "-ffp-contract=off")
# A default constructor of Xilinx's types masks the bits that it has not set, thousands of times in a kernel.
AP_TYPES_FLAGS = ("-Wno-uninitialized", "-Wno-maybe-uninitialized")
BUILD_TIMEOUT_S = 600.0
_PROCESSES = "sttest_process.h"


@dataclass(frozen=True)
class Executable:
    """A compiled kernel."""

    path: Path  # takes a folder with the arguments (see :mod:`run`)
    signature: KernelSignature  # the kernel's name and arguments
    build_s: float  # seconds that the compiler took, 0 if this kernel had been compiled before
    warnings: str  # warnings of the compiler
    ap_types: Path | None = None  # folder of the ap_int.h that it was compiled against; None for our own

    @property
    def integer_types(self) -> str:
        """Whose integer types it was compiled against: ``sttest``, or the folder."""
        return "sttest" if self.ap_types is None else str(self.ap_types)


def find_compiler() -> None:
    """Makes sure that there is a C++ compiler.

    Raises:
        ToolMissingError: the tool is missing; the hint is the command that installs it.
    """
    if shutil.which(COMPILER) is None:
        raise ToolMissingError(
            "no-compiler", f"{COMPILER} not found", where="--backend csim", hints=["install with 'apt-get install g++'"]
        )


def build_kernel(
    files: KernelFiles, work: Path, *, ap_types: Path | None = None, timeout_s: float = BUILD_TIMEOUT_S
) -> Executable:
    """Compiles the C++ of a package; a kernel that the work folder has already is taken as it is.

    Args:
        files: the C++ and its signature.
        work: gets one executable per content of kernel and headers.
        ap_types: Xilinx's integer types, a clone of `AP_TYPES_REPOSITORY` or its ``include``; None for our own.
        timeout_s: time limit of the compiler, seconds.

    Raises:
        InputError: there is no emitted C++, or no ``ap_int.h`` in the folder.
        ToolMissingError: no compiler.
        SttestError: the compiler refused the kernel or did not end.
    """
    find_compiler()
    source, signature = files.cpp, files.kernel
    main = main_program(signature)
    types = None if ap_types is None else ap_types_folder(ap_types)
    flags = FLAGS if types is None else (*FLAGS, *AP_TYPES_FLAGS)
    with header_folders(types) as headers:
        target = work / f"csim-{_digest(files.cpp_text, main, flags, headers)}"
        if target.is_file():
            return Executable(target, signature, 0.0, "", types)
        began = time.perf_counter()
        command = (COMPILER, *flags, *headers.options, "-include", str(headers.streams / _PROCESSES))
        warnings = _compile(command, source, main, target, timeout_s)
    return Executable(target, signature, time.perf_counter() - began, warnings, types)


def _digest(text: str, main: str, flags: Sequence[str], headers: HeaderFolders) -> str:
    digest = hashlib.sha256("\0".join((*flags, main, text)).encode())
    for path in headers.files:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _compile(compiler: Sequence[str], source: Path, main: str, target: Path, timeout_s: float) -> str:
    """Compiles into a temporary folder and renames: nobody sees half an executable."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".csim-") as folder:
        made = Path(folder, "csim")
        program = Path(folder, "main.cpp")
        program.write_text(main, encoding="utf-8")
        command = (*compiler, str(source.resolve()), str(program), "-o", str(made))
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=timeout_s)
        except subprocess.TimeoutExpired as error:
            raise SttestError(
                "compiler-timeout",
                f"{COMPILER} did not end",
                where=str(source),
                bound=timeout_s,
                unit="s",
                hints=["allow more time"],
            ) from error
        if done.returncode:
            said = [line for line in done.stderr.splitlines() if "error" in line] or ["no message"]
            raise SttestError("compiler-failed", f"{COMPILER} refused the kernel: {said[0]}", where=str(source))
        made.rename(target)
    return done.stderr
