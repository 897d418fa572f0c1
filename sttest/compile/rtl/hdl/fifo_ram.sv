// A FIFO of a memory and an output register: what is written in one cycle is fetched in the next and can be read in
// the one after.  The register is part of the depth, so that the memory needs a word less.
//
// Ports as those of fifo_srl.  A memory of few words is rounded up to a power of two, which costs no cell and
// spares the pointers a comparison.
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
  localparam int NEEDED = DEPTH > 2 ? DEPTH - 1 : 2;
  localparam int PLACE = $clog2(NEEDED);
  localparam int FREE = STYLE == "ultra" ? 4096 : STYLE == "block" ? 512 : 128;
  localparam int WORDS = 2 ** PLACE <= FREE ? 2 ** PLACE : NEEDED;
  (* ram_style = STYLE, no_rw_check *) logic [WIDTH-1:0] words [WORDS];
  logic [PLACE-1:0] head, tail;
  logic [BITS-1:0] stored;  // words in the memory
  logic fetch, any;
  assign fetch = any & (~avail | take);

  always_ff @(posedge clk) begin
    if (put) words[tail] <= put_data;
    if (fetch) take_data <= words[head];
  end

  always_ff @(posedge clk)
    if (reset) begin
      head <= '0;
      tail <= '0;
      stored <= '0;
      any <= 1'b0;
      space <= 1'b1;
      avail <= 1'b0;
    end else begin
      if (put) tail <= WORDS != 2 ** PLACE && tail == PLACE'(WORDS - 1) ? '0 : tail + 1'b1;
      if (fetch) head <= WORDS != 2 ** PLACE && head == PLACE'(WORDS - 1) ? '0 : head + 1'b1;
      avail <= fetch | (avail & ~take);
      if (put & ~fetch) begin
        stored <= stored + 1'b1;
        any <= 1'b1;
      end else if (fetch & ~put) begin
        stored <= stored - 1'b1;
        any <= stored != BITS'(1);
      end
      if (put & ~take) space <= stored != (avail ? BITS'(DEPTH - 2) : BITS'(DEPTH - 1));
      else if (take & ~put) space <= 1'b1;
    end
endmodule
