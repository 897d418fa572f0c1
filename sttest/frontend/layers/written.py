"""A file of Python whose function makes a layer, so that every verb that takes ``FILE.py:FUNCTION`` takes the layer."""

import re
from dataclasses import fields
from pathlib import Path

from sttest.core.errors import InputError
from sttest.core.files import write_text
from sttest.frontend.layers.asked import CONFIG_FILE, LIBRARY, AskedLayer
from sttest.models.program import size_of

FUNCTION = "make"
_FIRST = '"""One layer of a model as a module of its own, as `--layer` wrote it; every verb takes FILE.py:make."""'


def layer_name(asked: AskedLayer) -> str:
    """The name of a layer's package without its board: that of the configuration, the layer's path, and the shape.

    >>> layer_name(AskedLayer("transformers:OPTModel", "models/OPT-1.3B/config.json", "decode", 1, 64))
    'opt-1.3b-decode-c64'
    """
    path = Path(asked.config).resolve()
    model = path.parent.name if path.name == CONFIG_FILE else path.stem
    parts = ("small" if asked.small else "", model, asked.of.path, asked.phase)
    name = "-".join(_plain(each) for each in parts if each)
    return f"{name}-{size_of(asked.phase, asked.tokens, asked.context)}"


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-.")[:64] or "model"


def write_layer(asked: AskedLayer, folder: Path) -> str:
    """Writes the file, and gives the reference to its function.

    Args:
        asked: the layer.
        folder: where the file goes.

    Raises:
        InputError: a class that is spelled wrongly, or a file of this name that is somebody's own.
    """
    of, path = asked.of, folder / f"{layer_name(asked)}.py"
    source = of.source if of.source == LIBRARY else str(Path(of.source).resolve())
    model = ":".join(filter(None, (source, of.name, of.path)))
    given = {each.name: getattr(asked, each.name) for each in fields(asked)}
    given |= {"model": model, "config": str(Path(asked.config).resolve())}
    if path.exists() and not path.read_text(encoding="utf-8").startswith(_FIRST):
        hints = ["rename it"]
        raise InputError("own-file", "the file is there, and --layer did not write it", where=str(path), hints=hints)
    lines = "".join(f"    {name}={value!r},\n" for name, value in given.items())
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, _TEXT.format(first=_FIRST, lines=lines, function=FUNCTION))
    return f"{path}:{FUNCTION}"


_TEXT = """\
{first}

from sttest.frontend.layers.asked import AskedLayer
from sttest.frontend.layers.layer import captured_layer

LAYER = AskedLayer(
{lines})


def {function}():
    return captured_layer(LAYER)
"""
