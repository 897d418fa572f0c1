"""Verbs with many options take them as objects: a dataclass whose fields are annotated as a verb's parameters are."""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import wraps
from typing import Any, get_type_hints


def takes_objects(verb: Callable[..., None]) -> Callable[..., None]:
    """Gives a verb one command-line option for every field of its parameters that are dataclasses, in their place."""
    signature = inspect.signature(verb, eval_str=True)
    objects: dict[str, Any] = {
        each.name: each.annotation for each in signature.parameters.values() if is_dataclass(each.annotation)
    }
    parameters: list[inspect.Parameter] = []
    for each in signature.parameters.values():
        parameters += _of_object(each) if each.name in objects else [each]

    @wraps(verb)
    def run(**given: Any) -> None:
        made = {
            name: kind(**{field.name: given.pop(field.name) for field in fields(kind)})
            for name, kind in objects.items()
        }
        verb(**given, **made)

    run.__signature__ = signature.replace(parameters=parameters)  # pyright: ignore[reportAttributeAccessIssue]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


def _of_object(parameter: inspect.Parameter) -> list[inspect.Parameter]:
    hints = get_type_hints(parameter.annotation, include_extras=True)
    return [
        inspect.Parameter(field.name, parameter.kind, default=_default(field), annotation=hints[field.name])
        for field in fields(parameter.annotation)
    ]


def _default(field: "Field[Any]") -> Any:
    return inspect.Parameter.empty if field.default is MISSING else field.default
