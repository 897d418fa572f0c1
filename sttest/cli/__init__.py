"""The command line: names, options and help of the verbs; what they do is in `sttest.verbs`, one file each."""

from sttest.cli.app import app

# Help lists the verbs in this order.
from sttest.cli import design_verbs, engine_verbs, card_verbs, table_verbs, search_verbs  # isort: skip

__all__ = ["app", "card_verbs", "design_verbs", "engine_verbs", "main", "search_verbs", "table_verbs"]


def main() -> None:
    """The console script."""
    app()
