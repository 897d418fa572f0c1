"""`sttest pack`: what is unpacked in an empty folder is whole, says so, and runs on the emulator."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

pytest.importorskip("torch")

from sttest.core.errors import InputError
from sttest.targets.device.packed import PackedRequest, run_packed

pytestmark = pytest.mark.torch


@pytest.fixture
def unpacked(sttest, own_package_of, tmp_path) -> Path:
    archive = tmp_path / "a.tar.gz"
    outcome = sttest("pack", own_package_of("gpt2", "decode"), "--out", archive)
    assert outcome.exit_code == 0, outcome.stderr
    with tarfile.open(archive) as file:
        file.extractall(tmp_path / "clean", filter="data")
    (folder,) = (tmp_path / "clean").iterdir()
    return folder


def test_it_is_whole_and_runs_on_the_emulator(unpacked, quick_build, capsys):
    check = subprocess.run(["make", "check"], cwd=unpacked, capture_output=True, text=True)
    assert check.returncode == 0, check.stderr
    assert run_packed(PackedRequest(unpacked, "emulator", launches=1)) == 0
    assert "the same as the golden" in capsys.readouterr().out
    assert (unpacked / "results-emulator" / "table.csv").is_file()

    golden = next((unpacked / "host" / "golden").glob("mlp_residual.bin"))
    data = bytearray(golden.read_bytes())
    data[5] ^= 1
    golden.write_bytes(data)
    assert run_packed(PackedRequest(unpacked, "emulator", launches=1)) == 6
    assert "DIFFERENT" in capsys.readouterr().out
    assert subprocess.run(["make", "check"], cwd=unpacked, capture_output=True).returncode != 0


def test_it_needs_no_pytorch(unpacked, tmp_path):
    (tmp_path / "torch.py").write_text("raise ImportError('no torch here')")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PATH": "/nowhere"}
    command = [sys.executable, "-m", "sttest.targets.device.packed", str(unpacked), "--backend", "device"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 5
    assert done.stderr.startswith("error: run --backend device: XRT: no xrt-smi")


def test_what_has_been_built_goes_with_it(sttest, own_package_of, vitis, tmp_path):
    package = own_package_of("gpt2", "decode")
    vitis()
    for target in ("hw", "hw_emu"):
        assert sttest("build", package, "--target", target).exit_code == 0
    assert sttest("pack", package, "--out", tmp_path / "a.tar.gz").exit_code == 0
    with tarfile.open(tmp_path / "a.tar.gz") as file:
        names = {name.partition("/")[2] for name in file.getnames()}
    built = {"hls/build-hw/group0.xclbin", "hls/build-hw_emu/group0.xclbin", "hls/build-hw_emu/emconfig.json"}
    assert built <= names
    assert not any("stamp" in name or name.endswith(".log") for name in names)


def test_the_same_package_is_the_same_archive(sttest, own_package_of, tmp_path):
    package = own_package_of("gpt2", "decode")
    for name in ("one", "two"):
        assert sttest("pack", package, "--out", tmp_path / name).exit_code == 0
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_an_image_of_another_size_is_refused(unpacked):
    (unpacked / "host" / "inputs" / "x.bin").write_bytes(b"short")
    with pytest.raises(InputError, match=r"host/inputs/x.bin: another size than the kernel's argument"):
        run_packed(PackedRequest(unpacked, "emulator"))


def test_a_text_is_packed_with_its_parameters_and_runs(sttest, quick_build, tmp_path, capsys):
    text, archive = Path(__file__).parents[2] / "crosscheck/texts/mlp_with_names.mlir", tmp_path / "a.tar.gz"
    assert sttest("compile", text, "-o", tmp_path / "package").exit_code == 0
    outcome = sttest("pack", tmp_path / "package", "--out", archive)
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    with tarfile.open(archive) as file:
        file.extractall(tmp_path / "clean", filter="data")
    (folder,) = (tmp_path / "clean").iterdir()
    assert (folder / "host" / "inputs" / "fc1_weight.bin").is_file()
    assert run_packed(PackedRequest(folder, "emulator", launches=1)) == 0
    assert "the same as the golden" in capsys.readouterr().out


def test_a_package_of_no_model_is_refused(sttest, tmp_path):
    outcome = sttest("pack", tmp_path)
    assert outcome.exit_code == 2
    assert "no design package" in outcome.stderr
