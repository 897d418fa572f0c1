"""FIFO, converter, kernel and memory tables of a design."""

from collections.abc import Iterator, Mapping
from math import prod
from typing import Any, TypeVar

from sttest.boards.energy import COLUMNS, DDR_BITS
from sttest.boards.operators import Operator, operators
from sttest.boards.part import URAM_BYTES
from sttest.boards.resources import KINDS, Resources, most, total
from sttest.compile.assumptions import REGISTERS_PER_BOUNDARY
from sttest.compile.compiler import CompiledDesign
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of, only_kernel
from sttest.compile.linalg.contraction import work
from sttest.compile.resources.clock import placed_clocks, times_at_clocks
from sttest.compile.resources.design import DesignResources, die_under
from sttest.compile.resources.memories import WAYS
from sttest.compile.resources.placement import SlrPlacement, placed_relays
from sttest.compile.schedule.operators import (
    FABRIC,
    MAC,
    instances_of,
    operators_of_lanes,
    payload_operators,
    step_interval,
)
from sttest.compile.schedule.task_schedule import task_schedule
from sttest.compile.sharing.functional_units import stream_ends
from sttest.compile.sharing.layers import LaunchCounts
from sttest.compile.sharing.processes import process_name
from sttest.compile.timing.links import Links
from sttest.core.report_table import ReportRow, ReportTable
from sttest.sim.bursts import memory_and_number
from sttest.sim.graph import PING_PONG, MemoryPort


def fifo_table(design: CompiledDesign) -> ReportTable:
    """One row per FIFO: depth and bits, and who decided them; tokens are those of one layer."""
    columns = ["fifo", "tokens", "depth_tokens", "token_bits", "fifo_bits", "impl", "sized_by"]
    kinds = {fifo.name: fifo.kind for fifo in design.graph.fifos}
    rows = []
    for kernel in all_of(design.module, df.KernelOp):
        for ends in stream_ends(kernel):
            depth, bits = ends.kind.depth.data, ends.kind.itensor.token_bits
            sized_by = ends.streams[0].sized_by
            rows.append(
                {
                    "fifo": ends.fifo,
                    "tokens": ends.tokens,
                    "depth_tokens": depth,
                    "token_bits": bits,
                    "fifo_bits": depth * bits,
                    "impl": kinds[ends.fifo],
                    "sized_by": sized_by.data if sized_by else "default",
                }
            )
    return ReportTable.of(columns, rows)


def converter_table(design: CompiledDesign) -> ReportTable:
    """One row per layout converter: its buffer, both halves counted."""
    columns = ["converter", "buffer", "blocks", "ping_pong_bytes"]
    rows = []
    for op in design.module.walk():
        if isinstance(op, df.ConverterOp) and op.buffer and op.label and op.blocks:
            bits = df.itensor_of(op.sources[0]).element_bits
            rows.append(
                {
                    "converter": op.label.data,
                    "buffer": "x".join(map(str, op.buffer.values)),
                    "blocks": op.blocks.value.data,
                    "ping_pong_bytes": PING_PONG * prod(op.buffer.values) * bits // 8,
                }
            )
    return ReportTable.of(columns, rows)


def kernel_table(design: CompiledDesign) -> ReportTable:
    """One row per task: loops, lanes, initiation interval, latency, cycles at its own speed."""
    library = operators(design.board)
    columns = ["kernel", "origin", "trips", "tile", "work", "lanes", "ii_cycles", "latency_cycles", "own_cycles"]
    rows = []
    for op in design.module.walk():
        if isinstance(op, df.TaskOp):
            cost = task_schedule(op, library)
            rows.append(
                {
                    "kernel": op.sym_name.data,
                    "origin": op.origin_name,
                    "trips": "x".join(map(str, op.trip_counts)),
                    "tile": "x".join(map(str, op.tile_sizes)),
                    "work": work(op),
                    "lanes": op.lane_count,
                    "ii_cycles": cost.ii,
                    "latency_cycles": cost.latency,
                    "own_cycles": op.iterations * cost.ii,
                }
            )
    return ReportTable.of(columns, rows)


_NARROW = 4
"""Points of a tile's side under which a kernel goes nearly value by value."""


def narrow_loops(design: CompiledDesign) -> dict[int, list[str]]:
    """Lengths of loops that are longer than a tile but have no divisor from 4 up to it, with the tasks that run them.

    Prime widths are the usual case; their tiles are of 1, and such a task takes as many steps as it has values.
    Groups of weights are not counted: they are one step each anyway.
    """
    tasks = [op for op in design.module.walk() if isinstance(op, df.TaskOp)]
    groups = {
        trip
        for op in tasks
        if op.sym_name.data.endswith("_groups")
        for trip, kind in zip(op.trip_counts, op.loop_kinds, strict=True)
        if kind == "reduction"
    }
    found: dict[int, list[str]] = {}
    for op in tasks:
        for length in {trip for trip in op.trip_counts if trip > design.options.tile_size} - groups:
            if not any(length % size == 0 for size in range(_NARROW, design.options.tile_size + 1)):
                found.setdefault(length, []).append(op.sym_name.data)
    return found


def memory_table(design: CompiledDesign) -> ReportTable:
    """One row per DMA: what it moves and over which pseudo-channels."""
    columns = ["dma", "op", "tensor", "tokens", "token_bytes", "total_bytes", "channels", "burst_bytes"]
    rows = (
        {
            "dma": port.name,
            "op": port.op,
            "tensor": port.origin,
            "tokens": port.tokens,
            "token_bytes": port.token_bytes,
            "total_bytes": port.tokens * port.token_bytes,
            "channels": " ".join(port.channels),
            "burst_bytes": port.burst_bytes,
        }
        for port in design.graph.processes
        if isinstance(port, MemoryPort)
    )
    return ReportTable.of(columns, rows)


# --- What one run of a design does, counted: the activity report from which a board computes energy


_Node = TypeVar("_Node", df.TaskOp, df.ConverterOp)


def activity_table(design: CompiledDesign) -> ReportTable:
    """One row per task, FIFO, converter and DMA, with the columns of an activity report."""
    library = operators(design.board)
    rows = [*_tasks(design, library), *_fifos(design), *_converters(design), *_dmas(design)]
    columns = (*COLUMNS, DDR_BITS) if any(DDR_BITS in row for row in rows) else COLUMNS
    return ReportTable.of(columns, ({"process": "", **row} for row in rows))


def _with_counts(design: CompiledDesign, kind: type[_Node]) -> Iterator[tuple[_Node, int]]:
    """Nodes of a kind, and how often each works in a launch."""
    for kernel in all_of(design.module, df.KernelOp):
        counts = LaunchCounts(kernel)
        yield from ((node, counts.of_node(node)) for node in all_of(kernel, kind))


def _tasks(design: CompiledDesign, library: Mapping[str, Operator]) -> Iterator[ReportRow]:
    for op, count_of_launch in _with_counts(design, df.TaskOp):
        used, lanes = payload_operators(op), min(op.lane_count, op.tile_points)
        every = operators_of_lanes(op, lanes, used)
        instances = instances_of(every, step_interval(op, lanes, library))
        slices = sum(_charged_slices(name, library) * count for name, count in every.items()) / lanes
        macs = sum(count for name, count in used.items() if name.startswith(MAC))
        evaluations = work(op) * count_of_launch
        yield {
            "element": op.sym_name.data,
            "kind": "task",
            "process": process_name(op),
            "evaluations": evaluations,
            "macs": macs * evaluations,
            "dsp_slices": sum(_charged_slices(name, library) * count for name, count in instances.items()),
            "dsp_work_cycles": slices * evaluations,
        }


def _charged_slices(name: str, library: Mapping[str, Operator]) -> float:
    """DSP slices as which an operator is charged: a product in LUTs costs no less than that in a DSP (assumed)."""
    return library[name.removesuffix(FABRIC)].area.dsp


def _fifos(design: CompiledDesign) -> Iterator[ReportRow]:
    """Every token is pushed once and popped once; an SRL's cost per bit covers both."""
    kinds = {fifo.name: fifo.kind for fifo in design.graph.fifos}
    for kernel in all_of(design.module, df.KernelOp):
        counts = LaunchCounts(kernel)
        for ends in stream_ends(kernel):
            token_bits = ends.kind.itensor.token_bits
            tokens = (stream.result.type.itensor.tokens * counts.of_stream(stream) for stream in ends.streams)
            bits = sum(tokens) * token_bits
            if kinds[ends.fifo] == "srl":
                moved = {"srl_bits": bits}
            else:
                moved = _ram(2 * bits, ends.kind.depth.data * token_bits)
            yield {"element": ends.fifo, "kind": "fifo", **moved}


def _converters(design: CompiledDesign) -> Iterator[ReportRow]:
    """Filled with all tokens of the source, drained as all tokens of the sink: with repetition that is more."""
    for op, count_of_launch in _with_counts(design, df.ConverterOp):
        if op.buffer and op.label:
            streams = df.itensor_of(op.sources[0]), df.itensor_of(op.sinks[0])
            bits = count_of_launch * sum(stream.tokens * stream.token_bits for stream in streams)
            size = PING_PONG * prod(op.buffer.values) * streams[0].element_bits
            yield {"element": op.label.data, "kind": "converter", **_ram(bits, size)}


def _dmas(design: CompiledDesign) -> Iterator[ReportRow]:
    """Through the port once, into and out of the tile buffer once each."""
    for port in design.graph.processes:
        if isinstance(port, MemoryPort):
            bits = port.tokens * port.token_bytes * 8
            tile = _ram(2 * bits, PING_PONG * port.token_bytes * 8)
            yield {"element": port.name, "kind": "dma", f"{memory_and_number(port.channels[0])[0]}_bits": bits, **tile}


def _ram(bits: int, size_bits: int) -> dict[str, int]:
    """Accesses of a block memory by its kind: what fills a URAM is one."""
    return {"uram_bits" if size_bits >= 8 * URAM_BYTES else "bram_bits": bits}


# --- Resources, memory kinds, partition and crossings of a design as tables of its package


_Row = dict[str, Any]
_DIGITS = 2


def resource_table(taken: DesignResources, design: CompiledDesign) -> ReportTable:
    """One row per task, converter, fork, DMA and FIFO, then the total, then the budget of every SLR and of all.

    Buffers are counted with their process, FIFOs by themselves.  Budgets are those of the design's ``budget``.
    """
    rows = [*_process_rows(taken), *_fifo_rows(taken)]
    ports = {"memory_ports": taken.memory_ports, "hbm_ports": len(taken.hbm_channels)}
    rows.append(_row("all", "total", taken.total) | ports)
    budgets = die_under(design, taken).budgets
    rows += [_row(f"SLR{number}", "budget", budget) for number, budget in enumerate(budgets)]
    rows.append(_row("all", "budget", total(budgets)) | {"hbm_ports": design.board.feed.ports})
    return ReportTable.of(["process", "kind", *KINDS, "memory_ports", "hbm_ports"], rows)


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


def memory_kind_table(taken: DesignResources) -> ReportTable:
    """One row per memory: its shape, the kind it became, and the bits of that kind's cells that hold nothing."""
    columns = [
        "memory",
        "process",
        "role",
        "depth_words",
        "word_bits",
        "banks",
        "kind",
        "lut",
        "ff",
        "bram18",
        "uram",
        "used_bits",
        "capacity_bits",
        "waste_ratio",
    ]
    rows = (
        {
            "memory": memory.facts.name,
            "process": memory.facts.owner,
            "role": memory.facts.role,
            "depth_words": memory.facts.depth,
            "word_bits": memory.facts.bits,
            "banks": memory.facts.banks,
            "kind": memory.kind,
            "lut": memory.resources.lut,
            "ff": memory.resources.ff,
            "bram18": memory.resources.bram18,
            "uram": memory.resources.uram,
            "used_bits": memory.facts.used_bits,
            "capacity_bits": memory.capacity_bits,
            "waste_ratio": round(memory.waste, 4),
        }
        for memory in taken.memories
    )
    return ReportTable.of(columns, rows)


def partition_table(placed: SlrPlacement) -> ReportTable:
    """One row per process: its SLR, and what it takes there with its buffers and the FIFOs that it reads."""
    by_node, slr_of = placed.taken.by_node, placed.partition.slr_of
    rows = (_row(node.name, node.kind, by_node[node.name]) | {"slr": slr_of[node.name]} for node in placed.taken.nodes)
    return ReportTable.of(["process", "kind", *KINDS, "slr"], rows)


def crossing_table(placed: SlrPlacement) -> ReportTable:
    """One row per FIFO or bus between SLRs: its ends, its wires over each boundary, and the registers on its way."""
    columns = ["fifo", "source", "target", "source_slr", "target_slr", "wires", "boundaries", "registers"]
    slr_of, buses = placed.partition.slr_of, {bus.wire for bus in placed.taken.buses}
    rows = [
        (
            wire.fifo,
            wire.source,
            wire.target,
            slr_of[wire.source],
            slr_of[wire.target],
            wire.wires,
            crossed,
            crossed * REGISTERS_PER_BOUNDARY * (WAYS if wire in buses else 1),
        )
        for wire in placed.taken.links()
        if (crossed := placed.partition.crossings(wire))
    ]
    return ReportTable.of(columns, (dict(zip(columns, row, strict=True)) for row in rows))


def relay_table(placed: SlrPlacement, design: CompiledDesign) -> ReportTable:
    """One row per relay: its SLR, the FIFO that it leads to, and what it takes, which no total includes."""
    columns = ["process", "slr", "fifo", "number", "bits", "lut", "ff"]
    rows = [
        (
            each.process,
            each.slr,
            each.fifo,
            each.number,
            each.bits,
            round(each.resources.lut, _DIGITS),
            round(each.resources.ff, _DIGITS),
        )
        for each in placed_relays(placed, design)
    ]
    return ReportTable.of(columns, (dict(zip(columns, row, strict=True)) for row in rows))


def resource_facts(taken: DesignResources, design: CompiledDesign) -> dict[str, Any]:
    """Totals and their shares of the budgets, for the manifest; a share above 1 does not fit."""
    cards = taken.cards()
    shares = most(card.total.shares_of(total(die_under(design, card).budgets)) for card in cards)
    return {
        "total": {kind: round(getattr(taken.total, kind), _DIGITS) for kind in KINDS},
        "share_of_budget": {kind: round(getattr(shares, kind), 4) for kind in KINDS},
        "budget": design.options.budget,
        "over_budget": [kind for kind in KINDS if getattr(shares, kind) > 1],
        "held_bytes": sum(memory.facts.used_bits for memory in taken.memories) // 8,
        "cell_bytes": sum(memory.capacity_bits for memory in taken.memories) // 8,
        "memory_ports": taken.memory_ports,
        "hbm_ports": len(taken.hbm_channels),
        **({"cards": len(cards)} if len(cards) > 1 else {}),
    }


def card_table(taken: DesignResources, design: CompiledDesign) -> ReportTable:
    """One row per card: what it takes, and the bytes that it sends to each neighbor in a run."""
    kernel = only_kernel(design.module, "cards", design.name)
    links = Links(kernel, design.board)
    runs = kernel.layer_count * kernel.step_count
    rows = [
        {
            "card": number,
            **{kind: round(getattr(card.total, kind), _DIGITS) for kind in KINDS},
            "memory_ports": card.memory_ports,
            "hbm_ports": len(card.hbm_channels),
            "sent_bytes": runs * links.bytes_from(number),
        }
        for number, card in enumerate(taken.cards())
    ]
    return ReportTable.of(["card", *KINDS, "memory_ports", "hbm_ports", "sent_bytes"], rows)


def partition_facts(placed: SlrPlacement, design: CompiledDesign) -> dict[str, Any]:
    """Fullest shares, wires, cycles and clocks of a placed design, for the manifest."""
    without, with_registers = placed.cycles
    relays = total(each.resources for each in placed_relays(placed, design))
    return {
        "fullest_share_per_slr": [round(share.largest, 4) for share in placed.partition.shares],
        "wires_per_boundary": list(placed.partition.wires),
        "hbm_slr": placed.taken.hbm_slr,
        "objective": round(placed.partition.objective, 6),
        "proven_gap": round(placed.partition.proven_gap, 4),
        "cycles": without,
        "cycles_with_crossing_registers": with_registers,
        "relays": {
            "processes": sum(placed.crossings.relays.values()),
            "lut": round(relays.lut),
            "ff": round(relays.ff),
        },
        "clock": _clock_facts(placed, design),
    }


def _clock_facts(placed: SlrPlacement, design: CompiledDesign) -> dict[str, Any]:
    band = placed_clocks(design, placed)
    times = times_at_clocks(design, placed, band)
    return {
        "times": [
            {
                "case": each.case,
                "clock_mhz": each.clock_mhz,
                "cycles": each.cycles,
                "us": None if each.us is None else round(each.us, 3),
            }
            for each in times
        ],
        "remarks": list(band.remarks),
    }
