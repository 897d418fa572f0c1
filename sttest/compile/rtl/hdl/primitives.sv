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

// Of the many things that a DSP does: (A + D) * B in registers, plus a constant, plus what comes down the cascade.
`CELL module DSP48E2 #(
  parameter AMULTSEL = "A", parameter int ACASCREG = 1, AREG = 1, BCASCREG = 1, BREG = 1, DREG = 1, ADREG = 1, CREG = 1,
  MREG = 1, PREG = 1, OPMODEREG = 1, ALUMODEREG = 1, INMODEREG = 1, CARRYINREG = 1, CARRYINSELREG = 1,
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
  logic signed [26:0] a_reg = '0, d_reg = '0, ad_reg = '0;
  logic signed [17:0] b1_reg = '0, b2_reg = '0;
  logic signed [44:0] m_reg = '0;
  logic [47:0] p_reg = '0;
  wire signed [26:0] a_now = AREG ? a_reg : A[26:0];
  wire signed [26:0] d_now = DREG ? d_reg : D;
  wire [47:0] w = OPMODE[8:7] == 2'b10 ? RND : 48'd0;
  wire [47:0] z = OPMODE[6:4] == 3'b001 ? PCIN : 48'd0;
  always_ff @(posedge CLK) begin
    if (CEA2) a_reg <= A[26:0];
    if (CED) d_reg <= D;
    if (CEAD) ad_reg <= a_now + d_now;
    if (CEB1) b1_reg <= B;
    if (CEB2) b2_reg <= BREG == 2 ? b1_reg : B;
    if (CEM) m_reg <= ad_reg * b2_reg;
    if (CEP) p_reg <= w + z + 48'(m_reg);
  end
  assign P = p_reg;
  assign PCOUT = p_reg;
  initial if (AMULTSEL != "AD" || !ADREG || !MREG || !PREG || !BREG) $error("a mode without a model");
`endif
endmodule
