"""The JSON form of what verbs print."""

from typing import Annotated, Any

import typer

from sttest.core.json_text import to_json

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]


def print_json(data: Any) -> None:
    """One JSON document on stdout."""
    print(to_json(data, indent=1))
