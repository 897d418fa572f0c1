"""The command line's root: its name, what holds for all verbs, and exit codes."""

from typing import Annotated

import typer

from sttest.core.program import __version__
from sttest.verbs.boundary import Boundary

app = typer.Typer(
    name="sttest",
    cls=Boundary,
    help="A simulation-first testbed for streaming dataflow accelerators that run LLMs.",
    epilog="Start with: sttest compile gpt2 --phase decode --context 64",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)


def _print_version(asked: bool) -> None:
    if asked:
        print(f"sttest {__version__}")
        raise typer.Exit


@app.callback()
def common(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of errors (or STTEST_DEBUG=1).")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """A simulation-first testbed for streaming dataflow accelerators that run LLMs.

    Exit codes: 0 done, 1 internal error, 2 bad input or usage, 3 deadlock,
    4 does not fit, 5 a tool is missing, 6 engines disagree.
    """
