"""What a host lays down for a launch that generates several tokens (`loop-tokens`).

The last places of a cache are those of the launch's own tokens, in order; what the host knows lies at its positions
from the first place on, and the masks hide what is between.  Values are the same to the bit wherever entries lie:
their order is that of the positions, and hidden places have the weight 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sttest.models.resident_cache import ResidentCache
from sttest.models.tables import decode_mask, rope_table
from sttest.sim.functional.element_types import Array, Bytes
from sttest.sim.functional.images import images_of

if TYPE_CHECKING:
    from sttest.models.language_model import LanguageModel

ENTERS, POSITION = "x", "position"


@dataclass
class StepInputs:
    """Images of a launch of several tokens.

    Args:
        caches: of all layers; masks and tables are the same for those of one kind.
        rows: float32 [vocab, hidden], what enters the first layer of a token, without its position.
        positions: float32 [positions, hidden] that are added to it; None of a family without learned ones.
        steps: tokens per launch.
        word_bytes: from a multiple of which each tensor begins.
    """

    caches: Sequence[ResidentCache]
    rows: Array
    positions: Array | None
    steps: int
    word_bytes: int

    def __post_init__(self) -> None:
        self._graph = self.caches[0].memory.graph
        columns = self._graph.argument["token_ids"].shape[0]
        # Nobody chooses a token past the vocabulary; it has a row all the same, which the kernel could read.
        spare = np.zeros((columns - len(self.rows), self.rows.shape[1]), np.float32)
        self._table = self._in_a_row([self._image({ENTERS: row[None]}) for row in (*self.rows, *spare)])

    def images(self, x: Array) -> list[dict[str, Bytes]]:
        """Of each layer, of all loads but the parameters'; the first token's row holds its position already.

        Args:
            x: float32 [1, hidden], of the first token, as the host embeds it.
        """
        first = self._image({ENTERS: x})
        table = {name: np.concatenate([self._padded(image), self._table[name]]) for name, image in first.items()}
        of_kind = {cache.memory.layer_kind: cache for cache in self.caches}
        tables = {kind: self._tables(cache) for kind, cache in of_kind.items()}
        return [{**table, **tables[cache.memory.layer_kind], **cache.entries()} for cache in self.caches]

    def _tables(self, cache: ResidentCache) -> dict[str, Bytes]:
        return self._in_a_row([self._image(self._of_step(cache, step)) for step in range(self.steps)])

    def _of_step(self, cache: ResidentCache, step: int) -> dict[str, Array]:
        config, kind = cache.memory.config, cache.memory.layer_kind
        position = cache.positions + step
        tensors: dict[str, Array] = {"mask": self._mask(cache, position, step)}
        if config.rope_theta is not None:
            tensors["rope"] = rope_table(config, np.array([position]), kind)
        if self.positions is not None:
            # -0 changes nothing that it is added to.  Tokens past the model's last position are no one's.
            row = self.positions[min(position, len(self.positions) - 1)]
            tensors[POSITION] = (row if step else np.full_like(row, -0.0))[None]
        return tensors

    def _mask(self, cache: ResidentCache, position: int, step: int) -> Array:
        """The mask of the token at a position, its entries of this launch moved to the last places."""
        config, kind = cache.memory.config, cache.memory.layer_kind
        known, room = position - step, cache.room
        seen = decode_mask(config, position, kind, free=room - position)
        hidden = decode_mask(config, 0, kind, free=room)
        last = room - self.steps
        return np.concatenate([seen[:known], hidden[known:last], seen[known:position], hidden[last + step :]])

    def _image(self, tensors: Mapping[str, Array]) -> dict[str, Bytes]:
        return images_of(self._graph, tensors)

    def _in_a_row(self, images: Sequence[Mapping[str, Bytes]]) -> dict[str, Bytes]:
        return {load: np.concatenate([self._padded(each[load]) for each in images]) for load in images[0]}

    def _padded(self, image: Bytes) -> Bytes:
        return np.pad(image, (0, -image.size % self.word_bytes))


def token_rows(model: LanguageModel) -> tuple[Array, Array | None]:
    """What enters the first layer: a row per token, and per learned position; as `Embedding` adds them."""
    embedding = model.embedding
    rows = (embedding.tokens.detach() * embedding.scale).numpy()
    return rows, None if embedding.positions is None else embedding.positions.detach().numpy()
