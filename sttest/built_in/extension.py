"""The extension that sttest itself is."""

from sttest.built_in.backends import BACKENDS
from sttest.built_in.boards import BOARDS
from sttest.built_in.experiments import EXPERIMENTS
from sttest.built_in.formats import FORMATS
from sttest.built_in.models import FAMILIES, SCHEMES, WEIGHT_TYPES
from sttest.built_in.nodes import OPS, VALUES
from sttest.built_in.passes import PASSES
from sttest.built_in.verbs import VERBS
from sttest.core.extensions import Extension

EXTENSION = Extension(
    "sttest",
    (
        *VERBS, *FORMATS, *PASSES, *OPS, *VALUES, *FAMILIES, *WEIGHT_TYPES, *SCHEMES, *BOARDS, *BACKENDS, *EXPERIMENTS,
    ),
)  # fmt: skip
