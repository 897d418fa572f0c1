// Streams tokens from memory: asks for a burst only where it has room for all of it, so that data never waits.
//
// A token is PER_TOKEN whole words, or one of PER_WORD parts of a word.  Which words and parts, `burst_walk` and
// `part_walk` say.  It begins when `reset` ends.
module axi_read #(
  parameter int WORD = 512,
  parameter int PER_TOKEN = 1,
  parameter int PER_WORD = 1,
  parameter int TOKEN = WORD * PER_TOKEN / PER_WORD,
  parameter int ROOM = 128,  // words that may have come or be on their way
  parameter     STYLE = "block",  // of the memory for them
  localparam int PARTS = PER_WORD > 1 ? $clog2(PER_WORD) : 1
) (
  input  logic             clk,
  input  logic             reset,
  output logic             ended,
  input  logic             burst_valid,
  input  logic [63:0]      burst_address,
  input  logic [8:0]       burst_words,
  output logic             burst_take,
  input  logic [PARTS-1:0] part,
  input  logic             word_ends,
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

  // Requests.
  logic freed;
  logic [FREE-1:0] room;
  assign burst_take = ~reset & burst_valid & (~arvalid | arready) & 32'(burst_words) <= 32'(room);
  assign ended = ~burst_valid & room == FREE'(ROOM);
  always_ff @(posedge clk)
    if (reset) begin
      arvalid <= 1'b0;
      room <= FREE'(ROOM);
    end else begin
      if (burst_take) arvalid <= 1'b1;
      else if (arready) arvalid <= 1'b0;
      room <= room - (burst_take ? FREE'(burst_words) : FREE'(0)) + FREE'(freed);
    end
  always_ff @(posedge clk)
    if (burst_take) begin
      araddr <= burst_address;
      arlen <= 8'(burst_words - 9'd1);
    end

  // Words, then tokens.
  logic [WORD-1:0] word;
  logic word_avail;
  assign rready = ~reset;
  fifo_ram #(.WIDTH(WORD), .DEPTH(ROOM), .STYLE(STYLE)) words (
    .clk, .reset, .put(rvalid & rready), .put_data(rdata), .space(), .take(freed), .take_data(word), .avail(word_avail)
  );
  if (PER_TOKEN == 1) begin : some
    assign put = word_avail & space;
    assign freed = put & word_ends;
    if (PER_WORD == 1) assign data = word;
    else assign data = word[part * TOKEN +: TOKEN];
  end else begin : several
    logic [(PER_TOKEN-1)*WORD-1:0] earlier;
    logic [$clog2(PER_TOKEN)-1:0] number;
    logic token_ends;
    assign token_ends = number == PER_TOKEN - 1;
    assign put = word_avail & space & token_ends;
    assign freed = word_avail & (space | ~token_ends);
    assign data = {word, earlier};
    always_ff @(posedge clk)
      if (reset) number <= 0;
      else if (freed) number <= token_ends ? '0 : number + 1'b1;
    for (genvar n = 0; n < PER_TOKEN - 1; n++) begin : words_before
      logic [WORD-1:0] held;
      assign earlier[n*WORD +: WORD] = held;
      always_ff @(posedge clk) if (freed & 32'(number) == n) held <= word;
    end
  end
endmodule
