// Cells of UltraScale+ that synthesis does not infer: their ports for yosys, their behaviour for simulators
// (after AMD UG974).
`ifdef YOSYS
`define CELL (* blackbox *)
`else
`define CELL
`endif

`CELL module SRL16E (
  output Q,
  input CLK, CE, D, A0, A1, A2, A3
);
`ifndef YOSYS
  logic [15:0] line = '0;
  assign Q = line[{A3, A2, A1, A0}];
  always_ff @(posedge CLK) if (CE) line <= {line[14:0], D};
`endif
endmodule

`CELL module SRLC32E (
  output Q, Q31,
  input CLK, CE, D,
  input [4:0] A
);
`ifndef YOSYS
  logic [31:0] line = '0;
  assign Q = line[A];
  assign Q31 = line[31];
  always_ff @(posedge CLK) if (CE) line <= {line[30:0], D};
`endif
endmodule
