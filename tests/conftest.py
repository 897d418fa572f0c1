"""What tests of every room share."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from typer.testing import CliRunner


@dataclass(frozen=True)
class Outcome:
    """What a command printed, and how it left."""

    stdout: str
    stderr: str
    exit_code: int


@pytest.fixture
def sttest() -> Callable[..., Outcome]:
    """Runs the command line in this process: ``sttest("compile", "gpt2", ...)``."""

    def run(*arguments: object) -> Outcome:
        from sttest.cli import app

        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
        return Outcome(result.stdout, result.stderr, result.exit_code)

    return run
