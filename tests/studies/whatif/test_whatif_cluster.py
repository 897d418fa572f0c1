"""Studies on a dask cluster: the same tables, also where a worker is lost."""

from __future__ import annotations

import pytest

from sttest.core.errors import InputError, ToolMissingError
from sttest.core.results import PointStore
from sttest.studies.campaign import on_cluster, simulate_there
from sttest.studies.whatif.outcome import campaign
from sttest.studies.whatif.points import simulate_block
from sttest.studies.whatif.report import StudyReport
from sttest.studies.whatif.study import load_study

POINTS = 60


def made(tmp_path, store: str):
    path = tmp_path / "tiny.yaml"
    path.write_text(
        "title: tiny\nbase: {model: small-gpt2, context: 32}\ncompiled_for: {board.hbm.bandwidth: 2}\n"
        f"axes: {{board.hbm.bandwidth: {[float(2 + number) for number in range(POINTS)]}}}\n",
        encoding="utf-8",
    )
    study = load_study(path)
    return study, campaign(study, tmp_path, "maxplus", PointStore(tmp_path / store))


@pytest.mark.nightly
def test_a_cluster_that_loses_a_worker_gives_the_same_tables(tmp_path):
    from distributed import LocalCluster

    study, here = made(tmp_path, "here")
    StudyReport("tiny", study, "maxplus", here.run(here.campaign.in_processes(1))).write(tmp_path / "a")
    _, there = made(tmp_path, "there")
    pids: list[int] = []
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster:

        def lose_a_worker(done: int, total: int) -> None:
            if done == POINTS // 4:
                worker = next(iter(cluster.workers.values()))
                pids.append(worker.pid)
                worker.process.process._process.kill()

        outcomes = there.run(
            lambda blocks: on_cluster(blocks, simulate_block, cluster.scheduler_address), lose_a_worker
        )
        assert all(worker.pid not in pids or worker.process.process is None for worker in cluster.workers.values())
    assert pids, "no worker was killed"
    StudyReport("tiny", study, "maxplus", outcomes).write(tmp_path / "b")
    for name in ("table.csv", "table.md"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_a_scheduler_that_does_not_answer_is_named(monkeypatch):
    monkeypatch.setattr("sttest.studies.campaign._CONNECT_S", 1)
    with pytest.raises(InputError, match="no dask scheduler answers") as caught:
        list(on_cluster({"x": {}}, simulate_block, "tcp://127.0.0.1:9"))
    assert "\n" not in str(caught.value)


def test_a_scheduler_without_workers_is_named(monkeypatch):
    from distributed import LocalCluster

    monkeypatch.setattr("sttest.studies.campaign._CONNECT_S", 1)
    with (
        LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as cluster,
        pytest.raises(InputError, match="no workers"),
    ):
        list(on_cluster({"x": {}}, simulate_block, cluster.scheduler_address))


def test_an_address_that_is_none_is_refused():
    with pytest.raises(InputError, match="no dask scheduler answers"):
        list(on_cluster({"x": {}}, simulate_block, "nonsense://"))


def test_without_dask_the_extra_is_named(monkeypatch):
    monkeypatch.setattr("sttest.studies.campaign.find_spec", lambda name: None)
    with pytest.raises(ToolMissingError, match=r"sttest\[cluster\]"):
        list(on_cluster({"x": {}}, simulate_block, "tcp://127.0.0.1:9"))


def test_a_worker_of_another_version_refuses():
    assert simulate_there(simulate_block, {}, "another")["failed"]["code"] == "other-version"
