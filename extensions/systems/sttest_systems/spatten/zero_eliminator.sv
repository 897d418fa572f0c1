// Packs what is kept of rows into full rows, in order: a row leaves in the cycle in which its last place is filled.
//
// What is kept moves over the places before it that are not, by powers of two, the lowest first, so that no two meet;
// then over what is held, behind which it is put.  With `flush` the rest leaves, zeros behind it, and nothing of the
// row at the input is taken.  `put` does not depend on `move`: what it waits for can hold back the move.
module zero_eliminator #(
  parameter int LANES = 16,
  parameter int WIDTH = 16,
  localparam int SHIFTS = $clog2(LANES),
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
  logic [COUNT-1:0] held, found, count;
  logic [LANES*WIDTH-1:0] rest, moved;
  logic [LANES-1:0] kept;
  logic [LANES*COUNT-1:0] counts, zeros;  // places up to each that are kept, and before each that are not
  logic [2*LANES*WIDTH-1:0] both;
  always_comb begin
    kept = keep & {LANES{valid & ~flush}};
    for (int lane = 0; lane < LANES; lane++) counts[lane*COUNT +: COUNT] = COUNT'(kept[lane]);
    for (int by = 1; by < LANES; by += by)
      for (int lane = LANES - 1; lane >= by; lane--)
        counts[lane*COUNT +: COUNT] = counts[lane*COUNT +: COUNT] + counts[(lane-by)*COUNT +: COUNT];
    for (int lane = 0; lane < LANES; lane++)
      zeros[lane*COUNT +: COUNT] = COUNT'(lane) + COUNT'(kept[lane]) - counts[lane*COUNT +: COUNT];
    count = counts[(LANES-1)*COUNT +: COUNT];
    moved = data;
    for (int shift = 0; shift < SHIFTS; shift++)
      for (int lane = 0; lane < LANES; lane++) begin
        if (zeros[lane*COUNT+shift]) kept[lane] = 1'b0;
        if (lane + (1 << shift) < LANES)
          if (kept[lane+(1<<shift)] & zeros[(lane+(1<<shift))*COUNT+shift]) begin
            kept[lane] = 1'b1;
            moved[lane*WIDTH +: WIDTH] = moved[(lane+(1<<shift))*WIDTH +: WIDTH];
            zeros[lane*COUNT +: COUNT] = zeros[(lane+(1<<shift))*COUNT +: COUNT];
          end
      end
    both = '0;
    for (int lane = 0; lane < LANES; lane++) both[lane*WIDTH +: WIDTH] = moved[lane*WIDTH +: WIDTH] & {WIDTH{kept[lane]}};
    for (int shift = 0; shift < COUNT; shift++) if (held[shift]) both = both << (WIDTH << shift);
    both = both | {{(LANES*WIDTH){1'b0}}, rest};
    found = held + count;
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
