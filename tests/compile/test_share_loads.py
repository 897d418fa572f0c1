"""One stream of weights per engine: in times, depths, resources, reports; values keep a stream per tensor."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import pytest
from xdsl.dialects.builtin import ModuleOp

from sttest.compile.compiler import CompiledDesign, compile_text
from sttest.compile.dialects.sched import drop_schedules
from sttest.compile.ir.module_walk import only_kernel
from sttest.compile.opt import new_context, parse, printed
from sttest.compile.options import CompileOptions
from sttest.compile.reference_graph import value_graph
from sttest.compile.reports import activity_table, fifo_table, memory_table
from sttest.compile.resources.design import design_resources
from sttest.compile.sharing.functional_units import engines_of, stream_ends
from sttest.compile.sharing.processes import fifos_of, process_name, processes_of
from sttest.compile.timing.timed_graph import timed_graph
from sttest.core.errors import InputError
from sttest.frontend.shipped import lowered_text
from sttest.sim import simulate
from sttest.sim.graph import MemoryPort, Pipeline

WEIGHTS = "attn_q_proj_engine_weight"


@cache
def design(share: str = "all", layers: int = 1, prefetch_kib: int = 0) -> CompiledDesign:
    options = CompileOptions(share=share, layers=layers, prefetch_kib=prefetch_kib)  # type: ignore[arg-type]
    return compile_text(lowered_text("gpt2", "decode", small=True), "small", "u55c", options)


def ports(found: CompiledDesign) -> dict[str, MemoryPort]:
    return {each.name: each for each in found.graph.processes if isinstance(each, MemoryPort)}


@pytest.mark.parametrize("share", ["weights", "all"])
def test_one_dma_per_slice_and_one_gather_carry_what_all_weights_had(share: str) -> None:
    apart, shared = ports(design("none")), design(share)
    names = ("attn_q_proj", "attn_k_proj", "attn_v_proj", "attn_o_proj", "mlp_fc1", "mlp_fc2")
    weights = [port for name, port in apart.items() if name.removeprefix("load_").startswith(names)]
    weights = [port for port in weights if port.name.endswith("_weight") or "_weight_slice" in port.name]
    slices = [port for name, port in ports(shared).items() if name.startswith(f"load_{WEIGHTS}_slice")]
    assert len(slices) > 1
    assert len({port.channels for port in slices}) == len(slices)
    moved = sum(port.tokens * port.token_bytes for port in weights)
    assert sum(port.tokens * port.token_bytes for port in slices) == moved
    (gather,) = (each for each in shared.graph.processes if each.name == f"gather_{WEIGHTS}")
    assert isinstance(gather, Pipeline)
    assert gather.loops[0].iterations == slices[0].tokens


def test_turns_of_loads_are_those_of_the_engine() -> None:
    kernel = only_kernel(design().module, "test", "small")
    queues = {name: nodes for name, nodes in processes_of(kernel).items() if any(node.queue_name for node in nodes)}
    assert queues
    for streams in fifos_of(kernel).values():
        readers = [stream.reader for stream in streams]
        if len(streams) > 1 and streams[0].queue is None and not readers[0].queue_name:
            assert readers in engines_of(kernel).values()


def test_streams_between_engines_share_a_fifo_in_the_order_of_both_their_turns() -> None:
    kernel = only_kernel(design().module, "test", "small")
    place = {node: number for number, node in enumerate(kernel.body.block.ops)}
    shared = {name: streams for name, streams in fifos_of(kernel).items() if streams[0].queue is not None}
    assert "attn_norm_2_engine__attn_norm_3_engine" in shared
    for streams in shared.values():
        assert len(streams) > 1
        writers, readers = [place[each.writer] for each in streams], [place[each.reader] for each in streams]
        assert writers == sorted(writers)
        assert readers == sorted(readers)
        assert len({process_name(stream.writer) for stream in streams}) == 1
        assert len({process_name(stream.reader) for stream in streams}) == 1


@pytest.mark.parametrize(("layers", "prefetch_kib"), [(1, 0), (2, 0), (2, 64)])
def test_engines_agree_and_nothing_waits_for_room(layers: int, prefetch_kib: int) -> None:
    found = design("all", layers, prefetch_kib)
    run, oracle = simulate(found.graph), simulate(found.graph, "simpy")
    assert (run.verdict, run.cycles) == ("done", oracle.cycles)
    free = simulate(found.graph, unbounded=True)
    assert free.cycles == run.cycles


def test_an_engine_of_its_own_works_beside_the_other() -> None:
    text, all_lanes = (
        lowered_text("gpt2", "prefill", small=True),
        CompileOptions(share="weights", overall_unroll=1 << 17),
    )
    one, two = (
        compile_text(text, "small", "u55c", all_lanes.with_(own_units=own)) for own in ((), ("attn_[kv]_proj",))
    )
    members = {name: [task.sym_name.data for task in tasks] for name, tasks in engines_of(two.module).items()}
    assert members["attn_k_proj_engine"] == ["attn_k_proj", "attn_v_proj"]
    run = simulate(two.graph)
    assert run.cycles == simulate(two.graph, "simpy").cycles
    assert (run.cycles or 0) < (simulate(one.graph).cycles or 0)


def test_room_to_read_ahead_is_shared_out_by_fifo() -> None:
    def depths(found: CompiledDesign) -> dict[str, int]:
        return {fifo.name: fifo.depth for fifo in found.graph.fifos}

    ahead, without = design("all", prefetch_kib=8), depths(design())
    slices = [port.fifo for name, port in ports(ahead).items() if name.startswith(f"load_{WEIGHTS}_slice")]
    assert all(depths(ahead)[fifo] > without[fifo] for fifo in slices)
    bits = {fifo.name: fifo.depth * fifo.bits for fifo in ahead.graph.fifos}
    assert sum(bits[fifo] for fifo in slices) <= 8 * 8 * 1024


def test_reports_and_resources_know_one_fifo() -> None:
    found = design()
    fifos = {fifo.name for fifo in found.graph.fifos}
    ends = stream_ends(only_kernel(found.module, "test", "small"))
    assert {each.fifo for each in ends} <= fifos
    assert [row["fifo"] for row in fifo_table(found)] == [each.fifo for each in ends]
    taken = design_resources(found)
    assert {node.name for node in taken.nodes} >= {*ports(found)}
    assert taken.memory_ports == len(ports(found)) == len(memory_table(found))
    activity = activity_table(found).frame()
    assert activity["hbm_bits"].sum() == 8 * sum(port.tokens * port.token_bytes for port in ports(found).values())
    assert activity["element"].is_unique


def test_an_engine_chooses_among_fewer_fifos() -> None:
    """The same tasks, with a stream of weights each: the choice of a word and the ports are what is saved."""
    found = design()
    apart = parse(re.sub(r' queue "\w+"', "", printed(found.module)), "test", new_context())
    drop_schedules(apart)
    engine = "attn_q_proj_engine"
    shared, single = (
        next(node for node in design_resources(each).nodes if node.name == engine)
        for each in (found, _with(found, apart))
    )
    assert shared.logic.lut < single.logic.lut
    assert shared.logic.dsp == single.logic.dsp


def test_loads_in_another_order_than_their_readers_are_refused() -> None:
    found = parse(printed(design().module), "test", new_context())
    queue = next(nodes for nodes in processes_of(only_kernel(found, "test", "small")).values() if nodes[0].queue_name)
    first, second = queue[:2]
    block = first.parent_block()
    assert block is not None
    first.detach()
    block.insert_op_after(first, second)
    with pytest.raises(InputError, match="does not take turns in their order"):
        timed_graph(found, design().board, "test")


def test_values_have_a_stream_per_tensor() -> None:
    found = value_graph(design().module, "small")
    apart = value_graph(design("none").module, "small")
    assert {load.argument for load in found.loads} == {load.argument for load in apart.loads}
    tasks = {node.name: node for node in apart.tasks}
    assert {node.name for node in found.tasks} == {*tasks}


def _with(found: CompiledDesign, module: ModuleOp) -> CompiledDesign:
    return replace(found, module=module, graph=timed_graph(module, found.board, "apart"))
