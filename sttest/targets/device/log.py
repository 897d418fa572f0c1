"""What a run on a card has given so far."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

from sttest.boards.load import load_board, require_hbm
from sttest.core.results import Kind, Row
from sttest.targets.device.card import HeldCard, KernelProfile, LaunchTimes
from sttest.targets.device.host import MeasuredEnergy, energy


@dataclass(frozen=True)
class LaunchStep:
    """A launch that completed."""

    # phase, doing, layer: phase, kind and layer of the launch
    phase: str
    doing: str
    layer: int
    times: LaunchTimes  # times that it took
    ended_s: float = field(default_factory=time.monotonic)  # when its end was known, on a clock without a date


@dataclass
class Log:
    """What a run has given so far; it survives the run's end by an error."""

    planned: int = 0  # launches that there should be
    steps: list[LaunchStep] = field(default_factory=list)  # launches, in order
    idle_w: list[float] = field(default_factory=list)  # power readings at rest
    profiles: dict[str, KernelProfile] = field(default_factory=dict)  # readings of the card's counters, per phase
    platform: str = ""  # platform that the card reports
    # equal_tokens, golden_tokens: tokens of a finished generation that equal the golden ones, and all golden ones
    equal_tokens: int | None = None
    golden_tokens: int | None = None
    # largest difference from the golden, over logits or all elements of a block
    largest_difference: float | None = None

    @property
    def agrees(self) -> bool:
        """Whether all is as the golden has it."""
        if self.golden_tokens is not None:
            return self.equal_tokens == self.golden_tokens
        return self.largest_difference == 0

    def left(self, card: HeldCard, phase: str) -> None:
        """Takes over what a card has to say when it is let go of."""
        if card.profile is not None:
            self.profiles[phase] = card.profile

    def write_steps(self, path: Path, engine: str) -> None:
        """A line of CSV per launch."""
        lines = ["engine,phase,step,layer,host_us,simulated_us,watts"]
        for step in self.steps:
            times = (step.times.host_us, step.times.simulated_us, step.times.watts)
            cells = [engine, step.phase, step.doing, step.layer, *("" if each is None else each for each in times)]
            lines.append(",".join(map(str, cells)))
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


# --- What a run on a card reports: launches as rows of a table, each with unit, kind and engine


_HOST = {
    "emulator": "the host's clock over the emulator: mostly the time of a C simulation, nothing of a card",
    "hw_emu": "the host's clock over hardware emulation: nothing of a card",
    "device": "the host's clock",
}
_GOLDEN = "fake-quantized block in PyTorch, in the order of docs/reference/values.md"


def rows(experiment: str, engine: str, model: str, board: str, log: Log) -> Iterator[Row]:
    """All rows of a run, finished or not.

    Args:
        experiment: name of the folder of results.
        engine: ``emulator``, ``hw_emu`` or ``device``.
        model, board: names.
        log: log of the run.
    """
    base: dict[str, Any] = {"experiment": experiment, "model": model, "board": board, "engine": engine}
    came: Kind = "measured" if engine == "device" else "simulated"
    note = f"of {log.planned} planned"
    yield Row(**base, metric="finished_launches", value=len(log.steps), unit="count", kind=came, note=note)
    if log.golden_tokens is not None:
        yield Row(
            **base,
            metric="equal_tokens",
            value=log.equal_tokens,
            unit="count",
            kind=came,
            reference=log.golden_tokens,
            source=_GOLDEN,
        )
    if log.largest_difference is not None:
        what = "largest_logit_difference" if log.golden_tokens is not None else "largest_difference"
        yield Row(**base, metric=what, value=log.largest_difference, unit="1", kind=came, source=_GOLDEN)
    for phase in dict.fromkeys(step.phase for step in log.steps):
        of_phase = {**base, "phase": phase}
        yield from _phase_rows(of_phase, engine, [step for step in log.steps if step.phase == phase])
        yield from _pace_rows(of_phase, engine, [step for step in log.steps if step.phase == phase])
        yield from _profile_rows(of_phase, came, log.profiles.get(phase))
    yield from _energy_rows(base, engine, log)


def _phase_rows(base: dict[str, Any], engine: str, steps: list[LaunchStep]) -> Iterator[Row]:
    # Reading the power delays a launch on the host.
    host_us = [step.times.host_us for step in steps if step.times.watts is None]
    if host_us:
        found = {"launch_host_clock_median": median(host_us), "launch_host_clock_max": max(host_us)}
        for metric, value in found.items():
            note = f"{len(host_us)} launches; {_HOST[engine]}"
            yield Row(**base, metric=metric, value=value, unit="us", kind="measured", note=note)
    simulated_us = [step.times.simulated_us for step in steps if step.times.simulated_us is not None]
    if simulated_us:
        note = "cycles of the timed graph as compiled, at the kernel's clock; without launch overhead"
        yield Row(
            **base, metric="launch_device_median", value=median(simulated_us), unit="us", kind="simulated", note=note
        )


def _pace_rows(base: dict[str, Any], engine: str, steps: list[LaunchStep]) -> Iterator[Row]:
    """Rows for whole passes through the layers, end to end: transfers and host work included."""
    last = max(step.layer for step in steps)
    ends_s = [step.ended_s for step in steps if step.layer == last]
    between_s = [later - earlier for earlier, later in pairwise(ends_s)]
    if last and between_s:
        note = f"{len(between_s)} tokens, all {last + 1} layers, transfers and host work included; {_HOST[engine]}"
        yield Row(
            **base,
            metric="token_host_clock_median",
            value=median(between_s) * 1e3,
            unit="ms",
            kind="measured",
            note=note,
        )


def _profile_rows(base: dict[str, Any], came: Kind, profile: KernelProfile | None) -> Iterator[Row]:
    if profile is None:
        return
    found = {"average": profile.average_us, "least": profile.least_us, "most": profile.most_us}
    note = f"{profile.calls} executions at {profile.clock_mhz:g} MHz"
    for which, value in found.items():
        source = "XRT, Compute Unit Utilization of summary.csv"
        yield Row(**base, metric=f"launch_device_{which}", value=value, unit="us", kind=came, source=source, note=note)


def _energy_rows(base: dict[str, Any], engine: str, log: Log) -> Iterator[Row]:
    if engine == "hw_emu":
        return
    found = _energy(engine, log)
    if found is None:
        note = "no readings of board power, at rest or under load"
        yield Row(**base, metric="energy_above_idle", value=None, unit="J", kind=_power_kind(engine), note=note)
        return
    source = _power_source(engine, base["board"])
    kind = _power_kind(engine)
    note = f"{found.readings} readings under load, {len(log.idle_w)} at rest; {log.platform}"
    yield Row(**base, metric="power_idle", value=found.idle_w, unit="W", kind=kind, source=source, note=note)
    yield Row(**base, metric="power_load", value=found.load_w, unit="W", kind=kind, source=source, note=note)
    yield Row(
        **base,
        metric="energy_above_idle",
        value=found.above_idle_j,
        unit="J",
        kind=kind,
        source=source,
        note=f"over {found.busy_s:.6g} s in which kernels ran; {note}",
    )


def _energy(engine: str, log: Log) -> MeasuredEnergy | None:
    load_w = [step.times.watts for step in log.steps if step.times.watts is not None]
    times = (step.times for step in log.steps)
    busy_us = sum(each.host_us if engine == "device" else each.simulated_us or 0.0 for each in times)
    return energy(log.idle_w, load_w, busy_us / 1e6)


def _power_kind(engine: str) -> Kind:
    return "measured" if engine == "device" else "assumed"


def _power_source(engine: str, board: str) -> str:
    if engine == "device":
        return "XRT, power_consumption_watts of the board's controller"
    power = require_hbm(load_board(board)).power
    return f"board file: idle {power.idle_w.source}; load {power.load_w.source}"
