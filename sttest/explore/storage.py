"""A search in a database: batches of points that any number of processes take from, and what became of them.

The database is Optuna's, so that its tools can look in.  A trial is a slot of the search that is finished, written in
one transaction: *complete* is what was simulated, *pruned* what was bounded or refused.  Who is at the others is in a
table beside (:mod:`sttest.explore.storage`).  Should two processes judge the same slot, because one was taken for lost,
both come to the same, and the first one counts.
"""

import json
import os
import socket
import uuid
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sttest.core.errors import InputError, ToolMissingError
from sttest.explore import assumptions
from sttest.explore.evaluate import Evaluation
from sttest.explore.objectives import Objective
from sttest.explore.proposals import Tried
from sttest.explore.space import Domain, Point

if TYPE_CHECKING:
    from optuna import Study
    from optuna.distributions import BaseDistribution
    from optuna.trial import FrozenTrial
    from sqlalchemy.engine import Engine


# --- Who is at what: a table beside Optuna's in which every thing has one owner at a time, whatever database holds it


class Claims:
    """What processes of one search have taken on.

    Args:
        engine: SQLAlchemy engine of the database.
        search: name of the search in it.
    """

    def __init__(self, engine: "Engine", search: str) -> None:
        from sqlalchemy import Column, DateTime, MetaData, String, Table

        self.me = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        self._engine, self._search = engine, search
        tables = MetaData()
        self._table = Table(
            "sttest_claims", tables,
            Column("search", String(255), primary_key=True), Column("what", String(32), primary_key=True),
            Column("owner", String(255), nullable=False), Column("since", DateTime, nullable=False),
        )  # fmt: skip
        tables.create_all(engine)

    def take(self, wanted: Sequence[str], at_once: Callable[[int, int], int]) -> list[str]:
        """Takes on the first of some things that no living process is at, in one transaction.

        Args:
            wanted: things that are not done, best first.
            at_once: function from the free points and the number of other workers to the number of points to take.

        Returns:
            What is now this process's; empty also if another was faster.
        """
        from sqlalchemy import delete, insert, select
        from sqlalchemy.exc import IntegrityError

        table = self._table
        these = (table.c.search == self._search) & table.c.what.in_(wanted)
        try:
            with self._engine.begin() as connection:
                held = {
                    row.what: row.owner
                    for row in connection.execute(select(table).where(these))
                    if self._is_held(row.owner, row.since)
                }
                free = [what for what in wanted if what not in held]
                taken = free[: at_once(len(free), len(set(held.values())))]
                if taken:
                    connection.execute(delete(table).where(these & table.c.what.in_(taken)))
                    own = {"search": self._search, "owner": self.me, "since": datetime.now()}
                    connection.execute(insert(table), [{**own, "what": what} for what in taken])
        except IntegrityError:
            return []
        return taken

    def _is_held(self, owner: str, since: datetime) -> bool:
        """Whether another process is still at it."""
        return owner != self.me and not _is_gone(owner, since)


def _is_gone(owner: str, since: datetime) -> bool:
    """Whether a process has ended; on another machine, whether it has had far more time than it could need.

    What this very process began before, under another name, it has ended.
    """
    host, process, _ = owner.rsplit(":", 2)
    if host != socket.gethostname():
        return (datetime.now() - since).total_seconds() > assumptions.LOST_AFTER_S
    if int(process) == os.getpid():
        return True
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


_POINTS, _SLOT = "points of batch ", "slot "


def require_optuna() -> None:
    """Refuses to go on without Optuna.

    Raises:
        ToolMissingError: it is not installed.
    """
    if find_spec("optuna") is None:
        raise ToolMissingError(
            "no-optuna", "optuna is not installed", where="explore", hints=["pip install 'sttest[search]'"]
        )


class SearchStorage:
    """One search in a database.

    Args:
        url: URL of the database, or the path of an SQLite file.
        name: name of the search in the database.
        definition: definition of the search; plain data.
        space, objectives: space and objectives of the search.
        resume: whether the search may be there already.

    Raises:
        InputError: it is there and should not be, is another's, or the database can't be opened.
    """

    def __init__(
        self, url: str, name: str, definition: Mapping[str, Any], space: Sequence[Domain],
        objectives: Sequence[Objective], *, resume: bool,
    ) -> None:  # fmt: skip
        self.name, self._space, self._url = name, space, url
        self._tried: dict[int, Tried] = {}
        self._points: dict[int, list[Point]] = {}
        with naming_storage(url, *_OF_FOREIGN_ROWS):
            self._study, engine = _open(url, name, objectives)
            self._claims = Claims(engine, name)
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
                hints=["name another file with --storage", "ask for the same again"],
            )  # fmt: skip
        if not resume:
            raise InputError(
                "search-exists", "this search has been begun", where=f"{url}: {self.name}",
                hints=["go on or join in with --resume", "name another file with --storage"],
            )  # fmt: skip

    def tried(self) -> dict[int, Tried]:
        """Finished points by slot, as they are now.

        Raises:
            InputError: the database holds what no search wrote.
        """
        found: dict[int, Tried] = {}
        with naming_storage(self._url, *_OF_FOREIGN_ROWS):
            for trial in self._study.get_trials(deepcopy=False):
                if trial.state.is_finished() and "slot" in trial.user_attrs:
                    found.setdefault(trial.user_attrs["slot"], self._tried_as(trial))
        return found

    def _tried_as(self, trial: "FrozenTrial") -> Tried:
        if trial.number not in self._tried:
            evaluation = Evaluation.from_dict(trial.user_attrs["evaluation"])
            self._tried[trial.number] = Tried(trial.user_attrs["slot"], trial.user_attrs["point"], evaluation)
        return self._tried[trial.number]

    def points(self, batch: int) -> list[Point] | None:
        """The points of a batch; None if nobody has proposed it yet."""
        if batch not in self._points:
            said = self._study.user_attrs
            self._points |= {
                int(key[len(_POINTS) :]): points for key, points in said.items() if key.startswith(_POINTS)
            }
        return self._points.get(batch)

    def may_propose(self, batch: int) -> bool:
        """Whether this process is the one that proposes a batch."""
        return bool(self._claims.take([f"batch {batch}"], lambda free, _others: free))

    def add(self, batch: int, points: Sequence[Point]) -> None:
        """Adds the points of a batch for whoever takes them."""
        self._points[batch] = [dict(point) for point in points]
        self._study.set_user_attr(f"{_POINTS}{batch}", self._points[batch])

    def take(self, slots: Sequence[int]) -> list[int]:
        """The first few of some slots that nobody else is at, for this process alone."""
        if not slots:
            return []
        return [
            int(what.removeprefix(_SLOT)) for what in self._claims.take([f"{_SLOT}{slot}" for slot in slots], _at_once)
        ]

    def finish(self, tried: Tried, values: Sequence[float], began: datetime) -> None:
        """Writes down what became of a slot, in one transaction; from then on it is never lost."""
        from optuna.distributions import CategoricalDistribution
        from optuna.trial import TrialState, create_trial

        shown: dict[str, BaseDistribution] = {
            domain.name: CategoricalDistribution(domain.choices) for domain in self._space if len(domain.choices) > 1
        }
        simulated = tried.evaluation.status == "simulated"
        trial = create_trial(
            state=TrialState.COMPLETE if simulated else TrialState.PRUNED,
            values=list(values) if simulated else None,
            params={name: tried.point[name] for name in shown}, distributions=shown,
            user_attrs={
                "slot": tried.slot, "point": dict(tried.point), "owner": self._claims.me,
                "evaluation": tried.evaluation.to_dict(),
            },
        )  # fmt: skip
        trial.datetime_start = began
        self._study.add_trial(trial)


def _at_once(free: int, others: int) -> int:
    """A claim costs a transaction, and slots that wait for one process are not another's."""
    return min(assumptions.MOST_AT_ONCE, -(-free // (2 * (others + 1))))


def _open(url: str, name: str, objectives: Sequence[Objective]) -> "tuple[Study, Engine]":
    import optuna
    from optuna.study import StudyDirection

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    address = database_url(url)
    is_sqlite = address.startswith("sqlite")
    options = {"connect_args": {"timeout": assumptions.BUSY_TIMEOUT_S}} if is_sqlite else {}
    storage = optuna.storages.RDBStorage(address, engine_kwargs=options)
    if is_sqlite:
        _lock_first(storage.engine)
    study = optuna.create_study(
        storage=storage, study_name=name,
        directions=[StudyDirection.MAXIMIZE if each.maximize else StudyDirection.MINIMIZE for each in objectives],
        load_if_exists=True,
        sampler=optuna.samplers.RandomSampler(0),
    )  # fmt: skip
    return study, storage.engine


_OF_FOREIGN_ROWS = (
    RuntimeError, ImportError, ValueError, TypeError, LookupError, AttributeError, AssertionError, OverflowError,
)  # fmt: skip
"""What SQLAlchemy, Optuna and readers of rows raise where a database holds what no search wrote."""


@contextmanager
def naming_storage(url: str, *others: type[Exception]) -> Generator[None]:
    """Errors of a database, which may be none, be locked or lie on a full disk, say which it is.

    Args:
        url: the database.
        others: errors that are taken for such, too.

    Raises:
        InputError: in place of an error of the database.
    """
    from optuna.exceptions import StorageInternalError
    from sqlalchemy.exc import SQLAlchemyError

    try:
        yield
    except (SQLAlchemyError, StorageInternalError, *others) as error:
        cause = error.__cause__ if isinstance(error, StorageInternalError) and error.__cause__ else error
        told = " ".join(str(cause).partition("[SQL:")[0].split())[:200]
        hints = ["name another with --storage", "check that the disk has space and go on with --resume"]
        raise InputError("bad-storage", f"the database of searches fails ({told})", where=url, hints=hints) from error


def _lock_first(engine: "Engine") -> None:
    """Makes every transaction take SQLite's lock before it reads.

    Whoever claims something reads who has it and then writes; Optuna numbers trials the same way, with a row lock that
    SQLite does not have (SQLAlchemy's page on SQLite has the recipe).
    """
    from sqlalchemy import event

    engine.dispose()
    event.listen(engine, "connect", lambda connection, _record: setattr(connection, "isolation_level", None))
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))


def database_url(storage: str) -> str:
    """The URL of a storage that is given as a URL or as the path of an SQLite file."""
    return storage if "://" in storage else f"sqlite:///{Path(storage).resolve()}"
