"""One point: a block compiled and simulated from its full configuration, in whatever process or machine."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from experiments.whatif.bounds import bounds, moved_bytes
from experiments.whatif.resources import cycles_by_resource, tile_steps
from sttest.boards.board import FpgaBoard
from sttest.compile.compiler import Design, compile_text
from sttest.compile.ir.stream_level import only_kernel
from sttest.compile.pipeline import Knobs
from sttest.compile.timing.timed_graph import memory_channels
from sttest.errors import DoesNotFitError, InputError, SttestError
from sttest.models.export import linalg_text
from sttest.models.program import Phase
from sttest.models.registry import SMALL, model_config
from sttest.models.shipped import SHIPPED_SHAPES, lowered_text
from sttest.sim import simulate
from sttest.sim.graph import TimedGraph

Plain = dict[str, Any]
_REFUSALS = (InputError, DoesNotFitError)
# Designs that a process keeps: points that differ in what they run on share one.
_KEPT_DESIGNS = 8


def simulate_block(configuration: Mapping[str, Any]) -> Plain:
    """Compiles and simulates one block.

    Args:
        configuration: of :meth:`experiments.whatif.settings.Configuration.to_dict`, with the ``engine``.

    Returns:
        Plain data: cycles, their shares and bounds; or ``refused``, why there is no such block; or ``failed``, an
        error that is not the point's own.  ``wall_s`` is what it took, for estimates.
    """
    began = time.perf_counter()
    try:
        found = _simulated(configuration)
    except _REFUSALS as error:
        found = {"refused": error.to_dict()}
    except SttestError as error:
        # Errors do not travel between processes by themselves.
        found = {"failed": {**error.to_dict(), "exit_code": error.exit_code}}
    return {**found, "wall_s": round(time.perf_counter() - began, 4)}


def _simulated(configuration: Mapping[str, Any]) -> Plain:
    names = ("model", "phase", "tokens", "context", "knobs", "scheme", "design_board")
    design, steps = _design(json.dumps({name: configuration[name] for name in names}, sort_keys=True))
    board = FpgaBoard.model_validate(configuration["board"])
    graph = design.graph if board == design.board else with_memory_of(design, board)
    run = simulate(graph, engine=configuration["engine"], record=True)
    if run.cycles is None:
        raise AssertionError(f"{design.name}: the sized design deadlocks: {run.to_text()}")
    return {
        "cycles": run.cycles,
        "clock_mhz": graph.clock_mhz,
        "resource_cycles": cycles_by_resource(run, steps),
        "bounds": asdict(bounds(design, graph, board)),
        "moved_bytes": moved_bytes(graph),
    }


def with_memory_of(design: Design, board: FpgaBoard) -> TimedGraph:
    """The design as compiled, channel by channel, with the rate and latency that the channels of ``board`` have."""
    memory = memory_channels(only_kernel(design.module, "what-if", design.name), board)[0]
    channels = tuple(replace(memory, name=channel.name) for channel in design.graph.channels)
    return replace(design.graph, channels=channels)


@lru_cache(maxsize=_KEPT_DESIGNS)
def _design(configuration: str) -> tuple[Design, Mapping[str, int]]:
    """A design and its :func:`tile_steps`, which are the same at every point that shares it."""
    given = json.loads(configuration)
    text = block_text(given["model"], given["phase"], given["tokens"], given["context"])
    # The compiler takes boards and schemes by name or file; both are deleted once it is done.
    with tempfile.TemporaryDirectory(prefix="sttest-whatif-") as folder:
        board, scheme = Path(folder) / "board.yaml", Path(folder) / "scheme.yaml"
        board.write_text(yaml.safe_dump(given["design_board"]), encoding="utf-8")
        scheme.write_text(yaml.safe_dump(given["scheme"]), encoding="utf-8")
        quantises = given["scheme"]["weights"] != "none"
        knobs = Knobs(**{**given["knobs"], "lanes": tuple(given["knobs"]["lanes"])})
        knobs = replace(knobs, precision=str(scheme) if quantises else given["scheme"]["name"])
        design = compile_text(text, f"{given['model']}-{given['phase']}", str(board), knobs)
    return design, tile_steps(design)


def block_text(model: str, phase: Phase, tokens: int, context: int) -> str:
    """Linalg text of a block: as shipped where there is such a shape, else lowered from PyTorch (cached).

    Raises:
        ToolMissingError: it has to be lowered, and the front end is not installed.
    """
    small = model.startswith(SMALL)
    if SHIPPED_SHAPES[small][phase] == (tokens, context):
        return lowered_text(model.removeprefix(SMALL), phase, small=small)
    return linalg_text(model_config(model), phase, tokens, context)
