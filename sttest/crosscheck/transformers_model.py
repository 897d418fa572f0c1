"""A causal language model of transformers, run once over some tokens, with what its layers compute on the way."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sttest.core.errors import InputError, SttestError, ToolMissingError
from sttest.crosscheck.block_streams import Streams
from sttest.crosscheck.transformers_streams import FINAL_NORMS, POSITIONS, Tap, taps_of
from sttest.models.config import DecoderConfig

if TYPE_CHECKING:
    from torch import Tensor

_MOST_CHARS = 300
_HIDDEN = -1e4
"""What an additive mask adds, at most, to the score of a position that is not seen."""


@dataclass(frozen=True)
class TheirLayer:
    """A layer of transformers: its number from 0, its input [n, hidden], and its streams, the result last."""

    number: int
    x: "Tensor"
    streams: Streams


@dataclass(frozen=True)
class TheirEnds:
    """What stands around the layers."""

    embedding: Streams  # tokens, positions where they are learned, and their sum; [n, hidden] each
    x: "Tensor"  # result of the last layer at the positions whose logits are asked for, [rows, hidden]
    head: Streams  # norm, product and logits at the same positions


Seen = Callable[[TheirLayer], None]


class TransformersModel:
    """A causal language model of transformers."""

    def __init__(self, model: Any) -> None:
        self.name = type(model).__name__
        self.model, self.decoder = model, model.get_decoder()
        self.config: Any = self.decoder.config
        self.layers: Any = _first_of(self.decoder, ("layers", "h")) or ()
        self.taps = taps_of(str(self.config.model_type))
        self.norm, self.head = _first_of(self.decoder, FINAL_NORMS), model.get_output_embeddings()
        if not self.layers or self.norm is None or self.head is None:
            what = f"{self.name} has not the layers, the norm and the head of a decoder"
            raise InputError("no-decoder", what, where="--against", hints=["name a class that ends in ForCausalLM"])

    @property
    def has_streams(self) -> bool:
        """Whether it is known where its layers have our streams."""
        return len(self.taps) > 1

    def run(self, tokens: Sequence[int], rows: int, see: Seen) -> TheirEnds:
        """Run the model over tokens from position 0 on.

        Args:
            tokens: their numbers.
            rows: positions at the end whose logits are computed.
            see: gets each layer when it has run; what it does not keep is given free.

        Raises:
            InputError: transformers cannot; it says why.
        """
        import torch
        from transformers import DynamicCache

        # A cache that is told nothing of windows keeps the keys of all positions.
        run = _Run(DynamicCache(), see)
        with ExitStack() as hooks:
            for number, layer in enumerate(self.layers):
                hooks.enter_context(run.watching(layer, number, self))
            hooks.enter_context(run.watching_ends(self))
            try:
                with torch.no_grad():
                    out = self.model(
                        input_ids=torch.tensor([list(tokens)]),
                        past_key_values=run.cache,
                        use_cache=True,
                        logits_to_keep=rows,
                    )
            except Exception as error:  # whatever transformers raises, but not what looks at its layers
                if run.is_ours or isinstance(error, MemoryError):
                    raise
                raise refused(error, self.name) from error
        ends = run.ends
        head = {name: ends[name][-rows:] for name in ("head_norm", "head_proj")} | {"logits": out.logits[0]}
        embedding = {name: tensor for name, tensor in ends.items() if name.startswith("embedding")}
        return TheirEnds(embedding, ends["x"][-rows:], head)

    def part_of(self, tap: Tap, tensor: "Tensor") -> "Tensor":
        """The columns that are one of ours, of a product [n, columns] of several."""
        heads = self.config.num_attention_heads
        kv_heads = getattr(self.config, "num_key_value_heads", None) or heads
        width = tensor.shape[-1]
        query = width * heads // (heads + 2 * kv_heads)
        key = (width - query) // 2
        starts = {"q": (0, query), "k": (query, key), "v": (query + key, key)}
        starts |= {"gate": (0, width // 2), "up": (width // 2, width // 2)}
        start, count = starts[tap.part]
        return tensor[:, start : start + count]


class _Run:
    """What hooks note while a model runs."""

    def __init__(self, cache: Any, see: Seen) -> None:
        self.cache, self.see = cache, see
        self.ends: Streams = {}
        self.is_ours = False  # whether an error comes from who looks
        self._x: Any = None
        self._streams: Streams = {}

    @contextmanager
    def watching(self, layer: Any, number: int, model: TransformersModel) -> Iterator[None]:
        """Notes the streams of a layer, and has them looked at when it has run."""
        modules, order = dict(layer.named_modules()), [tap.stream for tap in model.taps]
        hooks = [layer.register_forward_pre_hook(self._begin, with_kwargs=True)]
        for tap in model.taps:
            if tap.module in modules:
                hook = self._taker(tap, number, model)
                hooks.append(modules[tap.module].register_forward_hook(hook, with_kwargs=True))

        def end(_layer: Any, _args: Any, _output: Any) -> None:
            if number == 0:
                self.ends["embedding"] = self._x
            streams = {name: self._streams[name] for name in order if name in self._streams}
            try:
                self.see(TheirLayer(number, self._x, streams))
            except Exception:
                self.is_ours = True
                raise
            self._streams = {}

        hooks.append(layer.register_forward_hook(end))
        with _removed(hooks):
            yield

    @contextmanager
    def watching_ends(self, model: TransformersModel) -> Iterator[None]:
        """Notes what stands before and behind the layers."""
        hooks = [
            model.norm.register_forward_pre_hook(lambda _module, args: self.ends.update(x=args[0][0])),
            model.norm.register_forward_hook(self._keeper("head_norm")),
            model.head.register_forward_hook(self._keeper("head_proj")),
        ]
        if (positions := _first_of(model.decoder, POSITIONS)) is not None:
            tokens = model.model.get_input_embeddings()
            hooks.append(tokens.register_forward_hook(self._keeper("embedding_tokens")))
            hooks.append(positions.register_forward_hook(self._keeper("embedding_positions")))
        with _removed(hooks):
            yield

    def _begin(self, _layer: Any, args: tuple[Any, ...], named: dict[str, Any]) -> None:
        self._x, self._streams = _rows(args[0] if args else named["hidden_states"]), {}

    def _keeper(self, name: str) -> Any:
        return lambda _module, _args, output: self.ends.update({name: _rows(output)})

    def _taker(self, tap: Tap, number: int, model: TransformersModel) -> Any:
        def take(_module: Any, args: tuple[Any, ...], named: dict[str, Any], output: Any) -> None:
            found = self._found(tap, number, args, named, output)
            if found is not None:
                self._streams[tap.stream] = model.part_of(tap, found) if tap.part else found

        return take

    def _found(
        self, tap: Tap, number: int, args: tuple[Any, ...], named: dict[str, Any], output: Any
    ) -> "Tensor | None":
        import torch

        match tap.source:
            case "output":
                return _rows(output[0] if isinstance(output, tuple) else output, heads_first=tap.heads_first)
            case "input":
                return _rows(args[0] if args else next(iter(named.values())))
            case "weights":
                return None if output[1] is None else _rows(output[1], heads_first=True)
            case "keys":
                return _rows(self.cache.layers[number].keys, heads_first=True)
            case "mask":
                mask = named.get("attention_mask")
                return None if mask is None else _rows(mask[:, 0] if mask.dtype == torch.bool else mask[:, 0] > _HIDDEN)
            case "rope":
                # Each half of a head turns by the same angles.
                tables = [_rows(each) for each in named.get("position_embeddings") or ()]
                return None if not tables else torch.cat([each[:, : each.shape[1] // 2] for each in tables], -1)


def _rows(tensor: "Tensor", *, heads_first: bool = False) -> "Tensor":
    """[1, n, ...], or [n, channels] where a module takes tokens as a batch, to [n, channels]."""
    rows = tensor[0] if tensor.dim() > 2 else tensor
    rows = rows.transpose(0, 1) if heads_first else rows
    return rows.reshape(len(rows), -1)


def _first_of(module: Any, names: Sequence[str]) -> Any:
    return next((found for name in names if (found := getattr(module, name, None)) is not None), None)


@contextmanager
def _removed(hooks: Sequence[Any]) -> Iterator[None]:
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def check_sizes(theirs: Any, ours: DecoderConfig, where: str) -> None:
    """Refuse a configuration of transformers whose model has nothing to compare with ours."""
    sizes = {"num_hidden_layers": ours.layers, "hidden_size": ours.hidden, "vocab_size": ours.vocab}
    for name, wanted in sizes.items():
        if (found := getattr(theirs, name, None)) != wanted:
            told = f"{name} is {found} in transformers' model, {wanted} in {ours.public_name}"
            hints = ["hold a model against itself", "name a class of its family"]
            raise InputError("other-model", told, where=where, hints=hints)


def refused(error: Exception, where: str) -> SttestError:
    """What transformers says, in one line."""
    told = " ".join(str(error).split())
    told = told if len(told) <= _MOST_CHARS else f"{told[:_MOST_CHARS]}…"
    if isinstance(error, ImportError):
        return ToolMissingError(
            "transformers-needs-more", f"transformers says: {told}", where=where, hints=["install it"]
        )
    hints = ["correct the folder's config.json", "name the class, as in --against transformers:LlamaForCausalLM"]
    return InputError(
        "transformers-refuses", f"transformers says: {type(error).__name__}: {told}", where=where, hints=hints
    )
