"""The simulations of a study: stored ones are taken over, the others run in processes or on a cluster, one by one."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Generic, TypeVar

from sttest.core.closure import program_hash
from sttest.core.errors import DoesNotFitError, InputError, SttestError, ToolMissingError
from sttest.core.processes import run_all
from sttest.core.results import PointStore, config_hash

STORES = Path("build/points")

Plain = dict[str, Any]
Simulate = Callable[[Mapping[str, Any]], Plain]
"""A module's function from a full configuration to plain data, in any process."""
Prepare = Callable[[Iterable[Mapping[str, Any]]], None]
"""Makes once what several of these configurations need; raises nothing, for each of them says itself what it lacks."""
Runner = Callable[[Mapping[str, Plain]], Iterable[tuple[str, Plain]]]
"""Configurations by name to results by name, in any order."""
Tell = Callable[[int, int], None]
"""Called with the number of finished simulations and the number of all."""
Point = TypeVar("Point")
Outcome = TypeVar("Outcome")
_CONNECT_S = 15


@dataclass
class Campaign:
    """Distinct simulations, and the results of those that are finished."""

    keys: dict[str, Plain]  # full configuration of each simulation, by its hash
    store: PointStore  # finished simulations
    simulate: Simulate  # simulates one configuration; see :func:`guarded`
    found: dict[str, Plain]  # results by hash
    prepare: Prepare = lambda missing: None  # called with what is missing before any of it is simulated

    @property
    def missing(self) -> dict[str, Plain]:
        """Configurations that are still to be simulated."""
        return {name: key for name, key in self.keys.items() if name not in self.found}

    def finish(self, runner: Runner, tell: Tell = lambda done, total: None) -> None:
        """Simulates what is missing.

        Raises:
            SttestError: an error that is not the point's own; finished points stay stored.
        """
        tell(len(self.found), len(self.keys))
        missing = self.missing
        if missing:
            self.prepare(missing.values())
        for name, result in runner(missing) if missing else ():
            self._keep(name, result)
            tell(len(self.found), len(self.keys))

    def result(self, key: Mapping[str, Any]) -> Plain:
        """The result of a finished configuration."""
        return self.found[config_hash(key)]

    def in_processes(self, jobs: int) -> Runner:
        """A runner with so many processes."""
        return partial(run_all, self.simulate, jobs=jobs, where="whatif")

    def estimate_s(self, jobs: int) -> float | None:
        """Seconds that the missing simulations will take, by those that are stored; None while none is.

        Points of one model and phase are taken to cost the same; the first of a process costs more, for it compiles.
        """
        missing = self.missing
        if not missing:
            return 0.0
        if not self.found:
            return None
        return sum(self._cost_s(key) for key in missing.values()) / min(jobs, len(missing))

    @property
    def processor_s(self) -> float:
        """Seconds of a processor that the finished simulations took, whenever that was."""
        return sum(float(result.get("processor_s", 0.0)) for result in self.found.values())

    def _cost_s(self, key: Mapping[str, Any]) -> float:
        alike = [name for name in self.found if all(self.keys[name][fact] == key[fact] for fact in ("model", "phase"))]
        durations_s = [float(self.found[name]["wall_s"]) for name in alike or self.found]
        return sum(durations_s) / len(durations_s)

    def _keep(self, name: str, result: Plain) -> None:
        if "failed" in result:
            error = _error(result["failed"])
            error.exit_code = result["failed"]["exit_code"]
            raise error
        self.store.save(self.keys[name], result)
        self.found[name] = result


def campaign_of(
    keys: Iterable[Plain], simulate: Simulate, store: PointStore, prepare: Prepare = lambda missing: None
) -> Campaign:
    """The distinct simulations of some configurations, with the results that are stored."""
    by_name = {config_hash(key): key for key in keys}
    stored = {name: store.load(key) for name, key in by_name.items()}
    return Campaign(by_name, store, simulate, {name: found for name, found in stored.items() if found}, prepare)


@dataclass
class StudyRun(Generic[Point, Outcome]):
    """A study or an ablation under way."""

    points: Sequence[Point]  # what it asks for
    campaign: Campaign  # a simulation for each distinct block or design
    outcome: Callable[[int], Outcome]  # outcome of a point by its number, once all simulations are finished

    def run(self, runner: Runner, tell: Tell = lambda done, total: None) -> list[Outcome]:
        """Simulates what is missing and gives the outcome of every point, in order.

        Raises:
            SttestError: an error that is not the point's own; finished points stay stored.
        """
        self.campaign.finish(runner, tell)
        return [self.outcome(number) for number in range(len(self.points))]


def guarded(simulate: Simulate, key: Mapping[str, Any]) -> Plain:
    """Simulates a configuration and returns errors as data, for they do not travel between processes by themselves.

    Returns:
        The simulation's plain data; or ``refused``, why there is no such design; or ``failed``, an error that is not
        the design's own.  ``wall_s`` is what it took, for estimates, ``processor_s`` the same of this process alone.
    """
    began, worked = time.perf_counter(), time.process_time()
    try:
        found = simulate(key)
    except (InputError, DoesNotFitError) as error:
        found = {"refused": error.to_dict()}
    except SttestError as error:
        found = {"failed": {**error.to_dict(), "exit_code": error.exit_code}}
    took = {"wall_s": time.perf_counter() - began, "processor_s": time.process_time() - worked}
    return {**found, **{name: round(seconds, 4) for name, seconds in took.items()}}


def refusal_text(result: Mapping[str, Any]) -> str:
    """Why a result has no design, in words; empty where it has one."""
    return str(_error(result["refused"])) if "refused" in result else ""


def _error(facts: Mapping[str, Any]) -> SttestError:
    known = {name: facts[name] for name in ("where", "demand", "bound", "unit", "hints")}
    return SttestError(facts["code"], facts["what"], **known)


# --- Workers of a dask cluster


def on_cluster(work: Mapping[str, Plain], simulate: Simulate, address: str) -> Iterator[tuple[str, Plain]]:
    """Results as they come from the workers of a dask scheduler; work of a lost worker is given to others.

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
        here = program_hash(simulate.__module__)
        running = {
            client.submit(simulate_there, simulate, key, here, key=f"sttest-{name}"): name for name, key in work.items()
        }
        try:
            for future in distributed.as_completed(running):
                yield running[future], future.result()
        except distributed.KilledWorker as error:
            hints = ["give the workers more memory", "run it again to go on"]
            raise DoesNotFitError(
                "worker-died", "a point took several workers down", where="whatif", hints=hints
            ) from error


def _await_a_worker(client: Any, address: str) -> None:
    try:
        client.wait_for_workers(1, timeout=_CONNECT_S)
    except TimeoutError as error:
        hints = [f"start one with 'dask worker {address}'"]
        raise InputError("no-workers", "the scheduler has no workers", where=address, hints=hints) from error


def simulate_there(simulate: Simulate, key: Mapping[str, Any], program: str) -> Plain:
    """Simulates on a machine that may have another version of the program; then it refuses."""
    if program_hash(simulate.__module__) == program:
        return simulate(key)
    error = InputError(
        "other-version",
        "a worker has another version of sttest",
        where="cluster",
        hints=["install the same version everywhere"],
    )
    return {"failed": {**error.to_dict(), "exit_code": error.exit_code}, "wall_s": 0.0}
