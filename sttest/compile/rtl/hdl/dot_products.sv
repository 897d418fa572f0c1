// Sums of products of signed integers in DSP48E2: pairs of lanes down the cascade, pairs in a tree of adders.
// Two results that share a factor in every lane are two fields of one product (AMD WP486).  The upper field would lack
// 1 where the lower one is negative: the first DSP of a pair adds half the range of the lower field, which makes it
// positive, and turns its highest bit over.
module dot_products #(
  parameter int LANES = 16,
  parameter int SHARED = 8,   // bits of the shared factor
  parameter int OTHER = 4,    // bits of the other factor
  parameter int RESULTS = 2,  // 1 or 2
  parameter int CYCLES = 7,   // from factors to sums
  localparam int SUM = SHARED + OTHER + $clog2(LANES)
) (
  input  logic clk, ce,
  input  logic [LANES-1:0][SHARED-1:0] shared,
  input  logic [RESULTS-1:0][LANES-1:0][OTHER-1:0] other,
  output logic [RESULTS-1:0][SUM-1:0] sums
);
  localparam int FIELD = 18;
  localparam int PAIRS = (LANES + 1) / 2;
  localparam int LEVELS = $clog2(PAIRS);
  localparam int FIRST = LANES > 1 ? 4 : 3;
  localparam int LEFT = CYCLES - FIRST - LEVELS;
  localparam bit PACKED = RESULTS > 1;

  logic [LANES-1:0][47:0] down, p;
  for (genvar n = 0; n < LANES; n++) begin : lane
    logic [29:0] a;
    logic [26:0] d;
    if (PACKED) begin : both
      assign a = 30'($signed(other[RESULTS-1][n])) << FIELD;
      assign d = 27'($signed(other[0][n]));
    end else begin : one
      assign a = 30'($signed(other[0][n]));
      assign d = '0;
    end
    dsp_product #(.SECOND(n % 2), .BIAS(PACKED && n % 2 == 0 ? 48'd1 << (FIELD - 1) : 48'd0)) dsp (
      .clk, .ce, .a, .d, .b(18'($signed(shared[n]))), .pcin(n % 2 == 0 ? 48'd0 : down[n - n % 2]), .pcout(down[n]), .p(p[n])
    );
  end

  for (genvar r = 0; r < RESULTS; r++) begin : result
    logic signed [SUM-1:0] level [LEVELS + 1][PAIRS];
    for (genvar n = 0; n < PAIRS; n++) begin : pair
      logic [47:0] of_pair;
      if (2 * n + 1 < LANES) assign of_pair = p[2 * n + 1];
      else if (LANES == 1) assign of_pair = p[0];
      else always_ff @(posedge clk) if (ce) of_pair <= p[2 * n];
      if (!PACKED) assign level[0][n] = SUM'($signed(of_pair[SHARED+OTHER:0]));
      else if (r == 0) assign level[0][n] = SUM'($signed({~of_pair[FIELD-1], of_pair[FIELD-2:0]}));
      else assign level[0][n] = SUM'($signed(of_pair[FIELD+SHARED+OTHER:FIELD]));
    end
    for (genvar l = 0; l < LEVELS; l++) begin : tree
      localparam int COUNT = (PAIRS + (1 << l) - 1) >> l;
      localparam int BITS = SHARED + OTHER + 2 + l;
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

// A product in a DSP48E2, (a + d) * b, 3 cycles later; the second of a pair takes its factors a cycle later, and adds
// what comes down the cascade.
module dsp_product #(
  parameter int SECOND = 0,
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
    .AMULTSEL("AD"), .AREG(SECOND), .ACASCREG(SECOND), .BREG(1 + SECOND), .BCASCREG(1 + SECOND), .DREG(SECOND),
    .ADREG(1), .CREG(0), .MREG(1), .PREG(1), .OPMODEREG(0), .ALUMODEREG(0), .INMODEREG(0), .CARRYINREG(0),
    .CARRYINSELREG(0), .RND(BIAS)
  ) dsp (
    .CLK(clk), .A(a), .B(b), .C(48'd0), .D(d), .PCIN(pcin), .PCOUT(pcout), .P(p),
    .ALUMODE(4'b0000), .INMODE(5'b00100), .OPMODE(SECOND ? 9'b00_001_01_01 : 9'b10_000_01_01),
    .CARRYIN(1'b0), .CARRYINSEL(3'b000), .CARRYCASCIN(1'b0), .MULTSIGNIN(1'b0), .ACIN(30'd0), .BCIN(18'd0),
    .CEA1(ce), .CEA2(ce), .CEB1(ce), .CEB2(ce), .CEC(1'b0), .CED(ce), .CEAD(ce), .CEM(ce), .CEP(ce),
    .CEALUMODE(1'b0), .CECTRL(1'b0), .CEINMODE(1'b0), .CECARRYIN(1'b0),
    .RSTA(1'b0), .RSTB(1'b0), .RSTC(1'b0), .RSTD(1'b0), .RSTM(1'b0), .RSTP(1'b0), .RSTCTRL(1'b0), .RSTALLCARRYIN(1'b0),
    .RSTALUMODE(1'b0), .RSTINMODE(1'b0)
  );
endmodule
