import csv

import pytest
from sim_graphs import STREAMHLS

from sttest.targets.rtl import drive


def streamhls_rows() -> list[dict[str, str]]:
    with (STREAMHLS / "expected.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def quick_build(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twins that run for seconds need no optimiser, whose time is a third of a build."""
    monkeypatch.setattr(drive, "_MAKE", tuple(word.replace("-O1", "-O0") for word in drive._MAKE))
