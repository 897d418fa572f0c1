"""docs/boards.md: its what-if is written to a file and its session is run and compared."""

import doctest
import re
from pathlib import Path
from typing import get_args

from sttest.boards.load import load_board
from sttest.core.results import Kind

DOC = Path(__file__).parents[2] / "docs" / "boards.md"


def test_the_example_does_what_it_prints(tmp_path, monkeypatch):
    text = DOC.read_text(encoding="utf-8")
    example = re.search(r"```yaml\n(extends:.*?)```", text, re.DOTALL)
    assert example is not None
    (tmp_path / "fast_hbm.yaml").write_text(example.group(1), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    session = doctest.DocTestParser().get_doctest(text, {}, "boards.md", str(DOC), 0)
    outcome = doctest.DocTestRunner().run(session)
    assert outcome.attempted >= 5
    assert outcome.failed == 0


def test_without_the_port_the_channel_stays_behind_it(tmp_path):
    path = tmp_path / "narrow.yaml"
    path.write_text("extends: u55c\nmemory: {hbm: {peak_gb_per_s_per_channel: {value: 28.75}}}")
    assert load_board(path).hbm_bytes_per_cycle_per_channel() == 14.4e3 / 250


def test_every_kind_is_explained():
    listed = re.findall(r"^\| `(\w+)` \|", DOC.read_text(encoding="utf-8"), re.MULTILINE)
    assert [kind for kind in listed if kind in get_args(Kind)] == list(get_args(Kind))
