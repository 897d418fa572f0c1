"""What options may be: choices by name, and options that several verbs share."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer


class Phase(StrEnum):
    """The two phases of a generation."""

    prefill = "prefill"
    decode = "decode"


class Precision(StrEnum):
    """Quantisation schemes."""

    w4a8 = "w4a8"
    w4a8_channel = "w4a8-channel"
    w4a8_static = "w4a8-static"
    w4a8_position = "w4a8-position"
    w8a8 = "w8a8"
    fp32 = "fp32"


class Strategy(StrEnum):
    """FIFO sizing."""

    normal = "normal"
    conservative = "conservative"


class BeatBits(StrEnum):
    """Width of memory ports."""

    b128 = "128"
    b256 = "256"
    b512 = "512"


class Share(StrEnum):
    """Which tasks take turns on one engine."""

    none = "none"
    weights = "weights"
    all = "all"


class Channels(StrEnum):
    """Which DMAs share memory channels."""

    auto = "auto"
    apart = "apart"
    together = "together"


class AttentionPasses(StrEnum):
    """How often attention goes over its keys."""

    three_pass = "three-pass"
    one_pass = "one-pass"


class SizingMethod(StrEnum):
    """Where FIFO depths come from."""

    lp = "lp"
    sim = "sim"


class Engine(StrEnum):
    """Engines over timed graphs."""

    maxplus = "maxplus"
    des = "des"


class Backend(StrEnum):
    """What executes a design."""

    rtl = "rtl"
    csim = "csim"


class CardBackend(StrEnum):
    """What stands behind pyxrt."""

    double = "double"
    hw_emu = "hw_emu"
    device = "device"


class BuildTarget(StrEnum):
    """What v++ builds for."""

    hw_emu = "hw_emu"
    hw = "hw"


class LaunchPer(StrEnum):
    """What one launch of a kernel computes."""

    layer = "layer"
    token = "token"
    generation = "generation"


class Simulator(StrEnum):
    """Simulators of SystemVerilog."""

    verilator = "verilator"
    icarus = "icarus"


Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
Board = Annotated[str, typer.Option(help="A board's name, or a YAML file.")]
Attention = Annotated[
    AttentionPasses, typer.Option(help="Softmax over all positions, or by chunks under a running maximum.")
]
AttentionChunk = Annotated[
    int, typer.Option(min=1, help="Positions at a time of attention in one pass; divides the context.")
]
