"""Dialects and passes of sttest for xDSL's own programs: ``xdsl-opt`` finds them by the entry point ``xdsl.universe``.

It reads the IR in a package and what ``sttest opt`` prints, and ``-p fuse-kernels`` runs a pass.
"""

from collections.abc import Callable

from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.universe import Universe


def _df() -> Dialect:
    from sttest.compile.dialects.df import DF

    return DF


def _pass(name: str) -> Callable[[], type[ModulePass]]:
    def load() -> type[ModulePass]:
        from sttest.compile.pipeline import PASSES

        return PASSES[name]

    return load


def _pass_names() -> list[str]:
    from sttest.compile.pipeline import PASSES

    return sorted(PASSES)


UNIVERSE = Universe(all_dialects={"df": _df}, all_passes={name: _pass(name) for name in _pass_names()})
