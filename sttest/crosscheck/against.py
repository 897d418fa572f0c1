"""Our model beside transformers' on the same tokens: which layer parts first, and in it which stream.

Every layer of ours is run twice: on what transformers' layer was given, so that a difference stays in the layer that
makes it, and on what our own layers before it made, where differences add up.
"""

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sttest.core.errors import InputError
from sttest.crosscheck.block_streams import Streams, run_with_streams
from sttest.crosscheck.engines import json_number
from sttest.crosscheck.transformers_model import TheirEnds, TheirLayer, TransformersModel, check_sizes
from sttest.crosscheck.transformers_streams import RESULT, ROPE
from sttest.models.config import DecoderConfig

if TYPE_CHECKING:
    from torch import Tensor

    from sttest.models.language_model import LanguageModel

SCHEMA = "sttest.crosscheck-against/1"
BOUND_DB = 100.0
"""Signal to noise that is asked of each stream in fp32; rounding alone leaves some 125 dB."""
ROUNDING_DB = 20.0
"""Margin of a stream over the noise that float32 makes on either side, beside our block in float64."""
ROWS = 64
"""Positions at the end whose logits are compared: of a vocabulary of 150,000, 40 MB a model."""
_ANGLE_BITS = 24
"""Bits of transformers' angles of the rotary embedding, position times frequency in float32."""
EMBEDDING, HEAD = "embedding", "head"


@dataclass(frozen=True)
class Sqnr:
    """Signal to noise of a layer's result, in decibels; infinite where all bits are the same."""

    own_db: float  # fed what transformers' layer was given
    so_far_db: float  # fed what our own layers before it made

    def to_json(self) -> dict[str, float | None]:
        """Both, None for what is not finite."""
        return {"own_db": json_number(self.own_db), "so_far_db": json_number(self.so_far_db)}


@dataclass(frozen=True)
class Part:
    """The embedding, a layer or the head, beside that of transformers."""

    name: str  # "embedding", "layer 1" and so on, or "head"
    exact: Sqnr  # the part in fp32
    rounded: Sqnr | None  # the part in the precision; None where that is fp32
    streams: Mapping[str, float]  # decibels in fp32 of each stream that both have, in order, the result last
    asked_db: Mapping[str, float]  # decibels that are asked of each
    # decibels of streams with few of them, ours in float64: where these are many, our rounding is what differs
    precise_db: Mapping[str, float] = field(default_factory=dict)

    @property
    def first(self) -> str:
        """The first stream with less than is asked; empty if there is none."""
        return next((name for name, found in self.streams.items() if not found >= self.asked_db[name]), "")

    @property
    def lowest(self) -> str:
        """The stream with the least."""
        return min(self.streams, key=lambda name: self.streams[name])

    def to_json(self) -> dict[str, Any]:
        """The part as JSON values."""
        return {
            "name": self.name,
            "differs": bool(self.first),
            "first_stream": self.first or None,
            "fp32": self.exact.to_json(),
            "precision": None if self.rounded is None else self.rounded.to_json(),
            "streams": {name: json_number(found) for name, found in self.streams.items()},
            "asked_db": dict(self.asked_db),
            "in_float64": {name: json_number(found) for name, found in self.precise_db.items()},
        }


@dataclass(frozen=True)
class Against:
    """A model held against transformers."""

    model: str
    reference: str  # transformers' class
    precision: str
    tokens: int
    parts: tuple[Part, ...]  # embedding, layers, head
    notes: tuple[str, ...] = ()  # what is not compared

    @property
    def first(self) -> Part | None:
        """The first part that differs in fp32."""
        return next((part for part in self.parts if part.first), None)

    @property
    def least_db(self) -> float:
        """The least signal to noise of any part in fp32."""
        return min(part.exact.own_db for part in self.parts)

    @property
    def loses_most(self) -> Part | None:
        """The part to which the precision does most; None where that is fp32."""
        rounded = [part for part in self.parts if part.rounded is not None]
        return min(rounded, key=lambda part: part.rounded.own_db if part.rounded else math.inf, default=None)

    @property
    def verdict(self) -> str:
        """What was found, in one line."""
        first = self.first
        if first is None:
            layers = len(self.parts) - 2
            least = "to the bit" if math.isinf(self.least_db) else f"at least {self.least_db:.0f} dB in fp32"
            digits = ", which has no more digits there" if self.least_db < BOUND_DB else ""
            return f"the same as transformers in all {layers} layers ({least}{digits})"
        result = list(first.streams)[-1]
        told = first.first if first.streams[result] >= first.asked_db[result] else result
        name = first.name if first.name.startswith("layer") else f"the {first.name}"
        has = "" if told == result else f"{told} has "
        apart = f"{has}{first.streams[told]:.1f} dB where {first.asked_db[told]:.0f} is asked"
        told = f"{name} is the first that differs from transformers: {apart}"
        if list(first.streams) == [RESULT]:
            return told
        told = f"{told}; first stream: {first.first}"
        precise_db = first.precise_db.get(first.first, -math.inf)
        if precise_db < first.streams[first.first] + ROUNDING_DB:
            return told
        return f"{told}, by our rounding: {precise_db:.1f} dB in float64"

    def to_json(self) -> dict[str, Any]:
        """The contract ``sttest.crosscheck-against/1``."""
        first, most = self.first, self.loses_most
        return {
            "schema": SCHEMA,
            "model": self.model,
            "against": f"transformers:{self.reference}",
            "precision": self.precision,
            "tokens": self.tokens,
            "verdict": "same" if first is None else "different",
            "told": self.verdict,
            "first": None if first is None else {"part": first.name, "stream": first.first},
            "differing": [part.name for part in self.parts if part.first],
            "least_db": json_number(self.least_db),
            "loses_most": None if most is None else most.name,
            "parts": [part.to_json() for part in self.parts],
            "notes": list(self.notes),
        }


def hold_against(
    ours: "LanguageModel",
    quantized: "LanguageModel | None",
    theirs: TransformersModel,
    tokens: Sequence[int],
    precision: str,
    step: Callable[[str], None] = lambda _step: None,
) -> Against:
    """Run both over the same tokens, layer by layer beside each other.

    Memory holds the models and the streams of one layer.

    Args:
        ours: our model in fp32.
        quantized: its fake-quantized copy; None leaves it at fp32.
        theirs: transformers' model.
        tokens: numbers of tokens, from position 0 on.
        precision: name of the copy's scheme.
        step: called with what is run next.

    Raises:
        InputError: the models have other sizes, or transformers cannot run.
    """
    check_sizes(theirs.config, ours.config, "--against")
    beside = _Beside(ours, quantized, tokens, step)
    step(f"layer 1 of {len(ours.layers)}")
    ends = theirs.run(tokens, min(ROWS, len(tokens)), beside.see)
    parts = (beside.embedding(ends), *beside.parts, beside.head(ends))
    notes = _notes(ours.config, theirs, len(tokens))
    return Against(ours.config.name, theirs.name, precision, len(tokens), parts, notes)


@dataclass
class _Beside:
    """Our model while transformers' runs."""

    ours: "LanguageModel"
    quantized: "LanguageModel | None"
    tokens: Sequence[int]
    step: Callable[[str], None]
    parts: list[Part] = field(default_factory=list)
    # exact, rounded: what our own layers made of the tokens so far, [n, hidden]
    exact: Any = None
    rounded: Any = None

    def __post_init__(self) -> None:
        self.exact = self.rounded = self.ours.embedding(self.tokens, 0).detach()
        self._embedded = self.exact

    def see(self, layer: TheirLayer) -> None:
        """Runs the same layer of ours."""
        number, config, block = layer.number, self.ours.config, self.ours.layers[layer.number]
        self.step(f"layer {number + 1} of {len(self.ours.layers)}")
        kind, wanted = config.layer_kind(number), layer.streams[RESULT]

        def in_float64() -> Streams:
            return run_with_streams(copy.deepcopy(block).double(), config, layer.x.double(), kind).streams

        made = run_with_streams(block, config, layer.x, kind).streams
        self.exact = _through(self.ours, number, self.exact)
        rounded = None
        if self.quantized is not None:
            self.rounded = _through(self.quantized, number, self.rounded)
            rounded = Sqnr(_db(wanted, _through(self.quantized, number, layer.x)), _db(wanted, self.rounded))
        asked = _asked(list(layer.streams), len(self.tokens))
        so_far = _db(wanted, self.exact)
        self.parts.append(_part(f"layer {number + 1}", layer.streams, made, asked, in_float64, so_far, rounded))

    def embedding(self, ends: TheirEnds) -> Part:
        """The embedding, whose words and positions are told apart where both are learned."""
        embedding = self.ours.embedding
        made = {EMBEDDING: self._embedded}
        if embedding.positions is not None:
            made["embedding_tokens"] = embedding.tokens[list(self.tokens)].detach() * embedding.scale
            made["embedding_positions"] = embedding.positions[: len(self.tokens)].detach()
        names = [name for name in ("embedding_tokens", "embedding_positions") if name in ends.embedding]
        theirs = {name: ends.embedding[name] for name in (*names, EMBEDDING)}
        so_far = _db(theirs[EMBEDDING], self._embedded)
        rounded = None if self.quantized is None else Sqnr(so_far, so_far)
        return _part(EMBEDDING, theirs, made, _asked(list(theirs), 1), lambda: {}, so_far, rounded)

    def head(self, ends: TheirEnds) -> Part:
        """Norm, head and cap of the logits, at the last positions."""
        rows, wanted = len(ends.x), ends.head["logits"]

        def in_float64() -> Streams:
            return _head_streams(self.ours, ends.x, in_float64=True)

        made = _head_streams(self.ours, ends.x)
        so_far = _db(wanted, _logits(self.ours, self.exact[-rows:]))
        rounded = None
        if (model := self.quantized) is not None:
            rounded = Sqnr(_db(wanted, _logits(model, ends.x)), _db(wanted, _logits(model, self.rounded[-rows:])))
        return _part(HEAD, ends.head, made, _asked(list(ends.head), 1), in_float64, so_far, rounded)


def _part(
    name: str,
    theirs: Streams,
    ours: Streams,
    asked: dict[str, float],
    in_float64: Callable[[], Streams],
    so_far_db: float,
    rounded: Sqnr | None,
) -> Part:
    both = [stream for stream in theirs if stream in ours]
    for stream in both:
        _check_shape(name, stream, theirs[stream], ours[stream])
    found = {stream: _db(theirs[stream], ours[stream]) for stream in both}
    low = [stream for stream in both if not found[stream] >= asked[stream]]
    precise = in_float64() if low else {}
    precise_db = {stream: _db(precise[stream], theirs[stream]) for stream in low if stream in precise}
    for stream, apart_db in precise_db.items():
        # Noise of theirs and of ours: the same on both sides where the values have no more digits in float32.
        rounding_db = max(apart_db, _db(precise[stream], ours[stream]))
        asked[stream] = min(asked[stream], rounding_db - ROUNDING_DB)
    exact = Sqnr(found[both[-1]], so_far_db)
    return Part(name, exact, rounded, found, {stream: asked[stream] for stream in both}, precise_db)


def _asked(streams: Sequence[str], tokens: int) -> dict[str, float]:
    """What is asked of each stream: behind the rotary embedding no more than its angles have in float32."""
    angles_db = 20.0 * math.log10((1 << _ANGLE_BITS) / tokens)
    turned = streams.index(ROPE) if ROPE in streams else len(streams)
    return {name: min(BOUND_DB, angles_db) if place >= turned else BOUND_DB for place, name in enumerate(streams)}


def _through(model: "LanguageModel", number: int, x: "Tensor") -> "Tensor":
    import torch

    from sttest.models.blocks import run_prefill

    with torch.no_grad():
        return run_prefill(model.layers[number], model.config, x, model.config.layer_kind(number))[0]


def _logits(model: "LanguageModel", x: "Tensor") -> "Tensor":
    import torch

    with torch.no_grad():
        return model.logits(x)


def _head_streams(model: "LanguageModel", x: "Tensor", *, in_float64: bool = False) -> Streams:
    """Norm, product and logits of x [rows, hidden]."""
    import torch

    from sttest.models.layers import TiedHead

    modules, words = (model.norm, model.head), model.embedding.tokens
    if in_float64:
        modules, words, x = tuple(copy.deepcopy(each).double() for each in modules), words.double(), x.double()
    norm, head = modules
    with torch.no_grad():
        normed = norm(x)
        product = head(normed, words) if isinstance(head, TiedHead) else head(normed)
        return {"head_norm": normed, "head_proj": product, "logits": model.cap(product)}


def _db(wanted: "Tensor", found: "Tensor") -> float:
    from sttest.models.quant.quantizers import sqnr_db

    return sqnr_db(wanted, found)


def _check_shape(part: str, stream: str, theirs: "Tensor", ours: "Tensor") -> None:
    if theirs.shape != ours.shape:
        told = f"{stream} has {theirs.shape[-1]} channels in transformers' model, {ours.shape[-1]} in ours"
        raise InputError("other-model", told, where=part, hints=["hold a model against itself"])


def _notes(config: DecoderConfig, theirs: TransformersModel, tokens: int) -> tuple[str, ...]:
    """What is not compared."""
    notes: list[str] = []
    if not theirs.has_streams:
        notes.append(f"which streams a layer of {theirs.name} has is not known: its result alone is compared")
    window, kinds = config.sliding_window, {config.layer_kind(number) for number in range(config.layers)}
    if window is not None and "local" in kinds and tokens <= window:
        notes.append(f"{tokens} tokens do not leave the sliding window of {window}; --tokens {window + 1} does")
    return tuple(notes)
