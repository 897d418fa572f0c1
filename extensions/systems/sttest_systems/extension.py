"""What this distribution offers: each of its folders with a ``study.yaml`` is a study; verbs, families of blocks."""

from pathlib import Path

from sttest.core.extensions import Extension, Offer

__depends__ = ()  # names alone

EXTENSION = Extension(
    "systems",
    (
        *(
            Offer("studies", path.parent.name.replace("_", "-"), f"{__package__}.{path.parent.name}:__file__")
            for path in sorted(Path(__file__).parent.glob("*/study.yaml"))
        ),
        Offer(
            "verbs",
            "faults",
            "sttest_systems.faults.verb:faults_verb",
            "Flip single bits of a design's hardware and count which reach its results.",
            "Check",
        ),
    ),
)
