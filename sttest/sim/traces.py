"""Traces of pipelines in the .npz beside a timed graph: ``P/tick`` and ``P/op`` for a trace called P."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sttest.errors import InputError
from sttest.sim.checks import MAX_EVENTS
from sttest.sim.graph import Trace


def read_traces(graph_path: Path, file_name: str, wanted: Iterable[str]) -> dict[str, Trace]:
    """The traces called ``wanted``; the file must lie in the folder of the graph.

    Raises:
        InputError: the file is missing, elsewhere, damaged or too large, or an array is.
    """
    names = list(wanted)
    if not names:
        return {}
    if not file_name:
        raise InputError(
            "no-traces",
            "processes have traces but there is no key 'traces'",
            where=str(graph_path),
            levers=["name the .npz file beside the graph"],
        )
    path = _inside(graph_path.parent, file_name, str(graph_path))
    try:
        with zipfile.ZipFile(path) as archive:
            sizes_bytes = {info.filename: info.file_size for info in archive.infolist()}
        for name in names:
            _check_sizes(name, sizes_bytes, path)
        with np.load(path, allow_pickle=False) as arrays:
            return {name: Trace(_array(arrays, f"{name}/tick"), _array(arrays, f"{name}/op")) for name in names}
    except (OSError, ValueError, zipfile.BadZipFile, EOFError, NotImplementedError, MemoryError) as error:
        raise InputError("bad-traces", f"not a readable .npz of plain arrays ({error})", where=str(path)) from error


def _array(arrays: Mapping[str, Any], key: str) -> np.ndarray:
    array = arrays[key]
    if not isinstance(array, np.ndarray):
        raise ValueError(f"'{key}' is not an array")
    return array


def _inside(folder: Path, file_name: str, where: str) -> Path:
    path = folder / file_name
    if "\x00" in file_name or path.resolve().parent != folder.resolve():
        raise InputError("outside-folder", f"'{file_name!r:.80}' is not a file in the graph's folder", where=where)
    if not path.is_file():
        raise InputError("missing-file", f"the traces file '{file_name}' is missing", where=where)
    return path


def _check_sizes(name: str, sizes_bytes: Mapping[str, int], path: Path) -> None:
    for part, item_bytes in (("tick", 8), ("op", 4)):
        key = f"{name}/{part}"
        size_bytes = sizes_bytes.get(f"{key}.npy")
        if size_bytes is None:
            raise InputError("missing-trace", f"no array '{key}'", where=str(path))
        bound_bytes = MAX_EVENTS * item_bytes + (1 << 16)
        if size_bytes > bound_bytes:
            raise InputError(
                "trace-too-large",
                f"array '{key}' is too large",
                where=str(path),
                demand=size_bytes,
                bound=bound_bytes,
                unit="bytes",
            )


def write_traces(path: Path, traces: Mapping[str, Trace]) -> None:
    """Writes the arrays of all traces to one compressed .npz."""
    arrays: dict[str, np.ndarray] = {}
    for name, trace in traces.items():
        arrays[f"{name}/tick"] = trace.tick
        arrays[f"{name}/op"] = trace.op
    np.savez_compressed(path, allow_pickle=False, **arrays)
