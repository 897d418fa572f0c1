"""From pydantic's list of complaints to one line that names key, problem and way out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from sttest.errors import InputError, did_you_mean

Model = TypeVar("Model", bound=BaseModel)
Location = tuple[int | str, ...]


def validated(model: type[Model], data: dict[str, Any], where: str) -> Model:
    """``data`` as a ``model``.

    Raises:
        InputError: the first complaint, unknown keys before all others, with the path
            of the key and, for an unknown key, the nearest known one.
    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        complaints = sorted(error.errors(), key=lambda found: found["type"] != "extra_forbidden")
        raise _input_error(model, complaints[0], where) from error


def _input_error(model: type[BaseModel], complaint: Any, where: str) -> InputError:
    location: Location = complaint["loc"]
    place = f"{where}: {_dotted(location)}" if location else where
    if complaint["type"] == "extra_forbidden":
        known = _known_keys(model, location[:-1])
        return InputError(
            "unknown-key", f"unknown key '{location[-1]}'", where=place, levers=[did_you_mean(str(location[-1]), known)]
        )
    if complaint["type"] == "missing":
        return InputError("missing-key", f"key '{location[-1]}' is missing", where=place)
    what = complaint["msg"].removeprefix("Value error, ").replace("valid dictionary or instance of", "mapping for")
    levers = ["write {value: …, unit: …, source: …, kind: …}"] if what.endswith("mapping for Quantity") else []
    return InputError(
        "bad-value", f"{what[0].lower()}{what[1:]}{_given(complaint['input'])}", where=place, levers=levers
    )


def _given(value: Any) -> str:
    """The offending value, if it is one that fits on a line."""
    if isinstance(value, dict | list):
        return ""
    shown = repr(value)
    return f", given {shown if len(shown) <= 40 else shown[:37] + '...'}"


def _dotted(location: Location) -> str:
    return ".".join(str(step) for step in location)


def _known_keys(model: type[BaseModel], location: Location) -> list[str]:
    """Fields of the model that ``location`` leads to from ``model``."""
    current = [model]
    for step in map(str, location):
        fields = [found.model_fields[step] for found in current if step in found.model_fields]
        if not fields:  # an index of a list or a key of a mapping: the models inside stay the same
            continue
        current = [inner for field in fields for inner in _models_in(field.annotation)]
    return [name for found in current for name in found.model_fields]


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """Model classes named in an annotation: itself, or inside a union, tuple or Annotated."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
        return
    for inner in get_args(annotation):
        yield from _models_in(inner)
