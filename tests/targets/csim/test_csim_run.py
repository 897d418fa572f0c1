"""Kernels written by hand under C simulation: values, occupancies, deadlocks, and what goes wrong around them."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from sttest.core.errors import InputError, SttestError
from sttest.package import KernelFiles
from sttest.targets.csim import build_kernel, run_kernel
from sttest.targets.csim.headers import header_folders

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")

KERNEL = """
#include <ap_int.h>
#include <hls_stream.h>
#include <hls_streamofblocks.h>
#include <hls_vector.h>

typedef hls::vector<ap_int<8>, 16> token;
typedef int block[64];

static void load(const ap_uint<512>* memory, hls::stream<token>& out) {
  for (int beat = 0; beat < 2; ++beat) {
    const ap_uint<512> bits = memory[beat];
    for (int part = 0; part < 4; ++part) {
      token values;
      for (int i = 0; i < 16; ++i) values[i] = ap_int<8>(bits.range(128 * part + 8 * i + 7, 128 * part + 8 * i));
      out.write(values);
    }
  }
}

static void fork(hls::stream<token>& in, hls::stream<token>& left, hls::stream<token>& right) {
  for (int t = 0; t < 8; ++t) {
    const token values = in.read();
    left.write(values);
    right.write(values);
  }
}

static void fill(hls::stream<token>& in, hls::stream_of_blocks<block, 2>& blocks) {
  for (int b = 0; b < 2; ++b) {
    hls::write_lock<block> out(blocks);
    for (int t = 0; t < 4; ++t) {
      const token values = in.read();
      for (int i = 0; i < 16; ++i) out[16 * t + i] = values[i];
    }
  }
}

static void drain(hls::stream_of_blocks<block, 2>& blocks, hls::stream<token>& out) {
  for (int b = 0; b < 2; ++b) {
    hls::read_lock<block> in(blocks);
    for (int t = 0; t < 4; ++t) {
      token values;
      for (int i = 0; i < 16; ++i) values[i] = in[63 - 16 * t - i];
      out.write(values);
    }
  }
}

static void add(hls::stream<token>& left, hls::stream<token>& right, ap_uint<512>* memory) {
  for (int beat = 0; beat < 2; ++beat) {
    ap_uint<512> bits;
    for (int part = 0; part < 4; ++part) {
      const token a = left.read(), b = right.read();
      for (int i = 0; i < 16; ++i) bits.range(128 * part + 8 * i + 7, 128 * part + 8 * i) = ap_int<8>(a[i] + b[i]);
    }
    memory[beat] = bits;
  }
}

extern "C" void reverse_add(const ap_uint<512>* x, ap_uint<512>* y) {
  hls::stream<token, 2> loaded("loaded");
  hls::stream<token, 2> turned("turned");
  hls::stream<token, DEPTH> straight("straight");
  hls::stream<token, 2> back("back");
  hls::stream_of_blocks<block, 2> blocks("blocks");
  STTEST_PROCESS(load, x, loaded);
  STTEST_PROCESS(fork, loaded, turned, straight);
  STTEST_PROCESS(fill, turned, blocks);
  STTEST_PROCESS(drain, blocks, back);
  STTEST_PROCESS(add, back, straight, y);
}
"""


def _package(folder: Path, depth: int, kernel: str = KERNEL) -> KernelFiles:
    (folder / "hls").mkdir(parents=True)
    (folder / "hls" / "kernel.cpp").write_text(kernel.replace("DEPTH", str(depth)))
    buffers = [
        {
            "kind": "buffer",
            "name": name,
            "index": index,
            "element": "int8",
            "bytes": 128,
            "access": access,
            "banks": [0],
        }
        for index, (name, access) in enumerate([("x", "read"), ("y", "write")])
    ]
    signature = {
        "schema": "sttest.kernel-signature/1",
        "design": "reverse",
        "board": "u55c",
        "kernels": [{"name": "reverse_add", "arguments": buffers}],
    }
    (folder / "hls" / "signature.json").write_text(json.dumps(signature))
    return KernelFiles.read(folder)


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    return tmp_path_factory.mktemp("csim")


@pytest.fixture(scope="module")
def kernel(work):
    return build_kernel(_package(work / "deep", 4), work)


X = np.arange(128, dtype=np.int8) // 2 - 30


def test_values_and_occupancies(kernel, tmp_path):
    run = run_kernel(kernel, {"x": X.view(np.uint8)}, streams=tmp_path)
    expected = X.reshape(2, 64) + X.reshape(2, 64)[:, ::-1]
    np.testing.assert_array_equal(run.results["y"].view(np.int8), expected.ravel())
    assert run.verdict == "done"
    assert kernel.warnings == ""
    assert {name: use.peak <= use.depth for name, use in run.fifos.items()} == dict.fromkeys(run.fifos, True)
    assert (run.fifos["straight"].peak, run.fifos["straight"].written, run.fifos["straight"].read) == (4, 8, 8)
    np.testing.assert_array_equal(np.fromfile(tmp_path / "loaded.bin", np.int8), X)
    np.testing.assert_array_equal(np.fromfile(tmp_path / "back.bin", np.int8), X.reshape(2, 64)[:, ::-1].ravel())


WIDE = (
    KERNEL.replace("hls::stream<token>& right) {", "hls::stream<token> (&right)[2]) {")
    .replace("    right.write(values);", "    right[0].write(values);\n    right[1].write(values[15]);")
    .replace("hls::stream<token>& right, ap_uint", "hls::stream<token> (&right)[2], ap_uint")
    .replace(
        "const token a = left.read(), b = right.read();",
        "const token a = left.read(), b = right[0].read(), c = right[1].read();\n      if (b[15] != c[0]) continue;",
    )
    .replace(
        'hls::stream<token, DEPTH> straight("straight");',
        'hls::stream<token> straight[2]; STTEST_FIFO(straight, "straight", DEPTH);',
    )
)
"""The same kernel with one FIFO whose tokens are two words, the second one all of the first one's last element."""


def test_tokens_of_several_words_are_one_stream(work, tmp_path):
    """Its words are side by side in the file, and it is counted once."""
    wide = build_kernel(_package(work / "wide", 4, WIDE), work)
    run = run_kernel(wide, {"x": X.view(np.uint8)}, streams=tmp_path)
    expected = X.reshape(2, 64) + X.reshape(2, 64)[:, ::-1]
    np.testing.assert_array_equal(run.results["y"].view(np.int8), expected.ravel())
    assert (run.fifos["straight"].peak, run.fifos["straight"].written, run.fifos["straight"].depth) == (4, 8, 4)
    assert {*run.fifos} == {"loaded", "turned", "straight", "back", "blocks"}
    assert {each.stem for each in tmp_path.iterdir()} == {"loaded", "turned", "straight", "back"}
    tokens = np.fromfile(tmp_path / "straight.bin", np.int8).reshape(8, 32)
    np.testing.assert_array_equal(tokens[:, :16], X.reshape(8, 16))
    np.testing.assert_array_equal(tokens[:, 16:], np.repeat(X.reshape(8, 16)[:, 15:], 16, axis=1))


def test_tokens_of_several_words_wait_for_each_other(work, tmp_path):
    shallow = build_kernel(_package(work / "wide_shallow", 2, WIDE), work)
    run = run_kernel(shallow, {"x": X.view(np.uint8)}, streams=tmp_path)
    assert run.verdict == "deadlock"
    assert {each.process: (each.waits_to, each.fifo) for each in run.blocked}["fork"] == ("write", "straight")
    assert run_kernel(shallow, {"x": X.view(np.uint8)}, depths={"straight": 4}).verdict == "done"


def test_too_small_a_fifo_is_a_deadlock_that_says_who_waits(work):
    shallow = build_kernel(_package(work / "shallow", 2), work)
    run = run_kernel(shallow, {"x": X.view(np.uint8)})
    assert run.verdict == "deadlock"
    assert run.results == {}
    waits = {each.process: (each.waits_to, each.fifo) for each in run.blocked}
    assert waits == {
        "load": ("write", "loaded"),
        "fork": ("write", "straight"),
        "fill": ("read", "turned"),
        "drain": ("read", "blocks"),
        "add": ("read", "back"),
    }


def test_depths_are_changed_without_compiling_anew(kernel):
    assert run_kernel(kernel, {"x": X.view(np.uint8)}, depths={"straight": 2}).verdict == "deadlock"
    run = run_kernel(kernel, {"x": X.view(np.uint8)}, depths={"straight": 64, "back": 1})
    assert (run.verdict, run.fifos["straight"].depth, run.fifos["back"].peak) == ("done", 64, 1)


def test_a_kernel_is_compiled_once(kernel, work):
    again = build_kernel(KernelFiles.read(work / "deep"), work)
    assert (again.path, again.build_s) == (kernel.path, 0.0)


def test_memory_of_another_size_is_refused(kernel):
    with pytest.raises(InputError, match="another size"):
        run_kernel(kernel, {"x": X.view(np.uint8)[:64]})
    with pytest.raises(InputError, match="'x' has no memory image"):
        run_kernel(kernel, {})
    with pytest.raises(InputError, match="'z' is not an argument"):
        run_kernel(kernel, {"x": X.view(np.uint8), "z": X.view(np.uint8)})


def test_a_kernel_that_does_not_compile_is_one_error(work):
    broken = _package(work / "broken", 4, KERNEL.replace("left.read()", "left.fetch()"))
    with pytest.raises(SttestError, match="refused the kernel") as caught:
        build_kernel(broken, work)
    assert "\n" not in str(caught.value)
    assert not list(work.glob(".csim-*"))


def _with(statement: str) -> str:
    return KERNEL.replace("const token a", f"{statement} const token a")


def test_a_kernel_that_crashes_or_hangs_is_one_error(work):
    crashing = build_kernel(_package(work / "crash", 4, _with("__builtin_trap();")), work)
    with pytest.raises(SttestError, match="ended with -4"):
        run_kernel(crashing, {"x": X.view(np.uint8)})
    hanging = build_kernel(_package(work / "hang", 4, _with("for (volatile int i = 0; i < 1;) {}")), work)
    with pytest.raises(SttestError, match="did not end"):
        run_kernel(hanging, {"x": X.view(np.uint8)}, timeout_s=1)


STARTS = "import subprocess, sys; child = subprocess.Popen(sys.argv[1:]); print(child.pid, flush=True); child.wait()"


def test_a_kernel_that_hangs_ends_with_who_started_it(work, tmp_path):
    hanging = build_kernel(_package(work / "left", 4, _with("for (volatile int i = 0; i < 1;) {}")), work)
    (tmp_path / "x.in").write_bytes(X.tobytes())
    command = [sys.executable, "-P", "-c", STARTS, str(hanging.path), str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as parent:
        child = int(parent.stdout.readline())
        while not int(_state(child)[11]):  # ticks that it has run
            time.sleep(0.05)
        parent.kill()
    until = time.monotonic() + 30
    while _state(child)[0] not in ("", "Z") and time.monotonic() < until:
        time.sleep(0.05)
    state = _state(child)[0]
    if state not in ("", "Z"):
        os.kill(child, signal.SIGKILL)
    assert state in ("", "Z")


def _state(pid: int) -> list[str]:
    """Fields of a process from its state on; an empty one where it has gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return [""]


def test_a_package_without_cpp_is_refused(tmp_path):
    package = _package(tmp_path / "empty", 4)
    package.cpp.unlink()
    with pytest.raises(InputError, match=r"no hls/kernel\.cpp"):
        build_kernel(package, tmp_path)


def test_other_integer_types_are_taken_where_a_folder_has_them(kernel, work, tmp_path):
    """A clone has them in `include`; that folder will do, too."""
    clone = tmp_path / "clone"
    (clone / "include").mkdir(parents=True)
    with header_folders() as own:
        own_types = (own.integers / "ap_int.h").read_text()
    (clone / "include" / "ap_int.h").write_text(own_types)
    for folder in (clone, clone / "include"):
        other = build_kernel(KernelFiles.read(work / "deep"), work, ap_types=folder)
        assert other.ap_types == clone / "include"
        assert other.integer_types == str(clone / "include")
    assert (kernel.ap_types, kernel.integer_types) == (None, "sttest")
    assert run_kernel(other, {"x": X.view(np.uint8)}).verdict == "done"
    (clone / "include" / "ap_int.h").write_text("#error these are the types")
    with pytest.raises(SttestError, match="these are the types"):
        build_kernel(KernelFiles.read(work / "deep"), work, ap_types=clone)


def test_streams_stay_our_own_beside_other_integer_types(kernel, work, tmp_path):
    with header_folders() as own:
        (tmp_path / "ap_int.h").write_text((own.integers / "ap_int.h").read_text())
    (tmp_path / "hls_stream.h").write_text("#error these streams have no depth")
    built = build_kernel(KernelFiles.read(work / "deep"), work, ap_types=tmp_path)
    assert built.path != kernel.path


def test_a_folder_without_integer_types_is_refused_in_one_line(kernel, work, tmp_path):
    (tmp_path / "include").mkdir()
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(InputError, match=r"no ap_int\.h there, nor in its include") as caught:
            build_kernel(KernelFiles.read(kernel.path.parent / "deep"), work, ap_types=folder)
        assert "\n" not in str(caught.value)
        assert "git clone https://github.com/Xilinx/HLS_arbitrary_Precision_Types" in str(caught.value)
