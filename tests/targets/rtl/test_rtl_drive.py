"""Finding and driving the simulators."""

import pytest

from sttest.core.errors import InputError, ToolMissingError
from sttest.targets.rtl.drive import build_folder, find_simulator


@pytest.mark.parametrize(
    ("simulator", "command"), [("verilator", "apt-get install verilator"), ("icarus", "apt-get install iverilog")]
)
def test_a_missing_tool_is_named_with_the_command_that_installs_it(simulator, command, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolMissingError, match=command) as caught:
        find_simulator(simulator)
    assert caught.value.exit_code == 5
    assert "\n" not in str(caught.value)


def test_an_unknown_simulator_has_a_nearest_name():
    with pytest.raises(InputError, match="did you mean 'verilator'"):
        find_simulator("verilater")


def test_a_folder_without_a_twin(tmp_path, monkeypatch):
    monkeypatch.setattr("sttest.targets.rtl.drive.find_simulator", lambda name: None)
    with pytest.raises(InputError, match=r"twin\.json"):
        build_folder(tmp_path, "icarus")
    assert list(tmp_path.iterdir()) == []
