"""Who is at what: a table beside Optuna's in which every thing has one owner at a time, whatever database holds it."""

from __future__ import annotations

import os
import socket
import uuid
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy.engine import Engine

# A process on another machine is taken for lost after this; a design takes seconds.
_LOST_AFTER_S = 900


class Claims:
    """What processes of one search have taken on.

    Args:
        engine: of the database.
        search: name of the search in it.
    """

    def __init__(self, engine: Engine, search: str) -> None:
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
            at_once: how many to take, of how many that are free and how many other processes are at the rest.

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
