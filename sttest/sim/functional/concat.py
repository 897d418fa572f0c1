"""Concatenations: streams that are read in turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sttest.errors import InputError
from sttest.sim.functional.element_types import Array
from sttest.sim.functional.graph import Concat, Stream
from sttest.sim.functional.tokens import expanded


def join(node: Concat, streams: Mapping[str, Stream], tokens: Sequence[Array]) -> Array:
    """The sink's tokens: in every turn the next ones of the first source, then of the second, and so on.

    Raises:
        InputError: sources and sink carry different tokens, or numbers of them that don't make the turns.
    """
    sources, sink = [streams[name] for name in node.sources], streams[node.sink]
    for source in sources:
        if (source.element, source.dtype) != (sink.element, sink.dtype):
            raise _broken(node, f"'{sink.name}' carries other tokens than '{source.name}'")
        if source.tokens % node.turns:
            raise _broken(node, f"the {source.tokens} tokens of '{source.name}' do not make {node.turns} turns")
    if sum(source.tokens for source in sources) != sink.tokens:
        raise _broken(node, f"'{sink.name}' carries {sink.tokens} tokens, other than its sources together")
    parts = [
        expanded(source, values).reshape(node.turns, source.tokens // node.turns, *sink.element)
        for source, values in zip(sources, tokens, strict=True)
    ]
    return np.concatenate(parts, axis=1).reshape(*sink.trips, *sink.element)


def _broken(node: Concat, what: str) -> InputError:
    return InputError("bad-concat", what, where=f"concatenation '{node.name}'", levers=["write the package anew"])
