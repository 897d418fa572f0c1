// Cells of UltraScale+ that synthesis does not infer: their ports for yosys, their behavior for simulators
// (after AMD UG974).
`ifdef YOSYS
`define CELL (* blackbox *)
`else
`define CELL
`endif

`CELL module SRL16E #(parameter logic [15:0] INIT = 0, parameter logic IS_CLK_INVERTED = 0) (
  output Q,
  input CLK, CE, D, A0, A1, A2, A3
);
`ifndef YOSYS
  logic [15:0] line = INIT;
  assign Q = line[{A3, A2, A1, A0}];
  always_ff @(posedge CLK) if (CE) line <= {line[14:0], D};
`endif
endmodule

`CELL module SRLC32E #(parameter logic [31:0] INIT = 0, parameter logic IS_CLK_INVERTED = 0) (
  output Q, Q31,
  input CLK, CE, D,
  input [4:0] A
);
`ifndef YOSYS
  logic [31:0] line = INIT;
  assign Q = line[A];
  assign Q31 = line[31];
  always_ff @(posedge CLK) if (CE) line <= {line[30:0], D};
`endif
endmodule

// Of the many things that a DSP does: A * B or (A + D) * B, plus a constant, plus what comes down the cascade, with
// registers where they are asked for.
`CELL module DSP48E2 #(
  parameter AMULTSEL = "A", BMULTSEL = "B", A_INPUT = "DIRECT", B_INPUT = "DIRECT", USE_MULT = "MULTIPLY",
  USE_SIMD = "ONE48",
  parameter int ACASCREG = 1, AREG = 1, BCASCREG = 1, BREG = 1, DREG = 1, ADREG = 1, CREG = 1, MREG = 1, PREG = 1,
  OPMODEREG = 1, ALUMODEREG = 1, INMODEREG = 1, CARRYINREG = 1, CARRYINSELREG = 1,
  parameter logic [47:0] RND = 0
) (
  input CLK,
  input [29:0] A, ACIN, input [17:0] B, BCIN, input [47:0] C, input [26:0] D, input [47:0] PCIN,
  output [47:0] P, PCOUT,
  input [3:0] ALUMODE, input [4:0] INMODE, input [8:0] OPMODE,
  input CARRYIN, CARRYCASCIN, MULTSIGNIN, input [2:0] CARRYINSEL,
  input CEA1, CEA2, CEB1, CEB2, CEC, CED, CEAD, CEM, CEP, CEALUMODE, CECTRL, CEINMODE, CECARRYIN,
  input RSTA, RSTB, RSTC, RSTD, RSTM, RSTP, RSTCTRL, RSTALLCARRYIN, RSTALUMODE, RSTINMODE
);
`ifndef YOSYS
  logic signed [26:0] a1 = '0, a2 = '0, d1 = '0, ad1 = '0;
  logic signed [17:0] b1 = '0, b2 = '0;
  logic signed [44:0] m1 = '0;
  logic [47:0] p1 = '0;
  wire signed [26:0] a = AREG == 0 ? A[26:0] : a2, d = DREG == 0 ? D : d1, ad = ADREG == 0 ? a + d : ad1;
  wire signed [26:0] factor = AMULTSEL == "AD" ? ad : a;
  wire signed [17:0] b = BREG == 0 ? B : b2;
  wire signed [44:0] m = MREG == 0 ? factor * b : m1;
  wire [47:0] w = OPMODE[8:7] == 2'b10 ? RND : 48'd0, z = OPMODE[6:4] == 3'b001 ? PCIN : 48'd0;
  wire [47:0] p = w + z + 48'(m);
  always_ff @(posedge CLK) begin
    if (CEA1) a1 <= A[26:0];
    if (CEA2) a2 <= AREG == 2 ? a1 : A[26:0];
    if (CED) d1 <= D;
    if (CEAD) ad1 <= a + d;
    if (CEB1) b1 <= B;
    if (CEB2) b2 <= BREG == 2 ? b1 : B;
    if (CEM) m1 <= factor * b;
    if (CEP) p1 <= p;
  end
  assign P = PREG == 0 ? p : p1;
  assign PCOUT = P;
  wire has_model = OPMODE[3:0] == 4'b0101 & !(OPMODE[7] | OPMODE[5]) & ALUMODE == 0
                 & INMODE == (AMULTSEL == "AD" ? 5'b00100 : 5'b00000) & !CARRYIN;
  always_ff @(posedge CLK) if (!has_model) $error("a mode of a DSP without a model");
`endif
endmodule
