"""Temporaries that are used once become part of the expression that uses them.

A rounded product keeps a line of its own, so that no tool may contract it with the sum that follows, and conversions
stay: what is put in the place of an integer's name has that integer's type.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

_TEMPORARY = re.compile(r"( *)const (\w+(?:<\d+>)?) (\w+) = (.+);")
_DECLARATION = re.compile(r" *(\w+(?:<\d+>)?) (\w+);")
_WORD = re.compile(r"\b[A-Za-z_]\w*\b")
_INDEX = re.compile(r"\[[^\]]*\]")
_MAX_COLUMNS = 120


def folded(lines: Sequence[str]) -> list[str]:
    """The lines of a function without temporaries that a line behind them uses once.

    >>> folded(["const float x = in0[l0];", "const float sum = x + out0;", "out0 = sum;"])
    ['out0 = in0[l0] + out0;']
    >>> folded(["const ap_int<4> x = in0[l0];", "const ap_int<32> wide = x;", "out0 = wide * wide_2;"])
    ['out0 = ap_int<32>(in0[l0]) * wide_2;']
    """
    uses = Counter(word for line in lines if not line.startswith("#") for word in _WORD.findall(line))
    types = {match[3]: match[2] for match in map(_TEMPORARY.fullmatch, lines) if match is not None}
    found = list(lines)
    for place in reversed(range(len(found))):
        match = _TEMPORARY.fullmatch(found[place])
        number = _use(found, place, match) if match is not None and uses[match[3]] == 2 else None
        text = _replaced(found[number], match, types) if match is not None and number is not None else ""
        if number is not None and text and len(text) <= _MAX_COLUMNS:
            found[number] = text
            del found[place]
    return _declared_late(_without_braces(found))


def _declared_late(lines: Sequence[str]) -> list[str]:
    """Lines where a variable that is set once, before all its uses, is declared where it is set."""
    found = list(lines)
    for place in reversed(range(len(lines))):
        declared = _DECLARATION.fullmatch(found[place])
        if declared is None:
            continue
        word = re.compile(rf"\b{declared[2]}\b")
        used = [number for number, line in enumerate(found) if word.search(line) and number != place]
        first = found[used[0]] if used else ""
        indent, target = first[: len(first) - len(first.lstrip())], f"{declared[2]} = "
        end = next((n for n in range(used[0], len(found)) if _leaves(found[n], indent)), len(found)) if used else 0
        is_set_once = first.startswith(f"{indent}{target}") and len(word.findall(first)) == 1
        if is_set_once and not any(target in found[number] for number in used[1:]) and used[-1] < end:
            found[used[0]] = f"{indent}const {declared[1]} {first.lstrip()}"
            del found[place]
    return found


def _leaves(line: str, indent: str) -> bool:
    """Whether a line stands outside of a block of such an indentation."""
    return not line.startswith(("#", indent))


def _without_braces(lines: list[str]) -> list[str]:
    """Lines without braces that stand around one assignment."""
    found: list[str] = []
    for line in lines:
        indent = line.removesuffix("}")
        alone = len(found) > 1 and found[-2] == f"{indent}{{" and found[-1].startswith(f"{indent}  ")
        if alone and line == f"{indent}}}" and found[-1].endswith(";") and _TEMPORARY.fullmatch(found[-1]) is None:
            found[-2:] = [found[-1].removeprefix("  ")]
        else:
            found.append(line)
    return found


def _use(lines: Sequence[str], place: int, match: re.Match[str]) -> int | None:
    """The line that uses a temporary, where only other temporaries stand between."""
    indent, word = match[1], re.compile(rf"\b{match[3]}\b")
    for number in range(place + 1, len(lines)):
        line = lines[number]
        if not line.startswith(indent) or line[len(indent) :][:1] in (" ", "}", "") or not line.endswith(";"):
            return None
        if word.search(line):
            return number
        if _TEMPORARY.fullmatch(line) is None:
            return None
    return None


def _replaced(line: str, match: re.Match[str], types: Mapping[str, str]) -> str:
    """A line with a temporary's expression in the place of its name; empty where it must not be."""
    _, c_type, name, expression = match.groups()
    head, equals, value = line.partition(" = ")
    use = re.search(rf"\b{name}\b", value)
    if not equals or use is None or ".read()" in expression:
        return ""
    is_argument = value[: use.start()].endswith(("(", ", ")) and value[use.end()] in "),"
    is_all = use.start() == 0 and value[use.end() :] == ";"
    if " * " in _INDEX.sub("", expression) and not is_all:
        return ""
    is_result = is_all and _TEMPORARY.fullmatch(line) is None
    text = expression if is_result else _converted(c_type, expression, types)
    text = text if is_argument or is_all or _is_atomic(text) else f"({text})"
    return f"{head} = {value[: use.start()]}{text}{value[use.end() :]}"


def _converted(c_type: str, expression: str, types: Mapping[str, str]) -> str:
    """An expression as a value of a temporary's type."""
    is_variable = re.fullmatch(r"\w+", _INDEX.sub("", expression)) is not None
    if c_type in ("float", "half") or expression.startswith(f"{c_type}("):
        return expression
    if c_type == "bool":
        return f"bool({expression})" if is_variable else expression
    is_same = is_variable and types.get(expression, c_type) == c_type
    return expression if is_same else f"{c_type}({expression})"


def _is_atomic(text: str) -> bool:
    """Whether it binds like one name: a variable, an element or a call."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if depth == 0 and not (letter.isalnum() or letter in "_:<>)].("):
            return False
        if depth == 0 and letter in "<>" and text[place - 1] == " ":
            return False
    return True
