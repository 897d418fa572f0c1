"""Runs a notebook of this folder and keeps what it printed: ``python examples/run_notebook.py``.

What a run leaves behind does not depend on the machine: no times, paths or versions.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

FOLDER = Path(__file__).parent
NOTEBOOK = FOLDER / "from-model-to-what-if.ipynb"
CELL_TIMEOUT_S = 300


def executed(path: Path = NOTEBOOK) -> NotebookNode:
    """The notebook with the outputs of a fresh run.

    Raises:
        CellExecutionError: a cell failed.
    """
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook,
        timeout=CELL_TIMEOUT_S,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(FOLDER)}},
    ).execute()
    notebook.metadata = NotebookNode(
        kernelspec={"display_name": "Python 3", "language": "python", "name": "python3"},
        language_info={"name": "python"},
    )
    return notebook


if __name__ == "__main__":
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else NOTEBOOK
    nbformat.write(executed(path), path)
