"""A cache that stays where it is: entries keep their places, and one decode step adds one entry.

`BlockMemory.decode` pads a short cache at its start, so that every entry moves with
every token.  Here entries lie at their positions and the mask hides the places after
them, so that what changes in memory from token to token is one entry per head.  The
values are the same to the bit: hidden places have the weight 0, wherever they are.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sttest.errors import InputError
from sttest.models.design_memory import BlockMemory, CacheSide
from sttest.models.tables import decode_mask, rope_table
from sttest.sim.functional.element_types import Array, Bytes
from sttest.sim.functional.images import images_of

_SIDES = ("k_cache", "v_cache")


@dataclass
class ResidentCache:
    """Keys and values of one layer, in the shape that a decode design has room for.

    Args:
        memory: of the decode design with the layer's parameters.
    """

    memory: BlockMemory
    positions: int = field(default=0, init=False)
    _tensors: dict[str, Array] = field(init=False)

    def __post_init__(self) -> None:
        graph = self.memory.graph
        for side in _SIDES:
            if side not in graph.argument:
                raise InputError("other-design", f"the design takes no '{side}'", where=graph.name)
        self._tensors = {}
        for side in _SIDES:
            argument = graph.argument[side]
            dtype = np.int8 if argument.dtype == "i8" else np.float32
            self._tensors[side] = np.zeros(argument.shape, dtype)
            if f"{side}_scale" in graph.argument:
                self._tensors[f"{side}_scale"] = np.ones(graph.argument[f"{side}_scale"].shape, np.float16)

    @property
    def room(self) -> int:
        """Places."""
        return self._tensors["k_cache"].shape[1]

    def append(self, k_new: CacheSide, v_new: CacheSide) -> None:
        """Adds the entries of the next positions.

        Raises:
            InputError: more than there is room for.
        """
        stop = self.positions + k_new.values.shape[1]
        if stop > self.room:
            raise InputError(
                "no-room", "the design has no room for so many cached tokens", where=self.memory.graph.name,
                demand=stop, bound=self.room, unit="tokens", levers=["compile the block for a longer context"],
            )  # fmt: skip
        for side, new in zip(_SIDES, (k_new, v_new), strict=True):
            self._tensors[side][:, self.positions : stop] = new.values
            if new.scales is not None:
                self._tensors[f"{side}_scale"][:, self.positions : stop] = new.scales
        self.positions = stop

    def images(self, x: Array) -> dict[str, Bytes]:
        """Images of all loads but the parameters', for the token that follows the cached ones.

        Args:
            x: float32 [1, hidden].
        """
        config, kind = self.memory.config, self.memory.layer_kind
        mask = decode_mask(config, self.positions, kind, free=self.room - self.positions)
        inputs = {"x": x, "mask": mask}
        if config.rope_theta is not None:
            inputs["rope"] = rope_table(config, np.array([self.positions]), kind)
        return {**images_of(self.memory.graph, inputs), **self.entries()}

    def entries(self) -> dict[str, Bytes]:
        """Images of the cache's own loads."""
        return images_of(self.memory.graph, self._tensors)
