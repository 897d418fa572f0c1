"""A lowering that is disturbed from outside says nothing about the program, and no result of it is kept."""

import io
import subprocess

import pytest

from sttest.core.errors import InputError, PassingError
from sttest.frontend import lowering
from sttest.studies.campaign import guarded


def builder():
    raise AssertionError("is never called here")


@pytest.fixture
def ends(monkeypatch):
    """Makes the process end with a code and what it says."""
    monkeypatch.setattr(lowering, "require_frontend", lambda: None)

    def ends(code, told=b""):
        done = subprocess.CompletedProcess([], code, told, b"")
        monkeypatch.setattr(lowering, "_run", lambda *_given, **_named: done)

    return ends


@pytest.mark.parametrize(
    ("code", "told", "named"),
    [
        (-9, b"stage torch-mlir\n", "SIGKILL"),
        (-15, b"", "SIGTERM"),
        (2, b"passing No space left on device\n", "No space"),
    ],
)
def test_what_may_be_gone_at_the_next_try_is_not_kept(code, told, named, ends):
    ends(code, told)
    with pytest.raises(PassingError, match=named) as caught:
        lowering.lower_isolated(builder, {})
    assert caught.value.exit_code == 2
    result = guarded(lambda _: lowering.lower_isolated(builder, {}), {})  # pyright: ignore[reportArgumentType]
    assert ("refused" in result, result["failed"]["exit_code"]) == (False, 2)


@pytest.mark.parametrize("code", [-11, -6, 1])
def test_a_crash_is_the_programs(code, ends):
    ends(code, b"stage torch-mlir\nop aten.add on float32[4]\n")
    with pytest.raises(InputError, match=r"aten\.add"):
        lowering.lower_isolated(builder, {})


def test_a_full_disk_is_told_by_the_process_itself(monkeypatch, capsys, tmp_path):
    def full(*_given, **_named):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(lowering.sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    monkeypatch.setattr(lowering.pickle, "load", lambda _: (full, {str(tmp_path / "out"): {}}, False))
    assert lowering.main() == 2
    assert capsys.readouterr().out == "passing No space left on device\n"
