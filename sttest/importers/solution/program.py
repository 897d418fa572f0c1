"""What a child process tells of a solution's bitcode and of its run, as JSON and arrays."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

TRACE, ABOUT = "trace.npy", "run.json"
"""Names of the files in which it is told."""
BLOCK, READ, WRITE, READ_REQUEST, WRITE_REQUEST, CHANNEL, RESPONSE = 0, 1, 2, 3, 4, 5, 6
"""Kinds of entries of a trace, in the lowest three bits.  Requests and channels have a second entry, a number << 3."""


@dataclass(frozen=True)
class CallCode:
    """An instruction; of a call also the function and the number of its operands that are pointers to streams."""

    name: str
    opcode: str
    callee: str
    pointers: int


@dataclass(frozen=True)
class BlockCode:
    """A block: places of its successors, as its terminator stores them, and instructions but for hints to the tool."""

    successors: list[int]
    instructions: list[CallCode]


@dataclass(frozen=True)
class FunctionCode:
    """A function of the design; ``channels`` are the names of pointers that are FIFOs."""

    blocks: list[BlockCode]
    channels: list[str]


@dataclass
class ReachableCode:
    """Functions that can be reached from the top; ``blocks`` and ``channels`` are numbered as in the trace."""

    blocks: list[tuple[str, int]]
    functions: dict[str, FunctionCode]
    channels: list[tuple[str, int]]  # name and depth


@dataclass(frozen=True)
class PortCheck:
    """Values of a port of the top that equal those of the co-simulation, of how many."""

    port: str
    equal: int
    total: int


@dataclass(frozen=True)
class TopPort:
    """A pointer of the top, and the memory behind it."""

    name: str
    address: int
    size: int


@dataclass
class FirstTransaction:
    """What the design did with the inputs of its first transaction."""

    code: ReachableCode
    trace: np.ndarray  # int64
    ports: list[TopPort]
    checks: list[PortCheck]
    missing: list[str]  # ports that steer it or feed it, for which there were no vectors


def write_run(run: FirstTransaction, folder: Path) -> None:
    """Tells of a run in files of the folder."""
    np.save(folder / TRACE, run.trace)
    about = {
        "code": asdict(run.code), "ports": [asdict(each) for each in run.ports],
        "checks": [asdict(each) for each in run.checks], "missing": run.missing,
    }  # fmt: skip
    (folder / ABOUT).write_text(json.dumps(about), encoding="utf-8")


def read_run(folder: Path) -> FirstTransaction:
    """What :func:`write_run` told."""
    about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
    functions = {
        name: FunctionCode(
            [
                BlockCode(each["successors"], [CallCode(**call) for call in each["instructions"]])
                for each in code["blocks"]
            ],
            code["channels"],
        )
        for name, code in about["code"]["functions"].items()
    }
    code = ReachableCode(
        [(name, place) for name, place in about["code"]["blocks"]], functions,
        [(name, depth) for name, depth in about["code"]["channels"]],
    )  # fmt: skip
    checks = [PortCheck(**each) for each in about["checks"]]
    ports = [TopPort(**each) for each in about["ports"]]
    return FirstTransaction(code, np.load(folder / TRACE, allow_pickle=False), ports, checks, about["missing"])
