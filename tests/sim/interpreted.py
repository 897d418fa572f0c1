"""The compiled functions as plain Python, so that indices are checked and lines are counted.

Numba checks no index and no overflow, and coverage sees nothing of machine code.  Two reads are outside by one place,
and nothing is done with what they give: the segment of a pipeline that has none, and the cycles of part -1 where there
are no parts.  There is a place for these here.
"""

from __future__ import annotations

import functools
import importlib.util
import pkgutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import numba
import numpy as np
import pytest

from sttest import sim
from sttest.core import machine_code
from sttest.sim.maxplus.arrays import Components, Net

# A kernel stands behind those that it imports.
KERNELS = (
    "sttest.sim.maxplus.kernel_port",
    "sttest.sim.maxplus.kernel",
    "sttest.sim.maxplus.kernel_skip",
    "sttest.sim.maxplus.kernel_components",
    "sttest.sim.self_timed",
    "sttest.sim.token_kernel",
)


@contextmanager
def interpreted_kernels() -> Iterator[None]:
    """All that runs within calls Python instead of machine code; whole numbers that overflow are an error."""
    for module in pkgutil.walk_packages(sim.__path__, f"{sim.__name__}."):
        importlib.import_module(module.name)  # who is first imported below would keep Python functions for ever
    with pytest.MonkeyPatch.context() as patch, np.errstate(over="raise", divide="raise", invalid="raise"):
        patch.setattr(numba, "njit", _as_python)
        patch.setattr(machine_code, "_njit", _as_python)
        for name in KERNELS:
            _load_anew(name, patch)
        yield


def _load_anew(name: str, patch: pytest.MonkeyPatch) -> ModuleType:
    """A second copy of a module, which stands in for the first until the patch is taken back."""
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    package, _, leaf = name.rpartition(".")
    patch.setitem(sys.modules, name, module)
    patch.setattr(sys.modules[package], leaf, module)
    spec.loader.exec_module(module)
    return module


def _as_python(function: Callable[..., Any] | None = None, **options: object) -> Callable[..., Any]:
    """Stands in for ``numba.njit``; a function that Python calls takes records whose fields are attributes."""
    if function is None:
        return functools.partial(_as_python, **options)
    if "no_cpython_wrapper" in options:  # called by others only
        return function

    @functools.wraps(function)
    def called(*arguments: object) -> object:
        return function(*map(_with_attributes, arguments))

    return called


def _with_attributes(value: Any) -> Any:
    """The same memory, where ``array[i].field`` is what it is in numba."""
    if isinstance(value, np.ndarray) and value.dtype.names:
        return value.view(np.dtype((np.record, value.dtype)))
    if isinstance(value, Net):
        value = value._replace(segments=np.append(value.segments, np.zeros(1, value.segments.dtype)))
    if isinstance(value, Components) and not value.cycles.size:
        value = Components(value.part, *np.zeros((3, 1), np.int64))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(_with_attributes, value))
    return value
