"""A text as the tokens of a checkpoint's own tokenizer."""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from sttest.core.errors import InputError, ToolMissingError
from sttest.core.files import read_bytes, read_text
from sttest.models.config import DecoderConfig

TOKENIZER = "tokenizer.json"
MAX_TEXT_BYTES = 64 * 1024 * 1024


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
    tokens = tokenizer.encode(read_text(text, most_bytes=MAX_TEXT_BYTES), add_special_tokens=False).ids
    if tokens and max(tokens) >= config.vocab:
        raise InputError(
            "other-tokenizer",
            "a token outside of the model's vocabulary",
            where=str(path),
            demand=max(tokens),
            bound=config.vocab - 1,
            unit="token",
            hints=["take the tokenizer of this model"],
        )
    return tokens
