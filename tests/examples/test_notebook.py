"""The notebook: it is the script beside it, a fresh run prints what is kept, nothing in it is of one machine only."""

import getpass
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed: pip install 'sttest[dev]'")
pytest.importorskip("jupytext", reason="jupytext is not installed: pip install 'sttest[dev]'")
pytest.importorskip("nbclient", reason="nbclient is not installed: pip install 'sttest[dev]'")
pytest.importorskip("ipykernel", reason="ipykernel is not installed: pip install 'sttest[dev]'")

EXAMPLES = Path(__file__).parents[2] / "examples"
NOTEBOOK = EXAMPLES / "from-model-to-what-if.ipynb"
MOST_CELLS = 40
MOST_BYTES = 200_000
RERUN = "run python examples/run_notebook.py if this change is meant"


@pytest.fixture(scope="module")
def runner():
    sys.path.insert(0, str(EXAMPLES))
    try:
        import run_notebook

        yield run_notebook
    finally:
        sys.path.remove(str(EXAMPLES))


@pytest.fixture(scope="module")
def kept():
    return nbformat.read(NOTEBOOK, as_version=4)


def printed(cell):
    """Text and table outputs of a cell, and ``image`` for each figure."""
    texts = []
    for output in cell.get("outputs", []):
        if output.output_type == "stream":
            texts.append(output.text)
        elif "image/png" in output.data:
            texts.append("image")
        else:
            texts.append(output.data["text/plain"])
    return texts


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_fresh_run_prints_what_is_kept(runner, kept):
    fresh = runner.executed()
    for number, (old, new) in enumerate(zip(kept.cells, fresh.cells, strict=True)):
        assert printed(new) == printed(old), f"cell {number}: {RERUN}"


def test_it_is_the_script_cell_by_cell(runner, kept):
    made = runner.notebook_of()
    assert runner.SCRIPT.with_suffix(".ipynb") == NOTEBOOK
    assert [(cell.cell_type, cell.id, cell.source) for cell in kept.cells] == [
        (cell.cell_type, cell.id, cell.source) for cell in made.cells
    ], RERUN


@pytest.mark.nightly
def test_the_script_prints_what_the_notebook_prints(runner, kept):
    done = subprocess.run(
        [sys.executable, runner.SCRIPT.name], cwd=EXAMPLES, capture_output=True, text=True, check=True
    )
    code = [cell for cell in kept.cells if cell.cell_type == "code"]
    assert done.stdout == "".join(text for cell in code for text in printed(cell) if text != "image")


def test_it_is_small_and_was_run_from_top_to_bottom(kept):
    assert len(kept.cells) < MOST_CELLS
    assert NOTEBOOK.stat().st_size < MOST_BYTES
    code = [cell for cell in kept.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert sum("image" in printed(cell) for cell in code) == 1
    assert not [output for cell in code for output in cell.outputs if output.output_type == "error"]


def test_nothing_in_it_is_of_one_machine(kept):
    outputs = "\n".join(text for cell in kept.cells for text in printed(cell))
    everything = "\n".join([outputs, *(cell.source for cell in kept.cells)])
    for private in (str(Path.home()), str(EXAMPLES), sys.prefix):
        assert private not in everything
    assert not re.search(rf"\b{re.escape(socket.gethostname())}\b", everything)
    assert not re.search(r"(^|[\s'\"(=])(/[\w.-]+){2,}|[A-Z]:\\", outputs), "no absolute paths"
    assert not re.search(rf"\b{re.escape(getpass.getuser())}@", everything)
    assert set(kept.metadata.language_info) == {"name"}
    assert all("execution" not in cell.metadata for cell in kept.cells)


def test_it_names_every_station(kept):
    headings = re.findall(r"^## (.*)$", "\n".join(cell.source for cell in kept.cells), re.MULTILINE)
    assert headings == [
        "A model",
        "Linalg",
        "Dataflow IR",
        "A compiled design",
        "Two engines, one answer",
        "A deadlock, made and mended",
        "FIFO depths",
        "The published table",
        "What if memory were slower, or faster?",
        "Energy",
        "From here",
    ]
