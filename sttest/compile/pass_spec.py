"""Pass pipelines as text: ``pass,pass{option=value option=value,value}`` (xDSL's syntax)."""

from __future__ import annotations

import dataclasses

from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec, parse_pipeline
from xdsl.utils.exceptions import ArgSpecParseError

from sttest.compile.context import PASSES
from sttest.errors import InputError, did_you_mean

WHERE = "pass pipeline"


def parse_passes(pipeline: str) -> tuple[ModulePass, ...]:
    """The passes that a pipeline names; none for an empty text.

    Raises:
        InputError: bad syntax, or an unknown pass or option, with the nearest known one.
    """
    try:
        specs = list(parse_pipeline(pipeline.strip()))
    except ArgSpecParseError as error:
        lines = str(error).splitlines()[1:]
        raise InputError("bad-pipeline", "\n".join(["it does not parse", *lines]), where=WHERE) from error
    return tuple(_build(spec) for spec in specs)


def _build(spec: ArgSpec) -> ModulePass:
    if spec.name not in PASSES:
        raise InputError(
            "unknown-pass", f"unknown pass '{spec.name}'", where=WHERE, levers=[did_you_mean(spec.name, PASSES)]
        )
    kind = PASSES[spec.name]
    known = [field.name.replace("_", "-") for field in dataclasses.fields(kind) if field.name != "name"]
    for option in spec.parameters:
        _require_known(option.replace("_", "-"), spec.name, known)
    try:
        return kind.from_spec(spec)
    except ValueError as error:
        raise InputError("bad-option", f"{error}", where=f"pass {spec.name}", levers=[_usage(kind)]) from error


def _require_known(option: str, name: str, known: list[str]) -> None:
    if option in known:
        return
    levers = [did_you_mean(option, known)] if known else ["leave the braces out, it has no options"]
    raise InputError("unknown-option", f"unknown option '{option}'", where=f"pass {name}", levers=levers)


def _usage(kind: type[ModulePass]) -> str:
    options = " ".join(
        f"{field.name.replace('_', '-')}=<{field.type}>" for field in dataclasses.fields(kind) if field.name != "name"
    )
    return f"write {kind.name}{{{options}}}"
