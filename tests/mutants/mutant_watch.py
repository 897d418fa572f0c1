"""A pytest plugin of the process that tests a mutant: notes which test runs, and how the first failure came about.

It reads the plan, JSON, named by STTEST_MUTANT: `report`: file to which lines of JSON are added; `folder`: the tree
whose modules are tested; `stamp`: the name of the kernels' sources, by which compiled code is kept; `took`: seconds of
a processor of each test without a fault; the quickest go first.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_AT_LEAST_S = 15.0
_AS_LONG = 4
"""A test that takes so many times its time, beside ``_AT_LEAST_S``, of a processor goes on for ever."""
_PLAN: dict[str, Any] = json.loads(Path(os.environ["STTEST_MUTANT"]).read_text(encoding="utf-8"))
_compiling = [0.0]
"""Seconds spent on compiling so far."""
_ASSERTIONS = ("AssertionError", "Failed")


def _tell(**said: Any) -> None:
    with Path(_PLAN["report"]).open("a", encoding="utf-8") as file:
        file.write(json.dumps(said) + "\n")


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Failures are not made smaller, and code that has not changed is not compiled again."""
    from hypothesis import Phase, settings

    phases = (Phase.explicit, Phase.generate)
    settings.register_profile("mutant", settings(), phases=phases, database=None, report_multiple_bugs=False)
    settings.load_profile("mutant")
    try:
        _keep_compiled()
    except Exception as error:
        _tell(kind="import", what=f"{type(error).__name__}: {error}")
        pytest.exit("the changed module can't be imported", 1)


def _keep_compiled() -> None:
    import sttest

    if not Path(sttest.__file__).is_relative_to(_PLAN["folder"]):
        raise SystemExit(f"{sttest.__file__} is not of {_PLAN['folder']}")
    if _PLAN["kernel"] is None:
        return
    import numpy as np

    kernel: Any = importlib.import_module(_PLAN["kernel"])
    kernel._SOURCES = np.empty(0, [(_PLAN["stamp"], np.int8)])
    _compile_without_limit()


def _compile_without_limit() -> None:
    """Compiling is no part of what a test may take."""
    from numba.core import dispatcher

    kind: Any = dispatcher.Dispatcher
    compiling = kind.compile

    def paused(self: Any, signature: Any) -> Any:
        left, start, before = signal.setitimer(signal.ITIMER_PROF, 0), time.process_time(), _compiling[0]
        try:
            return compiling(self, signature)
        finally:
            _compiling[0] = before + time.process_time() - start
            signal.setitimer(signal.ITIMER_PROF, *left)

    kind.compile = paused


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The quickest first."""
    took = _PLAN["took"]
    items.sort(key=lambda item: took.get(item.nodeid, 0.0))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Ends the process by SIGPROF where a test goes on for ever, compiled loops too, which no handler would end."""
    _tell(test=item.nodeid)
    start = time.process_time() - _compiling[0]
    if _PLAN["took"]:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, _AT_LEAST_S + _AS_LONG * _PLAN["took"].get(item.nodeid, 0.0))
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        _tell(test=item.nodeid, took=round(time.process_time() - _compiling[0] - start, 3))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Notes what failed."""
    error = call.excinfo
    if error is not None and not error.errisinstance(pytest.skip.Exception):
        _tell(kind=_kind_of(error.value), test=item.nodeid, what=f"{error.typename}: {error.value}"[:300])
    return (yield)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Notes test files that can't be imported."""
    if report.failed:
        _tell(kind="import", test=report.nodeid, what=str(report.longrepr)[-300:])


def _kind_of(error: BaseException) -> str:
    kinds = [each.__name__ for each in type(error).__mro__]
    if "NumbaError" in kinds:
        return "compile"
    return "assertion" if any(kind in _ASSERTIONS for kind in kinds) else "error"
