"""Small designs that deadlock, each with its diagnosis and a live twin (docs/fix-a-deadlock/deadlocks.md).

A tool that simulates streaming designs can be tried on them: ``designs/NAME.json`` and
``designs/NAME_live.json`` are timed graphs, ``expected.yaml`` says what is to be found.
"""

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from sttest.core.errors import InputError, did_you_mean
from sttest.core.files import read_yaml
from sttest.sim import TimedGraph, load, simulate
from sttest.sim.checker import check

__depends__ = ("sttest/testing/data/",)

FOLDER = Path(__file__).parent / "data"


@dataclass(frozen=True)
class CorpusDesign:
    """A design that deadlocks and what is to be said of it.

    ``cycle``: (process, ``read`` or ``write``, FIFO), each waiting for the next; ``fix``: the depths that add
    fewest tokens, empty where none help and ``remedy`` says what does; ``live_cycles``: of the live twin.
    """

    name: str
    what: str
    cycle: list[list[str]]
    is_closed: bool
    live_cycles: int
    fix: dict[str, int] = field(default_factory=dict)
    remedy: str = ""

    @property
    def path(self) -> Path:
        """The timed graph that deadlocks."""
        return FOLDER / "designs" / f"{self.name}.json"

    @property
    def live_path(self) -> Path:
        """The same with its fix or remedy."""
        return FOLDER / "designs" / f"{self.name}_live.json"


@cache
def cases() -> dict[str, CorpusDesign]:
    """All designs by name."""
    return {name: CorpusDesign(name, **told) for name, told in read_yaml(FOLDER / "expected.yaml").items()}


def case(name: str) -> CorpusDesign:
    """One design.

    Raises:
        InputError: there is none of that name; the nearest is named.
    """
    if name not in cases():
        raise InputError("unknown-design", f"no design '{name}' in the corpus", hints=[did_you_mean(name, cases())])
    return cases()[name]


def differences(case: CorpusDesign, engine: str = "maxplus") -> list[str]:
    """What an engine says of a design and its twin other than expected, one line each; empty if nothing."""
    result = simulate(load(case.path), engine)
    if result.deadlock is None:
        return [f"{case.name} finishes"]
    waits = [[wait.process, wait.waits_to, wait.fifo] for wait in result.deadlock.cycle]
    turns = [waits[i:] + waits[:i] for i in range(len(waits))] if result.deadlock.is_closed else [waits]
    faults = [] if case.cycle in turns else [f"the cycle is {waits}"]
    if result.deadlock.is_closed != case.is_closed:
        faults.append(f"the cycle is {'' if result.deadlock.is_closed else 'not '}closed")
    if result.deadlock.fix != case.fix:
        faults.append(f"the fix is {result.deadlock.fix}")
    return faults + check(result) + _live_differences(load(case.live_path), case.live_cycles, engine)


def _live_differences(graph: TimedGraph, cycles: int, engine: str) -> list[str]:
    live = simulate(graph, engine, record=True)
    if live.cycles != cycles:
        return [f"the live twin ends with {live.verdict} after {live.cycles} cycles, not {cycles}"]
    return check(live)
