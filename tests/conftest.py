"""What tests of every room share."""

import signal
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from typer.testing import CliRunner

_NIGHTLY = "takes minutes: 'make test-nightly' runs it"


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--nightly`` runs the tests that take minutes as well."""
    parser.addoption("--nightly", action="store_true", help="run the tests marked nightly as well")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Nightly tests are skipped, and say why, unless they are asked for."""
    if config.getoption("--nightly"):
        return
    for item in items:
        if item.get_closest_marker("nightly"):
            item.add_marker(pytest.mark.skip(reason=_NIGHTLY))


@dataclass(frozen=True)
class Outcome:
    """What a command printed, and how it left."""

    stdout: str
    stderr: str
    exit_code: int


@pytest.fixture
def heed_interrupts() -> Callable[[], None]:
    """To be run in a child before it starts: who is started in the background ignores SIGINT, as do its children."""

    def heed() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    return heed


@pytest.fixture
def sttest() -> Callable[..., Outcome]:
    """Runs the command line in this process: ``sttest("compile", "gpt2", ...)``."""

    def run(*arguments: object) -> Outcome:
        from sttest.cli import app

        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
        return Outcome(result.stdout, result.stderr, result.exit_code)

    return run
