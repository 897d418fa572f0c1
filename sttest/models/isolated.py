"""Lowering in a process of its own, and what to say when that dies."""

from __future__ import annotations

import importlib.util
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sttest.errors import InputError, SttestError, ToolMissingError
from sttest.models.program import Program

Builder = Callable[..., Program]


def lower_isolated(builder: Builder, arguments: Mapping[str, Any]) -> str:
    """Linalg text of the program that ``builder(**arguments)`` makes; a crash of torch-mlir stays in its process.

    Args:
        builder: a function at the top level of a module, so that another process can import it.
        arguments: what to call it with.

    Raises:
        ToolMissingError: PyTorch or torch-mlir is not installed.
        InputError: the program cannot be lowered; the message names the op where it can be found.
    """
    require_frontend()
    with tempfile.TemporaryDirectory(prefix="sttest-") as folder:
        output = Path(folder) / "block.mlir"
        run = _run(builder, arguments, output, probing=False)
        if run.returncode == 0:
            return output.read_text(encoding="utf-8")
    raise _diagnosis(builder, arguments, run)


def require_frontend() -> None:
    """Refuse to go on without the front end.

    Raises:
        ToolMissingError: naming what is missing and how to get it.
    """
    missing = [name for name in ("torch", "torch_mlir") if importlib.util.find_spec(name) is None]
    if missing:
        raise ToolMissingError(
            "frontend-missing",
            f"lowering a model needs {' and '.join(missing)}",
            where="front end",
            levers=["pip install 'sttest[frontend]'", "start from a shipped text, sttest.models.shipped.lowered_text"],
        )


def _run(
    builder: Builder, arguments: Mapping[str, Any], output: Path, *, probing: bool
) -> subprocess.CompletedProcess[bytes]:
    request = pickle.dumps((builder, dict(arguments), str(output), probing))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    command = [sys.executable, "-W", "ignore", "-m", "sttest.models.lower"]
    return subprocess.run(command, input=request, capture_output=True, env=environment, check=False)


def _diagnosis(builder: Builder, arguments: Mapping[str, Any], run: subprocess.CompletedProcess[bytes]) -> SttestError:
    told = _last(run, "error")
    if told:
        facts = json.loads(told)
        return InputError(facts["code"], facts["what"], where=facts["where"], levers=facts["levers"])
    stage = _last(run, "stage")
    if stage in ("", "torch.export"):
        return _failure("PyTorch cannot export the module", _how_it_died(run), "torch.export")
    probe = _run(builder, arguments, Path(os.devnull), probing=True)
    culprit = _last(probe, "op") if probe.returncode else ""
    return _failure("the module cannot be lowered to linalg", _how_it_died(run), culprit or stage)


def _failure(what: str, how: str, where: str) -> InputError:
    levers = ["write that operation in others that lower", "keep it on the host"]
    return InputError("lowering-failed", f"{what}: {how}", where=where, levers=levers)


def _last(run: subprocess.CompletedProcess[bytes], event: str) -> str:
    """Text of the last ``event`` that the process told of."""
    lines = run.stdout.decode(errors="replace").splitlines()
    return next((line.removeprefix(f"{event} ") for line in reversed(lines) if line.startswith(f"{event} ")), "")


def _how_it_died(run: subprocess.CompletedProcess[bytes]) -> str:
    if run.returncode < 0:
        return f"the lowering process was ended by {signal.Signals(-run.returncode).name}"
    diagnostics = (line.partition("error: ")[2] for line in run.stderr.decode(errors="replace").splitlines())
    told = next(filter(None, diagnostics), "").partition(": %")[0]  # without the op in full
    return told or _last(run, "failed") or f"exit code {run.returncode}"
