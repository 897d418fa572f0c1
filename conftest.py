"""What tests of every room, and of extensions, share."""

import gc
import importlib.util
import os
import shutil
import signal
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from day_and_night import RECORD, file_of, long_files, nightly, record, recorded
from hypothesis import HealthCheck, settings
from lowering_server import LoweringServer
from quick_builds import UNOPTIMIZED, PrecompiledHeaders, object_cache, unoptimized
from typer.testing import CliRunner

from sttest.targets.csim import build

_NIGHTLY = "takes minutes: 'make test-nightly' runs it"
_HIDDEN_PACKAGES = ("torch", "torch_mlir", "transformers")
_HIDDEN_TOOLS = ("g++", "verilator", "iverilog", "make", "dot")
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
_COLLECT_AFTER = 50_000
"""New objects; Python's 700 are for programs that hold little, and a module of IR is a graph of many thousands."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--nightly`` adds the tests that take minutes; ``--quick`` runs files of a second, without torch and tools."""
    parser.addoption("--quick", action="store_true", help="no slow tests, none that need torch, g++ or a simulator")
    parser.addoption("--slow", action="store_true", help="run what takes more than seconds by the record as well")
    parser.addoption("--record-durations", action="store_true", help=f"write {RECORD.name}, after --nightly or --slow")
    parser.addoption("--screenshots", type=Path, metavar="FOLDER", help="keep the pictures that tests take of pages")
    parser.addoption("--nightly", action="store_true", help="run the tests marked nightly as well")


class _Hidden(MetaPathFinder):
    """Packages that cannot be imported; None in ``sys.modules`` would do so, too, and breaks what looks there."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> None:
        """See :class:`importlib.abc.MetaPathFinder`."""
        if fullname.partition(".")[0] in _HIDDEN_PACKAGES:
            raise ModuleNotFoundError(f"{fullname} is hidden from a quick run", name=fullname)


def pytest_configure(config: pytest.Config) -> None:
    """A quick run sees neither torch nor tools, as on a machine that has none: tests that need them skip themselves."""
    # The suite tries the same examples each time; new ones are for the nightly tests.  Machines are shared, and no
    # example has a deadline.
    patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.register_profile("suite", patient, derandomize=True)
    settings.register_profile("nightly", patient)
    settings.load_profile("nightly" if config.getoption("--nightly") else "suite")
    if config.getoption("--quick"):
        sys.meta_path.insert(0, _Hidden())
        which, hidden = shutil.which, {shutil.which(name) for name in _HIDDEN_TOOLS}

        def seen(*asked: Any, **named: Any) -> str | None:
            """A test may have a program of its own by the name of one that is hidden."""
            found = which(*asked, **named)
            return None if found in hidden else found

        shutil.which = seen
        spec_of = importlib.util.find_spec

        def spec_seen(name: str, package: str | None = None) -> Any:
            """Whoever asks whether a hidden package is there is told that it is not, and does without."""
            return None if name.partition(".")[0] in _HIDDEN_PACKAGES else spec_of(name, package)

        importlib.util.find_spec = spec_seen


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Nightly tests are skipped, and say why, unless they are asked for; slow ones go first, so that none is last."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
    seconds = recorded()
    if not config.getoption("--slow") and "::" not in " ".join(config.args):
        for item in [*nightly(items, seconds)]:
            item.add_marker(pytest.mark.nightly("takes seconds: 'make test-nightly' or --slow runs it"))
    if config.getoption("--quick"):
        long = long_files(items, seconds)
        late = {
            item
            for item in items
            if file_of(item.nodeid) in long or any(map(item.get_closest_marker, ("slow", "nightly", "torch")))
        }
        config.hook.pytest_deselected(items=[*late])
        items[:] = [item for item in items if item not in late]
    if config.getoption("--nightly"):
        return
    for item in items:
        if (marker := item.get_closest_marker("nightly")) is not None:
            item.add_marker(pytest.mark.skip(reason=(*marker.args, _NIGHTLY)[0]))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Records what tests took."""
    if not config.getoption("--record-durations"):
        return
    seconds: dict[str, float] = defaultdict(float)
    skipped: set[str] = set()
    for report in chain.from_iterable(terminalreporter.stats.values()):
        if isinstance(report, pytest.TestReport):
            seconds[report.nodeid] += report.duration
            skipped |= {report.nodeid} if report.skipped else set()
    record({name: each for name, each in seconds.items() if name not in skipped}, skipped)


def pytest_collection_finish() -> None:
    """What is there by now stays, so that looking through it for garbage again and again finds nothing."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_COLLECT_AFTER)


@pytest.fixture(scope="session", autouse=True)
def nothing_prepared() -> Iterator[None]:
    """Tests compile what they ask for, whatever an installation prepared."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STTEST_PREPARED", "")
        yield


@pytest.fixture(scope="session", autouse=True)
def quick_lowering() -> Iterator[None]:
    """Blocks are lowered in forks of one process, not in new ones that import torch each time."""
    server = LoweringServer()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sttest.frontend.lowering._run", server.run)
        yield
    server.close()


@pytest.fixture(scope="session", autouse=True)
def quick_builds(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Iterator[None]:
    """Headers and Verilator's library are compiled once; but for the nightly run, nothing is optimized."""
    ours = tmp_path_factory.getbasetemp()
    cache = (ours.parent if os.environ.get("PYTEST_XDIST_WORKER") else ours) / "objects"
    cache.mkdir(exist_ok=True)
    is_nightly = pytestconfig.getoption("--nightly")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OBJCACHE", object_cache(cache, *(() if is_nightly else (UNOPTIMIZED,))))
        patch.setattr(build, "header_folders", PrecompiledHeaders(cache))
        if not is_nightly:
            patch.setattr(build, "FLAGS", unoptimized())
        yield


@pytest.fixture(scope="session")
def chromium():
    """One browser for all pages: Playwright runs once in a process."""
    playwright = pytest.importorskip("playwright.sync_api", reason="pip install 'sttest[dev]' brings playwright")
    with playwright.sync_playwright() as tools:
        own = Path(tools.chromium.executable_path)
        found = own if own.exists() else next(filter(None, map(shutil.which, _BROWSERS)), None)
        if found is None:
            pytest.skip("no Chromium found: apt-get install chromium, or playwright install chromium")
        # Chromium's sandbox does not work for root, as in containers.
        flags = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = tools.chromium.launch(executable_path=str(found), args=flags)
        yield browser
        browser.close()


@dataclass(frozen=True)
class Outcome:
    """What a command printed, and how it left."""

    stdout: str
    stderr: str
    exit_code: int


@pytest.fixture(scope="session")
def needs_compiler() -> None:
    """Skips a test where there is none."""
    if shutil.which("g++") is None:
        pytest.skip("g++ not found; apt-get install g++")


@pytest.fixture(scope="session")
def needs_verilator() -> None:
    """Skips a test where there is none."""
    if shutil.which("verilator") is None:
        pytest.skip("verilator not found; apt-get install verilator")


@pytest.fixture
def heed_interrupts() -> Callable[[], None]:
    """To be run in a child before it starts: who is started in the background ignores SIGINT, as do its children."""

    def heed() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    return heed


@pytest.fixture
def sttest(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Outcome]:
    """Runs the command line in this process: ``sttest("compile", "gpt2", ...)``."""
    # What is printed on stderr does not depend on how busy the machine is.
    monkeypatch.setattr("sttest.core.progress._EVERY_S", 3600.0)

    def run(*arguments: object) -> Outcome:
        from sttest.cli.app import app

        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
        return Outcome(result.stdout, result.stderr, result.exit_code)

    return run
