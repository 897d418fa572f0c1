"""Probes against programs on PATH that answer as the real ones do, or as no program should."""

import os
import signal
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from sttest.targets.doctor import CAPABILITIES, PARTS, PartStatus, survey
from sttest.targets.doctor import ask as ask_module
from sttest.targets.doctor.ask import MAX_ANSWER_BYTES, ask, printable
from sttest.targets.doctor.survey import ExternalTool
from sttest.targets.xrt.contract import SURFACE

VPP = """
****** v++ v2024.1 (64-bit)
  **** SW Build 5074859 on 2024-05-20-23:21:20
    ** Copyright 1986-2022 Xilinx, Inc. All Rights Reserved.
    ** Copyright 2022-2024 Advanced Micro Devices, Inc. All Rights Reserved.

"""
XRT_VERSION = """Version              : 2.17.319
Branch               : 2024.1
Hash                 : a75e9843c875bac0f52d34a1763e39e16fb3c9a7
Hash Date            : 2024-05-31 13:11:36
XOCL                 : 2.17.319, a75e9843c875bac0f52d34a1763e39e16fb3c9a7
XCLMGMT              : 2.17.319, a75e9843c875bac0f52d34a1763e39e16fb3c9a7
"""
EXAMINE = """System Configuration
  OS Name              : Linux
  Release              : 5.15.0-105-generic
  CPU Cores            : 64

XRT
  Version              : 2.17.319
  Branch               : 2024.1

Devices present
{cards}
* Devices that are not ready will have reduced functionality when using XRT tools
"""
ONE_CARD = """BDF             :  Shell                            Logic UUID      Device ID       Device Ready*
---------------------------------------------------------------------------------------------------
[0000:c1:00.1]  :  xilinx_u55c_gen3x16_xdma_base_3  97088961-…      user(inst=128)  {ready}
"""
WITH_BARS = """|BDF             |Shell                            |Logic UUID    |Device ID       |Device Ready*  |
|----------------|---------------------------------|--------------|----------------|---------------|
|[0000:2a:00.1]  |xilinx_u55c_gen3x16_xdma_base_3  |97088961-…    |user(inst=128)  |Yes            |
"""
NO_DRIVER = """NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. \
Make sure that the latest NVIDIA driver is installed and running.

"""
GCC = "g++ (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright (C) 2022 Free Software Foundation, Inc.\n"
FEDORA = "g++ (GCC) 13.2.1 20230801 (Red Hat 13.2.1-7)\n"
VERILATOR = "Verilator 5.006 2023-01-22 rev (Debian 5.006-3)\n"
ICARUS = "Icarus Verilog version 11.0 (stable) ()\n\nCopyright 1998-2020 Stephen Williams\n"


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Programs may be slow on a busy machine; where a test is of the time limit, it sets its own."""
    limit(monkeypatch, 60)


def limit(monkeypatch, seconds):
    for module in ("ask",):
        monkeypatch.setattr(f"sttest.targets.doctor.{module}.ask", partial(ask, limit_s=seconds))


@pytest.fixture
def path(tmp_path, monkeypatch) -> Path:
    """The only folder on PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def program(folder: Path, name: str, script: str) -> None:
    file = folder / name
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)


def prints(text: str, code: int = 0) -> str:
    return f"/bin/cat <<'END'\n{text}END\nexit {code}"


def find(name: str) -> PartStatus:
    return survey([part for part in PARTS if part.name == name])[name]


ANSWERS = {
    "g++": ("g++", "g++", GCC, PartStatus("ok", "12.2.0")),
    "g++ of Fedora": ("g++", "g++", FEDORA, PartStatus("ok", "13.2.1")),
    "make": ("make", "make", "GNU Make 4.3\nBuilt for x86_64-pc-linux-gnu\n", PartStatus("ok", "4.3")),
    "verilator": ("verilator", "verilator", VERILATOR, PartStatus("ok", "5.006")),
    "verilator, old": (
        "verilator",
        "verilator",
        "Verilator 4.038 2020-07-11 rev v4.036-114\n",
        PartStatus("other-version", "4.038"),
    ),
    "verilator, to come": ("verilator", "verilator", "Verilator 55.1 devel\n", PartStatus("other-version", "55.1")),
    "iverilog": ("iverilog", "iverilog", ICARUS, PartStatus("ok", "11.0")),
    "vvp": ("vvp", "vvp", "Icarus Verilog runtime version 11.0 (stable) ()\n", PartStatus("ok", "11.0")),
    "v++": ("v++", "v++", VPP, PartStatus("ok", "2024.1")),
    "v++, other": ("v++", "v++", VPP.replace("2024.1", "2025.2"), PartStatus("other-version", "2025.2")),
    "v++, patched": ("v++", "v++", VPP.replace("2024.1", "2024.1.2"), PartStatus("ok", "2024.1.2")),
    "xbutil": ("XRT", "xbutil", XRT_VERSION, PartStatus("ok", "2.17.319")),
    "xrt-smi": ("XRT", "xrt-smi", XRT_VERSION.replace("2.17.319", "2.18.179"), PartStatus("other-version", "2.18.179")),
    "a card": ("FPGA card", "xbutil", EXAMINE.format(cards=ONE_CARD.format(ready="Yes")), PartStatus("ok")),
    "a card, with bars": ("FPGA card", "xrt-smi", EXAMINE.format(cards=WITH_BARS), PartStatus("ok")),
    "a card, not ready": (
        "FPGA card",
        "xbutil",
        EXAMINE.format(cards=ONE_CARD.format(ready="No")),
        PartStatus("failed"),
    ),
    "no card": ("FPGA card", "xbutil", EXAMINE.format(cards="  0 devices found"), PartStatus("missing")),
    "no list of cards": ("FPGA card", "xbutil", "System Configuration\n", PartStatus("unreadable")),
    "GPU": ("GPU", "nvidia-smi", "NVIDIA H200, 580.159.04\n", PartStatus("ok", "580.159.04")),
    "GPUs": ("GPU", "nvidia-smi", "NVIDIA A100-SXM4-40GB, 535.104.05\n" * 8, PartStatus("ok", "535.104.05")),
    "no GPU": ("GPU", "nvidia-smi", "No devices were found\n", PartStatus("unreadable")),
}


@pytest.mark.parametrize("case", ANSWERS)
def test_what_real_programs_answer(case, path):
    part, name, text, expected = ANSWERS[case]
    program(path, name, prints(text))
    found = find(part)
    assert (found.status, found.version) == (expected.status, expected.version)


def test_details_of_cards(path):
    program(path, "xrt-smi", prints(EXAMINE.format(cards=WITH_BARS)))
    program(path, "nvidia-smi", prints("NVIDIA A100-SXM4-40GB, 535.104.05\n" * 8))
    assert find("FPGA card").detail == "xilinx_u55c_gen3x16_xdma_base_3 at 0000:2a:00.1"
    assert find("GPU").detail == "8 x NVIDIA A100-SXM4-40GB"
    program(path, "xrt-smi", prints(EXAMINE.format(cards=ONE_CARD.format(ready="No"))))
    assert find("FPGA card").detail == "xilinx_u55c_gen3x16_xdma_base_3 at 0000:c1:00.1, not ready"


def test_another_version_says_which_one_was_meant(path):
    program(path, "v++", prints(VPP.replace("2024.1", "2025.2")))
    assert find("v++").detail == f"{path}/v++; sttest was written for 2024.1"


FROM_PROGRAMS = ["g++", "make", "verilator", "iverilog", "vvp", "v++", "XRT", "FPGA card", "GPU"]
PROGRAM_NAMES = ("g++", "make", "verilator", "iverilog", "vvp", "v++", "xrt-smi", "nvidia-smi")
MISBEHAVIOUR = {
    "fails": ("echo 'cannot find libfoo.so' >&2; exit 3", "failed", "exit code 3: cannot find libfoo.so"),
    "fails and says nothing": ("exit 1", "failed", "exit code 1"),
    "crashes": ("kill -SEGV $$", "failed", "killed by signal 11"),
    "prints garbage": ("printf '\\377\\000\\033[2J\\001%s' '\"]}'", "unreadable", "in its answer"),
    "prints nothing": ("exit 0", "unreadable", "in its answer"),
    "prints without end": ("while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done", "failed", "more than"),
}


@pytest.mark.parametrize("kind", MISBEHAVIOUR)
def test_programs_that_misbehave(kind, path):
    script, status, told = MISBEHAVIOUR[kind]
    for name in PROGRAM_NAMES:
        program(path, name, script)
    found = survey([part for part in PARTS if part.name in FROM_PROGRAMS])
    assert {name: finding.status for name, finding in found.items()} == dict.fromkeys(FROM_PROGRAMS, status)
    assert all(told in finding.detail and finding.detail.isprintable() for finding in found.values())


def test_nothing_on_path(path):
    found = survey([part for part in PARTS if part.name in FROM_PROGRAMS])
    assert {finding.status for finding in found.values()} == {"missing"}
    assert found["XRT"].detail == "no xrt-smi or xbutil on PATH"


def test_the_driver_of_a_gpu_is_gone(path):
    program(path, "nvidia-smi", prints(NO_DRIVER, code=9))
    assert find("GPU").status == "failed"
    assert "exit code 9: NVIDIA-SMI has failed" in find("GPU").detail


def test_a_file_that_cannot_be_started(path):
    (path / "g++").write_bytes(b"\x7fELF nonsense")
    (path / "g++").chmod(0o755)
    found = find("g++")
    assert found.status == "failed"
    assert "cannot be started" in found.detail


def test_a_program_that_hangs_is_killed_with_its_children(path, tmp_path, monkeypatch):
    limit(monkeypatch, 0.3)
    program(path, "v++", f"echo $$ > {tmp_path}/parent\n/bin/sleep 600 &\necho $! > {tmp_path}/child\nwait")
    found = find("v++")
    assert (found.status, found.usable) == ("silent", None)
    assert "no answer within 0.3 s" in found.detail
    for name in ("parent", "child"):
        assert_gone(int((tmp_path / name).read_text()))


def is_running(pid):
    state = Path(f"/proc/{pid}/stat")
    return state.exists() and state.read_text().rsplit(")", 1)[1].split()[0] != "Z"


def assert_gone(pid):
    for _ in range(1000):
        if not is_running(pid):
            return
        time.sleep(0.01)
    pytest.fail(f"process {pid} still runs")


def test_a_child_that_keeps_the_pipe_open_is_not_waited_for(path, tmp_path):
    program(path, "v++", f"{prints(VPP).removesuffix('exit 0')}/bin/sleep 20 &\necho $! > {tmp_path}/child")
    assert find("v++").version == "2024.1"
    child = int((tmp_path / "child").read_text())
    assert is_running(child)
    os.kill(child, signal.SIGKILL)


def test_all_programs_are_asked_at_once(path, tmp_path):
    # Each waits for all others to have started: asked one after the other, none would ever answer.
    started = tmp_path / "started"
    started.mkdir()
    count = f"$(/bin/ls {started} | /usr/bin/wc -l)"
    script = f": > {started}/$$; while [ {count} -lt {len(FROM_PROGRAMS)} ]; do /bin/sleep 0.01; done; exit 7"
    for name in PROGRAM_NAMES:
        program(path, name, script)
    found = survey([part for part in PARTS if part.name in FROM_PROGRAMS])
    assert {finding.status for finding in found.values()} == {"failed"}


def test_the_time_limit_leaves_room_for_the_start_of_python():
    assert ask_module.LIMIT_S <= 1.0


def test_a_broken_probe_does_not_cost_the_report():
    def broken() -> PartStatus:
        raise KeyError("lost\nhere")

    found = survey([ExternalTool("broken", "tests", broken), *PARTS[:1]])
    assert found["broken"].status == "failed"
    assert "KeyError" in found["broken"].detail
    assert found["python"].status == "ok"


def test_the_answer_is_cut():
    answer = ask([sys.executable, "-c", f"print('x' * {4 * MAX_ANSWER_BYTES})"], limit_s=60)
    assert (answer.outcome, len(answer.text)) == ("failed", MAX_ANSWER_BYTES)


def test_lines_are_harmless():
    assert printable("a\x1b[2Jb\nc\td") == "a [2Jb c d"
    assert len(printable("x" * 500)) == 200


FULL = "\n".join(f"class {name}: pass" for name in SURFACE)
BINDINGS = {
    "whole": (FULL, "ok", "pyxrt.py"),
    "of another release": (FULL.replace("class bo: pass", ""), "failed", "has no bo"),
    "without its libraries": (
        "raise ImportError('libxrt_coreutil.so.2: cannot open shared object file')",
        "failed",
        "libxrt_coreutil.so.2",
    ),
    "crashing": ("import os; os.abort()", "failed", "killed by signal 6"),
    "leaving": ("raise SystemExit(0)", "unreadable", ""),
}


@pytest.mark.parametrize("kind", BINDINGS)
def test_pyxrt_is_imported_elsewhere(kind, tmp_path, monkeypatch):
    text, status, told = BINDINGS[kind]
    (tmp_path / "pyxrt.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    found = find("pyxrt")
    assert found.status == status
    assert told in found.detail
    assert "pyxrt" not in sys.modules


@pytest.mark.parametrize("sourced", [True, False])
def test_pyxrt_that_lies_on_disk_and_cannot_be_imported(sourced, tmp_path, monkeypatch):
    (tmp_path / "python").mkdir()
    (tmp_path / "python" / "pyxrt.cpython-38-x86_64-linux-gnu.so").touch()
    monkeypatch.setenv("XILINX_XRT", str(tmp_path)) if sourced else monkeypatch.delenv("XILINX_XRT", raising=False)
    monkeypatch.setattr("sttest.targets.doctor.ask._XRT_PREFIX", str(tmp_path))
    found = find("pyxrt")
    assert found.status == "missing"
    assert ("of another Python" in found.detail) is sourced
    assert ("setup.sh" in found.detail) is not sourced


def test_packages_and_their_pins(monkeypatch):
    from importlib import metadata

    installed = {"torch": "2.13.0+cpu", "torch-mlir": "20250101", "sttest": "0.1.0", "numpy": "2.4.0"}

    def version(name):
        if name not in installed:
            raise metadata.PackageNotFoundError(name)
        return installed[name]

    lines = ["numpy<3,>=2.3", 'torch==2.13.0; extra == "frontend"', 'torch-mlir==20261001; extra == "frontend"']
    monkeypatch.setattr("sttest.targets.doctor.ask.metadata.version", version)
    monkeypatch.setattr("sttest.targets.doctor.ask.metadata.requires", lambda name: lines)
    assert find("torch") == PartStatus("ok", "2.13.0+cpu", "")
    assert find("torch-mlir") == PartStatus("other-version", "20250101", "sttest was written for 20261001")
    assert find("python packages") == PartStatus("ok", "0.1.0", "1 packages")
    del installed["numpy"], installed["torch"]
    assert find("python packages").detail == "not installed: numpy"
    assert find("torch").status == "missing"


def test_every_capability_needs_parts_that_are_looked_for():
    names = {part.name for part in PARTS}
    assert len(names) == len(PARTS)
    assert [need for able in CAPABILITIES for need in able.needs if need not in names] == []
    assert all(part.remedy for part in PARTS if part.name != "python")


def test_this_python_is_found():
    assert find("python").version == ".".join(map(str, sys.version_info[:3]))
    assert find("python").detail == sys.executable
