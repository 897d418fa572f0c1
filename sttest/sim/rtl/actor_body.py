"""Dataflow actors in hardware: firings in order, overlapping, each phase with a queue of the starts in flight."""

from __future__ import annotations

from sttest.sim.graph import Actor, TimedGraph
from sttest.sim.rtl.body import Body, actor_ports
from sttest.sim.rtl.verilog import all_of, any_of, literal, sum_of, width_of


def actor_body(actor: Actor, graph: TimedGraph) -> Body:
    """The module of an actor with a finite number of firings.

    It starts one firing and ends one of each phase per clock edge; ``acts`` holds the cycle until it has done all
    that the cycle allows.
    """
    index = graph.fifo_index
    moves = [
        {2 * index[name]: n for name, n in phase.reads.items() if n}
        | {2 * index[name] + 1: n for name, n in phase.writes.items() if n}
        for phase in actor.phases
    ]
    ops = tuple(sorted({op for move in moves for op in move}))
    firings = actor.firings or 0
    depths = {op: graph.fifos[op // 2].depth for op in ops}
    queues = [_queue(k, phase.time, _most_in_flight(firings, moves[k], depths)) for k, phase in enumerate(actor.phases)]
    return Body("actor", actor_ports(len(ops)) + _control(actor, moves, ops) + "".join(queues) + "endmodule\n", ops)


def _most_in_flight(firings: int, moves: dict[int, int], depths: dict[int, int]) -> int:
    """Firings of a phase that can run at once: tokens taken and space claimed come back only at the end."""
    return max(1, min([firings, *(depths[op] // tokens for op, tokens in moves.items())]))


def _control(actor: Actor, moves: list[dict[int, int]], ops: tuple[int, ...]) -> str:
    phases, firings = len(actor.phases), actor.firings or 0
    width = width_of(phases)
    needs = "".join(f"  logic [31:0] need_{side};\n" for side in range(len(ops)))
    wires = "".join(f"  logic ends_{phase};\n" for phase in range(phases))
    possible = all_of([f"need_{side} <= ready_{side}" for side in range(len(ops))])
    ended = sum_of([f"{{31'd0, ends_{phase}}}" for phase in range(phases)])
    reports = "".join(
        f"    if (report && !done && need_{side} > ready_{side}) "
        f"`TWIN_BLOCKED(id, op_{side}, need_{side}, ready_{side});\n"
        for side in range(len(ops))
    )
    any_end = any_of([f"ends_{phase}" for phase in range(phases)])
    return f"""  logic [31:0] started = 0;
  logic [31:0] ended = 0;
  logic [{width - 1}:0] phase = 0;
  logic starts, complete;
{needs}{wires}  initial done = 0;
  assign starts = started != {firings} & now >= {literal(actor.start, 64)} & {possible};
  assign acts = starts | {any_end};
  assign complete = ended == {firings} & now >= {literal(actor.start, 64)};
  assign moving = !done & (acts | started != ended | now < {literal(actor.start, 64)} | complete);
{_moves(moves, ops, width)}
  always @(posedge clk) begin
    if (starts) begin
      started <= started + 1;
      phase <= phase == {literal(phases - 1, width)} ? {literal(0, width)} : phase + {literal(1, width)};
    end
    ended <= ended + {ended};
    if (complete & !done) begin
      done <= 1;
      `TWIN_FINISH(id, now);
    end
{reports}  end
"""


def _moves(moves: list[dict[int, int]], ops: tuple[int, ...], width: int) -> str:
    """What the next firing needs of every FIFO side, and what moves there at starts and ends."""
    lines = []
    for side, op in enumerate(ops):
        of_side = [(phase, move[op]) for phase, move in enumerate(moves) if op in move]
        need = sum_of([f"(phase == {literal(phase, width)} ? {literal(n, 32)} : 32'd0)" for phase, n in of_side])
        ended = sum_of([f"(ends_{phase} ? {literal(n, 32)} : 32'd0)" for phase, n in of_side])
        lines += [
            f"  assign need_{side} = {need};",
            f"  assign at_start_{side} = starts ? need_{side} : 32'd0;",
            f"  assign at_end_{side} = {ended};",
        ]
    return "\n".join(lines)


def _queue(phase: int, time_cycles: int, size: int) -> str:
    """Starts of the firings of one phase in flight; they all last as long, so that the oldest ends first."""
    width, count = width_of(size - 1), width_of(size)
    last, zero, one = literal(size - 1, width), literal(0, width), literal(1, width)
    return f"""  logic [63:0] start_{phase} [0:{size - 1}];
  logic [{width - 1}:0] head_{phase} = 0, tail_{phase} = 0;
  logic [{count - 1}:0] flights_{phase} = 0;
  logic starts_{phase};
  assign starts_{phase} = starts & phase == {phase};
  assign ends_{phase} = flights_{phase} != 0 & now == start_{phase}[head_{phase}] + {literal(time_cycles, 64)};
  always @(posedge clk) begin
    if (starts_{phase}) begin
      start_{phase}[tail_{phase}] <= now;
      tail_{phase} <= tail_{phase} == {last} ? {zero} : tail_{phase} + {one};
    end
    if (ends_{phase}) head_{phase} <= head_{phase} == {last} ? {zero} : head_{phase} + {one};
    flights_{phase} <= flights_{phase} + starts_{phase} - ends_{phase};
  end
"""
