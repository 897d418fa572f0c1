"""What a user's file and module may do that once gave silence or wrong values."""

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch_mlir")

import torch
from torch import Tensor, nn

from sttest.compile.ir.module_walk import functions
from sttest.compile.ir.names import result_kinds
from sttest.compile.opt import parse
from sttest.core.errors import InputError
from sttest.frontend.module_source import ModuleSource

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore")]


class Uninitialized(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x + torch.empty(8)


def test_a_tensor_of_no_values_is_no_parameter():
    with pytest.raises(InputError, match=r"aten.empty.*test_module_defects.py:\d+.*no defined values.*torch.zeros"):
        ModuleSource.of(Uninitialized(), torch.randn(4, 8)).text()


class Filled(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x + torch.empty(8).fill_(2.0) + torch.empty_like(x).zero_() + torch.zeros_like(x)


def test_a_tensor_that_is_filled_before_it_is_read_gets_through():
    source = ModuleSource.of(Filled(), torch.randn(4, 8))
    assert all(np.isfinite(each).all() for each in source.parameters().values())
    assert source.text()


class Cached(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.k_proj, self.v_proj = nn.Linear(16, 16), nn.Linear(16, 16)

    def forward(self, x: Tensor) -> dict[str, Tensor]:
        return {"k_sum": self.k_proj(x).relu(), "v_sum": self.v_proj(x)}


def test_results_are_cache_entries_only_where_the_text_says_so(tmp_path, sttest):
    (function,) = functions(parse(ModuleSource.of(Cached(), torch.randn(4, 16)).text(), "cached"))
    assert result_kinds(function) == ["result", "result"]
    del function.attributes["sttest.result_kinds"]
    assert result_kinds(function) == ["cache", "cache"]


class Parts(nn.Module):
    def forward(self, p_x: Tensor, b_x: Tensor, c_x: Tensor) -> Tensor:
        return (p_x * b_x)[:, :4] + c_x[:, 4:]


def test_an_input_is_no_stored_tensor_whatever_its_name():
    x, y, z = torch.randn(3, 4, 8)
    source = ModuleSource.of(Parts(), {"p_x": x, "b_x": y, "c_x": z})
    assert source.text().count('"input"') == 3
    assert all(set(tensor.ravel()) <= {0.0, 1.0} for tensor in source.parameters().values())  # masks only


FILES = {
    "exits": ("raise SystemExit(0)", "SystemExit", "python"),
    "three": ("return nn.Linear(8, 8), torch.randn(4, 8), torch.randn(4, 8)", "gives 3 items", "one tuple"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_gives_no_module_is_refused(name, tmp_path, sttest):
    body, what, instead = FILES[name]
    (tmp_path / "own.py").write_text(f"import torch\nfrom torch import nn\n\ndef make():\n    {body}\n")
    outcome = sttest("compile", f"{tmp_path}/own.py:make", "-o", f"{tmp_path}/package")
    assert outcome.exit_code == 2
    assert what in outcome.stderr
    assert instead in outcome.stderr
    assert outcome.stderr.count("\n") == 1


def test_a_colon_in_a_folder_is_no_function(tmp_path):
    from sttest.studies.compile_request import Request

    assert str(Request(f"{tmp_path}/a:b/block.mlir").folder) == "build/block-u55c"
    assert str(Request(f"{tmp_path}/a:b/own.py:make").folder) == "build/own-u55c"


REPORTED = """\
import torch
from torch import nn
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(8, 16)
    def forward(self, x):
        y = self.up(x) * torch.sin(torch.arange(16.0))
        z = y.{operation}
        return z * 2.0
def make():
    return Block(), torch.randn(4, 8)
"""


@pytest.mark.parametrize(
    ("operation", "states", "told"),
    [
        ("abs()", ["offline", "streamed", "streamed", "streamed"], ""),
        ("sort().values", ["offline", "streamed", "refused", "streamed"], "on the host"),
        ("atan()", ["offline", "streamed", "streamed", "streamed", "refused"], "without the operation"),
        ("pow(y)", ["offline", "streamed", "streamed", "streamed", "refused"], "the exponent a number"),
    ],
)
def test_a_report_says_of_each_line_how_it_is_done(operation, states, told, tmp_path, sttest):
    (tmp_path / "own.py").write_text(REPORTED.format(operation=operation))
    outcome = sttest("compile", f"{tmp_path}/own.py:make", "--operations", "--json")
    assert outcome.exit_code == (2 if told else 0), outcome.stderr
    lines = json.loads(outcome.stdout)["lines"]
    found = [each for each in lines if each["operations"] != ["permute"] and each["module"] != "up"]
    assert [each["state"] for each in found] == states
    assert [Path(each["place"]).name.partition(":")[2] for each in found[:4]] == ["8", "8", "9", "10"]
    assert any(told in each["hint"] for each in found)
    assert all(each["place"].endswith("own.py:9") for each in found if each["state"] == "refused")


def test_a_report_is_a_table(tmp_path, sttest):
    (tmp_path / "own.py").write_text(REPORTED.format(operation="sort().values"))
    outcome = sttest("compile", f"{tmp_path}/own.py:make", "--operations")
    assert outcome.exit_code == 2
    (row,) = [line for line in outcome.stdout.splitlines() if "own.py:9" in line]
    assert row.split()[1:4] == ["sort", "refused", "compute"]


def test_a_report_is_of_a_module(sttest):
    outcome = sttest("compile", "gpt2", "--operations")
    assert (outcome.exit_code, outcome.stderr.count("\n")) == (2, 1)
    assert "give FILE.py:FUNCTION" in outcome.stderr
