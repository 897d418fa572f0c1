"""A clock, an energy counter and a device queue that agree with each other."""

from __future__ import annotations

import math
from types import SimpleNamespace


class FakeGpu:
    """Work takes ``run_s`` on the device, which the host only sees when it waits; power is ``busy_w`` or ``idle_w``.

    The counter moves in steps of ``step_s``, as NVML's does.
    """

    def __init__(self, run_s=0.01, busy_w=300.0, idle_w=80.0, step_s=0.0):
        self.run_s, self.busy_w, self.idle_w, self.step_s = run_s, busy_w, idle_w, step_s
        self.now = 0.0
        self.queued = 0.0
        self.syncs = 0
        self._history = []

    def clock(self):
        return self.now

    def run(self):
        self.queued += self.run_s

    def synchronize(self):
        self._spend(self.queued, self.busy_w)
        self.queued = 0.0
        self.syncs += 1

    def sleep(self, seconds):
        self._spend(seconds, self.idle_w)

    def energy_mj(self):
        seen = math.floor(self.now / self.step_s) * self.step_s if self.step_s else self.now
        joules = sum((min(end, seen) - start) * watts for start, end, watts in self._history if start < seen)
        return 1e3 * joules

    def _spend(self, seconds, watts):
        self._history.append((self.now, self.now + seconds, watts))
        self.now += seconds


class FakeNvmlError(Exception):
    """What the fake library raises."""


def fake_nvml(*energy_mj, **missing):
    """A stand-in for the module pynvml; calls named in ``missing`` are not supported."""

    readings = iter(energy_mj)

    def call(name, answer):
        def answered(*_):
            if name in missing:
                raise FakeNvmlError(name)
            return answer() if callable(answer) else answer

        return answered

    answers = {
        "nvmlInit": None,
        "nvmlDeviceGetHandleByIndex": "gpu",
        "nvmlDeviceGetTotalEnergyConsumption": lambda: next(readings),
        "nvmlDeviceGetName": b"Fake H1",
        "nvmlSystemGetDriverVersion": "1.2",
        "nvmlDeviceGetEnforcedPowerLimit": 700_000,
        "nvmlDeviceGetPowerManagementDefaultLimit": 700_000,
        "nvmlDeviceGetPowerManagementLimitConstraints": [200_000, 700_000],
        "nvmlDeviceGetMaxClockInfo": 1980,
        "nvmlDeviceGetPersistenceMode": 1,
        "nvmlDeviceGetClockInfo": 1755,
        "nvmlDeviceGetPowerUsage": 123_456,
        "nvmlDeviceGetTemperature": 33,
    }
    constants = {"NVML_CLOCK_SM": 1, "NVML_CLOCK_MEM": 2, "NVML_TEMPERATURE_GPU": 0, "NVMLError": FakeNvmlError}
    return SimpleNamespace(**constants, **{name: call(name, answer) for name, answer in answers.items()})
