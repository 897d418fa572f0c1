"""A distribution outside of the tree brings a board and the kind of its memory."""

import json
from pathlib import Path

import pytest

from sttest.boards.base import DataSheet
from sttest.boards.load import known_boards, load_board, quantities, require_hbm, target_board
from sttest.boards.memories import MemoryKind
from sttest.boards.part import Count
from sttest.core import extensions
from sttest.core.errors import InputError, note
from sttest.core.extensions import Extension, Offer
from sttest.sim import load
from sttest.studies.whatif.settings import changed_board
from sttest.studies.whatif.study import Value

SAMPLE = Path(__file__).parent / "sample"


@pytest.mark.slow
def test_a_design_is_compiled_and_simulated_with_the_law_of_their_memory(with_sample, tmp_path):
    shape = ("small-gpt2", "--phase", "decode", "--context", "64")
    done = with_sample("compile", *shape, "--board", "paged-card", "-o", "theirs")
    assert done.returncode == 0, done.stderr
    channels = load(tmp_path / "theirs" / "timed_graph.json").channels
    # 1024 bytes in 64 ns to open the page and 64 ns to send it: 8 GB/s, which is half of a port's 64 bytes at 250 MHz.
    assert {each.bytes_per_cycle() for each in channels} == {32}
    assert {each.latency for each in channels} == {50}  # 2 * 18 + 64 + 100 ns
    told = json.loads(with_sample("simulate", "theirs", "--json").stdout)
    assert told["verdict"] == "done"
    with_sample("compile", *shape, "-o", "ours")
    assert told["cycles"] > json.loads(with_sample("simulate", "ours", "--json").stdout)["cycles"]


@pytest.mark.slow
def test_their_board_is_listed_shown_and_extended(with_sample, tmp_path):
    listed = json.loads(with_sample("board", "--json").stdout)
    assert "paged-card" in listed["targets"]
    shown = json.loads(with_sample("board", "paged-card", "--json").stdout)
    assert shown["quantities"]["memory.hbm.page_open_ns"]["value"] == 64
    assert shown["bandwidth"]["sustained_gb_per_s"] == 16 * 8
    assert shown["bandwidth"]["reached_gb_per_s"] == pytest.approx(16 * 8, rel=0.01)
    (tmp_path / "slow.yaml").write_text("extends: paged-card\nmemory: {hbm: {page_open_ns: {value: 192}}}")
    slow = json.loads(with_sample("board", "slow.yaml", "--json").stdout)
    assert slow["bandwidth"]["sustained_gb_per_s"] == 16 * 4
    (tmp_path / "odd.yaml").write_text("extends: paged-card\nmemory: {hbm: {page_opens_ns: {value: 192}}}")
    assert "unknown key 'page_opens_ns'; did you mean 'page_open_ns'?" in with_sample("board", "odd.yaml").stderr


def test_an_unknown_kind_of_memory_is_refused_with_the_list(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("extends: u55c\nmemory: {hbm: {kind: paged}}")
    told = "memory.hbm: unknown kind of memory 'paged', not one of hbm, ddr, host, flash"
    with pytest.raises(InputError, match=told):
        load_board(path)


def test_a_memory_may_be_of_the_kind_of_another(tmp_path):
    quantities = "\n".join(
        f"    {key}: {{value: {value}, unit: {unit}, source: made up, kind: assumed}}"
        for key, value, unit in (
            ("channels", 4, "count"),
            ("bytes_per_channel", 1024, "bytes"),
            ("read_ns", 100, "ns"),
            ("peak_gb_per_s_per_channel", 20, "GB/s"),
            ("sustained_gb_per_s_per_channel", 16, "GB/s"),
            ("max_burst_bytes", 1024, "bytes"),
            ("outstanding_bursts", 16, "count"),
        )
    )
    path = tmp_path / "mine.yaml"
    path.write_text(f"extends: u55c\nmemory:\n  hbm:\n    kind: ddr\n{quantities}\n")
    board = load_board(path).target
    assert board is not None
    assert (board.feed.channels, board.feed.gb_per_s, board.banks("hbm")) == (4, 64, range(4))
    again = type(board).model_validate(board.model_dump(mode="json"))
    assert again == board
    with pytest.raises(InputError, match="has no HBM"):
        _ = board.hbm


def test_a_kind_of_the_memorys_own_name_is_not_written_down(tmp_path):
    path = tmp_path / "u55c.yaml"
    path.write_text("extends: u55c\nmemory: {hbm: {kind: hbm}}")
    assert load_board(path) == load_board("u55c")
    assert "kind" not in load_board("u55c").model_dump()["memory"]["hbm"]


class TubeBoard(DataSheet):
    """A machine of another kind."""

    tubes: Count


@pytest.fixture
def offered(monkeypatch):
    """Offers of an extension that is installed beside sttest."""

    def install(*offers: Offer) -> None:
        given = [extensions.extensions()[0], Extension("other", offers)]
        monkeypatch.setattr(extensions, "extensions", lambda: given)

    return install


def test_another_kind_of_machine_is_an_opponent(tmp_path, offered):
    offered(Offer("parts", "tube", f"{__name__}:TubeBoard"))
    path = tmp_path / "eniac.yaml"
    tubes = "{value: 17468, unit: count, source: made up, kind: assumed}"
    path.write_text(f"device: tube\ntitle: ENIAC\ntubes: {tubes}")
    board = load_board(path)
    assert (type(board), board.name, board.target) == (TubeBoard, "eniac", None)
    assert [key for key, _ in quantities(board)] == ["tubes"]
    with pytest.raises(InputError, match="choose one of f2, kv260, u280, u50, u55c, v80, vck5000, vhk158"):
        require_hbm(board)


def test_a_study_sets_the_peak_of_a_memory_whose_law_says_what_it_sustains(offered, monkeypatch):
    monkeypatch.syspath_prepend(str(SAMPLE))
    offered(
        Offer("memories", "paged", "sttest_sample.paged:Paged"),
        Offer("boards", "paged-card", "sttest_sample:boards/paged-card.yaml"),
    )
    board = changed_board(target_board("paged-card"), {"board.hbm.bandwidth": Value(value=16 * 8)})
    assert (board.peak_bandwidth_gb_per_s, board.feed.gb_per_s_per_channel) == (128, 1024 / (128 + 64))


def test_a_broken_board_does_not_take_the_others_along(offered, capsys):
    note.cache_clear()
    offered(Offer("boards", "lost", "sttest:lost.yaml"))
    assert "lost" not in [each.name for each in known_boards()]
    assert "note: board 'lost' is left out: boards: lost is to be 'lost.yaml' of sttest" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("door", "text", "says"),
    [
        ("parts", "device: odd", "what is offered as 'odd' is no DataSheet"),
        ("memories", "extends: u55c\nmemory: {hbm: {kind: odd}}", "what is offered as 'odd' is no MemoryKind"),
        ("boards", "extends: odd", "odd is to be 'odd.yaml' of sttest, which has no such file"),
    ],
)
def test_what_is_offered_and_is_something_else_is_refused(tmp_path, offered, door, text, says):
    offered(Offer(door, "odd", "sttest:odd.yaml" if door == "boards" else "json:dumps"))
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=says):
        load_board(path)


def test_memories_that_ship_are_kinds_of_memory():
    names = extensions.offers("memories")
    assert list(names) == ["hbm", "ddr", "host", "flash"]
    assert all(issubclass(MemoryKind.of_kind(name), MemoryKind) for name in names)
