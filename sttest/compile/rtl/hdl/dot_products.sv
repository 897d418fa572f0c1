// Sums of products of signed integers in DSP48E2: chains of lanes down the cascade, chains in a tree of adders; or in
// LUTs, where each lane is a chain.
// A lane of a chain takes its factors a cycle after the one before it, the second of them in registers of its own.
// Two results that share a factor in every lane are two fields of one product (AMD WP486).  The upper field would lack
// 1 where the lower one is negative: the first DSP of a chain adds half the range of the lower field, which makes it
// positive, and turns its highest bit over.
module dot_products #(
  parameter int LANES = 16,
  parameter int SHARED = 8,   // bits of the shared factor
  parameter int OTHER = 4,    // bits of the other factor
  parameter int RESULTS = 2,  // 1 or 2
  parameter int CHAIN = 2,    // lanes in a row
  parameter bit FABRIC = 0,   // whether products are made of LUTs
  parameter int CYCLES = 7,   // from the first factors to sums
  localparam int SUM = SHARED + OTHER + $clog2(LANES)
) (
  input  logic clk, ce,
  input  logic [LANES-1:0][SHARED-1:0] shared,
  input  logic [RESULTS-1:0][LANES-1:0][OTHER-1:0] other,
  output logic [RESULTS-1:0][SUM-1:0] sums
);
  localparam int FIELD = 18;
  localparam int LONGEST = LANES < CHAIN ? LANES : CHAIN;
  localparam int CHAINS = (LANES + CHAIN - 1) / CHAIN;
  localparam int WIDE = SHARED + OTHER + $clog2(LONGEST);
  localparam int LEVELS = $clog2(CHAINS);
  localparam int FIRST = 3 + LONGEST - 1;
  localparam int LEFT = CYCLES - FIRST - LEVELS;
  localparam bit PACKED = RESULTS > 1;

  logic [LANES-1:0][47:0] down, p;
  for (genvar n = 0; n < LANES; n++) begin : lane
    logic [29:0] a;
    logic [26:0] d;
    if (FABRIC) begin : luts
      assign down[n] = '0;
      lut_product #(.A(OTHER), .B(SHARED)) product (.clk, .ce, .a(other[0][n]), .b(shared[n]), .p(p[n]));
    end else if (PACKED) begin : both
      assign a = 30'($signed(other[RESULTS-1][n])) << FIELD;
      assign d = 27'($signed(other[0][n]));
    end else begin : one
      assign a = 30'($signed(other[0][n]));
      assign d = '0;
    end
    if (!FABRIC) dsp_product #(.BEHIND(n % CHAIN > 0), .BIAS(PACKED && n % CHAIN == 0 ? 48'd1 << (FIELD - 1) : 48'd0)) dsp (
      .clk, .ce, .a, .d, .b(18'($signed(shared[n]))), .pcin(n % CHAIN == 0 ? 48'd0 : down[n - 1 + (n == 0)]),
      .pcout(down[n]), .p(p[n])
    );
  end

  for (genvar r = 0; r < RESULTS; r++) begin : result
    logic signed [SUM-1:0] level [LEVELS + 1][CHAINS];
    for (genvar n = 0; n < CHAINS; n++) begin : chain
      localparam int LAST = n < CHAINS - 1 ? (n + 1) * CHAIN - 1 : LANES - 1;
      localparam int SHORTER = n * CHAIN + LONGEST - 1 - LAST;
      logic [47:0] of_chain;
      if (SHORTER == 0) assign of_chain = p[LAST];
      else begin : early
        logic [SHORTER-1:0][47:0] waiting;
        always_ff @(posedge clk) if (ce) waiting <= (SHORTER * 48)'({waiting, p[LAST]});
        assign of_chain = waiting[SHORTER-1];
      end
      if (!PACKED) assign level[0][n] = SUM'($signed(of_chain[WIDE-1:0]));
      else if (r == 0) assign level[0][n] = SUM'($signed({~of_chain[FIELD-1], of_chain[FIELD-2:0]}));
      else assign level[0][n] = SUM'($signed(of_chain[FIELD+WIDE-1:FIELD]));
    end
    for (genvar l = 0; l < LEVELS; l++) begin : tree
      localparam int COUNT = (CHAINS + (1 << l) - 1) >> l;
      localparam int BITS = WIDE + 1 + l;
      for (genvar n = 0; n < (COUNT + 1) / 2; n++) begin : node
        logic signed [BITS-1:0] joined;
        always_ff @(posedge clk)
          if (ce) joined <= 2 * n + 1 < COUNT ? BITS'(level[l][2 * n]) + BITS'(level[l][2 * n + 1]) : BITS'(level[l][2 * n]);
        assign level[l + 1][n] = SUM'(joined);
      end
    end
    if (LEFT == 0) assign sums[r] = level[LEVELS][0];
    else begin : late
      logic [LEFT-1:0][SUM-1:0] waiting;
      always_ff @(posedge clk) if (ce) waiting <= (LEFT * SUM)'({waiting, level[LEVELS][0]});
      assign sums[r] = waiting[LEFT-1];
    end
  end
`ifdef COUNT_TOGGLES
  // In simulation: how many bits of the factors change from one step to the next, and the steps.
  longint steps = 0, toggles = 0;
  logic [LANES-1:0][SHARED-1:0] shared_was = '0;
  logic [RESULTS-1:0][LANES-1:0][OTHER-1:0] other_was = '0;
  always_ff @(posedge clk)
    if (ce) begin
      steps <= steps + 1;
      toggles <= toggles + 64'($countones(shared ^ shared_was)) + 64'($countones(other ^ other_was));
      shared_was <= shared;
      other_was <= other;
    end
  final $display("toggles %m %0d %0d %0d %0d", LANES, LANES * (SHARED + RESULTS * OTHER), steps, toggles);
`endif
endmodule

// A product in LUTs, 3 cycles later: rows of a, one per bit of b, in a tree; the row of b's sign is subtracted.
module lut_product #(
  parameter int A = 8,
  parameter int B = 4
) (
  input  logic clk, ce,
  input  logic signed [A-1:0] a,
  input  logic [B-1:0] b,
  output logic [47:0] p
);
  localparam int LEVELS = $clog2(B) > 3 ? $clog2(B) : 3;
  logic signed [A+B-1:0] level [LEVELS + 1][B];
  for (genvar n = 0; n < B; n++) begin : row
    // The last row has a neighbor to be subtracted from, unless there is an odd number of rows.
    if (n == B - 1 && B % 2 == 1) assign level[0][n] = b[n] ? -(A + B)'(a) : '0;
    else assign level[0][n] = b[n] ? (A + B)'(a) : '0;
  end
  for (genvar l = 0; l < LEVELS; l++) begin : tree
    localparam int COUNT = (B + (1 << l) - 1) >> l;
    localparam int WIDTH = A + (2 << l) < A + B ? A + (2 << l) : A + B;
    for (genvar n = 0; n < (COUNT + 1) / 2; n++) begin : node
      logic signed [WIDTH-1:0] sum, joined;
      if (2 * n + 1 == COUNT) assign sum = WIDTH'(level[l][2 * n]);
      else if (l == 0 && 2 * n + 2 == B) assign sum = WIDTH'(level[l][2 * n]) - WIDTH'(level[l][2 * n + 1] << 1);
      else assign sum = WIDTH'(level[l][2 * n]) + WIDTH'(level[l][2 * n + 1] << (1 << l));
      if (l < 3) begin : late
        always_ff @(posedge clk) if (ce) joined <= sum;
      end else assign joined = sum;
      assign level[l + 1][n] = (A + B)'(joined);
    end
  end
  assign p = 48'(level[LEVELS][0]);
endmodule

// A product in a DSP48E2, (a + d) * b, 3 cycles later; one behind others holds its factors a cycle longer, and adds what
// comes down the cascade.
module dsp_product #(
  parameter int BEHIND = 0,
  parameter logic [47:0] BIAS = 0
) (
  input  logic clk, ce,
  input  logic [29:0] a,
  input  logic [26:0] d,
  input  logic [17:0] b,
  input  logic [47:0] pcin,
  output logic [47:0] pcout, p
);
  DSP48E2 #(
    .AMULTSEL("AD"), .AREG(BEHIND), .ACASCREG(BEHIND), .BREG(1 + BEHIND), .BCASCREG(1 + BEHIND), .DREG(BEHIND),
    .ADREG(1), .CREG(0), .MREG(1), .PREG(1), .OPMODEREG(0), .ALUMODEREG(0), .INMODEREG(0), .CARRYINREG(0),
    .CARRYINSELREG(0), .RND(BIAS)
  ) dsp (
    .CLK(clk), .A(a), .B(b), .C(48'd0), .D(d), .PCIN(pcin), .PCOUT(pcout), .P(p),
    .ALUMODE(4'b0000), .INMODE(5'b00100), .OPMODE(BEHIND ? 9'b00_001_01_01 : 9'b10_000_01_01),
    .CARRYIN(1'b0), .CARRYINSEL(3'b000), .CARRYCASCIN(1'b0), .MULTSIGNIN(1'b0), .ACIN(30'd0), .BCIN(18'd0),
    .CEA1(ce), .CEA2(ce), .CEB1(ce), .CEB2(ce), .CEC(1'b0), .CED(ce), .CEAD(ce), .CEM(ce), .CEP(ce),
    .CEALUMODE(1'b0), .CECTRL(1'b0), .CEINMODE(1'b0), .CECARRYIN(1'b0),
    .RSTA(1'b0), .RSTB(1'b0), .RSTC(1'b0), .RSTD(1'b0), .RSTM(1'b0), .RSTP(1'b0), .RSTCTRL(1'b0), .RSTALLCARRYIN(1'b0),
    .RSTALUMODE(1'b0), .RSTINMODE(1'b0)
  );
endmodule
