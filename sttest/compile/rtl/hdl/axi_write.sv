// Streams tokens to memory: asks for a burst when all of its words are there, so that none waits for data.
//
// A token is PER_TOKEN whole words, or one of PER_WORD parts of a word.  Which words and parts, `burst_walk` and
// `part_walk` say.  It begins when `reset` ends, and has ended with the last response.  With STROBES, words may have
// parts that no token is; those stay as they are in memory.
module axi_write #(
  parameter int WORD = 512,
  parameter int PER_TOKEN = 1,
  parameter int PER_WORD = 1,
  parameter int TOKEN = WORD * PER_TOKEN / PER_WORD,
  parameter bit STROBES = 0,
  parameter int ROOM = 128,  // words that wait until a burst of them is there
  parameter     STYLE = "block",  // of the memory for them
  parameter int OUTSTANDING = 16,  // bursts without a response, at most
  localparam int PARTS = PER_WORD > 1 ? $clog2(PER_WORD) : 1
) (
  input  logic              clk,
  input  logic              reset,
  output logic              ended,
  input  logic              burst_valid,
  input  logic [63:0]       burst_address,
  input  logic [8:0]        burst_words,
  output logic              burst_take,
  input  logic [PARTS-1:0]  part,
  input  logic              word_ends,
  output logic              awvalid,
  input  logic              awready,
  output logic [63:0]       awaddr,
  output logic [7:0]        awlen,
  output logic              wvalid,
  input  logic              wready,
  output logic [WORD-1:0]   wdata,
  output logic [WORD/8-1:0] wstrb,
  output logic              wlast,
  input  logic              bvalid,
  output logic              bready,
  input  logic              avail,
  output logic              take,
  input  logic [TOKEN-1:0]  data
);
  localparam int COUNT = $clog2(ROOM + 1);
  localparam int MARKS = STROBES ? PER_WORD : 0;  // a bit per part of a word

  // Tokens into words.
  logic put, word_space;
  logic [MARKS+WORD-1:0] word, sent;
  if (PER_TOKEN > 1) begin : several
    logic [$clog2(PER_TOKEN)-1:0] number;
    logic token_ends;
    assign token_ends = number == PER_TOKEN - 1;
    assign put = ~reset & avail & word_space;
    assign take = put & token_ends;
    assign word = data[number * WORD +: WORD];
    always_ff @(posedge clk)
      if (reset) number <= 0;
      else if (put) number <= token_ends ? '0 : number + 1'b1;
  end else if (PER_WORD == 1) begin : one
    assign put = ~reset & avail & word_space;
    assign take = put;
    assign word = data;
  end else begin : some
    // A word is collected in registers, and goes on in the cycle behind its last part.
    logic [WORD-1:0] collected;
    logic full;
    assign put = full & word_space;
    assign take = ~reset & avail & (~full | word_space);
    always_ff @(posedge clk)
      if (reset) full <= 1'b0;
      else if (take) full <= word_ends;
      else if (put) full <= 1'b0;
    for (genvar n = 0; n < PER_WORD; n++) begin : parts
      logic [TOKEN-1:0] held;
      assign collected[n*TOKEN +: TOKEN] = held;
      always_ff @(posedge clk) if (take & 32'(part) == n) held <= data;
    end
    if (STROBES) begin : marked
      logic [PER_WORD-1:0] marks;
      always_ff @(posedge clk)
        if (reset) marks <= '0;
        else
          for (int n = 0; n < PER_WORD; n++)
            if (take & 32'(part) == n) marks[n] <= 1'b1;
            else if (put) marks[n] <= 1'b0;
      assign word = {marks, collected};
    end else begin : whole
      assign word = collected;
    end
  end

  // Bursts of words that are there, one after the other.
  logic send, sending, word_avail;
  logic [8:0] left;
  logic [COUNT-1:0] stored;
  logic [$clog2(OUTSTANDING+1)-1:0] awaited;
  fifo_ram #(.WIDTH(MARKS + WORD), .DEPTH(ROOM), .STYLE(STYLE)) words (
    .clk, .reset, .put, .put_data(word), .space(word_space), .take(send), .take_data(sent), .avail(word_avail)
  );
  assign wdata = sent[WORD-1:0];
  if (STROBES) begin : strobes
    for (genvar n = 0; n < PER_WORD; n++) assign wstrb[n*TOKEN/8 +: TOKEN/8] = {TOKEN/8{sent[WORD+n]}};
  end else begin : all
    assign wstrb = '1;
  end
  assign burst_take = ~reset & burst_valid & ~awvalid & ~sending & 32'(awaited) != OUTSTANDING
                    & 32'(stored) >= 32'(burst_words);
  assign wvalid = sending & word_avail;
  assign wlast = left == 9'd1;
  assign send = wvalid & wready;
  always_ff @(posedge clk)
    if (reset) begin
      awvalid <= 1'b0;
      sending <= 1'b0;
      stored <= '0;
    end else begin
      if (burst_take) awvalid <= 1'b1;
      else if (awready) awvalid <= 1'b0;
      if (burst_take) sending <= 1'b1;
      else if (send & wlast) sending <= 1'b0;
      stored <= stored + COUNT'(put) - COUNT'(send);
    end
  always_ff @(posedge clk) begin
    if (burst_take) begin
      awaddr <= burst_address;
      awlen <= 8'(burst_words - 9'd1);
      left <= burst_words;
    end else if (send) left <= left - 9'd1;
  end

  // Responses.
  logic answered;
  assign bready = ~reset;
  assign answered = bvalid & bready;
  assign ended = ~burst_valid & awaited == 0;
  always_ff @(posedge clk)
    if (reset) awaited <= '0;
    else if (burst_take & ~answered) awaited <= awaited + 1'b1;
    else if (answered & ~burst_take) awaited <= awaited - 1'b1;
endmodule
