"""Which folders may be written or replaced."""

import errno

import pytest

from sttest.core.errors import InputError
from sttest.core.files import check_output_folder


@pytest.mark.parametrize("place", ["empty", "new", "new/and/deeper", "earlier"])
def test_new_and_empty_folders_and_earlier_outputs_may_be_written_and_are_left_alone(place, tmp_path):
    (tmp_path / "earlier").mkdir()
    (tmp_path / "earlier" / "manifest.json").write_text('{"schema": "ours/1"}')
    (tmp_path / "empty").mkdir()
    before = sorted(tmp_path.rglob("*"))
    check_output_folder(tmp_path / place, "ours/1", "output of ours")
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("manifest", [None, "", "[]", "{}", '{"schema": "theirs/1"}', "\xff"])
def test_anything_else_is_refused(manifest, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    if manifest is not None:
        (tmp_path / "manifest.json").write_text(manifest, encoding="latin-1")
    with pytest.raises(InputError, match="no output of ours"):
        check_output_folder(tmp_path, "ours/1", "output of ours")


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "out").write_text("mine")
    with pytest.raises(InputError) as caught:
        check_output_folder(tmp_path / "out", "ours/1", "output of ours")
    assert (caught.value.code, caught.value.hints) == ("not-a-folder", ("name a folder",))
    assert (tmp_path / "out").read_text() == "mine"


def test_a_folder_where_nothing_can_be_written_is_said_before_the_work(tmp_path, monkeypatch):
    def refuse(*_arguments, **_options):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr("sttest.core.files.tempfile.TemporaryDirectory", refuse)
    with pytest.raises(InputError) as caught:
        check_output_folder(tmp_path / "new" / "deeper", "ours/1", "output of ours")
    assert caught.value.code == "unwritable-folder"
    assert f"can't write in {tmp_path} (Read-only file system); name another folder with -o" in str(caught.value)
    assert list(tmp_path.iterdir()) == []
