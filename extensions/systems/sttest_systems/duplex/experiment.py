"""Decode steps of models with experts on Duplex: on one of its processors, or each layer or expert where it is faster.

Which experts tokens choose is drawn with a seed, all experts alike.  Only decoding is here, in batches that stay as
they are; prompts among them, which the paper has as well, are not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import numpy as np

from sttest.boards.load import load_board
from sttest.boards.systems import DuplexBoard, RduBoard
from sttest.core.results import ResultFolder, Row
from sttest.models.registry import get_config
from sttest.sim import simulate
from sttest.studies.drawing import write_study_figure
from sttest.studies.experts.routing import drawn_routing
from sttest.studies.lines import Line, print_lines, rows_of
from sttest_systems.duplex.two_processors import PLACEMENTS, Placement, Step, closed_form_cycles, stages, step_graph

BOARD, SEED = "duplex", 1
DEVICES: Mapping[str, int] = {"mixtral-8x7b": 4, "qwen3-30b-a3b": 1}
BATCHES = (1, 8, 32, 64, 128)
CONTEXTS = (512, 1024, 4096, 8192)
SHOWN = 1024
PAPER_BATCHES = (32, 64, 128)
RDU, SWITCHED, SOCKETS, LLAMA_BYTES = "sn40l", "llama-3.1-8b", 16, 2 * 8.03e9
DUPLEX = "Duplex (MICRO 2024, arXiv 2409.01141), abstract"
PUBLISHED: tuple[tuple[str, float, str, str, str], ...] = (
    ("throughput over the xPU alone, up to", 2.67, "ratio", "duplex (paper)", DUPLEX),
    ("operations per byte of experts, least", 1, "ops/byte", "duplex (paper)", DUPLEX),
    ("operations per byte of attention, least", 4, "ops/byte", "duplex (paper)", DUPLEX),
    ("operations per byte of attention, most", 8, "ops/byte", "duplex (paper)", DUPLEX),
    ("switch to an 8B model", 0.01, "s", "sn40l (paper)", "SambaNova SN40L RDU, Hot Chips 2024: Llama 3.1 8B"),
    ("fused over unfused, least", 2, "ratio", "sn40l (paper)", "SN40L (MICRO 2024, arXiv 2405.07518), abstract"),
    ("fused over unfused, most", 13, "ratio", "sn40l (paper)", "SN40L (MICRO 2024, arXiv 2405.07518), abstract"),
)


@cache
def board() -> DuplexBoard:
    """The devices."""
    found = load_board(BOARD)
    assert isinstance(found, DuplexBoard)
    return found


def reproduce(out: Path, *, engine: str = "maxplus", jobs: int = 2) -> list[Line]:
    """Prints the table and writes ``out``; models take turns, so ``jobs`` does not matter."""
    lines = [line for model in DEVICES for line in model_lines(model, engine)]
    lines += [*most(lines), *halved(engine), *switch()]
    print_lines(lines, "Two processors on a memory", model="model")
    config = {"board": BOARD, "devices": DEVICES, "batches": BATCHES, "contexts": CONTEXTS}
    with ResultFolder(out, made_by=__name__, config=config, seed=SEED) as folder:
        folder.add(*rows_of(lines, "duplex", engine, board=BOARD, phase="decode"))
        for metric, value, unit, system, source in PUBLISHED:
            folder.add(Row("duplex", metric, value, unit, "published", board=system, source=source))
        write_study_figure(folder)
    return lines


def model_lines(model: str, engine: str) -> Iterator[Line]:
    """Operations per byte, where they put each layer, and speeds."""
    config, devices = get_config(model), DEVICES[model]
    routing = drawn_routing(max(BATCHES), config.layers, config.experts, config.experts_per_token, seed=SEED)
    yield Line("devices", devices, "count", "assumed", "as the paper takes for Mixtral; one for the other", model)
    for batch in BATCHES:
        chosen = routing.choices[:batch]
        for context in CONTEXTS:
            step = Step(board(), config, devices, batch, context)
            where = f"[batch {batch}, {context} tokens]"
            if context == SHOWN:
                yield from _ops_per_byte(step, chosen, where)
            yield from _speeds(step, chosen, where, engine)


def _ops_per_byte(step: Step, chosen: np.ndarray, where: str) -> Iterator[Line]:
    model, limit = step.config.name, board().logic_pim.peak_tflops.value * 1e3 / board().xpu.memory_gb_per_s.value
    note = f"faster on Logic-PIM below {limit:.0f}, where its arithmetic takes as long as the xPU's reading"
    experts = step.config.experts
    tokens = [np.bincount(chosen[:, layer].ravel(), minlength=experts) for layer in range(step.config.layers)]
    used = np.concatenate(tokens)
    mean = float(used[used > 0].mean())
    for name, value in (
        ("projections", step.projections().ops_per_byte),
        ("attention", step.attention().ops_per_byte),
        ("experts, mean", mean),
        ("experts, most", float(used.max())),
    ):
        yield Line(f"operations per byte of {name} {where}", value, "ops/byte", "derived", note, model)


def _speeds(step: Step, chosen: np.ndarray, where: str, engine: str) -> Iterator[Line]:
    model, cycles = step.config.name, dict[Placement, int]()
    for placement in PLACEMENTS:
        of = stages(step, chosen, placement)
        found = simulate(step_graph(step, of), engine).cycles
        assert found is not None, "stages that follow each other cannot deadlock"
        cycles[placement] = found
        note = "" if step.fits else f"no room: {step.held_bytes / 1e9:,.0f} GB"
        speed = step.batch / found * 1e9 if step.fits else None
        yield Line(f"speed {where[:-1]}, {placement}]", speed, "tokens/s", note=note, model=model)
        formula = closed_form_cycles(step, of) / found
        yield Line(f"closed form over simulated {where[:-1]}, {placement}]", formula, "ratio", "derived", model=model)
    for placement in PLACEMENTS[1:]:
        ratio = cycles["xpu"] / cycles[placement] if step.fits else None
        note = "" if step.fits else "no room"
        yield Line(f"over the xPU alone {where[:-1]}, {placement}]", ratio, "ratio", "derived", note, model)


def most(lines: list[Line]) -> Iterator[Line]:
    """The largest ratio of each model, and in the paper's batches."""
    for model in DEVICES:
        for placement in PLACEMENTS[1:]:
            for what, batches in (("", BATCHES), (", batches of 32 to 128", PAPER_BATCHES)):
                ratios = [
                    each.value
                    for each in lines
                    if each.model == model
                    and each.value is not None
                    and any(each.metric.startswith(f"over the xPU alone [batch {batch},") for batch in batches)
                    and each.metric.endswith(f", {placement}]")
                ]
                for bound, pick in (("least", min), ("most", max)):
                    metric = f"over the xPU alone, {bound} [{placement}{what}]"
                    yield Line(metric, pick(ratios), "ratio", "derived", model=model)


def halved(engine: str) -> Iterator[Line]:
    """Mixtral where Logic-PIM has half of its rates: another version of the public simulator has it so."""
    pim = board().logic_pim
    half = pim.model_copy(
        update={
            name: getattr(pim, name).model_copy(update={"value": getattr(pim, name).value / 2})
            for name in ("peak_tflops", "memory_gb_per_s")
        }
    )
    other = board().model_copy(update={"logic_pim": half})
    model = next(iter(DEVICES))
    config = get_config(model)
    routing = drawn_routing(max(BATCHES), config.layers, config.experts, config.experts_per_token, seed=SEED)
    for placement in PLACEMENTS[2:]:
        ratios = list[float]()
        for batch in PAPER_BATCHES:
            for context in CONTEXTS:
                step = Step(other, config, DEVICES[model], batch, context)
                alone, placed = (
                    simulate(step_graph(step, stages(step, routing.choices[:batch], each)), engine).cycles or 0
                    for each in (PLACEMENTS[0], placement)
                )
                if step.fits:
                    ratios.append(alone / placed)
        note = "a variant of the same simulator halves its bandwidth"
        for bound, pick in (("least", min), ("most", max)):
            metric = f"over the xPU alone, half of Logic-PIM's rates, {bound} [{placement}, batches of 32 to 128]"
            yield Line(metric, pick(ratios), "ratio", "derived", note, model)


def switch() -> Iterator[Line]:
    """A model from the DDR of an SN40L's sockets into their HBM."""
    rdu = load_board(RDU)
    assert isinstance(rdu, RduBoard)
    note = f"{LLAMA_BYTES / 1e9:.1f} GB over {SOCKETS} sockets, bytes over the slower memory's rate"
    yield Line(
        "switch to an 8B model", rdu.switch_seconds(LLAMA_BYTES, SOCKETS), "s", "derived", note, SWITCHED, board=RDU
    )
