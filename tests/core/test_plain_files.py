"""Pipes and devices are never waited for nor replaced, and what was written is on the disk before it has its name."""

from __future__ import annotations

import errno
import os
import socket
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sttest.core.errors import InputError
from sttest.core.files import read_bytes, read_yaml, replacing_folder, write_text
from sttest.core.plain_files import check_replaceable, sync, why_no_file
from sttest.core.python_file import python_function
from sttest.importers.hls.project import read_project
from sttest.package import DesignPackage
from sttest.sim import load

READ = "import sys, pathlib, sttest.core.files as files; print(files.read_bytes(pathlib.Path(sys.argv[1])))"


@pytest.mark.timeout(20)
@pytest.mark.parametrize("writer", [False, True])
def test_a_named_pipe_is_refused_by_name(tmp_path: Path, writer: bool) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK) if writer else None
    with pytest.raises(InputError, match="pipe: cannot be read: it is a named pipe, which might never end"):
        read_bytes(path)
    with pytest.raises(InputError, match="pipe: cannot be written: it is a named pipe; name a file"):
        write_text(path, "x")
    assert stat.S_ISFIFO(path.stat().st_mode)
    assert [*tmp_path.iterdir()] == [path]
    if descriptor is not None:
        os.close(descriptor)


@pytest.mark.parametrize(
    "read",
    [load, DesignPackage.read, read_project, read_yaml, lambda path: python_function(f"{path}:f")],
    ids=["graph", "package", "project", "yaml", "python"],
)
def test_every_reader_says_that_it_is_a_pipe(read: Callable[[Path], object], tmp_path: Path) -> None:
    path = tmp_path / "pipe.py"
    os.mkfifo(path)
    with pytest.raises(InputError, match="it is a named pipe"):
        read(path)


@pytest.mark.parametrize("path", ["/dev/null", "/dev/zero", "/dev/tty"])
def test_devices_are_not_read(path: str) -> None:
    with pytest.raises(InputError, match=r"it is a device|No such device"):
        read_bytes(Path(path))


@pytest.mark.parametrize(
    "path", ["/dev/null", "/dev/tty", "/dev/stdout", "/dev/no-such-thing", "/proc/self/fd/1", "/dev/fd/7"]
)
def test_nothing_is_put_in_the_place_of_a_device_or_among_them(path: str) -> None:
    # Only asked: should it be allowed, /dev/null would be a file for everybody.
    with pytest.raises(InputError, match=r"cannot be written: it is (a device|a named pipe|the system's own)"):
        check_replaceable(Path(path))


def test_a_folder_of_memory_is_a_folder_like_any_other() -> None:
    check_replaceable(Path("/dev/shm/sttest/graph.json"))


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        read_bytes(tmp_path)
    with pytest.raises(InputError, match="cannot be written: Is a directory"):
        write_text(tmp_path, "x")


@pytest.mark.parametrize("path", ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"])
@pytest.mark.parametrize("as_file", [False, True])
def test_what_the_caller_opened_is_read(path: str, as_file: bool, tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"given" * 40_000)
    command = [sys.executable, "-c", READ, path]
    with (tmp_path / "in").open("rb") as given:
        source = {"stdin": given} if as_file else {"input": given.read()}
        done = subprocess.run(command, **source, capture_output=True, check=False, timeout=60)
    assert (done.returncode, len(done.stdout)) == (0, 200_004), done.stderr


# --- On the disk before it has its name


@pytest.fixture
def order(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is waited for and what is renamed, in order, by name without what makes a name unique."""
    told: list[str] = []

    def named(path: object) -> str:
        return Path(str(path)).name.partition(".new-")[0]

    def fsync(descriptor: int) -> None:
        told.append(f"sync {named(Path(f'/proc/self/fd/{descriptor}').readlink())}")

    def renaming(verb: str):
        original = getattr(Path, verb)

        def rename(path: Path, target: Path) -> Path:
            told.append(f"{named(path)} becomes {named(target)}")
            return original(path, target)

        return rename

    monkeypatch.setattr(os, "fsync", fsync)
    for verb in ("rename", "replace"):
        monkeypatch.setattr(Path, verb, renaming(verb))
    return told


def test_a_file_is_on_the_disk_before_it_has_its_name_and_its_name_then(tmp_path: Path, order: list[str]) -> None:
    write_text(tmp_path / "a.txt", "content")
    assert order == ["sync .a.txt", ".a.txt becomes a.txt", f"sync {tmp_path.name}"]


def test_so_is_all_that_a_folder_holds(tmp_path: Path, order: list[str]) -> None:
    (tmp_path / "out").mkdir()
    with replacing_folder(tmp_path / "out") as staging:
        (staging / "in").mkdir()
        (staging / "in" / "a").write_text("1")
        (staging / "b").write_text("2")
    assert order[:4] == ["sync a", "sync in", "sync b", "sync .out"]
    assert order[4:] == ["out becomes .out.old", ".out becomes out", f"sync {tmp_path.name}"]


def test_an_error_of_the_disk_leaves_the_file_of_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("before")
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(5, "Input/output error")))
    with pytest.raises(OSError, match="Input/output error"):
        write_text(tmp_path / "a.txt", "after")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a.txt": "before"}


@pytest.mark.parametrize("number", [errno.EINVAL, errno.ENOTSUP, errno.EACCES])
def test_a_folder_that_cannot_be_waited_for_is_no_reason_to_fail_and_a_file_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    (tmp_path / "a.txt").write_text("content")
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(number, os.strerror(number))))
    sync(tmp_path)
    with pytest.raises(OSError, match=os.strerror(number)):
        sync(tmp_path / "a.txt")


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("nothing", "no such file or folder"),
        ("folder", "a folder, not a file"),
        ("folder/below", "no such file"),
        ("file/below", "Not a directory"),
        ("pipe", "it is a named pipe"),
        ("/dev/null", "it is a device"),
        ("socket", "it is a socket"),
    ],
)
def test_what_is_in_the_place_of_a_file_is_named(place: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        assert why_no_file(tmp_path / place).startswith(why)
