"""What the nodes of this distribution compute."""

from collections.abc import Mapping, Sequence

import numpy as np

from sttest.reference.graph import Array, Custom, ReferenceStream


def clip(node: Custom, streams: Mapping[str, ReferenceStream], tokens: Sequence[Array]) -> list[Array]:
    """The tokens with elements between the bound and its negative."""
    (most,) = node.numbers
    return [np.clip(tokens[0], -most, most).astype(tokens[0].dtype)]
