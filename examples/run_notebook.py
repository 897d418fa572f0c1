"""Makes the notebook from the script beside it, runs it and keeps what it printed: ``python examples/run_notebook.py``.

The script is the source: cells begin with ``# %%``, their text stands in comments (jupytext's percent format).  What a
run leaves in the notebook does not depend on the machine: no times, paths or versions.
"""

from __future__ import annotations

import sys
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

FOLDER = Path(__file__).parent
SCRIPT = FOLDER / "from-model-to-what-if.py"
CELL_TIMEOUT_S = 300
_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def notebook_of(script: Path = SCRIPT) -> NotebookNode:
    """The notebook of a script, not run yet; its cells are numbered."""
    notebook = jupytext.read(script)
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number:02}"
    notebook.metadata = NotebookNode(_METADATA)
    notebook.nbformat_minor = 5
    return notebook


def executed(script: Path = SCRIPT) -> NotebookNode:
    """The notebook of a script with the outputs of a fresh run.

    Raises:
        CellExecutionError: a cell failed.
    """
    notebook = notebook_of(script)
    NotebookClient(
        notebook,
        timeout=CELL_TIMEOUT_S,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(script.parent)}},
    ).execute()
    notebook.metadata = NotebookNode(_METADATA)
    return notebook


if __name__ == "__main__":
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else SCRIPT
    nbformat.write(executed(path), path.with_suffix(".ipynb"))
