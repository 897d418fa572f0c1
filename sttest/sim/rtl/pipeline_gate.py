"""What loop and trace pipelines share: one gated clock over local stages, and where the program ends."""

from __future__ import annotations

from sttest.sim.rtl.body import pipeline_ports
from sttest.sim.rtl.verilog import all_of, literal, width_of


def gate(start: int, runs: int, period: int, end: int, sides: int, program: str) -> str:
    """The module of a pipeline: stage counter, gate, report, around the hardware that says what a stage needs.

    Args:
        start: first cycle in which stage 0 may happen.
        runs: how often the program is run.
        period: stages from one run to the next.
        end: the stage of the last run in which the process finishes.
        sides: number of FIFO sides; ``program`` drives ``need_0`` … for them.
        program: text that sees ``stage``, the stage of the present run, and ``advance``, high where it happens.
    """
    width, run_width = width_of(max(period, end)), width_of(runs)
    needs = "".join(f"  logic [31:0] need_{k};\n" for k in range(sides))
    outputs = "".join(f"  assign n_{k} = advance ? need_{k} : 32'd0;\n" for k in range(sides))
    reports = "".join(
        f"    if (report && !done && need_{k} > ready_{k}) `TWIN_BLOCKED(id, op_{k}, need_{k}, ready_{k});\n"
        for k in range(sides)
    )
    possible = all_of([f"need_{k} <= ready_{k}" for k in range(sides)])
    return f"""{pipeline_ports(sides)}  logic [{width - 1}:0] stage = 0;
  logic [{run_width - 1}:0] run = 0;
  logic advance, last_run, last_stage;
{needs}  initial done = 0;
  assign last_run = run == {literal(runs - 1, run_width)};
  assign last_stage = stage == (last_run ? {literal(end, width)} : {literal(period - 1, width)});
  assign advance = tick & !done & now >= {literal(start, 64)} & {possible};
  assign moving = !done & (now < {literal(start, 64)} | advance);
{outputs}
  always @(posedge clk) if (tick) begin
    if (advance) begin
      stage <= last_stage ? {literal(0, width)} : stage + {literal(1, width)};
      if (last_stage & last_run) begin
        done <= 1;
        `TWIN_FINISH(id, now);
      end
      if (last_stage & !last_run) run <= run + {literal(1, run_width)};
    end
{reports}  end
{program}endmodule
"""
