"""sttest: a simulation-first testbed for streaming dataflow accelerators that run LLMs.

>>> import sttest as st
>>> design = st.compile("small-gpt2", phase="decode", context=32)
>>> design.simulate().cycles
1189
"""

import sys

from sttest.core.current_folder import keep_code_out
from sttest.core.interrupts import leave_at_once

if sys.flags.safe_path or sys.argv[0].endswith("/sttest"):  # not in a program of somebody else, which has its own path
    keep_code_out()
if sys.argv[0].endswith("/sttest"):  # the command itself, which does nothing yet but import
    leave_at_once()

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from sttest.core.errors import (
    DeadlockError,
    DoesNotFitError,
    EnginesDisagreeError,
    InputError,
    SttestError,
    ToolMissingError,
)
from sttest.core.program import __version__

if TYPE_CHECKING:
    from sttest.api import Board, CompileOptions, Design, compile, load_design  # noqa: A004
    from sttest.studies.runs import Graph, Run, load_graph

__depends__ = ("sttest/compile/__init__.py",)

__all__ = [
    "Board",
    "CompileOptions",
    "DeadlockError",
    "Design",
    "DoesNotFitError",
    "EnginesDisagreeError",
    "Graph",
    "InputError",
    "Run",
    "SttestError",
    "ToolMissingError",
    "__version__",
    "compile",
    "load_design",
    "load_graph",
]

# Imported when first used, so that `import sttest` alone is quick.
_HOMES = {
    **dict.fromkeys(("Board", "CompileOptions", "Design", "load_design"), "sttest.api"),
    **dict.fromkeys(("Graph", "Run", "load_graph"), "sttest.studies.runs"),
}


class _CompilePackage(ModuleType):
    """`sttest.compile` is the compiler's package and, when called, :func:`sttest.api.compile`."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Compiles a model; see :func:`sttest.api.compile`."""
        return import_module("sttest.api").compile(*args, **options)


import_module("sttest.compile")
sys.modules["sttest.compile"].__class__ = _CompilePackage


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'sttest' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
