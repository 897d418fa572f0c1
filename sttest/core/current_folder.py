"""The folder in which a command is called holds data: no code comes from it, and no settings of packages.

``-P`` keeps it out of the start of ``sys.path``, but not out of two packages that look into it by themselves, nor out
of what was put onto ``sys.path`` by a relative name: setuptools did so for editable installations, and Python imports
from a folder of such a name whatever it finds nowhere else, such as the ``msvcrt`` that ``subprocess`` tries first.
"""

import os
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType
from typing import Any

__depends__ = ()  # the packages are the same ones


def keep_code_out() -> None:
    """Nothing is imported from the current folder from now on; called before anything else is imported."""
    sys.path[:] = [each for each in sys.path if os.path.isabs(each)]  # noqa: PTH117 - pathlib imports more
    if _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)


def _without_settings(loader: Any, module: ModuleType) -> None:
    """Runs numba's settings, which would be read from ``.numba_config.yaml`` of the current folder, cache and all.

    They are read while numba is imported, and again at each compilation.  So the name of the file is another one from
    the start: that of a device, which numba passes over.  Nothing else in the process sees a difference, as it would
    if the current folder or ``os.path`` were another during the import, and NUMBA_* of the environment work.
    """
    code = loader.get_code(module.__name__)
    names = tuple(os.devnull if each == ".numba_config.yaml" else each for each in code.co_consts)
    exec(code.replace(co_consts=names), module.__dict__)


def _for_packages_alone(loader: Any, module: ModuleType) -> None:
    """Runs the module by which xDSL imports dialects, which would read ``NAME.irdl`` of the current folder.

    It does so for each module that is found nowhere else.  Those of packages it reads as before.
    """
    SourceFileLoader.exec_module(loader, module)
    finder = module.__dict__["IRDLDialectFinder"]
    find = finder.find_spec

    def find_spec(self: Any, name: str, path: Sequence[str] | None, target: Any = None) -> ModuleSpec | None:
        return None if path is None else find(self, name, path, target)

    finder.find_spec = find_spec


_RUNS: dict[str, Callable[[Any, ModuleType], None]] = {
    "numba.core.config": _without_settings,
    "xdsl.utils.dialect_loader": _for_packages_alone,
}


class _Finder:
    """Finds those modules where Python finds them, and runs them otherwise."""

    @classmethod
    def find_spec(cls, name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        """See :class:`importlib.abc.MetaPathFinder`."""
        if name not in _RUNS:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            loader, run = spec.loader, _RUNS[name]
            loader.exec_module = lambda module: run(loader, module)
        return spec
