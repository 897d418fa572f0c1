"""`sttest studies`: the catalog of published systems, the command that answers each, its figures beside ours."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import Annotated, Any

import typer

from sttest.cli.common import Json, print_json
from sttest.core.errors import InputError, note
from sttest.core.extensions import HOW_TO_INSTALL, has_systems
from sttest.core.tables import print_table
from sttest.studies.catalog import (
    COLUMNS,
    CatalogEntry,
    Compared,
    catalog_names,
    compared,
    entry_file,
    load_entry,
    papers,
    results_folder,
)

_WIDTH = 79
_INDENT = "    "


def studies_verb(
    name: Annotated[str | None, typer.Argument(help="One study; without it, a list of all.")] = None,
    undone: Annotated[bool, typer.Option("--undone", help="What has no study, and why.")] = False,
    results: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder of result folders [results, here or of the checkout].")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the studies of published systems, or show one beside its paper.

    Each row has the published figure, ours, read from the table of results, their ratio, and what differs.

    Examples:

      sttest studies

      sttest studies intar

      sttest studies --undone
    """
    if undone and name is not None:
        raise InputError("two-questions", "a study's name and --undone", where="studies", hints=["leave one out"])
    if undone:
        _print_undone(as_json=as_json)
    elif name is None:
        _print_all(as_json=as_json)
    else:
        _print_one(name, results, as_json=as_json)


def _print_all(*, as_json: bool) -> None:
    entries = {name: load_entry(name) for name in catalog_names()}
    if as_json:
        print_json({"schema": "sttest.studies/1", "studies": {name: _plain(each) for name, each in entries.items()}})
        return
    rows = [
        (name, entry.title, entry.seconds, entry.command, "; ".join(entry.papers)) for name, entry in entries.items()
    ]
    print_table(("study", "what is asked", "s", "command", "papers"), rows, shown=("study", "what is asked", "s"))
    print("s: seconds that its command took on two cores. 'sttest studies NAME' shows one beside its paper.")
    if not has_systems():
        note(f"more studies are in {HOW_TO_INSTALL}")


def _print_one(name: str, results: Path | None, *, as_json: bool) -> None:
    entry = load_entry(name)
    if results is not None and not results.is_dir():
        raise InputError("no-such-folder", "no such folder", where=str(results), hints=["leave out --results"])
    folder = results or results_folder()
    rows = compared(entry, folder, str(entry_file(name)))
    if as_json:
        print_json(
            {
                "schema": "sttest.study/1",
                "name": name,
                **_plain(entry),
                "results_folder": folder and str(folder),
                "rows": [row.to_dict() for row in rows],
            }
        )
        return
    print(f"{entry.title}: {_headline(rows)}")
    for paper in entry.papers:
        _print_lines(paper, "")
    print_table(COLUMNS, [row.cells for row in rows], shown=COLUMNS[:4])
    if folder is None or not (folder / entry.results).is_dir():
        print(f"results/{entry.results} is not here; '{entry.command}' makes it, a clone of the repository has it")
    print(f"made by: {entry.command}   # {entry.seconds:,.0f} s on two cores")


def _headline(rows: Sequence[Compared]) -> str:
    """How many figures there are, and how far ours are from the published ones."""
    ratios = [row.ratio for row in rows if row.ratio is not None]
    within = sum(row.ours is not None and row.ratio is None for row in rows)
    told = [f"{len(rows)} figures"]
    told += [f"{within} within the published range"] if within else []
    told += [f"ours over theirs {min(ratios):.2g} to {max(ratios):.2g}"] if ratios else []
    return ", ".join(told)


def _print_undone(*, as_json: bool) -> None:
    left = [paper for paper in papers() if paper.undone]
    if as_json:
        plain = [{"paper": p.paper, "published": p.published, "studies": p.studies, "undone": p.undone} for p in left]
        print_json({"schema": "sttest.studies-undone/1", "papers": plain})
        return
    for paper in left:
        _print_lines(paper.paper, "")
        _print_lines(paper.undone, _INDENT)


def _plain(entry: CatalogEntry) -> dict[str, Any]:
    return entry.model_dump(mode="json", exclude={"rows"})


def _print_lines(text: str, indent: str) -> None:
    for line in wrap(text, _WIDTH, initial_indent=indent, subsequent_indent=indent + _INDENT, break_on_hyphens=False):
        print(line)
