import pytest

from sttest.targets.rtl import drive


@pytest.fixture
def quick_build(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twins that run for seconds need no optimizer, whose time is a third of a build."""
    monkeypatch.setattr(drive, "_MAKE", tuple(word.replace("-O1", "-O0") for word in drive._MAKE))
