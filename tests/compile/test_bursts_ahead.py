"""Bursts that DMAs ask for ahead: all of a port's, or a share where slices are behind it."""

from __future__ import annotations

from collections import Counter

import pytest

from sttest.compile.channels import memory_ports
from sttest.compile.compiler import compile_text
from sttest.compile.options import CompileOptions
from sttest.core.errors import InputError
from sttest.frontend.shipped import lowered_text
from sttest.sim.graph import MemoryPort


def memories(options: CompileOptions) -> list[MemoryPort]:
    design = compile_text(lowered_text("gpt2", "decode", small=False), "block", "u55c", options)
    return [each for each in design.graph.processes if isinstance(each, MemoryPort)]


def test_reads_apart_have_all_of_their_port_and_stores_share_theirs() -> None:
    found = memories(CompileOptions())
    stores = [each for each in found if each.op == "write"]
    assert {each.outstanding for each in found if each.op == "read"} == {16}
    assert {each.outstanding for each in stores} == {16 // len(stores)}


def test_what_shares_a_port_with_slices_has_its_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_ports, "WORTH_SHARING", float("inf"))
    found = memories(CompileOptions(share="all", gemv_lanes=4096, overall_unroll=3072))
    behind = Counter((each.op, each.channels) for each in found)
    sliced = {(each.op, each.channels) for each in found if "_slice" in each.name}
    assert max(behind[port] for port in sliced) > 1
    for each in found:
        port = each.op, each.channels
        shared = port in sliced or each.op == "write"
        assert each.outstanding == (16 // behind[port] if shared else 16)


def test_small_parameters_have_few_and_leave_the_rest_of_a_port_to_others() -> None:
    options = CompileOptions(share="all", gemv_lanes=4096, overall_unroll=3072, flow="rtl", channels="together")
    before, after = ({each.name: each for each in memories(options.with_(seldom_bursts=few))} for few in (0, 1))
    assert before.keys() == after.keys()
    few = {name for name, each in after.items() if each.outstanding == 1}
    moved = Counter[str]()
    for each in before.values():
        moved[each.channels[0]] += each.tokens * each.token_bytes
    even = sum(moved.values()) / len(moved)
    assert few
    for name in few:
        port = before[name]
        assert port.op == "read"
        assert "cache" not in name
        assert port.tokens * port.token_bytes < even / 8
    others = before.keys() - few
    assert all(after[name].outstanding >= before[name].outstanding for name in others)
    assert sum(after[name].outstanding for name in others) > sum(before[name].outstanding for name in others)


def test_ports_of_vitis_hls_have_one_option_for_all_behind_them() -> None:
    with pytest.raises(InputError, match=r"as many bursts in flight.*--flow rtl"):
        CompileOptions(seldom_bursts=1)
