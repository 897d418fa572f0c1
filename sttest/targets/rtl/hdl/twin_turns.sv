// Whose turn it is on a channel. Where ports that read and ports that write both wait, the direction served last goes
// on for its number of bursts in a row, others waiting or not. Within a direction, the next port after the last one.
module twin_turns #(
  parameter int PORTS = 1,
  parameter bit [PORTS-1:0] WRITES = 0,
  parameter int READ_TURNS = 1,
  parameter int WRITE_TURNS = 1
) (
  input  logic             clk,
  input  logic             tick,
  input  logic [PORTS-1:0] wants,
  input  logic             takes,
  output logic [31:0]      pick
);
  logic        writes = 0;
  logic [31:0] row = 0;  // bursts in a row in that direction
  logic [31:0] served_read = PORTS - 1;
  logic [31:0] served_write = PORTS - 1;

  logic [PORTS-1:0] reading, writing, among;
  logic [31:0]      served;
  logic             goes_on, to_writes;
  int               port;
  assign reading = wants & ~WRITES;
  assign writing = wants & WRITES;
  assign goes_on = row < (writes ? WRITE_TURNS : READ_TURNS);
  assign to_writes = reading == 0 || (writing != 0 && writes == goes_on);
  assign among = to_writes ? writing : reading;
  assign served = to_writes ? served_write : served_read;

  always_comb begin
    pick = 0;
    for (port = PORTS - 1; port >= 0; port = port - 1) if (among[port]) pick = port;
    for (port = PORTS - 1; port >= 0; port = port - 1) if (among[port] && port > served) pick = port;
  end

  always @(posedge clk) if (tick && takes) begin
    writes <= to_writes;
    row <= writes != to_writes ? 1 : row[31] ? row : row + 1;
    if (to_writes) served_write <= pick;
    else served_read <= pick;
  end
endmodule
