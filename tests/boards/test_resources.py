import pytest
from hypothesis import given
from hypothesis import strategies as st

from sttest.boards.load import load_board, require_hbm
from sttest.boards.operators import OPERATORS_FILE, load_operators
from sttest.boards.resources import (
    BRAM18_BITS,
    KINDS,
    PipelineLogic,
    Resources,
    bram18_blocks,
    capacity_bits,
    fifo_resources,
    load_resource_model,
    memory_resources,
    pipeline_resources,
    process_bound,
    slr_budgets,
    slr_capacity,
    total,
)

_, LIBRARY = load_operators(OPERATORS_FILE)


def test_resources_add_up_and_compare():
    parts = [Resources(dsp=1, lut=10), Resources(lut=5, uram=2)]
    assert total(parts) == Resources(dsp=1, lut=15, uram=2)
    assert total([]) == Resources()
    assert Resources(dsp=3) * 0.5 == Resources(dsp=1.5)
    shares = Resources(dsp=5, uram=1).shares_of(Resources(dsp=10, lut=1))
    assert shares == Resources(dsp=0.5, uram=float("inf"))
    assert shares.largest == float("inf")
    assert KINDS == ("dsp", "lut", "ff", "bram18", "uram")


def test_a_tight_budget_is_a_share_of_what_shell_and_hbm_switch_leave():
    fabric = require_hbm(load_board("u55c")).fabric
    assert slr_capacity(fabric.slrs[0]) == Resources(2664, 386000, 2 * 386000, 1200, 320)
    first, second, third = slr_budgets(fabric, "tight", 32)
    # 32 ports of 5,000 LUTs and 6,500 flip-flops are off the SLR at the HBM alone.
    assert tuple(first) == pytest.approx((1998, 0.6 * 226000, 0.5 * 564000, 840, 224))
    assert tuple(second) == pytest.approx((2088, 0.6 * 364000, 0.5 * 728000, 806.4, 224))
    assert tuple(third) == pytest.approx((2142, 0.6 * 381000, 0.5 * 762000, 840, 224))
    assert slr_budgets(fabric, "tight", 0)[0].lut == pytest.approx(0.6 * 386000)


@pytest.mark.parametrize("beside", [0, 1, 2])
def test_the_switch_is_taken_off_the_slr_that_the_board_names(beside):
    fabric = require_hbm(load_board("u55c")).fabric
    moved = fabric.model_copy(update={"hbm_slr": fabric.hbm_slr.model_copy(update={"value": float(beside)})})
    lost = [
        whole.lut - left.lut
        for whole, left in zip(slr_budgets(moved, "all", 0), slr_budgets(moved, "all", 10), strict=True)
    ]
    assert lost == [50_000 if number == beside else 0 for number in range(3)]


def test_the_published_budget_is_nine_tenths_of_every_slr_whatever_the_ports():
    fabric = require_hbm(load_board("u55c")).fabric
    for ports in (0, 32):
        budgets = slr_budgets(fabric, "published", ports)
        assert [budget.dsp for budget in budgets] == pytest.approx([2397.6, 2505.6, 2570.4])
        assert budgets[0].lut == pytest.approx(0.9 * 386000)
    assert process_bound(fabric, "published") == Resources(2664, 364000, 728000, 1152, 320)


def test_all_is_what_shell_and_switch_leave():
    fabric = require_hbm(load_board("u55c")).fabric
    assert [budget.lut for budget in slr_budgets(fabric, "all", 10)] == [336000, 364000, 381000]
    assert slr_budgets(fabric, "all", 100)[0].lut == 0


def test_a_process_may_take_a_quarter_of_the_smallest_slr():
    fabric = require_hbm(load_board("u55c")).fabric
    assert process_bound(fabric, "tight") == Resources(666, 91000, 182000, 288, 80)


@pytest.mark.parametrize(
    ("depth", "bits", "blocks"),
    [(512, 36, 1), (513, 36, 2), (1024, 18, 1), (2048, 8, 1), (16384, 1, 1), (16384, 32, 32), (1, 4096, 114)],
)
def test_block_ram_by_the_shapes_of_the_data_sheet(depth, bits, blocks):
    assert bram18_blocks(depth, bits) == blocks


@given(depth=st.integers(1, 1 << 17), bits=st.integers(1, 4096))
def test_blocks_hold_what_they_are_counted_for(depth, bits):
    for kind in ("srl", "lutram", "bram", "uram"):
        cells = memory_resources(kind, depth, bits)
        assert capacity_bits(kind, cells, depth, bits) >= depth * bits
    # One block fewer of the shape without parity would not do, whatever the shape.
    assert bram18_blocks(depth, bits) >= depth * bits / BRAM18_BITS


@given(
    depth=st.integers(1, 5000), bits=st.integers(1, 512), kind=st.sampled_from(["register", "srl", "lutram", "bram"])
)
def test_a_larger_fifo_is_never_cheaper(depth, bits, kind):
    small = fifo_resources(kind, depth, bits)
    for larger in (fifo_resources(kind, depth + 1, bits), fifo_resources(kind, depth, bits + 1)):
        assert all(more >= less for more, less in zip(larger, small, strict=True))


@pytest.mark.parametrize(
    ("kind", "depth", "ff", "lut"), [("srl", 25, 8, 50), ("lutram", 125, 121, 180), ("bram", 1024, 95, 78)]
)
def test_fifos_of_32_bits_are_as_reported(kind, depth, ff, lut):
    fifo = fifo_resources(kind, depth, 32)
    assert (fifo.ff, fifo.lut) == (ff, lut)


def test_a_floating_point_lane_is_five_dsps_and_packed_products_share_one():
    assert pipeline_resources(PipelineLogic({"fmul": 16, "fadd": 16}, ports=3, trip=1024), LIBRARY).dsp == 80
    assert pipeline_resources(PipelineLogic({"mac_w4a8_packed": 256}), LIBRARY).dsp == 128
    assert pipeline_resources(PipelineLogic({"mac_w8a8": 256}), LIBRARY).dsp == 256


def test_overheads_are_charged_per_stage_port_and_bit():
    model = load_resource_model()
    empty = pipeline_resources(PipelineLogic(ports=2, trip=1 << 10), LIBRARY)
    assert empty.lut == pytest.approx(2 * model.lut.ports + 10 * model.lut.counter_bits)
    one = pipeline_resources(PipelineLogic({"fmul": 1}, ports=2, trip=1 << 10), LIBRARY)
    assert one.ff - empty.ff == pytest.approx(143 + 4 * model.ff.stages)
    shared = pipeline_resources(
        PipelineLogic(ports=2, trip=1 << 10, interval=2, shared_operators=5, accesses=3), LIBRARY
    )
    extra = 2 * model.lut.shared_ports + 5 * model.lut.shared_operators + 3 * model.lut.shared_accesses
    assert shared.lut - empty.lut == pytest.approx(extra)


def test_a_lane_of_a_tree_takes_less_than_an_element_of_a_systolic_array():
    tree = pipeline_resources(PipelineLogic({"mac_w4a8_packed": 256}), LIBRARY)
    array = pipeline_resources(PipelineLogic({"pe_w4a8": 256}), LIBRARY)
    assert (tree.dsp, array.dsp) == (128, 128)
    assert tree.lut < array.lut / 4
    assert tree.ff < array.ff / 2


def test_operators_reported_with_their_surroundings_get_none_again():
    bare = pipeline_resources(PipelineLogic({"pe_w4a8": 1}, trip=2), LIBRARY)
    nothing = pipeline_resources(PipelineLogic(trip=2), LIBRARY)
    assert bare.lut - nothing.lut == pytest.approx(254)


def test_the_adapter_of_a_port_is_the_next_wider_one():
    model = load_resource_model()
    assert model.adapter(512).bram18 == 30
    assert model.adapter(100) == model.adapter(128)
    assert model.adapter(1024) == model.adapter(512)
