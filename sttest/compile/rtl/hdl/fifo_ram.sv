// A FIFO of a memory and an output register: what is written in one cycle is fetched in the next and can be read in
// the one after.  The register is part of the depth.
module fifo_ram #(
  parameter int WIDTH = 32,
  parameter int DEPTH = 64,
  parameter     STYLE = "block"
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
  localparam int PLACE = DEPTH > 1 ? $clog2(DEPTH) : 1;
  (* ram_style = STYLE *) logic [WIDTH-1:0] memory [DEPTH];
  logic [PLACE-1:0] head, tail;
  logic [BITS-1:0] count, stored, next_count, next_stored;
  logic fetch, any;
  assign fetch = any & (~avail | take);
  assign next_count = count + BITS'(put) - BITS'(take);
  assign next_stored = stored + BITS'(put) - BITS'(fetch);

  always_ff @(posedge clk) begin
    if (put) memory[tail] <= put_data;
    if (fetch) take_data <= memory[head];
  end

  always_ff @(posedge clk)
    if (reset) begin
      head <= '0;
      tail <= '0;
      count <= '0;
      stored <= '0;
      any <= 1'b0;
      space <= 1'b1;
      avail <= 1'b0;
    end else begin
      if (put) tail <= tail == PLACE'(DEPTH - 1) ? '0 : tail + 1'b1;
      if (fetch) head <= head == PLACE'(DEPTH - 1) ? '0 : head + 1'b1;
      count <= next_count;
      stored <= next_stored;
      any <= next_stored != '0;
      space <= next_count != BITS'(DEPTH);
      avail <= fetch | (avail & ~take);
    end
endmodule
