"""docs/whatif.md: its study is written to a file and its session is run and compared."""

import doctest
import re
from pathlib import Path

from sttest.studies.ablation.form import ablation_names
from sttest.studies.whatif.study import study_names

DOC = Path(__file__).parents[3] / "docs" / "whatif.md"


def test_the_example_does_what_it_prints(tmp_path, monkeypatch):
    text = DOC.read_text(encoding="utf-8")
    example = re.search(r"```yaml\n(.*?)```", text, re.DOTALL)
    assert example is not None
    (tmp_path / "mine.yaml").write_text(example.group(1), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    session = doctest.DocTestParser().get_doctest(text, {}, "whatif.md", str(DOC), 0)
    outcome = doctest.DocTestRunner().run(session)
    assert outcome.attempted >= 10
    assert outcome.failed == 0


def test_every_shipped_study_is_described():
    described = re.findall(r"^\| `([a-z-]+)` \| ", DOC.read_text(encoding="utf-8"), re.MULTILINE)
    studies = ["hbm-bandwidth", "hbm-channels", "clock", "bits", "context", "launch", "boards"]
    assert described[: len(studies)] == studies
    assert sorted(studies) == study_names()
    assert sorted(described[len(studies) : len(studies) + len(ablation_names())]) == ablation_names()
