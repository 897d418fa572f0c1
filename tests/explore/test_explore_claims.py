"""Claims: a thing has one owner, until that one is gone."""

from __future__ import annotations

import subprocess
import sys
from datetime import datetime, timedelta

import pytest
from sqlalchemy import create_engine, update

from sttest.explore.storage import Claims


@pytest.fixture
def engine(tmp_path):
    return create_engine(f"sqlite:///{tmp_path / 'claims.db'}")


def everything(free: int, _others: int) -> int:
    return free


def owned_by(engine, claims: Claims, owner: str, since: datetime) -> None:
    """Makes all claims another process's."""
    with engine.begin() as connection:
        connection.execute(update(claims._table).values(owner=owner, since=since))


def dead_process() -> int:
    """The number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_the_first_few_are_taken_and_no_other_search_is_touched(engine):
    claims = Claims(engine, "one")
    assert claims.take(["b", "a", "c"], lambda free, others: free - 1 + others) == ["b", "a"]
    assert Claims(engine, "two").take(["a"], everything) == ["a"]
    assert claims.take([], everything) == []


def test_what_a_living_process_has_is_not_taken(engine):
    claims = Claims(engine, "one")
    claims.take(["a", "b"], everything)
    parent = f"{claims.me.split(':')[0]}:1:other"
    owned_by(engine, claims, parent, datetime.now() - timedelta(days=1))
    seen: list[tuple[int, int]] = []
    assert claims.take(["a", "b", "c"], lambda *given: seen.append(given) or given[0]) == ["c"]
    assert seen == [(1, 1)]


def test_what_a_process_had_that_is_gone_is_taken(engine):
    claims = Claims(engine, "one")
    claims.take(["a"], everything)
    owned_by(engine, claims, f"{claims.me.split(':')[0]}:{dead_process()}:other", datetime.now())
    assert claims.take(["a"], everything) == ["a"]


@pytest.mark.parametrize(("minutes", "taken"), [(1, []), (20, ["a"])])
def test_another_machine_is_waited_for(engine, minutes, taken):
    claims = Claims(engine, "one")
    claims.take(["a"], everything)
    owned_by(engine, claims, "elsewhere:1:other", datetime.now() - timedelta(minutes=minutes))
    assert claims.take(["a"], everything) == taken


def test_what_this_very_process_left_behind_is_taken_again(engine):
    claims = Claims(engine, "one")
    assert claims.take(["a"], everything) == ["a"]
    assert claims.take(["a"], everything) == ["a"]
    assert Claims(engine, "one").take(["a"], everything) == ["a"]
