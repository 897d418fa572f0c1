"""`sttest build`: without Vitis, and with tools on PATH that succeed, fail, hang or are of another version."""

from __future__ import annotations

import json
import time
from xml.etree import ElementTree

import pytest

PACKAGE = ("gpt2", "decode")


def test_without_vitis_it_is_one_line_and_nothing_is_written(sttest, own_package_of, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    package = own_package_of(*PACKAGE)
    before = sorted(package.rglob("*"))
    outcome = sttest("build", package, "--target", "hw")
    assert outcome.exit_code == 5
    assert outcome.stderr.count("\n") == 1
    assert "v++: no v++ on PATH" in outcome.stderr
    assert sorted(package.rglob("*")) == before


def test_a_dry_run_needs_nothing_and_says_what_it_would_do(sttest, own_package_of, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    package = own_package_of(*PACKAGE)
    outcome = sttest("build", package, "--target", "hw_emu", "--dry-run")
    assert outcome.exit_code == 0
    assert "v++ --compile --target hw_emu --platform xilinx_u55c_gen3x16_xdma_3_202210_1" in outcome.stdout
    assert "emconfigutil --platform xilinx_u55c_gen3x16_xdma_3_202210_1" in outcome.stdout
    assert not (package / "hls" / "build-hw_emu").exists()


def test_a_build_is_done_once(sttest, own_package_of, vitis):
    package, calls = own_package_of(*PACKAGE), vitis()
    first = json.loads(sttest("build", package, "--target", "hw_emu", "--jobs", "8", "--json").stdout)
    assert [(step["name"], step["was_done"]) for step in first["steps"]] == [
        ("compile", False),
        ("link", False),
        ("emconfig", False),
    ]
    assert "--jobs 8" in calls.read_text()
    again = json.loads(sttest("build", package, "--target", "hw_emu", "--jobs", "8", "--json").stdout)
    assert {step["was_done"] for step in again["steps"]} == {True}
    assert len(calls.read_text().splitlines()) == 3


def test_it_goes_on_at_the_step_that_failed(sttest, own_package_of, vitis):
    package = own_package_of(*PACKAGE)
    calls = vitis(trouble='case "$*" in *--link*) echo "ERROR: [VPL 60-773] timing"; exit 1;; esac')
    failed = sttest("build", package, "--target", "hw")
    assert failed.exit_code == 1
    assert "step link: v++: exit code 1: ERROR: [VPL 60-773] timing; its log is" in failed.stderr
    vitis()
    mended = sttest("build", package, "--target", "hw")
    assert mended.exit_code == 0
    assert "compile    done before" in mended.stdout
    assert len(calls.read_text().splitlines()) == 3


def test_a_tool_that_hangs_is_ended_at_its_time_limit(sttest, own_package_of, vitis):
    package = own_package_of(*PACKAGE)
    vitis(trouble="sleep 300")
    began = time.monotonic()
    outcome = sttest("build", package, "--target", "hw", "--timeout-compile", "0.5")
    assert time.monotonic() - began < 60
    assert outcome.exit_code == 1
    assert "step compile: did not end" in outcome.stderr
    assert "--timeout-compile" in outcome.stderr


@pytest.mark.parametrize(
    ("version", "message"),
    [("2023.2", "v++ is 2023.2, the platform goes with 2024.1"), ("nightly", "v++ does not tell its version")],
)
def test_another_version_is_taken_only_if_told(version, message, sttest, own_package_of, vitis):
    package = own_package_of(*PACKAGE)
    vitis(version=version)
    refused = sttest("build", package, "--target", "hw")
    assert refused.exit_code == 2
    assert message in refused.stderr
    assert not (package / "hls" / "link.cfg").exists()
    assert sttest("build", package, "--target", "hw", "--any-version").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(("--board", "u280"), "the package was compiled for 'u55c'"), (("--slr", "7"), "'u55c' has no SLR7")],
)
def test_what_does_not_fit_the_package_is_refused(arguments, message, sttest, own_package_of):
    outcome = sttest("build", own_package_of(*PACKAGE), "--target", "hw", "--dry-run", *arguments)
    assert outcome.exit_code == 2
    assert message in outcome.stderr


def test_a_folder_that_is_no_package_is_refused(sttest, tmp_path):
    outcome = sttest("build", tmp_path, "--target", "hw", "--dry-run")
    assert outcome.exit_code == 2
    assert "no design package" in outcome.stderr


def test_the_u280_is_a_board_like_the_other(sttest, package_of):
    outcome = sttest("build", package_of(*PACKAGE, "u280"), "--target", "hw", "--dry-run", "--json")
    document = json.loads(outcome.stdout)
    assert document["platform"] == "xilinx_u280_gen3x16_xdma_1_202211_1"
    assert document["banks"] <= 32


@pytest.mark.parametrize(("board", "platform"), [("u50", "xilinx_u50_gen3x16_xdma_5_202210_1"), ("v80", "")])
def test_a_board_without_a_platform_is_refused(board, platform, sttest, tmp_path):
    package = tmp_path / "here"
    assert sttest("compile", "small-gpt2", "--phase", "decode", "--board", board, "-o", package).exit_code == 0
    outcome = sttest("build", package, "--target", "hw", "--dry-run")
    if platform:
        assert (outcome.exit_code, f"--platform {platform} " in outcome.stdout) == (0, True)
        return
    assert outcome.exit_code == 2
    assert f"toolchain.platform: Vitis has no platform for board '{board}'" in outcome.stderr
    assert not (package / "hls" / "link.cfg").exists()


def test_a_kernel_may_be_bound_to_a_region(sttest, own_package_of):
    package = own_package_of(*PACKAGE)
    assert sttest("build", package, "--target", "hw", "--dry-run", "--slr", "0").exit_code == 0
    assert "slr=group0_1:SLR0" in (package / "hls" / "link.cfg").read_text()


@pytest.mark.nightly
@pytest.mark.slow
def test_the_flow_of_rtl_writes_a_kernel(sttest, tmp_path):
    pytest.importorskip("xls", reason="needs xls-python, pip install 'sttest[rtl]'")
    package = tmp_path / "package"
    sttest("compile", "small-gpt2", "--phase", "decode", "--context", "32", "-o", package)
    told = json.loads(sttest("build", package, "--flow", "rtl", "--json").stdout)
    folder = package / "rtl"
    assert told["commands"] == [f"cd {folder} && vivado -mode batch -source package_xo.tcl"]
    assert told["ports"][0] == "m_axi_x"
    assert {path.name for path in (folder / "sources").iterdir()} == {
        source.split("/")[-1] for source in told["sources"]
    }
    xml = ElementTree.parse(folder / "kernel.xml").getroot()
    assert [port.get("name") for port in xml.iter("port")] == ["s_axi_control", *told["ports"]]
    offsets = [int(str(argument.get("offset")), 16) for argument in xml.iter("arg")]
    assert offsets == [0x10 + 12 * number for number in range(len(told["ports"]))]
    script = (folder / "package_xo.tcl").read_text()
    assert "create_project -force -part xcu55c-fsvh2892-2L-e" in script
    assert all(bus in script for bus in told["ports"])
