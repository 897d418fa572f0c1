"""Boards that extend another one: an overridden peak takes its rates with it, an override without effect is said."""

import pytest

from sttest.boards.load import board_notes, load_board, require_hbm
from sttest.core.errors import note
from sttest.studies.whatif.settings import changed_board
from sttest.studies.whatif.study import Value


@pytest.fixture
def write(tmp_path):
    note.cache_clear()  # each is told once

    def write_board(memory: str, base: str = "u55c", name: str = "mine.yaml"):
        path = tmp_path / name
        path.write_text(f"extends: {base}\nmemory: {memory}", encoding="utf-8")
        return path

    return write_board


def test_a_peak_keeps_its_sustained_share_and_gets_the_port_it_needs(write):
    base = load_board("u55c").hbm
    fast = require_hbm(load_board(write("{hbm: {peak_gb_per_s_per_channel: {value: 25.59375}}}"))).hbm
    share = base.sustained_gb_per_s / base.peak_gb_per_s
    assert fast.sustained_gb_per_s / fast.peak_gb_per_s == pytest.approx(share)
    assert fast.axi_port_gb_per_s == pytest.approx(25.59375)
    before, after = (hbm.bytes_per_cycle_per_channel(250, sustained=True) for hbm in (base, fast))
    assert after / before == pytest.approx(25.59375 / base.peak_gb_per_s_per_channel.value)
    assert fast.sustained_gb_per_s_per_channel.kind == "assumed"
    assert "before: 13.2 GB/s (Vitis_Accel_Examples" in fast.sustained_gb_per_s_per_channel.source


def test_it_is_what_the_axis_of_a_study_does(write):
    file = load_board(write("{hbm: {peak_gb_per_s_per_channel: {value: 25}}}"))
    for key, value in (("hbm.bandwidth", 800), ("memory.hbm.peak_gb_per_s_per_channel", 25)):
        axis = changed_board(require_hbm(load_board("u55c")), {f"board.{key}": Value(value=value)})
        assert axis.tier("hbm") == file.tier("hbm")


def test_what_a_study_sets_beside_a_peak_holds_in_either_order():
    settings = {"board.memory.ddr.sustained_gb_per_s_per_channel": 20, "board.memory.ddr.peak_gb_per_s_per_channel": 40}
    for order in (list(settings), list(reversed(settings))):
        given = {key: Value(value=settings[key]) for key in order}
        assert changed_board(require_hbm(load_board("u280")), given).tier("ddr").gb_per_s_per_channel == 20


def test_a_lower_peak_sustains_less_through_the_same_port(write):
    slow = load_board(write("{hbm: {peak_gb_per_s_per_channel: {value: 1.4375}}}")).hbm
    assert slow.sustained_gb_per_s_per_channel.value == pytest.approx(1.32)  # a tenth of the peak, of 13.2 GB/s
    assert slow.axi_port_mhz == load_board("u55c").hbm.axi_port_mhz


def test_what_the_file_sets_itself_holds(write):
    own = "{hbm: {peak_gb_per_s_per_channel: {value: 28}, sustained_gb_per_s_per_channel: {value: 20}}}"
    hbm = load_board(write(own)).hbm
    assert (hbm.sustained_gb_per_s_per_channel.value, hbm.axi_port_gb_per_s) == (20, 28)


@pytest.mark.parametrize("tier", ["ddr", "host", "flash"])
def test_other_memories_keep_their_share_too(write, tier):
    before = getattr(load_board("u280").memory, tier)
    peak = 1.5 * before.peak_gb_per_s_per_channel.value
    path = write(f"{{{tier}: {{peak_gb_per_s_per_channel: {{value: {peak}}}}}}}", "u280")
    sustained = getattr(load_board(path).memory, tier).sustained_gb_per_s_per_channel.value
    assert sustained == pytest.approx(1.5 * before.sustained_gb_per_s_per_channel.value)


def test_a_chain_of_files_keeps_the_share(write):
    write("{hbm: {peak_gb_per_s_per_channel: {value: 20}}}", name="first.yaml")
    second = load_board(write("{hbm: {peak_gb_per_s_per_channel: {value: 28.75}}}", "first.yaml")).hbm
    assert second.sustained_gb_per_s_per_channel.value == pytest.approx(2 * 13.2)


@pytest.mark.parametrize(
    ("memory", "says"),
    [
        ("{hbm: {axi_port_mhz: {value: 900}}}", "a channel gives 13.2 GB/s as before, by sustained_gb_per_s"),
        ("{hbm: {sustained_gb_per_s_per_channel: {value: 14.3}, axi_port_mhz: {value: 300}}}", "gives 9.6 of the 14.3"),
        ("{host: {peak_gb_per_s_per_channel: {value: 100}}}", "pcie.host_to_card_gb_per_s"),
        ("{hbm: {stacks: {value: 2}}}", "memory.hbm.stacks: is 2 without the override, too"),
    ],
)
def test_an_override_without_effect_is_said(write, memory, says, capsys):
    path = write(memory)
    [note] = board_notes(path)
    assert says in note
    load_board(path)
    assert note in capsys.readouterr().err


def test_nothing_is_said_of_an_override_that_counts(write, capsys):
    load_board(write("{hbm: {peak_gb_per_s_per_channel: {value: 25}}, host: {read_ns: {value: 1}}}"))
    load_board("u280")
    assert capsys.readouterr().err == ""
