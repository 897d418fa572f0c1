// The control registers of a kernel (protocol ap_ctrl_hs): start, done, idle, interrupt, addresses of arguments.
//
// 0x00 control, 0x04 global interrupt enable, 0x08 interrupt enable, 0x0c interrupt status; argument n is 64 bits
// wide at 0x10 + 12 n.
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
  logic [31:0] mask, control;
  assign writes = awvalid & wvalid & ~bvalid;
  assign awready = writes;
  assign wready = writes;
  assign reads = arvalid & ~rvalid;
  assign arready = reads;
  assign mask = {{8{wstrb[3]}}, {8{wstrb[2]}}, {8{wstrb[1]}}, {8{wstrb[0]}}};
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

  for (genvar n = 0; n < ARGUMENTS; n++) begin : words
    always_ff @(posedge clk) begin
      if (writes & awaddr == ADDRESS'(16 + 12 * n)) arguments[n][31:0] <= (arguments[n][31:0] & ~mask) | (wdata & mask);
      if (writes & awaddr == ADDRESS'(20 + 12 * n))
        arguments[n][63:32] <= (arguments[n][63:32] & ~mask) | (wdata & mask);
    end
  end
  always_ff @(posedge clk)
    if (reads) begin
      rdata <= 0;
      if (araddr == 0) rdata <= control;
      if (araddr == 4) rdata <= {31'd0, global_enable};
      if (araddr == 8) rdata <= {31'd0, enable};
      if (araddr == 12) rdata <= {31'd0, status};
      for (int n = 0; n < ARGUMENTS; n++) begin
        if (araddr == ADDRESS'(16 + 12 * n)) rdata <= arguments[n][31:0];
        if (araddr == ADDRESS'(20 + 12 * n)) rdata <= arguments[n][63:32];
      end
    end
endmodule
