"""Which layer of which model is asked for, and how it is spelled."""

import importlib.util
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from sttest.core.errors import InputError, ToolMissingError
from sttest.core.files import MAX_OBJECT_BYTES, read_json

CONFIG_FILE = "config.json"
LIBRARY = "transformers"
MAX_WEIGHT_BYTES = 16 * 2**30
"""Memory of the weights that are drawn for one layer and what runs before it."""
Phase = Literal["prefill", "decode"]


@dataclass(frozen=True)
class ModelClass:
    """A class of transformers or of a file, and where in its model the layer is.

    Attributes:
        source: ``transformers``, or the path of a Python file.
        name: of the class.
        path: of the layer in the model, such as ``encoder.layers.0``; empty for the first layer of the only stack.
    """

    source: str
    name: str
    path: str = ""

    @classmethod
    def parse(cls, text: str) -> "ModelClass":
        """The parts of ``transformers:CLASS``, ``FILE.py:CLASS``, or either with ``:PATH`` behind it.

        >>> ModelClass.parse("transformers:WhisperModel:encoder.layers.0")
        ModelClass(source='transformers', name='WhisperModel', path='encoder.layers.0')
        >>> ModelClass.parse("my.py:Model").source
        'my.py'

        Raises:
            InputError: none of these.
        """
        match = re.fullmatch(r"(transformers|.+\.py):(\w+)(?::([\w.]+))?", text)
        if match is None or not match[2].isidentifier():
            raise InputError(
                "not-a-class",
                f"'{text:.200}' names no class of models",
                where="--layer",
                hints=[
                    "write transformers:CLASS, such as transformers:Phi3ForCausalLM",
                    "write FILE.py:CLASS",
                    "add :PATH for another layer than the first, such as :model.layers.5",
                ],
            )
        return cls(match[1], match[2], match[3] or "")

    def __str__(self) -> str:
        return ":".join(filter(None, (self.source, self.name, self.path)))


@dataclass(frozen=True)
class AskedLayer:
    """A layer, and the call of it that is compiled.

    Attributes:
        model: the class, as :meth:`ModelClass.parse` takes it.
        config: path of the model's ``config.json``, or of its folder.
        phase: ``prefill`` of `tokens` tokens, or ``decode`` of `tokens` after `context` cached ones.
        tokens, context: as there.
        small: whether the configuration is shrunk to sizes for tests.
        seed: of weights and inputs.
    """

    model: str
    config: str
    phase: Phase
    tokens: int
    context: int = 0
    small: bool = False
    seed: int = 0

    @property
    def of(self) -> ModelClass:
        """The class, in its parts."""
        return ModelClass.parse(self.model)

    def check(self) -> None:
        """
        Raises:
            InputError: a class that is spelled wrongly, or a shape that no call has.
            ToolMissingError: transformers is not installed.
        """
        if self.of.source == LIBRARY and importlib.util.find_spec(LIBRARY) is None:
            hints = ["pip install 'sttest[frontend]'"]
            raise ToolMissingError("frontend-missing", "the class is of transformers", where=self.model, hints=hints)
        if self.tokens < 1 or self.context < (1 if self.phase == "decode" else 0):
            hints = ["give --tokens of at least 1", "give a decode --context of at least 1"]
            raise InputError("bad-shape", "a call has no tokens", where=f"{self.model} {self.phase}", hints=hints)
        if self.phase == "prefill" and self.context:
            hints = ["leave --context out", "take --phase decode"]
            raise InputError("bad-shape", "a prefill starts from an empty cache", where="--context", hints=hints)


def config_data(path: str | Path) -> dict[str, Any]:
    """The content of a ``config.json``, or of the one in a folder.

    Raises:
        InputError: no such file, or no object in it.
    """
    file = Path(path) / CONFIG_FILE if Path(path).is_dir() else Path(path)
    hints = ["give the config.json of the model, or its folder", 'write {"__float__": "Infinity"} for Infinity']
    data = read_json(file, most_bytes=MAX_OBJECT_BYTES, hints=hints)
    if not isinstance(data, dict):
        raise InputError("not-an-object", "no configuration of a model", where=str(file), hints=hints)
    return {name: _with_infinities(value) for name, value in data.items()}


def _with_infinities(value: Any) -> Any:
    """A value in which infinities, which JSON has not, are written as transformers writes them."""
    if isinstance(value, list):
        return [_with_infinities(each) for each in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"__float__"} and value["__float__"] in ("Infinity", "-Infinity", "NaN"):
        return float(value["__float__"])
    return {name: _with_infinities(each) for name, each in value.items()}


def architectures(path: str) -> tuple[str, ...]:
    """Classes that a ``config.json`` says its model is of; none where it cannot be read."""
    try:
        given = config_data(path).get("architectures")
    except InputError:
        return ()
    names = given if isinstance(given, list) else []
    return tuple(name for name in names if isinstance(name, str) and name.isidentifier())
