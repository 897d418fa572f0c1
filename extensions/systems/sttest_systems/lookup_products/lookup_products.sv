// Sums of products of signed integers by table look-up (LUT-GEMV): for every four factors that all results share, the
// sums of each subset of them; a result takes, for each bit of its own factors, the subset in which that bit is set.
// Stages: tables, what was looked up, sums.  The sign bits' share is subtracted.
module lookup_products #(
  parameter int LANES = 16,    // products of a result, a multiple of 4
  parameter int SHARED = 8,    // bits of the shared factors
  parameter int OTHER = 2,     // bits of a result's own factors
  parameter int RESULTS = 16,
  localparam int ENTRY = SHARED + 2,
  localparam int SUM = SHARED + OTHER + $clog2(LANES)
) (
  input  logic clk, ce,
  input  logic [LANES-1:0][SHARED-1:0] shared,
  input  logic [RESULTS-1:0][LANES-1:0][OTHER-1:0] other,
  output logic [RESULTS-1:0][SUM-1:0] sums
);
  localparam int GROUPS = LANES / 4;

  logic signed [ENTRY-1:0] tables [GROUPS][16];
  for (genvar g = 0; g < GROUPS; g++) begin : group
    for (genvar s = 0; s < 16; s++) begin : subset
      wire signed [ENTRY-1:0] of0 = s & 1 ? ENTRY'($signed(shared[4 * g])) : '0;
      wire signed [ENTRY-1:0] of1 = s & 2 ? ENTRY'($signed(shared[4 * g + 1])) : '0;
      wire signed [ENTRY-1:0] of2 = s & 4 ? ENTRY'($signed(shared[4 * g + 2])) : '0;
      wire signed [ENTRY-1:0] of3 = s & 8 ? ENTRY'($signed(shared[4 * g + 3])) : '0;
      always_ff @(posedge clk) if (ce) tables[g][s] <= (of0 + of1) + (of2 + of3);
    end
  end

  logic [RESULTS-1:0][LANES-1:0][OTHER-1:0] waiting;
  always_ff @(posedge clk) if (ce) waiting <= other;

  for (genvar r = 0; r < RESULTS; r++) begin : result
    logic signed [ENTRY-1:0] found [OTHER][GROUPS];
    logic signed [SUM-1:0] of_bit [OTHER];
    logic signed [SUM-1:0] total;
    for (genvar b = 0; b < OTHER; b++) begin : plane
      for (genvar g = 0; g < GROUPS; g++) begin : place
        wire [3:0] set = {waiting[r][4 * g + 3][b], waiting[r][4 * g + 2][b], waiting[r][4 * g + 1][b], waiting[r][4 * g][b]};
        always_ff @(posedge clk) if (ce) found[b][g] <= tables[g][set];
      end
      always_comb begin
        of_bit[b] = '0;
        for (int g = 0; g < GROUPS; g++) of_bit[b] += SUM'(found[b][g]);
      end
    end
    always_comb begin
      total = -(of_bit[OTHER - 1] <<< (OTHER - 1));
      for (int b = 0; b < OTHER - 1; b++) total += of_bit[b] <<< b;
    end
    always_ff @(posedge clk) if (ce) sums[r] <= total;
  end
endmodule
