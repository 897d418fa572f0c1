"""Writing that fails: what was there stays whole, and the error names what was to be written."""

import errno
from pathlib import Path

import pytest

from sttest.core.files import replacing, replacing_folder, write_text


def full(*_arguments, **_options):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_an_error_without_a_name_gets_that_of_the_file(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(OSError, match="No space") as caught, replacing(path) as unfinished:
        full(unfinished.write_text("ne"))
    assert (caught.value.filename, path.read_text()) == (str(path), "old")
    assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]


def test_a_file_whose_place_cannot_be_written_is_named_itself(tmp_path):
    path = tmp_path / "missing" / "a.txt"
    with pytest.raises(OSError, match="No such file") as caught:
        write_text(path, "new")
    assert caught.value.filename == str(path)


def test_a_file_in_a_folder_that_is_not_there_yet_has_the_name_that_it_will_have(tmp_path):
    folder = tmp_path / "out"
    with pytest.raises(OSError, match="No such file") as caught, replacing_folder(folder) as staging:
        (staging / "below" / "a.txt").write_text("new")
    assert caught.value.filename == str(folder / "below" / "a.txt")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("failing", [1, 2])
def test_a_folder_that_cannot_take_its_place_leaves_the_older_one(failing, tmp_path, monkeypatch):
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "a.txt").write_text("old")
    rename, calls = Path.rename, []

    def counted(self, target):
        calls.append(target)
        return full() if len(calls) == failing else rename(self, target)

    monkeypatch.setattr(Path, "rename", counted)
    with pytest.raises(OSError, match="No space") as caught, replacing_folder(folder) as staging:
        (staging / "a.txt").write_text("new")
    assert caught.value.filename == str(folder)
    assert (folder / "a.txt").read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["out"]


def test_a_first_folder_that_cannot_take_its_place_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "rename", full)
    with pytest.raises(OSError, match="No space"), replacing_folder(tmp_path / "out") as staging:
        (staging / "a.txt").write_text("new")
    assert list(tmp_path.iterdir()) == []


def test_an_error_about_another_file_keeps_its_name(tmp_path):
    missing = str(tmp_path / "other.txt")
    with pytest.raises(OSError, match="No such file") as caught, replacing(tmp_path / "a.txt"):
        Path(missing).read_text()
    assert caught.value.filename == missing
    assert list(tmp_path.iterdir()) == []
