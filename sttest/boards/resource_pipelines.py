"""What a pipelined loop takes: its operators, and what Vitis HLS wraps around them.

Operators are rows of the operator library.  Everything else is fitted, on the rows of
published synthesis reports that are marked for it (``python -m experiments.resource_check``
fits again and predicts the others):

    extra = a * stages + b * ports + c * shared ports + d * shared operators
            + e * shared accesses + f * counter bits

with the stages of all instances summed, for the registers that keep operands company on
their way; the FIFOs that a loop reads and writes; the bits of its trip count; and, where
the interval is above 1 and operators take turns, what is multiplexed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from math import log2
from pathlib import Path
from typing import Annotated

from pydantic import Field

from sttest.boards.operators import WORD_BITS, Operator
from sttest.boards.part import Part
from sttest.boards.resources import Resources, total
from sttest.boards.validation import validated
from sttest.boards.yaml_file import read_mapping
from sttest.results import Kind

RESOURCES_FILE = Path(__file__).parent / "data" / "resources.yaml"
TERMS = ("stages", "ports", "shared_ports", "shared_operators", "shared_accesses", "counter_bits")
"""What the fitted coefficients stand before, in the order of :meth:`Pipeline.terms`."""


class Overhead(Part):
    """Fitted coefficients of one resource, per unit of each term."""

    stages: Annotated[float, Field(ge=0)]
    ports: Annotated[float, Field(ge=0)]
    shared_ports: Annotated[float, Field(ge=0)]
    shared_operators: Annotated[float, Field(ge=0)]
    shared_accesses: Annotated[float, Field(ge=0)]
    counter_bits: Annotated[float, Field(ge=0)]
    source: str
    kind: Kind

    def of(self, terms: tuple[float, ...]) -> float:
        """The sum of terms, each with its coefficient."""
        return sum(getattr(self, name) * term for name, term in zip(TERMS, terms, strict=True))


class Adapter(Part):
    """An AXI master adapter of Vitis HLS with its buffers, by the width of its port."""

    lut: Annotated[int, Field(ge=0)]
    ff: Annotated[int, Field(ge=0)]
    bram18: Annotated[int, Field(ge=0)]
    source: str
    kind: Kind

    @property
    def resources(self) -> Resources:
        """As amounts that add up."""
        return Resources(lut=self.lut, ff=self.ff, bram18=self.bram18)


class ResourceModel(Part):
    """The parts of the resource model that are numbers (``data/resources.yaml``)."""

    lut: Overhead
    ff: Overhead
    whole_operators: tuple[str, ...]
    adapters: Mapping[int, Adapter]

    def adapter(self, port_bits: int) -> Resources:
        """The adapter of a port: the narrowest one that is known and wide enough, or the widest."""
        known = sorted(self.adapters)
        return self.adapters[next((bits for bits in known if bits >= port_bits), known[-1])].resources


@dataclass(frozen=True)
class Pipeline:
    """A pipelined loop as the resource model sees it.

    Attributes:
        operators: instances of the library's operators by name, after sharing.
        ports: FIFOs that the loop reads or writes.
        trip: iterations of the flattened loop.
        interval: cycles between iterations for which operators are shared.
        shared_operators: operations of an iteration beyond the instances that carry them out.
        accesses: of arrays, per iteration; charged where the interval is above 1.
    """

    operators: Mapping[str, float] = field(default_factory=dict)
    ports: int = 0
    trip: int = 1
    interval: int = 1
    shared_operators: float = 0
    accesses: float = 0

    def terms(self, library: Mapping[str, Operator], whole: tuple[str, ...]) -> tuple[float, ...]:
        """What the coefficients multiply; operators in ``whole`` were reported with their surroundings."""
        stages = sum(_words(library[name]) * count for name, count in self.operators.items() if name not in whole)
        shared = self.interval > 1
        return (
            stages, self.ports, self.ports * shared, self.shared_operators * shared, self.accesses * shared,
            log2(max(self.trip, 2)),
        )  # fmt: skip


def _words(operator: Operator) -> float:
    """Stages, counted in words of those that the model was fitted on."""
    return operator.stages * operator.bits / WORD_BITS


def operator_resources(operators: Mapping[str, float], library: Mapping[str, Operator]) -> Resources:
    """The operators alone."""
    return total(
        Resources(dsp=library[name].area.dsp, lut=library[name].area.lut, ff=library[name].area.ff) * count
        for name, count in operators.items()
    )


def pipeline_resources(pipeline: Pipeline, library: Mapping[str, Operator]) -> Resources:
    """A pipelined loop without its arrays and FIFOs."""
    model = load_resource_model()
    terms = pipeline.terms(library, model.whole_operators)
    return operator_resources(pipeline.operators, library) + Resources(lut=model.lut.of(terms), ff=model.ff.of(terms))


@cache
def load_resource_model(path: Path = RESOURCES_FILE) -> ResourceModel:
    """The shipped numbers.

    Raises:
        InputError: the file does not hold them.
    """
    return validated(ResourceModel, read_mapping(path), str(path))
