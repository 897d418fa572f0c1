"""A distribution outside of the tree brings a backend."""

import json

import pytest

from sttest.core import extensions
from sttest.core.errors import InputError
from sttest.core.extensions import Extension, Offer
from sttest.crosscheck import backends as room


@pytest.mark.slow
@pytest.mark.torch
def test_their_backend_is_a_row_of_the_crosscheck(with_sample):
    shape = ("small-gpt2", "--phase", "decode", "--context", "27")
    done = with_sample("crosscheck", *shape, "--engines", "torch,maxplus,unbounded,broken", "--json")
    assert done.returncode == 0, done.stderr
    rows = {row["engine"]: row for row in json.loads(done.stdout)["engines"]}
    assert list(rows)[-3:] == ["device", "unbounded", "broken"]
    assert (rows["unbounded"]["verdict"], rows["broken"]["verdict"]) == ("done", "missing")
    least = int(rows["unbounded"]["note"].split()[2].replace(",", ""))
    assert 0 < least <= rows["maxplus"]["cycles"]
    assert "cannot be loaded: ModuleNotFoundError: No module named 'sttest_sample.no_such'" in rows["broken"]["note"]
    refused = with_sample("crosscheck", *shape, "--engines", "unbound")
    assert (refused.returncode, "did you mean 'unbounded'?" in refused.stderr) == (2, True)


@pytest.mark.slow
def test_doctor_tells_whether_their_backend_works_and_why_not(with_sample):
    told = json.loads(with_sample("doctor", "--json").stdout)
    able = {each["name"]: each for each in told["capabilities"]}
    assert able["engine unbounded"] == {"name": "engine unbounded", "works": True, "needs": ["abacus"], "lacks": []}
    assert (able["engine broken"]["works"], able["engine broken"]["lacks"]) == (False, ["backend broken"])
    part = {each["name"]: each for each in told["parts"]}
    assert (part["abacus"]["version"], part["abacus"]["detail"]) == ("2.0", "made of wood")
    assert part["backend broken"]["disables"] == ["engine broken"]
    why = "cannot be loaded: ModuleNotFoundError: No module named 'sttest_sample.no_such'"
    assert part["backend broken"]["detail"] == why


def test_those_of_sttest_are_listed_from_the_golden_up_to_the_card():
    known = room.backends()
    assert list(known)[:8] == ["torch", "reference", "simpy", "maxplus", "csim", "rtl", "hw_emu", "device"]
    assert [name for name, each in known.items() if not each.is_asked] == ["rtl"]
    assert [name for name, each in known.items() if not each.knows_depths] == ["torch", "reference"]


@pytest.mark.parametrize("target", ["json:dumps", "sttest.crosscheck.rungs:SIMPY"])
def test_what_is_no_backend_so_called_is_refused(monkeypatch, target):
    given = [extensions.extensions()[0], Extension("other", (Offer("backends", "odd", target),))]
    monkeypatch.setattr(extensions, "extensions", lambda: given)
    room.backends.cache_clear()
    try:
        with pytest.raises(InputError, match="what is offered as 'odd' is no Backend so called"):
            room.backends()
    finally:
        room.backends.cache_clear()
