from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sttest.boards.load import load_board, require_hbm
from sttest.boards.operators import (
    OPERATORS_FILE,
    OWN,
    accumulator,
    add_tree_latency,
    add_tree_levels,
    carried_adders,
    chain_stages,
    load_operators,
    operators,
)
from sttest.core.errors import InputError

NEEDED = {
    *("fadd", "fadd_fabric", "fsub", "fmul", "fdiv", "frecip", "fexp", "fsqrt", "frsqrt", "fcmp", "fmax", "ftanh"),
    *(
        "sitofp",
        "fptosi",
        "fround",
        "fext",
        "ftrunc",
        "mac_w4a8",
        "mac_w4a8_packed",
        "mac_w8a8",
        "mac_w4a8_cascaded",
        "mac_w4a8_packed_cascaded",
        "mac_w8a8_cascaded",
        "mac_w4a8_fabric",
        "mac_w8a8_fabric",
        "pe_w4a8",
        "pe_w8a8",
        "imul_fabric",
        "iadd",
        "imax",
        "select",
    ),
}


@pytest.fixture(scope="module")
def library():
    return operators(require_hbm(load_board("u55c")))


def test_the_library_is_complete(library):
    assert set(library) - set(OWN) == NEEDED  # own kernels of other tests bring their operators along
    assert all(operator.timing.source and operator.area.source for operator in library.values())


@pytest.mark.parametrize(
    ("name", "stages", "dsp", "ff", "lut"),
    [("fmul", 4, 3, 143, 78), ("fadd", 7, 2, 318, 198), ("fadd_fabric", 5, 0, 243, 338), ("fexp", 14, 7, 316, 748)],
)
def test_reported_operators(library, name, stages, dsp, ff, lut):
    operator = library[name]
    assert (operator.stages, operator.latency_cycles) == (stages, stages - 1)
    assert (operator.area.dsp, operator.area.ff, operator.area.lut) == (dsp, ff, lut)
    assert (operator.timing.kind, operator.area.kind) == ("published", "published")


def test_areas_that_hls_reports_as_zero_are_marked_as_assumed(library):
    assert all(library[name].area.kind == "assumed" for name in ("fdiv", "fsqrt", "fcmp", "sitofp"))


@pytest.mark.parametrize(("name", "adder_bits"), [("mac_w4a8", 20), ("mac_w8a8", 24)])
def test_a_product_in_luts_is_one_of_the_reports_and_the_adder_behind_it(library, name, adder_bits):
    area = library[f"{name}_fabric"].area
    assert (area.dsp, area.ff, area.lut) == (0, adder_bits, library["imul_fabric"].area.lut + adder_bits)
    assert library[f"{name}_fabric"].stages == library[name].stages


@pytest.mark.parametrize(("name", "bits"), [("mac_w4a8", 4), ("mac_w4a8_packed", 4), ("mac_w8a8", 8)])
def test_a_product_in_a_cascade_has_the_adder_of_its_dsp(library, name, bits):
    area = library[f"{name}_cascaded"].area
    assert (area.dsp, area.ff, area.lut) == (library[name].area.dsp, 0, bits)
    assert library[f"{name}_cascaded"].stages == library[name].stages


def test_tanh_is_a_chain(library):
    tanh = library["ftanh"]
    assert tanh.stages == 7 + 14 + 7 + 12 + 7
    assert tanh.area.dsp == 2 + 7 + 2 + 0 + 2
    assert tanh.timing.source == "composed: fadd, then fexp, then fadd, then fdiv, then fsub"
    assert tanh.timing.kind == "assumed"


def test_chains_add_stages(library):
    assert chain_stages([]) == 0
    assert chain_stages([library["fmul"], library["fadd"]]) == 11


def test_slower_clocks_keep_the_latencies_and_faster_ones_are_refused(tmp_path, library):
    slow = tmp_path / "slow.yaml"
    slow.write_text("extends: u55c\nclock_mhz: {value: 100}")
    assert operators(require_hbm(load_board(slow))) == library
    fast = tmp_path / "fast.yaml"
    fast.write_text("extends: u55c\nclock_mhz: {value: 400}")
    with pytest.raises(InputError, match=r"demand 400\.0 MHz, bound 300 MHz"):
        operators(require_hbm(load_board(fast)))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            "[fadd, fexp, fadd, fdiv, fsub]",
            "[fadd, fexp, fadd, fdiv, fsubb]",
            "operators.ftanh.compose: unknown operator 'fsubb'; did you mean 'fsub'?",
        ),
        ("stages: 4, latency_cycles: 3", "stages: 4, latency_cycles: 4", "is not stages 4 less one"),
        ("{dsp: 3,", "{dps: 3,", "operators.fmul.area.dps: unknown key 'dps'; did you mean 'dsp'?"),
        ("{dsp: 3,", "{dsp: -3,", "operators.fmul.area.dsp: input should be greater than or equal to 0"),
        ("    compose: [fadd, fexp, fadd, fdiv, fsub]", "", "give either timing and area, or compose"),
    ],
)
def test_a_broken_library_is_refused(tmp_path, old, new, says):
    text = Path(OPERATORS_FILE).read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "operators.yaml"
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_operators(path)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("n", "kind", "cycles"),
    [(1, "float", 0), (2, "float", 7), (16, "float", 28), (17, "float", 35), (9, "float_fabric", 20), (64, "int", 6)],
)
def test_adder_trees(n, kind, cycles):
    assert add_tree_latency(n, kind) == cycles


@given(st.integers(1, 10**6))
def test_a_tree_is_just_deep_enough(n):
    levels = add_tree_levels(n)
    assert 2**levels >= n
    assert levels == 0 or 2 ** (levels - 1) < n


@pytest.mark.parametrize(
    ("products", "distance", "ii", "adder"),
    [
        # Published initiation intervals of the Stream-HLS FPGA'25 artifact: R, distance -> II.
        (1, 1, 4, "fadd_fabric"),
        (1, 8, 1, "fadd"),
        (4, 1, 12, "fadd_fabric"),
        (4, 10, 2, "fadd_fabric"),
        (4, 16, 1, "fadd_fabric"),
        (4, 32, 1, "fadd"),
        (8, 16, 1, "fadd_fabric"),
        (8, 28, 1, "fadd"),
        (10, 1, 16, "fadd_fabric"),
        (10, 25, 1, "fadd_fabric"),
        (10, 26, 1, "fadd"),
        (32, 1, 16, "fadd_fabric"),
    ],
)
def test_accumulators_as_published(products, distance, ii, adder):
    found = accumulator(products, distance)
    assert (found.ii, found.adder) == (ii, adder)


@given(st.integers(1, 64), st.integers(1, 200), st.integers(1, 20))
def test_accumulators_follow_their_law(products, distance, ii):
    found = accumulator(products, distance, ii=ii)
    assert found.ii >= ii
    assert found.ii * distance >= 4 * carried_adders(products)
    assert accumulator(products, distance + 1, ii=ii).ii <= found.ii
    assert accumulator(products + 1, distance, ii=ii).ii >= found.ii


@given(st.integers(1, 64), st.integers(1, 8))
def test_integers_accumulate_every_cycle(products, distance):
    assert accumulator(products, distance, kind="int").ii == 1


@pytest.mark.parametrize(
    "wrong",
    [lambda: add_tree_levels(0), lambda: carried_adders(0), lambda: accumulator(1, 0), lambda: accumulator(1, 1, ii=0)],
)
def test_nothing_to_add_is_an_error(wrong):
    with pytest.raises(InputError):
        wrong()
