"""Nothing that is kept is trusted, and no state of the cache is a reason to fail."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from sttest.core import errors, files
from sttest.core.kept import KeptFiles
from sttest.core.program import default_cache_dir

TEXT = 'module attributes {a = 1.5 : f32, b = "é"} {}\n'
NOT_THE_SAME = "a.mlir: not what was kept there, by its digest; it is made anew\n"


@pytest.fixture
def kept(tmp_path: Path) -> KeptFiles:
    errors.note.cache_clear()  # of other tests
    found = KeptFiles("linalg", tmp_path)
    found.keep("a.mlir", TEXT)
    return found


def test_what_was_kept_comes_back_and_nothing_is_said(kept: KeptFiles, capsys: pytest.CaptureFixture[str]) -> None:
    assert kept.text("a.mlir") == TEXT
    assert kept.text("b.mlir") is None
    kept.keep_value("v", {"a": (1, 2)}, numbers := TypeAdapter(dict[str, tuple[int, ...]]))
    assert kept.value("v", numbers) == {"a": (1, 2)}
    assert capsys.readouterr() == ("", "")


DAMAGED = {
    "one digit": lambda data: data.replace(b"1.5", b"1.6"),
    "the digest": lambda data: data.replace(b"sha256 ", b"sha256 f", 1),
    "cut": lambda data: data[:-1],
    "cut to its head": lambda data: data[: data.index(b"\n") + 1],
    "cut within its head": lambda data: data[:20],
    "longer": lambda data: data + b"\n",
    "without a head": lambda data: data[data.index(b"\n") + 1 :],
    "empty": lambda data: b"",
    "random": lambda data: bytes(range(256)) * 8,
    "of another encoding": lambda data: data.decode().encode("utf-16"),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_what_is_not_what_was_kept_is_said_once_and_made_anew(
    damage: str, kept: KeptFiles, capsys: pytest.CaptureFixture[str]
) -> None:
    path = kept.folder / "a.mlir"
    path.write_bytes(DAMAGED[damage](path.read_bytes()))
    assert kept.text("a.mlir") is None
    assert kept.text("a.mlir") is None
    (line,) = capsys.readouterr().err.splitlines(keepends=True)
    assert line == f"note: {kept.folder}/{NOT_THE_SAME}"
    kept.keep("a.mlir", TEXT)
    assert kept.text("a.mlir") == TEXT


def test_a_file_of_another_name_is_not_what_was_kept(kept: KeptFiles, capsys: pytest.CaptureFixture[str]) -> None:
    kept.keep("b.mlir", "module {}\n")
    (kept.folder / "b.mlir").rename(kept.folder / "a.mlir")
    assert kept.text("a.mlir") is None
    assert NOT_THE_SAME in capsys.readouterr().err


def test_a_value_of_another_kind_is_none(kept: KeptFiles, capsys: pytest.CaptureFixture[str]) -> None:
    kept.keep("v", '{"a": "many"}')
    assert kept.value("v", TypeAdapter(dict[str, int])) is None
    assert "v: no value of its kind; it is made anew" in capsys.readouterr().err


def test_a_value_comes_back_as_its_kind_and_none_where_there_is_none(kept: KeptFiles) -> None:
    kind = TypeAdapter(dict[str, tuple[int, ...]])
    kept.keep_value("v", {"a": (1, 2)}, kind)
    assert kept.value("v", kind) == {"a": (1, 2)}
    assert kept.value("w", kind) is None


def test_what_would_not_be_read_again_is_not_kept(kept: KeptFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    head = len("// kept by sttest, sha256 \n") + 64
    monkeypatch.setattr("sttest.core.kept.MAX_FILE_BYTES", head + 4)
    kept.keep("fits", "1234")
    kept.keep("large", "12345")
    assert sorted(path.name for path in kept.folder.iterdir()) == ["a.mlir", "fits"]


@pytest.mark.timeout(20)
@pytest.mark.parametrize("what", ["folder", "full folder", "pipe", "loop", "socket of nobody"])
def test_something_else_in_the_place_of_a_file_is_no_reason_to_fail(
    what: str, kept: KeptFiles, capsys: pytest.CaptureFixture[str]
) -> None:
    path = kept.folder / "a.mlir"
    path.unlink()
    if "folder" in what:
        path.mkdir()
        (path / "mine").touch() if what == "full folder" else None
    elif what == "pipe":
        os.mkfifo(path)
    elif what == "loop":
        path.symlink_to(path)
    else:
        os.mknod(path, 0o140600)
    assert kept.text("a.mlir") is None
    assert "a.mlir: kept earlier, cannot be read: " in capsys.readouterr().err
    kept.keep("a.mlir", TEXT)
    told = capsys.readouterr().err
    assert kept.text("a.mlir") == TEXT or "nothing can be kept there (" in told


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EIO, errno.EDQUOT])
@pytest.mark.parametrize("step", ["write", "sync", "replace"])
def test_a_cache_that_cannot_be_written_is_said_once(
    error: int, step: str, kept: KeptFiles, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(error, os.strerror(error))

    owner, name = {"write": (Path, "write_bytes"), "sync": (files, "sync"), "replace": (Path, "replace")}[step]
    monkeypatch.setattr(owner, name, fail)
    kept.keep("b.mlir", TEXT)
    kept.keep("c.mlir", TEXT)
    (line,) = capsys.readouterr().err.splitlines()
    assert line == (
        f"note: {kept.folder}: nothing can be kept there ({os.strerror(error)}), so it is made again each time; "
        "set STTEST_CACHE"
    )
    assert [path.name for path in kept.folder.iterdir()] == ["a.mlir"]


@pytest.mark.parametrize("place", ["file", "/dev/null", "/proc/nothing"])
def test_nor_does_a_cache_that_is_no_folder_fail(place: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    kept = KeptFiles("linalg", Path(place) if place.startswith("/") else tmp_path / place)
    kept.keep("a.mlir", TEXT)
    assert kept.text("a.mlir") is None


def test_a_user_without_a_home_has_no_cache_and_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def homeless(_: object) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", classmethod(homeless))
    monkeypatch.delenv("STTEST_CACHE", raising=False)
    KeptFiles("linalg").keep("a.mlir", TEXT)
    assert KeptFiles("linalg").text("a.mlir") is None
    told = "note: /dev/null/sttest/linalg: nothing can be kept there (Not a directory)"
    assert capsys.readouterr().err.startswith(told)


def test_the_cache_may_be_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STTEST_CACHE", str(tmp_path))
    assert default_cache_dir() == tmp_path
