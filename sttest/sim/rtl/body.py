"""A process in hardware: its module's text, shared by all processes of the same shape, and what each plugs in."""

from __future__ import annotations

from dataclasses import dataclass, field

NAME = "@NAME@"
"""Stands for the module's name, which is chosen once it is known whether another process has the same text."""


@dataclass(frozen=True)
class Body:
    """Module text for one process.

    ``ops``: the FIFO sides that it uses, 2 * FIFO index + write, in the order of its ports; ``files``: data files
    that the text reads, by name.
    """

    kind: str
    text: str
    ops: tuple[int, ...]
    files: dict[str, str] = field(default_factory=dict)


def pipeline_ports(count: int) -> str:
    """The header of a pipeline with ``count`` FIFO sides."""
    sides = [f"  input  logic [31:0] op_{k},\n  input  logic [31:0] ready_{k},\n  output logic [31:0] n_{k},\n"
             for k in range(count)]  # fmt: skip
    return f"module {NAME} (\n{_COMMON}{''.join(sides)}{_STATE});\n"


_COMMON = """  input  logic        clk,
  input  logic        tick,
  input  logic [63:0] now,
  input  logic [31:0] id,
  input  logic        report,
"""
_STATE = """  output logic        done,
  output logic        moving
"""


def actor_ports(count: int) -> str:
    """The header of an actor with ``count`` FIFO sides; it moves tokens at the start and at the end of firings."""
    sides = [
        f"  input  logic [31:0] op_{k},\n  input  logic [31:0] ready_{k},\n"
        f"  output logic [31:0] at_start_{k},\n  output logic [31:0] at_end_{k},\n"
        for k in range(count)
    ]
    return f"module {NAME} (\n{_COMMON}{''.join(sides)}  output logic        acts,\n{_STATE});\n"
