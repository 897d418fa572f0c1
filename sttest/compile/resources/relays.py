"""The relays of a placed design: where each lies, and what it takes.

They are put in once SLRs are chosen, so that they are no part of the resources that were placed.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from sttest.boards.operators import Operator, operators
from sttest.boards.resources import PipelineLogic, Resources, fifo_resources, pipeline_resources
from sttest.compile.assumptions import REGISTERS_PER_BOUNDARY
from sttest.compile.compiler import Design
from sttest.compile.resources.design import SlrPlacement
from sttest.compile.resources.synthesis import process_estimate, relay_fifo_estimate, synthesized_rows
from sttest.compile.rtl.module import Side
from sttest.compile.rtl.movers import relay_module
from sttest.sim.crossings import register_names
from sttest.sim.graph import MIN_DEPTH, Pipeline


@dataclass(frozen=True)
class PlacedRelay:
    """A process that passes tokens on over an SLR boundary, with the FIFO that it reads."""

    process: str
    slr: int
    fifo: str  # that the tokens come to at last
    number: int  # from the writer on
    bits: int  # of a token
    resources: Resources


def relay_slr(source: int, target: int, number: int) -> int:
    """The SLR of a relay: one on either side of each boundary.

    Args:
        source: SLR of the FIFO's writer.
        target: SLR of its reader.
        number: number of the relay from the writer on.

    >>> [relay_slr(2, 0, number) for number in range(4)]
    [2, 1, 1, 0]
    """
    crossed = -(-number // REGISTERS_PER_BOUNDARY)
    return source + crossed if source < target else source - crossed


def placed_relays(placed: SlrPlacement, design: Design) -> list[PlacedRelay]:
    """All relays of a design, in the order of its FIFOs."""
    pipelines = {each.name: each for each in placed.graph.processes if isinstance(each, Pipeline)}
    bits = {fifo.name: fifo.bits for fifo in placed.graph.fifos}
    slr_of, counts, library = placed.partition.slr_of, placed.crossings.relays, operators(design.board)
    found = []
    for wire in placed.taken.wires:
        for number in range(counts.get(wire.fifo, 0)):
            name = register_names(wire.fifo, number)[0]
            slr = relay_slr(slr_of[wire.source], slr_of[wire.target], number)
            taken = _resources(pipelines[name], bits[wire.fifo], library, in_rtl=design.knobs.flow == "rtl")
            found.append(PlacedRelay(name, slr, wire.fifo, number, bits[wire.fifo], taken))
    return found


def _resources(pipeline: Pipeline, bits: int, library: Mapping[str, Operator], *, in_rtl: bool) -> Resources:
    if not in_rtl:
        logic = PipelineLogic(ports=2, trip=pipeline.loops[0].iterations)
        return fifo_resources("register", MIN_DEPTH, bits) + pipeline_resources(logic, library)
    source, sink = (Side(event.fifo, event.op, bits, event.op == "write") for event in pipeline.loops[0].events)
    module = process_estimate(relay_module(pipeline, source, sink), synthesized_rows())
    return module + relay_fifo_estimate(bits)
