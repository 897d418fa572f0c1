"""Designs of several groups: a kernel each, which together compute what one kernel does."""

from __future__ import annotations

import json

import numpy as np
import pytest

from sttest.boards.load import load_board, require_hbm
from sttest.compile.compiler import compile_text
from sttest.compile.groups import GroupedDesign, compile_groups, tensor_of
from sttest.compile.options import CompileOptions
from sttest.compile.reference_graph import value_graph
from sttest.core.errors import InputError
from sttest.frontend.shipped import lowered_text
from sttest.package.compiled import write_groups
from sttest.reference import run
from sttest.reference.graph import Array, ReferenceGraph
from sttest.reference.memory import images_of, read_results
from sttest.sim import simulate

TEXT = lowered_text("small-gpt2", "prefill")
SMALL = 30_000
"""On-chip bytes with which a small GPT-2 makes several groups."""


def grouped(c_max_bytes: int | None = SMALL, **options) -> GroupedDesign:
    return compile_groups(TEXT, "groups", "u55c", CompileOptions(c_max_bytes=c_max_bytes, **options))


def arguments(graph: ReferenceGraph, tensors: dict[str, Array]) -> dict[str, Array]:
    """Values of a graph's arguments: those that are there, and others at random, which then are there."""
    source = np.random.default_rng(len(tensors))
    for each in graph.arguments:
        if tensor_of(each.name) not in tensors:
            whole = each.dtype.startswith("i")
            values = source.integers(-7, 8, each.shape) if whole else source.standard_normal(each.shape) / 10
            kind = np.int8 if whole else np.float16 if each.dtype == "f16" else np.float32
            tensors[tensor_of(each.name)] = values.astype(kind)
    return {each.name: tensors[tensor_of(each.name)].reshape(each.shape) for each in graph.arguments}


def results(graph: ReferenceGraph, tensors: dict[str, Array]) -> dict[str, Array]:
    return read_results(graph, run(graph, images_of(graph, arguments(graph, tensors))).results)


@pytest.mark.parametrize("c_max_bytes", [9_000, 20_000, SMALL])
def test_groups_compute_what_one_kernel_does(c_max_bytes):
    tensors: dict[str, Array] = {}
    one = results(value_graph(compile_text(TEXT, "one", "u55c").module, "one"), tensors)
    made = grouped(c_max_bytes)
    assert len(made.designs) > 1
    for design in made.designs:
        tensors |= results(value_graph(design.module, design.name), tensors)
    assert np.array_equal(tensors["y"], one["y"])
    assert np.array_equal(np.moveaxis(tensors["k_new"], 1, 0), one["k_new"])  # which the host sees head by head


def test_what_fuses_is_one_group():
    made = grouped(None)
    assert len(made.designs) == 1
    assert made.tensors == ()
    alone = simulate(compile_text(TEXT, "one", "u55c").graph).cycles
    assert simulate(made.designs[0].graph).cycles == alone


def test_tensors_go_from_earlier_groups_to_later_ones():
    made = grouped()
    assert all(each.giver < min(each.takers) for each in made.tensors)
    by_name = {each.name: each for each in made.tensors}
    for number, design in enumerate(made.designs):
        taken = {tensor_of(each.name) for each in value_graph(design.module, design.name).arguments} & by_name.keys()
        assert all(number in by_name[name].takers for name in taken)
    wide = by_name[max(by_name, key=lambda name: by_name[name].total_bytes)]
    assert wide.total_bytes == 4 * 32 * 4 * 32  # scores of 4 heads, 32 x 32 in float32


def test_every_group_is_simulated_alike():
    for design in grouped().designs:
        assert simulate(design.graph, "simpy").cycles == simulate(design.graph, "maxplus").cycles


def test_times_on_one_card_and_on_a_card_each(tmp_path):
    package = write_groups(grouped(), tmp_path / "p")
    board = require_hbm(load_board("u55c"))
    cycles = sum(each.cycles or 0 for each in package.groups)
    shared, apart = package.shared_us(board, cycles), package.on_cards_us(board, cycles)
    assert board.launch.reconfiguration_us is not None
    assert shared == cycles / 250 + len(package.groups) * board.launch.reconfiguration_us.value
    sent = [package.bytes_over(link) for link in range(len(package.groups) - 1)]
    cycles_over = sum(160 + -(-8 * each // 400) for each in sent)
    assert apart == pytest.approx((cycles + cycles_over) / 250)


def test_a_package_of_groups_is_simulated(sttest, tmp_path):
    folder = tmp_path / "p"
    words = ("small-gpt2", "--phase", "prefill", "--tokens", 32, "--c-max-bytes", SMALL, "-o", folder)
    refused = sttest("compile", *words)
    assert refused.exit_code == 4
    assert "add --groups" in refused.stderr
    assert sttest("compile", *words, "--groups").exit_code == 0
    told = json.loads(sttest("simulate", folder, "--json").stdout)
    assert told["cycles"] == sum(told["groups"].values())
    assert "on one card per group" in sttest("simulate", folder).stdout
    assert sttest("simulate", folder / "group0").exit_code == 0
    assert sttest("compile", *words, "--groups").exit_code == 0  # in place of the earlier one


@pytest.mark.parametrize("options", [{"layers": 2}, {"cards": 2}])
def test_what_groups_are_not_for(options):
    with pytest.raises(InputError):
        grouped(**options)
