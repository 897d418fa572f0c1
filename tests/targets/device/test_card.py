"""A card that is held by a process: what works, and every way in which a launch does not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sttest.core.errors import DeadlockError, InputError, SttestError
from sttest.targets.device import CardOptions, HeldCard

DATA = bytes(range(256))
REVERSED = b"".join(DATA[start : start + 64] for start in (192, 128, 64, 0))


def ready(card: HeldCard) -> HeldCard:
    for name in "xy":
        card.allocate(name, name)
    card.write("x", DATA)
    card.prepare("run", {"x": "x", "y": "y"})
    return card


def gone(pid: int) -> bool:
    return not Path(f"/proc/{pid}").exists()


def test_a_launch_computes_and_tells_its_times(card_of):
    with card_of(duration_us=12.5) as card:
        times = ready(card).launch("run", doing="block 0")
        assert card.read("y") == REVERSED
        assert times.simulated_us == pytest.approx(12.5)
        assert times.host_us > 0
        assert card.info["platform"] == "sttest_emulator_u55c"
        pid = card.pid
    assert gone(pid)


def test_only_what_is_written_changes(card_of):
    with card_of() as card:
        ready(card).launch("run", doing="block 0")
        card.write("x", b"\xff" * 64, 64)
        card.launch("run", doing="block 1")
        assert card.read("y") == REVERSED[:128] + b"\xff" * 64 + REVERSED[192:]


def test_power_is_read_at_rest_and_under_load(card_of):
    with card_of() as card:
        assert card.idle_watts() == [15.0] * 3
        assert ready(card).launch("run", doing="block 0").watts == 40.0


def test_a_kernel_that_hangs_is_named_and_its_process_is_gone(card_of):
    with card_of({1: "hung"}, launch_s=1.0) as card:
        pid = card.pid
        ready(card).launch("run", doing="block 0")
        assert card.read("y") == REVERSED
        began = time.monotonic()
        with pytest.raises(DeadlockError) as caught:
            card.launch("run", doing="decode of position 3, layer 1")
        assert gone(pid)
    # The limit is kept from both sides, with room for a machine that is busy.
    assert 1.0 <= time.monotonic() - began < 30.0
    assert str(caught.value).startswith("decode of position 3, layer 1: kernel 'reverse' did not finish (bound 1.0 s)")


def test_the_card_is_usable_after_a_hang(card_of):
    with pytest.raises(DeadlockError), card_of({0: "hung"}, launch_s=0.5) as card:
        ready(card).launch("run", doing="block 0")
    with card_of() as card:
        ready(card).launch("run", doing="block 0")
        assert card.read("y") == REVERSED


def test_a_kernel_that_ends_in_error_is_told_apart(card_of):
    with (
        pytest.raises(SttestError, match="kernel 'reverse' ended with error") as caught,
        card_of({0: "crashed"}) as card,
    ):
        ready(card).launch("run", doing="block 0")
    assert caught.value.code == "kernel-failed"


def test_a_host_program_that_crashes_is_no_crash_of_ours(card_of):
    with card_of() as card:
        os.kill(card.pid, signal.SIGSEGV)
        with pytest.raises(SttestError, match="was killed by signal 11") as caught:
            ready(card)
    assert caught.value.code == "host-crashed"


def test_a_host_program_that_stops_answering_is_ended(card_of, monkeypatch):
    monkeypatch.setattr("sttest.targets.device.card.GRACE_S", 0.5)
    with card_of(launch_s=0.5) as card:
        ready(card)
        pid = card.pid
        os.kill(pid, signal.SIGSTOP)
        with pytest.raises(DeadlockError, match="did not finish"):
            card.launch("run", doing="block 0")
    assert gone(pid)


@pytest.mark.parametrize(
    ("buffers", "message"), [({"x": "x"}, "'y' has no buffer"), ({"x": "y", "y": "x"}, "wrong-bank")]
)
def test_misuse_comes_back_as_it_was(buffers, message, card_of):
    with card_of() as card:
        ready(card)
        with pytest.raises(SttestError) as caught:
            card.prepare("other", buffers)
    assert message in (caught.value.code, caught.value.what)


def test_an_unknown_buffer_is_refused(card_of):
    with pytest.raises(InputError, match="'z' is no buffer"), card_of() as card:
        card.allocate("z", "z")


def test_without_pyxrt_the_process_says_so(reverser):
    from sttest.package import KernelFiles

    files = KernelFiles.read(reverser[0])
    with (
        pytest.raises(SttestError, match="No module named 'pyxrt'"),
        HeldCard(files, CardOptions("device", "no.xclbin")),
    ):
        pass


def test_ctrl_c_in_the_middle_of_a_launch_leaves_no_process(reverser, tmp_path, heed_interrupts):
    package, executable = reverser
    program = f"""
from pathlib import Path
from sttest.package import KernelFiles
from sttest.targets.device import *
files = KernelFiles.read(Path({str(package)!r}))
rehearsal = Rehearsal({str(executable)!r}, 10.0, {{0: "hung"}})
with HeldCard(files, CardOptions("emulator", str(files.signature_path), rehearsal=rehearsal)) as card:
    for name in "xy":
        card.allocate(name, name)
    card.write("x", bytes(256))
    card.prepare("run", {{"x": "x", "y": "y"}})
    Path({str(tmp_path / "pid")!r}).write_text(str(card.pid))
    card.launch("run", doing="block 0")
"""
    command = [sys.executable, "-c", program]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, preexec_fn=heed_interrupts)
    deadline = time.monotonic() + 60
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert b"KeyboardInterrupt" in said
    assert gone(int((tmp_path / "pid").read_text()))
