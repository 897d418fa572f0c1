"""Work in several processes: the one way in which sizing, searches, studies and tables use more than one core."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.connection import wait
from typing import Any, TypeVar

from sttest.core.children import safe_path
from sttest.core.errors import DoesNotFitError
from sttest.core.progress import suggester

Key = TypeVar("Key")
Given = TypeVar("Given")
Result = TypeVar("Result")


class _CountedPool(ProcessPoolExecutor):
    """A pool that says how many of its tasks are done where nobody says more."""

    _asked = _done = 0

    def submit(self, fn: Callable[..., Result], /, *args: Any, **kwargs: Any) -> Future[Result]:
        """See :class:`concurrent.futures.Executor`."""
        suggest = suggester()  # here, for the thread that notices the end belongs to nobody
        future = super().submit(fn, *args, **kwargs)
        self._asked += 1

        def count(_: Future[Result]) -> None:
            self._done += 1
            suggest(f"{self._done} of {self._asked} parts")

        future.add_done_callback(count)
        return future


@contextmanager
def process_pool(
    jobs: int,
    where: str = "processes",
    start: Callable[..., object] | None = None,
    arguments: tuple[Any, ...] = (),
    *,
    resume: str = "run it again to go on",
) -> Generator[ProcessPoolExecutor]:
    """A pool whose processes end with their parent, and with the ``with`` block if an exception leaves it.

    Args:
        jobs: number of processes.
        where: name of the work in errors.
        start: called with ``arguments`` in each process before its first task.
        arguments: arguments of ``start``.
        resume: hint on how to go on after a process was killed.

    Raises:
        DoesNotFitError: a process was killed, as the system does when memory runs out.
    """
    others = set(multiprocessing.active_children())
    with safe_path():  # the pool itself starts one that is Python, which tracks its locks
        # Not forked: the parent has threads (progress, numba) whose locks a copy would inherit.
        pool = _CountedPool(jobs, multiprocessing.get_context("spawn"), _begin, (start, arguments))
    try:
        with safe_path():
            yield pool
            pool.shutdown()
    except BrokenProcessPool as error:
        raise DoesNotFitError(
            "worker-died",
            "a process was killed; finished points are kept",
            where=where,
            hints=["take fewer --jobs", "run it where there is more memory", resume],
        ) from error
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()


def run_all(
    function: Callable[[Given], Result], work: Mapping[Key, Given], jobs: int, where: str = "processes"
) -> Generator[tuple[Key, Result]]:
    """Results by key as they finish, from ``jobs`` processes; from this one if one is enough.

    Args:
        function: defined at the top of a module.
        work: argument of each call, by the key of its result.
        jobs: processes at a time.
        where: name of the work in errors.

    Raises:
        DoesNotFitError: a process was killed.
    """
    if jobs == 1 or len(work) <= 1:
        suggest = suggester()
        for done, (key, given) in enumerate(work.items()):
            suggest(f"{done} of {len(work)} parts")
            yield key, function(given)
        return
    with process_pool(min(jobs, len(work)), where) as pool:
        running = {pool.submit(function, given): key for key, given in work.items()}
        for future in as_completed(running):
            yield running[future], future.result()


def _begin(start: Callable[..., object] | None, arguments: tuple[Any, ...]) -> None:
    """Ends silently on Ctrl-C, which the parent reports; a process whose parent was killed would wait for ever."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    if start is not None:
        start(*arguments)
