"""Which card, what is done on it if there is none, and how long things may take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Rehearsal:
    """What takes a card's place on the double.

    Attributes:
        executable: of the kernel's C simulation.
        duration_us: simulated time of a launch.
        faults: ``hung`` or ``crashed``, by number of the launch from 0.
    """

    executable: str
    duration_us: float
    faults: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Patience:
    """Time limits.

    Attributes:
        launch_s: after which a kernel counts as hung.
        open_s: to configure a card, or to start a hardware emulation.
        reset: a card whose kernel hung, which nothing else brings back.
    """

    launch_s: float = 60.0
    open_s: float = 300.0
    reset: bool = True


@dataclass(frozen=True)
class CardOptions:
    """Which card, and how patient to be.

    Attributes:
        engine: ``device``, ``hw_emu`` or ``double``.
        xclbin: what it is configured with; of the double, the signature.
        card: index or place on PCIe.
        patience: time limits.
        rehearsal: on the double.
    """

    engine: str
    xclbin: str
    card: int | str = 0
    patience: Patience = field(default_factory=Patience)
    rehearsal: Rehearsal | None = None


@dataclass(frozen=True)
class LaunchTimes:
    """A launch that has completed.

    Attributes:
        host_us: on the host's clock, start to end of the wait.
        simulated_us: on the clock of the double; None elsewhere.
        watts: board power while it ran, where that was read.
    """

    host_us: float
    simulated_us: float | None
    watts: float | None
