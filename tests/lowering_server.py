"""Lowers in forks of one process that has lowered before: importing torch takes several times as long as a block does.

What a lowering is asked and tells is that of :mod:`sttest.frontend.lowering`; a crash is that of a fork.  ``python
lowering_server.py`` reads the path of a pickled :class:`Job` per line, and answers with a return code.
"""

from __future__ import annotations

import gc
import io
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Job:
    """A request to :func:`sttest.frontend.lowering.main`, and the files that get what it prints."""

    request: bytes
    path: tuple[str, ...]
    told: Path
    complaints: Path


class LoweringServer:
    """Starts with the first lowering; to be ended with :meth:`close`."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def run(
        self, builder: Callable[..., Any], calls: Mapping[str, Mapping[str, Any]], *, probing: bool
    ) -> subprocess.CompletedProcess[bytes]:
        """Takes the place of the function that starts a process per lowering."""
        request = pickle.dumps((builder, {output: dict(each) for output, each in calls.items()}, probing))
        with tempfile.TemporaryDirectory(prefix="sttest-lowering-") as name:
            folder = Path(name)
            job = Job(request, tuple(filter(None, sys.path)), folder / "told", folder / "complaints")
            (folder / "job").write_bytes(pickle.dumps(job))
            code = int(self._ask(str(folder / "job")))
            return subprocess.CompletedProcess([], code, job.told.read_bytes(), job.complaints.read_bytes())

    def close(self) -> None:
        if self._process is not None:
            self._process.communicate()

    def _ask(self, line: str) -> str:
        if self._process is None:
            self._process = self._start()
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        return self._process.stdout.readline()

    def _start(self) -> subprocess.Popen[str]:
        path = os.pathsep.join(filter(None, (str(Path(__file__).parent), *sys.path)))
        environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        command = [sys.executable, "-W", "ignore", "-m", "lowering_server"]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True, env=environment)


def serve() -> None:
    """Answers until the input ends."""
    _warm_up()
    for line in sys.stdin:
        sys.__stdout__.flush()  # type: ignore[union-attr]
        child = os.fork()
        if not child:
            _work(Path(line.strip()))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _warm_up() -> None:
    """Imports what a lowering needs, most of it only when it is used; its threads must be gone before a fork."""
    from tqdm import tqdm

    from sttest.frontend.lowering import lower
    from sttest.models.program import block_program
    from sttest.models.registry import model_config

    tqdm.monitor_interval = 0  # else it starts a thread
    lower(block_program(model_config("small-gpt2"), "decode", 1, 4))
    gc.collect()
    assert len(list(Path("/proc/self/task").iterdir())) == 1


def _work(path: Path) -> None:
    """Serves one request as a process of its own would, and ends."""
    from sttest.frontend.lowering import main

    job: Job = pickle.loads(path.read_bytes())
    for descriptor, file in ((1, job.told), (2, job.complaints)):
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT), descriptor)
    sys.path[:] = job.path
    sys.stdin = io.TextIOWrapper(io.BytesIO(job.request))
    code = 1
    try:
        code = main()
    finally:
        sys.stdout.flush()
        os._exit(code)


if __name__ == "__main__":
    serve()
