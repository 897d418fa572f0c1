"""The public Python interface: every example of it, and what the examples don't show."""

import doctest
import os
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sttest as st
from sttest import api
from sttest.compile.timing.timed_graph import timed_graph
from sttest.sim import simulate
from sttest.studies import runs, workload

ROOT = Path(__file__).parents[1]
EXAMPLES = [
    example
    for module in (st, api, runs, workload)
    for example in doctest.DocTestFinder().find(module)
    if example.examples
]
COMPILE_ONCE = cache(api.compile)
PUBLIC = (api.Board, api.Design, api.compile, api.load_design, runs.Graph, runs.Run, runs.load_graph)


@pytest.fixture(scope="module")
def design() -> st.Design:
    return st.compile("small-gpt2", phase="decode", context=32)


@pytest.fixture(autouse=True)
def no_figures():
    import matplotlib as mpl

    mpl.use("Agg")
    yield
    from matplotlib import pyplot

    pyplot.close("all")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_an_example_prints_what_it_says(example, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # Most examples compile the same design, which is never changed.
    monkeypatch.setattr(api, "compile", COMPILE_ONCE)
    said = []
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(example, out=said.append)
    assert not runner.summarize(verbose=False).failed, "".join(said)


def test_everything_public_has_an_example():
    names = {example.name.rpartition(".")[2] for example in EXAMPLES}
    assert {each.__name__ for each in PUBLIC} <= names


def test_the_import_is_quick_and_takes_nothing_heavy_along():
    code = "import sttest, sys; print([name for name in ('numpy', 'pandas', 'xdsl', 'numba') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


def test_every_name_is_there():
    for name in st.__all__:
        assert getattr(st, name) is not None
    assert set(st.__all__) <= set(dir(st))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = st.nothing  # pyright: ignore[reportAttributeAccessIssue]


def test_compile_is_a_function_and_a_package():
    import sttest.compile.compiler

    assert sttest.compile.compiler.CompiledDesign is api.CompiledDesign
    assert callable(st.compile)


@pytest.mark.nightly
def test_the_tutorial_runs_as_printed(tmp_path):
    env = {**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "Agg"}
    command = [sys.executable, str(ROOT / "examples" / "tutorial.py")]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "44,359 cycles" in done.stdout
    assert {path.name for path in tmp_path.iterdir()} >= {"bandwidth.png", "gantt.png"}


def test_the_page_prints_the_tutorial():
    page = (ROOT / "docs" / "first-design.md").read_text(encoding="utf-8")
    assert f"```python\n{(ROOT / 'examples' / 'tutorial.py').read_text(encoding='utf-8')}```\n" in page


def test_a_design_comes_back_from_its_package(design, tmp_path):
    again = st.load_design(design.save(tmp_path / "package"))
    assert again.graph == design.graph
    assert again.options == design.options
    assert again.name == design.name
    pd.testing.assert_frame_equal(again.kernels, design.kernels)
    pd.testing.assert_frame_equal(again.resources, design.resources)
    assert str(again.compiled.module) == str(design.compiled.module)


def test_a_package_of_a_package_is_the_same(design, tmp_path):
    first = design.save(tmp_path / "first")
    second = st.Design.load(first).save(tmp_path / "second")
    for path in sorted(first.rglob("*")):
        if path.is_file() and path.name != "manifest.json":
            assert path.read_bytes() == (second / path.relative_to(first)).read_bytes(), path.name


def test_other_depths_are_in_the_ir_too(design, tmp_path):
    name = design.fifos.index[0]
    other = design.with_depths({name: 9})
    assert other.fifos.depth[name] == 9
    assert timed_graph(other.compiled.module, other.compiled.board, other.name) == other.graph
    assert st.load_design(other.save(tmp_path / "package")).graph == other.graph
    assert design.fifos.depth[name] != 9


def test_depths_are_whole_numbers_of_known_fifos(design):
    with pytest.raises(st.InputError, match="no FIFO 'nothing'"):
        design.with_depths({"nothing": 2})
    with pytest.raises(st.InputError, match="not a whole number"):
        design.simulate(depths=pd.Series({design.fifos.index[0]: 2.5}))


def test_engines_agree(design):
    assert design.simulate("simpy").cycles == design.simulate("maxplus").cycles == simulate(design.graph).cycles
    design.simulate().check()


def test_the_critical_path_covers_the_run(design):
    run = design.simulate()
    path = run.critical_path
    assert list(path.columns) == ["process", "category", "kind", "start_cycle", "cycles", "share"]
    assert (path.start_cycle + path.cycles).iloc[-1] == run.cycles
    assert path.share.sum() == pytest.approx(1)
    assert run.breakdown.cycles.sum() == run.cycles
    with pytest.raises(st.InputError, match="record=True"):
        _ = design.simulate(record=False).critical_path


def test_some_processes_can_be_drawn_and_unknown_ones_are_refused(design):
    run = design.simulate()
    axes = run.plot_gantt(processes=["mlp_act", "mlp_residual"])
    assert [label.get_text() for label in axes.get_yticklabels()] == ["mlp_act", "mlp_residual"]
    assert run.plot_gantt(axes, processes=["mlp_act"]) is axes
    with pytest.raises(st.InputError, match="no process 'mlp_fc3'"):
        run.plot_gantt(processes=["mlp_fc3"])


def test_a_deadlock_is_drawn_and_told(design):
    run = design.with_depths({"fork_attn_residual__mlp_residual": 1}).simulate()
    assert run.verdict == "deadlock"
    assert run.ms is None
    assert "waits to" in (run.deadlock or "")
    assert run.plot_gantt().get_title() == design.name
    with pytest.raises(st.InputError):
        _ = run.critical_path


def test_sizing_by_simulation_loses_nothing(design):
    sizes = design.size_fifos()
    assert (sizes.lower_bound <= sizes.depth_after).all()
    sized = design.with_depths(sizes.depth_after)
    assert sized.simulate().cycles == design.simulate(unbounded=True).cycles


def test_a_graph_is_that_of_its_package(design, tmp_path):
    folder = design.save(tmp_path / "package")
    graph = st.load_graph(folder)
    name = graph.fifos.index[0]
    assert graph.with_depths({name: 9}).fifos.depth[name] == 9
    assert graph.to_dot().startswith("digraph")


def test_boards_change_by_path_and_say_so():
    board = st.Board.load("u55c")
    quarter = board.with_(**{"hbm.bandwidth": 115.0})
    assert quarter.bandwidth_gb_per_s == pytest.approx(115)
    assert board.bandwidth_gb_per_s == pytest.approx(460)
    assert quarter.name == "u55c-changed"
    assert quarter.with_(clock_mhz=200).name == "u55c-changed"
    assert board.named("slow").name == "slow"
    assert quarter.quantities.kind["memory.hbm.peak_gb_per_s_per_channel"] == "assumed"
    with pytest.raises(st.InputError, match="no quantity of a board"):
        board.with_(tile_size=3)
    with pytest.raises(st.InputError, match="unknown key"):
        board.with_(**{"hbm.bandwith": 3})


def test_a_changed_board_is_compiled_for():
    board = st.Board.load("u55c").with_(clock_mhz=100)
    design = st.compile("small-gpt2", phase="decode", context=32, board=board)
    run = design.simulate()
    assert run.seconds == pytest.approx((run.cycles or 0) / 100e6)


def test_a_package_holds_a_board_that_is_not_shipped(tmp_path):
    board = st.Board.load("u55c").with_(clock_mhz=100)
    design = st.compile("small-gpt2", phase="decode", context=32, board=board)
    again = st.load_design(design.save(tmp_path / "package"))
    assert again.board == board
    assert again.graph == design.graph


def test_whatif_is_the_study_of_the_same_settings(design):
    from sttest.studies.whatif.outcome import StudyOutcome
    from sttest.studies.whatif.points import key_of, points_of, simulate_block
    from sttest.studies.whatif.study import Study

    base = {"model": "small-gpt2", "phase": "decode", "context": 32}
    axes = {"board.hbm.bandwidth": [20.0, 115.0]}
    study = Study.model_validate({"title": "t", "base": base, "axes": axes})
    table = design.whatif({"board.hbm.bandwidth": [20.0, 115.0]}, recompile=True)
    for point, row in zip(points_of(study, ROOT), table.itertuples(), strict=True):
        assert point.block is not None
        outcome = StudyOutcome.of(point, simulate_block(key_of(point.block, "maxplus")))
        assert (row.cycles, row.helped_most_by) == (outcome.simulated["cycles"], outcome.helps_most)
        assert row.tokens_per_s == pytest.approx(outcome.speed)


def test_whatif_holds_the_design_with_its_depths(design):
    name = "fork_attn_residual__mlp_residual"
    table = design.with_depths({name: 1}).whatif({"hbm.bandwidth": [460]})
    assert "deadlock" in table.refusal[0]
    assert pd.isna(table.cycles[0])


@pytest.mark.nightly
def test_whatif_of_a_loaded_design(design, tmp_path):
    again = st.load_design(design.save(tmp_path / "package"))
    axes = {"context": [16], "hbm.bandwidth": [57.6, 460]}
    assert len(design.whatif({"hbm.bandwidth": np.linspace(57.6, 460, 3)})) == 3
    pd.testing.assert_frame_equal(again.whatif(axes, recompile=True), design.whatif(axes, recompile=True))


def test_whatif_rows_that_cannot_be_say_why(design):
    table = design.whatif({"context": [32, 1_000_000]}, recompile=True)
    assert list(table.refusal == "") == [True, False]
    assert list(design.whatif({"launch": [0, 100]}).helped_most_by)[1] == "launch"


@pytest.mark.parametrize(
    ("axes", "recompile", "message"),
    [
        ({}, False, "no setting is varied"),
        ({"tile_size": [8]}, False, "recompile=True"),
        ({"context": [8]}, False, "recompile=True"),
        ({"hbm.bandwidth": 8}, False, "list of values"),
        ({"hbm.bandwidth": []}, False, "list of values"),
        ({"hbm.bandwidth": [[1]]}, False, "neither a number nor a name"),
        ({"hbm.bandwith": [1]}, True, "unknown key"),
        ({"tile_sise": [1]}, True, "unknown setting"),
        ({"tile_size": ["many"]}, True, "tile_size"),
        ({"bits.weights": [4]}, True, "not a setting of one design"),
    ],
)
def test_whatif_refuses_what_is_no_setting(design, axes, recompile, message):
    with pytest.raises(st.InputError, match=message):
        design.whatif(axes, recompile=recompile)


def test_options_are_checked_by_name():
    with pytest.raises(st.InputError, match="did you mean 'tile_size'"):
        st.compile("small-gpt2", phase="decode", context=32, tile_sise=8)
    with pytest.raises(st.InputError, match="there is no model"):
        st.compile("gpt3", phase="decode", context=32)


def test_a_text_has_no_speed_but_times(tmp_path):
    from sttest.frontend.shipped import lowered_text

    path = tmp_path / "block.mlir"
    path.write_text(lowered_text("gpt2", "decode", small=True).replace("small-gpt2", "mine"), encoding="utf-8")
    design = st.compile(path)
    table = design.whatif({"hbm.bandwidth": [57.6, 460]})
    assert table.tokens_per_s.isna().all()
    assert table.cycles.notna().all()
    assert len(design.whatif({"tile_size": [8]}, recompile=True)) == 1
    unknown = replace(design, request=None)
    with pytest.raises(st.InputError, match="not known"):
        unknown.whatif({"tile_size": [8]}, recompile=True)
