// A FIFO of shift registers: what is written in one cycle can be read in the next.
//
// `space` and `avail` are registered, so a place freed in a cycle is seen in the next, and a full FIFO
// takes no write in the cycle in which it is read.
module fifo_srl #(
  parameter int WIDTH = 32,
  parameter int DEPTH = 2
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
  localparam int BITS = $clog2(DEPTH + 1);
  localparam int ROWS = (DEPTH + 31) / 32;
  logic [BITS-1:0] count;
  logic [BITS-1:0] next;
  logic [5*(ROWS > 1 ? 2 : 1)-1:0] place;  // of the oldest token: the newest is 0
  assign next = count + BITS'(put) - BITS'(take);
  assign place = count - 1'b1;

  always_ff @(posedge clk)
    if (reset) begin
      count <= '0;
      space <= 1'b1;
      avail <= 1'b0;
    end else begin
      count <= next;
      space <= next != BITS'(DEPTH);
      avail <= next != '0;
    end

  for (genvar bit_number = 0; bit_number < WIDTH; bit_number++) begin : bits
    if (DEPTH <= 16) begin : short_line
      SRL16E line (.CLK(clk), .CE(put), .D(put_data[bit_number]), .Q(take_data[bit_number]),
                   .A0(place[0]), .A1(place[1]), .A2(place[2]), .A3(place[3]));
    end else begin : long_line
      logic [ROWS:0] passes;
      logic [ROWS-1:0] out;
      assign passes[0] = put_data[bit_number];
      for (genvar row = 0; row < ROWS; row++) begin : rows
        SRLC32E line (.CLK(clk), .CE(put), .D(passes[row]), .Q(out[row]), .A(place[4:0]), .Q31(passes[row + 1]));
      end
      if (ROWS == 1) assign take_data[bit_number] = out[0];
      else assign take_data[bit_number] = out[place >> 5];
    end
  end
endmodule
