// Numbers that nested loops count through, of several nests ("legs") one after the other.
//
// The first ROW legs come REPEATS times, then the others once.  A leg's loops stand innermost lowest in TRIPS and
// DELTAS, words of 32 bits; DELTAS has what is added when a loop steps and those inside it start again, JUMPS what
// is added behind a leg, BACK what is added behind the row when it comes again.  Every loop has MOST trips at most.
module address_walk #(
  parameter int BITS = 32,
  parameter int LEGS = 1,
  parameter int ROW = 1,
  parameter int REPEATS = 1,
  parameter int LOOPS = 1,
  parameter logic [31:0] START = 0,
  parameter logic [LOOPS*32-1:0] MOST = 1,
  parameter logic [LEGS*LOOPS*32-1:0] TRIPS = 1,
  parameter logic [LEGS*LOOPS*32-1:0] DELTAS = 0,
  parameter logic [LEGS*32-1:0] JUMPS = 0,
  parameter logic [31:0] BACK = 0,
  localparam int LEG_BITS = LEGS > 1 ? $clog2(LEGS) : 1
) (
  input  logic                clk,
  input  logic                reset,
  input  logic                step,
  output logic [BITS-1:0]     at,
  output logic [BITS-1:0]     next,
  output logic [LEG_BITS-1:0] leg,
  output logic                inner_ends,  // whether the innermost loop is at its end
  output logic                last
);
  logic [LOOPS-1:0] at_end;
  logic leg_ends, row_again;
  assign leg_ends = &at_end;
  assign inner_ends = at_end[0];

  if (LEGS == 1) begin : one
    assign leg = '0;
  end else begin : several
    always_ff @(posedge clk)
      if (reset) leg <= '0;
      else if (step & leg_ends) leg <= row_again ? '0 : leg + 1'b1;
  end
  if (REPEATS == 1) begin : once
    assign row_again = 1'b0;
    assign last = leg_ends & 32'(leg) == LEGS - 1;
  end else begin : repeats
    localparam int SIZE = $clog2(REPEATS);
    logic [SIZE-1:0] number;
    logic ends;
    assign ends = number == SIZE'(REPEATS - 1);
    assign row_again = leg_ends & ~ends & 32'(leg) == ROW - 1;
    assign last = leg_ends & ends & 32'(leg) == LEGS - 1;
    always_ff @(posedge clk)
      if (reset) number <= '0;
      else if (step & row_again) number <= number + 1'b1;
  end

  for (genvar loop = 0; loop < LOOPS; loop++) begin : counters
    localparam int TRIP = MOST[loop*32 +: 32];
    if (TRIP == 1) begin : none
      assign at_end[loop] = 1'b1;
    end else begin : some
      localparam int SIZE = $clog2(TRIP);
      logic [SIZE-1:0] index, highest;
      logic carries;
      always_comb begin
        highest = SIZE'(TRIPS[loop*32 +: 32] - 32'd1);
        for (int n = 1; n < LEGS; n++)
          if (32'(leg) == n) highest = SIZE'(TRIPS[(n*LOOPS+loop)*32 +: 32] - 32'd1);
      end
      assign at_end[loop] = index == highest;
      if (loop == 0) assign carries = 1'b1;
      else assign carries = &at_end[loop-1:0];
      always_ff @(posedge clk)
        if (reset) index <= '0;
        else if (step & carries) index <= at_end[loop] ? SIZE'(0) : index + 1'b1;
    end
  end

  // One loop that counts from 0 is its own index.
  if (LEGS == 1 && LOOPS == 1 && START == 0 && DELTAS == 1 && MOST != 1) begin : counts
    assign at = BITS'(counters[0].some.index);
    assign next = at + 1'b1;
  end else begin : adds
    logic [BITS-1:0] delta;
    always_comb begin
      delta = BITS'(JUMPS[31:0]);
      for (int loop = LOOPS - 1; loop >= 0; loop--) if (!at_end[loop]) delta = BITS'(DELTAS[loop*32 +: 32]);
      for (int n = 1; n < LEGS; n++)
        if (32'(leg) == n) begin
          delta = BITS'(JUMPS[n*32 +: 32]);
          for (int loop = LOOPS - 1; loop >= 0; loop--)
            if (!at_end[loop]) delta = BITS'(DELTAS[(n*LOOPS+loop)*32 +: 32]);
        end
      if (row_again) delta = BITS'(BACK);
    end
    assign next = at + delta;
    always_ff @(posedge clk)
      if (reset) at <= BITS'(START);
      else if (step) at <= next;
  end
endmodule

// The bursts of a port, from the walk through their first words, counted in units of UNIT words.
//
// A burst of a leg has FULL words, one at the end of its innermost loop REST (of 9 bits each).  An argument begins at
// a multiple of 4 KiB, so that which words lie in one page is known beforehand.  A burst is there while `valid` is
// high; `take` goes on to the next one.
module burst_walk #(
  parameter int WORD_BYTES = 64,
  parameter int UNIT = 1,
  parameter int BITS = 32,
  parameter int LEGS = 1,
  parameter int ROW = 1,
  parameter int REPEATS = 1,
  parameter int LOOPS = 1,
  parameter logic [31:0] START = 0,
  parameter logic [LOOPS*32-1:0] MOST = 1,
  parameter logic [LEGS*LOOPS*32-1:0] TRIPS = 1,
  parameter logic [LEGS*LOOPS*32-1:0] DELTAS = 0,
  parameter logic [LEGS*32-1:0] JUMPS = 0,
  parameter logic [31:0] BACK = 0,
  parameter logic [LEGS*9-1:0] FULL = 1,
  parameter logic [LEGS*9-1:0] REST = 1,
  localparam int LEG_BITS = LEGS > 1 ? $clog2(LEGS) : 1
) (
  input  logic        clk,
  input  logic        reset,
  input  logic [63:0] base,
  output logic        valid,
  output logic [63:0] address,
  output logic [8:0]  words,
  input  logic        take
);
  logic [BITS-1:0] at;
  logic [LEG_BITS-1:0] leg;
  logic run_ends, last;
  address_walk #(
    .BITS(BITS), .LEGS(LEGS), .ROW(ROW), .REPEATS(REPEATS), .LOOPS(LOOPS), .START(START), .MOST(MOST), .TRIPS(TRIPS),
    .DELTAS(DELTAS), .JUMPS(JUMPS), .BACK(BACK)
  ) bursts (
    .clk, .reset, .step(take), .at, .next(), .leg, .inner_ends(run_ends), .last
  );
  logic [63:0] offset;
  assign offset = 64'(at) << $clog2(UNIT * WORD_BYTES);
  assign address = {base[63:12] + offset[63:12], offset[11:0]};
  always_comb begin
    words = run_ends ? REST[8:0] : FULL[8:0];
    for (int n = 1; n < LEGS; n++) if (32'(leg) == n) words = run_ends ? REST[n*9 +: 9] : FULL[n*9 +: 9];
  end
  always_ff @(posedge clk)
    if (reset) valid <= 1'b1;
    else if (take & last) valid <= 1'b0;
endmodule

// Which of PER_WORD parts of a word each token is, and whether the word ends with it.
module part_walk #(
  parameter int PER_WORD = 2,
  parameter bit IN_ORDER = 1,  // all parts of every word, in order: nothing else is needed
  parameter int BITS = 32,
  parameter int LEGS = 1,
  parameter int ROW = 1,
  parameter int REPEATS = 1,
  parameter int LOOPS = 1,
  parameter logic [31:0] START = 0,
  parameter logic [LOOPS*32-1:0] MOST = 1,
  parameter logic [LEGS*LOOPS*32-1:0] TRIPS = 1,
  parameter logic [LEGS*LOOPS*32-1:0] DELTAS = 0,
  parameter logic [LEGS*32-1:0] JUMPS = 0,
  parameter logic [31:0] BACK = 0,
  localparam int PARTS = $clog2(PER_WORD)
) (
  input  logic             clk,
  input  logic             reset,
  input  logic             step,
  output logic [PARTS-1:0] part,
  output logic             word_ends
);
  if (IN_ORDER) begin : counted
    assign word_ends = &part;
    always_ff @(posedge clk)
      if (reset) part <= '0;
      else if (step) part <= part + 1'b1;
  end else begin : walked
    logic [BITS-1:0] at, next;
    logic last;
    address_walk #(
      .BITS(BITS), .LEGS(LEGS), .ROW(ROW), .REPEATS(REPEATS), .LOOPS(LOOPS), .START(START), .MOST(MOST), .TRIPS(TRIPS),
      .DELTAS(DELTAS), .JUMPS(JUMPS), .BACK(BACK)
    ) parts (
      .clk, .reset, .step, .at, .next, .leg(), .inner_ends(), .last
    );
    assign part = PARTS'(at);
    assign word_ends = last | (next >> PARTS) != (at >> PARTS);
  end
endmodule
