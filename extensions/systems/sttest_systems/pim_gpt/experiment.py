"""Eight GPTs on PIM-GPT: a decode step as actors of 128 banks, eight buses and a controller, and what it costs.

The paper gives ratios to a T4 and to a CPU and no latency that could be verified, so three things stand beside
ours: a T4 and a CPU that read every weight at the peak of their memory, published speeds of an A100, and what the
published ratios say of the power of the system.  Nothing is fitted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from sttest.boards.energy import CASES
from sttest.boards.load import load_board
from sttest.boards.systems import PimBoard
from sttest.core.results import Kind, ResultFolder, Row
from sttest.sim import simulate
from sttest.studies.lines import Line, print_lines, rows_of
from sttest_systems.pim_gpt.decode import (
    Activity,
    Gpt,
    activity,
    closed_form_cycles,
    head_steps,
    joules,
    layer_steps,
    step_cycles,
)
from sttest_systems.pim_gpt.graph import Product, step_graph
from sttest_systems.pim_gpt.products import ELEMENT_BYTES, matrix_passes, product_cycles

BOARD, TOKENS = "pim-gpt", 1024
CONTEXTS = (1, 128, 256, 384, 512, 640, 768, 896, 1024)
GPTS = (
    Gpt("gpt2-small", 12, 768, 12, 50257, 1024),
    Gpt("gpt2-medium", 24, 1024, 16, 50257, 1024),
    Gpt("gpt2-large", 36, 1280, 20, 50257, 1024),
    Gpt("gpt2-xl", 48, 1600, 25, 50257, 1024),
    Gpt("gpt3-small", 12, 768, 12, 50257, 2048),
    Gpt("gpt3-medium", 24, 1024, 16, 50257, 2048),
    Gpt("gpt3-large", 24, 1536, 16, 50257, 2048),
    Gpt("gpt3-xl", 24, 2048, 16, 50257, 2048),
)
"""GPT-2's public configurations, and sizes of GPT-3 (arXiv 2005.14165, table 2.1), whose XL has heads of 128."""
SHAPES = ((768, 768), (1024, 4096), (1600, 6400), (6400, 1600), (2048, 8192), (1600, 50257))
BY_BOTH = ("gpt2-small", 128)
T4_GB_PER_S, T4_WATTS = 320.0, 70.0
CPU_GB_PER_S, CPU_WATTS = 128.0, 200.0
T4_SOURCE = "NVIDIA T4 data sheet: 320 GB/s, 70 W"
CPU_SOURCE = "six channels of DDR4-2666 and 200 W; which CPU it was is not known here"
A100: tuple[tuple[str, float, str], ...] = (
    ("W8A8, StreamTensor's baseline", 115.35, "StreamTensor (MICRO 2025, arXiv 2509.13694), Table 4: [256:256]"),
    ("FP16, FasterTransformer", 360.5, "NVIDIA FasterTransformer, guide of GPT, GPT-350M; derived of 24 tokens"),
)
_ABSTRACT = "PIM-GPT (arXiv 2310.09385), abstract"
PUBLISHED: tuple[tuple[str, float, str, str], ...] = (
    ("speed over a GPU, least", 41, "ratio", _ABSTRACT),
    ("speed over a GPU, most", 137, "ratio", _ABSTRACT),
    ("speed over a CPU, least", 631, "ratio", _ABSTRACT),
    ("speed over a CPU, most", 1074, "ratio", _ABSTRACT),
    ("energy over a GPU, least, version 1", 339, "ratio", f"{_ABSTRACT} of version 1"),
    ("energy over a GPU, most, version 1", 1085, "ratio", f"{_ABSTRACT} of version 1"),
    ("energy over a GPU, least, version 2", 123, "ratio", f"{_ABSTRACT} of version 2"),
    ("energy over a GPU, most, version 2", 383, "ratio", f"{_ABSTRACT} of version 2"),
    ("energy over a CPU, least, version 1", 890, "ratio", f"{_ABSTRACT} of version 1"),
    ("energy over a CPU, most, version 1", 1632, "ratio", f"{_ABSTRACT} of version 1"),
    ("energy over a CPU, least, version 2", 320, "ratio", f"{_ABSTRACT} of version 2"),
    ("energy over a CPU, most, version 2", 602, "ratio", f"{_ABSTRACT} of version 2"),
)


@dataclass(frozen=True)
class Generation:
    """A model that decodes ``TOKENS`` tokens, the prompt among them, LM head and all."""

    gpt: Gpt
    cycles: float  # cycles of all tokens
    head_cycles: int  # cycles of one head
    done: Activity

    @property
    def us_per_token(self) -> float:
        """Mean over all contexts."""
        return self.cycles / TOKENS / board().clock_mhz.value

    def roofline_us(self, gb_per_s: float) -> float:
        """A token on a memory of which every weight is read once; caches left out."""
        return self.gpt.weights * ELEMENT_BYTES / gb_per_s / 1e3


@cache
def board() -> PimBoard:
    """The system."""
    found = load_board(BOARD)
    assert isinstance(found, PimBoard)
    return found


def reproduce(out: Path, *, engine: str = "maxplus", jobs: int = 2) -> list[Line]:
    """Prints the table and writes ``out``; models take turns, so ``jobs`` does not matter."""
    lines = [*products(engine), *engines()]
    generations = list[Generation]()
    for gpt in GPTS:
        generations.append(generation(gpt, engine))
        lines += model_lines(generations[-1], engine)
    lines += over_processors(generations)
    print_lines(lines, "PIM-GPT", model="model")
    config = {"board": BOARD, "contexts": CONTEXTS, "tokens": TOKENS, "models": [gpt.name for gpt in GPTS]}
    with ResultFolder(out, made_by=__name__, config=config) as folder:
        folder.add(*rows_of(lines, "pim-gpt", engine, board=BOARD, phase="decode"))
        for metric, value, unit, source in PUBLISHED:
            folder.add(Row("pim-gpt", metric, value, unit, "published", board="pim-gpt (paper)", source=source))
    return lines


# --- One product, and both engines


def products(engine: str) -> Iterator[Line]:
    """Products alone, simulated and in closed form."""
    for inputs, outputs in SHAPES:
        passes = matrix_passes(board(), inputs, outputs)
        cycles, formula = step_cycles(board(), [Product("alone", passes)], engine), product_cycles(board(), passes)
        rate = inputs * outputs * ELEMENT_BYTES / cycles * board().clock_mhz.value / 1e3
        shape = f"[{inputs} x {outputs}]"
        yield Line(f"product {shape}", cycles, "cycles")
        yield Line(f"product in closed form {shape}", formula, "cycles", "derived", "rows, accesses and sends")
        yield Line(f"share of the banks' bandwidth {shape}", rate / board().inner_gb_per_s, "ratio", "derived")


def engines() -> Iterator[Line]:
    """A layer by both engines."""
    name, context = BY_BOTH
    gpt = next(each for each in GPTS if each.name == name)
    graph = step_graph(board(), layer_steps(board(), gpt, context))
    runs = {each: simulate(graph, each) for each in ("simpy", "maxplus")}
    for each, run in runs.items():
        assert run.cycles is not None
        yield Line(f"layer by {each} [{context} tokens]", run.cycles, "cycles", model=name)
    yield Line(f"actors [{context} tokens]", len(graph.processes), "count", "derived", "banks, buses, controller", name)
    yield Line(f"token passages [{context} tokens]", runs["maxplus"].fifo_events, "count", model=name)


# --- A model


def generation(gpt: Gpt, engine: str) -> Generation:
    """Cycles and activity of all tokens: layers simulated at :data:`CONTEXTS`, between them on straight lines."""
    layers = [layer_steps(board(), gpt, context) for context in CONTEXTS]
    head = head_steps(board(), gpt)
    head_cycles = step_cycles(board(), head, engine)
    at = np.arange(1, TOKENS + 1)
    cycles = np.interp(at, CONTEXTS, [step_cycles(board(), steps, engine) for steps in layers]).sum()
    # A straight line has the mean of what it joins, each weighed by the tokens nearest to it.
    weights = [float(np.interp(at, CONTEXTS, np.eye(len(CONTEXTS))[place]).sum()) for place in range(len(CONTEXTS))]
    done = activity(board(), head).times(TOKENS)
    for steps, weight in zip(layers, weights, strict=True):
        done += activity(board(), steps).times(weight * gpt.layers)
    return Generation(gpt, float(cycles) * gpt.layers + head_cycles * TOKENS, head_cycles, done)


def model_lines(run: Generation, engine: str) -> Iterator[Line]:
    """A model's times, energy and what it is beside processors at the peak of their memory."""
    gpt, hertz = run.gpt, board().clock_mhz.value * 1e6
    for context in (CONTEXTS[0], CONTEXTS[-1]):
        steps = layer_steps(board(), gpt, context)
        cycles = step_cycles(board(), steps, engine)
        formula = closed_form_cycles(board(), steps)
        yield Line(f"layer [{context} tokens]", cycles, "cycles", model=gpt.name)
        yield Line(f"layer in closed form [{context} tokens]", formula, "cycles", "derived", model=gpt.name)
    note = f"mean of {TOKENS} tokens, the LM head in it; refresh and the choice of the token left out"
    yield Line("LM head", run.head_cycles, "cycles", model=gpt.name)
    yield Line("time per token", run.us_per_token, "us", note=note, model=gpt.name)
    yield Line("speed", 1e6 / run.us_per_token, "tokens/s", note=note, model=gpt.name)
    share = run.roofline_us(board().inner_gb_per_s) / run.us_per_token
    yield Line("share of the banks' bandwidth", share, "ratio", "derived", "weights only", gpt.name)
    for case in CASES:
        used = joules(board(), run.done, run.cycles, case)
        note = "standby of the DRAM left out"
        yield Line(f"energy per token, {case}", used / TOKENS * 1e3, "mJ", "derived", note, gpt.name)
        yield Line(f"power, {case}", used / (run.cycles / hertz), "W", "derived", note, gpt.name)


def over_processors(runs: list[Generation]) -> Iterator[Line]:
    """Beside a T4, a CPU and an A100, and what the published ratios imply."""
    bank = board().bank
    yield Line(
        "more time, if refresh stopped every bank",
        bank.refresh_ns.value / bank.refresh_interval_ns.value,
        "ratio",
        "derived",
        "time of a refresh over the interval between two",
    )
    speed, power = dict[str, list[float]](), [joules(board(), run.done, run.cycles) / run.cycles for run in runs]
    for run, per_cycle in zip(runs, power, strict=True):
        watts = per_cycle * board().clock_mhz.value * 1e6
        for name, rate, drawn, source in (
            ("T4", T4_GB_PER_S, T4_WATTS, T4_SOURCE),
            ("CPU", CPU_GB_PER_S, CPU_WATTS, CPU_SOURCE),
        ):
            faster = run.roofline_us(rate) / run.us_per_token
            note = f"the {name} reads 16-bit weights at the peak of its memory and draws its power limit"
            speed.setdefault(name, []).append(faster)
            speed.setdefault(f"{name}, energy", []).append(faster * drawn / watts)
            kind: Kind = "derived"
            yield Line(f"speed over a {name} at its roofline", faster, "ratio", kind, note, run.gpt.name, source=source)
            yield Line(
                f"energy of a {name} at its roofline over ours",
                faster * drawn / watts,
                "ratio",
                kind,
                note,
                run.gpt.name,
                source=source,
            )
        for low, bound in ((41, "least"), (137, "most")):
            share = run.roofline_us(T4_GB_PER_S) / (low * run.us_per_token)
            yield Line(
                f"share of a T4's roofline at the published ratio, {bound}",
                share,
                "ratio",
                "derived",
                f"a T4 that is {low} times as slow as ours would use so much of its memory",
                run.gpt.name,
                source=T4_SOURCE,
            )
    for name in ("T4", "CPU"):
        for metric, key in (
            ("speed over a {} at its roofline", name),
            ("energy of a {} at its roofline over ours", f"{name}, energy"),
        ):
            for bound, pick in (("least", min), ("most", max)):
                yield Line(f"{metric.format(name)}, {bound} of 8", pick(speed[key]), "ratio", "derived")
    medium = next(run for run in runs if run.gpt.name == "gpt2-medium")
    for what, tokens, source in A100:
        ratio = 1e6 / medium.us_per_token / tokens
        yield Line(f"speed over an A100 [{what}]", ratio, "ratio", "derived", model="gpt2-medium", source=source)
    for version, energies in (("1", (339, 1085)), ("2", (123, 383))):
        for bound, faster, saved in (("least", 41, energies[0]), ("most", 137, energies[1])):
            note = "power limit of a T4 times published speed-up over published energy ratio"
            yield Line(
                f"power by the published ratios, version {version}, {bound}",
                T4_WATTS * faster / saved,
                "W",
                "derived",
                note,
                source=_ABSTRACT,
            )
