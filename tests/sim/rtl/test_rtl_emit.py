"""The emitted folder: names are data, files stay in it, equal processes share a module."""

import json
import re

from rtl_graphs import HOSTILE, check, hostile_graph, needs

from sttest.targets.rtl import emit
from sttest.targets.rtl.loops import identifier


@needs("icarus")
def test_any_name_will_do(tmp_path):
    check([hostile_graph()], "icarus", tmp_path)


def test_only_plain_letters_reach_the_text(tmp_path):
    emit([hostile_graph()], tmp_path / "rtl")
    text = (tmp_path / "rtl" / "graphs.sv").read_text()
    assert re.fullmatch(r"[A-Za-z0-9_ \n(){}\[\];:,.#'=~|&+`$/*?<>@!^%-]*", text)
    assert "passwd" not in text or "/etc" not in text
    assert "$finish" not in text
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rtl"]
    listing = json.loads((tmp_path / "rtl" / "twin.json").read_text())["graphs"][0]
    assert listing["fifos"] == HOSTILE


def test_identifiers_are_short_and_unique():
    names = [identifier("fifo_", number, name) for number, name in enumerate(["x" * 200, "x" * 199, "", "-"])]
    assert len(set(names)) == 4
    assert all(re.fullmatch(r"[a-z][A-Za-z0-9_]{0,60}", name) for name in names)


def test_equal_processes_share_a_module(tmp_path):
    """All sources and sinks here: one side, three stages, one token in each."""
    emit([hostile_graph(), hostile_graph()], tmp_path)
    assert len(re.findall(r"^module ", (tmp_path / "processes.sv").read_text(), re.M)) == 1
