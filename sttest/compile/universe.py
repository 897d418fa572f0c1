"""Dialects and passes of sttest for xDSL's own programs: ``xdsl-opt`` finds them by the entry point ``xdsl.universe``.

It reads the IR in a package and what ``sttest opt`` prints, and ``-p fuse-kernels`` runs a pass.
"""

from xdsl.ir import Dialect
from xdsl.universe import Universe

from sttest.compile.steps import steps


def _df() -> Dialect:
    from sttest.compile.dialects.df import DF

    return DF


UNIVERSE = Universe(all_dialects={"df": _df}, all_passes={name: step.load for name, step in steps().items()})
