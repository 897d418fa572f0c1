// The bursts of a port that reads parts of memory by number, from a walk through the chosen parts side by side.
//
// A number of the walk has, lowest first, LOW bits within its tensor, the tensor, and the layer.  Of a tensor with
// parts, the LOW bits are the word of its run, of CHOSEN_BITS which chosen part, and the run; of others the word.
// Numbers of parts come before the first of them is read, as binary32, NUMBERS at a time, once per layer.
module chosen_bursts #(
  parameter int WORD_BYTES = 64,
  parameter int SEGMENTS = 1,
  parameter int LOW = 8,
  parameter int SEGMENT_BITS = 0,
  parameter int LAYER = 0,    // words from a layer to the next
  parameter int CHOSEN = 1,   // parts that are read, at most
  parameter int PARTS = 1,    // parts in memory
  parameter int NUMBERS = 1,
  parameter logic [SEGMENTS*32-1:0] START = 0,  // first word of each tensor
  parameter logic [SEGMENTS*32-1:0] PART = 0,   // words of a part, 0 of a tensor that is read whole
  parameter logic [SEGMENTS*32-1:0] RUN = 0,    // words of a run
  parameter logic [SEGMENTS*32-1:0] RUN_BITS = 0,
  parameter logic [SEGMENTS*32-1:0] CHOSEN_BITS = 0,
  localparam int PLACES = CHOSEN > 1 ? $clog2(CHOSEN) : 1
) (
  input  logic                  clk,
  input  logic                  reset,
  input  logic [63:0]           base,
  input  logic                  come,
  input  logic [32*NUMBERS-1:0] what,
  input  logic                  walked,         // whether the walk has a burst
  input  logic [63:0]           walked_address, // its first byte, counted from 0
  output logic                  walked_take,
  output logic                  valid,
  output logic [63:0]           address,
  input  logic                  take
);
  // Whatever comes, no address lies outside of memory: what is no part's number is taken for the first.
  function automatic logic [31:0] number_of(logic [31:0] number);
    logic [63:0] whole;
    if (number[31] || number[30:23] < 8'd127 || number[30:23] > 8'd157) return 0;
    whole = (64'({1'b1, number[22:0]}) << (number[30:23] - 8'd127)) >> 23;
    return whole < 64'(PARTS) ? whole[31:0] : 0;
  endfunction

  logic [31:0] numbers [CHOSEN];
  logic [31:0] known, layers;  // numbers of the layer that have come; layers of which all have
  always_ff @(posedge clk)
    if (reset) begin
      known <= 0;
      layers <= 0;
    end else if (come) begin
      known <= known + NUMBERS == CHOSEN ? 0 : known + NUMBERS;
      if (known + NUMBERS == CHOSEN) layers <= layers + 1;
    end

  for (genvar n = 0; n < CHOSEN; n++) begin : places
    always_ff @(posedge clk)
      if (come & 32'(n) / NUMBERS == known / NUMBERS) numbers[n] <= number_of(what[32*(n % NUMBERS) +: 32]);
  end

  logic [63:0] at;
  logic [31:0] segment, layer, low, start, part, run, run_bits, chosen_bits, offset;
  logic [PLACES-1:0] chosen;
  assign at = walked_address >> $clog2(WORD_BYTES);
  assign low = 32'(at) & ((32'd1 << LOW) - 1);
  assign segment = 32'(at >> LOW) & ((32'd1 << SEGMENT_BITS) - 1);
  assign layer = 32'(at >> (LOW + SEGMENT_BITS));
  always_comb begin
    {start, part, run, run_bits, chosen_bits} = '0;
    for (int n = 0; n < SEGMENTS; n++)
      if (segment == n) begin
        start = START[n*32 +: 32];
        part = PART[n*32 +: 32];
        run = RUN[n*32 +: 32];
        run_bits = RUN_BITS[n*32 +: 32];
        chosen_bits = CHOSEN_BITS[n*32 +: 32];
      end
    chosen = PLACES'((low >> run_bits) & ((32'd1 << chosen_bits) - 1));
    offset = start + layer * LAYER;
    if (part == 0) offset = offset + low;
    else
      offset = offset + numbers[chosen] * part + (low >> (run_bits + chosen_bits)) * run + (low & ((32'd1 << run_bits) - 1));
  end
  assign valid = walked & (part == 0 | layers > layer);
  assign walked_take = take & valid;
  logic [63:0] bytes;
  assign bytes = 64'(offset) << $clog2(WORD_BYTES);
  assign address = {base[63:12] + bytes[63:12], bytes[11:0]};
endmodule
