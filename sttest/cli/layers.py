"""What verbs share that take ``--layer``: one layer of any model class, as a file whose function makes it."""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from sttest.cli.common import Phase
from sttest.core.errors import InputError, note
from sttest.frontend.layers.asked import AskedLayer, architectures
from sttest.frontend.layers.written import write_layer
from sttest.studies.compile_request import DEFAULT_CONTEXT, DEFAULT_SMALL_CONTEXT, DEFAULT_TOKENS

FOLDER = Path("build/layers")
_NO_BLOCK = ("unknown-family", "unknown-field")
"""Codes of errors that say that a configuration is of no block that sttest knows."""

Layer = Annotated[
    str | None,
    typer.Option(
        metavar="transformers:CLASS|FILE.py:CLASS",
        help="MODEL is the config.json of this class: take its first layer, or that of :PATH behind it, as a module.",
    ),
]


@dataclass(frozen=True)
class LayerSizes:
    """Of a layer, how large it is and what is drawn."""

    small: Annotated[bool, typer.Option("--small", help="With --layer, shrink it to test sizes.")] = False
    seed: Annotated[int, typer.Option(min=0, help="With --layer, of random weights and inputs.")] = 0

    def check(self, layer: str | None) -> None:
        """
        Raises:
            InputError: sizes of no layer.
        """
        if layer is None and self != LayerSizes():
            hints = ["leave it out", "add --layer transformers:CLASS", "name a small model, as in small-gpt2"]
            raise InputError("no-layer", "--small and --seed are of a layer", where="--layer", hints=hints)


def layer_reference(
    layer: str,
    config: str,
    phase: Phase | None,
    tokens: int | None,
    context: int | None,
    *,
    small: bool = False,
    seed: int = 0,
) -> str:
    """Writes the file of a layer below ``build/layers``, and gives the reference to its function.

    Args:
        layer: the class, and perhaps a path, as ``--layer`` has them.
        config: path of the configuration.
        phase, tokens, context: the call; the lengths have defaults, which are said on stderr.
        small, seed: see :class:`LayerSizes`.

    Raises:
        InputError: no phase, a class that is spelled wrongly, no such configuration, or a shape that no call has.
        ToolMissingError: transformers is not installed.
    """
    if phase is None:
        hints = ["give --phase prefill --tokens N", "give --phase decode --context N"]
        raise InputError("missing-option", "--phase is missing", where=layer, hints=hints)
    if phase == "prefill" and tokens is None:
        tokens = DEFAULT_TOKENS
        note(f"--tokens is not given: a prompt of {tokens} tokens")
    if phase == "decode" and context is None:
        context = DEFAULT_SMALL_CONTEXT if small else DEFAULT_CONTEXT
        note(f"--context is not given: {context} tokens in the cache")
    asked = AskedLayer(layer, config, phase, 1 if tokens is None else tokens, context or 0, small, seed)
    asked.check()
    reference = write_layer(asked, FOLDER)
    note(f"the layer is {reference}, which every verb takes that takes a model")
    return reference


@contextmanager
def naming_layers(verb: str, model: str) -> Iterator[None]:
    """Where a configuration is of no block that is known, the error names ``--layer`` of the verb."""
    try:
        yield
    except InputError as error:
        if error.code not in _NO_BLOCK:
            raise
        name = next(iter(architectures(model)), "CLASS")
        hints = [f"take a layer of it as it is: sttest {verb} --layer transformers:{name} {shlex.quote(model)}"]
        raise InputError(error.code, error.what, where=error.where, hints=[*hints, *error.hints]) from error
