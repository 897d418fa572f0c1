"""The repetition vector of a (cyclo-static) dataflow graph: firings after which all queues are as before."""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm

from sttest.errors import InputError
from sttest.sim.checks import MAX_TOKENS
from sttest.sim.ends import fifo_ends
from sttest.sim.graph import Actor, TimedGraph


def repetition_vector(graph: TimedGraph) -> list[int]:
    """Firings (phases) of each actor in one iteration, the least whole numbers; each weakly connected part for itself.

    Solves the balance equations: what is put on a FIFO in an iteration equals what is taken from it.

    Raises:
        InputError: a process is no actor, the rates around some FIFO don't balance, or only after too many firings.
    """
    actors = [_actor(process, graph.name) for process in graph.processes]
    ends = fifo_ends(graph)
    neighbours: list[list[tuple[int, Fraction, str]]] = [[] for _ in actors]
    for fifo, (writer, reader) in zip(graph.fifos, ends, strict=True):
        put = sum(phase.writes.get(fifo.name, 0) for phase in actors[writer].phases)
        taken = sum(phase.reads.get(fifo.name, 0) for phase in actors[reader].phases)
        if put == 0 or taken == 0:
            raise InputError(
                "no-rate", "nothing is ever put on it or taken from it", where=f"{graph.name}: FIFO '{fifo.name}'"
            )
        ratio = Fraction(put, taken)
        neighbours[writer].append((reader, ratio, fifo.name))
        neighbours[reader].append((writer, 1 / ratio, fifo.name))
    cycles: dict[int, Fraction] = {}
    for root in range(len(actors)):
        if root not in cycles:
            cycles.update(_balance(root, neighbours, graph.name))
    return [int(cycles[number]) * len(actor.phases) for number, actor in enumerate(actors)]


def _actor(process: object, graph_name: str) -> Actor:
    if isinstance(process, Actor):
        return process
    raise InputError(
        "not-an-actor",
        "actors that fire for ever stand beside other processes",
        where=graph_name,
        levers=["give the actors a number of firings"],
    )


def _balance(root: int, neighbours: list[list[tuple[int, Fraction, str]]], graph_name: str) -> dict[int, Fraction]:
    """Whole cycles of phases of the actors connected with ``root``, with no common divisor."""
    rates = {root: Fraction(1)}
    todo = [root]
    while todo:
        number = todo.pop()
        for other, ratio, fifo in neighbours[number]:
            rate = rates[number] * ratio
            _check_firings(max(rate.numerator, rate.denominator), f"{graph_name}: FIFO '{fifo}'")
            if other not in rates:
                rates[other] = rate
                todo.append(other)
            elif rates[other] != rate:
                raise InputError(
                    "inconsistent-rates",
                    "its rates don't balance with those of the other FIFOs",
                    where=f"{graph_name}: FIFO '{fifo}'",
                    levers=["check the rates around it"],
                )
    scale = 1
    for rate in rates.values():
        scale = lcm(scale, rate.denominator)
        _check_firings(scale, graph_name)
    whole = {number: int(rate * scale) for number, rate in rates.items()}
    common = gcd(*whole.values())
    return {number: Fraction(value, common) for number, value in whole.items()}


def _check_firings(least: int, where: str) -> None:
    """Gives up as soon as some actor is known to fire too often, before the numbers grow further."""
    if least > MAX_TOKENS:
        raise InputError(
            "rates-explode",
            f"an actor would fire more than {MAX_TOKENS:,} times in one iteration",
            where=where,
            levers=["check the rates around it"],
        )
