"""GPT-2 Medium on one, two and four U55C: decode steps, what links cost, and published accelerators of several cards.

The design is the best one that was found for one card and can be built, with the same lanes on every card.  A launch
runs all layers.  The head is not part of a design over several cards: each card's share of its columns is simulated as
the head of a one-card design with so many columns, and the choices of all cards then go round the ring.

Beside it stand the same design whose links send whole vectors, so that nothing overlaps, and one whose links take no
time; and the layers in a pipeline, a part of them on each card.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from typing import Any

from experiments.best.cases import all_cases
from experiments.best.found import read_found
from experiments.published import published_table
from sttest.boards.board import FpgaBoard
from sttest.boards.load import load_board, require_hbm
from sttest.boards.resources import total
from sttest.compile.compiler import CompiledDesign, choose_lanes, compile_text
from sttest.compile.ir.module_walk import only_kernel
from sttest.compile.options import CompileOptions
from sttest.compile.resources.design import design_resources, die_under
from sttest.compile.timing.links import Links
from sttest.core.processes import run_all
from sttest.core.results import Kind, ResultFolder, Row
from sttest.models.config import DecoderConfig
from sttest.models.registry import get_config
from sttest.sim import simulate
from sttest.studies.lines import print_lines
from sttest.studies.steps import step_counter
from sttest.studies.workload import WorkloadShape, model_text

__depends__ = ("experiments/data/cards.csv",)

MODEL, BOARD = "gpt2", "u55c"
CARDS = (1, 2, 4)
PRECISIONS = ("w4a8", "w8a8")
CONTEXT = 256
PROMPT, NEW = 64, 64
"""DFX's [64:64]: a prompt in decode steps and as many new tokens, all on a design with room for both."""
CREDITS = (16, 32, 64, 128)
LINKS = ("streamed", "whole", "ideal")
_BIAS, _PEER = ("attn_o_proj_2", "mlp_fc2_2"), "attn_q_proj_2"
"""Additions of a bias that one card makes before it sends, and one of the same kind in the found design."""


@dataclass(frozen=True)
class Point:
    """What is simulated."""

    cards: int = 1
    precision: str = PRECISIONS[0]
    context: int = CONTEXT
    links: str = LINKS[0]
    link_credits: int = 0
    layers: int = 0  # layers of the launch; 0 for all of the model
    head_columns: int = 0  # columns of the head that follows; 0 for none


def options(point: Point, text: str) -> CompileOptions:
    """The found design's options, with its lanes on every card."""
    case = next(each for each in all_cases() if (each.model, each.phase, each.budget) == (MODEL, "decode", "tight"))
    found = read_found(case).options
    lanes = dict(entry.rsplit(":", 1) for entry in found.lanes)
    on_cards = found.with_(
        tiles=tuple(map(_anywhere, found.tiles)),
        orders=tuple(map(_anywhere, found.orders)),
        lanes=(),
        precision=point.precision,
        cards=point.cards,
        links="whole" if point.links == "whole" else "streamed",
        link_credits=point.link_credits,
        layers=point.layers or get_config(MODEL).layers,
    )
    names = [entry.rsplit(":", 1)[0] for entry in choose_lanes(text, on_cards)]
    return on_cards.with_(lanes=tuple(f"{name}:{lanes[_known(name, lanes)]}" for name in names))


def _anywhere(entry: str) -> str:
    return entry if entry.startswith("*") else f"*{entry}"


def _known(name: str, lanes: Mapping[str, str]) -> str:
    """The task of the found design that a task on a card is like."""
    own = name.split("_", 2)[2] if name.startswith("cards_") else name
    return own if own in lanes else _PEER if own in _BIAS else own


def board_of(point: Point) -> FpgaBoard:
    """The card; with ideal links one whose links take no time."""
    board = require_hbm(load_board(BOARD))
    if point.links != "ideal":
        return board
    fast = {"lane_gb_per_s": 1e6, "latency_ns": 1e-3}
    network = board.links.model_copy(
        update={name: getattr(board.links, name).model_copy(update={"value": value}) for name, value in fast.items()}
    )
    return board.model_copy(update={"name": f"{BOARD}-ideal-links", "network": network})


def run_point(asked: tuple[Point, str]) -> dict[str, Any]:
    """Compiles a design and simulates it with an engine."""
    point, engine = asked
    config: DecoderConfig = get_config(MODEL)
    if point.head_columns:
        config = replace(config, vocab=point.head_columns)
    shape = WorkloadShape("decode", 1, point.context, bool(point.head_columns), cards=point.cards)
    text = model_text(config, shape)
    design = compile_text(text, f"{MODEL}-{point.cards}", board_of(point), options(point, text))
    return {"cycles": simulate(design.graph, engine).cycles, **_sizes(design)}


def _sizes(design: CompiledDesign) -> dict[str, Any]:
    cards = design_resources(design).cards()
    fullest = max(card.total.shares_of(total(die_under(design, card).budgets)).largest for card in cards)
    kernel = only_kernel(design.module, "cards", design.name)
    links = Links(kernel, design.board)
    sent = max(links.bytes_from(card) for card in range(len(cards)))
    return {"fullest": fullest, "sent_bytes": kernel.layer_count * sent}


def points() -> list[Point]:
    """All that is simulated."""
    config, found = get_config(MODEL), list[Point]()
    for precision in PRECISIONS:
        for context in (PROMPT + NEW, CONTEXT):
            for cards in CARDS:
                found.append(Point(cards, precision, context))
                found.append(Point(1, precision, context, head_columns=ceil(config.vocab / cards)))
        found += [Point(cards, precision, links=links) for cards in CARDS[1:] for links in LINKS[1:]]
        found += [Point(1, precision, layers=config.layers // cards) for cards in CARDS[1:]]
    return [*found, *(Point(cards, link_credits=credit) for cards in CARDS[1:] for credit in CREDITS)]


# --- What follows from the cycles


@dataclass(frozen=True)
class Step:
    """A decode step: cycles of the layers, of the head, and of the choice among the cards."""

    layers: int
    head: int
    choice: int

    @property
    def cycles(self) -> int:
        """Of the whole step."""
        return self.layers + self.head + self.choice


class Found:
    """The simulated points."""

    def __init__(self, results: Mapping[Point, Mapping[str, Any]]) -> None:
        self.results, self.board, self.config = results, require_hbm(load_board(BOARD)), get_config(MODEL)

    def cycles(self, point: Point) -> int:
        """Cycles of a point that ends."""
        cycles = self.results[point]["cycles"]
        if cycles is None:
            raise AssertionError(f"{point}: the design deadlocks")
        return cycles

    def step(self, cards: int, precision: str, context: int = CONTEXT, links: str = LINKS[0]) -> Step:
        """A decode step on so many cards; a card's choice goes over as many links as half the ring has."""
        layers = self.cycles(Point(cards, precision, context, links))
        columns = ceil(self.config.vocab / cards)
        head = self.cycles(Point(1, precision, context, head_columns=columns)) - self.cycles(
            Point(1, precision, context)
        )
        latency = self.board.links.latency_cycles(self.board.clock_mhz.value)
        return Step(layers, head, 0 if links == "ideal" else cards // 2 * latency)

    def speed(self, step: Step, *, host: bool = False) -> float:
        """Tokens per second of the cards, their launches in a queue; or with the host between two tokens."""
        overhead = self.board.launch.token_gap_us if host else self.board.launch.queued_us
        return 1e6 / (step.cycles / self.board.clock_mhz.value + overhead.value)

    def speed_in_pipeline(self, cards: int, precision: str) -> tuple[float, float]:
        """Tokens per second of one sequence, and of as many as there are cards, with some layers on each card."""
        part = self.cycles(Point(1, precision, layers=0 if cards == 1 else self.config.layers // cards))
        rate = self.board.links.bits_per_cycle(self.board.clock_mhz.value)
        hand_over = self.board.links.latency_cycles(self.board.clock_mhz.value) + ceil(32 * self.config.hidden / rate)
        head = self.step(1, precision).head
        queued = self.board.launch.queued_us.value
        stage, last = (each / self.board.clock_mhz.value + queued for each in (part + hand_over, part + head))
        return 1e6 / ((cards - 1) * stage + last), cards * 1e6 / (cards * max(stage, last))


def reproduce(out: Path, *, engine: str = "maxplus", jobs: int = 2) -> list[Row]:
    """Prints the tables and writes ``out``."""
    work = {point: (point, engine) for point in points()}
    say, results = step_counter(len(work)), {}
    for point, result in run_all(run_point, work, jobs, "cards"):
        results[point] = result
        say(f"simulated {point}")
    rows = [*_rows(Found(results), engine)]
    _print(rows)
    config = {"cards": CARDS, "precisions": PRECISIONS, "context": CONTEXT, "prompt": [PROMPT, NEW], "credits": CREDITS}
    with ResultFolder(out, made_by=__name__, config=config) as folder:
        folder.add(*rows)
    return rows


def _rows(found: Found, engine: str) -> Iterator[Row]:
    for precision in PRECISIONS:
        for cards in CARDS:
            for metric, value, unit, kind, note in _figures(found, cards, precision):
                yield _row(metric, cards, precision, value, unit, kind, engine=engine, note=note)
    for cards in CARDS[1:]:
        for credit in CREDITS:
            result = found.results[Point(cards, link_credits=credit)]
            yield _row(
                f"cycles of the layers with {credit} credits",
                cards,
                PRECISIONS[0],
                result["cycles"],
                "cycles",
                "simulated",
                engine=engine,
                note="" if result["cycles"] else "a deadlock, on credits of links",
            )
    yield from _published()


def _figures(found: Found, cards: int, precision: str) -> Iterator[tuple[str, float, str, Kind, str]]:
    step, one = found.step(cards, precision), found.step(1, precision)
    result = found.results[Point(cards, precision)]
    yield "cycles of the layers", step.layers, "cycles", "simulated", f"{found.config.layers} layers, {CONTEXT} cached"
    yield "cycles of the head", step.head, "cycles", "simulated", "a card's share of its columns, on one card"
    yield "cycles of the choice", step.choice, "cycles", "derived", "the latency of half the ring's links"
    yield "speed", found.speed(step), "tokens/s", "simulated", "the cards alone, launches in a queue"
    yield "speed, host included", found.speed(step, host=True), "tokens/s", "simulated", "a launch per token"
    yield "speed-up", one.cycles / step.cycles, "ratio", "simulated", "over one card"
    yield "efficiency", one.cycles / step.cycles / cards, "ratio", "simulated", "speed-up over cards"
    yield "fullest share of a card", result["fullest"], "ratio", "derived", "of the tight budget, links left out"
    all_steps = PROMPT + NEW
    long = found.step(cards, precision, all_steps)
    note = f"{NEW} tokens in {all_steps} steps, each as long as the last"
    yield "speed [64:64]", found.speed(long) * NEW / all_steps, "tokens/s", "simulated", note
    yield "speed [64:64], host included", found.speed(long, host=True) * NEW / all_steps, "tokens/s", "simulated", note
    alone, all_together = found.speed_in_pipeline(cards, precision)
    yield "speed in a pipeline, one sequence", alone, "tokens/s", "derived", "a part of the layers on each card"
    yield (
        "speed in a pipeline, a sequence per card",
        all_together,
        "tokens/s",
        "derived",
        "a part of the layers on each",
    )
    if cards == 1:
        return
    whole, ideal = (found.step(cards, precision, links=links) for links in LINKS[1:])
    yield "bytes sent per token and card", result["sent_bytes"], "bytes", "derived", "what it passes on included"
    yield (
        "cycles of the layers, whole vectors",
        whole.layers,
        "cycles",
        "simulated",
        "links start when a vector is done",
    )
    yield "gain of overlap", whole.cycles / step.cycles, "ratio", "simulated", "whole vectors over streamed ones"
    yield "cycles of the layers, ideal links", ideal.layers, "cycles", "simulated", "links that take no time"
    yield "share of links", 1 - ideal.cycles / step.cycles, "ratio", "simulated", "of the time of a step"


def _published() -> Iterator[Row]:
    for system, rows in published_table("cards").groupby("system", sort=False):
        first = float(rows["tokens_per_s"].iloc[0])
        for row in rows.to_dict("records"):
            speed, cards = float(row["tokens_per_s"]), int(row["cards"])
            figures: list[tuple[str, float, str, Kind]] = [
                ("speed", speed, "tokens/s", "published"),
                ("speed-up", speed / first, "ratio", "derived"),
                ("efficiency", speed / first / cards, "ratio", "derived"),
            ]
            for metric, value, unit, kind in figures:
                yield Row(
                    "cards",
                    f"{metric} [{cards} cards]",
                    value,
                    unit,
                    kind,
                    model=str(system),
                    board=str(row["devices"]),
                    phase="decode",
                    source=str(row["source"]),
                    note=str(row["differs"]),
                )


def _row(
    metric: str, cards: int, precision: str, value: float | None, unit: str, kind: Kind, *, engine: str, note: str
) -> Row:
    return Row(
        "cards",
        f"{metric} [{cards} cards, {precision}]",
        value,
        unit,
        kind,
        model=MODEL,
        board=BOARD,
        phase="decode",
        engine=engine if kind == "simulated" else "",
        note=note,
    )


def _print(rows: list[Row]) -> None:
    print_lines(rows, "GPT-2 Medium on several cards", model="model")
