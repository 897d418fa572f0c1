"""Steps of a build with tools that succeed, fail, hang, make nothing or talk nonsense."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sttest.core.errors import SttestError
from sttest.targets.vitis.runner import run_steps
from sttest.targets.vitis.steps import BuildStep

MAKE_IT = "cat ../source > {out}; echo run >> {out}.runs"


def step(folder: Path, name: str, script: str, *, limit_s: float = 20.0, inputs: tuple[str, ...] = ()) -> BuildStep:
    output = folder / f"{name}.out"
    command = ("sh", "-c", script.format(out=output.name))
    return BuildStep(name, command, tuple(folder.parent / each for each in inputs), output, limit_s)


def quiet(_line: str) -> None:
    pass


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "source").write_text("one")
    return tmp_path / "build"


def runs(folder: Path, name: str) -> int:
    path = folder / f"{name}.out.runs"
    return len(path.read_text().splitlines()) if path.exists() else 0


def ends(pid: int) -> bool:
    """Whether a process that was killed is gone, or waits for nobody but its reaper."""
    stat = Path(f"/proc/{pid}/stat")
    for _ in range(200):
        if not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.05)
    return False


def test_each_step_runs_once_per_content_of_its_inputs(folder):
    steps = [step(folder, "compile", MAKE_IT, inputs=("source",)), step(folder, "link", MAKE_IT)]
    first = run_steps(steps, folder, "2024.1", quiet)
    assert [result.was_done for result in first] == [False, False]
    again = run_steps(steps, folder, "2024.1", quiet)
    assert [result.was_done for result in again] == [True, True]
    (folder.parent / "source").write_text("two")
    changed = run_steps(steps, folder, "2024.1", quiet)
    assert [result.was_done for result in changed] == [False, True]
    assert (folder / "compile.out").read_text() == "two"


def test_another_version_of_the_tool_makes_all_anew(folder):
    steps = [step(folder, "compile", MAKE_IT)]
    run_steps(steps, folder, "2024.1", quiet)
    assert run_steps(steps, folder, "2024.2", quiet)[0].was_done is False
    assert runs(folder, "compile") == 2


def test_a_failure_says_what_the_tool_said_and_is_taken_up_there(folder):
    broken = "echo INFO: fine; echo 'ERROR: [CFGEN 83-2231] no HBM left'; echo bye; touch half; exit 3"
    steps = [step(folder, "compile", MAKE_IT), step(folder, "link", broken)]
    with pytest.raises(SttestError, match=r"step link: sh: exit code 3: ERROR: \[CFGEN 83-2231\] no HBM left"):
        run_steps(steps, folder, "2024.1", quiet)
    mended = [steps[0], step(folder, "link", MAKE_IT)]
    assert [result.was_done for result in run_steps(mended, folder, "2024.1", quiet)] == [True, False]
    assert runs(folder, "compile") == 1


def test_an_earlier_output_is_not_taken_for_that_of_a_failure(folder):
    run_steps([step(folder, "link", MAKE_IT, inputs=("source",))], folder, "2024.1", quiet)
    (folder.parent / "source").write_text("two")
    with pytest.raises(SttestError, match="exit code 1"):
        run_steps([step(folder, "link", "exit 1", inputs=("source",))], folder, "2024.1", quiet)
    assert not (folder / "link.out").exists()


@pytest.mark.parametrize("script", ["true", "touch {out}"], ids=["none", "empty"])
def test_success_without_a_result_is_a_failure(script, folder):
    with pytest.raises(SttestError, match=r"left with 0 and made no link\.out"):
        run_steps([step(folder, "link", script)], folder, "2024.1", quiet)


def test_garbage_is_shown_as_one_harmless_line(folder):
    script = r"head -c 300000 /dev/zero; printf '\033[2J\377\376ERR'; exit 1"
    with pytest.raises(SttestError) as caught:
        run_steps([step(folder, "link", script)], folder, "2024.1", quiet)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 1000


def test_a_hang_is_ended_with_all_that_it_started(folder):
    script = "sleep 300 & echo $! > child; sleep 300"
    began = time.monotonic()
    with pytest.raises(SttestError, match=r"step link: did not end.*bound 0.5 s.*--timeout-link"):
        run_steps([step(folder, "link", script, limit_s=0.5)], folder, "2024.1", quiet)
    assert time.monotonic() - began < 60
    assert ends(int((folder / "child").read_text()))


def test_what_a_tool_leaves_running_is_ended(folder):
    run_steps([step(folder, "link", "sleep 300 & echo $! > child; echo x > {out}")], folder, "2024.1", quiet)
    assert ends(int((folder / "child").read_text()))


def test_progress_tells_the_last_line(folder):
    told: list[str] = []
    run_steps([step(folder, "link", "echo phase 3 of 7; sleep 0.5; echo x > {out}")], folder, "2024.1", told.append)
    assert "link: phase 3 of 7" in told


def test_ctrl_c_leaves_no_process_and_no_stamp(folder, heed_interrupts):
    program = (
        "import sys; from pathlib import Path; from sttest.targets.vitis.runner import run_steps;"
        "from sttest.targets.vitis.steps import BuildStep; f = Path(sys.argv[1]);"
        "run_steps([BuildStep('link', ('sh', '-c', 'echo $$ > child; sleep 300'), (), f / 'out', 99)], f, 'v', str)"
    )
    command = [sys.executable, "-c", program, str(folder)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, preexec_fn=heed_interrupts)
    deadline = time.monotonic() + 60
    while not (folder / "child").exists() or not (folder / "child").read_text().strip():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert b"KeyboardInterrupt" in said
    assert ends(int((folder / "child").read_text()))
    assert not (folder / "link.stamp.json").exists()


def test_a_program_that_is_not_there_is_an_error_of_its_own(folder):
    assert shutil.which("no-such-tool") is None
    with pytest.raises(FileNotFoundError):
        run_steps([BuildStep("link", ("no-such-tool",), (), folder / "out", 1.0)], folder, "2024.1", quiet)
