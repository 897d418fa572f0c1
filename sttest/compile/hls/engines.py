"""An engine as C++: a function for one turn, and the process that calls it for each of its tasks."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sttest.compile.dialects.df import TaskOp
from sttest.compile.hls.helpers import Helpers
from sttest.compile.hls.process import EngineProcess, Process
from sttest.compile.hls.tasks import emit_turn
from sttest.compile.hls.timing import KernelTiming
from sttest.compile.hls.turn_trips import TurnTrips
from sttest.compile.hls.writer import Code


def emit_engine(
    code: Code,
    members: Sequence[TaskOp],
    process: EngineProcess,
    timing: KernelTiming,
    helpers: Helpers,
    behind: Collection[TaskOp] = (),
) -> None:
    """Writes both functions.

    Args:
        code: where to.
        members: the tasks, in the order of their turns.
        process: names and streams.
        timing: of every task.
        helpers: functions that the payload calls.
        behind: the last of them, whose turns come once, after those of all layers.

    Raises:
        InputError: see :func:`~sttest.compile.hls.tasks.emit_turn`.
    """
    trips = TurnTrips(members, timing)
    told = [f"const int {trips.name(loop)}" for loop in trips.varying]
    turn = Process(process.turn.name, (*process.turn.parameters, *told), (), process.turn.inputs, process.turn.outputs)
    emit_turn(code, members, turn, timing, helpers, trips)
    code.line()
    names = ", ".join(member.sym_name.data for member in members)
    code.comment(f"One engine for {len(members)} tasks, which take turns: {names}.")
    with code.function(f"static void {process.whole.name}", process.whole.parameters):
        code.pragma(f"allocation function instances={turn.name} limit=1")
        calls = {
            member: [*streams, *(str(member.trip_counts[loop]) for loop in trips.varying)]
            for member, streams in zip(members, process.streams, strict=True)
        }
        with code.every_step():
            with code.every_layer():
                for member in members:
                    if member not in behind:
                        code.wrapped(f"{turn.name}(", calls[member], ");")
            for member in members:
                if member in behind:
                    code.wrapped(f"{turn.name}(", calls[member], ");")
