// Streams tokens to memory: asks for a burst when all of its words are there, so that none waits for data.
//
// A token is PER_TOKEN whole words, or one of PER_WORD parts of a word.  It begins when `reset` ends, and has ended
// with the last response.
module axi_write #(
  parameter int WORD = 512,
  parameter int PER_TOKEN = 1,
  parameter int PER_WORD = 1,
  parameter int TOKEN = WORD * PER_TOKEN / PER_WORD,
  parameter int BURST = 64,
  parameter int ROOM = 128,
  parameter logic [31:0] RUN = 1,
  parameter int RUN_LOOPS = 1,
  parameter logic [31:0] RUN_START = 0,
  parameter logic [RUN_LOOPS-1:0][31:0] RUN_TRIPS = 1,
  parameter logic [RUN_LOOPS-1:0][31:0] RUN_DELTAS = 0,
  parameter int LOOPS = 1,
  parameter logic [31:0] START = 0,
  parameter logic [LOOPS-1:0][31:0] TRIPS = 1,
  parameter logic [LOOPS-1:0][31:0] DELTAS = 0
) (
  input  logic             clk,
  input  logic             reset,
  input  logic [63:0]      base,
  output logic             ended,
  output logic             awvalid,
  input  logic             awready,
  output logic [63:0]      awaddr,
  output logic [7:0]       awlen,
  output logic             wvalid,
  input  logic             wready,
  output logic [WORD-1:0]  wdata,
  output logic             wlast,
  input  logic             bvalid,
  output logic             bready,
  input  logic             avail,
  output logic             take,
  input  logic [TOKEN-1:0] data
);
  localparam int PARTS = $clog2(PER_WORD);
  localparam int COUNT = $clog2(ROOM + 1);

  // Tokens into words.
  logic [31:0] part, next_part;
  logic last, put, word_ends, word_space, all_taken;
  logic [WORD-1:0] word;
  always_ff @(posedge clk)
    if (reset) all_taken <= 1'b0;
    else if (take & last) all_taken <= 1'b1;
  address_walk #(.LOOPS(LOOPS), .START(START), .TRIPS(TRIPS), .DELTAS(DELTAS)) parts (
    .clk, .reset, .step(take), .at(part), .next(next_part), .last
  );
  if (PER_TOKEN == 1) begin : some
    logic [WORD-1:0] earlier;
    assign word_ends = last | (next_part >> PARTS) != (part >> PARTS) | PER_WORD == 1;
    assign take = ~reset & avail & (word_space | ~word_ends) & ~all_taken;
    assign put = take & word_ends;
    always_comb begin
      word = earlier;
      if (PER_WORD == 1) word = WORD'(data);
      else word[(part % PER_WORD) * TOKEN +: TOKEN] = data;
    end
    always_ff @(posedge clk) if (reset | put) earlier <= '0; else if (take) earlier <= word;
  end else begin : several
    logic [$clog2(PER_TOKEN)-1:0] number;
    assign word_ends = number == PER_TOKEN - 1;
    assign put = ~reset & avail & word_space & ~all_taken;
    assign take = put & word_ends;
    assign word = data[number * WORD +: WORD];
    always_ff @(posedge clk)
      if (reset) number <= 0;
      else if (put) number <= word_ends ? '0 : number + 1'b1;
  end

  // Bursts of words that are there, one after the other.
  logic burst_valid, ask, send, sending;
  logic [63:0] burst_address;
  logic [8:0] burst_words, left;
  logic [COUNT-1:0] stored;
  burst_walk #(
    .WORD_BYTES(WORD / 8), .BURST(BURST), .RUN(RUN), .LOOPS(RUN_LOOPS), .START(RUN_START), .TRIPS(RUN_TRIPS),
    .DELTAS(RUN_DELTAS)
  ) bursts (
    .clk, .reset, .base, .valid(burst_valid), .address(burst_address), .words(burst_words), .take(ask)
  );
  logic word_avail;
  fifo_ram #(.WIDTH(WORD), .DEPTH(ROOM)) words (
    .clk, .reset, .put, .put_data(word), .space(word_space), .take(send), .take_data(wdata), .avail(word_avail)
  );
  assign ask = ~reset & burst_valid & ~awvalid & ~sending & 32'(stored) >= 32'(burst_words);
  assign wvalid = sending & word_avail;
  assign wlast = left == 9'd1;
  assign send = wvalid & wready;
  always_ff @(posedge clk)
    if (reset) begin
      awvalid <= 1'b0;
      sending <= 1'b0;
      stored <= '0;
    end else begin
      if (ask) awvalid <= 1'b1;
      else if (awready) awvalid <= 1'b0;
      if (ask) sending <= 1'b1;
      else if (send & wlast) sending <= 1'b0;
      stored <= stored + COUNT'(put) - COUNT'(send);
    end
  always_ff @(posedge clk) begin
    if (ask) begin
      awaddr <= burst_address;
      awlen <= 8'(burst_words - 9'd1);
      left <= burst_words;
    end else if (send) left <= left - 9'd1;
  end

  // Responses.
  logic [31:0] awaited;
  assign bready = ~reset;
  always_ff @(posedge clk)
    if (reset) begin
      awaited <= 0;
      ended <= 1'b0;
    end else begin
      awaited <= awaited + 32'(ask) - 32'(bvalid & bready);
      if (all_taken & ~burst_valid & awaited == 0) ended <= 1'b1;
    end
endmodule
