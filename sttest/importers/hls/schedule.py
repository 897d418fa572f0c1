"""The loops of a task in the order in which they run: which are one pipeline, which are entered again and again.

As in ``loop_nests``; here what stands between two loops keeps its place, and a loop without inner loops is a pipeline
even where no directive says so, as the tool pipelines it by itself.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from sttest.core.errors import InputError
from sttest.importers.hls.cpp_model import For, If, Num, Op, Statement, Unknown, VariableName, in_order
from sttest.importers.hls.loop_nests import has_loop, has_variable_bound, may_flatten, trip_count


@dataclass(frozen=True)
class PipelinedNest:
    """Loops that are flattened into one pipeline, or statements that run once, which have none."""

    loops: tuple[For, ...]
    body: tuple[Statement, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """Of its loops; empty where one has none."""
        return tuple(loop.label for loop in self.loops)


@dataclass(frozen=True)
class EnteredLoop:
    """A loop that is left and entered again in each of its iterations."""

    loop: For
    inside: "tuple[ScheduleNode, ...]"


ScheduleNode: TypeAlias = PipelinedNest | EnteredLoop


def schedule(statements: Sequence[Statement], locate: Callable[[int], str]) -> tuple[ScheduleNode, ...]:
    """What runs one after the other.

    Args:
        statements: statements of a task.
        locate: file and line number of a line, in errors.

    Raises:
        InputError: a loop that runs only where a condition says so.
    """
    found: list[ScheduleNode] = []
    once: list[Statement] = []
    for each in _spelled_out(statements):
        if isinstance(each, If) and has_loop(each):
            what = "a loop that runs only where a condition says so"
            raise InputError("not-static", what, where=locate(each.line))
        if isinstance(each, Unknown):
            what = f"'{each.text.partition(chr(10))[0]:.40}' decides what runs"
            raise InputError("not-static", what, where=locate(each.line))
        if not isinstance(each, For) or is_unrolled(each):
            once.append(each)
            continue
        if once:
            found.append(PipelinedNest((), tuple(once)))
            once = []
        found.append(_of_loop(each, locate))
    if once:
        found.append(PipelinedNest((), tuple(once)))
    return tuple(found)


def is_unrolled(loop: For) -> bool:
    """Whether all of its iterations are hardware of their own."""
    directive = loop.directive("unroll")
    return directive is not None and "factor" not in directive.options


def _spelled_out(statements: Sequence[Statement]) -> Iterator[Statement]:
    """Statements with those of called functions, which stand in a choice that is always taken, in their place."""
    for each in statements:
        if isinstance(each, If) and each.condition == Num(1):
            yield from _spelled_out(each.then)
        else:
            yield each


def _of_loop(loop: For, locate: Callable[[int], str]) -> ScheduleNode:
    directive = loop.directive("pipeline")
    is_asked = directive is not None and "off" not in directive.options
    if is_asked or not any(isinstance(each, For) and not is_unrolled(each) for each in in_order(loop.body)):
        outer = _partly_unrolled(loop, locate)
        return PipelinedNest((outer,), outer.body)
    inside = schedule(loop.body, locate)
    only = inside[0] if len(inside) == 1 else None
    if isinstance(only, PipelinedNest) and only.loops and may_flatten(loop) and not has_variable_bound(only.loops[0]):
        return PipelinedNest((loop, *only.loops), only.body)
    return EnteredLoop(loop, inside)


def _partly_unrolled(loop: For, locate: Callable[[int], str]) -> For:
    """A loop whose directive asks for so many copies of its body, as a loop over a loop over these."""
    directive = loop.directive("unroll")
    told = directive.options.get("factor", "") if directive is not None else ""
    if not told.isdecimal() or int(told) < 2:
        return loop
    copies, (trips, notes) = int(told), trip_count(loop)
    if notes or trips % copies:
        what = f"a loop of {trips} iterations that is unrolled by {copies}"
        raise InputError("not-static", what, where=locate(loop.line), hints=["choose a factor that divides it"])
    counter = f"{loop.counter}@"
    bound = Op("+", (VariableName(counter), Num(copies * loop.stride)))
    lanes = replace(loop, first=VariableName(counter), bound=bound, directives=(), label="")
    return replace(loop, counter=counter, stride=copies * loop.stride, body=(lanes,))
