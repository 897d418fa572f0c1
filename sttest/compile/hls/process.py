"""A process of the dataflow region: a function and what it is called with."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Process:
    """A function that is called once.

    Attributes:
        name: of the function.
        parameters: declarations.
        arguments: what the top function passes, in the same order.
        inputs, outputs: names of the parameters that are read and written, in the node's order.
    """

    name: str
    parameters: tuple[str, ...]
    arguments: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
