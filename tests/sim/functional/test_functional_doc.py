"""The example of docs/functional.md runs."""

import re
from pathlib import Path

DOC = Path(__file__).parents[3] / "docs" / "functional.md"


def test_the_example_runs(capsys) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", DOC.read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(code, str(DOC), "exec"), {})
    assert capsys.readouterr().out == "(32, 64) (16, 8, 16)\n"
