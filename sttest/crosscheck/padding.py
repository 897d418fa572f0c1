"""Positions of a design's memory that stand for nothing, and the same results whatever lies there.

There are two kinds.  *Hidden* elements are read and take part in arithmetic: rows of a prompt that is shorter than the
design, and positions of a cache that no token has.  The mask adds a large negative number to their scores, so that they
count exactly nothing as long as they are finite; a NaN stays one under every mask.  Garbage of all magnitudes goes
there.  *Unread* bytes fill the last word of a tensor; NaN goes there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from sttest.crosscheck.case import BlockCase, Case
from sttest.crosscheck.differences import Outputs
from sttest.crosscheck.engines import Values
from sttest.models.cards import card_of
from sttest.reference import ReferenceGraph, run
from sttest.reference.graph import BITS, Array, Bytes, Load, is_integer
from sttest.reference.memory import images_of, read_argument, run_bytes
from sttest.runtime.design_memory import CacheSide

_MARKS = (3, 5)
"""Two values that no padding has."""
_LARGEST = {"f16": 2.0**15, "f32": 2.0**20}
"""Largest garbage of floating point: far from overflowing in a product, far from what a block computes with."""
_NAN_BYTE = 0xFF
"""So many of them are a NaN of every width."""

# --- Where it is


def hidden_elements(graph: ReferenceGraph, case: Case) -> dict[str, Array]:
    """Elements of a block's inputs that stand for no token, truth values by argument; others have none.

    They are found as what stays the same when all that the case brings is something else, so that nothing is said twice
    of where padding goes.
    """
    if not isinstance(case, BlockCase):
        return {}
    filled = [_filled(case, mark) for mark in _MARKS]
    ours, theirs = (each.images(graph) for each in filled)
    found: dict[str, Array] = {}
    for argument in graph.arguments:
        # Tables and masks are made for the shape, and are no token's.
        if argument.kind == "parameter" or not _is_of_tokens(argument.name):
            continue
        same = read_argument(graph, argument.name, ours) == read_argument(graph, argument.name, theirs)
        if same.any():
            found[argument.name] = same
    return found


def _is_of_tokens(argument: str) -> bool:
    return card_of(argument)[0] in ("x", "k_cache", "k_cache_scale", "v_cache", "v_cache_scale")


def _filled(case: BlockCase, value: float) -> BlockCase:
    """The case with one value for all that its tokens bring."""

    def side(given: CacheSide) -> CacheSide:
        scales = None if given.scales is None else np.full_like(given.scales, value)
        return CacheSide(np.full_like(given.values, value), scales)

    caches = tuple((side(keys), side(values)) for keys, values in case.caches)
    return replace(case, x=tuple(np.full_like(each, value) for each in case.x), caches=caches)


def unread_bytes(graph: ReferenceGraph, load: Load, image: Bytes) -> Array:
    """Bytes of an image that fill a word behind the last element, truth values [bytes]."""
    dtype = graph.stream[load.sink].dtype
    if load.parts is None:
        used = -(-prod(load.layout.shape) * BITS[dtype] // 8)
        return np.arange(image.size) >= used
    size, room = run_bytes(load, dtype)
    return np.arange(image.size) % room >= size


# --- Something else is put there


@dataclass(frozen=True)
class PoisonedCase:
    """A case whose padding holds garbage; its results are those of its tokens.

    Args:
        case: any.
        graph: the design.
        seed: of the garbage.
    """

    case: Case
    graph: ReferenceGraph = field(repr=False)
    seed: int = 0

    @property
    def golden(self) -> Mapping[str, Array]:
        """Results of the tokens."""
        return self._of_tokens(self.case.golden)

    @property
    def golden_name(self) -> str:
        """Who computed them."""
        return self.case.golden_name

    @property
    def golden_s(self) -> float | None:
        """Run time of PyTorch, seconds."""
        return self.case.golden_s

    @property
    def modules(self) -> Outputs:
        """Output of each PyTorch module, which has no padding."""
        return self.case.modules

    @property
    def reference(self) -> Array | None:
        """None: there may be rows of padding in it."""
        return None

    @cached_property
    def hidden(self) -> dict[str, Array]:
        """See :func:`hidden_elements`."""
        return hidden_elements(self.graph, self.case)

    @cached_property
    def clean(self) -> dict[str, Bytes]:
        """Images as the host makes them."""
        return self.case.images(self.graph)

    def unread(self) -> dict[str, Array]:
        """See :func:`unread_bytes`, by load; of those that have some."""
        found = {load.name: unread_bytes(self.graph, load, self.clean[load.name]) for load in self.graph.loads}
        return {name: where for name, where in found.items() if where.any()}

    def images(self, graph: ReferenceGraph) -> dict[str, Bytes]:
        """The images with garbage in the place of padding."""
        garbage = np.random.default_rng(self.seed)
        tensors: dict[str, Array] = {}
        for name, where in self.hidden.items():
            tensor = read_argument(graph, name, self.clean).copy()
            tensor[where] = _garbage(garbage, graph.argument[name].dtype, int(where.sum())).astype(tensor.dtype)
            tensors[name] = tensor
        images = {**self.clean, **images_of(graph, tensors)}
        sinks = {load.name: load.sink for load in graph.loads}
        for name, where in self.unread().items():
            image, count = images[name].copy(), int(where.sum())
            is_whole = is_integer(graph.stream[sinks[name]].dtype)
            image[where] = garbage.integers(1, 256, count) if is_whole else _NAN_BYTE
            images[name] = image
        return images

    def results(self, graph: ReferenceGraph, images: Mapping[str, Bytes]) -> dict[str, Array]:
        """Results by name, with zeros in the rows of padding."""
        return self._of_tokens(self.case.results(graph, images))

    def _of_tokens(self, results: Mapping[str, Array]) -> dict[str, Array]:
        """A prefill of a batch gives rows of the shorter sequences that are no token's."""
        case = self.case
        if not isinstance(case, BlockCase) or case.shape.phase != "prefill" or case.shape.batch == 1:
            return dict(results)
        padding = [case.shape.tokens - len(each) for each in case.x]
        return {name: _without(array, padding, card_of(name)[0]) for name, array in results.items()}

    def check(self, values: Sequence[Values]) -> "PaddingCheck":
        """Holds the results of engines, which got the garbage, against those of the reference engine without it."""
        wanted = self.results(self.graph, run(self.graph, self.clean).results)
        reached = {
            each.engine: told
            for each in values
            if each.verdict == "done" and (told := _first_other(wanted, self.results(self.graph, each.images)))
        }
        return PaddingCheck(
            {name: int(where.sum()) for name, where in self.hidden.items()},
            sum(int(where.sum()) for where in self.unread().values()),
            tuple(each.engine for each in values if each.verdict == "done"),
            reached,
        )


def _garbage(random: np.random.Generator, dtype: str, count: int) -> Array:
    """Any integers of a type; floating point of all magnitudes up to `_LARGEST`, of both signs."""
    if is_integer(dtype):
        reach = 1 << BITS[dtype] - 1
        return random.integers(-reach, reach, count)
    largest = _LARGEST[dtype]
    return random.choice([-1.0, 1.0], count) * largest ** random.uniform(0, 1, count)


def _without(array: Array, padding: Sequence[int], name: str) -> Array:
    """The rows of padding of each sequence zeroed: [sequences * tokens, ...], of a cache [sequences, heads, tokens]."""
    found = array.copy()
    is_cache = name.startswith(("k_new", "v_new"))
    by_sequence = found if is_cache else found.reshape(len(padding), -1, *found.shape[1:])
    for sequence, count in enumerate(padding):
        place = np.s_[sequence, :, :count] if is_cache else np.s_[sequence, :count]
        by_sequence[place] = 0
    return found


def _first_other(wanted: Mapping[str, Array], found: Mapping[str, Array]) -> str:
    """The first element that is not the same to the bit; empty where there is none.  NaNs are one value."""
    for name, ours in wanted.items():
        theirs = found[name]
        unlike = (ours != theirs) & ~((ours != ours) & (theirs != theirs))
        if unlike.any():
            place = np.unravel_index(int(np.argmax(unlike)), unlike.shape)
            where = f"'{name}' {[int(index) for index in place]}"
            return f"{where} is {ours[place].item():.9g} without garbage, {theirs[place].item():.9g} with it"
    return ""


@dataclass(frozen=True)
class PaddingCheck:
    """What became of the garbage."""

    hidden: Mapping[str, int]  # elements that stand for no token, by argument
    unread: int  # bytes behind tensors
    engines: tuple[str, ...]  # those that ran
    reached: Mapping[str, str]  # where results are others, by engine

    @property
    def disagreements(self) -> tuple[str, ...]:
        """A line per engine whose results padding reaches."""
        return tuple(f"padding reaches the results of {engine}: {told}" for engine, told in self.reached.items())

    def to_json(self) -> dict[str, Any]:
        """The check as JSON values."""
        return {
            "hidden_elements": dict(self.hidden),
            "unread_bytes": self.unread,
            "engines": list(self.engines),
            "reached": dict(self.reached),
        }

    def __str__(self) -> str:
        if not self.hidden and not self.unread:
            return "padding: the design has no padded position; nothing was poisoned"
        parts = []
        if self.hidden:
            parts.append(f"garbage in {sum(self.hidden.values()):,} hidden elements of {', '.join(self.hidden)}")
        if self.unread:
            parts.append(f"NaN or garbage in {self.unread:,} bytes behind tensors")
        if not self.engines:
            told = "no engine that computes values ran"
        elif self.reached:
            told = f"it reaches results of {', '.join(self.reached)}"
        else:
            told = f"the same results of {', '.join(self.engines)}, to the bit"
        return f"padding: {' and '.join(parts)}: {told}"
