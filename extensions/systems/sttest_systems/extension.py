"""What this distribution offers: each of its folders with a ``study.yaml`` is a study."""

from pathlib import Path

from sttest.core.extensions import Extension, Offer

__depends__ = ()  # names alone

EXTENSION = Extension(
    "systems",
    tuple(
        Offer("studies", path.parent.name.replace("_", "-"), f"{__package__}.{path.parent.name}:__file__")
        for path in sorted(Path(__file__).parent.glob("*/study.yaml"))
    ),
)
