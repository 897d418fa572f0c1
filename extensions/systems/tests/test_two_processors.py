"""Steps of two processors on a memory: placements, both engines, and a closed form."""

import numpy as np
import pytest

from sttest.boards.load import load_board
from sttest.core.errors import InputError
from sttest.models.registry import get_config
from sttest.sim import simulate
from sttest.studies.experts.routing import drawn_routing
from sttest_systems.duplex.two_processors import PLACEMENTS, Part, Step, closed_form_cycles, stages, step_graph

BOARD = load_board("duplex")
MIXTRAL = get_config("mixtral-8x7b")


def step(batch=16, context=512, devices=4):
    return Step(BOARD, MIXTRAL, devices, batch, context)


def routing(batch, seed=1):
    return drawn_routing(batch, MIXTRAL.layers, MIXTRAL.experts, MIXTRAL.experts_per_token, seed=seed).choices


def cycles(one, placement, chosen=None, engine="maxplus"):
    of = stages(one, routing(one.batch) if chosen is None else chosen, placement)
    return simulate(step_graph(one, of), engine).cycles


def test_operations_per_byte_are_those_of_the_paper():
    """Sixteen bits each: an expert one per token, attention the heads of a group, whatever the batch."""
    one = step()
    assert [one.expert(tokens).ops_per_byte for tokens in (1, 5)] == [1, 5]
    assert one.attention().ops_per_byte == MIXTRAL.heads / MIXTRAL.kv_heads == 4
    assert step(batch=3, context=9).attention().ops_per_byte == 4
    assert one.projections().ops_per_byte == one.head().ops_per_byte == one.batch


def test_a_part_by_hand():
    """Reading 3,352 bytes takes the xPU a nanosecond, Logic-PIM a quarter, until its arithmetic binds."""
    few, many = Part("few", 3352, 3352), Part("many", 64 * 107264 * 10, 107264 * 10)
    assert (BOARD.xpu.seconds(3352, 3352), BOARD.logic_pim.seconds(3352, 3352)) == pytest.approx((1e-9, 0.25e-9))
    assert few.cycles(BOARD.logic_pim) <= few.cycles(BOARD.xpu)
    assert BOARD.logic_pim.seconds(many.operations, many.moved_bytes) == pytest.approx(640e-9)
    assert BOARD.xpu.seconds(many.operations, many.moved_bytes) == pytest.approx(320e-9)
    assert BOARD.logic_pim.balance == pytest.approx(8)


@pytest.mark.parametrize("placement", PLACEMENTS)
@pytest.mark.parametrize("batch", [1, 7, 64])
def test_both_engines_and_the_closed_form(placement, batch):
    one = step(batch)
    of = stages(one, routing(batch), placement)
    graph = step_graph(one, of)
    assert simulate(graph).cycles == simulate(graph, "simpy").cycles == closed_form_cycles(one, of)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("batch", [1, 16, 128])
def test_a_choice_is_never_slower_than_none(seed, batch):
    one, chosen = step(batch), routing(batch, seed)
    xpu, pim, layer, expert = (cycles(one, placement, chosen) for placement in PLACEMENTS)
    assert expert <= layer <= min(xpu, pim)
    rounding = one.config.layers * 60
    assert xpu < 4 * layer + rounding, "Logic-PIM has four times the bandwidth"
    assert xpu < 5 * expert + rounding, "and both at once have five times"


def test_every_expert_is_on_one_processor():
    chosen = routing(64)
    for stage in stages(step(64), chosen, "by expert")[2::3]:
        tokens = [part.ops_per_byte for part in (*stage.logic_pim, *stage.xpu)]
        assert tokens == sorted(tokens), "those with few tokens on Logic-PIM"
    counts = np.bincount(chosen[:, 0].ravel())
    first = stages(step(64), chosen, "by expert")[2]
    assert sorted(part.ops_per_byte for part in (*first.logic_pim, *first.xpu)) == sorted(counts)


def test_one_device_exchanges_nothing_and_more_devices_hold_more():
    assert step(devices=1).exchange_cycles() == 0 < step(devices=2).exchange_cycles()
    assert not step(devices=1).fits
    assert step(devices=4).fits
    assert not step(batch=512, context=16384).fits


def test_what_cannot_be():
    with pytest.raises(InputError, match="0 requests"):
        step(batch=0)
    with pytest.raises(InputError, match="gpt2"):
        Step(BOARD, get_config("gpt2"), 1, 1, 1)


def test_an_sn40l_switches_a_model_from_its_ddr():
    assert load_board("sn40l").switch_seconds(16e9, 16) == pytest.approx(1e9 / 200e9)
