"""The campaign of `benchmarks.fuzz_campaign` in small: hostile files give a result or an error, and nothing else."""

import multiprocessing
import random
import sys

import pytest

from benchmarks.hostile import raw_bytes
from benchmarks.hostile.campaign import Bounds, campaign
from benchmarks.hostile.cases import make_case
from benchmarks.hostile.seeds import seeds

linux = pytest.mark.skipif(sys.platform != "linux", reason="bounds on address space, and workers that are forked")


@linux
@pytest.mark.parametrize("seed", [11, pytest.param(12, marks=pytest.mark.nightly)])
def test_a_result_or_an_error(seed, monkeypatch):
    monkeypatch.setenv("STTEST_MAX_ACCESSES", "1000000")
    found = campaign(seed, range(200), Bounds(memory_bytes=3 << 30, case_s=20.0))
    assert found.bugs == []
    assert sum(found.counts.values()) == 200
    assert {"done", "deadlock", "InputError bad-yaml", "InputError bad-xml"} <= set(found.counts)


@linux
@pytest.mark.parametrize("told", ["hangs", "dies", "raises"])
def test_the_campaign_notices(told, monkeypatch):
    """A worker that hangs or dies is counted, and the inputs after it are still tried."""
    endings = {"hangs": "BUG timeout", "dies": "BUG ended with exit code", "raises": "BUG ended with exit code 1"}

    def outcome(case, folder):
        if case.number != 1:
            return "done"
        if told == "hangs":
            multiprocessing.Event().wait()
        raise SystemExit if told == "dies" else ZeroDivisionError

    monkeypatch.setattr("benchmarks.hostile.campaign.outcome", outcome)
    found = campaign(1, range(3), Bounds(case_s=0.5))
    assert found.counts["done"] == 2
    assert [bug.startswith(f"1: {endings[told]}") for bug in found.bugs] == [True]


def test_cases_depend_on_their_number_only():
    assert make_case(3, 70) == make_case(3, 70)
    assert len({make_case(3, number).files.values().__str__() for number in range(40)}) > 30


def test_every_kind_of_damage_keeps_bytes():
    for number in range(200):
        how, data = raw_bytes.damage(seeds()[0].files["g.json"], random.Random(number))
        assert how
        assert isinstance(data, bytes)
