// Streams tokens from memory: asks for a burst only where it has room for all of it, so that data never waits.
//
// A token is PER_TOKEN whole words, or one of PER_WORD parts of a word.  It begins when `reset` ends.
module axi_read #(
  parameter int WORD = 512,
  parameter int PER_TOKEN = 1,
  parameter int PER_WORD = 1,
  parameter int TOKEN = WORD * PER_TOKEN / PER_WORD,
  parameter int BURST = 64,
  parameter int ROOM = 128,  // words that may have come or be on their way
  parameter logic [31:0] RUN = 1,
  parameter int RUN_LOOPS = 1,
  parameter logic [31:0] RUN_START = 0,
  parameter logic [RUN_LOOPS-1:0][31:0] RUN_TRIPS = 1,
  parameter logic [RUN_LOOPS-1:0][31:0] RUN_DELTAS = 0,
  parameter int LOOPS = 1,  // of the parts of words, one per token
  parameter logic [31:0] START = 0,
  parameter logic [LOOPS-1:0][31:0] TRIPS = 1,
  parameter logic [LOOPS-1:0][31:0] DELTAS = 0
) (
  input  logic             clk,
  input  logic             reset,
  input  logic [63:0]      base,
  output logic             ended,
  output logic             arvalid,
  input  logic             arready,
  output logic [63:0]      araddr,
  output logic [7:0]       arlen,
  input  logic             rvalid,
  output logic             rready,
  input  logic [WORD-1:0]  rdata,
  input  logic             rlast,
  input  logic             space,
  output logic             put,
  output logic [TOKEN-1:0] data
);
  localparam int FREE = $clog2(ROOM + 1);
  localparam int PARTS = $clog2(PER_WORD);

  // Requests.
  logic burst_valid, ask, freed;
  logic [63:0] burst_address;
  logic [8:0] burst_words;
  logic [FREE-1:0] room;
  burst_walk #(
    .WORD_BYTES(WORD / 8), .BURST(BURST), .RUN(RUN), .LOOPS(RUN_LOOPS), .START(RUN_START), .TRIPS(RUN_TRIPS),
    .DELTAS(RUN_DELTAS)
  ) bursts (
    .clk, .reset, .base, .valid(burst_valid), .address(burst_address), .words(burst_words), .take(ask)
  );
  assign ask = ~reset & burst_valid & (~arvalid | arready) & 32'(burst_words) <= 32'(room);
  always_ff @(posedge clk)
    if (reset) begin
      arvalid <= 1'b0;
      room <= FREE'(ROOM);
    end else begin
      if (ask) arvalid <= 1'b1;
      else if (arready) arvalid <= 1'b0;
      room <= room - (ask ? FREE'(burst_words) : FREE'(0)) + FREE'(freed);
    end
  always_ff @(posedge clk)
    if (ask) begin
      araddr <= burst_address;
      arlen <= 8'(burst_words - 9'd1);
    end

  // Words, then tokens.
  logic [WORD-1:0] word;
  logic word_avail;
  assign rready = ~reset;
  fifo_ram #(.WIDTH(WORD), .DEPTH(ROOM)) words (
    .clk, .reset, .put(rvalid & rready), .put_data(rdata), .space(), .take(freed), .take_data(word), .avail(word_avail)
  );
  logic [31:0] part, next_part;
  logic last, word_ends, token_ends;
  address_walk #(.LOOPS(LOOPS), .START(START), .TRIPS(TRIPS), .DELTAS(DELTAS)) parts (
    .clk, .reset, .step(put), .at(part), .next(next_part), .last
  );
  assign put = word_avail & space & token_ends & ~ended;
  if (PER_TOKEN == 1) begin : some
    assign token_ends = 1'b1;
    assign word_ends = last | (next_part >> PARTS) != (part >> PARTS) | PER_WORD == 1;
    assign freed = put & word_ends;
    if (PER_WORD == 1) assign data = word;
    else assign data = word[(part % PER_WORD) * TOKEN +: TOKEN];
  end else begin : several
    logic [PER_TOKEN-2:0][WORD-1:0] earlier;
    logic [$clog2(PER_TOKEN)-1:0] number;
    assign token_ends = number == PER_TOKEN - 1;
    assign word_ends = 1'b1;
    assign freed = word_avail & (put | ~token_ends) & ~ended;
    assign data = {word, earlier};
    always_ff @(posedge clk)
      if (reset) number <= 0;
      else if (freed) number <= token_ends ? '0 : number + 1'b1;
    always_ff @(posedge clk) if (freed & ~token_ends) earlier[number] <= word;
  end
  always_ff @(posedge clk)
    if (reset) ended <= 1'b0;
    else if (put & last) ended <= 1'b1;
endmodule
