"""The operator library: what a kernel's latency and area are made of."""

from collections import ChainMap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import Field, model_validator

from sttest.boards.board import FpgaBoard
from sttest.boards.part import BoardPart
from sttest.core.errors import InputError, did_you_mean
from sttest.core.files import read_yaml
from sttest.core.results import Kind
from sttest.core.validation import validated

__depends__ = ("sttest/boards/data/operators.yaml",)

OPERATORS_FILE = Path(__file__).parent / "data" / "operators.yaml"
OWN: dict[str, "Operator"] = {}
"""Operators that designs bring along (`df.call`), by names that have all their figures in them."""
WORD_BITS = 32
"""Bits of the values that operators of the library give: those of its integers run in 32 bits in the emitted code."""


class Timing(BoardPart):
    """Pipeline of one operator: registers passed through and cycles from operand to result."""

    stages: Annotated[int, Field(strict=True, ge=1)]
    latency_cycles: Annotated[int, Field(strict=True, ge=0)]
    source: str
    kind: Kind

    @model_validator(mode="after")
    def _latency_follows_from_stages(self) -> "Timing":
        if self.latency_cycles != self.stages - 1:
            raise ValueError(f"latency_cycles {self.latency_cycles} is not stages {self.stages} less one")
        return self


class Area(BoardPart):
    """Resources of one instance; half a DSP means that two instances share one."""

    dsp: Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]
    ff: Annotated[int, Field(strict=True, ge=0)]
    lut: Annotated[int, Field(strict=True, ge=0)]
    source: str
    kind: Kind


class Operator(BoardPart):
    """One operator, fully pipelined: II is 1 cycle; registers beside it carry ``bits`` per stage."""

    name: str
    title: str
    timing: Timing
    area: Area
    bits: Annotated[int, Field(ge=1)] = WORD_BITS

    @property
    def stages(self) -> int:
        """Cycles that it adds to a chain of operators."""
        return self.timing.stages

    @property
    def latency_cycles(self) -> int:
        """Cycles from operand to result, taken by itself."""
        return self.timing.latency_cycles


class _Row(BoardPart):
    title: str
    timing: Timing | None = None
    area: Area | None = None
    compose: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _reported_or_composed(self) -> "_Row":
        if bool(self.compose) == (self.timing is not None) or (self.timing is None) != (self.area is None):
            raise ValueError("give either timing and area, or compose")
        return self


class _File(BoardPart):
    clock_target_ns: Annotated[float, Field(gt=0)]
    operators: dict[str, _Row]


def operators(board: FpgaBoard) -> Mapping[str, Operator]:
    """The operator library by operator name, for kernels at the clock of ``board``.

    Rows were reported at 3.33 ns.  At a slower clock they are kept as they are, which
    overstates latency and registers; a faster clock would need deeper pipelines that
    nobody has reported, and is refused.

    Raises:
        InputError: the clock of the board is faster than that of the reports.
    """
    clock_target_ns, library = load_operators(OPERATORS_FILE)
    if board.clock_ns < clock_target_ns:
        raise InputError(
            "clock-too-fast",
            "operators are characterized for a slower clock",
            where=f"board '{board.name}': clock_mhz",
            demand=board.clock_mhz.value,
            bound=int(1e3 / clock_target_ns),
            unit="MHz",
            hints=["lower clock_mhz"],
        )
    return library


@cache
def load_operators(path: Path) -> tuple[float, Mapping[str, Operator]]:
    """Clock target in ns and operators by name of a library file.

    Raises:
        InputError: the file is not an operator library.
    """
    file = validated(_File, read_yaml(path), str(path))
    library: dict[str, Operator] = {}
    for name, row in file.operators.items():
        if row.timing is not None and row.area is not None:
            library[name] = Operator(name=name, title=row.title, timing=row.timing, area=row.area)
    for name, row in file.operators.items():
        if row.compose:
            library[name] = _composed(name, row, library, path)
    return file.clock_target_ns, MappingProxyType(ChainMap(library, OWN))


def _composed(name: str, row: _Row, library: Mapping[str, Operator], path: Path) -> Operator:
    """An operator made of reported ones in a chain: stages and areas add up."""
    for part in row.compose:
        if part not in library:
            where = f"{path}: operators.{name}.compose"
            raise InputError(
                "unknown-operator", f"unknown operator '{part}'", where=where, hints=[did_you_mean(part, library)]
            )
    parts = [library[part] for part in row.compose]
    source = f"composed: {', then '.join(row.compose)}"
    stages = chain_stages(parts)
    timing = Timing(stages=stages, latency_cycles=stages - 1, source=source, kind="assumed")
    area = Area(
        dsp=sum(part.area.dsp for part in parts),
        ff=sum(part.area.ff for part in parts),
        lut=sum(part.area.lut for part in parts),
        source=source,
        kind="assumed",
    )
    return Operator(name=name, title=row.title, timing=timing, area=area)


def chain_stages(chain: Iterable[Operator]) -> int:
    """Stages of operators that follow each other, each registering its result."""
    return sum(operator.stages for operator in chain)


# --- Rules of Vitis HLS for adder trees and accumulators, as pure functions


AddKind = Literal["float", "float_fabric", "int"]
ADDER_OF_KIND: dict[AddKind, str] = {"float": "fadd", "float_fabric": "fadd_fabric", "int": "iadd"}


def add_tree_levels(n: int) -> int:
    """Levels of a balanced tree that adds ``n`` values: 0 for one value.

    Raises:
        InputError: ``n`` is below 1.
    """
    if n < 1:
        raise InputError("bad-value", f"an adder tree of {n} values", hints=["give 1 value or more"])
    return (n - 1).bit_length()


def add_tree_latency(n: int, kind: AddKind) -> int:
    """Cycles from the ``n`` operands to the registered sum: levels times stages of one adder.

    >>> add_tree_latency(16, "float")  # 4 levels of 7 stages
    28
    """
    _, library = load_operators(OPERATORS_FILE)
    return add_tree_levels(n) * library[ADDER_OF_KIND[kind]].stages


def carried_adders(products: int) -> int:
    """Additions L on the loop-carried path when ``products`` values are summed per iteration.

    Seen: 1 for 1 and 2, 3 for 4 to 8, 4 for 9 to 32.  For 3 the next larger is taken and
    beyond 32 the last one.
    """
    if products < 1:
        raise InputError("bad-value", f"an accumulator of {products} products", hints=["give 1 product or more"])
    if products <= 2:
        return 1
    return 3 if products <= 8 else 4


@dataclass(frozen=True)
class Accumulator:
    """A running sum as HLS builds it."""

    ii: int  # initiation interval of the loop, in cycles
    adder: Literal["fadd", "fadd_fabric", "iadd"]  # operator on the loop-carried path
    carried_adders: int  # how many of them lie on it


def accumulator(products: int, distance: int, *, ii: int = 1, kind: Literal["float", "int"] = "float") -> Accumulator:
    """The initiation interval that a running sum allows.

    Args:
        products: values summed into one element per iteration, R.
        distance: iterations between the write of an element and its next read.
        ii: interval asked for, in cycles.
        kind: integers add within a cycle and never hold a loop back.

    With L = `carried_adders`: seven-stage DSP adders fit if distance * II >= 6 L + 2,
    fabric adders if >= 4 L + 2; else the loop slows down to ceil(4 L / distance).
    """
    if distance < 1 or ii < 1:
        raise InputError("bad-value", f"an accumulator at distance {distance} and II {ii}", hints=["give 1 or more"])
    on_path = carried_adders(products)
    if kind == "int":
        return Accumulator(ii, "iadd", on_path)
    if distance * ii >= 6 * on_path + 2:
        return Accumulator(ii, "fadd", on_path)
    if distance * ii >= 4 * on_path + 2:
        return Accumulator(ii, "fadd_fabric", on_path)
    return Accumulator(max(ii, -(-4 * on_path // distance)), "fadd_fabric", on_path)
