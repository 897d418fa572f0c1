"""Which experts every token chooses in every layer: read from a trace, or drawn with a seed."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sttest.core.errors import InputError
from sttest.core.files import csv_text, read_csv
from sttest.core.numbers import whole

COLUMNS = ("token", "layer", "experts")
MOST_CHOICES = 50_000_000
"""Choices of a trace; one of more is refused before it is drawn."""
_HINTS = (f"its first line is {','.join(COLUMNS)}", "a line per token and layer, as in 0,0,5 17 96")


@dataclass(frozen=True)
class Routing:
    """The experts that tokens chose.

    Args:
        experts: of a layer.
        choices: numbers of experts, ``[tokens, layers, chosen]``; those of a token and layer differ.
    """

    experts: int
    choices: np.ndarray

    def __post_init__(self) -> None:
        if self.choices.ndim != 3 or 0 in self.choices.shape:
            raise InputError("bad-routing", "a trace has tokens, layers and experts", where="routing")
        if self.choices.min() < 0 or self.choices.max() >= self.experts:
            raise InputError(
                "bad-routing",
                "a number of an expert that is not there",
                where="routing",
                demand=int(self.choices.max()),
                bound=self.experts - 1,
                unit="",
            )
        ordered = np.sort(self.choices, axis=2)
        if (ordered[:, :, 1:] == ordered[:, :, :-1]).any():
            raise InputError("bad-routing", "a token that chooses an expert twice in a layer", where="routing")

    @property
    def layers(self) -> int:
        """Layers, each with experts of its own."""
        return self.choices.shape[1]

    @property
    def chosen(self) -> int:
        """Experts per token and layer."""
        return self.choices.shape[2]

    def steps(self, layer: int, batch: int = 1) -> Iterator[list[int]]:
        """The experts that each step of so many tokens needs of a layer, once each, in order of their first choice.

        Tokens that do not fill a last step are left out.
        """
        of_layer = self.choices[:, layer]
        for first in range(0, len(of_layer) - batch + 1, batch):
            yield list(dict.fromkeys(of_layer[first : first + batch].ravel().tolist()))

    def imbalance(self, batch: int) -> np.ndarray:
        """Tokens of the busiest expert over the mean of all, per step of a batch and layer.

        Returns:
            float64, ``[steps, layers]``; 1 where all experts of a layer have as many tokens.
        """
        tokens = len(self.choices) // batch * batch
        grouped = self.choices[:tokens].reshape(-1, batch, self.layers, self.chosen)
        mean = batch * self.chosen / self.experts
        busiest = [[np.bincount(step[:, layer].ravel()).max() for layer in range(self.layers)] for step in grouped]
        return np.array(busiest, dtype=np.float64).reshape(-1, self.layers) / mean

    def covered(self, segment: int, room: int) -> float:
        """Share of the choices of a segment of tokens that its best fixed group of experts has, over all segments.

        How near tokens stay to each other: the question of SRP (Segment Routing Best Performance, arXiv 2505.16056).

        Args:
            segment: tokens of a segment; those that do not fill a last one are left out.
            room: experts of the group.
        """
        tokens = len(self.choices) // segment * segment
        grouped = self.choices[:tokens].reshape(-1, segment, self.layers, self.chosen)
        uses = (np.bincount(step[:, layer].ravel()) for step in grouped for layer in range(self.layers))
        return float(sum(np.sort(each)[-room:].sum() for each in uses)) / grouped.size

    def text(self) -> str:
        """The trace as a CSV file that :func:`read_routing` reads."""
        rows = (
            (token, layer, " ".join(map(str, self.choices[token, layer])))
            for token in range(len(self.choices))
            for layer in range(self.layers)
        )
        return csv_text(COLUMNS, rows)


def read_routing(path: Path, experts: int) -> Routing:
    """Reads a trace: a line per token and layer, in order, with as many experts in each.

    Args:
        path: CSV file with the columns `COLUMNS`; experts are numbers with spaces in between.
        experts: experts of a layer.

    Raises:
        InputError: the file cannot be read, is too large, or is no such trace.
    """
    rows = read_csv(path, COLUMNS, hints=_HINTS)
    try:
        places = [(whole(row["token"]), whole(row["layer"])) for row in rows]
        chosen = [[whole(each) for each in row["experts"].split()] for row in rows]
    except ValueError as error:
        raise InputError("bad-routing", f"not a number ({error})", where=str(path), hints=_HINTS) from error
    layers = 1 + max((layer for _, layer in places), default=0)
    if not places or places != [divmod(number, layers) for number in range(len(places))] or len(places) % layers:
        raise InputError("bad-routing", "lines are missing or out of order", where=str(path), hints=_HINTS)
    if not chosen[0]:
        raise InputError("bad-routing", "lines without an expert", where=str(path), hints=_HINTS)
    if len({len(each) for each in chosen}) > 1:
        raise InputError("bad-routing", "lines with fewer experts than others", where=str(path), hints=_HINTS)
    return Routing(experts, np.array(chosen, dtype=np.int64).reshape(-1, layers, len(chosen[0])))


def drawn_routing(
    tokens: int, layers: int, experts: int, chosen: int, *, seed: int, popularity: float = 0.0, again: float = 0.0
) -> Routing:
    """A trace without a model: experts by popularity, and those of the token before.

    Args:
        tokens: tokens, one after the other in one sequence.
        layers: layers, whose choices do not depend on each other.
        experts: experts of a layer.
        chosen: experts per token and layer.
        seed: of all that is drawn.
        popularity: exponent of Zipf's law; the n-th most popular expert of a layer, any of them, weighs ``n ** -s``.
            0 draws all alike.
        again: probability with which each expert of the token before is taken again; the others are drawn.

    Raises:
        InputError: numbers that cannot be.
    """
    if min(tokens, layers, chosen) < 1 or chosen > experts or not 0 <= again <= 1 or popularity < 0:
        raise InputError("bad-routing", "not a mixture of experts", where="drawn routing")
    if tokens * layers * experts > MOST_CHOICES:
        raise InputError(
            "routing-too-large",
            "too many choices to draw",
            where="drawn routing",
            demand=tokens * layers * experts,
            bound=MOST_CHOICES,
            unit="choices",
            hints=["take fewer tokens or layers"],
        )
    rng = np.random.default_rng(seed)
    ranks = np.stack([rng.permutation(experts) for _ in range(layers)])
    weights = -popularity * np.log1p(ranks)
    choices = np.empty((tokens, layers, chosen), np.int64)
    for token in range(tokens):
        # The largest keys are a draw without putting back (Gumbel's trick); what is kept comes before all others.
        keys = weights + rng.gumbel(size=(layers, experts))
        if token:
            kept = np.where(rng.random((layers, chosen)) < again, np.inf, -np.inf)
            before = choices[token - 1]
            keys[np.arange(layers)[:, None], before] = np.maximum(np.take_along_axis(keys, before, 1), kept)
        choices[token] = np.argsort(-keys, axis=1, kind="stable")[:, :chosen]
    return Routing(experts, choices)
