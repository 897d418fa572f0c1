"""Packages that an installation prepares: `sttest compile` gives them at once, for the same program alone."""

import json
from pathlib import Path

import pytest

from sttest.studies import prepare

SMALL = ("compile", "small-gpt2", "--phase", "decode", "--json")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory) -> Path:
    """One design, prepared with a cache of its own."""
    folder = tmp_path_factory.mktemp("prepared")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STTEST_CACHE", str(tmp_path_factory.mktemp("cache")))
        assert prepare.prepare(folder, prepare.requests()[:1], 1) == 1
    return folder


@pytest.fixture
def asked(prepared, tmp_path, monkeypatch, sttest):
    """Compiles with an empty cache, where a design is prepared."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STTEST_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv(prepare.PREPARED_VARIABLE, str(prepared))
    return lambda *more: json.loads(sttest(*SMALL, *more).stdout)


def files(folder: str) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}


@pytest.mark.daily
def test_what_is_prepared_is_what_a_compile_makes_and_lowers_nothing(asked, monkeypatch):
    found = asked("-o", "found")
    assert found.pop("kept") is True
    assert not Path("cache").exists()
    monkeypatch.setenv(prepare.PREPARED_VARIABLE, "")
    made = asked("-o", "made")
    assert made.pop("kept") is False
    assert files("found") == files("made")
    same = ("name", "fifos", "fifo_bits", "kernels", "design", "fit", "resources", "sizing")
    assert {name: found[name] for name in same} == {name: made[name] for name in same}


@pytest.mark.parametrize("more", [("--context", "48"), ("--board", "u280"), ("--design", "default"), ("--batch", "2")])
def test_another_request_is_not_answered(more, prepared, tmp_path, monkeypatch, sttest):
    monkeypatch.setenv("STTEST_CACHE", str(tmp_path))
    monkeypatch.setenv(prepare.PREPARED_VARIABLE, str(prepared))
    seen = []
    monkeypatch.setattr("sttest.cli.compile.compile_package", lambda request, step: seen.append(request))
    sttest(*SMALL, *more)
    assert len(seen) == 1


def test_another_program_finds_nothing_and_clears_what_was_prepared(prepared, tmp_path, monkeypatch):
    monkeypatch.setenv(prepare.PREPARED_VARIABLE, str(tmp_path))
    (old,) = (prepared / "packages").iterdir()
    (tmp_path / "packages").mkdir()
    (tmp_path / "packages" / old.name).write_bytes(old.read_bytes())
    (request,) = prepare.requests()[:1]
    assert prepare.recall(request) is not None
    monkeypatch.setattr(prepare, "tree_hash", lambda: "another")
    assert prepare.recall(request) is None
    assert prepare.prepare(tmp_path, [], 1) == 0
    assert not list((tmp_path / "packages").iterdir())


def test_what_was_cut_is_said_and_not_answered(prepared, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv(prepare.PREPARED_VARIABLE, str(tmp_path))
    (whole,) = (prepared / "packages").iterdir()
    (tmp_path / "packages").mkdir()
    (tmp_path / "packages" / whole.name).write_bytes(whole.read_bytes()[:-100])
    assert prepare.recall(prepare.requests()[0]) is None
    assert "not what was kept there" in capsys.readouterr().err
