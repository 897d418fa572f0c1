// Which of a port's channels, the LINES, each of its bursts goes to, one after the other.
//
// ROUTE 0: in turn. 1: a contiguous range of the bursts to each, burst i to floor(i * LINES / BURSTS).
// 2: scattered by a hash of the burst's number.
module twin_route #(
  parameter int LINES = 1,
  parameter int BURSTS = 1,
  parameter int ROUTE = 0
) (
  input  logic        clk,
  input  logic        step,
  input  logic [31:0] burst,
  output logic [31:0] to
);
  generate
    if (ROUTE == 2) begin : scattered
      logic [31:0] once, twice;
      assign once = (burst ^ burst >> 16) * 32'h45d9f3b;
      assign twice = (once ^ once >> 16) * 32'h45d9f3b;
      assign to = (twice ^ twice >> 16) % LINES;
    end else if (ROUTE == 1) begin : ranges
      // What is left of i * LINES over the bursts of full ranges.
      logic [31:0] left = 0;
      logic [31:0] reach;
      logic        carries;
      initial to = 0;
      assign reach = left + LINES % BURSTS;
      assign carries = reach >= BURSTS;
      always @(posedge clk) if (step) begin
        left <= carries ? reach - BURSTS : reach;
        to <= to + LINES / BURSTS + carries;
      end
    end else begin : turns
      initial to = 0;
      always @(posedge clk) if (step) to <= to == LINES - 1 ? 0 : to + 1;
    end
  endgenerate
endmodule
