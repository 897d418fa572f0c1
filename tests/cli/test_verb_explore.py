"""`sttest explore`: plans, searches, goes on, makes points again; refuses what makes no sense before any work."""

from __future__ import annotations

import csv
import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from sttest.cli import main
from sttest.core.errors import note_renamed
from tests.explore.tiny_searches import two_products

needs_optuna = pytest.mark.skipif(find_spec("optuna") is None, reason="optuna is not installed")
BLOCK = ["explore", "small-gpt2", "--phase", "decode", "--context", "32"]


def sttest(capsys, monkeypatch, *arguments):
    """Runs the command line in this process: exit code, stdout, stderr."""
    monkeypatch.setattr("sys.argv", ["sttest", *map(str, arguments)])
    with pytest.raises(SystemExit) as end:
        main()
    out, err = capsys.readouterr()
    return end.value.code or 0, out, err


@needs_optuna
def test_a_plan_lists_options_and_writes_nothing(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    code, out, _ = sttest(capsys, monkeypatch, *BLOCK, "--dry-run", "--json", "--option", "tile_size=16")
    plan = json.loads(out)
    assert code == 0
    assert {option["level"] for option in plan["options"]} == {"tiling", "fusion", "resources"}
    assert next(option for option in plan["options"] if option["name"] == "tile_size")["choices"] == [16]
    assert not list(tmp_path.rglob("*.db"))


@needs_optuna
def test_the_former_name_of_an_option_is_told(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    note_renamed.cache_clear()
    code, out, err = sttest(capsys, monkeypatch, *BLOCK, "--dry-run", "--json", "--knob", "tile_size=16")
    assert code == 0
    assert next(option for option in json.loads(out)["options"] if option["name"] == "tile_size")["choices"] == [16]
    assert "note: '--knob' is called '--option' now" in err


@pytest.mark.nightly
@needs_optuna
def test_a_text_is_searched_and_its_points_can_be_made_again(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    text = Path(__file__).parents[1] / "crosscheck/texts/mlp_with_names.mlir"
    (tmp_path / "mlp.mlir").write_text(text.read_text())
    asked = ["explore", "mlp.mlir", "--trials", 2, "-j", 1, "--option", "share=none", "--json", "-o", "out"]
    code, _, err = sttest(capsys, monkeypatch, *asked)
    assert code == 0, err
    with (tmp_path / "out" / "pareto.csv").open() as file:
        point = next(csv.DictReader(file))["point"]
    code, out, _ = sttest(capsys, monkeypatch, "explore", "--rebuild", "out/pareto.csv", "--point", point, "--json")
    assert (code, json.loads(out)["same"]) == (0, True)
    code, _, err = sttest(capsys, monkeypatch, "explore", "mlp.mlir", "--phase", "decode", "--dry-run")
    assert (code, "leave out --phase" in err) == (2, True)


@pytest.mark.nightly
@needs_optuna
def test_a_foreign_text_is_searched_with_its_parameters_as_rtl(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.mlir").write_text(two_products())
    asked = ["explore", "two.mlir", "--trials", 2, "-j", 1, "--option", "share=none", "--precision", "w8a8", "--json"]
    reads: dict[str, set[str]] = {}
    for name, told in (("plain", []), ("told", ["--parameters", "a1,a2", "--flow", "rtl"])):
        code, _, err = sttest(capsys, monkeypatch, *asked, *told, "-o", name)
        assert code == 0, err
        with (tmp_path / name / "pareto.csv").open() as file:
            row = next(csv.DictReader(file))
        assert json.loads(row["options"])["flow"] == ("rtl" if told else "hls")
        reads[name] = {row["text_sha256"]}
        again = ["explore", "--rebuild", f"{name}/pareto.csv", "--point", row["point"], *told[:2], "--json"]
        code, out, _ = sttest(capsys, monkeypatch, *again)
        assert (code, json.loads(out)["same"]) == (0, True)
    assert reads["plain"] != reads["told"]
    code, _, err = sttest(capsys, monkeypatch, *BLOCK, "--parameters", "w", "--dry-run")
    assert (code, "a model knows its weights" in err) == (2, True)


@pytest.mark.nightly
@needs_optuna
def test_a_search_writes_its_tables_and_its_points_can_be_made_again(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    asked = [
        *BLOCK,
        "--trials",
        4,
        "-j",
        1,
        "--option",
        "tile_size=16",
        "--option",
        "share=none",
        "--json",
        "-o",
        "out",
    ]
    code, out, err = sttest(capsys, monkeypatch, *asked)
    assert code == 0, err
    told = json.loads(out)
    assert sum(told["counts"].values()) == told["points"] == 4
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"figure.png", "figure.svg", "manifest.json", "pareto.csv", "points.csv", "table.csv", "table.md"}
    with (tmp_path / "out/table.csv").open() as file:
        assert all(row["unit"] and row["kind"] for row in csv.DictReader(file))
    for point in told["pareto"][:1]:
        code, out, err = sttest(
            capsys, monkeypatch, "explore", "--rebuild", "out/pareto.csv", "--point", point["point"], "--json"
        )
        assert code == 0, err
        assert json.loads(out)["figures"] == {**point["figures"], "placed_cycles": point["placed_cycles"]}
    code, _, err = sttest(capsys, monkeypatch, *asked)
    assert code == 2
    assert "--resume" in err
    code, again, _ = sttest(capsys, monkeypatch, *asked, "--resume")
    assert code == 0
    assert json.loads(again)["pareto"] == told["pareto"]


@pytest.mark.nightly
@needs_optuna
@pytest.mark.torch
def test_a_batch_is_searched_and_made_again(capsys, monkeypatch, tmp_path):
    pytest.importorskip("torch", reason="the block is lowered")
    monkeypatch.chdir(tmp_path)
    asked = [*BLOCK, "--batch", 2, "--trials", 2, "-j", 1, "--option", "share=none", "--json", "-o", "out"]
    code, out, err = sttest(capsys, monkeypatch, *asked)
    assert code == 0, err
    with (tmp_path / "out/pareto.csv").open() as file:
        row = next(csv.DictReader(file))
    assert row["batch"] == "2"
    code, out, err = sttest(capsys, monkeypatch, "explore", "--rebuild", "out/pareto.csv", "--point", row["point"])
    assert code == 0, err
    assert "same as in the row" in out


@needs_optuna
@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ([*BLOCK, "--objective", "ttft"], "ttft"),
        ([*BLOCK, "--objective", "speed"], "speed"),
        ([*BLOCK, "--option", "color=red"], "color"),
        (["explore", "small-gpt2"], "--context"),
        (["explore", "no-such-model", "--context", "32"], "no-such-model"),
        (["explore"], "MODEL"),
        (["explore", "--rebuild", "nowhere.csv", "--point", "1"], "nowhere.csv"),
        (["explore", "--rebuild", "nowhere.csv"], "--point"),
        ([*BLOCK, "--board", "a100"], "HBM"),
    ],
)
def test_what_makes_no_sense_is_refused(capsys, monkeypatch, tmp_path, arguments, named):
    monkeypatch.chdir(tmp_path)
    code, out, err = sttest(capsys, monkeypatch, *arguments)
    assert (code, out) == (2, "")
    assert named in err
    assert not list(tmp_path.iterdir())


def test_without_optuna_it_says_how_to_get_it(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sttest.explore.storage.find_spec", lambda _: None)
    code, _, err = sttest(capsys, monkeypatch, *BLOCK)
    assert code == 5
    assert "pip install" in err
    assert not list(tmp_path.iterdir())
