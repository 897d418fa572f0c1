"""Functions of a kernel that differ in names, sizes and types only are one template, called by each process.

A process is one function of the dataflow region, by whose name the tool's reports speak of it.  The template is inlined
into it, so that its loops are the process's own.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from string import ascii_lowercase

from sttest.compile.hls.folding import folded
from sttest.compile.hls.tree import (
    MAX_COLUMNS,
    Function,
    Pragma,
    Verbatim,
    bound,
    definition,
    lines_of,
    names_of_symbols,
)


def written(functions: Sequence[Function], name_of: Callable[[str, int], str]) -> tuple[list[str], list[str]]:
    """The lines of templates for all functions that are alike, and those of one function per process.

    Args:
        functions: definitions in the order of the kernel.
        name_of: name of a template, by its kind and its number among those of the kind.
    """
    alike: dict[object, list[Function]] = defaultdict(list)
    functions = [replace(each, body=folded(each.body, names_of_symbols(each.names))) for each in functions]
    for each in functions:
        alike[_key(each)].append(each)
    shared = [each for each in alike.values() if len(each) > 1]
    templates: list[str] = []
    calls: dict[str, list[str]] = {}
    counts = Counter[str]()
    for first, *others in shared:
        name = name_of(first.kind, counts[first.kind])
        counts[first.kind] += 1
        templates += _template(name, first)
        calls |= {each.name: _call(name, each) for each in (first, *others)}
    processes: list[str] = []
    for each in functions:
        gap = [""] if processes and processes[-1] and each.name not in calls else []
        processes += calls[each.name] if each.name in calls else [*gap, *_alone(each)]
    return templates, processes


def _key(function: Function) -> object:
    """What is equal of functions that are alike."""
    if not function.kind:
        return function.name
    return function.parameters, tuple((each.kind, each.name) for each in function.constants), function.body


def _bound(function: Function, types: Mapping[str, str]) -> Function:
    """A function with names in the place of symbols."""
    names = {**names_of_symbols(function.names), **types}
    return function.mapped(lambda text: bound(text, names) if "@" in text else text)


def _template(name: str, function: Function) -> list[str]:
    named = _bound(function, {each.name: each.name.strip("@") for each in function.constants if each.kind == "class"})
    # Sizes come first: types follow from the arguments of a call.
    constants = sorted(named.constants, key=lambda each: each.kind != "int")
    heads = [f"template <{', '.join(f'{each.kind} {each.name}' for each in constants)}>"] if constants else []
    body = Pragma("inline"), *named.body
    return [*lines_of(named.comments), *heads, *definition(f"static void {name}", named.parameters, body), ""]


def _process(function: Function) -> Function:
    """A function with types in the place of their names."""
    return _bound(function, {each.name: each.value for each in function.constants if each.kind == "class"})


def _call(template: str, function: Function) -> list[str]:
    """The process that a call of a template is: a task's parameters are called like values, others are letters."""
    own = _process(replace(function, body=()))
    values = ", ".join(each.value for each in own.constants if each.kind == "int")
    letters = [ascii_lowercase[n] if n < len(ascii_lowercase) else f"p{n}" for n in range(len(own.parameters))]
    names = own.names or letters
    parameters = [replace(each, name=name) for each, name in zip(own.parameters, names, strict=True)]
    call = f"{template}{f'<{values}>' if values else ''}({', '.join(names)}); }}"
    *head, _, _ = definition(f"static void {own.name}", parameters, (Verbatim(call),))
    line = f"{head[0]} {call}"
    return [line] if len(head) == 1 and len(line) <= MAX_COLUMNS else [*head, f"  {call}"]


def _alone(function: Function) -> list[str]:
    own = _process(function)
    sizes = ", ".join(f"{each.name} = {each.value}" for each in own.constants if each.kind == "int")
    body = *((Verbatim(f"constexpr int {sizes};"),) if sizes else ()), *own.body
    return [*lines_of(own.comments), *definition(f"static void {own.name}", own.parameters, body)]
