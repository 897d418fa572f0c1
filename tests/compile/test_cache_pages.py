"""Caches in pages: bursts are no longer than a page, and times grow as pages shrink."""

from __future__ import annotations

from functools import cache

import pytest

from sttest.compile.compiler import CompiledDesign, compile_text
from sttest.compile.options import CompileOptions
from sttest.frontend.shipped import lowered_text
from sttest.sim import simulate
from sttest.sim.graph import MemoryPort

CONTEXT, HEAD_DIM = 64, 64
PAGES = (1, 2, 4, 8, 16, 32, 64)


@cache
def design(positions: int) -> CompiledDesign:
    options = CompileOptions(cache_page=positions, share="all", gemv_lanes=4096, overall_unroll=2048)
    return compile_text(lowered_text("llama", "decode", small=False), "paged", "u55c", options)


def bursts(positions: int) -> dict[str, int]:
    ports = (each for each in design(positions).graph.processes if isinstance(each, MemoryPort))
    return {each.name: each.burst_bytes for each in ports}


@pytest.mark.parametrize("positions", PAGES[:-1])
def test_bursts_of_caches_end_with_their_page_and_others_do_not(positions: int) -> None:
    free, paged = bursts(0), bursts(positions)
    caches = {"load_k_cache", "load_v_cache"}
    assert {name for name in free if paged[name] != free[name]} <= caches
    assert all(paged[name] == min(free[name], positions * HEAD_DIM) for name in caches)


@pytest.mark.parametrize("positions", [CONTEXT, 10 * CONTEXT])
def test_a_page_as_large_as_the_cache_changes_nothing(positions: int) -> None:
    assert design(positions).graph == design(0).graph


def test_smaller_pages_are_never_faster_and_the_smallest_are_slower() -> None:
    cycles = [simulate(design(positions).graph).cycles or 0 for positions in PAGES]
    assert cycles == sorted(cycles, reverse=True)
    assert cycles[0] > 1.1 * cycles[-1] > 0


def test_engines_agree_to_the_cycle() -> None:
    graph = design(2).graph
    assert simulate(graph, engine="simpy").cycles == simulate(graph, engine="maxplus").cycles
