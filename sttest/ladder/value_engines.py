"""The engines that compute values: what each leaves in memory and in every stream."""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from sttest.boards.backends.csim import CsimRun, Executable, run_kernel
from sttest.boards.backends.device import DesignFiles
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
        waits: what a process that stood still waited to do, by stream.
        run: of the C simulation.
    """

    engine: str
    verdict: Literal["done", "deadlock"]
    images: Mapping[str, Bytes] = field(repr=False)
    streams: Mapping[str, Array] = field(repr=False)
    seconds: float
    waits: Mapping[str, str] = field(default_factory=dict, repr=False)
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
    files: DesignFiles,
    streams: Path,
    depths: Mapping[str, int] | None = None,
) -> Values:
    """The emitted C++ on the same memory.

    Args:
        graph: of the same package.
        images: by the names of the design's loads.
        kernel: built from the package.
        files: of the same package.
        streams: gets the tokens of every stream; it has to stay as long as the values are looked at.
        depths: of FIFOs that are to have other ones.

    Raises:
        InputError: memory of another design.
        SttestError: the simulation failed, or did not end.
    """
    ran = run_kernel(kernel, files.by_argument(images), streams=streams, depths=depths)
    results = {store.name: ran.results[files.argument_of[store.name]] for store in graph.stores} if ran.results else {}
    tokens = {
        name: part
        for fifo, members in _streams_by_fifo(graph, files).items()
        for name, part in _parted(members, _dumped(members[0], streams / f"{fifo}.bin")).items()
    }
    return Values("csim", ran.verdict, results, tokens, ran.seconds, _waits(graph, files, tokens, ran), ran)


def _streams_by_fifo(graph: ValueGraph, files: DesignFiles) -> dict[str, list[Stream]]:
    """What goes through each FIFO, one stream after the other."""
    shared = {name for members in files.shared_fifos.values() for name in members}
    found = {stream.name: [stream] for stream in graph.streams if stream.name not in shared}
    return found | {fifo: [graph.stream[name] for name in members] for fifo, members in files.shared_fifos.items()}


def _parted(members: Sequence[Stream], tokens: Array) -> dict[str, Array]:
    """The tokens of each stream, of those that went through their FIFO."""
    ends = list(itertools.accumulate(stream.tokens for stream in members))
    return {stream.name: tokens[end - stream.tokens : end] for stream, end in zip(members, ends, strict=True)}


def _waits(graph: ValueGraph, files: DesignFiles, tokens: Mapping[str, Array], ran: CsimRun) -> dict[str, str]:
    """By stream; of those of one FIFO it is the first that is not through."""
    members, waits = _streams_by_fifo(graph, files), {}
    for blocked in ran.blocked:
        short = [each.name for each in members.get(blocked.fifo, ()) if len(tokens[each.name]) < each.tokens]
        waits[short[0] if short else blocked.fifo] = blocked.waits_to
    return waits


def _dumped(stream: Stream, path: Path) -> Array:
    """The tokens that a C simulation wrote down, without those that it broke off in."""
    dtype, element = NUMPY[stream.dtype], stream.element
    size = dtype.itemsize * int(np.prod(element, dtype=np.int64))
    count = path.stat().st_size // size
    if count == 0:
        return np.empty((0, *element), dtype)
    return np.memmap(path, dtype, "r", shape=(count, *element))
