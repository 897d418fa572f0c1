"""A simulation in words."""

from __future__ import annotations

from sttest.sim.checks import MAX_DEPTH
from sttest.sim.deadlock.certificate import Deadlock, Wait
from sttest.sim.deadlock.sizing_assumptions import assumption_lines, broken_assumptions
from sttest.sim.graph import TimedGraph
from sttest.sim.simulation import Simulation


def report(simulation: Simulation) -> str:
    """A few lines: the verdict, and on a deadlock who waits for whom and what would help."""
    head = f"{simulation.name}: {simulation.verdict}"
    if simulation.deadlock is not None:
        lines = deadlock_lines(simulation.deadlock, simulation.graph)
        return "\n".join([head, *lines, *_broken_lines(simulation.graph)])
    if simulation.throughput is not None:
        return f"{head}, {simulation.throughput} iterations per cycle ({simulation.engine})"
    cycles = simulation.cycles or 0
    time = f" = {cycles / simulation.graph.clock_mhz:,.2f} µs" if simulation.graph is not None else ""
    lines = [f"{head} after {cycles:,} cycles{time} ({simulation.engine}, {simulation.fifo_events:,} FIFO events)"]
    if simulation.breakdown:
        last = max(simulation.breakdown, key=lambda name: simulation.finish[name] or 0)
        part = simulation.breakdown[last]
        lines.append(
            f"  last to finish: {last}, busy {part.busy_cycles:,}, stalled on input {part.stall_in_cycles:,}, "
            f"on output {part.stall_out_cycles:,}, waiting for memory {part.memory_wait_cycles:,} cycles"
        )
    return "\n".join(lines)


def _broken_lines(graph: TimedGraph | None) -> list[str]:
    """What sizing by a linear program would not have known of."""
    broken = [] if graph is None else [one for one in broken_assumptions(graph) if one.may_deadlock]
    return [f"  {line}" for line in assumption_lines(broken)]


def deadlock_lines(deadlock: Deadlock, graph: TimedGraph | None) -> list[str]:
    """Who waits for whom, and what would help."""
    kind = (
        "each waits for the next, the last for the first"
        if deadlock.is_closed
        else "the last waits for a process that has finished"
    )
    lines = [f"  {kind}:", *(f"  {_wait_text(wait, graph)}" for wait in deadlock.cycle)]
    if not deadlock.fix:
        return [
            *lines,
            "  no depths help: tokens are missing; start with some on the way, or write as many as are read",
        ]
    depths = ", ".join(f"{name}={depth}" for name, depth in deadlock.fix.items())
    least = "no fix adds fewer tokens" if deadlock.is_minimal else "a bound: fewer tokens may do"
    return [*lines, f"  it finishes with depths {depths} ({least})"]


def _wait_text(wait: Wait, graph: TimedGraph | None) -> str:
    """Who waits, on what, and what the other end would have to do."""
    state = "full" if wait.occupancy >= wait.depth else f"holds {wait.occupancy}"
    depth = "never full" if wait.depth >= MAX_DEPTH else f"depth {wait.depth}"
    if wait.waits_to == "write":
        action = "to", f"{wait.peer} has yet to read token {wait.token - wait.depth}"
    else:
        action = "from", f"{wait.peer} has yet to write it"
    who, fifo = _process_text(wait.process, graph), _fifo_text(wait.fifo, graph)
    head = f"{who} waits to {wait.waits_to} token {wait.token} {action[0]} FIFO {fifo}"
    return f"{head} ({depth}, {state}): {action[1]}"


def _process_text(name: str, graph: TimedGraph | None) -> str:
    process = next((p for p in graph.processes if p.name == name), None) if graph is not None else None
    if process is None:
        return name
    about = ", ".join(part for part in (process.category, process.origin) if part)
    return f"{type(process).__name__.lower()} {name}" + (f" ({about})" if about else "")


def _fifo_text(name: str, graph: TimedGraph | None) -> str:
    fifo = graph.fifos[graph.fifo_index[name]] if graph is not None and name in graph.fifo_index else None
    return f"{name} of {fifo.origin}" if fifo is not None and fifo.origin else name
