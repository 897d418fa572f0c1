"""A launch in which one token of one stream is another than its writer made: what memory holds then."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sttest.core.errors import InputError
from sttest.reference.engine import PartResult, run_part
from sttest.reference.graph import Array, Bytes, Node, ReferenceGraph
from sttest.reference.launch import Launch, LaunchResult, LaunchRun, Rows
from sttest.reference.memory import expanded


@dataclass(frozen=True)
class ChangedToken:
    """A token that changes between its writer and its reader."""

    stream: str
    step: int  # token of the launch
    layer: int  # 0 for what runs once per token of the launch
    token: int  # number within the layer
    change: Callable[[Array], Array]  # what a token, [1, *element], becomes


def run_changed_launch(launch: Launch, memory: Rows, changed: ChangedToken, keep: Iterable[str] = ()) -> LaunchResult:
    """Computes what a launch does when a token changes, see :func:`~sttest.reference.launch.run_launch`.

    Args:
        launch: the design, and how often it runs.
        memory: what memory holds before the launch; it is not changed.
        changed: token that changes.
        keep: streams whose tokens are returned, as their readers have them.

    Raises:
        InputError: no node writes the stream, or see :func:`~sttest.reference.engine.run`.
    """
    if not any(changed.stream in node.sinks for node in launch.graph.nodes):
        raise InputError("unknown-stream", f"no node writes '{changed.stream}'", where=launch.graph.name)
    return _ChangedRun(launch, memory, changed, keep).result()


class _ChangedRun(LaunchRun):
    def __init__(self, launch: Launch, memory: Rows, changed: ChangedToken, keep: Iterable[str]) -> None:
        super().__init__(launch, memory, frozenset(keep))
        self.changed = changed

    def part(self, nodes: Sequence[Node], step: int, layer: int, given: Mapping[str, Array]) -> PartResult:
        changed, stream = self.changed, self.changed.stream
        here = any(stream in node.sinks for node in nodes)
        if not here or (step, layer) != (changed.step, changed.layer):
            return super().part(nodes, step, layer, given)
        images: dict[str, Bytes] = {name: rows[self.image(name, step, layer)] for name, rows in self.memory.items()}
        behind = _behind(self.graph, stream)
        ahead = [node for node in nodes if node.name not in behind]
        first = run_part(self.graph, ahead, images, given, self.keep)
        tokens = expanded(self.graph.stream[stream], first.open[stream]).copy()
        rows = tokens.reshape(-1, *self.graph.stream[stream].element)
        rows[changed.token] = changed.change(rows[changed.token : changed.token + 1])[0]
        followed = first.open | {stream: rows.reshape(*self.graph.stream[stream].trips, *rows.shape[1:])}
        rest = run_part(self.graph, [node for node in nodes if node.name in behind], images, followed, self.keep)
        kept = first.streams | rest.streams | ({stream: rows} if stream in self.keep else {})
        return PartResult(first.results | rest.results, kept, rest.open)


def _behind(graph: ReferenceGraph, stream: str) -> set[str]:
    """The nodes that a stream reaches, its reader among them."""
    readers = {name: node for node in graph.nodes for name in node.sources}
    found: set[str] = set()
    waiting = [stream]
    while waiting:
        node = readers.get(waiting.pop())
        if node is not None and node.name not in found:
            found.add(node.name)
            waiting += node.sinks
    return found
