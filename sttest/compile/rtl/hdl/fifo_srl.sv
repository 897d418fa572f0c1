// A FIFO of shift registers: what is written in one cycle can be read in the next.
//
// `space` and `avail` are registered, so a place freed in a cycle is seen in the next, and a full FIFO
// takes no write in the cycle in which it is read.  `put` needs `space`, `take` needs `avail`.
// INITIAL tokens of zeros are there after a reset that no `put` preceded: credits.
module fifo_srl #(
  parameter int WIDTH = 32,
  parameter int DEPTH = 2,
  parameter int INITIAL = 0
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
  localparam int LINES = (DEPTH + 31) / 32;
  localparam int CHOICE = LINES > 1 ? $clog2(LINES) : 1;
  logic [BITS-1:0] oldest;  // place of the oldest token, the newest is at 0: all ones where there is none
  logic [CHOICE+4:0] place;
  assign place = (CHOICE + 5)'(oldest);

  always_ff @(posedge clk)
    if (reset) begin
      oldest <= BITS'(INITIAL - 1);
      space <= INITIAL != DEPTH;
      avail <= INITIAL != 0;
    end else if (put & ~take) begin
      oldest <= oldest + 1'b1;
      space <= oldest != BITS'(DEPTH - 2);
      avail <= 1'b1;
    end else if (take & ~put) begin
      oldest <= oldest - 1'b1;
      space <= 1'b1;
      avail <= oldest != '0;
    end

  for (genvar number = 0; number < WIDTH; number++) begin : bits
    if (DEPTH == 1) begin : register
      always_ff @(posedge clk) if (put) take_data[number] <= put_data[number];
    end else if (DEPTH <= 16) begin : short_line
      SRL16E line (
        .CLK(clk), .CE(put), .D(put_data[number]), .Q(take_data[number]),
        .A0(place[0]), .A1(place[1]), .A2(place[2]), .A3(place[3])
      );
    end else begin : long_line
      logic [LINES:0] passed;
      logic [LINES-1:0] shown;
      assign passed[0] = put_data[number];
      for (genvar line_number = 0; line_number < LINES; line_number++) begin : lines
        SRLC32E line (
          .CLK(clk), .CE(put), .D(passed[line_number]), .Q(shown[line_number]), .A(place[4:0]),
          .Q31(passed[line_number+1])
        );
      end
      if (LINES == 1) assign take_data[number] = shown[0];
      else assign take_data[number] = shown[place[CHOICE+4:5]];
    end
  end
endmodule
