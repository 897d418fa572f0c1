// A FIFO with an actor on one side or both. An actor claims space and takes tokens at the start of a firing, and
// puts tokens and frees space at its end; several clock edges may belong to one cycle, the last has `tick`.
//
// RAW and WAR are 0 between actors: tokens and space pass within the cycle. Towards other processes they are
// those of the FIFO's kind, counted in ticks.
module twin_actor_fifo #(
  parameter int DEPTH = 2,
  parameter int INITIAL = 0,
  parameter int RAW = 0,
  parameter int WAR = 0
) (
  input  logic        clk,
  input  logic        tick,
  input  logic [31:0] id,
  input  logic [63:0] now,
  input  logic [31:0] claim,
  input  logic [31:0] put,
  input  logic [31:0] take,
  input  logic [31:0] free,
  output logic [31:0] space,
  output logic [31:0] avail
);
  logic [31:0] store [0:DEPTH-1];  // only touched by the one block below
  logic [31:0] claimed = INITIAL;
  logic [31:0] entered = INITIAL;
  logic [31:0] entered_1 = INITIAL;  // as of the last tick, and of the one before
  logic [31:0] entered_2 = INITIAL;
  logic [31:0] taken = 0;
  logic [31:0] freed = 0;
  logic [31:0] freed_1 = 0;
  int place;

  assign space = DEPTH - (claimed - (WAR == 0 ? freed : freed_1));
  assign avail = (RAW == 0 ? entered : RAW == 1 ? entered_1 : entered_2) - taken;

  initial for (place = 0; place < INITIAL; place = place + 1) store[place] = place;

  always @(posedge clk) begin
    for (place = 0; place < take; place = place + 1)
      if (store[(taken + place) % DEPTH] !== taken + place)
        `TWIN_WRONG(id, store[(taken + place) % DEPTH], taken + place, now);
    for (place = 0; place < put; place = place + 1) store[(entered + place) % DEPTH] = entered + place;
    if (free != 0) `TWIN_ACCESS(2 * id, free, now);
    if (put != 0) `TWIN_ACCESS(2 * id + 1, put, now);
    claimed <= claimed + claim;
    entered <= entered + put;
    taken <= taken + take;
    freed <= freed + free;
    if (tick) begin
      entered_1 <= entered + put;
      entered_2 <= entered_1;
      freed_1 <= freed + free;
    end
  end
endmodule
