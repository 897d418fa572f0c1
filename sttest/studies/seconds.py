"""Seconds that commands took where they were measured, without points of earlier runs."""

from functools import cache

from sttest.core.files import read_csv
from sttest.core.numbers import real
from sttest.studies.folders import studies
from sttest.studies.tables import ALL, programs
from sttest.studies.whatif.study import STUDIES

__depends__ = ()  # seconds are no part of a result

SECONDS = STUDIES / "seconds.csv"
COLUMNS = ("command", "seconds", "source")


@cache
def command_seconds() -> dict[str, float]:
    """Seconds by command, such as ``sttest reproduce gpt2``; of ``all`` the sum, once all of its parts are known."""
    found = {row["command"]: real(row["seconds"]) for row in read_csv(SECONDS, COLUMNS)}
    found |= {study.command: study.seconds for study in studies().values()}
    parts = [found.get(f"sttest reproduce {name}") for name in programs()]
    known = [each for each in parts if each is not None]
    return found | ({f"sttest reproduce {ALL}": sum(known)} if len(known) == len(parts) else {})


def usual_seconds(command: str) -> float | None:
    """Seconds of a command; None where it was not measured."""
    return command_seconds().get(command)
