"""A checkpoint's folder as the model that transformers makes of it.

Nothing is downloaded and no code of the folder is run: weights are safetensors of the folder, classes those of
transformers.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sttest.core.errors import InputError, ToolMissingError, did_you_mean, note
from sttest.core.files import MAX_OBJECT_BYTES, read_json
from sttest.crosscheck.transformers_model import TransformersModel, check_sizes, refused
from sttest.models.config import DecoderConfig
from sttest.models.config_file import CONFIG_FILE

_ADAPTER = "adapter_config.json"
_WITH_HEAD = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration")


def require_transformers() -> None:
    """Raise ToolMissingError unless transformers is installed."""
    if find_spec("transformers") is None:
        raise ToolMissingError(
            "no-transformers",
            "transformers, which the blocks are held against, is not installed",
            where="--against",
            hints=["pip install 'sttest[frontend]'"],
        )


def load_transformers(folder: Path, like: DecoderConfig, kind: str = "") -> TransformersModel:
    """The model that transformers makes of a folder, in float32 with eager attention.

    Args:
        folder: config.json and safetensors in the naming of Hugging Face.
        like: our model, whose sizes it must have: a class that does not know the folder's fields takes its own.
        kind: name of a class of transformers; that which the configuration says if empty.

    Raises:
        InputError: no such class; other sizes; weights that are no safetensors, are quantized, or are missing; or
            transformers refuses the folder, in its own words.
        ToolMissingError: transformers, or what it needs besides, is not installed.
    """
    require_transformers()
    from sttest.models.checkpoint import checkpoint_files

    checkpoint_files(folder)
    _check_folder(folder)
    import torch
    import transformers

    maker: Any = transformers.AutoModelForCausalLM if not kind else _class_named(transformers, kind)
    settings: Any = transformers.AutoConfig if not kind else maker.config_class
    local: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    options: dict[str, Any] = {
        **local,
        "use_safetensors": True,
        "dtype": torch.float32,
        "attn_implementation": "eager",
        "output_loading_info": True,
    }
    path = str(folder.resolve())
    with _quiet(transformers):
        config: Any = _answer(folder, lambda: settings.from_pretrained(path, **local))
        check_sizes(config.get_text_config(decoder=True), like, kind or str(folder))
        loaded: Any = _answer(folder, lambda: maker.from_pretrained(path, config=config, **options))
    model, told = loaded
    _check_told(told, folder)
    return TransformersModel(model.eval())


def _answer(folder: Path, ask: Callable[[], Any]) -> Any:
    """What transformers gives, or what it says instead."""
    try:
        return ask()
    except MemoryError:
        raise
    except Exception as error:  # whatever transformers raises
        raise refused(error, str(folder)) from error


def _check_folder(folder: Path) -> None:
    config = read_json(folder / CONFIG_FILE, most_bytes=MAX_OBJECT_BYTES, hints=["give a folder with its config.json"])
    if isinstance(config, dict) and config.get("quantization_config"):
        raise InputError(
            "quantized-checkpoint",
            "the weights of the checkpoint are quantized already",
            where=f"{folder / CONFIG_FILE}: quantization_config",
            hints=["take the checkpoint in BF16 or F32"],
        )
    if (folder / _ADAPTER).exists():
        what = "an adapter beside the weights, which transformers would add to them"
        raise InputError("adapter", what, where=str(folder / _ADAPTER), hints=["merge it into the weights first"])


def _class_named(transformers: Any, name: str) -> Any:
    """A class of transformers with a language-model head."""
    known = [each for each in dir(transformers) if each.endswith(_WITH_HEAD)]
    if name not in known:
        what = f"'{name}' is neither a folder nor a causal language model of transformers, and nothing is downloaded"
        hints = [did_you_mean(name, known)]
        raise InputError("no-such-model", what, where="--against", hints=hints)
    return getattr(transformers, name)


def _check_told(told: dict[str, Any], folder: Path) -> None:
    """What transformers would make up is refused, what it passes over is said."""
    missing = sorted(map(str, told.get("missing_keys") or ()))
    if missing:
        what = f"transformers finds no values for {len(missing)} of its weights, {missing[0]} among them"
        raise InputError("missing-weights", what, where=str(folder), hints=["give the folder of that class, complete"])
    surplus = sorted(map(str, told.get("unexpected_keys") or ()))
    if surplus:
        note(f"transformers passes over {len(surplus)} tensors of {folder}, {surplus[0]} among them")


@contextmanager
def _quiet(transformers: Any) -> Iterator[None]:
    """Without transformers' own bars and reports."""
    logging = transformers.utils.logging
    verbosity, has_bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if has_bars:
            logging.enable_progress_bar()
