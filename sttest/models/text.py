"""A text as the tokens of a checkpoint's own tokenizer."""

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sttest.core.errors import InputError, ToolMissingError
from sttest.core.files import read_bytes, read_text
from sttest.models.config import DecoderConfig

TOKENIZER = "tokenizer.json"
MAX_TEXT_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True)
class SpecialTokens:
    """Tokens that a tokenizer puts before a text, such as that of its beginning."""

    ids: tuple[int, ...] = ()  # token ids
    names: tuple[str, ...] = ()  # the same as text


def text_tokens(config: DecoderConfig, folder: Path, text: Path) -> list[int]:
    """The tokens of a text file, without any that a tokenizer puts before or behind.

    Args:
        config: the model; tokens outside of its vocabulary are refused.
        folder: the checkpoint's folder, with the ``tokenizer.json`` of Hugging Face.
        text: a file in UTF-8.

    Raises:
        InputError: no tokenizer, one of another model, or a file that cannot be read.
        ToolMissingError: the package tokenizers is not installed.
    """
    tokenizer = _tokenizer(folder)
    tokens = tokenizer.encode(read_text(text, most_bytes=MAX_TEXT_BYTES), add_special_tokens=False).ids
    _check(config, tokens, folder)
    return tokens


def special_tokens(config: DecoderConfig, folder: Path) -> SpecialTokens:
    """What a tokenizer puts before a text: what the ``post_processor`` of its ``tokenizer.json`` says.

    transformers goes by that alone, too, and not by ``add_bos_token`` of ``tokenizer_config.json``.  What is put behind
    a text is left out, as a stretch of a text does not end it.

    Raises:
        InputError: see :func:`text_tokens`.
        ToolMissingError: see :func:`text_tokens`.
    """
    found = _tokenizer(folder).encode("a")
    plain = found.special_tokens_mask.index(0) if 0 in found.special_tokens_mask else 0
    _check(config, found.ids[:plain], folder)
    return SpecialTokens(tuple(found.ids[:plain]), tuple(found.tokens[:plain]))


def _tokenizer(folder: Path) -> Any:
    if find_spec("tokenizers") is None:
        hints = ["pip install 'sttest[frontend]'"]
        raise ToolMissingError("tokenizers-missing", "a text needs tokenizers", where="text", hints=hints)
    path = folder / TOKENIZER
    hints = ["give a checkpoint's folder with its tokenizer.json"]
    data = read_bytes(path, most_bytes=MAX_TEXT_BYTES, hints=hints)
    try:
        tokenizer = import_module("tokenizers").Tokenizer.from_buffer(data)
    except ValueError as error:
        told = " ".join(str(error).split())[:120]
        raise InputError("bad-tokenizer", f"no tokenizer: {told}", where=str(path), hints=hints) from error
    # A file may keep how long texts were where it was made; transformers cuts only where it is asked to.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _check(config: DecoderConfig, tokens: Iterable[int], folder: Path) -> None:
    most = max(tokens, default=0)
    if most >= config.vocab:
        raise InputError(
            "other-tokenizer",
            "a token outside of the model's vocabulary",
            where=str(folder / TOKENIZER),
            demand=most,
            bound=config.vocab - 1,
            unit="token",
            hints=["take the tokenizer of this model"],
        )
