"""The example of docs/ladder.md runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.torch

DOC = Path(__file__).parents[2] / "docs" / "ladder.md"


def test_the_example_generates(design_of, tmp_path, monkeypatch, capsys):
    (tmp_path / "build").mkdir()
    for phase in ("prefill", "decode"):
        (tmp_path / "build" / phase).symlink_to(design_of("small-gpt2", phase).package.folder)
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", DOC.read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(code, str(DOC), "exec"), {})
    assert re.fullmatch(r"\(\d+, \d+, \d+, \d+\)\n", capsys.readouterr().out)
