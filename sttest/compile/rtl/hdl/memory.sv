// An addressed memory with a port to write and a port to read; what is read comes a cycle later.
module memory #(
  parameter int WIDTH = 32,
  parameter int DEPTH = 64,
  parameter     STYLE = "block",
  localparam int PLACE = DEPTH > 1 ? $clog2(DEPTH) : 1
) (
  input  logic             clk,
  input  logic             put,
  input  logic [PLACE-1:0] put_place,
  input  logic [WIDTH-1:0] put_data,
  input  logic             take,
  input  logic [PLACE-1:0] take_place,
  output logic [WIDTH-1:0] take_data
);
  (* ram_style = STYLE *) logic [WIDTH-1:0] words [DEPTH];
  always_ff @(posedge clk) begin
    if (put) words[put_place] <= put_data;
    if (take) take_data <= words[take_place];
  end
endmodule
