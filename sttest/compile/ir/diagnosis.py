"""Errors in IR text as one InputError: where, which op, which rule, and the source line with a caret."""

from __future__ import annotations

import re

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import ParseError, VerifyException

from sttest.errors import InputError

# Characters of a source line that are shown on each side of the caret.
_SHOWN = 80
_UNREGISTERED = re.compile(r"Operation (\S+) is not registered")


def parse_error(error: ParseError, text: str, where: str) -> InputError:
    """What xDSL's parser found, at its place in the text."""
    position = error.span.start
    unknown = _UNREGISTERED.fullmatch(error.msg.strip())
    if unknown:
        # xDSL stops behind the name of an op that it does not know.
        position = max(text.rfind(unknown.group(1), 0, position), 0)
    return _bad_ir(error.msg, text, where, position)


def rule_error(error: VerifyException, text: str, where: str, module: ModuleOp | None = None) -> InputError:
    """What a verifier refused; with the module at the op that breaks the rule."""
    op = broken_op(module) if module is not None and module.parent is None else None
    rule = _rule(error, op)
    position = _position(op, module, text) if op is not None and module is not None else None
    return _bad_ir(rule, text, where, position)


def broken_op(module: ModuleOp) -> Operation | None:
    """The first op that does not verify, innermost first."""
    for op in reversed(list(module.walk())):
        try:
            op.verify(verify_nested_ops=False)
        except VerifyException:
            return op
    return None


def _rule(error: VerifyException, op: Operation | None) -> str:
    """The rule, led by the op's name unless the rule says it."""
    lines = [line.strip() for line in str(error).strip().splitlines() if line.strip()]
    rule = " ".join(lines)
    return rule if op is None or op.name in rule else f"{op.name}: {rule}"


def _position(op: Operation, module: ModuleOp, text: str) -> int | None:
    """Where the op's name stands: in text and module ops come in the same order; None where they cannot be matched."""
    same = [other for other in module.walk() if other.name == op.name]
    found = list(re.finditer(rf'(?<![\w.!#@"])"?{re.escape(op.name)}"?(?![\w.])', _without_comments(text)))
    return found[same.index(op)].start() if len(found) == len(same) else None


def _without_comments(text: str) -> str:
    return re.sub(r"//[^\n]*", lambda comment: " " * len(comment.group()), text)


def _bad_ir(rule: str, text: str, where: str, position: int | None) -> InputError:
    if position is None:
        return InputError("bad-ir", f"not valid IR: {rule}", where=where)
    start = text.rfind("\n", 0, position) + 1
    line, column = text[start:].split("\n", 1)[0], position - start
    place = f"{where}:{text.count(chr(10), 0, position) + 1}:{column + 1}"
    return InputError("bad-ir", f"not valid IR: {rule}\n{_excerpt(line, column)}", where=place)


def _excerpt(line: str, column: int) -> str:
    """The line around the column, and a caret below it."""
    first = max(0, column - _SHOWN)
    shown = line[first : column + _SHOWN].replace("\t", " ")
    return f"  {shown}\n  {' ' * (column - first)}^"
