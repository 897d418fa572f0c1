// Packs what is kept of rows into full rows, in order: a row leaves in the cycle in which its last place is filled.
//
// With `flush` the rest leaves, zeros behind it, and nothing of the row at the input is taken.  `put` needs no `move`,
// so that what it waits for can hold back the move.
module zero_eliminator #(
  parameter int LANES = 16,
  parameter int WIDTH = 16,
  localparam int COUNT = $clog2(2 * LANES + 1)
) (
  input  logic                   clk,
  input  logic                   clear,
  input  logic                   move,   // whether the cycle counts
  input  logic                   valid,  // whether there is a row
  input  logic                   flush,
  input  logic [LANES-1:0]       keep,
  input  logic [LANES*WIDTH-1:0] data,
  output logic                   put,
  output logic [LANES*WIDTH-1:0] put_data
);
  logic [COUNT-1:0] held, found;
  logic [LANES*WIDTH-1:0] rest;
  logic [2*LANES*WIDTH-1:0] both;
  always_comb begin
    both = {{(LANES*WIDTH){1'b0}}, rest};
    found = held;
    for (int lane = 0; lane < LANES; lane++)
      if (keep[lane] & valid & ~flush) begin
        both[32'(found)*WIDTH +: WIDTH] = data[lane*WIDTH +: WIDTH];
        found = found + 1'b1;
      end
  end
  assign put = flush ? held != 0 : valid & 32'(found) >= LANES;
  assign put_data = both[LANES*WIDTH-1:0];
  always_ff @(posedge clk)
    if (clear | move & flush) begin
      held <= '0;
      rest <= '0;
    end else if (move & valid) begin
      held <= put ? COUNT'(32'(found) - LANES) : found;
      rest <= put ? both[2*LANES*WIDTH-1:LANES*WIDTH] : both[LANES*WIDTH-1:0];
    end
endmodule
