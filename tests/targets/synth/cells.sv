// Cells of UltraScale+ as netlists of FIFOs use them (AMD UG573, UG574, UG974): what they do, without timing.
// Of block memories only the modes in which a FIFO has them: one port to write, one to read, no output registers.
module INV (output O, input I);
  assign O = ~I;
endmodule

module LUT1 #(parameter [1:0] INIT = 0) (output O, input I0);
  assign O = INIT[I0];
endmodule

module LUT2 #(parameter [3:0] INIT = 0) (output O, input I0, I1);
  assign O = INIT[{I1, I0}];
endmodule

module LUT3 #(parameter [7:0] INIT = 0) (output O, input I0, I1, I2);
  assign O = INIT[{I2, I1, I0}];
endmodule

module LUT4 #(parameter [15:0] INIT = 0) (output O, input I0, I1, I2, I3);
  assign O = INIT[{I3, I2, I1, I0}];
endmodule

module LUT5 #(parameter [31:0] INIT = 0) (output O, input I0, I1, I2, I3, I4);
  assign O = INIT[{I4, I3, I2, I1, I0}];
endmodule

module LUT6 #(parameter [63:0] INIT = 0) (output O, input I0, I1, I2, I3, I4, I5);
  assign O = INIT[{I5, I4, I3, I2, I1, I0}];
endmodule

module MUXF7 (output O, input I0, I1, S);
  assign O = S ? I1 : I0;
endmodule

module MUXF8 (output O, input I0, I1, S);
  assign O = S ? I1 : I0;
endmodule

module CARRY4 (output [3:0] CO, O, input CI, CYINIT, input [3:0] DI, S);
  // A wire each: Verilator 5.006 gets some netlists wrong where the carries are one vector.
  wire carry_0, carry_1, carry_2, carry_3;
  assign carry_0 = CI | CYINIT;
  assign carry_1 = S[0] ? carry_0 : DI[0];
  assign carry_2 = S[1] ? carry_1 : DI[1];
  assign carry_3 = S[2] ? carry_2 : DI[2];
  assign O = S ^ {carry_3, carry_2, carry_1, carry_0};
  assign CO = {S[3] ? carry_3 : DI[3], carry_3, carry_2, carry_1};
endmodule

module FDRE #(parameter INIT = 1'b0, IS_C_INVERTED = 1'b0, IS_D_INVERTED = 1'b0, IS_R_INVERTED = 1'b0) (
  output reg Q, input C, CE, D, R
);
  always @(posedge C) if (R ^ IS_R_INVERTED) Q <= 1'b0; else if (CE) Q <= D ^ IS_D_INVERTED;
endmodule

module FDSE #(parameter INIT = 1'b0, IS_C_INVERTED = 1'b0, IS_D_INVERTED = 1'b0, IS_S_INVERTED = 1'b0) (
  output reg Q, input C, CE, D, S
);
  always @(posedge C) if (S ^ IS_S_INVERTED) Q <= 1'b1; else if (CE) Q <= D ^ IS_D_INVERTED;
endmodule

// Seven bits of 64 words that are read, one port of address each; the eighth only writes.
module RAM64M8 #(
  parameter [63:0] INIT_A = 0, INIT_B = 0, INIT_C = 0, INIT_D = 0, INIT_E = 0, INIT_F = 0, INIT_G = 0, INIT_H = 0,
  parameter IS_WCLK_INVERTED = 1'b0
) (
  output DOA, DOB, DOC, DOD, DOE, DOF, DOG, DOH,
  input [5:0] ADDRA, ADDRB, ADDRC, ADDRD, ADDRE, ADDRF, ADDRG, ADDRH,
  input DIA, DIB, DIC, DID, DIE, DIF, DIG, DIH, WCLK, WE
);
  reg [7:0] words [64];
  assign DOA = words[ADDRA][0];
  assign DOB = words[ADDRB][1];
  assign DOC = words[ADDRC][2];
  assign DOD = words[ADDRD][3];
  assign DOE = words[ADDRE][4];
  assign DOF = words[ADDRF][5];
  assign DOG = words[ADDRG][6];
  assign DOH = words[ADDRH][7];
  always @(posedge WCLK) if (WE) words[ADDRH] <= {DIH, DIG, DIF, DIE, DID, DIC, DIB, DIA};
endmodule

// Fourteen bits of 32 words that are read, two to a port of address; the eighth only writes.
module RAM32M16 #(
  parameter [63:0] INIT_A = 0, INIT_B = 0, INIT_C = 0, INIT_D = 0, INIT_E = 0, INIT_F = 0, INIT_G = 0, INIT_H = 0,
  parameter IS_WCLK_INVERTED = 1'b0
) (
  output [1:0] DOA, DOB, DOC, DOD, DOE, DOF, DOG, DOH,
  input [4:0] ADDRA, ADDRB, ADDRC, ADDRD, ADDRE, ADDRF, ADDRG, ADDRH,
  input [1:0] DIA, DIB, DIC, DID, DIE, DIF, DIG, DIH, input WCLK, WE
);
  reg [15:0] words [32];
  assign DOA = words[ADDRA][1:0];
  assign DOB = words[ADDRB][3:2];
  assign DOC = words[ADDRC][5:4];
  assign DOD = words[ADDRD][7:6];
  assign DOE = words[ADDRE][9:8];
  assign DOF = words[ADDRF][11:10];
  assign DOG = words[ADDRG][13:12];
  assign DOH = words[ADDRH][15:14];
  always @(posedge WCLK) if (WE) words[ADDRH] <= {DIH, DIG, DIF, DIE, DID, DIC, DIB, DIA};
endmodule

// Port A reads and port B writes words of 36 bits: 16 of them are A's data, 16 B's, 2 each their parities.
module RAMB18E2 #(
  parameter DOA_REG = 0, DOB_REG = 0, READ_WIDTH_A = 0, READ_WIDTH_B = 0, WRITE_WIDTH_A = 0, WRITE_WIDTH_B = 0,
  parameter [71:0] INIT_A = 0, INIT_B = 0, SRVAL_A = 0, SRVAL_B = 0, parameter WRITE_MODE_A = "", WRITE_MODE_B = ""
) (
  input [13:0] ADDRARDADDR, ADDRBWRADDR, input ADDRENA, ADDRENB, CLKARDCLK, CLKBWRCLK,
  input [15:0] DINADIN, DINBDIN, input [1:0] DINPADINP, DINPBDINP,
  output reg [15:0] DOUTADOUT, DOUTBDOUT, output reg [1:0] DOUTPADOUTP, DOUTPBDOUTP,
  input ENARDEN, ENBWREN, REGCEAREGCE, REGCEB, RSTRAMARSTRAM, RSTRAMB, RSTREGARSTREG, RSTREGB, SLEEP,
  input [3:0] WEA, WEBWE
);
  if (READ_WIDTH_A != 36 || WRITE_WIDTH_B != 36) $error("a mode without a model");
  reg [35:0] words [512];
  always @(posedge CLKARDCLK) begin
    if (ENARDEN) {DOUTPBDOUTP, DOUTBDOUT, DOUTPADOUTP, DOUTADOUT} <= words[ADDRARDADDR[13:5]];
    if (ENBWREN & WEBWE[0]) words[ADDRBWRADDR[13:5]] <= {DINPBDINP, DINBDIN, DINPADINP, DINADIN};
  end
endmodule

// Each port reads or writes 72 bits; what A writes, B reads in the same cycle, for A goes first.
module URAM288 #(
  parameter BWE_MODE_A = "", BWE_MODE_B = "", EN_AUTO_SLEEP_MODE = "", IREG_PRE_A = "", IREG_PRE_B = "",
  parameter IS_CLK_INVERTED = 0, OREG_A = "", OREG_B = "", RST_MODE_A = "", RST_MODE_B = ""
) (
  input [22:0] ADDR_A, ADDR_B, input [8:0] BWE_A, BWE_B, input CLK, input [71:0] DIN_A, DIN_B,
  output reg [71:0] DOUT_A, DOUT_B, input EN_A, EN_B, INJECT_DBITERR_A, INJECT_DBITERR_B, INJECT_SBITERR_A,
  input INJECT_SBITERR_B, RDB_WR_A, RDB_WR_B, RST_A, RST_B, SLEEP
);
  reg [71:0] words [4096];
  always @(posedge CLK) begin
    if (EN_A & ~RDB_WR_A) DOUT_A = words[ADDR_A[11:0]];
    if (EN_A & RDB_WR_A & BWE_A[0]) words[ADDR_A[11:0]] = DIN_A;
    if (EN_B & ~RDB_WR_B) DOUT_B = words[ADDR_B[11:0]];
    if (EN_B & RDB_WR_B & BWE_B[0]) words[ADDR_B[11:0]] = DIN_B;
  end
endmodule
