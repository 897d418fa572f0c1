"""Many emitted kernels in one program: reading the headers and starting a process takes longer than a small kernel."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sttest.compile.hls.kernel import EmittedKernel
from sttest.compile.hls.network import PortMemory, Tensor
from sttest.package.kernel_files import TensorRow
from sttest.targets.csim.build import AP_TYPES_FLAGS, FLAGS
from sttest.targets.csim.headers import AP_TYPES_VARIABLE, header_folders

HEAD = """\
#include <ap_int.h>
#include <hls_half.h>
#include <hls_math.h>
#include <hls_stream.h>
#include <hls_streamofblocks.h>
#include <hls_vector.h>
#include <cstdio>
#include <vector>
using beats = std::vector<ap_uint<512>>;
static void load(beats& memory, const char* path) {
  std::FILE* file = std::fopen(path, "rb");
  if (file == nullptr || std::fread(memory.data(), 64, memory.size(), file) != memory.size()) std::_Exit(1);
  std::fclose(file);
}
static void store(const beats& memory, const char* path) {
  std::FILE* file = std::fopen(path, "wb");
  if (file == nullptr || std::fwrite(memory.data(), 64, memory.size(), file) != memory.size()) std::_Exit(1);
  std::fclose(file);
}
"""


@dataclass(frozen=True)
class Call:
    """A kernel and the memory that it reads, by the names of its loads."""

    kernel: EmittedKernel
    memory: Mapping[str, NDArray[np.uint8]]


def run_all(calls: Sequence[Call], folder: Path) -> list[dict[str, NDArray[np.uint8]]]:
    """Compiles all kernels at once and calls each; what they wrote, by DMA."""
    text, calling = [HEAD], []
    for number, call in enumerate(calls):
        (folder / f"{number}.cpp").write_text(call.kernel.text, encoding="utf-8")
        text += _in_a_namespace(number, call.kernel.name)
        calling += _called(number, call)
        for each in call.kernel.memories:
            if not each.writes:
                (folder / f"{number}.{each.name}.in").write_bytes(_image(each, call.memory).tobytes())
    main = "\n".join([*text, "int main() {", *calling, "}", ""])
    (folder / "main.cpp").write_text(main, encoding="utf-8")
    flags = ["-O0" if flag == "-O2" else flag for flag in FLAGS]
    # With the integer types of Xilinx where the environment names them.
    ap_types = os.environ.get(AP_TYPES_VARIABLE)
    flags += AP_TYPES_FLAGS if ap_types else ()
    with header_folders(Path(ap_types) if ap_types else None) as headers:
        includes = [*headers.options, "-include", str(headers.streams / "sttest_process.h")]
        subprocess.run(["g++", *flags, "-Werror", *includes, "main.cpp", "-o", "main"], cwd=folder, check=True)
    subprocess.run([str(folder / "main")], cwd=folder, check=True)
    return [
        {
            each.label: np.fromfile(folder / f"{number}.{each.name}.out", np.uint8)
            for each in call.kernel.memories
            if each.writes
        }
        for number, call in enumerate(calls)
    ]


def _image(memory: PortMemory, images: Mapping[str, NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """Of an argument, from images by load."""
    if len(memory.tensors) + len(memory.behind) == 1:
        return images[memory.label]
    return TensorRow(*_part(memory.tensors), memory.layers, *_part(memory.behind)).image(images)


def _part(tensors: Sequence[Tensor]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Names and bytes."""
    sizes = (tensor.layout.words * tensor.layout.word_bytes for tensor in tensors)
    return tuple(tensor.label for tensor in tensors), tuple(sizes)


def _in_a_namespace(number: int, name: str) -> list[str]:
    return [
        f"#define {name} top_{number}",
        f"namespace kernel_{number} {{",
        f'#include "{number}.cpp"',
        "}",
        f"#undef {name}",
    ]


def _called(number: int, call: Call) -> list[str]:
    memories = call.kernel.memories
    lines = ["  {"]
    lines += [f"    beats {each.name}({each.words});" for each in memories]
    lines += [f'    load({each.name}, "{number}.{each.name}.in");' for each in memories if not each.writes]
    lines.append(f"    kernel_{number}::top_{number}({', '.join(f'{each.name}.data()' for each in memories)});")
    lines += [f'    store({each.name}, "{number}.{each.name}.out");' for each in memories if each.writes]
    return [*lines, "  }"]
