// A port that fills a FIFO from memory: asks for bursts ahead, at most WINDOW in flight or not yet drained, and writes
// a token per cycle once all its bytes are there, under the FIFO law, in order. Beats come on two ways per channel.
module twin_read_port #(
  parameter longint START = 0,
  parameter int TOKENS = 1,
  parameter int TOKEN_BYTES = 64,
  parameter int BURST_BYTES = 64,
  parameter int BURSTS = 1,
  parameter longint WINDOW = 16,
  parameter int SLOTS = 1,   // places for bursts: WINDOW, or fewer where there are fewer bursts
  parameter int SPAN = 1,    // bursts that one token may touch
  parameter int WAYS = 2
) (
  input  logic               clk,
  input  logic               tick,
  input  logic [63:0]        now,
  input  logic [31:0]        id,
  input  logic [31:0]        op,
  input  logic               report,
  input  logic [31:0]        ready,
  output logic [31:0]        n,
  input  logic [31:0]        asked,    // bursts so far
  output logic               may,      // whether it wants to ask for the next
  input  logic               asking,   // whether something moves where it does
  output logic [31:0]        complete,
  input  logic [WAYS-1:0]    there,
  input  logic [WAYS*32-1:0] there_burst,
  input  logic [WAYS*32-1:0] there_slot,
  input  logic [WAYS*32-1:0] there_bytes,
  output logic               done,
  output logic               moving
);
  initial done = 0;

  // The next token: it begins `offset` bytes into burst `first`, which lies in place `first_slot`.
  logic [31:0] written = 0;
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

  // What has come, per place: the number of the burst and its bytes so far.
  logic [31:0] come_burst [0:SLOTS-1];
  logic [31:0] come_bytes [0:SLOTS-1];
  logic        arrived;
  logic [31:0] need, slot;
  int          touched;
  initial for (touched = 0; touched < SLOTS; touched = touched + 1) come_burst[touched] = 32'hffffffff;
  always_comb begin
    arrived = 1;
    for (touched = 0; touched < SPAN; touched = touched + 1) begin
      slot = first_slot + touched >= SLOTS ? first_slot + touched - SLOTS : first_slot + touched;
      need = touched < last_touched || next_offset == 0 ? BURST_BYTES : next_offset;
      if (touched <= last_touched && (come_burst[slot] != first + touched || come_bytes[slot] < need)) arrived = 0;
    end
  end

  assign may = now >= START && asked != BURSTS && {32'd0, asked - first} < WINDOW;
  assign complete = 32'hffffffff;  // a burst that is read waits for no data of the port
  assign n = {31'd0, tick && written != TOKENS && arrived && ready != 0};
  assign moving = !done && (now < START || asking || n != 0 || written == TOKENS);

  genvar way;
  generate
    for (way = 0; way < WAYS; way = way + 1) begin : ways
      always @(posedge clk) if (tick && there[way]) begin
        come_burst[there_slot[way * 32 +: 32]] <= there_burst[way * 32 +: 32];
        come_bytes[there_slot[way * 32 +: 32]] <= there_bytes[way * 32 +: 32];
      end
    end
  endgenerate

  always @(posedge clk) if (tick) begin
    if (n != 0) begin
      written <= written + 1;
      offset <= next_offset;
      first <= first + bursts_on;
      first_slot <= slot_on >= SLOTS ? slot_on - SLOTS : slot_on;
    end
    if (written == TOKENS && !done) begin
      done <= 1;
      `TWIN_FINISH(id, now);
    end
    if (report && !done) `TWIN_BLOCKED(id, op, 1, ready);
  end
endmodule
