"""Shell completion: options, their values, and names of models, boards, experiments, studies and passes.

``sttest --install-completion`` sets it up.  A shell waits for the answer, so no verb's module is imported for it:
``completion.json``, which :func:`write_description` writes, says what the verbs take.
"""

import inspect
import json
import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import typer

from sttest.core.files import write_text

_PACKAGE = Path(__file__).parents[1]
_FILE = Path(__file__).with_name("completion.json")
_DATA = _PACKAGE / "studies" / "data"
_KINDS = {  # what a parameter names, where it is not a file; by verb and parameter, or by the parameter alone
    ("board", "name"): "boards",
    ("reproduce", "name"): "experiments",
    ("studies", "name"): "catalog",
    ("corpus", "name"): "corpus",
    "model": "models",
    "board": "boards",
    "study": "studies",
    "precision": "schemes",
    "pipeline": "passes",
    "engines": "engines",
}


def is_completing() -> bool:
    """Whether a shell asks what could follow."""
    return "_STTEST_COMPLETE" in os.environ


def completing_verb(name: str) -> Callable[..., None]:
    """A function that takes what the verb takes, and does nothing.

    Args:
        name: the verb; one that the file does not know yet takes nothing.
    """
    takes = _known()["verbs"].get(name, {"arguments": [], "options": []})
    parameters = [*_arguments(takes["arguments"]), *_options(takes["options"])]

    def nothing(**_given: Any) -> None:
        """Is called by nobody."""

    nothing.__signature__ = inspect.Signature(parameters)  # pyright: ignore[reportFunctionMemberAccess]
    nothing.__annotations__ = {each.name: each.annotation for each in parameters}
    return nothing


def candidates(kind: str | Sequence[str], incomplete: str) -> list[str]:
    """Names of a kind, or choices, that begin so; of a list with commas, the last one is completed.

    >>> candidates("boards", "u55")
    ['u55c']
    >>> candidates("passes", "fuse-kernels,fold")
    ['fuse-kernels,fold-dma']
    """
    names = _NAMES[kind]() if isinstance(kind, str) else kind
    before, comma, last = incomplete.rpartition(",") if kind in ("passes", "engines") else ("", "", incomplete)
    return [f"{before}{comma}{name}" for name in names if name.startswith(last)]


def _stems(folder: Path, suffix: str) -> list[str]:
    return sorted(path.stem for path in folder.glob(f"*{suffix}"))


def _models() -> list[str]:
    from sttest.models.registry import SMALL, known_models

    return [*known_models(), *(f"{SMALL}{name}" for name in known_models())]


def _boards() -> list[str]:
    from sttest.boards.load import board_names

    return list(board_names())


def _experiments() -> list[str]:
    from sttest.studies.tables import questions

    return list(questions())


def _catalog() -> list[str]:
    from sttest.studies.catalog import catalog_names

    return catalog_names()


def _schemes() -> list[str]:
    from sttest.models.quant.scheme import schemes

    return list(schemes())


_NAMES: dict[str, Callable[[], Sequence[str]]] = {
    "models": _models,
    "boards": _boards,
    "experiments": _experiments,
    "schemes": _schemes,
    "studies": lambda: [*_stems(_DATA, ".yaml"), *_stems(_DATA / "ablations", ".yaml")],
    "catalog": _catalog,
    "corpus": lambda: [
        name for name in _stems(_PACKAGE / "testing" / "data" / "designs", ".json") if not name.endswith("_live")
    ],
    "passes": lambda: _known()["passes"],
    "engines": lambda: _known()["engines"],
}


@cache
def _known() -> dict[str, Any]:
    return json.loads(_FILE.read_text(encoding="utf-8"))


def _arguments(takes: Sequence[dict[str, Any]]) -> Iterator[inspect.Parameter]:
    for each in takes:
        kind: Any = list[str] if each["many"] else str
        info = typer.Argument(autocompletion=_completer(each["kind"]))
        yield _parameter(each["name"], Annotated[kind | None, info])


def _options(takes: Sequence[dict[str, Any]]) -> Iterator[inspect.Parameter]:
    for each in takes:
        if each["kind"] is None:
            yield _parameter(each["name"], Annotated[bool | None, typer.Option(*each["flags"])])
        else:
            info = typer.Option(*each["flags"], autocompletion=_completer(each["kind"]))
            yield _parameter(each["name"], Annotated[str | None, info])


def _parameter(name: str, annotation: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def _completer(kind: str | Sequence[str]) -> Callable[[str], list[str]]:
    """Of what is no name and no choice, nothing: the shell then completes files."""

    def complete(incomplete: str) -> list[str]:
        return candidates(kind, incomplete) if kind else []

    return complete


# --- The file


def description() -> dict[str, Any]:
    """What ``completion.json`` is to hold, from the verbs."""
    from sttest.built_in import backends
    from sttest.cli.app import app
    from sttest.cli.verbs import VERBS
    from sttest.compile.steps import OWN

    root: Any = typer.main.get_command(app)
    verbs = {name: _described(name, root.commands[name].params) for name in VERBS}
    engines = sorted(each.name for each in backends.OFFERS)
    return {"passes": sorted(OWN), "engines": engines, "verbs": verbs}


def _described(verb: str, parameters: Sequence[Any]) -> dict[str, Any]:
    arguments, options = list[dict[str, Any]](), list[dict[str, Any]]()
    for each in parameters:
        choices = each.type_descriptor.choices if each.type_descriptor.is_choice else None
        kind = [str(choice) for choice in choices] if choices else _KINDS.get((verb, each.name), _KINDS.get(each.name))
        if each.param_type_name == "argument":
            arguments.append({"name": each.name, "many": each.nargs == -1, "kind": kind or ""})
        else:
            flags = [*each.opts, *each.secondary_opts]
            flags = [f"{each.opts[0]}/{each.secondary_opts[0]}"] if each.secondary_opts else flags
            options.append({"name": each.name, "flags": flags, "kind": None if each.is_flag else kind or ""})
    return {"arguments": arguments, "options": options}


def text_of(found: dict[str, Any]) -> str:
    """The file's text, a parameter per line, so that a change of one is a change of one line."""
    lines = [f'{{"passes": {json.dumps(found["passes"])},', f'"engines": {json.dumps(found["engines"])},', '"verbs": {']
    verbs = list[str]()
    for name, takes in found["verbs"].items():
        parts = (
            f'"{what}": [{",".join(f"{chr(10)}  {json.dumps(each)}" for each in takes[what])}]'
            for what in ("arguments", "options")
        )
        verbs.append(f"{json.dumps(name)}: {{{', '.join(parts)}}}")
    return "\n".join([*lines, ",\n".join(verbs), "}}", ""])


def write_description() -> None:
    """Writes ``completion.json`` anew, to be called after a verb or an option has changed."""
    write_text(_FILE, text_of(description()))
