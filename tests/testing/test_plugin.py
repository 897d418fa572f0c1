"""The pytest plugin, run as a user runs it: on a project of its own."""

import json
import shutil
from pathlib import Path

import pytest

from sttest.sim import load, write_timed_graph
from sttest.testing import assert_completes, assert_deadlocks
from sttest.testing.corpus import case

pytest_plugins = "pytester"

EXAMPLE = Path(__file__).parents[2] / "examples" / "residual-block"
GOLDEN_TEST = """
def test_cycles(timed_graph, assert_cycles):
    assert_cycles(timed_graph("graph.json"), golden="skew", rel={rel})
"""


@pytest.fixture(scope="module", autouse=True)
def _compiled_modules_loaded():
    """Test runs inside this process unload what they import, and numpy can't be loaded twice."""
    import hypothesis  # noqa: F401
    import numpy.fft  # noqa: F401

    import sttest.testing.assertions  # noqa: F401

    assert_completes(case("stage_skew").live_path)
    assert_deadlocks(case("stage_skew").path)


@pytest.fixture
def project(pytester):
    """A project with one design that finishes, and a test of its cycles."""
    write_timed_graph(load(case("stage_skew").live_path), pytester.path / "graph.json")
    pytester.makepyfile(test_golden=GOLDEN_TEST.format(rel=0.0))
    return pytester


def slow_down(project, depth: int) -> None:
    write_timed_graph(load(case("stage_skew").live_path).with_depths({"skip": depth}), project.path / "graph.json")


def test_the_example_passes(pytester):
    shutil.copytree(EXAMPLE, pytester.path, dirs_exist_ok=True)
    # In a process of its own: another test file of the same name may be imported in this one.
    pytester.runpytest_subprocess().assert_outcomes(passed=5)


def test_the_options_and_fixtures_are_shown(pytester):
    pytester.runpytest("--help").stdout.fnmatch_lines(["*--update-golden*"])
    pytester.runpytest("--fixtures").stdout.fnmatch_lines(["timed_graph*", "assert_cycles*"])


def test_a_golden_value_is_asked_for_then_written_then_held(project):
    missing = project.runpytest()
    missing.assert_outcomes(failed=1)
    missing.stdout.fnmatch_lines(["*no golden value 'skew'*--update-golden"])
    project.runpytest("--update-golden").assert_outcomes(passed=1)
    written = json.loads((project.path / "test_golden.golden.json").read_text())
    assert written["values"]["skew"]["cycles"] == case("stage_skew").live_cycles
    project.runpytest().assert_outcomes(passed=1)


def test_a_change_of_cycles_explains_itself(project):
    """At depth 8 the fork keeps pace with the filter; the filter then gets its tokens in time."""
    slow_down(project, 30)
    project.runpytest("--update-golden").assert_outcomes(passed=1)
    slow_down(project, 8)
    changed = project.runpytest()
    changed.assert_outcomes(failed=1)
    changed.stdout.fnmatch_lines(
        ["*takes 53 cycles, golden 'skew' 29*", "*what changed*", "*fork*stall-out*0 -> *", "*--update-golden"]
    )
    changed.stdout.no_fnmatch_line("*testing[/]golden.py:*")


def test_a_change_within_bounds_passes(project):
    project.runpytest("--update-golden").assert_outcomes(passed=1)
    project.makepyfile(test_golden=GOLDEN_TEST.format(rel=0.9))
    slow_down(project, 30)
    project.runpytest().assert_outcomes(passed=1)


def test_values_of_other_tests_stay(project):
    project.makepyfile(
        test_golden="""
        import pytest

        @pytest.mark.parametrize("name", ["one", "two"])
        def test_cycles(name, timed_graph, assert_cycles):
            assert_cycles(timed_graph("graph.json"), golden=name)
        """
    )
    project.runpytest("--update-golden").assert_outcomes(passed=2)
    project.runpytest("--update-golden", "-k", "two").assert_outcomes(passed=1, deselected=1)
    written = json.loads((project.path / "test_golden.golden.json").read_text())
    assert list(written["values"]) == ["one", "two"]


def test_a_deadlock_shows_its_diagnosis(pytester):
    shutil.copy(case("stage_skew").path, pytester.path / "graph.json")
    pytester.makepyfile(
        """
        def test_live(timed_graph, assert_completes):
            assert_completes(timed_graph("graph.json"))

        def test_cycles(timed_graph, assert_cycles):
            assert_cycles(timed_graph("graph.json"), golden="any")
        """
    )
    result = pytester.runpytest()
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        ["*With depth skip=8*", "*Each process waits for the next*", "*fork (fork) waits to write token 2*"]
    )


def test_updating_from_several_processes_is_refused(project):
    pytest.importorskip("xdist")
    result = project.runpytest("--update-golden", "-n", "2")
    assert "run it without -n" in "".join(result.errlines)
    assert not (project.path / "test_golden.golden.json").exists()


def test_a_damaged_golden_file_is_named(project):
    (project.path / "test_golden.golden.json").write_text("[]")
    result = project.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*test_golden.golden.json: expected an object, found list; delete it*"])


def test_graphs_that_run_for_ever_have_no_cycles(pytester):
    graph = {
        "schema": "sttest.timed-graph/1",
        "name": "ring",
        "clock_mhz": 100.0,
        "fifos": [{"name": "a", "depth": 1, "bits": 8, "initial_tokens": 1}],
        "processes": [{"name": "x", "kind": "actor", "phases": [{"time": 2, "reads": {"a": 1}, "writes": {"a": 1}}]}],
    }
    (pytester.path / "graph.json").write_text(json.dumps(graph).replace('"depth": 1', '"depth": 2'))
    pytester.makepyfile(GOLDEN_TEST.format(rel=0))
    pytester.runpytest("--update-golden").stdout.fnmatch_lines(["*runs for ever has no number of cycles*"])


def test_the_functions_take_paths_and_give_results():
    skew = case("stage_skew")
    assert assert_completes(skew.live_path).cycles == skew.live_cycles
    assert assert_completes(skew.path, depths=skew.fix).cycles == skew.live_cycles
    waits = {(process, op, fifo) for process, op, fifo in skew.cycle}
    assert assert_deadlocks(skew.path, waits, fix=skew.fix).is_minimal
    assert assert_deadlocks(str(skew.path), {"fork", "join", "filter"}).is_closed


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"cycle": {"fork", "join"}}, "another cycle"),
        ({"cycle": {("fork", "read", "skip")}}, "another cycle"),
        ({"fix": {"skip": 9}}, "another fix"),
        ({"depths": {"skip": 8}}, "should deadlock, but: stage_skew: done"),
    ],
)
def test_another_deadlock_than_expected_fails(options, said):
    with pytest.raises(AssertionError, match=said):
        assert_deadlocks(case("stage_skew").path, **options)
