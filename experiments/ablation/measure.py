"""One design of an ablation, or the designs of its kernels: compiled, simulated, weighed, in whatever process."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from experiments.ablation.buffers import attention_bytes
from experiments.ablation.kernels import designs_of
from experiments.whatif.block import block_text
from experiments.whatif.bounds import moved_bytes
from sttest.boards.resources import KINDS, Resources, total
from sttest.compile.pipeline import Knobs
from sttest.compile.resources.design import design_resources, die_of
from sttest.errors import DoesNotFitError, InputError, SttestError
from sttest.models.export import linalg_text
from sttest.models.program import Phase
from sttest.models.registry import model_config
from sttest.sim import simulate

Plain = dict[str, Any]
_REFUSALS = (InputError, DoesNotFitError)


def measure(key: Mapping[str, Any]) -> Plain:
    """Compiles and simulates.

    Args:
        key: of a :class:`experiments.ablation.points.Candidate`.

    Returns:
        Plain data: ``cycles`` and ``moved_bytes`` of one launch of every kernel, the ``attention_bytes`` that they
        buffer, ``kernels``, ``clock_mhz``, and the shares of the board's budget that all kernels and the ``largest``
        one take; or ``refused``, why there is no
        such design; or ``failed``, an error that is not its own.  ``wall_s`` is what it took.
    """
    began = time.perf_counter()
    try:
        found = _measured(key)
    except _REFUSALS as error:
        found = {"refused": error.to_dict()}
    except SttestError as error:
        # Errors do not travel between processes by themselves.
        found = {"failed": {**error.to_dict(), "exit_code": error.exit_code}}
    return {**found, "wall_s": round(time.perf_counter() - began, 4)}


def _measured(key: Mapping[str, Any]) -> Plain:
    text = _text(key["model"], key["phase"], key["tokens"], key["context"], key["head"])
    # Keys may have been through JSON, which has no tuples.
    given: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in key["knobs"].items()
    }
    knobs = Knobs(**given)
    cycles = moved = buffered = 0
    taken: list[Resources] = []
    clock_mhz = 0.0
    for design in designs_of(text, key["board"], knobs, key["cut"], key["lanes"]):
        run = simulate(design.graph, engine=key["engine"])
        if run.cycles is None:
            raise AssertionError(f"{design.name}: the sized design deadlocks: {run.to_text()}")
        cycles += run.cycles
        moved += moved_bytes(design.graph)
        buffered += attention_bytes(design)
        budget = total(die_of(design.board).budgets)
        taken.append(design_resources(design).total.shares_of(budget))
        clock_mhz = design.graph.clock_mhz
    return {
        "cycles": cycles, "moved_bytes": moved, "attention_bytes": buffered, "kernels": len(taken),
        "clock_mhz": clock_mhz,
        "shares": _plain(total(taken)), "largest": {kind: max(getattr(each, kind) for each in taken) for kind in KINDS},
    }  # fmt: skip


def _text(model: str, phase: Phase, tokens: int, context: int, head: bool) -> str:
    if head:
        return linalg_text(model_config(model), phase, tokens, context, head=True)
    return block_text(model, phase, tokens, context)


def _plain(shares: Resources) -> dict[str, float]:
    return {kind: getattr(shares, kind) for kind in KINDS}
