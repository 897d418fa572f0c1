"""Dialects and passes of sttest for xDSL's own programs: ``xdsl-opt`` finds them by the entry point ``xdsl.universe``.

It reads the IR in a package and what ``sttest opt`` prints, and ``-p fuse-kernels`` runs a pass.
"""

from xdsl.universe import Universe

from sttest.compile.steps import steps
from sttest.core.extensions import offers

UNIVERSE = Universe(
    all_dialects={name: offer.load for name, offer in offers("ops").items()},
    all_passes={name: step.load for name, step in steps().items()},
)
