"""Functions of a kernel that differ in names, sizes and types only are one template, called by each process.

A process is one function of the dataflow region, by whose name the tool's reports speak of it.  The template is inlined
into it, so that its loops are the process's own.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from string import ascii_lowercase

from sttest.compile.hls.value_names import without_names
from sttest.compile.hls.writer import MAX_COLUMNS, CodeWriter, Constant, FunctionText

_PARAMETER = re.compile(r"(\w+)(\)\[\d+\])?$")
"""The name of a parameter, and what stands behind it where that is an array."""


@dataclass(frozen=True)
class WrittenFunctions:
    """The functions of a kernel as text."""

    templates: list[str]  # lines of those that several processes share
    processes: list[str]  # lines of one function per process, in the order of the kernel


def written(functions: Sequence[FunctionText], name_of: Callable[[str, int], str]) -> WrittenFunctions:
    """Functions as text, with one template for all that are alike.

    Args:
        functions: definitions in the order of the kernel.
        name_of: name of a template, by its kind and its number among those of the kind.
    """
    alike: dict[object, list[FunctionText]] = defaultdict(list)
    for each in functions:
        alike[_key(each)].append(each)
    templates, processes = CodeWriter(), CodeWriter()
    names: dict[object, str] = {}
    counts: dict[str, int] = defaultdict(int)
    for key, each in alike.items():
        if len(each) > 1:
            kind = each[0].kind
            names[key] = name_of(kind, counts[kind])
            counts[kind] += 1
            _write_template(templates, names[key], each[0])
    for each in functions:
        if (template := names.get(_key(each))) is not None:
            _write_call(processes, template, each)
        else:
            _write_alone(processes, each)
    return WrittenFunctions(templates.lines, processes.lines)


def _key(function: FunctionText) -> object:
    if not function.kind:
        return function.name
    constants = [f"{each.kind} {each.name}" for each in function.constants]
    return tuple(without_names(lines, function.names) for lines in (function.parameters, constants, function.body))


def _write_template(code: CodeWriter, name: str, function: FunctionText) -> None:
    code.lines += function.comments
    # Sizes come first: types follow from the arguments of a call.
    constants = sorted(function.constants, key=lambda each: each.kind != "int")
    if constants:
        code.line(f"template <{', '.join(f'{each.kind} {each.name}' for each in constants)}>")
    code.wrapped(f"static void {name}(", function.parameters, ") {")
    code.pragma("inline")
    code.lines += [*function.body, "}", ""]


def _write_call(code: CodeWriter, template: str, function: FunctionText) -> None:
    """The process that a call of a template is: a task's parameters are called like values, others are letters."""
    values = ", ".join(each.value for each in function.constants if each.kind == "int")
    typed = _typed(function.parameters, function.constants)
    letters = [ascii_lowercase[n] if n < len(ascii_lowercase) else f"p{n}" for n in range(len(typed))]
    names = function.names or letters
    parameters = [_PARAMETER.sub(rf"{name}\2", each) for each, name in zip(typed, names, strict=True)]
    call = f"{template}{f'<{values}>' if values else ''}({', '.join(names)});"
    head = f"static void {function.name}("
    line = f"{head}{', '.join(parameters)}) {{ {call} }}"
    if len(line) <= MAX_COLUMNS:
        code.line(line)
        return
    code.wrapped(head, parameters, ") {")
    code.line(f"  {call} }}")


def _write_alone(code: CodeWriter, function: FunctionText) -> None:
    if code.lines and code.lines[-1]:
        code.line()
    code.lines += function.comments
    code.wrapped(f"static void {function.name}(", _typed(function.parameters, function.constants), ") {")
    sizes = [f"{each.name} = {each.value}" for each in function.constants if each.kind == "int"]
    if sizes:
        code.line(f"  constexpr int {', '.join(sizes)};")
    code.lines += [*_typed(function.body, function.constants), "}"]


def _typed(lines: Sequence[str], constants: Sequence[Constant]) -> list[str]:
    """Lines with types in the place of their names."""
    types = {each.name: each.value for each in constants if each.kind == "class"}
    if not types:
        return [*lines]
    named = re.compile(rf"\b(?:{'|'.join(types)})\b")
    return [named.sub(lambda found: types[found[0]], line) for line in lines]
