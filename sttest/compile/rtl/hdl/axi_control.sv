// The control registers of a kernel (protocol ap_ctrl_hs): start, done, idle, interrupt, addresses of arguments.
//
// 0x00 control, 0x04 global interrupt enable, 0x08 interrupt enable, 0x0c interrupt status; argument n is 64 bits
// wide at 0x10 + 12 n.  Arguments are written in whole words of 32 bits, as AXI4-Lite allows, and read as 0.
module axi_control #(
  parameter int ARGUMENTS = 1,
  parameter int ADDRESS = 12
) (
  input  logic                       clk,
  input  logic                       reset,
  input  logic                       awvalid,
  output logic                       awready,
  input  logic [ADDRESS-1:0]         awaddr,
  input  logic                       wvalid,
  output logic                       wready,
  input  logic [31:0]                wdata,
  input  logic [3:0]                 wstrb,
  output logic                       bvalid,
  input  logic                       bready,
  input  logic                       arvalid,
  output logic                       arready,
  input  logic [ADDRESS-1:0]         araddr,
  output logic                       rvalid,
  input  logic                       rready,
  output logic [31:0]                rdata,
  output logic                       start,  // for one cycle
  input  logic                       ended,
  output logic                       interrupt,
  output logic [ARGUMENTS-1:0][63:0] arguments
);
  logic writes, reads, running, done, global_enable, enable, status;
  logic [31:0] control;
  assign writes = awvalid & wvalid & ~bvalid;
  assign awready = writes;
  assign wready = writes;
  assign reads = arvalid & ~rvalid;
  assign arready = reads;
  // Bits: start, done, idle, ready.
  assign control = {28'd0, done, ~running, done, running};
  assign start = writes & awaddr == 0 & wdata[0] & wstrb[0] & ~running;
  assign interrupt = global_enable & status;

  always_ff @(posedge clk)
    if (reset) begin
      bvalid <= 1'b0;
      rvalid <= 1'b0;
      running <= 1'b0;
      done <= 1'b0;
      global_enable <= 1'b0;
      enable <= 1'b0;
      status <= 1'b0;
    end else begin
      bvalid <= writes | (bvalid & ~bready);
      rvalid <= reads | (rvalid & ~rready);
      if (writes & awaddr == 4) global_enable <= wdata[0];
      if (writes & awaddr == 8) enable <= wdata[0];
      if (running & ended) status <= status | enable;
      else if (writes & awaddr == 12) status <= status ^ wdata[0];
      if (start) running <= 1'b1;
      else if (running & ended) running <= 1'b0;
      // Reading it clears it.
      if (running & ended) done <= 1'b1;
      else if (start | (reads & araddr == 0)) done <= 1'b0;
    end

  // A word is chosen by both halves of its number, which are compared once for all words.
  localparam int HALF = (ADDRESS - 2) / 2;
  logic [2**HALF-1:0] low;
  logic [2**(ADDRESS-2-HALF)-1:0] high;
  assign low = 1 << awaddr[HALF+1:2];
  assign high = 1 << awaddr[ADDRESS-1:HALF+2];
  for (genvar n = 0; n < ARGUMENTS; n++) begin : words
    for (genvar half = 0; half < 2; half++) begin : halves
      localparam int PLACE = 4 + 3 * n + half;
      logic [31:0] held;
      assign arguments[n][half*32 +: 32] = held;
      always_ff @(posedge clk) if (writes & low[PLACE%2**HALF] & high[PLACE/2**HALF]) held <= wdata;
    end
  end
  always_ff @(posedge clk)
    if (reads) begin
      rdata <= 0;
      if (araddr == 0) rdata <= control;
      if (araddr == 4) rdata <= {31'd0, global_enable};
      if (araddr == 8) rdata <= {31'd0, enable};
      if (araddr == 12) rdata <= {31'd0, status};
    end
endmodule
