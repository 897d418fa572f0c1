// A FIFO of two tokens in flip-flops: a register at an SLR boundary, with ready and valid.
//
// Ports as those of fifo_srl, and the same times.  What leaves comes from a flip-flop, data and flags.
module fifo_relay #(
  parameter int WIDTH = 32
) (
  input  logic             clk,
  input  logic             reset,
  input  logic             put,
  input  logic [WIDTH-1:0] put_data,
  output logic             space,
  input  logic             take,
  output logic [WIDTH-1:0] take_data,
  output logic             avail
);
  (* shreg_extract = "no" *) logic [WIDTH-1:0] second;

  always_ff @(posedge clk) begin
    if (put & (~avail | take)) take_data <= put_data;
    else if (take) take_data <= second;
    if (put) second <= put_data;
  end

  always_ff @(posedge clk)
    if (reset) begin
      space <= 1'b1;
      avail <= 1'b0;
    end else if (put & ~take) begin
      space <= ~avail;
      avail <= 1'b1;
    end else if (take & ~put) begin
      space <= 1'b1;
      avail <= ~space;
    end
endmodule
