// A lane of the decoder of entropy-coded bfloat16 weights: bits in parts of words come in, groups of SYMBOLS weights
// leave, one per cycle as long as their bits are there.
//
// A cycle decodes from the bits held before it, and takes a part of a word beside that if these were fewer than REFILL.
// What it decoded leaves in the next cycle.  It stops as a whole: a part that has not come holds back the group before.
// A weight is its exponent's codeword, its sign and its mantissa.  Codewords are canonical: LIMITS has, by length, what
// the next LONGEST bits are less than if the codeword is no longer; OFFSETS what leads from a codeword to its place in
// TABLE, 16 bits apart.  Symbol 256 in front of a group is fill, GROUP_BITS long, without a weight.
module entropy_lane #(
  parameter int PART = 32,
  parameter int SYMBOLS = 1,
  parameter int LONGEST = 12,
  parameter int ENTRIES = 2,
  parameter logic [LONGEST*(LONGEST+1)-1:0] LIMITS = '0,
  parameter logic [LONGEST*16-1:0] OFFSETS = '0,
  parameter logic [ENTRIES*16-1:0] TABLE = '0,
  localparam int GROUP_BITS = SYMBOLS * (LONGEST + 8),
  localparam int REFILL = 2 * GROUP_BITS,
  localparam int HELD = REFILL - 1 + PART,
  localparam int COUNT = $clog2(HELD + 1)
) (
  input  logic                  clk,
  input  logic                  reset,
  input  logic [31:0]           groups,  // to decode, and parts of words to take: while reset is on
  input  logic [31:0]           parts,
  output logic                  ended,
  input  logic                  part_avail,
  output logic                  part_take,
  input  logic [PART-1:0]       part_data,
  input  logic                  group_space,
  output logic                  group_put,
  output logic [16*SYMBOLS-1:0] group_data
);
  logic [HELD-1:0] text;  // the oldest bit is the highest; zeros behind what is held
  logic [COUNT-1:0] held;
  logic [31:0] groups_left, parts_left;
  logic waiting;  // whether a group is decoded and has not left

  // Decode.
  logic is_fill;
  logic [COUNT-1:0] used;
  logic [16*SYMBOLS-1:0] weights;
  always_comb begin
    logic [GROUP_BITS-1:0] rest;
    logic [LONGEST-1:0] window;
    logic [$clog2(LONGEST+1)-1:0] length;
    logic [8:0] place, symbol;
    rest = text[HELD-1 -: GROUP_BITS];
    used = '0;
    is_fill = 1'b0;
    weights = '0;
    for (int n = 0; n < SYMBOLS; n++) begin
      window = rest[GROUP_BITS-1 -: LONGEST];
      length = 1;
      for (int bits = 1; bits < LONGEST; bits++)
        if ({1'b0, window} >= LIMITS[(bits-1)*(LONGEST+1) +: LONGEST+1]) length = ($clog2(LONGEST+1))'(bits + 1);
      place = 9'(window >> (LONGEST - 32'(length))) + OFFSETS[(32'(length)-1)*16 +: 9];
      symbol = 32'(place) < ENTRIES ? TABLE[32'(place)*16 +: 9] : 9'd0;
      if (n == 0) is_fill = symbol[8];
      rest = rest << length;
      weights[16*n +: 16] = {rest[GROUP_BITS-1], symbol[7:0], rest[GROUP_BITS-2 -: 7]};
      rest = rest << 8;
      used += COUNT'(length) + COUNT'(8);
    end
    if (is_fill) used = COUNT'(GROUP_BITS);
  end

  // Control.
  logic unfinished, ready, take, moves;
  assign unfinished = groups_left != 0;
  assign ready = unfinished & used <= held;
  assign take = parts_left != 0 & (32'(held) < REFILL | ~unfinished);
  assign moves = (~take | part_avail) & (~waiting | group_space) & ~reset;
  assign part_take = moves & take;
  assign group_put = moves & waiting;
  assign ended = ~unfinished & parts_left == 0 & ~waiting;

  logic [COUNT-1:0] kept;
  logic [HELD-1:0] shifted;
  assign kept = ready ? held - used : held;
  assign shifted = ready ? text << used : text;
  always_ff @(posedge clk)
    if (reset) begin
      text <= '0;
      held <= '0;
      groups_left <= groups;
      parts_left <= parts;
      waiting <= 1'b0;
    end else if (moves) begin
      text <= ~unfinished ? '0 : take ? shifted | ({part_data, {(HELD-PART){1'b0}}} >> kept) : shifted;
      held <= ~unfinished ? '0 : take ? kept + COUNT'(PART) : kept;
      if (take) parts_left <= parts_left - 1;
      if (ready & ~is_fill) groups_left <= groups_left - 1;
      waiting <= ready & ~is_fill;
    end
  always_ff @(posedge clk) if (moves & ready) group_data <= weights;
endmodule
