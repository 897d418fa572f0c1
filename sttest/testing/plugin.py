"""The pytest plugin `sttest`: fixtures over the assertions, and the option --update-golden.

It is loaded in every test run of an environment with sttest in it, so sttest's own
modules are imported when a fixture asks for them.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from sttest.sim import TimedGraph

GOLDEN_SUFFIX = ".golden.json"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds --update-golden."""
    group = parser.getgroup("sttest", "sttest: timed graphs of streaming accelerators")
    group.addoption("--update-golden", action="store_true", help="write golden cycles instead of comparing with them")


def pytest_configure(config: pytest.Config) -> None:
    """Refuses to update golden files from several processes at a time."""
    if config.getoption("update_golden") and config.getoption("numprocesses", None):
        raise pytest.UsageError("--update-golden writes files beside tests; run it without -n")


@pytest.fixture
def timed_graph(request: pytest.FixtureRequest) -> "Callable[[str | Path], TimedGraph]":
    """Loads a timed graph or a design package; paths are relative to the test's file."""
    from sttest.package import load_graph

    return lambda path: load_graph(request.path.parent / path)


@pytest.fixture
def simulate() -> Callable[..., Any]:
    """`sttest.sim.simulate`."""
    from sttest.sim import simulate

    return simulate


@pytest.fixture
def assert_completes() -> Callable[..., Any]:
    """`sttest.testing.assert_completes`: fails with the diagnosis where a design deadlocks."""
    from sttest.testing import assert_completes

    return assert_completes


@pytest.fixture
def assert_deadlocks() -> Callable[..., Any]:
    """`sttest.testing.assert_deadlocks`: fails where a design finishes, or deadlocks for another reason."""
    from sttest.testing import assert_deadlocks

    return assert_deadlocks


@pytest.fixture
def assert_cycles(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """`GoldenFile.assert_cycles` with the file beside the test: of `test_x.py` it is `test_x.golden.json`."""
    from sttest.testing.assertions import GoldenFile

    path = request.path.with_name(f"{request.path.stem}{GOLDEN_SUFFIX}")
    return GoldenFile(path, bool(request.config.getoption("update_golden"))).assert_cycles
