"""Inputs of a model, drawn by a seed: words, pictures, or what the class says of itself; imports PyTorch."""

import inspect
from typing import Any

import torch
from torch import Tensor, nn

from sttest.core.errors import InputError
from sttest.frontend.layers.asked import AskedLayer

_WORDS = ("input_ids", "decoder_input_ids")
_MOST_WORDS = 256


class ModelInputs:
    """What a model is called with.

    Args:
        model: the model.
        asked: phase and shape.
        seed: of what is drawn.
    """

    def __init__(self, model: nn.Module, asked: AskedLayer, seed: int) -> None:
        self.model, self.asked = model, asked
        self.config = getattr(model, "config", None)
        self.parameters = inspect.signature(model.forward).parameters
        self.generator = torch.Generator().manual_seed(seed)

    def prefill(self, tokens: int) -> dict[str, Any]:
        """A call on so many tokens, that fills a cache where the model has one."""
        found = self._drawn(tokens)
        if "use_cache" in self.parameters:
            found["use_cache"] = True
        return found

    def decode(self, tokens: int, cache: Any) -> dict[str, Any]:
        """A call on so many tokens behind those in a cache."""
        name = "decoder_input_ids" if "decoder_input_ids" in self.parameters else "input_ids"
        found = self._drawn(tokens)
        return {**found, name: found[name], "past_key_values": cache, "use_cache": True}

    def _drawn(self, tokens: int) -> dict[str, Any]:
        main = getattr(self.model, "main_input_name", "input_ids")
        makers = {"input_ids": self._words, "pixel_values": self._pictures, "input_features": self._sounds}
        if main not in makers or main not in self.parameters:
            raise InputError(
                "unknown-input",
                f"nobody says what the model's '{main}' is",
                where=self.asked.model,
                hints=[f"name a part of the model that takes one of {', '.join(makers)}"],
            )
        found: dict[str, Any] = {main: makers[main](tokens)}
        if "decoder_input_ids" in self.parameters:
            found["decoder_input_ids"] = self._words(tokens)
        return found

    def _words(self, tokens: int) -> Tensor:
        """Numbers of words that mean nothing else, [1, tokens]."""
        most = min(_MOST_WORDS, self._number("vocab_size", self._rows()))
        given = (value for name, value in self._fields().items() if name.endswith(("_token_id", "_token_index")))
        special = {each for value in given for each in (value if isinstance(value, list) else [value])}
        plain = torch.tensor([each for each in range(most) if each not in special])
        return plain[torch.randint(len(plain), (1, tokens), generator=self.generator)]

    def _rows(self) -> int:
        """Rows of the smallest table that is looked up, where no configuration says how many words there are."""
        tables = (each for each in self.model.modules() if isinstance(each, nn.Embedding))
        return min((each.num_embeddings for each in tables), default=_MOST_WORDS)

    def _pictures(self, _: int) -> Tensor:
        """[1, channels, height, width]; the picture's size decides the tokens."""
        size, channels = self._number("image_size", 224), self._number("num_channels", 3)
        return torch.randn(1, channels, size, size, generator=self.generator)

    def _sounds(self, _: int) -> Tensor:
        """[1, mel bins, frames]: as many as two for each position of the encoder."""
        frames = 2 * self._number("max_source_positions", 1500)
        return torch.randn(1, self._number("num_mel_bins", 80), frames, generator=self.generator)

    def _number(self, name: str, otherwise: int) -> int:
        value = self._fields().get(name)
        return value if isinstance(value, int) else otherwise

    def _fields(self) -> dict[str, Any]:
        """Fields of the configuration, those of the part for text above those of the whole."""
        whole = vars(self.config) if self.config is not None else {}
        text = getattr(self.config, "get_text_config", lambda: None)()
        return {**whole, **(vars(text) if text is not None else {})}
