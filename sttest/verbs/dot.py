"""`sttest dot`: a design as Graphviz text."""

from pathlib import Path

from sttest.package import load_graph
from sttest.sim import simulate
from sttest.sim.export import to_dot
from sttest.verbs.simulate import Depths


def run(path: Path, depths: Depths) -> int:
    """Prints the graph; where it deadlocks, with the cycle of waits in red.

    Returns:
        0; a drawing of a deadlock is what was asked for.

    Raises:
        InputError: not a graph, or depths that do not fit it.
    """
    graph = depths.applied(load_graph(path))
    print(to_dot(graph, simulate(graph).deadlock), end="")
    return 0
