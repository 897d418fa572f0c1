"""Memory images of a decoder block's tensors, for every engine that runs compiled blocks, and the results read back.

A design has fixed shapes.  Fewer tokens, or a shorter cache, are padded at the
start; the mask hides the padding, and results are returned without it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sttest.core.errors import InputError
from sttest.models.cards import card_of, put_together, shared_out
from sttest.models.config import DecoderConfig, LayerKind
from sttest.models.families import family_of
from sttest.models.tables import EXPERTS, decode_inputs, decode_mask, of_batch, prefill_inputs, rope_table, token_ids
from sttest.reference.graph import Array, Bytes, ReferenceGraph
from sttest.reference.memory import images_of, read_results

if TYPE_CHECKING:
    from torch import nn

    from sttest.models.language_model import LanguageModel


class CacheSide(NamedTuple):
    """Keys or values of one layer."""

    values: Array  # float32 or int8 [kv_heads, positions, head_dim], of a batch [sequences, ...]
    scales: Array | None = None  # float16 [kv_heads, positions], of a batch [sequences, ...], for int8 values

    @classmethod
    def of(cls, side: Any) -> "CacheSide":
        """Makes the cache side from PyTorch values: a tensor, or integers and scales."""
        return cls(*(part.numpy() for part in side)) if isinstance(side, tuple) else cls(side.numpy())

    def extended(self, new: "CacheSide") -> "CacheSide":
        """The cache side with the entries of later positions appended."""
        values = np.concatenate([self.values, new.values], axis=1)
        if self.scales is None or new.scales is None:
            return CacheSide(values)
        return CacheSide(values, np.concatenate([self.scales, new.scales], axis=1))


class SequenceStep(NamedTuple):
    """What a sequence brings to a decode step."""

    x: Array  # activations, float32 [tokens, hidden]
    # keys, values: cached positions
    keys: CacheSide
    values: CacheSide


class BlockResult(NamedTuple):
    """Results of a block."""

    y: Array  # float32 [tokens, hidden]
    # k_new, v_new: new cache entries
    k_new: CacheSide
    v_new: CacheSide
    logits: Array | None = None  # float32 [tokens, columns], from a design with the head
    token: Array | None = None  # most likely next token after each, float32 [tokens], from a design with the head
    experts: Array | None = None  # numbers of each token's experts, float32 [tokens, k], where the model has some

    @classmethod
    def of(cls, outputs: tuple[Any, ...]) -> "BlockResult":
        """Makes the result from what a block returns in PyTorch."""
        y, k_new, v_new, *chosen = outputs
        experts = chosen[0].numpy() if chosen else None
        return cls(y.numpy(), CacheSide.of(k_new), CacheSide.of(v_new), experts=experts)

    @property
    def named(self) -> dict[str, Array]:
        """Results by their names in a design; float32 cache entries have no scales."""
        found = {"y": self.y} if self.experts is None else {"y": self.y, EXPERTS: self.experts}
        for name, side in (("k_new", self.k_new), ("v_new", self.v_new)):
            found[name] = side.values
            if side.scales is not None:
                found[f"{name}_scale"] = side.scales
        return found


def export_parameters(block: "nn.Module") -> dict[str, Array]:
    """Every parameter of a block by its name in the linalg text (``attn.q_proj.weight``).

    Integer weights are int8; their scales, FP16 [groups, outputs], are called ``attn.q_proj.weight_scale``, and
    constant scales of inputs, FP32 [1], ``attn.q_proj.input_scale``.
    """
    return {name: tensor.detach().contiguous().numpy() for name, tensor in block.state_dict().items()}


@dataclass(frozen=True)
class BlockMemory:
    """The memory of a design of a decoder block, as images by the names of its loads and stores.

    Args:
        graph: reference graph of the design.
        config: model configuration.
        parameters: result of :func:`export_parameters`.
        layer_kind: kind of the layer, which mask and rotary embedding depend on.
        once: images that all layers of a model share, such as the parameters of its head.
    """

    graph: ReferenceGraph
    config: DecoderConfig
    parameters: Mapping[str, Array]
    layer_kind: LayerKind = "global"
    once: Mapping[str, Bytes] = field(default_factory=dict)

    @cached_property
    def parameter_images(self) -> dict[str, Bytes]:
        """Images of the parameters and of everything else that is the same for every launch.

        Raises:
            InputError: a parameter of the design is missing, or has another shape or type.
        """
        shared = {load.argument for load in self.graph.loads if load.name in self.once}
        wanted = [each.name for each in self.graph.arguments if each.kind == "parameter" and each.name not in shared]
        for name in wanted:
            if name not in self.parameters:
                raise InputError("missing-argument", f"the parameter '{name}' has no values", where=self.graph.name)
        return {**images_of(self.graph, {name: self.parameters[name] for name in wanted}), **self.once}

    @cached_property
    def batch(self) -> int | None:
        """Sequences that the design takes at once; None where it takes one and has no axis for them."""
        name, axes = ("k_cache", 3) if "k_cache" in self.graph.argument else ("mask", 2)
        shape = self._shape(name)
        return shape[0] if len(shape) > axes else None

    @cached_property
    def cards(self) -> int:
        """Cards that share the design, each with inputs of its own."""
        return 1 + max(card_of(each.name)[1] for each in self.graph.arguments)

    def prefill(self, *prompts: Array) -> dict[str, Bytes]:
        """Images of all loads for a prefill.

        Args:
            prompts: activations of each sequence, float32 [tokens, hidden], at most as many tokens as the design has.

        Raises:
            InputError: another design, or more sequences or tokens than it has room for.
        """
        rows = self._shape("x")[0] // (self.batch or 1)
        return self._images(self._of_batch([self._prompt(x, rows) for x in prompts], self._prompt(self._no_x, rows)))

    def _prompt(self, x: Array, rows: int) -> dict[str, Array]:
        padding = self._padding(len(x), rows, "tokens")
        tables = prefill_inputs(self.config, rows, self.layer_kind, padding=padding)
        return {"x": _padded(x, padding, axis=0), **tables}

    def decode(self, x: Array, k_cache: CacheSide, v_cache: CacheSide) -> dict[str, Bytes]:
        """Images of all loads for a decode step.

        Args:
            x: activations, float32 [tokens, hidden], at most as many tokens as the design has.
            k_cache, v_cache: cached positions, at most as many as the design has room for.

        Raises:
            InputError: another design, or more tokens or cached positions than it has room for.
        """
        return self.decode_batch([SequenceStep(x, k_cache, v_cache)])

    def decode_batch(self, steps: Sequence[SequenceStep]) -> dict[str, Bytes]:
        """Images of all loads for a decode step of several sequences.

        Args:
            steps: what each brings; a design of a batch may have room for more.

        Raises:
            InputError: another design, or more sequences, tokens or cached positions than it has room for.
        """
        nothing = SequenceStep(self._no_x, *(_without_positions(side) for side in steps[0][1:]))
        inputs = self._of_batch([self._step(step) for step in steps], self._step(nothing))
        if "token_ids" in self.graph.argument:
            inputs["token_ids"] = token_ids(self.config)
        inputs |= family_of(self.config).tables(self.config)
        return self._images(inputs)

    def _step(self, step: SequenceStep) -> dict[str, Array]:
        context, rows = self._shape("k_cache")[-2], self._shape("x")[0] // (self.batch or 1)
        padding = self._padding(step.keys.values.shape[1], context, "cached tokens")
        padding_tokens = self._padding(len(step.x), rows, "tokens")
        inputs = {"x": _padded(step.x, padding_tokens, axis=0)}
        inputs |= decode_inputs(
            self.config, context, rows, self.layer_kind, padding=padding, padding_tokens=padding_tokens
        )
        for name, side in (("k_cache", step.keys), ("v_cache", step.values)):
            inputs[name] = _padded(side.values, padding, axis=1)
            if side.scales is not None:
                inputs[f"{name}_scale"] = _padded(side.scales, padding, axis=1, value=1)
        return inputs

    @property
    def _no_x(self) -> Array:
        return np.zeros((0, self.config.hidden), np.float32)

    def _of_batch(self, sequences: Sequence[dict[str, Array]], nothing: dict[str, Array]) -> dict[str, Array]:
        """Inputs of all sequences; places that none takes have inputs that change no other's results."""
        free = self._padding(len(sequences), self.batch or 1, "sequences")
        return sequences[0] if self.batch is None else of_batch([*sequences, *[nothing] * free])

    def results(self, images: Mapping[str, Bytes], tokens: int = 1) -> BlockResult:
        """The last ``tokens`` tokens of each sequence of what a run has written.

        Raises:
            InputError: an image is missing or has another length.
        """
        found = put_together(self.named_results(images, tokens), np.concatenate)
        k_new, v_new = (CacheSide(found[name], found.get(f"{name}_scale")) for name in ("k_new", "v_new"))
        more = (found.get(name) for name in ("logits", "token", EXPERTS))
        return BlockResult(found["y"], k_new, v_new, *more)

    def named_results(self, images: Mapping[str, Bytes], tokens: int = 1) -> dict[str, Array]:
        """The same by the names of the design's results, of which each card has its own.

        Raises:
            InputError: see :meth:`results`.
        """
        found = read_results(self.graph, images)
        rows, sequences = len(found["y"]) // (self.batch or 1), self.batch or 1
        kept = [sequence * rows + row for sequence in range(sequences) for row in range(rows - tokens, rows)]
        entries = {"k_new": np.s_[..., rows - tokens :, :], "v_new": np.s_[..., rows - tokens :, :]}
        entries |= {f"{name}_scale": np.s_[..., rows - tokens :] for name in ("k_new", "v_new")}
        return {name: array[entries.get(card_of(name)[0], kept)] for name, array in found.items()}

    def _images(self, inputs: Mapping[str, Array]) -> dict[str, Bytes]:
        images = {**self.parameter_images, **images_of(self.graph, shared_out(inputs, self.cards))}
        missing = [load.argument for load in self.graph.loads if load.name not in images]
        if missing:
            raise InputError("missing-argument", f"the argument '{missing[0]}' has no values", where=self.graph.name)
        return images

    def _shape(self, name: str) -> tuple[int, ...]:
        if name not in self.graph.argument:
            what = f"the design takes no '{name}'"
            raise InputError("other-design", what, where=self.graph.name, hints=["compile the block for this phase"])
        return self.graph.argument[name].shape

    def _padding(self, count: int, room: int, what: str) -> int:
        if count > room:
            raise InputError(
                "no-room",
                f"the design has no room for so many {what}",
                where=self.graph.name,
                demand=count,
                bound=room,
                unit=what,
                hints=["compile the block for more"],
            )
        return room - count


def _without_positions(side: CacheSide) -> CacheSide:
    return CacheSide(side.values[:, :0], None if side.scales is None else side.scales[:, :0])


def _padded(values: Array, count: int, axis: int, value: float = 0) -> Array:
    """``values`` with ``count`` more entries at the start of an axis."""
    widths = [(count if dim == axis else 0, 0) for dim in range(values.ndim)]
    return np.pad(values, widths, constant_values=value)


# --- A cache that stays in memory: entries keep their places, and each decode step adds some


_SIDES = ("k_cache", "v_cache")


@dataclass
class ResidentCache:
    """Keys and values of one layer, in the shape of a decode design.

    Args:
        memory: memory of the decode design with the layer's parameters.
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
        """Positions that the design has room for."""
        return self._tensors["k_cache"].shape[1]

    def append(self, k_new: CacheSide, v_new: CacheSide) -> None:
        """Add the entries of the next positions.

        Raises:
            InputError: there is no room for them.
        """
        stop = self.positions + k_new.values.shape[1]
        if stop > self.room:
            raise InputError(
                "no-room",
                "the design has no room for so many cached tokens",
                where=self.memory.graph.name,
                demand=stop,
                bound=self.room,
                unit="tokens",
                hints=["compile the block for a longer context"],
            )
        for side, new in zip(_SIDES, (k_new, v_new), strict=True):
            self._tensors[side][:, self.positions : stop] = new.values
            if new.scales is not None:
                self._tensors[f"{side}_scale"][:, self.positions : stop] = new.scales
        self.positions = stop

    def images(self, x: Array) -> dict[str, Bytes]:
        """Images of all loads but the parameters', for the token x, float32 [1, hidden], after the cached ones."""
        config, kind = self.memory.config, self.memory.layer_kind
        mask = decode_mask(config, self.positions, kind, free=self.room - self.positions)
        inputs = {"x": x, "mask": mask, **family_of(config).tables(config)}
        if config.rope_theta is not None:
            inputs["rope"] = rope_table(config, np.array([self.positions]), kind)
        return {**images_of(self.memory.graph, inputs), **self.entries()}

    def entries(self) -> dict[str, Bytes]:
        """Images of the cache itself."""
        return images_of(self.memory.graph, self._tensors)


# --- Inputs of a launch that generates several tokens (`loop-tokens`)


ENTERS, POSITION = "x", "position"


@dataclass
class StepInputs:
    """Images for a launch of several tokens.

    Args:
        caches: caches of all layers; layers of one kind share masks and tables.
        rows: embedding of each token, float32 [vocab, hidden].
        positions: learned position embeddings, float32 [positions, hidden], which are added; None without.
        steps: tokens per launch.
        word_bytes: alignment of each tensor, in bytes.
    """

    caches: Sequence[ResidentCache]
    rows: Array
    positions: Array | None
    steps: int
    word_bytes: int

    def __post_init__(self) -> None:
        self._graph = self.caches[0].memory.graph
        columns = self._graph.argument["token_ids"].shape[0]
        # Tokens past the vocabulary are never chosen, but the kernel's table has a row for each column.
        spare = np.zeros((columns - len(self.rows), self.rows.shape[1]), np.float32)
        self._table = self._joined([self._image({ENTERS: row[None]}) for row in (*self.rows, *spare)])

    def images(self, x: Array) -> list[dict[str, Bytes]]:
        """Images per layer of all loads but the parameters'.

        Args:
            x: first token as the host embeds it, its position included, float32 [1, hidden].
        """
        first = self._image({ENTERS: x})
        table = {name: np.concatenate([self._padded(image), self._table[name]]) for name, image in first.items()}
        of_kind = {cache.memory.layer_kind: cache for cache in self.caches}
        tables = {kind: self._tables(cache) for kind, cache in of_kind.items()}
        return [{**table, **tables[cache.memory.layer_kind], **cache.entries()} for cache in self.caches]

    def _tables(self, cache: ResidentCache) -> dict[str, Bytes]:
        return self._joined([self._image(self._of_step(cache, step)) for step in range(self.steps)])

    def _of_step(self, cache: ResidentCache, step: int) -> dict[str, Array]:
        config, kind = cache.memory.config, cache.memory.layer_kind
        position = cache.positions + step
        tensors: dict[str, Array] = {"mask": self._mask(cache, position, step)}
        if config.rope_theta is not None:
            tensors["rope"] = rope_table(config, np.array([position]), kind)
        if self.positions is not None:
            # Adding -0 changes nothing.  Tokens past the model's last position are discarded.
            row = self.positions[min(position, len(self.positions) - 1)]
            tensors[POSITION] = (row if step else np.full_like(row, -0.0))[None]
        return tensors

    def _mask(self, cache: ResidentCache, position: int, step: int) -> Array:
        """Mask of the token at a position, with the entries of this launch moved to the last places."""
        config, kind = cache.memory.config, cache.memory.layer_kind
        known, room = position - step, cache.room
        seen = decode_mask(config, position, kind, free=room - position)
        hidden = decode_mask(config, 0, kind, free=room)
        last = room - self.steps
        return np.concatenate([seen[:known], hidden[known:last], seen[known:position], hidden[last + step :]])

    def _image(self, tensors: Mapping[str, Array]) -> dict[str, Bytes]:
        return images_of(self._graph, tensors)

    def _joined(self, images: Sequence[Mapping[str, Bytes]]) -> dict[str, Bytes]:
        return {load: np.concatenate([self._padded(each[load]) for each in images]) for load in images[0]}

    def _padded(self, image: Bytes) -> Bytes:
        return np.pad(image, (0, -image.size % self.word_bytes))


def token_rows(model: "LanguageModel") -> tuple[Array, Array | None]:
    """Input of the first layer per token, and per learned position, as `Embedding` adds them."""
    embedding = model.embedding
    rows = (embedding.tokens.detach() * embedding.scale).numpy()
    return rows, None if embedding.positions is None else embedding.positions.detach().numpy()
