"""NVML: the energy counter, samples of clocks and power while a window runs, and what the GPU is.

Functions of nvidia-ml-py (https://pypi.org/project/nvidia-ml-py); energy in mJ since
the driver was loaded (``nvmlDeviceGetTotalEnergyConsumption``, Volta and later).
Nothing here changes a setting of the GPU.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

_SAMPLE_EVERY_S = 0.2


@dataclass
class Samples:
    """What was seen while a window ran: SM and memory clock (MHz), power (W), temperature (°C)."""

    sm_mhz: list[float] = field(default_factory=list)
    memory_mhz: list[float] = field(default_factory=list)
    watts: list[float] = field(default_factory=list)
    celsius: list[float] = field(default_factory=list)


class NoMeter:
    """Where there is no NVML: no energy, no samples."""

    why = "no NVML device"

    def energy_mj(self) -> float | None:
        """None: nothing counts."""
        return None

    def describe(self) -> dict[str, object]:
        """What is known of the device: nothing."""
        return {"nvml": self.why}

    @contextmanager
    def sampling(self) -> Iterator[Samples]:
        """Samples that stay empty."""
        yield Samples()


class NvmlMeter:
    """The NVML view of one GPU.

    Args:
        nvml: the module ``pynvml`` or something that behaves like it.
        index: NVML index of the GPU.
    """

    def __init__(self, nvml: Any, index: int = 0) -> None:
        self._nvml = nvml
        nvml.nvmlInit()
        self._gpu = nvml.nvmlDeviceGetHandleByIndex(index)

    def energy_mj(self) -> float | None:
        """The energy counter in mJ, or None where the GPU has none."""
        return self._try(self._nvml.nvmlDeviceGetTotalEnergyConsumption, self._gpu)

    def describe(self) -> dict[str, object]:
        """Name, limits, clocks and driver, as far as this GPU tells them."""
        nvml, gpu = self._nvml, self._gpu
        limits_mw = self._try(nvml.nvmlDeviceGetPowerManagementLimitConstraints, gpu)
        return {
            "name": _text(self._try(nvml.nvmlDeviceGetName, gpu)),
            "driver": _text(self._try(nvml.nvmlSystemGetDriverVersion)),
            "power_limit_w": _thousandth(self._try(nvml.nvmlDeviceGetEnforcedPowerLimit, gpu)),
            "default_power_limit_w": _thousandth(self._try(nvml.nvmlDeviceGetPowerManagementDefaultLimit, gpu)),
            "power_limit_range_w": None if limits_mw is None else [limit / 1e3 for limit in limits_mw],
            "max_sm_mhz": self._try(nvml.nvmlDeviceGetMaxClockInfo, gpu, nvml.NVML_CLOCK_SM),
            "max_memory_mhz": self._try(nvml.nvmlDeviceGetMaxClockInfo, gpu, nvml.NVML_CLOCK_MEM),
            "persistence_mode": self._try(nvml.nvmlDeviceGetPersistenceMode, gpu),
            "energy_counter": self.energy_mj() is not None,
        }

    @contextmanager
    def sampling(self) -> Iterator[Samples]:
        """Samples taken from another thread, five a second, while the block runs."""
        samples, stop = Samples(), threading.Event()
        thread = threading.Thread(target=self._sample, args=(samples, stop), daemon=True)
        thread.start()
        try:
            yield samples
        finally:
            stop.set()
            thread.join()

    def _sample(self, samples: Samples, stop: threading.Event) -> None:
        nvml, gpu = self._nvml, self._gpu
        while not stop.wait(_SAMPLE_EVERY_S):
            _keep(samples.sm_mhz, self._try(nvml.nvmlDeviceGetClockInfo, gpu, nvml.NVML_CLOCK_SM))
            _keep(samples.memory_mhz, self._try(nvml.nvmlDeviceGetClockInfo, gpu, nvml.NVML_CLOCK_MEM))
            _keep(samples.watts, _thousandth(self._try(nvml.nvmlDeviceGetPowerUsage, gpu)))
            _keep(samples.celsius, self._try(nvml.nvmlDeviceGetTemperature, gpu, nvml.NVML_TEMPERATURE_GPU))

    def _try(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """The answer, or None where this GPU or driver does not give it."""
        try:
            return call(*arguments)
        except self._nvml.NVMLError:
            return None


def open_meter(device: str) -> NvmlMeter | NoMeter:
    """NVML of GPU 0 where ``device`` is "cuda" and the library is there."""
    if device != "cuda":
        return NoMeter()
    try:
        import pynvml  # pyright: ignore[reportMissingImports]
    except ImportError:
        return NoMeter()
    try:
        return NvmlMeter(pynvml)
    except pynvml.NVMLError:
        return NoMeter()


def _keep(samples: list[float], value: float | None) -> None:
    if value is not None:
        samples.append(value)


def _thousandth(value: float | None) -> float | None:
    return None if value is None else value / 1e3


def _text(value: str | bytes | None) -> str | None:
    return value.decode() if isinstance(value, bytes) else value
