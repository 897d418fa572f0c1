"""A search: processes that propose batches, take points from them and judge them, until all are finished."""

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sttest.core.processes import process_pool
from sttest.explore import assumptions
from sttest.explore.evaluate import Evaluator
from sttest.explore.objectives import Losses, Objective, Target, objectives_of, pareto_set
from sttest.explore.proposals import BATCH, LAG, Tried, propose
from sttest.explore.space import Domain, Point, space_of
from sttest.explore.storage import SearchStorage

Watch = Callable[[dict[int, Tried]], None]


@dataclass(frozen=True)
class Search:
    """What is searched; plain data, so that processes can be handed it."""

    target: Target  # the block
    objectives: tuple[str, ...]  # names
    only: tuple[tuple[str, tuple[str, ...]], ...]  # other choices for some options, ``(name, values)``
    seed: int  # seed of all random numbers
    check_resources: bool  # refuse what does not fit the board
    storage: str  # URL of a database, or path of an SQLite file
    program: str  # identifies the version of the program whose numbers these are

    @property
    def name(self) -> str:
        """Name of the search in the database."""
        return f"{self.target.name}-{'+'.join(self.objectives)}-seed{self.seed}"

    @property
    def chosen(self) -> tuple[Objective, ...]:
        """The objectives."""
        return objectives_of(self.objectives, self.target)

    @property
    def definition(self) -> dict[str, Any]:
        """What has to be the same for two processes to work on the same search."""
        return {key: value for key, value in asdict(self).items() if key != "storage"}

    def evaluator(self) -> Evaluator:
        """An evaluator that judges its designs."""
        return Evaluator(self.target, self.chosen, check_resources=self.check_resources)

    def space(self, evaluator: Evaluator) -> tuple[Domain, ...]:
        """Options of the search.

        Raises:
            InputError: an option or value that is not there.
        """
        return space_of(evaluator.facts(self.target.base), dict(self.only))


class Worker:
    """One process's part in a search.

    Raises:
        InputError: a space, an objective or a storage that is not possible.
    """

    def __init__(self, search: Search, *, resume: bool) -> None:
        self._search = search
        self._evaluator = search.evaluator()
        self._space = search.space(self._evaluator)
        self.storage = SearchStorage(
            search.storage, search.name, search.definition, self._space, search.chosen, resume=resume
        )
        self._known: dict[int, tuple[Losses, ...]] = {}

    def work(self, trials: int, watch: Watch) -> None:
        """Judges points until the first ``trials`` are finished.

        Args:
            trials: slots of the search, those of earlier runs included.
            watch: callback that gets all finished points before each batch.
        """
        tried = self.storage.tried()
        with _few_collections():
            while True:
                watch(tried)
                if all(slot in tried for slot in range(trials)):
                    return
                waiting = self._waiting(trials, tried)
                taken = self.storage.take(self._in_order(waiting))
                # A process may have finished something and ended since it was looked at.
                tried = self.storage.tried()
                self._evaluator.remember(each.evaluation for each in tried.values())
                for slot in taken:
                    if slot not in tried:
                        tried[slot] = self._judge(slot, waiting[slot], tried)
                if not taken:
                    time.sleep(assumptions.POLL_S)

    def _in_order(self, waiting: dict[int, Point]) -> list[int]:
        """The eldest batch first, for others wait for it; of a batch, what was tiled here before."""
        return sorted(waiting, key=lambda slot: (slot // BATCH, not self._evaluator.has_tiled(waiting[slot]), slot))

    def _waiting(self, trials: int, tried: dict[int, Tried]) -> dict[int, Point]:
        """What is not finished of the batches whose turn it is, by slot; batches that are not there are proposed."""
        found: dict[int, Point] = {}
        for batch in range(-(-trials // BATCH)):
            slots = range(batch * BATCH, min(trials, (batch + 1) * BATCH))
            if any(slot not in tried for slot in _past(batch)):
                break
            if any(slot not in tried for slot in slots):
                points = self._points(batch, tried)
                found |= {slot: points[slot - slots[0]] for slot in slots if points and slot not in tried}
        return found

    def _points(self, batch: int, tried: dict[int, Tried]) -> Sequence[Point]:
        """A batch's points; none while another process proposes them."""
        points = self.storage.points(batch)
        if points is None and self.storage.may_propose(batch):
            known = [tried[slot] for slot in _past(batch)]
            points = propose(self._space, len(self._search.objectives), self._search.seed, batch, known)
            self.storage.add(batch, points)
        return points or ()

    def _judge(self, slot: int, point: Point, tried: dict[int, Tried]) -> Tried:
        began = datetime.now()
        evaluation = self._evaluator.evaluate(point, self._known_to(slot // BATCH, tried))
        judged = Tried(slot, point, evaluation)
        values = [evaluation.figures[each.metric] for each in self._search.chosen if evaluation.figures]
        self.storage.finish(judged, values, began)
        return judged

    def _known_to(self, batch: int, tried: dict[int, Tried]) -> tuple[Losses, ...]:
        """The best of what a batch may know: bounds prune the same points whoever is faster."""
        if batch not in self._known:
            past = [tried[slot].evaluation for slot in _past(batch)]
            losses = [each.losses for each in past if each.status == "simulated"]
            self._known[batch] = tuple(losses[position] for position in pareto_set(losses))
        return self._known[batch]


@contextmanager
def _few_collections() -> Iterator[None]:
    """Collects garbage seldom, and never looks for it in what is there already: libraries, the parsed block."""
    before = gc.get_threshold()
    gc.set_threshold(*assumptions.COLLECT_EVERY)
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)


def _past(batch: int) -> range:
    """Slots of the batches that a batch knows."""
    return range(max(0, batch - LAG + 1) * BATCH)


def run(search: Search, trials: int, jobs: int, watch: Watch, *, resume: bool) -> list[Tried]:
    """Runs a search to its end, or goes on with one.

    Args:
        search: the search.
        trials: points in all.
        jobs: processes; with 1, this one.
        watch: callback that gets the finished points now and then.
        resume: whether the search may have been begun, here or elsewhere.

    Returns:
        All finished points by slot.

    Raises:
        SttestError: bad input, or a process that was killed.
    """
    worker = Worker(search, resume=resume)
    if jobs == 1:
        worker.work(trials, watch)
    else:
        _run_processes(search, worker.storage, trials, jobs, watch)
    found = worker.storage.tried()
    return [found[slot] for slot in range(trials)]


def _run_processes(search: Search, storage: SearchStorage, trials: int, jobs: int, watch: Watch) -> None:
    with process_pool(jobs, "explore", resume="run it again with --resume") as pool:
        running = {pool.submit(_join_in, search, trials) for _ in range(jobs)}
        while running:
            watch(storage.tried())
            ended, running = wait(running, assumptions.WATCH_S, FIRST_COMPLETED)
            for future in ended:
                future.result()


def _join_in(search: Search, trials: int) -> None:
    """One process's part in a search."""
    Worker(search, resume=True).work(trials, lambda _tried: None)
