"""Compiles one text with many knobs; what several designs share is done once.

Parsing, quantisation and tiling are the larger part of a compilation and know nothing of lanes, so that a search
over lanes starts each design from a copy of the tiled module.  The IR is that of :func:`compile_text`, to the letter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from sttest.boards.load import load_board, require_hbm
from sttest.compile.compiler import Design, workload_of
from sttest.compile.context import new_context, parse
from sttest.compile.fusion_report import FusionReport, fusion_report
from sttest.compile.passes.assign_lanes import AssignLanes
from sttest.compile.passes.size_fifos import SizeFifos
from sttest.compile.pipeline import Knobs, passes
from sttest.compile.timing.timed_graph import timed_graph

# Tilings that are kept; the eldest goes.
_KEPT = 64


@dataclass(frozen=True, eq=False)
class Tiled:
    """A module before lanes are assigned, and what fusion will make of it; not to be changed."""

    module: ModuleOp
    fusion: FusionReport


class StagedCompiler:
    """A text on a board, ready to be compiled with any knobs.

    Args:
        text: one decoder block in MLIR's generic or custom form.
        name: of the designs.
        board: name or path of a board with HBM.
        workload: facts that the text does not hold.

    Raises:
        InputError: bad IR, or no such board.
    """

    def __init__(self, text: str, name: str, board: str, workload: Mapping[str, str | int] | None = None) -> None:
        self.name, self._board_name = name, board
        self.board = require_hbm(load_board(board))
        self._context: Context = new_context()
        self._parsed = parse(text, name, self._context)
        self._workload = {**workload_of(self._parsed), **(workload or {})}
        self._tiled: dict[tuple[ModulePass, ...], Tiled] = {}
        self._before: dict[tuple[ModulePass, ...], ModuleOp] = {(): self._parsed}

    def tiled(self, knobs: Knobs) -> Tiled:
        """The module with types and tiles, as it is before lanes are assigned.

        Raises:
            InputError: ops, a scheme or a tile that are not possible.
            DoesNotFitError: a kernel's own buffers exceed the board's memory.
        """
        chosen = self._split(knobs)[0]
        if chosen not in self._tiled:
            if len(self._tiled) >= _KEPT:
                del self._tiled[next(iter(self._tiled))]
            module = self._after(chosen)
            self._tiled[chosen] = Tiled(module, fusion_report(module, self.board.fabric.usable_onchip_bytes))
        return self._tiled[chosen]

    def _after(self, chosen: tuple[ModulePass, ...]) -> ModuleOp:
        """The text after some passes, of which several tilings share the first ones; not to be changed."""
        if chosen not in self._before:
            if len(self._before) >= _KEPT:
                self._before = {(): self._parsed}
            self._before[chosen] = self._applied(chosen[-1:], self._after(chosen[:-1]))
        return self._before[chosen]

    def design(self, knobs: Knobs) -> Design:
        """The sized design.

        Raises:
            InputError: see :meth:`tiled`; also lanes of a task that is not there.
            DoesNotFitError: more lanes, channels or on-chip memory than there are.
        """
        tiled = self.tiled(knobs)
        chosen = self._split(knobs)[1]
        last = chosen[-1]
        if isinstance(last, SizeFifos):
            # Sizing has made most of the timed graph; what comes after it, in launches of several layers, changes it.
            module = self._applied(chosen[:-1], tiled.module)
            graph = last.size(module).graph(self.name)
        else:
            module = self._applied(chosen, tiled.module)
            graph = timed_graph(module, self.board, self.name)
        return Design(self.name, knobs, self.board, module, graph, tiled.fusion, workload=dict(self._workload))

    def laned(self, knobs: Knobs) -> ModuleOp:
        """The module with the lanes of every task.

        Raises:
            InputError: see :meth:`tiled`; also lanes of a task that is not there.
            DoesNotFitError: the budget of lanes does not cover the first ones.
        """
        tiled = self.tiled(knobs)
        return self._applied(self._split(knobs)[1][:1], tiled.module)

    def _split(self, knobs: Knobs) -> tuple[tuple[ModulePass, ...], tuple[ModulePass, ...]]:
        """The passes before lanes are assigned, and the others."""
        chosen = passes(knobs, self._board_name, self.board.fabric.usable_onchip_bytes)
        first = next(number for number, each in enumerate(chosen) if isinstance(each, AssignLanes))
        return chosen[:first], chosen[first:]

    def _applied(self, chosen: tuple[ModulePass, ...], module: ModuleOp) -> ModuleOp:
        copy = module.clone()
        for each in chosen:
            each.apply(self._context, copy)
        return copy
