"""A search in a database: batches of points that any number of processes take from, and what became of them.

The database is Optuna's, so that its tools can look in.  A trial is a slot of the search with its point, added as
*waiting*; a process that takes one makes it *running*, which the database grants to one process only; when it is done
it is *complete* (simulated) or *pruned* (bounded or refused).  *Failed* are trials whose process was lost, and doubles;
their slot is added again.  Should two processes add the same slot, both add the same point, and the first one counts.
"""

from __future__ import annotations

import json
import os
import socket
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sttest.errors import InputError, ToolMissingError
from sttest.explore.evaluate import Evaluation
from sttest.explore.objectives import Objective
from sttest.explore.proposals import Tried
from sttest.explore.space import Domain, Point

if TYPE_CHECKING:
    from optuna import Study
    from optuna.distributions import BaseDistribution
    from optuna.trial import FrozenTrial, Trial
    from sqlalchemy.engine import Engine

# A process on another machine is taken for lost after this; a design takes seconds.
_LOST_AFTER_S = 900
# From taking a trial to having one's name on it; taken too early for lost, it is judged twice, to the same end.
_NAMELESS_AFTER_S = 5
_PROPOSED_AFTER_S = 60
# Processes that share an SQLite file wait for each other this long.
_BUSY_TIMEOUT_S = 120


def require_optuna() -> None:
    """Refuses to go on without Optuna.

    Raises:
        ToolMissingError: it is not installed.
    """
    if find_spec("optuna") is None:
        raise ToolMissingError(
            "no-optuna", "optuna is not installed", where="explore", levers=["pip install 'sttest[search]'"]
        )


@dataclass(frozen=True)
class View:
    """A search at one moment.

    Attributes:
        tried: finished points by slot.
        first: the number of the trial that counts, for all slots that wait, run or are finished.
        waits: whether there is one to take.
    """

    tried: dict[int, Tried]
    first: dict[int, int]
    waits: bool


class SearchStorage:
    """One search in a database.

    Args:
        url: of the database, or the path of an SQLite file.
        name: of the search in it.
        definition: what the search is; plain data.
        space, objectives: of the search.
        resume: whether the search may be there already.

    Raises:
        InputError: it is there and should not be, is another's, or the database can't be opened.
    """

    def __init__(
        self, url: str, name: str, definition: Mapping[str, Any], space: Sequence[Domain],
        objectives: Sequence[Objective], *, resume: bool,
    ) -> None:  # fmt: skip
        self.name, self._space = name, space
        self._study = _open(url, name, objectives)
        self._tried: dict[int, Tried] = {}
        self._me = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        self._claim(json.loads(json.dumps(definition)), url, resume=resume)

    def _claim(self, definition: dict[str, Any], url: str, *, resume: bool) -> None:
        stored = self._study.user_attrs.get("definition")
        if stored is None:
            self._study.set_user_attr("definition", definition)
            return
        changed = sorted(key for key in {*stored, *definition} if stored.get(key) != definition.get(key))
        if changed:
            raise InputError(
                "other-search", f"a search of this name differs in {', '.join(changed)}", where=f"{url}: {self.name}",
                levers=["name another file with --storage", "ask for the same again"],
            )  # fmt: skip
        if not resume:
            raise InputError(
                "search-exists", "this search has been begun", where=f"{url}: {self.name}",
                levers=["go on or join in with --resume", "name another file with --storage"],
            )  # fmt: skip

    def view(self) -> View:
        """The search as it is now, read at once."""
        from optuna.trial import TrialState

        first: dict[int, FrozenTrial] = {}
        for trial in self._study.get_trials(deepcopy=False):
            if trial.state != TrialState.FAIL and "slot" in trial.user_attrs:
                first.setdefault(trial.user_attrs["slot"], trial)
        tried = {slot: self._tried_as(trial) for slot, trial in first.items() if trial.state.is_finished()}
        waits = any(trial.state == TrialState.WAITING for trial in first.values())
        return View(tried, {slot: trial.number for slot, trial in first.items()}, waits)

    def _tried_as(self, trial: FrozenTrial) -> Tried:
        if trial.number not in self._tried:
            evaluation = Evaluation.from_dict(trial.user_attrs["evaluation"])
            self._tried[trial.number] = Tried(trial.user_attrs["slot"], trial.user_attrs["point"], evaluation)
        return self._tried[trial.number]

    def add(self, slot: int, point: Point) -> None:
        """Adds a slot's point for whoever takes it."""
        from optuna.distributions import CategoricalDistribution
        from optuna.trial import TrialState, create_trial

        shown: dict[str, BaseDistribution] = {
            domain.name: CategoricalDistribution(domain.choices) for domain in self._space if len(domain.choices) > 1
        }
        params = {name: point[name] for name in shown}
        attributes = {"slot": slot, "point": dict(point)}
        self._study.add_trial(
            create_trial(state=TrialState.WAITING, params=params, distributions=shown, user_attrs=attributes)
        )

    def take(self, view: View) -> Trial | None:
        """A waiting trial, for this process alone; None if there is none."""
        from optuna.trial import TrialState

        if not view.waits:
            return None
        trial = self._study.ask()
        slot = trial.user_attrs.get("slot")
        if slot is not None and slot not in view.first:
            view = self.view()
        if slot is None or view.first[slot] != trial.number:
            # Another process was faster, or added the same slot before.
            self._study.tell(trial, state=TrialState.FAIL)
            return None
        trial.set_user_attr("owner", self._me)
        return trial

    def finish(self, trial: Trial, evaluation: Evaluation, values: Sequence[float]) -> None:
        """Writes down what became of a trial; from then on it is never lost."""
        from optuna.exceptions import UpdateFinishedTrialError

        try:
            trial.set_user_attr("evaluation", {**evaluation.to_dict(), "values": list(values)})
        except UpdateFinishedTrialError:
            return  # this process was taken for lost, and its slot is another's
        self._tell(trial.number, evaluation.status, values)

    def free_lost(self) -> None:
        """Frees the slots of processes that are gone; what they had written down is kept."""
        from optuna.trial import TrialState

        for trial in self._study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
            if not self._is_lost(trial):
                continue
            written = trial.user_attrs.get("evaluation")
            if written is not None:
                self._tell(trial.number, written["status"], written["values"])
            else:
                self._study.tell(trial.number, state=TrialState.FAIL, skip_if_finished=True)

    def may_propose(self, batch: int) -> bool:
        """Whether no living process has said that it proposes a batch; then this one says so."""
        key, now = f"proposer.{batch}", datetime.now()
        said = self._study.user_attrs.get(key)
        if said is not None and said["by"] != self._me:
            since = datetime.fromisoformat(said["at"])
            if not _is_gone(said["by"], since) and (now - since).total_seconds() < _PROPOSED_AFTER_S:
                return False
        self._study.set_user_attr(key, {"by": self._me, "at": now.isoformat()})
        return True

    def _tell(self, number: int, status: str, values: Sequence[float]) -> None:
        from optuna.trial import TrialState

        if status == "simulated":
            self._study.tell(number, list(values), skip_if_finished=True)
        else:
            self._study.tell(number, state=TrialState.PRUNED, skip_if_finished=True)

    def _is_lost(self, trial: FrozenTrial) -> bool:
        began = trial.datetime_start or datetime.now()
        owner = trial.user_attrs.get("owner")
        if owner is None:
            return (datetime.now() - began).total_seconds() > _NAMELESS_AFTER_S
        return owner != self._me and _is_gone(owner, began)


def _is_gone(owner: str, since: datetime) -> bool:
    """Whether a process has ended; on another machine, whether it has had far more time than it could need.

    What this very process began before, under another name, it has ended.
    """
    host, process, _ = owner.rsplit(":", 2)
    if host != socket.gethostname():
        return (datetime.now() - since).total_seconds() > _LOST_AFTER_S
    if int(process) == os.getpid():
        return True
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def _open(url: str, name: str, objectives: Sequence[Objective]) -> Study:
    import optuna
    from optuna.study import StudyDirection
    from sqlalchemy.exc import SQLAlchemyError

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    address = database_url(url)
    is_sqlite = address.startswith("sqlite")
    options = {"connect_args": {"timeout": _BUSY_TIMEOUT_S}} if is_sqlite else {}
    try:
        storage = optuna.storages.RDBStorage(address, engine_kwargs=options)
        if is_sqlite:
            _lock_first(storage.engine)
        return optuna.create_study(
            storage=storage, study_name=name,
            directions=[StudyDirection.MAXIMIZE if each.maximise else StudyDirection.MINIMIZE for each in objectives],
            load_if_exists=True,
            sampler=optuna.samplers.RandomSampler(0),
        )  # fmt: skip
    except (SQLAlchemyError, RuntimeError, ImportError) as error:
        told = " ".join(str(error).split())[:200]
        raise InputError(
            "bad-storage", f"not a database of searches ({told})", where=url, levers=["name another with --storage"]
        ) from error


def _lock_first(engine: Engine) -> None:
    """Makes every transaction take SQLite's lock before it reads.

    Optuna grants a trial by reading its state and then writing it, with a row lock that SQLite does not have: without
    this, two processes can be granted the same trial (SQLAlchemy's page on SQLite has the recipe).
    """
    from sqlalchemy import event

    engine.dispose()
    event.listen(engine, "connect", lambda connection, _record: setattr(connection, "isolation_level", None))
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))


def database_url(storage: str) -> str:
    """The URL of a storage that is given as a URL or as the path of an SQLite file."""
    return storage if "://" in storage else f"sqlite:///{Path(storage).resolve()}"
