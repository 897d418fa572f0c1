"""Tokens out of slices."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from sttest.errors import InputError
from sttest.sim.functional.element_types import Array
from sttest.sim.functional.graph import Gather, Stream


def gathered(node: Gather, sources: Sequence[Stream], sink: Stream, tokens: Sequence[Array]) -> Array:
    """The sink's tokens: slices are contiguous parts of them in row-major order.

    Args:
        node: the gather.
        sources, sink: its streams.
        tokens: of every source, repetitions held once.

    Raises:
        InputError: the sources' tokens do not make up the sink's.
    """
    size = sum(prod(source.element) for source in sources)
    alike = all(source.dtype == sink.dtype and source.trips == sink.trips for source in sources)
    if not alike or size != prod(sink.element) or len({values.shape for values in tokens}) != 1:
        what = f"its sources do not make up the tokens of '{sink.name}'"
        raise InputError("bad-gather", what, where=f"gather '{node.name}'")
    lead = tokens[0].shape[: len(sink.trips)]
    whole = np.concatenate([values.reshape(*lead, -1) for values in tokens], axis=-1)
    return whole.reshape(*lead, *sink.element)
