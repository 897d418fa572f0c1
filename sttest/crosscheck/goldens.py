"""Goldens of a design for hardware that is not ours: arguments, every stream's tokens and results, once engines agree.

The values are those of the reference engine.  Where the block is a model's, they are PyTorch's, too; nothing is given
out that engines disagree on.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from math import log10, prod
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np

from sttest.core.errors import EnginesDisagreeError, InputError, did_you_mean
from sttest.crosscheck.case import Case, main_result
from sttest.crosscheck.differences import compare_streams
from sttest.crosscheck.engines import Values, run_csim, run_reference
from sttest.crosscheck.golden_facts import Origins, row_major_order, stream_order, tensor_shape, with_dims
from sttest.crosscheck.hex_words import hex_bytes, word_bits
from sttest.crosscheck.padding import hidden_elements
from sttest.crosscheck.results import compare_results
from sttest.package import DesignPackage
from sttest.reference import ReferenceGraph
from sttest.reference.graph import BITS, NUMPY, Argument, Array, Bytes, ReferenceStream, is_integer
from sttest.reference.memory import read_argument
from sttest.targets.csim import build_kernel

Kind = Literal["input", "parameter", "stream", "output"]
MAX_GOLDEN_BYTES = 16 << 30
"""Bytes of a folder of goldens; those of a decode step of GPT-2 Medium have 96 MB."""


@dataclass(frozen=True)
class Entry:
    """An array of goldens and what is said of it."""

    name: str
    kind: Kind
    dtype: str  # element type, as in ``i4``
    values: Array = field(repr=False)  # a stream's tokens [tokens, *token]; else the array in its logical shape
    shape: list[int]  # shape of the tensor that is carried
    order: dict[str, Any]  # loops around the tokens, see :func:`~sttest.crosscheck.golden_facts.stream_order`
    facts: dict[str, Any] = field(default_factory=dict)  # what else there is to say, as JSON values

    @property
    def lanes(self) -> int:
        """Elements of a token."""
        return prod(self.order["token"])

    @property
    def tokens(self) -> Array:
        """The tokens, [tokens, lanes]."""
        return self.values.reshape(-1, self.lanes)

    @property
    def description(self) -> dict[str, Any]:
        """What a manifest says of it, but for its files."""
        return {
            "name": self.name,
            "kind": self.kind,
            "shape": self.shape,
            "type": self.dtype,
            "bits": BITS[self.dtype],
            "is_integer": is_integer(self.dtype),
            "tokens": len(self.tokens),
            "lanes": self.lanes,
            "word_bits": word_bits(self.dtype, self.lanes),
            "order": self.order,
            **self.facts,
        }


@dataclass(frozen=True)
class Check:
    """An engine that the values were held against before they were given out."""

    engine: str
    verdict: str  # ``same`` to the bit, ``close`` where only floating point differs by rounding
    told: str  # the same as a sentence

    def to_json(self) -> dict[str, Any]:
        """The check as JSON values."""
        return {"engine": self.engine, "verdict": self.verdict, "told": self.told}


@dataclass(frozen=True)
class Golden:
    """All that is given out of a design."""

    graph: ReferenceGraph
    entries: tuple[Entry, ...]
    checks: tuple[Check, ...]
    sqnr_db: float | None  # SQNR of the main result against floating point, decibels; None where that is not known


def make_golden(
    package: DesignPackage,
    case: Case,
    only: Sequence[str] = (),
    csim: Path | None = None,
    tell: Callable[[str], None] = lambda _step: None,
) -> Golden:
    """Computes a design's goldens and holds them against the other engines.

    Args:
        package: the design.
        case: weights, inputs and results of its block, module or text.
        only: patterns of the streams that are wanted, as in ``mlp*``; all of them where there is none.
        csim: folder of builds, for a C simulation that must agree in every stream; None for none.
        tell: called with each step before it runs.

    Raises:
        EnginesDisagreeError: PyTorch or the emitted C++ gives other values.
        InputError: no such stream, or more than `MAX_GOLDEN_BYTES`.
        ToolMissingError: a C simulation without a compiler.
    """
    graph = package.reference_graph
    wanted = _wanted_streams(graph, only)
    _check_size(graph, wanted)
    tell("reference")
    images = case.images(graph)
    values = run_reference(graph, images)
    results = case.results(graph, values.images)
    checks = [*_held_against_torch(graph, case, results)]
    if csim is not None:
        tell("csim")
        checks.append(_held_against_csim(package, images, values, csim))
    entries = (
        *_arguments(graph, case, images),
        *_streams(graph, [(stream, values.streams[stream.name]) for stream in wanted]),
        *_results(graph, results),
    )
    return Golden(graph, entries, tuple(checks), _sqnr_db(case.reference, results[main_result(graph)]))


# --- What is wanted


def _wanted_streams(graph: ReferenceGraph, only: Sequence[str]) -> list[ReferenceStream]:
    for pattern in only:
        if not any(fnmatchcase(name, pattern) for name in graph.stream):
            hints = [did_you_mean(pattern, graph.stream)]
            raise InputError("unknown-stream", f"no stream is called '{pattern:.80}'", where="--only", hints=hints)
    return [each for each in graph.streams if not only or any(fnmatchcase(each.name, pattern) for pattern in only)]


def _check_size(graph: ReferenceGraph, wanted: Sequence[ReferenceStream]) -> None:
    sizes = [(each.dtype, prod(each.element), each.tokens) for each in wanted]
    sizes += [(each.dtype, 1, prod(each.shape)) for each in (*graph.arguments, *graph.results)]
    demand = sum(
        hex_bytes(dtype, lanes, tokens) + NUMPY[dtype].itemsize * lanes * tokens for dtype, lanes, tokens in sizes
    )
    if demand > MAX_GOLDEN_BYTES:
        hints = ["name some streams: --only 'mlp*'", "take a shorter prompt"]
        what = "the streams are too long to be written"
        raise InputError(
            "too-many-tokens", what, where=graph.name, demand=demand, bound=MAX_GOLDEN_BYTES, unit="bytes", hints=hints
        )


# --- Who agrees


def _held_against_torch(graph: ReferenceGraph, case: Case, results: Mapping[str, Array]) -> Iterable[Check]:
    """Nothing where there is no other golden than the reference engine's."""
    if case.golden_name != "torch":
        return
    found = compare_results(graph, "reference", case.golden, results)
    if found.verdict == "different":
        hints = ["see 'sttest crosscheck' of the same design"]
        raise EnginesDisagreeError("goldens-differ", str(found), where=graph.name, hints=hints)
    yield Check("torch", found.verdict, str(found))


def _held_against_csim(package: DesignPackage, images: Mapping[str, Bytes], ours: Values, work: Path) -> Check:
    graph, where = package.reference_graph, package.name
    work.mkdir(parents=True, exist_ok=True)
    kernel = build_kernel(package.files, work)
    with TemporaryDirectory(prefix="sttest-streams-") as folder:
        theirs = run_csim(graph, images, kernel, package.files, Path(folder))
        if theirs.verdict == "deadlock":
            hints = ["see 'sttest emulate --backend csim' of the design"]
            raise EnginesDisagreeError("goldens-differ", "csim deadlocks, the reference ends", where=where, hints=hints)
        found = compare_streams(graph, ours, theirs)
    if found.verdict == "different":
        hints = ["see 'sttest crosscheck' of the same design"]
        raise EnginesDisagreeError("goldens-differ", str(found), where=where, hints=hints)
    return Check("csim", found.verdict, str(found))


def _sqnr_db(reference: Array | None, found: Array) -> float | None:
    """Signal over the noise that the precision adds, in decibels; None where there is no noise or no reference."""
    if reference is None:
        return None
    signal = np.square(reference, dtype=np.float64).sum()
    noise = np.square(reference.astype(np.float64) - found).sum()
    return 10 * log10(signal / noise) if signal > 0 and 0 < noise < np.inf else None


# --- The arrays


def _arguments(graph: ReferenceGraph, case: Case, images: Mapping[str, Bytes]) -> Iterable[Entry]:
    # Parts of an argument, as experts have them, are not put together from memory.
    known: Mapping[str, Array] = {**getattr(case, "arguments", {}), **getattr(case, "parameters", {})}
    origins, hidden = Origins(graph), hidden_elements(graph, case)
    for argument in graph.arguments:
        values = known[argument.name] if argument.name in known else read_argument(graph, argument.name, images)
        padding = int(hidden[argument.name].sum()) if argument.name in hidden else 0
        facts = {
            "is_cache": argument.kind == "cache",
            "quantization": origins.argument_quantization(argument),
            "padding_elements": padding,
            "consumers": [load.name for load in graph.loads if load.argument == argument.name],
        }
        kind: Kind = "parameter" if argument.kind == "parameter" else "input"
        yield _entry_of_array(kind, argument, values, facts)


def _entry_of_array(kind: Kind, argument: Argument, values: Array, facts: dict[str, Any]) -> Entry:
    """One element after the other; a block may have values of more dims than its argument, never of other elements."""
    shape = with_dims(argument.shape)
    logical = np.ascontiguousarray(values).reshape(shape)
    return Entry(argument.name, kind, argument.dtype, logical, shape, row_major_order(shape), facts)


def _streams(graph: ReferenceGraph, wanted: Iterable[tuple[ReferenceStream, Array]]) -> Iterable[Entry]:
    origins = Origins(graph)
    for stream, tokens in wanted:
        facts = {
            "producer": origins.writer[stream.name].name,
            "consumer": origins.reader[stream.name].name,
            "module": stream.origin,
            "carries": origins.carried.get(stream.name),
            "slice_of": origins.slice_of(stream.name),
            "quantization": origins.quantization(stream),
        }
        shaped, order = tokens.reshape(-1, *with_dims(stream.element)), stream_order(stream)
        yield Entry(stream.name, "stream", stream.dtype, shaped, tensor_shape(stream), order, facts)


def _results(graph: ReferenceGraph, results: Mapping[str, Array]) -> Iterable[Entry]:
    source, origins = {store.name: store.source for store in graph.stores}, Origins(graph)
    for result in graph.results:
        values = np.atleast_1d(np.ascontiguousarray(results[result.name]))
        facts = {
            "producer": result.store,
            "stream": source[result.store],
            "quantization": origins.result_quantization(result.name),
            "padding_elements_left_out": prod(result.shape) - values.size,
        }
        shape = list(values.shape)
        yield Entry(result.name, "output", result.dtype, values, shape, row_major_order(shape), facts)


# --- Names of files


def file_stems(names: Sequence[str]) -> dict[str, str]:
    """Names of files without an ending, one for each name: plain letters, and none that another has in other letters.

    >>> file_stems(["attn.q_proj.weight", "../x", "X", "x"])
    {'attn.q_proj.weight': 'attn.q_proj.weight', '../x': '_._x', 'X': 'X', 'x': 'x-2'}
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        stem = re.sub(r"^\.", "_", re.sub(r"[^A-Za-z0-9_.-]", "_", name))[:150]
        number, free = 1, stem
        while free.lower() in taken:
            number += 1
            free = f"{stem}-{number}"
        taken.add(free.lower())
        found[name] = free
    return found
