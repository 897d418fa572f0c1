"""`sttest import`: the list, a design through every verb, and what is refused."""

import json
import shutil
from pathlib import Path

import pytest

from sttest.importers.formats import formats

EXAMPLE = Path(__file__).parents[2] / "examples" / "hls-residual"
SOLUTION = EXAMPLE / "hls_residual" / "solution1"
ALLO = Path(__file__).parents[1] / "data" / "mlir" / "shared_loaders.allo.mlir"


def told(outcome):
    assert outcome.exit_code in (0, 3), outcome.stderr
    return json.loads(outcome.stdout)


def test_without_a_format_it_lists_them(sttest):
    text = sttest("import").stdout
    assert all(f"{name}: {each.summary}" in text for name, each in formats().items())
    listed = told(sttest("import", "--json"))
    assert [each["name"] for each in listed["formats"]] == list(formats())


@pytest.mark.parametrize("name", formats())
def test_every_format_has_its_module(name):
    assert callable(formats()[name]._module_function(f"read_{name}"))
    if formats()[name].writes:
        assert callable(formats()[name]._module_function("write_depths"))


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("hsl", SOLUTION, "-o", "x.json"), "did you mean 'hls'?"),
        (("vitis",), "the design is missing"),
        (("hls", SOLUTION, "-o", "nowhere/x.json"), "its folder is not there"),
        (("hls", EXAMPLE / "src", "-o", "x.json"), "neither hls.app nor hls_config.cfg"),
        (("streamhls", EXAMPLE, "-o", "x.json"), "name the folder of one design"),
        (("streamhls", EXAMPLE, "-o", "x.json", "--top", "x"), "streamhls has no 'top'"),
        (("hls", SOLUTION, "-o", "x.json", "--top", "residua"), "no function 'residua'"),
        (("hls", SOLUTION, "--depths", EXAMPLE / "README.md", "-o", "x.patch"), "not valid JSON"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(sttest, arguments, hint, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outcome = sttest("import", *arguments)
    assert outcome.exit_code == 2
    assert hint in outcome.stderr
    assert outcome.stderr.count("\n") == 1
    assert not any(tmp_path.iterdir())


@pytest.mark.daily
def test_a_design_goes_through_every_verb_and_its_depths_go_back(sttest, tmp_path):
    example = tmp_path / "example"
    shutil.copytree(EXAMPLE, example)
    solution, design, sized = example / "hls_residual" / "solution1", tmp_path / "d.json", tmp_path / "sized.json"
    report = told(sttest("import", "hls", solution, "-o", design, "--json"))
    assert report["schema"] == "sttest.import/1"
    assert (report["processes"], report["fifos"], report["accesses"]) == (3, 4, 768)
    assert "keep the order of the text" in report["assumed"][0]
    dead = told(sttest("simulate", design, "--json"))
    assert [(each["fifo"], each["depth"]) for each in dead["deadlock"]["fix"]] == [("skip", 8)]
    sized.write_text(sttest("size", design, "--json").stdout, encoding="utf-8")
    depths = told(sttest("import", "hls", solution, "--depths", sized, "-o", tmp_path / "d.tcl", "--json"))
    assert depths["changed"]["skip"] == {"from": 4, "to": 8}
    assert 'set_directive_stream -depth 8 "residual" skip' in (tmp_path / "d.tcl").read_text()
    source = example / "src" / "residual.cpp"
    source.write_text(source.read_text().replace("skip depth=4", "skip depth=8").replace("depth=2", "depth=3"))
    assert sttest("import", "hls", solution, "-o", design).exit_code == 0
    live = told(sttest("simulate", design, "--check", "--json"))
    # Of a design that finishes another of the possible schedules is shown, whose cycles differ by one.
    assert live["verdict"] == "done"
    assert abs(live["cycles"] - json.loads(sized.read_text())["cycles"]) <= 1
    assert "filter" in told(sttest("dot", design, "--json"))["dot"]
    # A timed graph has depths as well.
    assert sttest("import", "hls", solution, "--depths", design, "-o", tmp_path / "none.patch").exit_code == 0
    assert (tmp_path / "none.patch").read_text() == ""


def test_every_schedule_that_is_possible_is_written_and_sized_together(sttest, tmp_path):
    source, design = EXAMPLE / "src" / "residual.cpp", tmp_path / "d.json"
    report = told(sttest("import", "hls", source, "-o", design, "--schedules", "--json"))
    assert {Path(each).name for each in report["schedules"]} == {path.name for path in tmp_path.glob("d.*.json")}
    assert len(report["schedules"]) == 5
    found = told(sttest("size", *report["schedules"], "--json"))
    for path, each in found["graphs"].items():
        run = told(
            sttest("simulate", path, *(f"--depth={name}={depth}" for name, depth in found["depths"].items()), "--json")
        )
        alone = told(sttest("size", path, "--json"))
        assert run["cycles"] == each["cycles"] == alone["cycles"]
        assert each["alone_bits"] == alone["total_bits"] <= found["total_bits"]
    text = sttest("size", *report["schedules"])
    assert (text.exit_code, "for 5 graphs" in text.stdout) == (0, True)
    assert max(map(len, text.stdout.splitlines())) <= 80
    back = told(sttest("import", "hls", source, "--depths", design, "--json"))
    assert back["changed"] == {}


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("hls", EXAMPLE), "add -o"),
        (("hls", EXAMPLE, "-o", "x.json", "--depths", "d.json"), "without --depths"),
        (("allo", ALLO, "-o", "x.json"), "there is one graph"),
    ],
)
def test_schedules_that_have_no_place_or_are_not_there_are_refused(sttest, arguments, hint, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outcome = sttest("import", *arguments, "--schedules")
    assert (outcome.exit_code, hint in outcome.stderr) == (2, True), outcome.stderr
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "what"),
    [(("--objective", "bram"), "sized by tokens"), (("--method", "lp"), "in simulation"), ((), "named twice")],
)
def test_what_says_nothing_of_several_designs_is_refused(sttest, options, what, tmp_path):
    graph = Path(__file__).parents[1] / "data" / "streamhls" / "2560_dsps_opt5_gemm.json"
    other = tmp_path / "g.json"
    other.write_bytes(graph.read_bytes())
    outcome = sttest("size", graph, graph if not options else other, *options)
    assert outcome.exit_code == 2
    assert what in outcome.stderr
