"""A pool of processes: each is prepared, none is left behind, and one that is killed is an error with a way out."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from pathlib import Path

import pytest

from sttest.core.errors import DoesNotFitError
from sttest.core.processes import process_pool, run_all

_prepared = list[int]()


def prepare(first: int, second: int) -> None:
    _prepared.append(first + second)


def prepared(number: int) -> list[int]:
    return [number, *_prepared]


def sleep(place: str) -> None:
    Path(place).write_text(str(os.getpid()))
    time.sleep(120)


def kill(number: int) -> int:
    if number == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_each_process_is_prepared_before_its_first_task() -> None:
    with process_pool(1, start=prepare, arguments=(3, 4)) as pool:
        assert list(pool.map(prepared, [1, 2])) == [[1, 7], [2, 7]]
    assert _prepared == []


@pytest.mark.timeout(60)
def test_an_exception_leaves_no_process(tmp_path: Path) -> None:
    place = tmp_path / "pid"

    def begin_and_fail() -> None:
        with process_pool(1) as pool:
            pool.submit(sleep, str(place))
            while not place.exists() or not place.read_text():
                time.sleep(0.02)
            raise KeyError

    with pytest.raises(KeyError):
        begin_and_fail()
    for process in multiprocessing.active_children():
        process.join(20)
    assert not Path(f"/proc/{place.read_text()}").exists()


def test_a_process_that_is_killed_is_no_bug_but_a_lack_of_memory() -> None:
    with pytest.raises(DoesNotFitError) as caught:
        dict(run_all(kill, {"a": 0, "b": 1, "c": 0}, jobs=2, where="sizing"))
    assert (caught.value.code, caught.value.where) == ("worker-died", "sizing")
    assert caught.value.hints[-1] == "run it again to go on"


@pytest.mark.parametrize(("count", "jobs"), [(0, 4), (1, 4), (3, 1)])
def test_little_work_needs_no_process(count: int, jobs: int) -> None:
    found = dict(run_all(lambda number: (number, os.getpid()), {number: number for number in range(count)}, jobs))
    assert found == {number: (number, os.getpid()) for number in range(count)}
