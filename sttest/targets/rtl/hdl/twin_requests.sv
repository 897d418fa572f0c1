// A port's queue of bursts to one of its channels: the channel stands at some of the POSITIONS of the port's list,
// and burst i goes to position i mod POSITIONS. HOPS holds, per position, how far on the next of this channel is.
module twin_requests #(
  parameter int FIRST = 0,
  parameter int POSITIONS = 1,
  parameter bit [POSITIONS*32-1:0] HOPS = 1,
  parameter int SLOTS = 1,
  parameter int BURSTS = 1,
  parameter int BURST_BYTES = 64,
  parameter int LAST_BYTES = 64
) (
  input  logic        clk,
  input  logic        tick,
  input  logic [31:0] issued,  // bursts that the port has asked for, this cycle's included
  input  logic        grant,
  output logic        wants,
  output logic [31:0] bytes,
  output logic [31:0] burst,
  output logic [31:0] slot
);
  logic [31:0] position = FIRST;
  logic [31:0] next = FIRST;
  logic [31:0] place = FIRST;
  logic [31:0] hop;
  assign hop = HOPS[position * 32 +: 32];
  assign wants = next < issued;
  assign bytes = next == BURSTS - 1 ? LAST_BYTES : BURST_BYTES;
  assign burst = next;
  assign slot = place;

  always @(posedge clk) if (tick && grant) begin
    next <= next + hop;
    position <= position + hop >= POSITIONS ? position + hop - POSITIONS : position + hop;
    place <= place + hop >= SLOTS ? place + hop - SLOTS : place + hop;
  end
endmodule
