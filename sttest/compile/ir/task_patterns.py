"""Tasks that a user names by patterns, for what only some tasks can have."""

from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase

from sttest.compile.dialects import df
from sttest.core.errors import InputError, did_you_mean


def integer_tasks(
    pattern: str, tasks: Sequence[df.TaskOp], able: Callable[[df.TaskOp], bool], where: str
) -> list[df.TaskOp]:
    """The tasks of a name whose products of integers are meant.

    Args:
        pattern: pattern of names.
        tasks: all tasks.
        able: whether a task has such products.
        where: pass that asks.

    Raises:
        InputError: a pattern that no task has, or only tasks without such products.
    """
    possible = [task for task in tasks if able(task)]
    named = [task for task in tasks if fnmatchcase(task.sym_name.data, pattern)]
    chosen = [task for task in named if task in possible]
    if chosen:
        return chosen
    if not possible:
        raise InputError(
            "no-integer-product", "no task multiplies integers", where=where, hints=["take a precision that quantizes"]
        )
    code = "no-integer-product" if named else "unknown-task"
    what = "no integers are multiplied by a task" if named else "no task is"
    hints = [did_you_mean(pattern, [task.sym_name.data for task in possible])]
    raise InputError(code, f"{what} called '{pattern:.80}'", where=where, hints=hints)
