"""Every .mlir file here is a test: its text goes through passes, and filecheck reads what comes out.

The first line says how:

- ``// PASSES: a,b{option=1}``  the IR after these passes; empty for a round trip;
- ``// ERRORS``                 parts divided by ``// -----`` that must each be refused; their error lines;
- ``// ERRORS: a,b``            the same, refused by the last of these passes.

What comes out must also print the same when it is parsed again.
"""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from filecheck.finput import FInput
from filecheck.matcher import Matcher
from filecheck.options import Options
from filecheck.parser import Parser, pattern_for_opts

from sttest.compile.opt import run_opt
from sttest.compile.steps import OWN
from sttest.core.errors import SttestError

HERE = Path(__file__).parent
FILES = sorted(HERE.glob("*/*.mlir"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_file(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = path.read_text()
    kind, _, pipeline = text.splitlines()[0].removeprefix("// ").partition(":")
    if kind == "PASSES":
        found = _transformed(text, path.name, pipeline)
    else:
        assert kind == "ERRORS", f"the first line of {path.name} says neither PASSES nor ERRORS"
        found = "\n".join(_refusal(part, path.name, pipeline) for part in text.split("// -----"))
    assert _matches(path, text, found), capsys.readouterr().err


def test_every_pass_has_a_file() -> None:
    passes = {path.stem for path in (HERE / "passes").glob("*.mlir")}
    assert passes == {name.replace("-", "_") for name in OWN}


def _transformed(text: str, name: str, pipeline: str) -> str:
    found = run_opt(text, name, pipeline, verify_each=True).text
    assert run_opt(found, f"{name} again", "").text == found
    return found


def _refusal(part: str, name: str, pipeline: str) -> str:
    """The error that a part is refused with."""
    try:
        run_opt(part, name, pipeline)
    except SttestError as error:
        return str(error)
    pytest.fail(f"not refused:\n{part}")


def _matches(path: Path, text: str, found: str) -> bool:
    options = Options(match_filename=str(path))
    checks = Parser(options, StringIO(text), *pattern_for_opts(options))
    return Matcher(options, FInput(path.name, found), checks).run() == 0
