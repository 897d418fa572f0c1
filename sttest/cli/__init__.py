"""The command line, one file per verb: what it takes and what it does."""

from sttest.cli.app import app

__all__ = ["app", "main"]


def main() -> None:
    """The console script."""
    app()
