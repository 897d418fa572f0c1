"""What verbs share: choices, options, those that are made of ``CompileOptions``, and how results are printed."""

import inspect
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import typer
from pydantic.fields import FieldInfo

from sttest.cli.output import Json as Json
from sttest.cli.output import print_json as print_json
from sttest.compile.options import CompileOptions, Option, bound_of, choices_of, flag_of, options_of
from sttest.core.errors import InputError
from sttest.core.progress import progress as progress
from sttest.targets.csim import AP_TYPES_VARIABLE

Phase: TypeAlias = Literal["prefill", "decode"]
Strategy: TypeAlias = Literal["normal", "conservative"]
SizingMethod: TypeAlias = Literal["lp", "sim"]
Engine: TypeAlias = Literal["maxplus", "simpy"]
Backend: TypeAlias = Literal["rtl", "csim"]
CardBackend: TypeAlias = Literal["emulator", "hw_emu", "device"]
BuildTarget: TypeAlias = Literal["hw_emu", "hw"]
LaunchPer: TypeAlias = Literal["layer", "token", "generation"]
Simulator: TypeAlias = Literal["verilator", "icarus"]
ApTypes = Annotated[
    Path | None,
    typer.Option(envvar=AP_TYPES_VARIABLE, help="csim: Xilinx's integer types, the folder of a clone [our own]."),
]
Parameters = Annotated[
    str | None, typer.Option(metavar="NAME,NAME", help="Arguments of a .mlir file that are weights [its own word].")
]
DESIGN = "A design package, a timed-graph JSON, or an SDF3 XML file; - is a file on standard input."
"""What every verb says that takes a design of any form."""
Batch = Annotated[
    int | None, typer.Option(min=1, help="Sequences that share the weights, each with its own cache and length [1].")
]
Board = Annotated[str, typer.Option(help="A board's name, or a YAML file.")]

Verb = Callable[..., None]


def takes_options(*names: str) -> Callable[[Verb], Verb]:
    """Gives a verb one command-line option for every option of the compiler in place of its parameter ``options``.

    Args:
        names: the options that the verb takes; all of them if none is named.
    """

    def decorate(verb: Verb) -> Verb:
        chosen = {
            name: (_parameter(name, field, option), field, option)
            for name, field, option in options_of()
            if option.on_command_line and (not names or name in names)
        }
        signature = inspect.signature(verb, eval_str=True)
        parameters = [inspect.Parameter(_LINE, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)]
        for each in signature.parameters.values():
            parameters += [made for made, *_ in chosen.values()] if each.name == "options" else [each]

        @wraps(verb)
        def run(**given: Any) -> None:
            line: typer.Context = given.pop(_LINE)
            said = {name: given.pop(name) for name in chosen}
            values = {
                name: _value(name, said[name], field, option)
                for name, (_, field, option) in chosen.items()
                if _is_given(line, name)
            }
            verb(**given, options=CompileOptions(**values))

        run.__signature__ = signature.replace(parameters=parameters)  # pyright: ignore[reportAttributeAccessIssue]
        run.__annotations__ = {each.name: each.annotation for each in parameters}
        return run

    return decorate


_LINE = "command_line"
"""Name of the parameter that typer hands the parsed command line to."""


def _is_given(line: typer.Context, name: str) -> bool:
    """Whether an option stood on the command line, be it with its default."""
    source = line.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


def _parameter(name: str, field: FieldInfo, option: Option) -> inspect.Parameter:
    """The option as typer takes it: a parameter whose annotation says how it is read."""
    choices, default, told = choices_of(field, option), field.default, field.description or ""
    kind: Any = field.annotation
    if isinstance(default, tuple):
        kind, default, told = list[str] | None, None, f"{told.removesuffix('.')}; may be repeated."
    elif choices:
        any_literal: Any = Literal
        kind, default = any_literal[tuple(map(str, choices))], str(default)
    given = typer.Option(
        flag_of(name, option), help=told, metavar=option.metavar, min=bound_of(field, "ge"), max=bound_of(field, "le")
    )
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, given])


def _value(name: str, given: Any, field: FieldInfo, option: Option) -> Any:
    """The value of a field, from what stood on the command line."""
    if isinstance(field.default, tuple):
        entries = tuple(given or ())
        return tuple(_pair(flag_of(name, option), entry) for entry in entries) if option.pairs else entries
    spelled = {str(choice): choice for choice in choices_of(field, option)}
    return spelled.get(given, given)


def _pair(flag: str, entry: str) -> str:
    """``NAME=VALUE`` as passes write it: ``name:value``.

    Raises:
        InputError: no name, or no value.
    """
    name, _, value = entry.partition("=")
    if not name or not value:
        raise InputError("bad-option", f"'{name}' has no value", where=flag, hints=[f"write {flag} NAME=..."])
    return f"{name}:{value}"


def names_of(text: str | None) -> tuple[str, ...]:
    """Names separated by commas.

    >>> names_of("arg0, arg2")
    ('arg0', 'arg2')
    """
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())
