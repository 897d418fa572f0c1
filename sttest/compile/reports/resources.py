"""Resources, memory kinds, partition and crossings of a design as tables of its package."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from sttest.boards.board import FpgaBoard
from sttest.boards.resources import KINDS, Resources, total
from sttest.compile.resources.crossings import REGISTERS_PER_BOUNDARY
from sttest.compile.resources.design import DesignResources, die_of
from sttest.compile.resources.memory_buses import WAYS
from sttest.compile.resources.placement import Placement

_Row = dict[str, Any]
_DIGITS = 2


def resource_table(taken: DesignResources, board: FpgaBoard) -> pd.DataFrame:
    """One row per task, converter, fork, DMA and FIFO, then the total, then the budget of every SLR and of all.

    Buffers are counted with their process, FIFOs by themselves.  Budgets have the board's margin taken off.
    """
    rows = [*_process_rows(taken), *_fifo_rows(taken)]
    ports = {"memory_ports": taken.memory_ports, "hbm_ports": len(taken.hbm_channels)}
    rows.append(_row("all", "total", taken.total) | ports)
    budgets = die_of(board).budgets
    rows += [_row(f"SLR{number}", "budget", budget) for number, budget in enumerate(budgets)]
    rows.append(_row("all", "budget", total(budgets)) | {"hbm_ports": board.hbm.axi_ports.count})
    return pd.DataFrame(rows).fillna(0).astype({"memory_ports": int, "hbm_ports": int})


def _process_rows(taken: DesignResources) -> Iterator[_Row]:
    fifos = {wire.fifo for wire in taken.wires}
    for node in taken.nodes:
        buffers = (m.resources for m in taken.memories if m.facts.owner == node.name and m.facts.name not in fifos)
        ports = {"memory_ports": node.memory_ports, "hbm_ports": len(node.hbm_channels)}
        yield _row(node.name, node.kind, node.logic + total(buffers)) | ports


def _fifo_rows(taken: DesignResources) -> Iterator[_Row]:
    fifos = {wire.fifo for wire in taken.wires}
    return (_row(m.facts.name, "fifo", m.resources) for m in taken.memories if m.facts.name in fifos)


def _row(name: str, kind: str, amounts: Resources) -> _Row:
    return {"process": name, "kind": kind, **{each: round(getattr(amounts, each), _DIGITS) for each in KINDS}}


def memory_kind_table(taken: DesignResources) -> pd.DataFrame:
    """One row per memory: its shape, the kind it became, and the bits of that kind's cells that hold nothing."""
    return pd.DataFrame(
        {
            "memory": memory.facts.name, "process": memory.facts.owner, "role": memory.facts.role,
            "depth_words": memory.facts.depth, "word_bits": memory.facts.bits, "banks": memory.facts.banks,
            "kind": memory.kind, "lut": memory.resources.lut, "ff": memory.resources.ff,
            "bram18": memory.resources.bram18, "uram": memory.resources.uram, "used_bits": memory.facts.used_bits,
            "capacity_bits": memory.capacity_bits, "waste_ratio": round(memory.waste, 4),
        }
        for memory in taken.memories
    )  # fmt: skip


def partition_table(placed: Placement) -> pd.DataFrame:
    """One row per process: its SLR, and what it takes there with its buffers and the FIFOs that it reads."""
    by_node = placed.taken.by_node
    return pd.DataFrame(
        {
            **_row(node.name, node.kind, by_node[node.name]),
            "slr": placed.partition.slr_of[node.name],
        }
        for node in placed.taken.nodes
    )  # fmt: skip


def crossing_table(placed: Placement) -> pd.DataFrame:
    """One row per FIFO or bus between SLRs: its ends, its wires over each boundary, and the registers on its way."""
    columns = ["fifo", "source", "target", "source_slr", "target_slr", "wires", "boundaries", "registers"]
    slr_of, buses = placed.partition.slr_of, {bus.wire for bus in placed.taken.buses}
    rows = [
        (
            wire.fifo, wire.source, wire.target, slr_of[wire.source], slr_of[wire.target], wire.wires, crossed,
            crossed * REGISTERS_PER_BOUNDARY * (WAYS if wire in buses else 1),
        )
        for wire in placed.taken.links()
        if (crossed := placed.partition.crossings(wire))
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=columns)


def resource_facts(taken: DesignResources, board: FpgaBoard) -> dict[str, Any]:
    """Totals and their shares of the budgets, for the manifest; a share above 1 does not fit."""
    shares = taken.total.shares_of(total(die_of(board).budgets))
    return {
        "total": {kind: round(getattr(taken.total, kind), _DIGITS) for kind in KINDS},
        "share_of_budget": {kind: round(getattr(shares, kind), 4) for kind in KINDS},
        "over_budget": [kind for kind in KINDS if getattr(shares, kind) > 1],
        "memory_ports": taken.memory_ports,
        "hbm_ports": len(taken.hbm_channels),
    }


def partition_facts(placed: Placement) -> dict[str, Any]:
    """Fullest shares, wires and cycles of a placed design, for the manifest."""
    without, with_registers = placed.cycles
    return {
        "fullest_share_per_slr": [round(share.largest, 4) for share in placed.partition.shares],
        "wires_per_boundary": list(placed.partition.wires),
        "objective": round(placed.partition.objective, 6),
        "proven_gap": round(placed.partition.proven_gap, 4),
        "cycles": without,
        "cycles_with_crossing_registers": with_registers,
    }
