"""Bringing a card back: which command is run, and what is told where there is none."""

import pytest

from sttest.targets.device.card import reset_card

PLACE = "0000:81:00.1"


@pytest.fixture
def tool(tmp_path, monkeypatch):
    """Puts a tool of XRT on PATH."""

    def make(name: str, script: str) -> None:
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    return make


@pytest.mark.parametrize("name", ["xrt-smi", "xbutil"])
def test_the_tool_that_is_there_resets_the_card(name, tool, tmp_path):
    tool(name, f'echo "$@" > {tmp_path}/said')
    assert reset_card(PLACE) == f"reset with {name}"
    assert (tmp_path / "said").read_text() == f"reset --device {PLACE} --force\n"


def test_a_tool_that_fails_is_told(tool):
    tool("xrt-smi", "exit 7")
    assert reset_card(PLACE) == "not reset: xrt-smi exit code 7"


@pytest.mark.parametrize("place", ["", "emulator:0", "0000:81:00.1; rm -rf /"])
def test_only_a_place_on_pcie_is_reset(place, tool, tmp_path):
    tool("xrt-smi", f"touch {tmp_path}/called")
    assert reset_card(place).startswith("not reset")
    assert not (tmp_path / "called").exists()
