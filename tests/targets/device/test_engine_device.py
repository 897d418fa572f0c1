"""The engines ``device`` and ``hw_emu`` as far as they go without a card: over a module that is called pyxrt."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest

from sttest.core.errors import InputError, SttestError
from sttest.package import KernelFiles
from sttest.targets.device import CardOptions, HeldCard
from sttest.targets.device.packed import PackedRequest, main, run_packed
from sttest.targets.doctor.ask import LIMIT_S

DATA = bytes(range(256))
REVERSED = b"".join(DATA[start : start + 64] for start in (192, 128, 64, 0))
XRT_SMI = """\
#!/bin/sh
if [ "$1" = --version ]; then echo "       Version              : 2.17.319"; exit 0; fi
echo "[0000:81:00.1]  :  xilinx_u55c_gen3x16_xdma_base_3  x  user(inst=128)  Yes"
"""


@pytest.fixture
def pyxrt(tmp_path, monkeypatch) -> Path:
    """Puts the module and XRT's tool where they are looked for; returns the file that gets the emulation mode."""
    folder = tmp_path / "xrt"
    folder.mkdir()
    shutil.copy(Path(__file__).with_name("fake_pyxrt.py"), folder / "pyxrt.py")
    (folder / "xrt-smi").write_text(XRT_SMI)
    (folder / "xrt-smi").chmod(0o755)
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setenv("FAKE_PYXRT_MODE_FILE", str(tmp_path / "mode"))
    return tmp_path / "mode"


@pytest.mark.parametrize(("engine", "mode"), [("device", "none"), ("hw_emu", "hw_emu")])
def test_the_host_program_is_the_same_over_pyxrt(engine, mode, pyxrt, reverser, monkeypatch):
    monkeypatch.setenv("XCL_EMULATION_MODE", "sw_emu")  # what somebody left there is not taken over
    files = KernelFiles.read(reverser[0])
    with HeldCard(files, CardOptions(engine, str(files.signature_path))) as card:
        for name in "xy":
            card.allocate(name, name)
        card.write("x", DATA)
        card.prepare("run", {"x": "x", "y": "y"})
        assert card.launch("run", doing="block 0").simulated_us is None
        assert card.read("y") == REVERSED
    assert pyxrt.read_text() == mode


def test_an_xclbin_of_another_kernel_is_refused_before_it_is_loaded(pyxrt, reverser, tmp_path):
    text = json.loads((reverser[0] / "hls" / "signature.json").read_text())
    text["kernels"][0]["name"] = "other"
    (tmp_path / "other.xclbin").write_text(json.dumps(text))
    files = KernelFiles.read(reverser[0])
    with (
        pytest.raises(InputError, match="no kernel 'reverse' of 2 arguments"),
        HeldCard(files, CardOptions("device", str(tmp_path / "other.xclbin"))),
    ):
        pass


@pytest.fixture
def archive(reverser, tmp_path) -> Path:
    """An unpacked archive of the reverser, built."""
    folder = Path(shutil.copytree(reverser[0], tmp_path / "archive"))
    for name, data in (("inputs/x", DATA), ("golden/y", REVERSED)):
        path = folder / "host" / f"{name}.bin"
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
    description = {
        "schema": "sttest.packed-run/1",
        "model": "reverser",
        "phase": "decode",
        "simulated_us": 1.0,
        "inputs": {"x": "host/inputs/x.bin"},
        "golden": {"y": "host/golden/y.bin"},
    }
    (folder / "host" / "run.json").write_text(json.dumps(description))
    built = folder / "hls" / "build-hw" / "reverse.xclbin"
    built.parent.mkdir()
    shutil.copy(folder / "hls" / "signature.json", built)
    return folder


def test_what_a_card_gives_is_measured(pyxrt, archive):
    assert run_packed(PackedRequest(archive, "device", launches=30)) == 0
    with (archive / "results-device" / "table.csv").open(newline="") as file:
        rows = {row["metric"]: row for row in csv.DictReader(file)}
    assert {row["engine"] for row in rows.values()} == {"device"}
    assert {row["kind"] for row in rows.values()} == {"measured"}
    assert float(rows["launch_device_average"]["value"]) == 20.0
    assert rows["launch_device_average"]["source"].startswith("XRT")
    assert rows["power_load"]["source"].startswith("XRT")
    idle, load = float(rows["power_idle"]["value"]), float(rows["power_load"]["value"])
    busy_s = (
        sum(
            float(line.split(",")[4])
            for line in (archive / "results-device" / "steps.csv").read_text().splitlines()[1:]
        )
        / 1e6
    )
    assert float(rows["energy_above_idle"]["value"]) == pytest.approx((load - idle) * busy_s)


def test_a_tool_that_answers_late_is_not_taken_for_missing(pyxrt, archive, tmp_path):
    (tmp_path / "xrt" / "xrt-smi").write_text(XRT_SMI.replace("#!/bin/sh\n", f"#!/bin/sh\nsleep {LIMIT_S + 0.3}\n"))
    assert run_packed(PackedRequest(archive, "device")) == 0


def test_without_a_build_it_says_how_to_make_one(pyxrt, archive):
    (archive / "hls" / "build-hw" / "reverse.xclbin").unlink()
    with pytest.raises(InputError, match="make -C hls TARGET=hw"):
        run_packed(PackedRequest(archive, "device"))


def test_a_path_out_of_the_archive_is_refused(pyxrt, archive):
    path = archive / "host" / "run.json"
    path.write_text(path.read_text().replace("host/inputs/x.bin", "host/../../etc/passwd"))
    with pytest.raises(SttestError):
        run_packed(PackedRequest(archive, "device"))


def test_the_command_gives_an_exit_code_and_one_line(archive, monkeypatch, capsys):
    monkeypatch.setenv("PATH", "/nowhere")
    assert main([str(archive), "--backend", "device"]) == 5
    assert capsys.readouterr().err.count("\n") == 1
