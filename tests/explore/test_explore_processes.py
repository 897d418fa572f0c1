"""Several processes on one database, and processes that are killed: nothing is lost, nothing is done twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

from sttest.explore.proposals import BATCH
from sttest.explore.search import run
from tests.explore.tiny_searches import tiny_search

TRIALS = 2 * BATCH + 4
ROOT = Path(__file__).parents[2]
_WORK = """
import sys
from pathlib import Path
from sttest.explore.search import run
from tests.explore.tiny_searches import tiny_search
run(tiny_search(Path(sys.argv[1])), int(sys.argv[2]), 1, lambda _: None, resume=True)
"""


def start(storage: Path) -> subprocess.Popen[bytes]:
    """A process of its own that searches."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen([sys.executable, "-c", _WORK, str(storage), str(TRIALS)], cwd=ROOT, env=environment)


def trials(storage: Path) -> list:
    """All trials of the one study in a database."""
    import optuna

    (name,) = optuna.get_all_study_names(f"sqlite:///{storage}")
    return optuna.load_study(study_name=name, storage=f"sqlite:///{storage}").trials


def finished(storage: Path) -> dict:
    """When each finished slot was finished, by the trial that counts."""
    return {
        trial.number: (trial.user_attrs["slot"], trial.datetime_complete)
        for trial in trials(storage) if trial.state.name in ("COMPLETE", "PRUNED")
    }  # fmt: skip


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """What one process finds that nobody disturbs."""
    storage = tmp_path_factory.mktemp("alone") / "search.db"
    return run(tiny_search(storage), TRIALS, 1, lambda _: None, resume=False)


def same(found, alone) -> bool:
    return [(each.slot, each.point, each.evaluation) for each in found] == [
        (each.slot, each.point, each.evaluation) for each in alone
    ]


@pytest.mark.nightly
@pytest.mark.slow
def test_two_processes_find_what_one_finds_and_do_nothing_twice(tmp_path, alone):
    storage = tmp_path / "search.db"
    found = run(tiny_search(storage), TRIALS, 2, lambda _: None, resume=False)
    assert same(found, alone)
    judged = finished(storage)
    assert sorted(slot for slot, _ in judged.values()) == list(range(TRIALS))
    owners = {trial.user_attrs["owner"] for trial in trials(storage) if trial.number in judged}
    assert len(owners) == 2


@pytest.fixture
def transactions():
    """One entry per transaction of this process: what it changed."""
    seen: list[list[str]] = []
    begin = lambda _connection: seen.append([])  # noqa: E731
    execute = lambda _c, _cursor, statement, *_: seen and seen[-1].append(statement)  # noqa: E731
    event.listen(Engine, "begin", begin)
    event.listen(Engine, "before_cursor_execute", execute)
    yield seen
    event.remove(Engine, "begin", begin)
    event.remove(Engine, "before_cursor_execute", execute)


@pytest.mark.daily
def test_a_finished_point_is_one_transaction(tmp_path, transactions):
    found = run(tiny_search(tmp_path / "search.db"), TRIALS, 1, lambda _: None, resume=False)
    assert len(found) == TRIALS
    finishing = [each for each in transactions if any(text.startswith("INSERT INTO trials") for text in each)]
    assert len(finishing) == TRIALS
    assert all(any("trial_user_attributes" in text for text in each) for each in finishing)
    # Claims and looks are shared by a few points each; opening the search takes some more.
    assert len(transactions) < 2.5 * TRIALS


@pytest.mark.nightly
@pytest.mark.slow
def test_a_killed_search_goes_on_without_losing_or_repeating_a_finished_point(tmp_path, alone):
    storage = tmp_path / "search.db"
    process = start(storage)
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        try:
            if len(finished(storage)) >= BATCH // 2:
                break
        except (ValueError, KeyError):
            pass  # not begun yet
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = finished(storage)
    assert BATCH // 2 <= len(before) < TRIALS
    found = run(tiny_search(storage), TRIALS, 1, lambda _: None, resume=True)
    assert same(found, alone)
    after = finished(storage)
    assert before.items() <= after.items()
    assert sorted(slot for slot, _ in after.values()) == list(range(TRIALS))
