"""Every reader in small, by day: a result or an error of sttest's own; `make fuzz` and the nightly run try more.

What `mended` holds went wrong once.
"""

import sys
import time
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent)]

import campaign
import trial
from targets import ALL, HERE, TARGETS, Target

linux = pytest.mark.skipif(sys.platform != "linux", reason="bounds on address space, and workers that are forked")
MENDED = sorted(path for path in (HERE / "mended").glob("*/*") if path.is_file())
BY_DAY = 200


@pytest.fixture
def few_accesses(monkeypatch):
    monkeypatch.setenv("STTEST_MAX_ACCESSES", campaign.MAX_ACCESSES)


def test_every_target_has_files_that_are_read():
    assert len(ALL) == len(TARGETS) >= 16
    assert {path.name for path in (HERE / "corpus").iterdir()} == TARGETS.keys()
    assert {path.name for path in (HERE / "beside").iterdir()} <= TARGETS.keys()
    assert all(path.stat().st_size < 32_000 for path in (HERE / "corpus").rglob("*"))


@pytest.mark.daily
@linux
@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", TARGETS)
def test_a_result_or_an_error(name, tmp_path):
    pytest.importorskip("atheris", reason="pip install 'sttest[dev]' brings atheris up to Python 3.13")
    found = campaign.fuzzed(TARGETS[name], BY_DAY, 1, tmp_path, limit_s=600.0)
    assert {told: data[:200] for told, data in found.wrong.items()} == {}
    assert found.executions == BY_DAY


@linux
@pytest.mark.parametrize("path", MENDED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_what_went_wrong_once_is_refused(path, tmp_path, few_accesses):
    assert trial.tried(TARGETS[path.parent.name], path.read_bytes(), tmp_path) == ""


# --- The frame itself: what goes wrong is seen, counted and reduced


def _reader(path):
    data = path.read_bytes()
    if b"hang" in data:
        while True:
            pass
    if b"sleep" in data:
        time.sleep(60)
    if b"fat" in data:
        bytearray(trial.MEMORY_BYTES + (1 << 30))
    if b"die" in data:
        import os

        os._exit(7)
    if b"leave" in data:
        path.with_name("more.txt").touch()
    if b"escape" in data:
        return "\x1b[2J"
    return 1 // (b"zero" not in data)


WEAK = Target("weak", "w.txt", _reader, ())


@linux
@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"fine", ""),
        (b"zero", "ZeroDivisionError at no function of sttest"),
        (b"die", "ended with exit code 7"),
        (b"fat", "MemoryError at no function of sttest"),
        (b"hang", "more than 1 s"),
        (b"sleep", "more than 10 s on the clock"),
        (b"leave", "left behind .txt"),
        (b"escape", "control character '\\x1b' in the text"),
    ],
)
def test_what_goes_wrong_is_told(data, told, tmp_path):
    limit_s = 1.0 if data in (b"hang", b"sleep") else 20.0
    assert trial.tried_apart(WEAK, data, tmp_path, limit_s) == told


@linux
def test_inputs_are_reduced():
    told = "ZeroDivisionError at no function of sttest"
    assert campaign.reduced(WEAK, b"a long text with a zero in its middle, and more", told, trial.tried) == b"zero"
    assert campaign.reduced(WEAK, b"fine", told, trial.tried) is None


@linux
@pytest.mark.parametrize("ending", ["hangs", "dies", "raises"])
def test_a_worker_that_ends_is_replaced(ending, tmp_path, monkeypatch):
    """A stand-in for the worker does the same with its first life, and counts to the end in the second."""
    acts = {
        "hangs": "exec('while True: pass')",
        "dies": "os._exit(9)",
        "raises": "(f / 'wrong' / 'x.input').write_bytes(b'z')",
    }
    script = tmp_path / "worker.py"
    script.write_text(
        "import os, sys, time, pathlib\n"
        "f = pathlib.Path(sys.argv[sys.argv.index('--folder') + 1])\n"
        "for each in ('in', 'wrong'): (f / each).mkdir(exist_ok=True)\n"
        "(f / 'in' / 'w.txt').write_bytes(b'this one')\n"
        "(f / 'began').touch()\n"
        "first = not (f / 'lived').exists(); (f / 'lived').touch()\n"
        "(f / 'count').write_text('3' if first else '7')\n"
        f"if first: {acts[ending]}\n"
    )
    monkeypatch.setattr(campaign, "__file__", str(tmp_path / "campaign.py"))
    monkeypatch.setattr(campaign, "LIMIT_S", 1.0)
    if ending == "raises":
        (tmp_path / "room" / "wrong").mkdir(parents=True)
        (tmp_path / "room" / "wrong" / "x.txt").write_text("an error")
    found = campaign.fuzzed(WEAK, 10, 1, tmp_path / "room", limit_s=60.0)
    assert found.executions == 10
    told = {
        "hangs": {"more than 1 s": b"this one"},
        "dies": {"ended with exit code 9": b"this one"},
        "raises": {"an error": b"z"},
    }
    assert found.wrong == told[ending]
