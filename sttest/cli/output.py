"""The JSON form of what verbs print."""

import json
from typing import Annotated, Any

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]


def print_json(data: Any) -> None:
    """One JSON document on stdout."""
    print(json.dumps(data, indent=1))
