"""Where streams and arrays of a design are declared in its text, in which function, and which pragma sizes them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_STREAM = re.compile(r"\bstream(?:_of_blocks)?\s*<")
_PRAGMA = re.compile(r"(?im)^[ \t]*#[ \t]*pragma[ \t]+HLS[ \t]+stream\b((?:[^\\\n]|\\\r?\n|\\)*)")
_VARIABLE = re.compile(r"\bvariable\s*=\s*([\w.$]+(?:\s*,\s*[\w.$]+)*)", re.IGNORECASE)
_HIDDEN = re.compile(r'(?sm)//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|^[ \t]*#(?:[^\\\n]|\\\r?\n|\\)*')
_FUNCTION = re.compile(r"([A-Za-z_][\w$]*)\s*\([^{};]*\)[^{};()]*$")
_NAME = re.compile(r"\s*[&*]?\s*([A-Za-z_][\w$]*)")
_ELEMENT = re.compile(r"(\[\d+\])+$|\.\d+$")


@dataclass(frozen=True)
class Declaration:
    """A variable; lines are from 1, ``pragma`` is 0 where none is about it."""

    file: Path
    line: int
    last: int
    function: str = ""
    pragma: int = 0
    has_depth_in_type: bool = False


def variable_of(fifo: str) -> str:
    """The variable that a FIFO is, or is an element of.

    >>> variable_of("lanes[3][1]"), variable_of("s.1"), variable_of("buf.take.full")
    ('lanes', 's', 'buf')
    """
    if fifo.endswith((".full", ".empty")):
        return fifo.split(".")[0]
    return _ELEMENT.sub("", fifo)


def declarations(sources: Mapping[Path, str], names: set[str], function: str = "") -> dict[str, list[Declaration]]:
    """All declarations of each variable; where a function has one, only that one.

    Args:
        sources: texts by file.
        names: variables that are looked for.
        function: the one that is asked first.
    """
    found: dict[str, list[Declaration]] = {}
    for path, text in sources.items():
        for name, each in _declared(path, text, names):
            found.setdefault(name, []).append(each)
    for name, several in found.items():
        found[name] = [each for each in several if each.function == function] or several
    return found


def _declared(path: Path, text: str, names: set[str]) -> Iterator[tuple[str, Declaration]]:
    code = _HIDDEN.sub(lambda hidden: re.sub(r"[^\n]", " ", hidden[0]), text)
    functions = [*_functions(code)]
    pragmas: dict[tuple[str, str], int] = {}
    for pragma in _PRAGMA.finditer(text):
        for variable in _VARIABLE.finditer(pragma[1]):
            for name in re.split(r"\s*,\s*", variable[1]):
                pragmas[name, _around(functions, pragma.start())] = text.count("\n", 0, pragma.start()) + 1
    seen: set[tuple[str, str]] = set()
    for name, start, end, in_type in (*_streams(code), *_arrays(code, names)):
        around = _around(functions, start)
        if name in names and (name, around) not in seen:
            seen.add((name, around))
            first, last = (code.count("\n", 0, place) + 1 for place in (start, end))
            member = next((each for each in pragmas if each[0].startswith(f"{name}.") and each[1] == around), None)
            pragma = pragmas.get((name, around), 0) or (pragmas[member] if member else 0)
            yield name, Declaration(path, first, last, around, pragma, in_type)
    for (name, around), line in pragmas.items():
        if name in names and (name, around) not in seen:
            yield name, Declaration(path, line, line, around, line)


def _streams(code: str) -> Iterator[tuple[str, int, int, bool]]:
    """Name, start and end of each declaration of streams, and whether its type has a depth."""
    for found in _STREAM.finditer(code):
        close = _closing(code, found.end() - 1, "<>")
        end = _end_of_statement(code, close + 1)
        if end < 0:
            continue
        in_type = _has_comma(code[found.end() : close])
        place = close + 1
        while place < end:
            name = _NAME.match(code, place, end)
            if name is not None:
                yield name[1], found.start(), end, in_type
            place = _next_comma(code, place, end)


def _arrays(code: str, names: set[str]) -> Iterator[tuple[str, int, int, bool]]:
    for name in sorted(names):
        if name.isidentifier():
            pattern = rf"^[ \t]*(?:[\w:]+(?:<[^;<>]*>)?[ \t]+)+{name}\s*(?:\[[^\]]*\]\s*)*[;=,({{]"
            for found in re.finditer(pattern, code, re.MULTILINE):
                yield name, found.start(), found.end(), False


def _has_comma(text: str) -> bool:
    return 0 <= _next_comma(text, 0, len(text) + 1) <= len(text)


def _next_comma(code: str, place: int, end: int) -> int:
    """Behind the next comma that stands in no bracket; ``end`` where there is none."""
    depth = 0
    for at in range(place, min(end, len(code))):
        depth += (code[at] in "([{<") - (code[at] in ")]}>")
        if code[at] == "," and not depth:
            return at + 1
    return end


def _closing(code: str, start: int, pair: str) -> int:
    depth = 0
    for place in range(start, min(len(code), start + 4000)):
        depth += (code[place] == pair[0]) - (code[place] == pair[1])
        if not depth:
            return place
    return start


def _end_of_statement(code: str, start: int) -> int:
    """Place of the semicolon of a declaration; -1 where a bracket closes before it: a parameter."""
    depth = 0
    for place in range(start, min(len(code), start + 4000)):
        depth += (code[place] in "([{") - (code[place] in ")]}")
        if depth < 0:
            return -1
        if code[place] == ";" and not depth:
            return place
    return -1


def _functions(code: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and name of each function's body."""
    stack: list[tuple[int, str]] = []
    last = 0
    for found in re.finditer(r"[{};]", code):
        if found[0] == "{":
            named = _FUNCTION.search(code, last, found.start()) if not any(name for _, name in stack) else None
            stack.append((found.start(), named[1] if named else ""))
        elif found[0] == "}" and stack:
            start, name = stack.pop()
            if name:
                yield start, found.start(), name
        last = found.end()
    if stack and stack[0][1]:
        yield stack[0][0], len(code), stack[0][1]


def _around(functions: list[tuple[int, int, str]], place: int) -> str:
    return next((name for start, end, name in functions if start <= place <= end), "")
