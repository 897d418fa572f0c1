"""The main program of a C simulation: arguments from files, one call of the kernel, results into files."""

from __future__ import annotations

from sttest.boards.xrt.signature import BufferArgument, KernelSignature
from sttest.errors import InputError

_PROGRAM = """\
// Runs {name} once: reads <folder>/<argument>.in, writes <folder>/<argument>.out and <folder>/report.json.
#include <ap_int.h>
#include <sttest_process.h>

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
