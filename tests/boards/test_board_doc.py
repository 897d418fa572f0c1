"""docs/board.md: its signature is written to a file, its session is run, and its tables are those of the code."""

import doctest
import re
from pathlib import Path
from typing import get_args

from sttest.targets.doctor import Status
from sttest.targets.xrt.contract import XRT_RELEASE
from sttest.targets.xrt.emulator import ON_A_CARD

DOC = Path(__file__).parents[2] / "docs" / "board.md"
TEXT = DOC.read_text(encoding="utf-8")


def test_the_session_does_what_it_prints(tmp_path, monkeypatch):
    signature = re.search(r"```json\n(.*?)```", TEXT, re.DOTALL)
    assert signature is not None
    (tmp_path / "signature.json").write_text(signature.group(1), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    session = doctest.DocTestParser().get_doctest(TEXT, {}, "board.md", str(DOC), 0)
    outcome = doctest.DocTestRunner().run(session)
    assert outcome.attempted >= 15
    assert outcome.failed == 0


def rows() -> dict[str, str]:
    return dict(re.findall(r"^\| `([\w-]+)` \| (.*?) \|", TEXT, re.MULTILINE))


def test_every_misuse_is_listed_with_what_a_card_does():
    assert {code: told for code, told in rows().items() if code in ON_A_CARD} == ON_A_CARD


def test_every_status_is_explained():
    assert [name for name in get_args(Status) if name not in rows()] == []


def test_the_release_is_named():
    assert XRT_RELEASE in TEXT
