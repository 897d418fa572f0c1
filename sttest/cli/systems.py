"""The extension that comes beside sttest, with studies of published systems."""

from sttest.core.extensions import extensions

SYSTEMS = "systems"
"""Its name; the distribution is called ``sttest-systems``."""


def has_systems() -> bool:
    """Whether it is installed."""
    return any(each.name == SYSTEMS for each in extensions())
