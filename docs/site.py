"""What MkDocs inserts into pages: help of every verb, the table of compiler options, docstrings, figures of results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer
from typer.testing import CliRunner

from sttest.cli.app import app
from sttest.compile.options import options_table

COMMAND_LINE = "<!-- generated: command line -->"
OPTIONS = "<!-- generated: compiler options -->"
PYTHON_API = "<!-- generated: Python API -->"
DOCSTRINGS = "::: sttest\n"
"""Where mkdocstrings says what docstrings of the package say."""
RESULTS = Path(__file__).parents[1] / "results"
_IN_REPOSITORY, _ON_SITE = "](../../results/", "](../results/"
"""How a page of a folder names a figure: in the repository, where results lie beside the pages, and on the site."""


def _verbs() -> dict[str, Any]:
    command: Any = typer.main.get_command(app)
    return command.commands


def command_line() -> str:
    """The help of every verb, as Markdown."""
    verbs = _verbs()
    helps = {verb: CliRunner().invoke(app, [verb, "--help"], env={"COLUMNS": "110"}).stdout for verb in verbs}
    return "\n".join(f"## sttest {verb}\n\n```text\n{text.strip()}\n```\n" for verb, text in helps.items())


def on_files(files: Any, config: Any, **_: Any) -> Any:
    """Called by MkDocs once: figures of results become files of the site."""
    from mkdocs.structure.files import File

    for figure in sorted(RESULTS.glob("*/figure.svg")):
        files.append(File.generated(config, f"results/{figure.parent.name}/figure.svg", abs_src_path=str(figure)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Called by MkDocs for every page."""
    if COMMAND_LINE in markdown:
        return markdown.partition(COMMAND_LINE)[0] + command_line()
    if OPTIONS in markdown:
        return markdown.partition(OPTIONS)[0] + options_table()
    if PYTHON_API in markdown:
        return markdown.partition(PYTHON_API)[0] + DOCSTRINGS
    return markdown.replace(_IN_REPOSITORY, _ON_SITE)
