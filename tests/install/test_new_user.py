"""The script that walks a new user's path tells of what fails, and sees nothing of this process's environment."""

import sys
import time
from pathlib import Path

import pytest
from bare import BareEnvironment
from new_user import DESIGN, PICTURE, Journey, walk

PAGE = """
```console
$ echo one
one
$ echo two
three
$ exit 3
$ exit 3   # exit code 3
```

```yaml title="deep/file.yaml"
a: 1
```

```sh
cp deep/file.yaml timed_graph.json
```

```python
open("picture.png", "w").close()
```

<!-- run: with no-such-tool -->
```sh
exit 9
```

<!-- run: never, REASON -->
```sh
exit 9
```
"""


@pytest.fixture
def here(tmp_path):
    """An environment of the interpreter that runs the tests."""
    (tmp_path / "home").mkdir()
    return BareEnvironment(tmp_path, Path(sys.prefix))


def test_each_step_of_a_page_is_told_with_what_is_wrong(here, tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text(PAGE, encoding="utf-8")
    journey = walk(here, page, Journey("install"))
    told = {step.line: step.problem.partition(":")[0] for step in journey.steps}
    assert told == {
        "echo one": "",
        "echo two": "prints something else than the page",
        "exit 3": "exit code 3, not 0",
        "exit 3   # exit code 3": "",
        "cp deep/file.yaml timed_graph.json": "",
        "python block3.py": "",
    }
    assert journey.first.keys() == {DESIGN, PICTURE}
    assert journey.first[DESIGN] < journey.first[PICTURE]
    assert capsys.readouterr().out.count("FAILED") == 2


def test_nothing_of_this_process_is_seen(here, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    monkeypatch.setenv("PIP_INDEX_URL", "file:///index")
    names = here.run("env", tmp_path).stdout
    assert "PYTHONPATH" not in names
    assert f"HOME={tmp_path / 'home'}" in names.splitlines()
    assert "PIP_INDEX_URL=file:///index" in names.splitlines()


def test_what_takes_too_long_is_ended_with_all_that_it_started(here, tmp_path):
    began = time.monotonic()
    done = here.run("sleep 60 | cat", tmp_path, limit_s=0.3)
    assert done.exit_code == 124
    assert time.monotonic() - began < 10


def test_processor_time_is_that_of_the_command(here, tmp_path):
    done = here.run(f"{sys.executable} -c 'sum(range(10_000_000))'", tmp_path)
    assert done.cpu_seconds > 0.05
    assert here.run("sleep 0.3", tmp_path).cpu_seconds < 0.2
