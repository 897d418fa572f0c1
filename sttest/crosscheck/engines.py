"""What one engine has to say of a design: a row of the ladder."""

import itertools
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from sttest.core.errors import SttestError, ToolMissingError
from sttest.package import KernelFiles
from sttest.reference import ReferenceGraph, run
from sttest.reference.graph import NUMPY, Array, Bytes, ReferenceStream
from sttest.sim import TimedGraph, simulate
from sttest.targets.csim import CsimRun, Executable, run_kernel
from sttest.targets.rtl import emulate

Verdict = Literal["done", "deadlock", "missing", "failed", "not asked", "elsewhere"]


@dataclass(frozen=True)
class EngineResult:
    """A row."""

    engine: str  # its name
    # ``missing`` where its tools are; ``failed`` where it refused the design, with a note that says why;
    # ``elsewhere`` where another verb runs it
    verdict: Verdict
    cycles: int | None = None  # simulated latency of one launch, in cycles of the design's clock
    latency_us: float | None = None  # the same in microseconds
    error: float | None = None  # largest absolute difference of ``y`` from the golden
    relative_error: float | None = None  # the same over the largest magnitude of the golden
    integers: int | None = None  # int8 elements of the new cache entries that differ from the golden
    seconds: float | None = None  # wall time, building included
    note: str = ""  # what else there is to say

    def to_json(self) -> dict[str, Any]:
        """The engine's result as JSON values."""
        return asdict(self) | {"relative_error": json_number(self.relative_error), "error": json_number(self.error)}


def json_number(value: float | None) -> float | None:
    """A number that JSON has: None for NaN and infinities."""
    return value if value is not None and math.isfinite(value) else None


def guarded(engine: str, climb: Callable[[], EngineResult]) -> EngineResult:
    """A rung, or why there is none: an engine that can't go on must not keep the others from telling."""
    began = time.perf_counter()
    try:
        return climb()
    except ToolMissingError as error:
        return EngineResult(engine, "missing", note=str(error))
    except SttestError as error:
        return EngineResult(engine, "failed", seconds=time.perf_counter() - began, note=str(error))


def simulated(engine: str, graph: TimedGraph) -> EngineResult:
    """The times of an engine over timed graphs, ``simpy`` or ``maxplus``."""
    began = time.perf_counter()
    result = simulate(graph, engine)
    return timed(engine, graph, result.cycles, time.perf_counter() - began)


def clocked(graph: TimedGraph, folder: Path) -> EngineResult:
    """The times of the RTL twin under Verilator; sources and build go below the folder."""

    began = time.perf_counter()
    ran = emulate(graph, "verilator", folder)
    note = "" if ran.verdict != "limit" else "stopped before it was done"
    rung = timed("rtl", graph, ran.cycles, time.perf_counter() - began)
    return rung if not note else EngineResult("rtl", "failed", seconds=rung.seconds, note=note)


def timed(engine: str, graph: TimedGraph, cycles: int | None, seconds: float) -> EngineResult:
    """A row of times; no cycles are a deadlock."""
    if cycles is None:
        return EngineResult(engine, "deadlock", seconds=seconds)
    return EngineResult(engine, "done", cycles, cycles / graph.clock_mhz, seconds=seconds)


# --- The engines that compute values: what each leaves in memory and in every stream


@dataclass(frozen=True)
class Values:
    """What an engine computed."""

    engine: str  # its name
    # ``done``, or ``deadlock``: then there are no images, and streams are short of tokens
    verdict: Literal["done", "deadlock"]
    images: Mapping[str, Bytes] = field(repr=False)  # images of memory, by the names of the design's stores
    streams: Mapping[str, Array] = field(repr=False)  # tokens by stream, [tokens, *element]
    seconds: float  # seconds that it took
    # what a process that stood still waited to do, by stream
    waits: Mapping[str, str] = field(default_factory=dict, repr=False)
    run: CsimRun | None = field(default=None, repr=False)  # run of the C simulation


def run_reference(graph: ReferenceGraph, images: Mapping[str, Bytes]) -> Values:
    """The reference engine on a design's memory.

    Raises:
        InputError: see :func:`sttest.reference.run`.
    """
    began = time.perf_counter()
    result = run(graph, images, keep=graph.stream)
    return Values("reference", "done", result.results, result.streams, time.perf_counter() - began)


def run_csim(
    graph: ReferenceGraph,
    images: Mapping[str, Bytes],
    kernel: Executable,
    files: KernelFiles,
    streams: Path,
    depths: Mapping[str, int] | None = None,
) -> Values:
    """The emitted C++ on the same memory.

    Args:
        graph: reference graph of the package.
        images: memory images by the names of the design's loads.
        kernel: compiled kernel of the package.
        files: kernel files of the package.
        streams: folder for the tokens of every stream, needed as long as the values are.
        depths: depths by FIFO that replace those of the design.

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


def _streams_by_fifo(graph: ReferenceGraph, files: KernelFiles) -> dict[str, list[ReferenceStream]]:
    """What goes through each FIFO, one stream after the other."""
    shared = {name for members in files.shared_fifos.values() for name in members}
    found = {stream.name: [stream] for stream in graph.streams if stream.name not in shared}
    return found | {fifo: [graph.stream[name] for name in members] for fifo, members in files.shared_fifos.items()}


def _parted(members: Sequence[ReferenceStream], tokens: Array) -> dict[str, Array]:
    """The tokens of each stream, of those that went through their FIFO."""
    ends = list(itertools.accumulate(stream.tokens for stream in members))
    return {stream.name: tokens[end - stream.tokens : end] for stream, end in zip(members, ends, strict=True)}


def _waits(graph: ReferenceGraph, files: KernelFiles, tokens: Mapping[str, Array], ran: CsimRun) -> dict[str, str]:
    """What each stream waits for; of the streams of one FIFO, only the first unfinished one has an entry."""
    members, waits = _streams_by_fifo(graph, files), {}
    for blocked in ran.blocked:
        short = [each.name for each in members.get(blocked.fifo, ()) if len(tokens[each.name]) < each.tokens]
        waits[short[0] if short else blocked.fifo] = blocked.waits_to
    return waits


def _dumped(stream: ReferenceStream, path: Path) -> Array:
    """The tokens that a C simulation wrote down, without those that it broke off in."""
    dtype, element = NUMPY[stream.dtype], stream.element
    size = dtype.itemsize * int(np.prod(element, dtype=np.int64))
    count = path.stat().st_size // size
    if count == 0:
        return np.empty((0, *element), dtype)
    return np.memmap(path, dtype, "r", shape=(count, *element))
