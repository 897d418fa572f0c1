// A port that empties a FIFO into memory: takes a token per cycle while it has a place for all the bursts that the
// token touches, and GAP cycles later for each burst that the token before completed. It asks for a burst once its last
// byte is taken, or, if EARLY, its first one. A place is free in the cycle after the response. Done with the last one.
module twin_write_port #(
  parameter longint START = 0,
  parameter int TOKENS = 1,
  parameter int TOKEN_BYTES = 64,
  parameter int BURST_BYTES = 64,
  parameter int BURSTS = 1,
  parameter longint WINDOW = 16,
  parameter int SLOTS = 1,
  parameter int SPAN = 1,
  parameter longint GAP = 0,
  parameter bit EARLY = 0,
  parameter int LINES = 1    // different channels
) (
  input  logic                clk,
  input  logic                tick,
  input  logic [63:0]         now,
  input  logic [31:0]         id,
  input  logic [31:0]         op,
  input  logic                report,
  input  logic [31:0]         ready,
  output logic [31:0]         n,
  input  logic [31:0]         asked,     // bursts so far
  output logic                may,       // whether it wants to ask for the next
  input  logic                asking,    // whether something moves where it does
  output logic [31:0]         complete,  // bursts whose last byte is taken, this cycle's token included
  input  logic [LINES-1:0]    answer,
  input  logic [LINES*32-1:0] answer_burst,
  input  logic [LINES*32-1:0] answer_slot,
  output logic                done,
  output logic                moving
);
  initial done = 0;

  // The next token, as in twin_read_port; bursts before `first` are complete.
  logic [31:0] taken = 0;
  logic [31:0] first = 0;
  logic [31:0] first_slot = 0;
  logic [31:0] offset = 0;
  logic [31:0] reach, next_offset, bursts_on, last_touched, slot_on;
  logic        carries;
  assign reach = offset + TOKEN_BYTES % BURST_BYTES;
  assign carries = reach >= BURST_BYTES;
  assign next_offset = carries ? reach - BURST_BYTES : reach;
  assign bursts_on = TOKEN_BYTES / BURST_BYTES + carries;
  assign last_touched = next_offset != 0 ? bursts_on : bursts_on - 1;
  assign slot_on = first_slot + bursts_on;

  // Per place, the last burst whose response has come.
  logic [31:0] answered [0:SLOTS-1];
  logic        has_places;
  logic [31:0] slot;
  int          touched;
  initial for (touched = 0; touched < SLOTS; touched = touched + 1) answered[touched] = 32'hffffffff;
  always_comb begin
    has_places = 1;
    for (touched = 0; touched < SPAN; touched = touched + 1) begin
      slot = first_slot + touched >= SLOTS ? first_slot + touched - SLOTS : first_slot + touched;
      if (touched <= last_touched && {32'd0, first + touched} >= WINDOW && answered[slot] != first + touched - WINDOW)
        has_places = 0;
    end
  end

  logic [63:0] from = START;  // when the next token may be taken
  assign n = {31'd0, tick && now >= from && taken != TOKENS && has_places && ready != 0};
  assign complete = n == 0 ? first : taken == TOKENS - 1 ? BURSTS : first + bursts_on;

  // Bursts whose first byte is taken, as far as EARLY asks for them.
  logic [31:0] begun = 0;
  logic [31:0] begun_now;
  assign begun_now = n == 0 ? begun : first + last_touched + 1;
  assign may = asked < (EARLY ? begun_now : complete);

  logic [LINES-1:0] response = 0;
  logic [31:0]      responses = 0;
  logic [31:0]      responses_now;
  int               number;
  always_comb begin
    responses_now = responses;
    for (number = 0; number < LINES; number = number + 1) responses_now = responses_now + response[number];
  end
  assign moving = !done && ((now < from && taken != TOKENS) || asking || n != 0 || response != 0);

  genvar line;
  generate
    for (line = 0; line < LINES; line = line + 1) begin : lines
      logic [31:0] of_slot, of_burst;
      always @(posedge clk) if (tick) begin
        response[line] <= answer[line];
        of_slot <= answer_slot[line * 32 +: 32];
        of_burst <= answer_burst[line * 32 +: 32];
        if (response[line]) answered[of_slot] <= of_burst;
      end
    end
  endgenerate

  always @(posedge clk) if (tick) begin
    responses <= responses_now;
    if (n != 0) begin
      taken <= taken + 1;
      offset <= next_offset;
      first <= complete;
      first_slot <= slot_on >= SLOTS ? slot_on - SLOTS : slot_on;
      begun <= begun_now;
      from <= now + 1 + GAP * {32'd0, bursts_on};
    end
    if (responses_now == BURSTS && !done) begin
      done <= 1;
      `TWIN_FINISH(id, now);
    end
    if (report && !done) `TWIN_BLOCKED(id, op, 1, ready);
  end
endmodule
