"""Loading boards: what-ifs, and every way in which a description can be wrong."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from sttest.boards.load import load_board, require_hbm
from sttest.core.errors import InputError


@pytest.fixture
def write(tmp_path):
    def write_board(text: str, name: str = "mine.yaml") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write_board


def complaint(path) -> str:
    with pytest.raises(InputError) as caught:
        load_board(path)
    text = str(caught.value)
    assert "\n" not in text
    assert caught.value.exit_code == 2
    return text.replace(f"{Path(path).parent}/", "")


def test_a_what_if_changes_only_what_it_names(write):
    mine = require_hbm(load_board(write("extends: u55c\nmemory: {hbm: {pseudo_channels: {value: 64}}}")))
    base = require_hbm(load_board("u55c"))
    assert mine.name == "mine"
    assert mine.peak_bandwidth_gb_per_s == 2 * base.peak_bandwidth_gb_per_s
    assert mine.fabric == base.fabric
    assert mine.hbm.axi_ports == base.hbm.axi_ports


def test_a_changed_value_does_not_keep_its_old_source(write):
    clock = require_hbm(load_board(write("extends: u55c\nclock_mhz: {value: 300}"))).clock_mhz
    assert (clock.value, clock.kind) == (300, "assumed")
    assert clock.source.startswith("what-if of mine.yaml; before: 250 MHz")


def test_a_changed_value_may_bring_its_own_source(write):
    text = "extends: u55c\nclock_mhz: {value: 300, source: our board, kind: measured}"
    clock = require_hbm(load_board(write(text))).clock_mhz
    assert (clock.source, clock.kind) == ("our board", "measured")


def test_what_ifs_of_what_ifs(write):
    write("extends: u55c\nclock_mhz: {value: 300}", "first.yaml")
    second = require_hbm(load_board(write("extends: first.yaml\npower: {idle_w: {value: 20}}", "second.yaml")))
    assert (second.clock_mhz.value, second.power.idle_w.value) == (300, 20)


def test_lists_are_replaced_whole(write):
    quantity = "{value: 9, unit: count, source: what if, kind: assumed}"
    slr = f"[{{lut: {quantity}, dsp: {quantity}, bram18: {quantity}, uram: {quantity}}}]"
    assert len(require_hbm(load_board(write(f"extends: u55c\nfabric: {{slrs: {slr}}}"))).fabric.slrs) == 1


def test_a_board_without_hbm_loads_until_hbm_is_needed(write):
    board = load_board(write("extends: u55c\nmemory: {hbm: null}"))
    with pytest.raises(InputError, match="board 'mine' has no HBM pseudo-channels"):
        require_hbm(board)
    with pytest.raises(InputError, match="board 'mine' has no HBM"):
        _ = board.peak_bandwidth_gb_per_s


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "extends: u55c\nmemory: {hbm: {psuedo_channels: {value: 3}}}",
            "mine.yaml: memory.hbm.psuedo_channels: unknown key 'psuedo_channels'; did you mean 'pseudo_channels'?",
        ),
        ("extends: u55c\nclock: {value: 3}", "mine.yaml: clock: unknown key 'clock'; did you mean 'clock_mhz'?"),
        ("extends: u55c\nclock_mhz: {vlaue: 3}", "clock_mhz.vlaue: unknown key 'vlaue'; did you mean 'value'?"),
        ("extends: a100\nidle: 3", "mine.yaml: idle: unknown key 'idle'; did you mean 'idle_w'?"),
        (
            "extends: u55c\nmemory: {hbm: {peak_gb_per_s_per_channel: {value: -3}}}",
            "memory.hbm.peak_gb_per_s_per_channel.value: input should be greater than or equal to 0, given -3",
        ),
        ("extends: u55c\nclock_mhz: {value: 0}", "clock_mhz: must be greater than 0"),
        (
            "extends: u55c\nclock_mhz: {value: .nan}",
            "mine.yaml: line 2, column 20: '.nan' is no finite number in plain digits",
        ),
        ("extends: u55c\nclock_mhz: {value: 1e9}", "clock_mhz.value: input should be a valid number, given '1e9'"),
        ("extends: u55c\nclock_mhz: {value: 1, unit: GHz}", "clock_mhz: unit 'GHz' where 'MHz' is expected"),
        ("extends: u55c\nclock_mhz: 300", "given 300; write {value: …, unit: …, source: …, kind: …}"),
        ("extends: u55c\nmemory: 3", "mine.yaml: memory: input should be a mapping for BoardMemory, given 3"),
        ("extends: u55c\nfabric: {slrs: []}", "fabric.slrs: tuple should have at least 1 item"),
        ("extends: u55c\nfabric: {hbm_slr: {value: 3}}", "mine.yaml: fabric: hbm_slr is 3, and the last of 3 is 2"),
        ("extends: u55c\nname: ../up", "mine.yaml: name: string should match pattern"),
        ("device: gpu\nname: x", "mine.yaml: title: key 'title' is missing"),
        ("device: tpu", "mine.yaml: device is 'tpu', not one of fpga, gpu, pim, mesh, duplex, rdu; extend a board"),
        ("extends: u56c", "mine.yaml: extends: unknown board 'u56c'; did you mean 'u55c'?"),
        ("extends: ./missing.yaml", "missing.yaml: cannot be read: No such file or directory"),
        ("extends: [u55c]", "mine.yaml: 'extends' is not the name or path of a board"),
        ("extends: mine.yaml", "mine.yaml: 'extends' goes round in a circle: mine.yaml -> mine.yaml"),
    ],
)
def test_one_clear_line(write, text, says):
    assert says in complaint(write(text))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("- a\n- b", "mine.yaml: holds a list where a mapping of keys is expected"),
        ("", "mine.yaml: holds a NoneType where"),
        ("!!python/object/apply:os.getcwd []", "could not determine a constructor for the tag"),
        ("a: !!python/name:os.system", "could not determine a constructor for the tag"),
        ("a: &x [1]\nb: *x", "line 2, column 4: aliases are not allowed"),
        ("a: 1\na: 2", "line 2, column 1: key 'a' is given twice"),
        ("? [a, b]\n: 1", "line 1, column 3: a key is not a plain word"),
        ("extends: u55c\n1: 2", "keys should be strings"),
        ("a: [", "line 2, column 1: did not find expected node content"),
        ("a: " + "[" * 500 + "]" * 500, "mine.yaml: nested too deeply"),
        ("a: " + "[" * 5000 + "]" * 5000, "nest"),  # the scanner looks ahead, and has a bound of its own
        ("a: " + "x" * 300_000, "mine.yaml: too large (bound 262144 bytes)"),
    ],
)
def test_yaml_that_is_no_board(write, text, says):
    assert says in complaint(write(text))


def test_cycle_over_two_files(write):
    write("extends: b.yaml", "a.yaml")
    path = write("extends: a.yaml", "b.yaml")
    assert "'extends' goes round in a circle: b.yaml -> a.yaml -> b.yaml" in complaint(path)


def test_text_that_is_not_utf8(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_bytes(b"name: \xff")
    assert complaint(path) == "mine.yaml: not UTF-8 at byte 6"


def test_a_folder_is_not_a_board(tmp_path):
    assert "cannot be read" in complaint(f"{tmp_path}/")


def test_unknown_names_suggest_the_nearest():
    assert complaint("u5c") == "board: unknown board 'u5c'; did you mean 'u55c'? or give the path of a .yaml file"
    names = "a100, duplex, f2, kv260, pim-gpt, rtx2080ti, sn40l, u280, u50, u55c, v80, vck5000, vhk158, wse-2"
    assert f"choose one of {names} or give" in complaint("stratix")


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(["memory", "clock_mhz", "fabric", "power", "name", "extends", "new"]), PLAIN)
def test_whatever_is_written_the_answer_is_a_board_or_an_input_error(tmp_path_factory, key, value):
    path = tmp_path_factory.mktemp("fuzz") / "mine.yaml"
    path.write_text(yaml.safe_dump({"extends": "u55c", key: value}, allow_unicode=True), encoding="utf-8")
    try:
        said = str(load_board(path).peak_bandwidth_gb_per_s)
    except InputError as error:
        said = str(error)
    assert said == "460.0" or (str(path.parent) in said and "\n" not in said)
