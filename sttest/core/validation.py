"""From pydantic's list of complaints to one line that names the key, the problem and the way out."""

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar, cast, get_args, get_type_hints

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from sttest.core.errors import InputError, did_you_mean

Model = TypeVar("Model", bound=BaseModel)
Location = Sequence[int | str]

_UNKNOWN_KEY = ("extra_forbidden", "unexpected_keyword_argument")
_MAX_SHOWN_CHARS = 40


def validated(model: type[Model], data: object, where: str) -> Model:
    """``data`` as a ``model``.

    Raises:
        InputError: see :func:`as_input_error`.
    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise as_input_error(error, model, data, where) from error


def as_input_error(error: ValidationError, model: type[BaseModel], data: object, where: str) -> InputError:
    """The first complaint, unknown keys before all others, with the path of its key and, where there is one, a hint.

    Args:
        error: error of pydantic.
        model: the class that the data should be of.
        data: all of the data.
        where: the place of the data, for example a file.
    """
    complaints = error.errors(include_url=False)
    complaint = min(complaints, key=lambda found: found["type"] not in _UNKNOWN_KEY)
    location = list(complaint["loc"])
    steps, label = _steps(location, data)
    place = f"{where}: {_dotted(steps)}" if steps else where
    kind, hints = complaint["type"], list[str]()
    if kind == "json_invalid":
        return InputError("not-json", f"not valid JSON ({complaint['msg']})", where=where)
    if kind in _UNKNOWN_KEY:
        hints = [did_you_mean(str(location[-1]), _known_keys(model, location[:-1], data))]
        return InputError("unknown-key", f"unknown key '{location[-1]:.80}'", where=place, hints=hints)
    if kind in ("missing", "union_tag_not_found"):
        key = str(location[-1]) if kind == "missing" else _context(complaint, "discriminator")
        return InputError("missing-key", f"key '{key}' is missing", where=place)
    if kind == "union_tag_invalid":
        tag, known = _context(complaint, "tag"), _context(complaint, "expected_tags").replace("'", "").split(", ")
        what = f"unknown {_context(complaint, 'discriminator')} '{tag:.80}'"
        return InputError("unknown-kind", what, where=place, hints=[did_you_mean(tag, known)])
    if label is not None:  # no member of a union fits: pydantic complains once for each
        return InputError("bad-value", _no_member(complaints, location, label), where=place)
    what = complaint["msg"].removeprefix("Value error, ").replace("valid dictionary or instance of", "mapping for")
    if what.endswith("mapping for Quantity"):
        hints = ["write {value: …, unit: …, source: …, kind: …}"]
    return InputError("bad-value", f"{what[0].lower()}{what[1:]}{_given(complaint['input'])}", where=place, hints=hints)


def _context(complaint: ErrorDetails, name: str) -> str:
    return str(complaint.get("ctx", {}).get(name, "")).strip("'")


def _no_member(complaints: list[ErrorDetails], location: Location, label: int) -> str:
    """All members of the union at ``location[:label]``, and what was given."""
    prefix = tuple(location[:label])
    alike = [found for found in complaints if found["loc"][:label] == prefix and len(found["loc"]) > label]
    own = next((found["msg"] for found in alike if found["type"] == "value_error"), None)
    if own is not None:
        return own.removeprefix("Value error, ")
    members = dict.fromkeys(str(found["loc"][label]) for found in alike)
    whole = next((found["input"] for found in alike if len(found["loc"]) == label + 1), None)
    return f"is not one of {', '.join(members)}{_given(whole, with_lists=True)}"


def _given(value: object, *, with_lists: bool = False) -> str:
    """The offending value, if it is one that fits on a line."""
    if value is None or (isinstance(value, dict | list) and not with_lists):
        return ""
    shown = repr(cast("object", value))
    return f", given {shown if len(shown) <= _MAX_SHOWN_CHARS else shown[: _MAX_SHOWN_CHARS - 3] + '...'}"


def _steps(location: Location, data: object) -> tuple[list[int | str], int | None]:
    """The keys and indices of a location, without the tags that pydantic puts between them.

    Returns:
        the steps, and where the location leaves the data for the first time at a member of a union, which has no
        tag in the data; None where it does not.
    """
    steps: list[int | str] = []
    for number, step in enumerate(location):
        is_last = number == len(location) - 1
        if isinstance(data, dict):
            values = cast("dict[object, object]", data)
            if step in values or is_last:
                steps.append(step)
                data = values.get(step)
            continue  # a tag of a discriminated union
        if isinstance(data, list | tuple) and isinstance(step, int):
            items = cast("Sequence[object]", data)
            steps.append(step)
            data = items[step] if step < len(items) else None
            continue
        return steps, number
    return steps, None


def _dotted(steps: Location) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps).removeprefix(".")


def _known_keys(model: type[Any], location: Location, data: object) -> list[str]:
    """The fields of the classes that ``location`` leads to from ``model``."""
    current = [model]
    for step in location:
        if isinstance(data, dict) and step not in data:
            tagged = [found for found in current if step in _tags(found)]
            current = tagged or current
            continue
        data = cast("Any", data)[step]
        fields = [annotations[str(step)] for annotations in map(_fields, current) if str(step) in annotations]
        if fields:  # else an index of a list or a key of a mapping: the classes inside stay the same
            current = [_of_kind(inner, data, step) for annotation in fields for inner in _classes_in(annotation)]
    return [name for found in current for name in _fields(found)]


def _of_kind(cls: type[Any], data: object, step: int | str) -> type[Any]:
    """The class of what says its kind in the data, which without is that of its key."""
    of_kind = getattr(cls, "of_kind", None)
    return of_kind(cast("dict[str, Any]", data).get("kind", step)) if of_kind and isinstance(data, dict) else cls


def _fields(cls: type[Any]) -> dict[str, Any]:
    """The annotations of a pydantic model or of a dataclass, by the keys in a file."""
    if issubclass(cls, BaseModel):
        return {field.alias or name: field.annotation for name, field in cls.model_fields.items()}
    hints = get_type_hints(cls)
    return {field.name: hints[field.name] for field in dataclasses.fields(cls)}


def _tags(cls: type[Any]) -> set[object]:
    return {tag for annotation in _fields(cls).values() for tag in get_args(annotation)}


def _classes_in(annotation: Any) -> Iterator[type[Any]]:
    """Models and dataclasses named in an annotation: itself, or inside a union, tuple or Annotated."""
    if isinstance(annotation, type):
        cls = cast("type[object]", annotation)
        if issubclass(cls, BaseModel) or dataclasses.is_dataclass(cls):
            yield cls
        return
    for inner in get_args(annotation):
        yield from _classes_in(inner)
