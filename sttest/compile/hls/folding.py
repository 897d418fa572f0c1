"""Temporaries that are used once become part of the expression that uses them.

A rounded product keeps a line of its own, so that no tool may contract it with the sum that follows, and conversions
stay: what is put in the place of an integer's name has that integer's type.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from sttest.compile.hls import tree


def folded(body: tree.Body, names: Mapping[str, str]) -> tree.Body:
    """The statements of a function without temporaries that a statement behind them uses once.

    Args:
        body: all statements of the function.
        names: what its symbols will be, which decides how much has room in a line.

    >>> x, total = (tree.Variable("float", *each, constant=True) for each in (("x", "in0[l0]"), ("total", "x + out0")))
    >>> folded((x, total, tree.CppAssign("out0", "total")), {})
    (CppAssign(target='out0', value='in0[l0] + out0'),)
    """
    uses = Counter(tree.names_in(body))
    types = {each.name: each.c_type for each in _every(body) if isinstance(each, tree.Variable) and each.constant}
    return _declared_late(_Folding({name for name in types if uses[name] == 2}, types, names).body(body, 1))


def _every(body: tree.Body) -> Iterator[tree.CppNode]:
    """All statements, those of a block behind it."""
    for each in body:
        yield each
        if isinstance(each, tree.CppBlock):
            yield from _every(each.body)


@dataclass(frozen=True)
class _Folding:
    once: set[str]  # temporaries that are used once
    types: Mapping[str, str]  # types of all temporaries
    names: Mapping[str, str]  # what symbols stand for

    def body(self, body: tree.Body, depth: int) -> tree.Body:
        """A block's statements, which stand at a depth."""
        found = [
            each.with_body(self.body(each.body, depth + 1)) if isinstance(each, tree.CppBlock) else each
            for each in body
        ]
        for place in reversed(range(len(found))):
            temporary = found[place]
            if isinstance(temporary, tree.Variable) and temporary.name in self.once:
                self._fold(found, place, temporary, depth)
        bare = (tree.in_braces(each.body) if type(each) is tree.CppBlock else (each,) for each in found)
        return tuple(each for statements in bare for each in statements)

    def _fold(self, found: list[tree.CppNode], place: int, temporary: tree.Variable, depth: int) -> None:
        """Puts a temporary into the statement that uses it, if there is room and only others stand between."""
        for number in range(place + 1, len(found)):
            each = found[number]
            parts = (
                tree.around(each.value, temporary.name) if isinstance(each, tree.CppAssign | tree.Variable) else None
            )
            if isinstance(each, tree.CppAssign | tree.Variable) and parts is not None:
                value = self._with(each, temporary, *parts)
                longer = replace(each, value=value)
                if value and len(tree.bound(tree.lines_of((longer,), depth)[0], self.names)) <= tree.MAX_COLUMNS:
                    found[number] = longer
                    del found[place]
                return
            if not (isinstance(each, tree.Variable) and each.constant):
                return

    def _with(self, user: tree.CppAssign | tree.Variable, temporary: tree.Variable, before: str, behind: str) -> str:
        """A value with a temporary's expression in the place of its name; empty where none may be."""
        is_all, expression = not before and not behind, temporary.value
        if ".read()" in expression or (" * " in _without_indices(expression) and not is_all):
            return ""
        is_argument = before.endswith(("(", ", ")) and behind.startswith((")", ","))
        is_result = is_all and not (isinstance(user, tree.Variable) and user.constant)
        text = expression if is_result else self._converted(temporary.c_type, expression)
        text = text if is_argument or is_all or _is_atomic(text) else f"({text})"
        return f"{before}{text}{behind}"

    def _converted(self, c_type: str, expression: str) -> str:
        """An expression as a value of a temporary's type."""
        is_variable = tree.is_word(_without_indices(expression))
        if c_type in ("float", "half") or expression.startswith(f"{c_type}("):
            return expression
        if c_type == "bool":
            return f"bool({expression})" if is_variable else expression
        is_same = is_variable and self.types.get(expression, c_type) == c_type
        return expression if is_same else f"{c_type}({expression})"


def _without_indices(expression: str) -> str:
    first, *others = expression.split("[")
    return first + "".join(each.partition("]")[2] for each in others)


def _is_atomic(text: str) -> bool:
    """Whether it binds like one name: a variable, an element or a call."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if depth == 0 and not (letter.isalnum() or letter in "_@:<>)].("):
            return False
        if depth == 0 and letter in "<>" and text[place - 1] == " ":
            return False
    return True


# --- Variables that are set once, before all their uses, are declared where they are set


def _declared_late(body: tree.Body) -> tree.Body:
    for place in reversed(range(len(body))):
        each = body[place]
        if isinstance(each, tree.CppBlock):
            body = (*body[:place], each.with_body(_declared_late(each.body)), *body[place + 1 :])
        elif isinstance(each, tree.Variable) and not each.value and not each.extents:
            behind = _set_in(body[place + 1 :], each)
            body = body if behind is None else (*body[:place], *behind)
    return body


def _set_in(body: tree.Body, variable: tree.Variable) -> tree.Body | None:
    """Statements that declare a variable where they set it; None where they use it before, set it again, or do not."""
    name = variable.name
    places = [place for place, each in enumerate(body) if tree.mentions(each, name)]
    if not places:
        return None
    first, each = places[0], body[places[0]]
    if isinstance(each, tree.CppBlock) and len(places) == 1:
        inner = _set_in(each.body, variable)
        return None if inner is None else (*body[:first], each.with_body(inner), *body[first + 1 :])
    again = any(isinstance(other, tree.CppAssign) and other.target == name for other in _every(body[first + 1 :]))
    is_used = len(places) > 1 and not again
    if is_used and isinstance(each, tree.CppAssign) and each.target == name and tree.around(each.value, name) is None:
        return (*body[:first], replace(variable, value=each.value, constant=True), *body[first + 1 :])
    return None
