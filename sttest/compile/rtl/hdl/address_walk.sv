// Numbers that nested loops count through, the innermost loop lowest in TRIPS and DELTAS.
//
// DELTAS has for each loop what is added when it steps and those inside it start again.  After the last number
// comes the first one.
module address_walk #(
  parameter int LOOPS = 1,
  parameter logic [31:0] START = 0,
  parameter logic [LOOPS-1:0][31:0] TRIPS = 1,
  parameter logic [LOOPS-1:0][31:0] DELTAS = 0
) (
  input  logic        clk,
  input  logic        reset,
  input  logic        step,
  output logic [31:0] at,
  output logic [31:0] next,
  output logic        last
);
  logic [LOOPS-1:0][31:0] index;
  logic [LOOPS-1:0] at_end;
  logic [31:0] delta;
  for (genvar loop = 0; loop < LOOPS; loop++) assign at_end[loop] = index[loop] == TRIPS[loop] - 32'd1;
  assign last = &at_end;
  always_comb begin
    delta = 0;
    for (int loop = LOOPS - 1; loop >= 0; loop--) if (!at_end[loop]) delta = DELTAS[loop];
  end
  assign next = last ? START : at + delta;

  always_ff @(posedge clk)
    if (reset) at <= START;
    else if (step) at <= next;

  for (genvar loop = 0; loop < LOOPS; loop++) begin : counters
    logic carries;
    if (loop == 0) assign carries = 1'b1;
    else assign carries = &at_end[loop-1:0];
    always_ff @(posedge clk)
      if (reset) index[loop] <= 0;
      else if (step & carries) index[loop] <= at_end[loop] ? 32'd0 : index[loop] + 32'd1;
  end
endmodule

// Bursts for runs of neighboring words: at most BURST words, none across a boundary of 4 KiB.
//
// A burst is there while `valid` is high; `take` goes on to the next one.
module burst_walk #(
  parameter int WORD_BYTES = 64,
  parameter int BURST = 64,  // most words of a burst
  parameter logic [31:0] RUN = 1,  // words of a run
  parameter int LOOPS = 1,  // of the first words of the runs
  parameter logic [31:0] START = 0,
  parameter logic [LOOPS-1:0][31:0] TRIPS = 1,
  parameter logic [LOOPS-1:0][31:0] DELTAS = 0
) (
  input  logic        clk,
  input  logic        reset,
  input  logic [63:0] base,
  output logic        valid,
  output logic [63:0] address,
  output logic [8:0]  words,
  input  logic        take
);
  logic [31:0] first, next, done;  // words of the run that are done
  logic [31:0] left, to_page, some;
  logic last, run_ends;
  address_walk #(.LOOPS(LOOPS), .START(START), .TRIPS(TRIPS), .DELTAS(DELTAS)) runs (
    .clk, .reset, .step(take & run_ends), .at(first), .next, .last
  );
  assign address = base + 64'(first + done) * 64'(WORD_BYTES);
  assign left = RUN - done;
  assign to_page = (32'd4096 - {20'd0, address[11:0]}) / WORD_BYTES;
  assign some = left < to_page ? left : to_page;
  assign words = 9'(some < BURST ? some : BURST);
  assign run_ends = 32'(words) == left;
  always_ff @(posedge clk)
    if (reset) begin
      valid <= 1'b1;
      done <= 0;
    end else if (take) begin
      if (run_ends & last) valid <= 1'b0;
      done <= run_ends ? 32'd0 : done + 32'(words);
    end
endmodule
