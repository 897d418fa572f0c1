// A FIFO in simulation: what goes through is logged and held against what is expected.
module checked_fifo #(
  parameter int WIDTH = 32,
  parameter int DEPTH = 2,
  parameter bit RAM = 0,
  parameter int ID = 0,
  parameter int TOKENS = 1,
  parameter bit CHECKED = 1,  // whether it carries data that are known
  parameter bit KEPT = 0      // whether what leaves is written to a file
) (
  input  logic             clk,
  input  logic             reset,
  input  longint           now,
  input  logic             put,
  input  logic [WIDTH-1:0] put_data,
  output logic             space,
  input  logic             take,
  output logic [WIDTH-1:0] take_data,
  output logic             avail
);
  localparam int BYTES = (WIDTH + 7) / 8;
  localparam int WORDS = (WIDTH + 63) / 64;
  logic [8*BYTES-1:0] expected [TOKENS];
  int written = 0;
  logic differs = 0;  // the first token with another value than was expected is told
  if (RAM) begin : ram
    fifo_ram #(.WIDTH(WIDTH), .DEPTH(DEPTH)) fifo (.*);
  end else begin : srl
    fifo_model #(.WIDTH(WIDTH), .DEPTH(DEPTH)) fifo (.*);
  end
  // Simulators print numbers up to some width.
  task automatic tell(input logic [64*WORDS-1:0] bits);
    for (int k = WORDS - 1; k >= 0; --k) $write("%h", bits[64*k +: 64]);
  endtask
  int file, kept;
  initial begin
    file = $fopen($sformatf("expected/%0d.bin", ID), "rb");
    if (file != 0) begin
      void'($fread(expected, file));
      $fclose(file);
    end
    if (KEPT) kept = $fopen($sformatf("kept/%0d.hex", ID), "w");
  end
  if (KEPT) begin : keep
    always_ff @(posedge clk) if (take) $fwrite(kept, "%h\n", take_data);
    final $fclose(kept);
  end
  always_ff @(posedge clk) begin
    if (put) begin
      `TWIN_ACCESS(2 * ID + 1, 1, now);
      if (CHECKED && !differs && put_data !== expected[written][WIDTH-1:0]) begin
        differs <= 1;
        $write("value %0d %0d %0d ", ID, written, now);
        tell((64*WORDS)'(put_data));
        $write(" ");
        tell((64*WORDS)'(expected[written][WIDTH-1:0]));
        $write("\n");
      end
      written <= written + 1;
    end
    if (take) `TWIN_ACCESS(2 * ID, 1, now);
  end
endmodule

// Tokens that say no more than that they are there.
module credits #(
  parameter int DEPTH = 2,
  parameter int INITIAL = 0,
  parameter int ID = 0
) (
  input  logic   clk,
  input  logic   reset,
  input  longint now,
  input  logic   put,
  output logic   space,
  input  logic   take,
  output logic   avail
);
  int count = INITIAL;
  assign space = count != DEPTH;
  assign avail = count != 0;
  always_ff @(posedge clk) begin
    count <= reset ? INITIAL : count + int'(put) - int'(take);
    if (put) `TWIN_ACCESS(2 * ID + 1, 1, now);
    if (take) `TWIN_ACCESS(2 * ID, 1, now);
  end
endmodule

// What fifo_srl does, with one memory in the place of a shift register per bit.
module fifo_model #(
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
  logic [WIDTH-1:0] memory [DEPTH];
  int head = 0, tail = 0, count = 0;
  assign space = count != DEPTH;
  assign avail = count != 0;
  assign take_data = memory[head];
  always_ff @(posedge clk) begin
    if (put) memory[tail] <= put_data;
    if (put) tail <= tail == DEPTH - 1 ? 0 : tail + 1;
    if (take) head <= head == DEPTH - 1 ? 0 : head + 1;
    count <= reset ? 0 : count + int'(put) - int'(take);
  end
endmodule

// What a memory port reads, in the order of its stream.
module memory_image #(
  parameter int WIDTH = 32,
  parameter int TOKENS = 1,
  parameter int ID = 0
) (
  input  logic             clk,
  input  logic             next,
  output logic [WIDTH-1:0] data
);
  localparam int BYTES = (WIDTH + 7) / 8;
  logic [8*BYTES-1:0] image [TOKENS];
  int file, place = 0;
  assign data = image[place][WIDTH-1:0];
  initial begin
    file = $fopen($sformatf("expected/%0d.bin", ID), "rb");
    void'($fread(image, file));
    $fclose(file);
  end
  always_ff @(posedge clk) if (next) place <= place == TOKENS - 1 ? 0 : place + 1;
endmodule
