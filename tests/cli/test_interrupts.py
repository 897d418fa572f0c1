"""Ctrl-C while modules are still imported: one line, exit code 130, no traceback."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = "import sys\nfrom sttest.cli import main\nif __name__ == '__main__':\n    sys.exit(main())\n"
"""What pip makes of the entry point, in a file called ``sttest``."""


@pytest.mark.parametrize(
    ("called", "module"),
    [
        ("sttest", "sttest.core.errors"),
        ("sttest", "pydantic"),
        ("sttest", "sttest.cli.app"),
        # Python itself imports the package before anything of it runs as the command
        ("-m", "pydantic"),
        ("-m", "sttest.cli.app"),
    ],
)
def test_ctrl_c_during_imports_prints_one_line(module: str, called: str, tmp_path: Path, heed_interrupts) -> None:
    script = tmp_path / "sttest"
    script.write_text(SCRIPT)
    command = [sys.executable, "-X", "importtime", *([script] if called == "sttest" else ["-m", "sttest"]), "--help"]
    told = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=heed_interrupts
    ) as running:
        assert running.stderr is not None
        for line in running.stderr:
            if line.rstrip().endswith(f" {module}"):
                running.send_signal(signal.SIGINT)
            elif not line.startswith("import time:"):
                told.append(line)
        assert running.stdout is not None
        printed = running.stdout.read()
    assert (running.returncode, printed, told) == (130, "", ["interrupted\n"])


AT_END = "import atexit, os, signal\natexit.register(os.kill, os.getpid(), signal.SIGINT)\n"


def test_ctrl_c_when_the_work_is_done_prints_one_line(tmp_path: Path, heed_interrupts) -> None:
    script = tmp_path / "sttest"
    script.write_text(AT_END + SCRIPT)
    done = subprocess.run(
        [sys.executable, script, "--version"], capture_output=True, text=True, check=False, preexec_fn=heed_interrupts
    )
    assert (done.returncode, done.stdout[:6], done.stderr) == (130, "sttest", "interrupted\n")
