"""Every experiment that `sttest reproduce NAME` runs, by name."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from sttest.errors import InputError, did_you_mean

EXPERIMENTS = {
    "fidelity": "timing model against published Vitis co-simulation of 12 Stream-HLS designs",
    "gpt2": "GPT-2 Medium on U55C: latency, TTFT and speed (StreamTensor Tables 4 and 5)",
}
"""Name to one line of help; the module is ``experiments.<name>`` and has ``reproduce(out, ...)``."""


def experiment(name: str) -> ModuleType:
    """The module of an experiment.

    Raises:
        InputError: unknown name, with the known ones.
    """
    if name not in EXPERIMENTS:
        raise InputError(
            "unknown-experiment",
            f"unknown experiment '{name}'",
            where="reproduce",
            levers=[did_you_mean(name, EXPERIMENTS)],
        )
    return import_module(f"experiments.{name}")
