"""Every experiment that `sttest reproduce NAME` runs, by name."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from sttest.errors import InputError, did_you_mean

ALL = "all"
EXPERIMENTS = {
    "fidelity": "timing model against published Vitis co-simulation of 12 Stream-HLS designs",
    "gpt2": "GPT-2 Medium on U55C: latency, TTFT and speed (StreamTensor Tables 4 and 5)",
    "emerging": "Qwen, Llama and Gemma: tokens per joule against GPUs under three rules (StreamTensor Fig. 9)",
    "onchip": "intermediate results before and after fusion, four models (StreamTensor Fig. 10a)",
    "compile-time": "seconds per stage of the compiler (StreamTensor Fig. 10b and c)",
    "fifo": "FIFO sizing: normal, conservative and the least that keeps the pace, on one block",
    "hida": "worked example of intensity- and connectedness-aware parallelisation, with its ablations",
    "peers": "fraction of the weight-bandwidth roofline: published accelerators and ours",
    "best": "the best decode and prefill designs found for four models on a U55C, made again",
    ALL: "every experiment above, one after the other",
}
"""Name to one line of help; module ``experiments.<name>``, hyphens as underscores, has ``reproduce(out, ...)``."""


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
    return import_module(f"experiments.{name.replace('-', '_')}")
