"""The engines that compute values: what each leaves in memory and in every stream."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from sttest.boards.backends.csim import CsimRun, Executable, run_kernel
from sttest.sim.functional import ValueGraph, run
from sttest.sim.functional.element_types import NUMPY, Array, Bytes
from sttest.sim.functional.graph import Stream


@dataclass(frozen=True)
class Values:
    """What an engine computed.

    Attributes:
        engine: its name.
        verdict: ``done``, or ``deadlock``: then there are no images, and streams are short of tokens.
        images: of memory, by the names of the design's stores.
        streams: tokens by stream, [tokens, *element].
        seconds: that it took.
        run: of the C simulation.
    """

    engine: str
    verdict: Literal["done", "deadlock"]
    images: Mapping[str, Bytes] = field(repr=False)
    streams: Mapping[str, Array] = field(repr=False)
    seconds: float
    run: CsimRun | None = field(default=None, repr=False)


def run_functional(graph: ValueGraph, images: Mapping[str, Bytes]) -> Values:
    """The functional engine on a design's memory.

    Raises:
        InputError: see :func:`sttest.sim.functional.run`.
    """
    began = time.perf_counter()
    result = run(graph, images, keep=graph.stream)
    return Values("functional", "done", result.results, result.streams, time.perf_counter() - began)


def run_csim(
    graph: ValueGraph,
    images: Mapping[str, Bytes],
    kernel: Executable,
    argument_of: Mapping[str, str],
    streams: Path,
    depths: Mapping[str, int] | None = None,
) -> Values:
    """The emitted C++ on the same memory.

    Args:
        graph: of the same package.
        images: by the names of the design's loads.
        kernel: built from the package.
        argument_of: the kernel's argument per load and store (``hls/memory.json``).
        streams: gets the tokens of every stream; it has to stay as long as the values are looked at.
        depths: of FIFOs that are to have other ones.

    Raises:
        InputError: memory of another design.
        SttestError: the simulation failed, or did not end.
    """
    given = {argument_of[name]: image for name, image in images.items()}
    ran = run_kernel(kernel, given, streams=streams, depths=depths)
    results = {store.name: ran.results[argument_of[store.name]] for store in graph.stores} if ran.results else {}
    tokens = {stream.name: _dumped(stream, streams / f"{stream.name}.bin") for stream in graph.streams}
    return Values("csim", ran.verdict, results, tokens, ran.seconds, ran)


def _dumped(stream: Stream, path: Path) -> Array:
    """The tokens that a C simulation wrote down, without those that it broke off in."""
    dtype, element = NUMPY[stream.dtype], stream.element
    size = dtype.itemsize * int(np.prod(element, dtype=np.int64))
    count = path.stat().st_size // size
    if count == 0:
        return np.empty((0, *element), dtype)
    return np.memmap(path, dtype, "r", shape=(count, *element))
