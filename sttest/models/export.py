"""The linalg text of one decoder block, kept once it has been made."""

from __future__ import annotations

import hashlib
import os
import tempfile
from importlib.metadata import version
from pathlib import Path

from sttest.models.config import DecoderConfig
from sttest.models.isolated import lower_isolated, require_frontend
from sttest.models.program import Phase, block_program, check_head, check_shape


def linalg_text(
    config: DecoderConfig, phase: Phase, tokens: int, context: int = 0, *, head: bool = False,
    cache_dir: Path | None = None,
) -> str:  # fmt: skip
    """One decoder block as linalg text in MLIR's generic form.

    Its function has the parameters, then the inputs as arguments, named by the
    attributes that :func:`sttest.models.annotate.annotate` describes.

    Args:
        config: the model.
        phase: ``prefill`` of ``tokens`` tokens, or ``decode`` of 1 token after ``context`` cached ones.
        tokens: tokens that enter the block.
        context: tokens in the cache; 0 in a prefill.
        head: with what follows the last block; in decode.
        cache_dir: where texts are kept; by default ``$STTEST_CACHE``, else ``~/.cache/sttest``.

    Raises:
        InputError: a shape that the model does not have, or a failed lowering.
        ToolMissingError: PyTorch or torch-mlir is not installed.
    """
    check_shape(config, phase, tokens, context)
    require_frontend()
    if head:
        check_head(phase)
    path = (cache_dir or default_cache_dir()) / "linalg" / f"{_key(config, phase, tokens, context, head)}.mlir"
    if path.is_file():
        return path.read_text(encoding="utf-8")
    arguments = {"config": config, "phase": phase, "tokens": tokens, "context": context, "head": head}
    text = lower_isolated(block_program, arguments)
    _write_whole(path, text)
    return text


def default_cache_dir() -> Path:
    """``$STTEST_CACHE``, or ``~/.cache/sttest``."""
    return Path(os.environ.get("STTEST_CACHE") or Path.home() / ".cache" / "sttest")


def _key(config: DecoderConfig, phase: str, tokens: int, context: int, head: bool) -> str:
    """Hash of all that the text depends on: the request, the versions of the tools, and the code of this package."""
    asked = config, phase, tokens, context, head, version("torch"), version("torch-mlir")
    digest = hashlib.sha256(repr(asked).encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    return f"{config.name}-{phase}-{digest.hexdigest()[:24]}"


def _write_whole(path: Path, text: str) -> None:
    """Write so that no reader ever sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, suffix=".tmp", delete=False) as file:
        file.write(text)
    Path(file.name).replace(path)
