"""What this distribution offers: each folder with a ``study.yaml`` is a study; families of blocks, models, a verb."""

from pathlib import Path

from sttest.core.extensions import Extension, Offer

__depends__ = ()  # names alone

_STUDIES = sorted(Path(__file__).parent.glob("*/study.yaml"))
_MODELS = {"mamba2": "MAMBA2", "mamba2-370m": "MAMBA2_370M", "mamba2-1.3b": "MAMBA2_1_3B"}
_FAULTS = "Flip single bits of a design's hardware and count which reach its results."

EXTENSION = Extension(
    "systems",
    (
        *(
            Offer("studies", path.parent.name.replace("_", "-"), f"{__package__}.{path.parent.name}:__file__")
            for path in _STUDIES
        ),
        Offer("families", "state-space", "sttest_systems.state_space.family:STATE_SPACE"),
        Offer("families", "low-rank", "sttest_systems.low_rank.family:LOW_RANK"),
        *(Offer("models", name, f"sttest_systems.state_space.models:{each}") for name, each in _MODELS.items()),
        Offer("verbs", "faults", "sttest_systems.faults.verb:faults_verb", _FAULTS, "Check"),
    ),
)
