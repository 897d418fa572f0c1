"""What tests of emitted C++ share."""

from __future__ import annotations

import pytest

from sttest.targets.csim import build


@pytest.fixture
def quick_build(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels that run for microseconds need no optimizer, whose time is most of a build."""
    flags = tuple("-O0" if flag == "-O2" else flag for flag in build.FLAGS)
    monkeypatch.setattr(build, "FLAGS", flags)
