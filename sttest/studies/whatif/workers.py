"""Where points are simulated: processes of this machine, or workers of a dask cluster."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from importlib.util import find_spec
from multiprocessing.connection import wait
from typing import Any

from sttest.core.errors import DoesNotFitError, InputError, ToolMissingError
from sttest.core.program import program_hash
from sttest.studies.whatif.points import Plain, simulate_block

Blocks = Mapping[str, Mapping[str, Any]]
"""Full configurations by name."""
Simulate = Callable[[Mapping[str, Any]], Plain]
"""A configuration to its result, in any process."""
_CONNECT_S = 15


def in_processes(blocks: Blocks, jobs: int, simulate: Simulate = simulate_block) -> Iterator[tuple[str, Plain]]:
    """Results as they come, from ``jobs`` processes; from this one if that is enough.

    Args:
        blocks: blocks to simulate.
        jobs: processes at a time.
        simulate: a module's function.

    Raises:
        DoesNotFitError: a process was killed, as the system does when memory runs out.
    """
    if jobs == 1 or len(blocks) == 1:
        yield from ((name, simulate(block)) for name, block in blocks.items())
        return
    # Not forked: the parent has threads (progress, numba) whose locks a copy would inherit.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(jobs, len(blocks)), context, _end_with_parent) as pool:
        running = {pool.submit(simulate, dict(block)): name for name, block in blocks.items()}
        try:
            yield from ((running[future], future.result()) for future in as_completed(running))
        except BrokenProcessPool as error:
            raise DoesNotFitError(
                "worker-died", "a process was killed; finished points are kept", where="whatif",
                hints=["take fewer --jobs", "run it where there is more memory", "run it again to go on"],
            ) from error  # fmt: skip
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def on_cluster(blocks: Blocks, address: str) -> Iterator[tuple[str, Plain]]:
    """Results as they come, from the workers of a dask scheduler; work of a lost worker is given to others.

    Raises:
        ToolMissingError: dask.distributed is not installed.
        InputError: nobody answers at the address.
        DoesNotFitError: a point took several workers down.
    """
    if find_spec("distributed") is None:
        raise ToolMissingError(
            "no-dask", "dask.distributed is not installed", where="whatif", hints=["pip install 'sttest[cluster]'"]
        )
    import distributed

    try:
        client = distributed.Client(address, timeout=_CONNECT_S)
    except (OSError, ValueError) as error:
        told = " ".join(str(error).split())
        hints = ["start one with 'dask scheduler'", "give its address, as in tcp://host:8786"]
        raise InputError("no-scheduler", f"no dask scheduler answers ({told})", where=address, hints=hints) from error
    with client:
        _await_a_worker(client, address)
        here = program_hash()
        running = {
            client.submit(simulate_block_of, dict(block), here, key=f"sttest-{name}"): name
            for name, block in blocks.items()
        }
        try:
            yield from _results(distributed.as_completed(running), running)
        except distributed.KilledWorker as error:
            hints = ["give the workers more memory", "run it again to go on"]
            raise DoesNotFitError("worker-died", "a point took several workers down", where="whatif", hints=hints) \
                from error  # fmt: skip


def _await_a_worker(client: Any, address: str) -> None:
    try:
        client.wait_for_workers(1, timeout=_CONNECT_S)
    except TimeoutError as error:
        hints = [f"start one with 'dask worker {address}'"]
        raise InputError("no-workers", "the scheduler has no workers", where=address, hints=hints) from error


def simulate_block_of(block: Mapping[str, Any], program: str) -> Plain:
    """:func:`simulate_block` on a machine that may have another version of the program: then it refuses."""
    if program_hash() != program:
        error = InputError("other-version", "a worker has another version of sttest", where="cluster",
                           hints=["install the same version everywhere"])  # fmt: skip
        return {"failed": {**error.to_dict(), "exit_code": error.exit_code}, "wall_s": 0.0}
    return simulate_block(block)


def _results(finished: Iterable[Any], names: Mapping[Any, str]) -> Iterator[tuple[str, Plain]]:
    for future in finished:
        yield names[future], future.result()


def _end_with_parent() -> None:
    """A process whose parent was killed would wait for work for ever."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
