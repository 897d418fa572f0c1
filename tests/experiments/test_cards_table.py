"""Committed times on several cards: what must hold of them, whatever the numbers are."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.cards import CARDS, CREDITS, PRECISIONS, Point, points
from sttest.core.results import table_rows
from sttest.models.registry import get_config

TABLE = Path(__file__).parents[2] / "results" / "cards" / "table.csv"


def rows() -> dict[tuple[str, str], dict[str, str]]:
    return {(row["model"], row["metric"]): row for row in table_rows(TABLE)}


def figure(metric: str, cards: int, precision: str) -> float:
    return float(rows()["gpt2", f"{metric} [{cards} cards, {precision}]"]["value"])


@pytest.mark.parametrize("precision", PRECISIONS)
def test_more_cards_are_faster_and_less_efficient(precision):
    speeds = [figure("speed", cards, precision) for cards in CARDS]
    shares = [figure("efficiency", cards, precision) for cards in CARDS]
    assert speeds == sorted(speeds)
    assert shares == sorted(shares, reverse=True)
    assert shares[0] == 1


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("cards", CARDS[1:])
def test_links_cost_more_without_overlap_and_nothing_where_they_take_no_time(cards, precision):
    ideal, streamed, whole = (
        figure(f"cycles of the layers{how}", cards, precision) for how in (", ideal links", "", ", whole vectors")
    )
    assert ideal < streamed < whole
    assert 0 < figure("share of links", cards, precision) < 0.2


@pytest.mark.parametrize("cards", CARDS[1:])
def test_every_card_sends_each_vector_once_for_every_other(cards):
    """Twice a layer: its own vector to its neighbors, and those that it passes on."""
    config = get_config("gpt2")
    vectors = 2 * config.layers * (cards - 1)
    assert figure("bytes sent per token and card", cards, "w4a8") == vectors * 4 * config.hidden


@pytest.mark.parametrize("cards", CARDS[1:])
def test_credits_are_too_few_or_enough(cards):
    told = [rows()["gpt2", f"cycles of the layers with {credit} credits [{cards} cards, w4a8]"] for credit in CREDITS]
    cycles = [float(row["value"]) for row in told if row["value"]]
    assert [bool(row["value"]) for row in told] == sorted(bool(row["value"]) for row in told)
    assert all("deadlock" in row["note"] for row in told if not row["value"])
    assert cycles == sorted(cycles, reverse=True)
    assert cycles[-1] == figure("cycles of the layers", cards, "w4a8")


def test_every_card_fits():
    assert all(figure("fullest share of a card", cards, each) < 1 for cards in CARDS for each in PRECISIONS)


def test_published_speeds_say_what_differs():
    told = [row for (model, metric), row in rows().items() if model in ("DFX", "LoopLynx") and "speed [" in metric]
    assert len(told) == 2 * len(CARDS)
    assert all(row["kind"] == "published" and row["note"] and row["source"] for row in told)


def test_points_are_simulated_once():
    assert len(set(points())) == len(points())
    assert Point() in points()
