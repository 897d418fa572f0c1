"""The same flips in the reference engine: a bit of a token that waits in a FIFO, and memory at the end of the launch.

Which token a flip meets is known from the cycles of the run without a fault: the one that was written into the place
and not read yet.  A place that holds none masks the flip.
"""

from dataclasses import dataclass

import numpy as np

from sttest.compile.sharing.processes import fifos_of
from sttest.core.errors import InputError
from sttest.reference.graph import BITS, Array
from sttest.reference.launch import LaunchResult, turns
from sttest.targets.rtl.design import pack_tokens, unpack_tokens
from sttest.targets.rtl.drive import RtlRun
from sttest_systems.faults.campaign import Injection, stored_hash
from sttest_systems.faults.changed_launch import ChangedToken, run_changed_launch
from sttest_systems.faults.decode_step import FaultCase


@dataclass(frozen=True)
class Agreement:
    """The flips of words of FIFOs, in hardware and in the reference engine."""

    compared: int
    empty: int  # flips, of those, of a place that holds no token
    disagree: tuple[Injection, ...]
    left_out: tuple[Injection, ...]  # flips in FIFOs that are no stream of the reference: between layers
    undefined: tuple[
        Injection, ...
    ] = ()  # flips that become a NaN where an integer is made of it, which the reference refuses


def held_token(injection: Injection, golden: RtlRun, depth: int) -> int | None:
    """The token that waits in the place of a flip, counted from the first of the launch; None where none does.

    A token that is written in cycle w and read in cycle r is there from w + 1 to r.

    Args:
        injection: flip of a word of a FIFO that is a ring of places.
        golden: run without a fault.
        depth: places.
    """
    writes, reads = golden.writes[injection.owner], golden.reads[injection.owner]
    first, last = int((reads < injection.cycle).sum()), int((writes < injection.cycle).sum())
    return next((token for token in range(first, last) if token % depth == injection.word), None)


def hold_against_reference(case: FaultCase, golden: RtlRun, injections: list[Injection]) -> Agreement:
    """Runs each flip of a FIFO's words in the reference engine, and compares what went to memory.

    Args:
        case: design with its values.
        golden: run of the hardware without a fault.
        injections: flips in hardware, those of other sites left aside.
    """
    streams = _streams_by_fifo(case)
    words = [each for each in injections if each.register == "memory"]
    left_out = tuple(each for each in words if each.owner not in streams)
    compared = [each for each in words if each.owner in streams]
    depths = {fifo.name: fifo.depth for fifo in case.design.graph.fifos}
    held = [held_token(each, golden, depths[each.owner]) for each in compared]
    same = [_agrees(case, golden, each, streams[each.owner], token) for each, token in zip(compared, held, strict=True)]
    wrong, undefined = (
        tuple(each for each, found in zip(compared, same, strict=True) if found is verdict) for verdict in (False, None)
    )
    return Agreement(len(compared) - len(undefined), held.count(None), wrong, left_out, undefined)


def _streams_by_fifo(case: FaultCase) -> dict[str, str]:
    """The stream that goes through each FIFO, of those that a node of the reference writes and that have one alone."""
    written = {name for node in case.launch.graph.nodes for name in node.sinks}
    names = {fifo: [each.sym_name.data for each in streams] for fifo, streams in fifos_of(case.kernel).items()}
    return {fifo: each[0] for fifo, each in names.items() if len(each) == 1 and each[0] in written}


def _agrees(case: FaultCase, golden: RtlRun, injection: Injection, name: str, token: int | None) -> bool | None:
    """Whether the reference has in memory what the hardware stored; None where it defines no value."""
    if token is None:
        return injection.outcome == "masked"
    launch, stream = case.launch, case.launch.graph.stream[name]
    turn, within = divmod(token, stream.tokens)
    times = len(golden.writes[injection.owner]) // (stream.tokens * launch.steps)

    def flipped(tokens: Array) -> Array:
        rows = pack_tokens(tokens, BITS[stream.dtype]).copy()
        rows[0, -1 - injection.bit // 8] ^= np.uint8(1 << injection.bit % 8)
        return unpack_tokens(rows, stream.dtype, stream.element)

    changed = ChangedToken(name, *divmod(turn, times), within, flipped)
    try:
        found = run_changed_launch(launch, case.memory, changed, keep=[store.source for store in launch.graph.stores])
    except InputError as error:
        if "arith.fptosi" not in error.what:
            raise
        return None
    return injection.outcome != "hang" and stored_hash(_as_stored(case, found)) == injection.stored


def _as_stored(case: FaultCase, found: LaunchResult) -> dict[str, str]:
    """What goes to memory, as the hardware writes it: by FIFO, a line of hexadecimal digits per token."""
    streams = fifos_of(case.kernel)
    by_stream = {each.sym_name.data: name for name, group in streams.items() for each in group}
    stored: dict[str, str] = {}
    for store in case.launch.graph.stores:
        fifo, dtype = by_stream[store.source], case.launch.graph.stream[store.source].dtype
        digits = -(-case.design.graph.fifos[case.design.graph.fifo_index[fifo]].bits // 4)
        rows = pack_tokens(turns(found.streams[store.source]), BITS[dtype])
        stored[fifo] = "".join(f"{row.tobytes().hex()[-digits:]}\n" for row in rows)
    return stored
