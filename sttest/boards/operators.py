"""The operator library: what a kernel's latency and area are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

from pydantic import Field, model_validator

from sttest.boards.board import FpgaBoard
from sttest.boards.part import Part
from sttest.boards.validation import validated
from sttest.boards.yaml_file import read_mapping
from sttest.errors import InputError, did_you_mean
from sttest.results import Kind

OPERATORS_FILE = Path(__file__).parent / "data" / "operators.yaml"
WORD_BITS = 32
"""Of the values that operators of the library give: those of its integers run in 32 bits in the emitted code."""


class Timing(Part):
    """Pipeline of one operator: registers passed through and cycles from operand to result."""

    stages: Annotated[int, Field(strict=True, ge=1)]
    latency_cycles: Annotated[int, Field(strict=True, ge=0)]
    source: str
    kind: Kind

    @model_validator(mode="after")
    def _latency_follows_from_stages(self) -> Timing:
        if self.latency_cycles != self.stages - 1:
            raise ValueError(f"latency_cycles {self.latency_cycles} is not stages {self.stages} less one")
        return self


class Area(Part):
    """Resources of one instance; half a DSP means that two instances share one."""

    dsp: Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]
    ff: Annotated[int, Field(strict=True, ge=0)]
    lut: Annotated[int, Field(strict=True, ge=0)]
    source: str
    kind: Kind


class Operator(Part):
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


class _Row(Part):
    title: str
    timing: Timing | None = None
    area: Area | None = None
    compose: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _reported_or_composed(self) -> _Row:
        if bool(self.compose) == (self.timing is not None) or (self.timing is None) != (self.area is None):
            raise ValueError("give either timing and area, or compose")
        return self


class _File(Part):
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
            "operators are characterised for a slower clock",
            where=f"board '{board.name}': clock_mhz",
            demand=board.clock_mhz.value,
            bound=int(1e3 / clock_target_ns),
            unit="MHz",
            levers=["lower clock_mhz"],
        )
    return library


@cache
def load_operators(path: Path) -> tuple[float, Mapping[str, Operator]]:
    """Clock target in ns and operators by name of a library file.

    Raises:
        InputError: the file is not an operator library.
    """
    file = validated(_File, read_mapping(path), str(path))
    library: dict[str, Operator] = {}
    for name, row in file.operators.items():
        if row.timing is not None and row.area is not None:
            library[name] = Operator(name=name, title=row.title, timing=row.timing, area=row.area)
    for name, row in file.operators.items():
        if row.compose:
            library[name] = _composed(name, row, library, path)
    return file.clock_target_ns, MappingProxyType(library)


def _composed(name: str, row: _Row, library: Mapping[str, Operator], path: Path) -> Operator:
    """An operator made of reported ones in a chain: stages and areas add up."""
    for part in row.compose:
        if part not in library:
            where = f"{path}: operators.{name}.compose"
            raise InputError(
                "unknown-operator", f"unknown operator '{part}'", where=where, levers=[did_you_mean(part, library)]
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
