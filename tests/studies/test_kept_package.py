"""`sttest compile` of what was compiled before: the same package, without a compile."""

import json
import shutil
from pathlib import Path

import pytest

from sttest.boards.load import DATA_DIR
from sttest.studies import kept_package

SMALL = ("compile", "small-gpt2", "--phase", "decode", "--context", "32", "--json")


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STTEST_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "packages"


def files(folder: str) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}


@pytest.mark.daily
def test_a_second_compile_gives_the_package_of_the_first(sttest):
    first, second = sttest(*SMALL, "-o", "first"), sttest(*SMALL, "-o", "second")
    made, kept = json.loads(first.stdout), json.loads(second.stdout)
    assert (made.pop("kept"), kept.pop("kept")) == (False, True)
    assert (made.pop("package"), kept.pop("package")) == ("first", "second")
    assert made == kept
    assert files("first") == files("second")


def test_what_is_printed_is_the_same(sttest):
    first, second = (sttest(*SMALL[:-1], "-o", "package").stdout for _ in range(2))
    assert first == second


def test_a_kept_package_is_what_an_empty_cache_gives(sttest, cache):
    sttest(*SMALL, "-o", "first")
    sttest(*SMALL, "-o", "kept")
    shutil.rmtree(cache.parent)
    assert json.loads(sttest(*SMALL, "-o", "anew").stdout)["kept"] is False
    assert files("kept") == files("anew")


@pytest.mark.parametrize(
    "more",
    [
        ("--gemv-lanes", "64"),
        ("--print-after-all",),
        ("--layers", "2"),
        ("--budget", "all"),
        pytest.param(("--batch", "2"), marks=pytest.mark.torch),
    ],
)
def test_what_is_asked_otherwise_is_compiled(more, sttest):
    sttest(*SMALL, "-o", "first")
    assert json.loads(sttest(*SMALL, *more, "-o", "second").stdout)["kept"] is False


def test_a_file_counts_by_what_it_holds(sttest):
    board = Path("mine.yaml")
    board.write_bytes((DATA_DIR / "u55c.yaml").read_bytes())
    asked = (*SMALL, "--board", str(board))
    assert json.loads(sttest(*asked, "-o", "first").stdout)["kept"] is False
    assert json.loads(sttest(*asked, "-o", "second").stdout)["kept"] is True
    board.write_text(board.read_text().replace("value: 250, unit: MHz", "value: 200, unit: MHz"))
    assert json.loads(sttest(*asked, "-o", "third").stdout)["kept"] is False


def test_what_is_not_what_was_kept_is_made_anew_and_said(sttest, cache):
    sttest(*SMALL, "-o", "first")
    (kept,) = cache.iterdir()
    kept.write_bytes(kept.read_bytes()[:-100])
    again = sttest(*SMALL, "-o", "second")
    assert json.loads(again.stdout)["kept"] is False
    assert "not what was kept there" in again.stderr
    assert files("first") == files("second")


@pytest.mark.parametrize("name", ["../out.txt", "/tmp/out.txt", "hls/../../out.txt", ".hidden", ""])
def test_no_name_leads_out_of_the_folder(name, cache):
    package = kept_package.KeptPackage.model_construct(files={name: "text"}, summary={})
    kept_package.keep("0123456789abcdef", package)
    assert kept_package.recall("0123456789abcdef") is None
