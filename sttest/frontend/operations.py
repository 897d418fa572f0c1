"""A report of a module's operations: which stream, which are computed offline, which are refused; imports PyTorch."""

import re
from dataclasses import dataclass
from typing import Any, Literal

from torch import nn
from torch.fx import Node

from sttest.frontend.module_graph import offline_nodes, streaming_program
from sttest.frontend.refusals import place_of, refusal

State = Literal["streamed", "offline", "refused"]


@dataclass(frozen=True)
class SourceLine:
    """The operations of ATen that one line of the user's program became."""

    place: str  # file and line
    module: str  # path of the module, empty for the one that was given
    operations: tuple[str, ...]  # its operations without repeats, in order
    state: State
    hint: str = ""  # what to write instead


def source_lines(module: nn.Module, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> list[SourceLine]:
    """One row per line and state, in the order of the program; the first of what is refused at each line.

    Raises:
        InputError: the module can't be exported, or has no results of its own.
    """
    exported, _ = streaming_program(module, arguments, keywords)
    offline = offline_nodes(exported)
    found: dict[tuple[str, str, State, str], dict[str, None]] = {}
    for node in exported.graph.nodes:
        if node.op == "call_function" and "." in str(node.target):
            why = None if node in offline else refusal(node)
            state: State = "offline" if node in offline else "streamed" if why is None else "refused"
            name, place, path = _parts(node)
            hint = "" if why is None else "; ".join(why.hints)
            found.setdefault((place, path, state, hint), {})[name] = None
    return [SourceLine(place, path, tuple(names), state, hint) for (place, path, state, hint), names in found.items()]


def _parts(node: Node) -> tuple[str, str, str]:
    match = re.fullmatch(r"(\S+)(?: at (.+?))?(?: \(([^()]*)\))?", place_of(node))
    assert match is not None, place_of(node)
    return match[1].split(".")[1], match[2] or "", match[3] or ""
