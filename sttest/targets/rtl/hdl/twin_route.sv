// Which place in a port's list of channels each of its bursts goes to, one after the other.
//
// ROUTE 0: in turn. 1: a contiguous range of the bursts to each, burst i to floor(i * POSITIONS / BURSTS).
// 2: scattered by a hash of the burst's number.
module twin_route #(
  parameter int POSITIONS = 1,
  parameter int BURSTS = 1,
  parameter int ROUTE = 0
) (
  input  logic        clk,
  input  logic        step,
  input  logic [31:0] burst,
  output logic [31:0] position
);
  generate
    if (ROUTE == 2) begin : scattered
      logic [31:0] once, twice;
      assign once = (burst ^ burst >> 16) * 32'h45d9f3b;
      assign twice = (once ^ once >> 16) * 32'h45d9f3b;
      assign position = (twice ^ twice >> 16) % POSITIONS;
    end else if (ROUTE == 1) begin : ranges
      // What is left of i * POSITIONS over the bursts of full ranges.
      logic [31:0] left = 0;
      logic [31:0] reach;
      logic        carries;
      initial position = 0;
      assign reach = left + POSITIONS % BURSTS;
      assign carries = reach >= BURSTS;
      always @(posedge clk) if (step) begin
        left <= carries ? reach - BURSTS : reach;
        position <= position + POSITIONS / BURSTS + carries;
      end
    end else begin : turns
      initial position = 0;
      always @(posedge clk) if (step) position <= position == POSITIONS - 1 ? 0 : position + 1;
    end
  endgenerate
endmodule
