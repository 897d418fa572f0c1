"""What MkDocs inserts into pages from the program: the help of every verb and the table of compiler options."""

from __future__ import annotations

from typing import Any

import typer
from typer.testing import CliRunner

from sttest.cli import app
from sttest.compile.options import options_table

COMMAND_LINE = "<!-- generated: command line -->"
OPTIONS = "<!-- generated: compiler options -->"


def _verbs() -> dict[str, Any]:
    command: Any = typer.main.get_command(app)
    return command.commands


def command_line() -> str:
    """The help of every verb, as Markdown."""
    verbs = _verbs()
    helps = {verb: CliRunner().invoke(app, [verb, "--help"], env={"COLUMNS": "110"}).stdout for verb in verbs}
    return "\n".join(f"## sttest {verb}\n\n```text\n{text.strip()}\n```\n" for verb, text in helps.items())


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Called by MkDocs for every page."""
    if COMMAND_LINE in markdown:
        return markdown.partition(COMMAND_LINE)[0] + command_line()
    if OPTIONS in markdown:
        return markdown.partition(OPTIONS)[0] + options_table()
    return markdown
