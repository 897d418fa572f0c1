"""Compiled functions whose machine code is kept on disk, where there is a place for it.  Import it late, as numba."""

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from numba import njit

from sttest.core.errors import note

Function = TypeVar("Function", bound=Callable[..., Any])

_njit: Any = njit  # its types know not all of its options


def kept_on_disk(function: Function, **options: Any) -> Function:
    """A compiled function that Python calls.

    Numba keeps machine code beside the source, else under HOME or ``NUMBA_CACHE_DIR``, and refuses to compile where
    it may write none of them, as in an installation of somebody else's for a user without a home.  The function is
    then compiled by each process anew, which is said once.

    Args:
        function: function in numba's Python.
        options: further options of ``njit``.
    """
    try:
        return _usable(_njit(cache=True, **options)(function))
    except RuntimeError as error:
        if "no locator" not in str(error):
            raise
        _say_once()
        return _njit(**options)(function)


def _usable(compiled: Any) -> Any:
    """Without what an earlier version of sttest kept of the same source and this one cannot read."""
    kept = getattr(compiled, "_cache", None)  # numba has no other way to look, and none where nothing is compiled
    if kept is None:
        return compiled
    try:
        kept._cache_file._load_index()
    except Exception:  # whatever unpickling does
        kept.flush()
    return compiled


@cache
def _say_once() -> None:
    note("compiled functions can't be kept and cost some 10 s each time; name a folder by NUMBA_CACHE_DIR")
