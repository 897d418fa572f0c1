"""Which functions call which, and which of them access FIFOs, themselves or by what they call."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from xdsl.dialects import func
from xdsl.ir import Operation

from sttest.core.errors import InputError
from sttest.importers.mlir.text import name_of, operations_called, symbol

_MOST_CALLS = 64
"""Calls inside each other."""


class Calls:
    """The functions of a module or a device.

    Args:
        parent: what they are in.
        is_access: whether an operation accesses a FIFO.
        where: for errors.
    """

    def __init__(self, parent: Operation, is_access: Callable[[Operation], bool], where: str) -> None:
        self.is_access = is_access
        self.where = where
        self.functions = {symbol(op, "sym_name"): op for op in operations_called(parent, ("func.func",))}
        self._active: dict[Operation, None] = {}  # in the order of their calls
        self._accessing: set[Operation] = set()
        callers: dict[Operation, list[Operation]] = {}
        for function in self.functions.values():
            for op in function.walk():
                if is_access(op):
                    self._accessing.add(function)
                elif (called := self.called(op)) is not None:
                    callers.setdefault(called, []).append(function)
        self._moving = {*self._accessing}
        left = [*self._accessing]
        while left:
            found = [each for each in callers.get(left.pop(), ()) if each not in self._moving]
            self._moving.update(found)
            left += found

    def called(self, op: Operation) -> Operation | None:
        """The function that a call runs; None for other operations and for what is only declared."""
        found = self.functions.get(callee(op)) if isinstance(op, func.CallOp) else None
        return found if found is not None and found.regions and found.regions[0].blocks else None

    def accesses(self, function: Operation) -> bool:
        """Whether a function itself accesses FIFOs."""
        return function in self._accessing

    def moves(self, function: Operation | None) -> bool:
        """Whether a function or one that it calls accesses FIFOs."""
        return function in self._moving

    def moves_in(self, op: Operation) -> bool:
        """Whether an operation accesses a FIFO, or calls what does."""
        return self.is_access(op) or self.moves(self.called(op))

    @contextmanager
    def inside(self, function: Operation) -> Iterator[None]:
        """While a function runs that accesses FIFOs.

        Raises:
            InputError: it runs already, or too many do.
        """
        if function in self._active or len(self._active) > _MOST_CALLS:
            raise self._too_deep(function)
        self._active[function] = None
        try:
            yield
        finally:
            self._active.popitem()

    def _too_deep(self, function: Operation) -> InputError:
        name, active = symbol(function, "sym_name"), [*self._active]
        what = f"more than {_MOST_CALLS} calls inside each other"
        if function in self._active:
            between = [symbol(each, "sym_name") for each in active[active.index(function) + 1 :]]
            what = f"@{name:.80} calls itself" + (f", through @{', @'.join(between)}" if between else "")
        hints = ["write its calls out as loops"]
        return InputError("nested-calls", f"{what:.300}", where=f"{self.where}: @{name:.80}", hints=hints)


def callee(op: Operation) -> str:
    """The name of the function that an operation calls; empty where it calls none."""
    return symbol(op, "callee") if name_of(op) == "func.call" else ""
