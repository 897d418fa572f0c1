"""Options that take numbers: what :mod:`sttest.core.numbers` calls one, whatever the parser would take."""

import inspect
from collections.abc import Callable
from typing import Any, get_args

import typer

from sttest.core.numbers import real, whole


def take_plain_numbers(command: Any, verb: Callable[..., None]) -> None:
    """Makes all options of a command refuse ``nan``, ``inf`` and ``1_0`` where they take numbers.

    Args:
        command: what the parser made of a verb.
        verb: the verb, whose annotations say what an option takes.
    """
    annotations = {name: each.annotation for name, each in inspect.signature(verb).parameters.items()}
    for parameter in command.params:
        read = _reader(annotations.get(parameter.name))
        if read is not None:
            parameter.process_value = _reading(parameter, read)


def _reader(annotation: Any) -> Callable[[str], object] | None:
    """What reads a text for an annotation such as ``Annotated[list[int] | None, ...]``; None where it is no number."""
    found = {annotation}
    while any(map(get_args, found)):
        found = {inner for each in found for inner in get_args(each) or (each,) if not _is_told(inner)}
    return whole if int in found else real if float in found else None


def _is_told(inner: object) -> bool:
    return isinstance(inner, typer.models.ParameterInfo)


def _reading(parameter: Any, read: Callable[[str], object]) -> Callable[[Any, Any], Any]:
    process = parameter.process_value

    def checked(ctx: Any, value: Any) -> Any:
        for text in value if isinstance(value, list | tuple) else (value,):
            try:
                if isinstance(text, str):
                    read(text)
            except ValueError as error:
                raise typer.BadParameter(str(error), ctx=ctx, param=parameter) from error
        return process(ctx, value)

    return checked
