"""Caches of small designs in slices, as those of large ones are: tests of small ones would see whole tokens only."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from sttest.compile.channels.memory_ports import PortDemand
from sttest.compile.passes import assign_channels as module


def slice_caches(monkeypatch: pytest.MonkeyPatch, slices: int) -> None:
    """Gives what can be cut, and is no parameter, so many channels."""
    chosen = module.assign_channels

    def assigned(demands: Sequence[PortDemand], *others: object) -> dict[str, tuple[int, ...]]:
        found = dict(chosen(demands, *others))  # type: ignore[arg-type]
        cut = [each.name for each in demands if each.most_slices >= slices and not each.parameters and not each.writes]
        return found | dict.fromkeys(cut, tuple(range(slices)))

    monkeypatch.setattr(module, "assign_channels", assigned)
