"""Writes what the functions of CODO's designs consist of, from a clone of its artifact.

``python -m experiments.synthesis_sources.table CLONE`` writes ``function_loops.csv`` and ``function_arrays.csv`` for
every function of ``processes.csv`` in that suite; reports are not read.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import pandas as pd

from experiments.synthesis_sources.loops import OPERATIONS, Around, Pipelined, loops_of
from experiments.synthesis_sources.source import Function, functions_of
from sttest.core.errors import InputError

DATA = Path(__file__).parents[1] / "data" / "synthesis"
FUNCTION = ("design", "module")
_Cells: TypeAlias = dict[str, int | str]


def tables(clone: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Loops and arrays of all functions.

    Args:
        clone: of the artifact, with its files.

    Raises:
        InputError: a function, or the one source of a design, is not there.
    """
    rows = pd.read_csv(DATA / "processes.csv")
    loops, arrays = [], []
    for source, functions in rows[rows.suite == "codo"].groupby("source", sort=True):
        repository, report = str(source).split(" ", 1)
        path = _source_of(clone, report)
        known = functions_of(path.read_text(encoding="utf-8"))
        where = f"{repository} {path.relative_to(clone)}"
        for design, module in functions[[*FUNCTION]].itertuples(index=False):
            if module not in known:
                raise InputError("unknown-function", f"no function '{module}'", where=where, hints=["check the clone"])
            pipelined, around = loops_of(known[module])
            found = {"design": design, "module": module}
            loops += [found | each | {"source": where} for each in _loops(known[module], pipelined, around)]
            arrays += [found | each | {"source": where} for each in _arrays(known[module], pipelined)]
    return pd.DataFrame(loops), pd.DataFrame(arrays)


def _source_of(clone: Path, report: str) -> Path:
    folder = (clone / report).parent
    folder = folder.parent if folder.name == "report" else folder
    sources = [path for path in folder.glob("*.cpp") if path.name != "host.cpp"]
    if len(sources) != 1:
        raise InputError(
            "ambiguous-source", f"{len(sources)} sources", where=str(folder), demand=1, hints=["check the clone"]
        )
    return sources[0]


def _loops(function: Function, pipelined: list[Pipelined], around: list[Around]) -> Iterator[_Cells]:
    for loop in pipelined:
        ports: _Cells = {
            f"fifo_{way}": sum(count for name, count in accesses.items() if function.arrays[name].depth)
            for way, accesses in (("reads", loop.reads), ("writes", loop.writes))
        }
        operations: _Cells = {name: loop.operations[name] for name in OPERATIONS}
        yield {"process": loop.process, "kind": "pipelined", "trips": _trips(loop.trips)} | ports | operations
    for outer in around:
        nothing: _Cells = dict.fromkeys(("fifo_reads", "fifo_writes", *OPERATIONS), 0)
        yield {"process": outer.process, "kind": "around", "trips": _trips(outer.trips)} | nothing


def _trips(trips: tuple[int, ...]) -> str:
    return "x".join(map(str, trips))


def _arrays(function: Function, pipelined: list[Pipelined]) -> Iterator[_Cells]:
    """FIFOs and memories that are the function's own, with how many of a process's loops use each."""
    for name, array in function.own.items():
        writers = [loop for loop in pipelined if loop.writes[name]]
        readers = [loop for loop in pipelined if loop.reads[name]]
        if not array.shape or not (writers or readers):
            continue
        processes = {loop.process for loop in (*writers, *readers)}
        neighbors = max(sum(loop.process == process for loop in pipelined) for process in processes)
        yield {
            "array": name,
            "kind": "fifo" if array.depth else "memory",
            "impl": array.impl,
            "banks": array.banks,
            "words": min(array.depth, array.words) if array.depth else array.words,
            "bits": array.bits,
            "writers": len(writers),
            "readers": len(readers),
            "loops_of_process": neighbors,
        }


def main() -> None:
    """Writes both tables."""
    loops, arrays = tables(Path(sys.argv[1]))
    loops.to_csv(DATA / "function_loops.csv", index=False)
    arrays.to_csv(DATA / "function_arrays.csv", index=False)


if __name__ == "__main__":
    main()
