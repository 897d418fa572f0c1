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
        memory: where the tensors of a DMA that come behind those of all layers begin; empty where there are none.
    """

    name: str
    parameters: tuple[str, ...]
    arguments: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    memory: str = ""


@dataclass(frozen=True)
class EngineProcess:
    """The functions of an engine, which serves several tasks in turn.

    Attributes:
        turn: the one that works; it is called by the other.
        whole: the process.
        streams: per task, the parameters of ``whole`` that are its sources and results.
    """

    turn: Process
    whole: Process
    streams: tuple[tuple[str, ...], ...]
