"""What is found of a design: as simulation and sizing say it, with the lines of its files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from sttest.sim import Event, Fifo, Loop, Pipeline, TimedGraph, load, simulate
from sttest.sim.graph_json import parse_timed_graph
from sttest.sim.sizing import size_by_simulation
from sttest.studies.check.annotations import annotation, annotations
from sttest.studies.check.designs import CheckedDesign, designs_of
from sttest.studies.check.finding import Finding, Spot, as_error, refusal
from sttest.studies.check.inspection import findings_of
from sttest.studies.check.request import Asked
from sttest.testing.corpus import case, cases

ROOT = Path(__file__).parents[3]
needs_clang = pytest.mark.skipif(shutil.which("clang++") is None, reason="clang not found; apt-get install clang")
VIEWER = ROOT / "tests" / "data" / "check" / "viewer.cpp"
SOLUTION = ROOT / "examples" / "hls-residual" / "hls_residual" / "solution1"


def found_of(path: Path, target: str = "no-deadlock", form: str = "") -> Finding:
    (design,) = designs_of(path, None, Asked(form=form))
    return list(findings_of(str(path), design, target))[-1]


@pytest.mark.parametrize("name", list(cases()))
def test_of_every_design_of_the_corpus_the_verdict_and_the_fix_are_those_of_simulation(name):
    told = case(name)
    dead, live = found_of(told.path), found_of(told.live_path)
    assert (dead.verdict, dead.exit_code, live.verdict, live.exit_code) == ("deadlock", 3, "done", 0)
    assert [[wait.process, wait.waits_to, wait.fifo] for wait in dead.waits] == [list(each) for each in told.cycle]
    assert dead.fix("no-deadlock") == dict(told.fix)
    assert bool(dead.change) == bool(told.fix)
    assert live.cycles == simulate(load(told.live_path)).cycles
    graph = load(told.path)
    if told.fix:
        assert dead.finishes_cycles == simulate(graph.with_depths(dict(told.fix))).cycles
        assert simulate(graph.with_depths(dead.fix("no-loss"))).cycles == dead.lossless_cycles
        assert dead.lossless_cycles == size_by_simulation(graph).cycles
    lines = told.path.read_text(encoding="utf-8").splitlines()
    for wait in dead.waits:
        assert f'"name": "{wait.process}"' in lines[wait.spot.line - 1]


@needs_clang
def test_waits_stand_on_the_lines_of_the_source():
    found = found_of(VIEWER)
    lines = VIEWER.read_text(encoding="utf-8").splitlines()
    at = [(wait.process, lines[wait.spot.line - 1].strip()) for wait in found.waits]
    assert at == [("first", "ch.write(a.read());"), ("second", "b.write(arr[i] + ch.read());")]
    (depth,) = found.depths
    assert (depth.fifo, depth.depth, depth.finishes) == ("ch", 8, 10)
    assert lines[depth.spot.line - 1].strip() == "hls::stream<int> ch;"
    residual = found_of(SOLUTION)
    assert [(each.process, Path(each.spot.file).name, each.spot.line) for each in residual.waits] == [
        ("load", "residual.cpp", 9),
        ("join", "residual.cpp", 33),
        ("filter", "residual.cpp", 18),
    ]


def test_an_origin_that_is_a_line_is_a_place_if_the_file_is_there(tmp_path):
    (tmp_path / "k.cpp").write_text("", encoding="utf-8")
    content = json.loads(case("stage_skew").path.read_bytes())
    content["fifos"][1]["origin"], content["processes"][1]["origin"] = "k.cpp line 3", "gone.cpp line 4"
    graph = parse_timed_graph(json.dumps(content).encode(), tmp_path / "g.json")
    found = next(findings_of("g", CheckedDesign(graph, "a format", tmp_path / "g.json"), "no-deadlock"))
    assert [each.spot for each in found.depths] == [Spot(file=str(tmp_path / "k.cpp"), line=3)]
    assert [wait.spot for wait in found.waits] == [None, None, None]


@needs_clang
def test_a_target_without_loss_is_what_is_proposed():
    found = found_of(SOLUTION, "no-loss")
    assert found.change.depths == {"skip": 8, "filtered[0]": 3, "filtered[1]": 3}
    assert (found.finishes_cycles, found.lossless_cycles) == (397, 382)
    assert "filtered depth=3" in found.change.text
    live = found_of(case("stage_skew").live_path, "no-loss")
    assert (live.verdict, live.change.depths) == ("done", {"skip": 10})


def test_depths_that_are_greater_than_needed_stay(tmp_path):
    graph = load(case("stage_skew").live_path).with_depths({"skip": 64})
    (*_, found) = findings_of("g", CheckedDesign(graph, "a timed graph", tmp_path), "no-loss")
    assert (found.depths, found.change, found.is_fastest) == ((), None, True)
    assert found.sized_bits < found.fifo_bits


def test_depths_that_only_another_schedule_needs_are_proposed(tmp_path):
    """The graph that is shown writes both FIFOs at once and loses nothing; another one writes y eight stages later."""

    def design(*stages: int) -> TimedGraph:
        def loop(*events: Event) -> Loop:
            return Loop((20,), 1, 12, events)

        writer = Pipeline("a", (loop(*(Event(*each) for each in zip("xy", ("write",) * 2, stages, strict=True))),))
        reader = Pipeline("b", (loop(Event("x", "read", 0), Event("y", "read", 0)),))
        return TimedGraph("g", 300.0, (Fifo("x", 2, 32), Fifo("y", 2, 8)), (writer, reader))

    shown, other = design(8, 8), design(0, 8)
    checked = CheckedDesign(shown, "a format", tmp_path, find_schedules=lambda: {"shown": shown, "other": other})
    (*_, found) = findings_of("g", checked, "no-loss")
    depths = found.fix("no-loss")
    assert (found.is_fastest, list(depths)) == (False, ["x"])
    assert simulate(other.with_depths(depths), "simpy").cycles == simulate(other, unbounded=True).cycles
    assert found.cycles == found.lossless_cycles
    alone = list(findings_of("g", CheckedDesign(shown, "a format", tmp_path), "no-loss"))[-1]
    assert (alone.is_fastest, alone.depths) == (True, ())


def test_endless_graphs_have_a_throughput():
    found = found_of(ROOT / "tests" / "data" / "sdf3" / "modem.xml")
    assert (found.verdict, found.throughput, found.cycles, found.is_fastest) == ("done", "1/16", None, True)


# --- Annotations


def test_annotations_are_escaped_as_workflows_read_them():
    line = annotation("error", Spot(file="a,b:c%.cpp", line=3), "t:1,2", "50%\r\nof, it: all")
    assert line == "::error file=a%2Cb%3Ac%25.cpp,line=3,title=t%3A1%2C2::50%25%0D%0Aof, it: all"
    assert "\n" not in line


@needs_clang
def test_each_wait_is_an_error_on_its_line_and_the_fix_a_notice():
    found = found_of(VIEWER)
    lines = annotations([found])
    assert [line.partition(",title")[0].rpartition("=")[2] for line in lines] == ["5", "12", "17"]
    assert [line.split(" ")[0] for line in lines] == ["::error", "::error", "::notice"]
    assert all("With depth ch=10 it finishes" in line for line in lines[:2])
    live = found_of(case("stage_skew").live_path)
    (notice,) = annotations([live])
    assert notice.startswith("::notice ")
    assert "53 cycles; 29 with skip=10" in notice


def test_what_is_refused_is_an_error_of_its_file():
    try:
        list(designs_of(Path("nothing.json"), None, Asked()))
    except Exception as error:
        found = refusal("nothing.json", error)  # pyright: ignore[reportArgumentType]
    assert annotations([found])[0].startswith("::error file=nothing.json,line=1,title=not checked::")
    assert (str(as_error(found)), as_error(found).exit_code) == ("nothing.json: no such file or folder", 2)
