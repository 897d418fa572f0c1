"""The published tables: their names, and the program in a checkout of the repository that makes them."""

import os
import subprocess
import sys
from pathlib import Path

from sttest.core import terminal
from sttest.core.children import python_command
from sttest.core.errors import InputError, did_you_mean
from sttest.core.files import check_output_folder
from sttest.core.results import RESULTS_SCHEMA

__depends__ = ()

ALL = "all"
EXPERIMENTS = {
    "fidelity": "timing model against published Vitis co-simulation of 12 Stream-HLS designs",
    "gpt2": "GPT-2 Medium on U55C: latency, TTFT and speed (StreamTensor Tables 4 and 5)",
    "emerging": "Qwen, Llama and Gemma: tokens per joule against GPUs under three rules (StreamTensor Fig. 9)",
    "fig9": "the same ratios by lanes, C_max, launches and LM head, and which designs fit (StreamTensor Fig. 9)",
    "onchip": "intermediate results before and after fusion, four models (StreamTensor Fig. 10a)",
    "compile-time": "seconds per stage of the compiler (StreamTensor Fig. 10b and c)",
    "fifo": "FIFO sizing: normal, conservative and the least that keeps the pace, on one block",
    "hida": "worked example of intensity- and connectedness-aware parallelisation, with its ablations",
    "best": "the best decode and prefill designs found on a U55C, made again",
    "peers": "fraction of the weight-bandwidth roofline: published accelerators and ours",
    "nano-batches": "a batch in parts beside each other: overlap of compute and memory, and what it brings",
    "serving": "GPT-2 Medium on a U55C: waits against the rate of requests, by batch and by whose turn is next",
    "long-prompt": "prompts of up to 32,640 tokens in blocks over a cache in the HBM, and what attention moves",
    "memory-tiers": "a U280 with weights in HBM, DDR, host and flash: steps, switches, windows, caches of experts",
    "lookup-products": "sums of products by table look-up (SAIL) beside products in LUTs: area by synthesis",
    "mixed-bits": "types of weights per layer by an integer program over simulated cycles, GPT-2 Medium decode",
    "experts": "Qwen3-30B-A3B and Mixtral-8x7B: a layer at full size, experts in HBM over DDR, operations per byte",
    "faults": "a small GPT-2 in RTL: which single bit flips reach the token, and what protection takes away and costs",
    "pim-gpt": "eight GPTs on memory that multiplies: banks, buses and a controller as actors, time and energy",
    "wafer-mesh": "one product with a vector on a wafer of cores: pipelines and trees of sums, both engines",
    "duplex": "two processors on a memory: each layer or expert of a model where it is faster, by batch and context",
    "attention-cascades": "FLAT and FuseMax as cascades of attention alone, 1k to 128k positions, at an equal budget",
    "block-sparse": "a decode step over the blocks that its router chose (MoBA): speed by block size and context",
    "cards": "GPT-2 Medium on one, two and four U55C, what links cost, and published accelerators of several cards",
    "architectures": "1,134 architectures around Qwen2.5-0.5B: simulated latency, roofline, loss by a published law",
    "low-rank": "GPT-2 with linear layers in two factors: bytes, cycles and on-chip memory against the rank",
    "state-space": "Mamba-2 130M against GPT-2 of the same width: a decode step by context, crossovers, hybrids",
    "spatten": "cascade pruning of tokens and heads (SpAtten): bytes and cycles by part, the top-k engine, its logic",
    "entropy": "entropy-coded bfloat16 weights: bytes, decoders behind a channel, their logic, a block of GPT-2 Medium",
    ALL: "every experiment above, one after the other",
}
"""Names and one line each; module ``experiments.<name>`` of a checkout, hyphens as underscores, makes the table."""


def result_folders(name: str, out: Path | None) -> list[Path]:
    """Where an experiment's results go."""
    results = out or Path("results")
    return [results / each for each in EXPERIMENTS if each != ALL] if name == ALL else [out or results / name]


def reproduce(name: str, out: Path | None, engine: str, jobs: int, *, quiet: bool = False) -> int:
    """Runs ``python -m experiments reproduce NAME`` of the checkout and returns its exit code.

    Args:
        name: a key of :data:`EXPERIMENTS`.
        out: folder of results; None for ``results/NAME``.
        engine: ``maxplus`` or ``simpy``.
        jobs: number of processes.
        quiet: whether nothing is printed on stdout.

    Raises:
        InputError: see :func:`checked`.
    """
    checkout = checked(name, out)
    program = ["-m", "experiments", "reproduce", name, "--engine", engine, "--jobs", str(jobs)]
    command = python_command(program, ends_with_us=True)
    if out is not None:
        command += ["--out", str(out)]
    style = terminal.style
    forms = {"--wide": style.wide, "--csv": style.csv is not None, "--json": style.json}
    command += [flag for flag, is_asked in forms.items() if is_asked]
    paths = [str(checkout), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    stdout = subprocess.DEVNULL if quiet else None
    sys.stdout.flush()
    code = subprocess.run(command, env=environment, stdout=stdout, check=False).returncode
    if terminal.style.csv is not None:
        terminal.style.csv.tables += 1
    return code


def checked(name: str, out: Path | None) -> Path:
    """The checkout that has an experiment whose results can be written.

    Raises:
        InputError: an unknown name, a folder that can't be written, or no checkout: the wheel holds no experiments.
    """
    if name not in EXPERIMENTS:
        raise InputError(
            "unknown-experiment", f"unknown experiment '{name}'", where="reproduce",
            hints=[did_you_mean(name, EXPERIMENTS)],
        )  # fmt: skip
    checkout = _checkout()
    for folder in result_folders(name, out):
        check_output_folder(folder, RESULTS_SCHEMA, "folder of results")
    return checkout


def _checkout() -> Path:
    for folder in (Path.cwd(), Path(__file__).parents[2]):
        if (folder / "experiments" / "__main__.py").is_file():
            return folder
    raise InputError(
        "no-experiments", "the experiments are not part of the installed package", where="reproduce",
        hints=["run it in a clone of the repository", "sttest whatif runs the shipped studies anywhere"],
    )  # fmt: skip
