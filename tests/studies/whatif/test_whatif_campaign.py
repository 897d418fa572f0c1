"""Studies that are stopped, fail, or are asked what they would take."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sttest.core.errors import SttestError, ToolMissingError
from sttest.core.processes import run_all
from sttest.core.results import PointStore
from sttest.frontend import lowering
from sttest.studies.whatif.outcome import campaign, knees, series_of
from sttest.studies.whatif.points import simulate_block
from sttest.studies.whatif.study import load_study

REPO = Path(__file__).parents[3]
SECONDS_TO_END = 60


def study_text(bandwidths: list[float]) -> str:
    """A tiny block, compiled once and run with many memories."""
    return (
        "title: tiny\nbase: {model: small-gpt2, context: 32, launch: 0}\n"
        f"compiled_for: {{board.hbm.bandwidth: 2}}\naxes: {{board.hbm.bandwidth: {bandwidths}}}\n"
    )


def made(tmp_path: Path, text: str):
    path = tmp_path / "tiny.yaml"
    path.write_text(text, encoding="utf-8")
    study = load_study(path)
    return study, campaign(study, tmp_path, "maxplus", PointStore(tmp_path / "store"))


def one_process(blocks):
    return run_all(simulate_block, blocks, 1)


def test_the_knee_lies_where_a_tenth_more_bandwidth_brings_half_of_that(tmp_path):
    study, found = made(tmp_path, study_text([2, 400]))
    (series,) = series_of(found.run(one_process), study)
    slow, fast = series.outcomes
    knee, *_ = (each for each in knees(series, study) if each.lever == "bandwidth")
    assert (slow.helps_most, knee.begins) == ("bandwidth", False)
    assert slow.gains["bandwidth"] > 0.05 > fast.gains["bandwidth"]
    assert knee.at is not None
    assert 2 < knee.at < 400


def test_finished_points_are_taken_over(tmp_path):
    text = study_text([2, 4])
    first = made(tmp_path, text)[1].run(one_process)
    study, again = made(tmp_path, study_text([2, 4, 8]))
    assert len(again.campaign.missing) == 1
    ran = []

    def runner(blocks):
        ran.extend(blocks)
        return one_process(blocks)

    second = again.run(runner)
    assert len(ran) == 1
    assert [outcome.speed for outcome in second[:2]] == [outcome.speed for outcome in first]
    assert study.x_axis == "board.hbm.bandwidth"


@pytest.mark.torch
def test_the_blocks_of_all_points_are_lowered_in_one_process(tmp_path, monkeypatch):
    pytest.importorskip("torch_mlir")
    monkeypatch.setenv("STTEST_CACHE", str(tmp_path / "cache"))
    lower, calls = lowering.lower_together, []
    monkeypatch.setattr(lowering, "lower_together", lambda builder, asked: calls.append(asked) or lower(builder, asked))
    text = (
        "title: x\nbase: {model: small-gpt2, launch: 0, design: default}\n"
        "axes: {context: [4, 8, 32, 5000], board.clock_mhz: [100, 200]}"
    )
    found = made(tmp_path, text)[1].run(one_process)
    assert [[each["context"] for each in asked] for asked in calls] == [[4, 8]]  # 32 is shipped, 5,000 too many
    assert [not outcome.refusal for outcome in found] == [True] * 6 + [False] * 2


def test_points_that_differ_in_the_launch_alone_share_a_block(tmp_path):
    text = "title: x\nbase: {model: small-gpt2, context: 32}\naxes: {launch: [0, 5, 50]}"
    outcomes = made(tmp_path, text)[1].run(one_process)
    assert len(list((tmp_path / "store").glob("*.json"))) == 1
    free, short, long = (outcome.total_us for outcome in outcomes)
    layers = 6
    assert (short - free, long - free) == (pytest.approx(5 * layers), pytest.approx(50 * layers))


def test_a_launch_of_several_layers_is_not_counted_once_per_layer(tmp_path):
    base = "{model: small-gpt2, context: 32, launch: 12, design: default, precision: w4a8}"
    text = f"title: x\nbase: {base}\naxes: {{options.layers: [1, 2, 3, 4]}}"
    *found, none = made(tmp_path, text)[1].run(one_process)
    assert [each.launches for each in found] == [6, 3, 2]
    assert [each.launch_us for each in found] == [72, 36, 24]
    # One layer after the other, whoever starts them: a launch of several spares only what lies between two launches.
    busy = [each.total_us - each.launch_us for each in found]
    assert busy[0] * 0.9 < busy[1] <= busy[0]
    assert busy[1] * 0.9 < busy[2] <= busy[1]
    rooflines = [each.roofline_speed for each in found]
    assert rooflines == pytest.approx([rooflines[0]] * 3)
    assert all(each.speed < each.roofline_speed for each in found)
    assert "launches of 4 layers leave some of 6 over" in none.refusal


def test_a_point_that_does_not_fit_is_a_row_that_says_why(tmp_path):
    text = "title: x\nbase: {model: small-gpt2, context: 32}\naxes: {board.hbm.channels: [1, 32]}"
    found = made(tmp_path, text)[1]
    small, large = found.run(one_process)
    assert small.result is None
    assert "more DMAs than pseudo-channels" in small.refusal
    assert large.result is not None
    assert made(tmp_path, text)[1].campaign.missing == {}, "a refusal is a result: it is not asked for again"


def test_what_is_not_the_points_own_fault_ends_the_study_and_is_not_stored(tmp_path):
    found = made(tmp_path, study_text([2]))[1]
    error = ToolMissingError("no-tool", "a tool is not installed", where="here", hints=["install it"])
    told = {**error.to_dict(), "exit_code": error.exit_code}

    def runner(blocks):
        return [(name, {"failed": told, "wall_s": 0.0}) for name in blocks]

    with pytest.raises(SttestError) as caught:
        found.run(runner)
    assert (str(caught.value), caught.value.exit_code) == (str(error), 5)
    assert len(found.campaign.missing) == 1


def test_an_estimate_simulates_nothing_and_uses_what_is_stored(tmp_path):
    assert made(tmp_path, study_text([2, 4, 8]))[1].campaign.estimate_s(jobs=1) is None
    made(tmp_path, study_text([2]))[1].run(one_process)
    found = made(tmp_path, study_text([2, 4, 8]))[1]
    for result in found.campaign.found.values():
        result["wall_s"] = 10.0
    assert found.campaign.estimate_s(jobs=1) == pytest.approx(20)
    assert found.campaign.estimate_s(jobs=2) == pytest.approx(10)
    found.run(one_process)
    assert found.campaign.estimate_s(jobs=1) == 0


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A copy of the program: points of one that is edited under way are rightly run again."""
    for room in ("sttest", "experiments"):
        shutil.copytree(REPO / room, tmp_path / "program" / room)
    return tmp_path / "program"


def start(program: Path, folder: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "sttest", "whatif", str(folder / "tiny.yaml"), "-o", "out", "-j", "2"]
    environment = {**os.environ, "PYTHONPATH": str(program)}
    log = (folder / "log").open("ab")
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log, start_new_session=True)


def stored(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in (folder / "build/points/whatif").glob("*.json")}


def wait_until_gone(group: int) -> None:
    """The processes of a killed study end by themselves."""
    deadline = time.monotonic() + SECONDS_TO_END
    while time.monotonic() < deadline:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    raise AssertionError("workers outlive the study that they worked for")


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("points", "kills"), [(20, ((5, 15),)), (200, ((5, 50), (60, 110), (120, 180)))], ids=["once", "three-times"]
)
def test_a_study_that_is_killed_gives_the_same_tables(points, kills, tmp_path, program):
    """SIGKILL to the study alone after random numbers of points; its workers must end too, and nothing is run twice."""
    numbers = random.Random(7)
    bandwidths = [float(2 + number) for number in range(points)]
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    for folder in (whole, broken):
        folder.mkdir()
        (folder / "tiny.yaml").write_text(study_text(bandwidths), encoding="utf-8")
    assert start(program, whole).wait() == 0, (whole / "log").read_text()

    kept: dict[str, int] = {}
    for bounds in kills:
        process, enough = start(program, broken), numbers.randint(*bounds)
        while len(stored(broken)) < enough:
            assert process.poll() is None, (broken / "log").read_text()
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        wait_until_gone(process.pid)
        now = stored(broken)
        assert kept.items() <= now.items(), "a finished point was run again"
        assert len(kept) < len(now) < points
        kept = now
        assert not (broken / "out").exists()
    assert start(program, broken).wait() == 0, (broken / "log").read_text()
    assert kept.items() <= stored(broken).items()
    assert len(stored(broken)) == points
    for name in ("table.csv", "table.md", "figure.svg", "figure.png"):
        assert (whole / "out" / name).read_bytes() == (broken / "out" / name).read_bytes(), name
