"""`sttest emulate --backend csim`: a design's emitted C++, held against PyTorch and the functional engine."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sttest.core.errors import DeadlockError, EnginesDisagreeError, InputError
from sttest.core.tables import print_table
from sttest.crosscheck.case import WeightSource, make_case
from sttest.crosscheck.emulation import emulate_csim
from sttest.package import ModelPackage
from sttest.targets.csim import find_compiler
from sttest.verbs.output import print_json, progress
from sttest.verbs.simulate import Depths

if TYPE_CHECKING:
    from sttest.crosscheck.emulation import CsimEmulation, WaitCycle

_TIGHTEST = 8
"""FIFOs that the text lists; JSON has all of them."""


@dataclass(frozen=True)
class CsimRequest:
    """What the options ask for."""

    package: Path  # the design
    work_dir: Path | None = None  # the build goes into ``csim`` below it; None for ``build/csim``
    seed: int = 0  # seed of weights and inputs
    checkpoint: Path | None = None  # folder whose first layer is taken instead of random weights
    streams: Path | None = None  # gets the tokens of every stream; None where nobody wants them


def run(request: CsimRequest, depths: Depths, *, as_json: bool) -> int:
    """Builds, runs, compares, prints.

    Returns:
        The exit code: 0 the same values, 3 a deadlock that the simulator has too, 6 engines disagree.

    Raises:
        SttestError: bad input, no compiler or PyTorch, or C++ that does not compile or end.
    """

    find_compiler()
    package = ModelPackage.read(request.package)
    package.require_one_block()
    times = depths.applied(package.timed_graph)
    source = WeightSource(request.seed, request.checkpoint)
    with _streams_folder(request.streams) as streams, progress(f"emulating {package.reference_graph.name}") as step:
        step("running PyTorch")
        case = make_case(package.config, package.shape, package.scheme, source, package.chunk)
        work = (request.work_dir or Path("build")) / "csim"
        found = emulate_csim(package, case, times, work, streams, step)
    if as_json:
        print_json(found.to_json())
    else:
        _print(found)
    if not found.agrees:
        return EnginesDisagreeError.exit_code
    return 0 if found.run.verdict == "done" else DeadlockError.exit_code


@contextmanager
def _streams_folder(asked: Path | None) -> Iterator[Path]:
    if asked is None:
        with tempfile.TemporaryDirectory(prefix="sttest-streams-") as name:
            yield Path(name)
        return
    if asked.exists() and (not asked.is_dir() or any(asked.iterdir())):
        hints = ["name a folder that is empty or not there yet"]
        raise InputError("foreign-folder", "there is something in it", where=str(asked), hints=hints)
    yield asked


def _print(found: CsimEmulation) -> None:
    built = f"built in {found.kernel.build_s:.1f} s" if found.kernel.build_s else "built before"
    print(f"{found.name}: {found.run.verdict}, {built}, run in {found.run.seconds:.2f} s")
    if found.results is not None:
        print(f"  {found.results}")
    print(f"  {found.streams}")
    if found.waits is not None:
        _print_deadlock(found.waits, found)
    elif found.simulation.deadlock is not None:
        print("  the simulator (maxplus) deadlocks: hardware reads all streams of a stage at once, C++ one by one")
    above = sum(use.peak > use.depth for use in found.fifos)
    print(f"  {len(found.fifos)} FIFOs, {above} of them ever above their depth; the tightest:")
    rows = [(use.name, use.peak, use.depth, use.written) for use in found.fifos[:_TIGHTEST]]
    print_table(["FIFO", "peak", "depth", "tokens"], rows)


def _print_deadlock(waits: WaitCycle, found: CsimEmulation) -> None:
    kind = "cycle of waits" if waits.is_closed else "chain of waits, the last for a process that has ended"
    print(f"  {kind}:")
    for wait in waits.waits:
        print(f"    {wait}")
    theirs = found.simulation.deadlock
    if theirs is None:
        print("  the simulator (maxplus) finishes")
    elif found.names_the_same_cycle:
        print("  the simulator (maxplus) names the same cycle")
    else:
        print("  the simulator (maxplus) names another cycle:")
        for wait in theirs.cycle:
            print(f"    '{wait.process}' waits to {wait.waits_to} '{wait.fifo}' (depth {wait.depth}) for '{wait.peer}'")
