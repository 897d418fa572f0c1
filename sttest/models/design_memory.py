"""A decoder block's tensors as the memory of a design, and back: for every engine that runs compiled blocks.

A design has fixed shapes.  Fewer tokens, or a shorter cache, are padded at the
start; the mask hides the padding, and results come back without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from sttest.errors import InputError
from sttest.models.config import DecoderConfig, LayerKind
from sttest.models.tables import decode_mask, prefill_mask, rope_table, step_masks, token_ids
from sttest.sim.functional.element_types import Array, Bytes
from sttest.sim.functional.graph import ValueGraph
from sttest.sim.functional.images import images_of, read_results


class CacheSide(NamedTuple):
    """Keys or values of one layer.

    Attributes:
        values: float32 or int8 [kv_heads, positions, head_dim].
        scales: of int8 values, float16 [kv_heads, positions].
    """

    values: Array
    scales: Array | None = None


class BlockResult(NamedTuple):
    """What a block gives: y [tokens, hidden] and the new entries of its cache.

    Attributes:
        logits: float32 [tokens, columns] of a design with the head.
        token: the most likely after each, float32 [tokens], of a design with the head.
    """

    y: Array
    k_new: CacheSide
    v_new: CacheSide
    logits: Array | None = None
    token: Array | None = None


@dataclass(frozen=True)
class BlockMemory:
    """The memory of one design of a decoder block, images by the names of its loads and stores.

    Args:
        graph: of the design.
        config: of the model.
        parameters: by name; what :func:`~sttest.models.quant.parameters.export_parameters` gives, its values.
        layer_kind: of the layer, for mask and rotary embedding.
        once: images of what all layers of a model share, such as the parameters of its head.
    """

    graph: ValueGraph
    config: DecoderConfig
    parameters: Mapping[str, Array]
    layer_kind: LayerKind = "global"
    once: Mapping[str, Bytes] = field(default_factory=dict)

    @cached_property
    def parameter_images(self) -> dict[str, Bytes]:
        """Images of the parameters, and of what else is the same for every launch.

        Raises:
            InputError: a parameter of the design is missing, or has another shape or type.
        """
        there = {load.argument for load in self.graph.loads if load.name in self.once}
        wanted = [each.name for each in self.graph.arguments if each.kind == "parameter" and each.name not in there]
        for name in wanted:
            if name not in self.parameters:
                raise InputError("missing-argument", f"the parameter '{name}' has no values", where=self.graph.name)
        return {**images_of(self.graph, {name: self.parameters[name] for name in wanted}), **self.once}

    def prefill(self, x: Array) -> dict[str, Bytes]:
        """Images of all loads for a prefill.

        Args:
            x: float32 [tokens, hidden], at most as many tokens as the design has.

        Raises:
            InputError: another design, or tokens that it has no room for.
        """
        rows = self._shape("x")[0]
        padding = self._padding(len(x), rows, "tokens")
        inputs = {"x": _padded(x, padding, axis=0)}
        inputs["mask"] = prefill_mask(self.config, rows, self.layer_kind, padding=padding)
        positions = np.maximum(np.arange(rows) - padding, 0)
        return self._images({**inputs, **self._rope(positions)})

    def decode(self, x: Array, k_cache: CacheSide, v_cache: CacheSide) -> dict[str, Bytes]:
        """Images of all loads for a decode step.

        Args:
            x: float32 [tokens, hidden], one token or at most as many as the design has.
            k_cache, v_cache: of the positions before, at most as many as the design has room for.

        Raises:
            InputError: another design, or tokens or a cache that it has no room for.
        """
        context, cached, rows = self._shape("k_cache")[1], k_cache.values.shape[1], self._shape("x")[0]
        padding = self._padding(cached, context, "cached tokens")
        padding_tokens = self._padding(len(x), rows, "tokens")
        inputs = {"x": _padded(x, padding_tokens, axis=0), **self._step_masks(context, rows, padding, padding_tokens)}
        for name, side in (("k_cache", k_cache), ("v_cache", v_cache)):
            inputs[name] = _padded(side.values, padding, axis=1)
            if side.scales is not None:
                inputs[f"{name}_scale"] = _padded(side.scales, padding, axis=1, value=1)
        if "token_ids" in self.graph.argument:
            inputs["token_ids"] = token_ids(self.config)
        return self._images({**inputs, **self._rope(cached + np.maximum(np.arange(rows) - padding_tokens, 0))})

    def results(self, images: Mapping[str, Bytes], tokens: int = 1) -> BlockResult:
        """What a run has written, the last ``tokens`` tokens of it.

        Raises:
            InputError: an image is missing or has another length.
        """
        found = read_results(self.graph, images)
        rows = len(found["y"])
        first = rows - tokens
        k_new, v_new = (
            CacheSide(found[name][:, first:], found[f"{name}_scale"][:, first:] if f"{name}_scale" in found else None)
            for name in ("k_new", "v_new")
        )
        chosen = (found[name][first:] if name in found else None for name in ("logits", "token"))
        return BlockResult(found["y"][first:], k_new, v_new, *chosen)

    def _step_masks(self, context: int, rows: int, padding: int, padding_tokens: int) -> dict[str, Array]:
        if rows == 1:
            return {"mask": decode_mask(self.config, context, self.layer_kind, padding=padding)}
        mask, mask_new = step_masks(
            self.config, context, rows, self.layer_kind, padding=padding, padding_tokens=padding_tokens
        )
        return {"mask": mask, "mask_new": mask_new}

    def _images(self, inputs: Mapping[str, Array]) -> dict[str, Bytes]:
        images = {**self.parameter_images, **images_of(self.graph, inputs)}
        missing = [load.argument for load in self.graph.loads if load.name not in images]
        if missing:
            raise InputError("missing-argument", f"the argument '{missing[0]}' has no values", where=self.graph.name)
        return images

    def _shape(self, name: str) -> tuple[int, ...]:
        if name not in self.graph.argument:
            what = f"the design takes no '{name}'"
            raise InputError("other-design", what, where=self.graph.name, levers=["compile the block for this phase"])
        return self.graph.argument[name].shape

    def _padding(self, there: int, room: int, what: str) -> int:
        if there > room:
            raise InputError(
                "no-room", f"the design has no room for so many {what}", where=self.graph.name,
                demand=there, bound=room, unit=what, levers=["compile the block for more"],
            )  # fmt: skip
        return room - there

    def _rope(self, positions: Array) -> dict[str, Array]:
        if self.config.rope_theta is None:
            return {}
        return {"rope": rope_table(self.config, positions, self.layer_kind)}


def _padded(values: Array, count: int, axis: int, value: float = 0) -> Array:
    """So many more entries at the start of an axis."""
    widths = [(count if dim == axis else 0, 0) for dim in range(values.ndim)]
    return np.pad(values, widths, constant_values=value)
