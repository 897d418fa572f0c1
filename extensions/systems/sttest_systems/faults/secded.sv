// Words that correct one flipped bit and tell of two: Hamming's code with a parity over all.
//
// Data are cut into words of up to 64 bits.  Data bit n has the n-th number that is no power of two as its position;
// check bit j is the parity of the data whose position has bit j, and the last one that of data and check bits.
module secded_checks #(
  parameter int BITS = 64,
  parameter int CHECKS = 8
) (
  input  logic [BITS-1:0]   data,
  output logic [CHECKS-1:0] checks
);
  function automatic logic [BITS-1:0] covered(int check);
    automatic int at = 3;
    for (int n = 0; n < BITS; n++) begin
      covered[n] = 1'((at >> check) & 1);
      at++;
      if ((at & (at - 1)) == 0) at++;
    end
  endfunction
  logic [CHECKS-2:0] parity;
  for (genvar c = 0; c < CHECKS - 1; c++) begin : parities
    localparam logic [BITS-1:0] COVERED = covered(c);
    assign parity[c] = ^(data & COVERED);
  end
  assign checks = {(^data) ^ (^parity), parity};
endmodule

// A word with one bit corrected; `failed` where two are wrong.
module secded_corrected #(
  parameter int BITS = 64,
  parameter int CHECKS = 8
) (
  input  logic [BITS-1:0]   stored,
  input  logic [CHECKS-1:0] checks,
  output logic [BITS-1:0]   data,
  output logic              failed
);
  localparam int HAMMING = CHECKS - 1;
  function automatic logic [BITS*HAMMING-1:0] positions();
    automatic int at = 3;
    for (int n = 0; n < BITS; n++) begin
      positions[n*HAMMING +: HAMMING] = HAMMING'(at);
      at++;
      if ((at & (at - 1)) == 0) at++;
    end
  endfunction
  localparam logic [BITS*HAMMING-1:0] AT = positions();
  logic [CHECKS-1:0] again;
  logic [HAMMING-1:0] syndrome;
  logic [BITS-1:0] wrong;
  logic odd;
  secded_checks #(.BITS(BITS), .CHECKS(CHECKS)) encode (.data(stored), .checks(again));
  assign syndrome = again[HAMMING-1:0] ^ checks[HAMMING-1:0];
  assign odd = (^stored) ^ (^checks);
  assign failed = ~odd & (syndrome != '0);
  always_comb for (int n = 0; n < BITS; n++) wrong[n] = syndrome == AT[n*HAMMING +: HAMMING];
  assign data = stored ^ (wrong & {BITS{odd}});
endmodule

module secded_encode #(
  parameter int WIDTH = 64,
  parameter int WORD = WIDTH < 64 ? WIDTH : 64,
  parameter int WORDS = (WIDTH + WORD - 1) / WORD,
  parameter int CHECKS = WORD > 57 ? 8 : WORD > 26 ? 7 : WORD > 11 ? 6 : WORD > 4 ? 5 : WORD > 1 ? 4 : 3
) (
  input  logic [WIDTH-1:0]        data,
  output logic [WORDS*CHECKS-1:0] checks
);
  for (genvar w = 0; w < WORDS; w++) begin : words
    localparam int BITS = (w + 1) * WORD <= WIDTH ? WORD : WIDTH - w * WORD;
    secded_checks #(.BITS(BITS), .CHECKS(CHECKS)) word (
      .data(data[w*WORD +: BITS]), .checks(checks[w*CHECKS +: CHECKS])
    );
  end
endmodule

module secded_decode #(
  parameter int WIDTH = 64,
  parameter int WORD = WIDTH < 64 ? WIDTH : 64,
  parameter int WORDS = (WIDTH + WORD - 1) / WORD,
  parameter int CHECKS = WORD > 57 ? 8 : WORD > 26 ? 7 : WORD > 11 ? 6 : WORD > 4 ? 5 : WORD > 1 ? 4 : 3
) (
  input  logic [WIDTH-1:0]        stored,
  input  logic [WORDS*CHECKS-1:0] checks,
  output logic [WIDTH-1:0]        data,
  output logic [WORDS-1:0]        failed
);
  for (genvar w = 0; w < WORDS; w++) begin : words
    localparam int BITS = (w + 1) * WORD <= WIDTH ? WORD : WIDTH - w * WORD;
    secded_corrected #(.BITS(BITS), .CHECKS(CHECKS)) word (
      .stored(stored[w*WORD +: BITS]), .checks(checks[w*CHECKS +: CHECKS]),
      .data(data[w*WORD +: BITS]), .failed(failed[w])
    );
  end
endmodule

// fifo_srl or fifo_ram whose words are coded; the times are the same.
module fifo_secded #(
  parameter int WIDTH = 64,
  parameter int DEPTH = 2,
  parameter bit RAM = 0,
  parameter int WORD = WIDTH < 64 ? WIDTH : 64,
  parameter int WORDS = (WIDTH + WORD - 1) / WORD,
  parameter int CHECKS = WORD > 57 ? 8 : WORD > 26 ? 7 : WORD > 11 ? 6 : WORD > 4 ? 5 : WORD > 1 ? 4 : 3
) (
  input  logic             clk,
  input  logic             reset,
  input  logic             put,
  input  logic [WIDTH-1:0] put_data,
  output logic             space,
  input  logic             take,
  output logic [WIDTH-1:0] take_data,
  output logic             avail,
  output logic             failed
);
  localparam int CODED = WIDTH + WORDS * CHECKS;
  logic [WORDS*CHECKS-1:0] into, outof;
  logic [WIDTH-1:0] stored;
  logic [WORDS-1:0] twice;
  secded_encode #(.WIDTH(WIDTH)) encode (.data(put_data), .checks(into));
  secded_decode #(.WIDTH(WIDTH)) decode (.stored(stored), .checks(outof), .data(take_data), .failed(twice));
  assign failed = avail & |twice;
  if (RAM) begin : ram
    fifo_ram #(.WIDTH(CODED), .DEPTH(DEPTH)) fifo (
      .clk(clk), .reset(reset), .put(put), .put_data({into, put_data}), .space(space),
      .take(take), .take_data({outof, stored}), .avail(avail)
    );
  end else begin : srl
    fifo_srl #(.WIDTH(CODED), .DEPTH(DEPTH)) fifo (
      .clk(clk), .reset(reset), .put(put), .put_data({into, put_data}), .space(space),
      .take(take), .take_data({outof, stored}), .avail(avail)
    );
  end
endmodule
