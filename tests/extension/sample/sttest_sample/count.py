"""A verb: how many processes and FIFOs a timed graph has."""

import json
from pathlib import Path
from typing import Annotated

import typer

from sttest.core.tables import print_table
from sttest.sim import load


def count_verb(
    design: Annotated[Path, typer.Argument(help="A timed graph.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")] = False,
) -> None:
    """Count the processes and FIFOs of a timed graph."""
    graph = load(design)
    counted = {"processes": len(graph.processes), "fifos": len(graph.fifos)}
    if as_json:
        print(json.dumps({"schema": "sttest-sample.count/1", **counted}))
        return
    print_table(("what", "count"), list(counted.items()))
