// What a port reads that waits for a token in between: the first row of a table, then those of the tokens that come.
module token_table #(
  parameter int WIDTH = 32,
  parameter int TOKENS = 1,  // of a row
  parameter int ROWS = 2,    // the first token's, then one per token of the vocabulary
  parameter int ID = 0
) (
  input  logic             clk,
  input  logic             next,
  output logic [WIDTH-1:0] data,
  input  logic             come,
  input  logic [31:0]      what  // the chosen token, as binary32
);
  localparam int BYTES = (WIDTH + 7) / 8;
  logic [8*BYTES-1:0] content [ROWS*TOKENS];
  int file, place = 0, row = 0;
  initial begin
    file = $fopen($sformatf("held/%0d_content.bin", ID), "rb");
    void'($fread(content, file));
    $fclose(file);
  end
  assign data = content[row * TOKENS + place][WIDTH-1:0];
  // Whatever comes, no address lies outside of the table: what is no token's number takes the first token's row.
  function automatic int row_of(logic [31:0] number);
    logic [63:0] whole;
    if (number[31] || number[30:23] < 8'd127 || number[30:23] > 8'd157) return 1;
    whole = (64'({1'b1, number[22:0]}) << (number[30:23] - 8'd127)) >> 23;
    return whole < 64'(ROWS - 1) ? 1 + int'(whole) : 1;
  endfunction
  always @(posedge clk) begin
    if (next) place <= place == TOKENS - 1 ? 0 : place + 1;
    if (come) row <= row_of(what);
  end
endmodule

// Parts of which some are read, by numbers that come before them: the next run of tokens of each in turn.
module chosen_parts #(
  parameter int WIDTH = 32,
  parameter int LAYERS = 1,
  parameter int PARTS = 2,    // in memory, per layer
  parameter int CHOSEN = 1,   // that are read
  parameter int RUNS = 1,     // of each
  parameter int TOKENS = 1,   // of a run
  parameter int NUMBERS = 1,  // that come at a time
  parameter int ID = 0
) (
  input  logic                  clk,
  input  logic                  next,
  output logic [WIDTH-1:0]      data,
  input  logic                  come,
  input  logic [32*NUMBERS-1:0] what  // numbers of parts, as binary32
);
  localparam int BYTES = (WIDTH + 7) / 8;
  logic [8*BYTES-1:0] content [LAYERS*PARTS*RUNS*TOKENS];
  int chosen [CHOSEN];
  int file, token = 0, part = 0, run = 0, layer = 0, known = 0;
  initial begin
    file = $fopen($sformatf("held/%0d_content.bin", ID), "rb");
    void'($fread(content, file));
    $fclose(file);
  end
  assign data = content[((layer * PARTS + chosen[part]) * RUNS + run) * TOKENS + token][WIDTH-1:0];
  // Whatever comes, no address lies outside of memory: what is no part's number is taken for the first.
  function automatic int number_of(logic [31:0] number);
    logic [63:0] whole;
    if (number[31] || number[30:23] < 8'd127 || number[30:23] > 8'd157) return 0;
    whole = (64'({1'b1, number[22:0]}) << (number[30:23] - 8'd127)) >> 23;
    return whole < 64'(PARTS) ? int'(whole) : 0;
  endfunction
  always @(posedge clk) begin
    if (come) begin
      for (int k = 0; k < NUMBERS; ++k) chosen[known + k] = number_of(what[32*k +: 32]);
      known <= known + NUMBERS == CHOSEN ? 0 : known + NUMBERS;
    end
    if (next) begin
      token <= token == TOKENS - 1 ? 0 : token + 1;
      if (token == TOKENS - 1) part <= part == CHOSEN - 1 ? 0 : part + 1;
      if (token == TOKENS - 1 && part == CHOSEN - 1) run <= run == RUNS - 1 ? 0 : run + 1;
      if (token == TOKENS - 1 && part == CHOSEN - 1 && run == RUNS - 1) layer <= layer == LAYERS - 1 ? 0 : layer + 1;
    end
  end
endmodule

// The caches of all layers, which get a new entry between two readings of a layer's.
module growing_cache #(
  parameter int WIDTH = 32,
  parameter int BITS = 8,          // of an element
  parameter int TOKENS = 1,        // that a layer's cache is read in
  parameter int LAYERS = 1,
  parameter int SIZE = 1,          // elements of a layer's cache
  parameter int STEPS = 1,         // entries per layer
  parameter int ENTRY_WIDTH = 32,
  parameter int ENTRY_TOKENS = 1,
  parameter int ID = 0
) (
  input  logic                   clk,
  input  logic                   next,
  output logic [WIDTH-1:0]       data,
  input  logic                   come,
  input  logic [ENTRY_WIDTH-1:0] what  // a part of the entry
);
  localparam int BYTES = (BITS + 7) / 8;
  localparam int READ = WIDTH / BITS;
  localparam int NEW = ENTRY_WIDTH / BITS;
  logic [8*BYTES-1:0] content [LAYERS*SIZE];
  int reads [TOKENS*READ];
  int writes [STEPS*ENTRY_TOKENS*NEW];  // -1 for what another memory has
  int file, place = 0, layer = 0, step = 0, part = 0;
  initial begin
    file = $fopen($sformatf("held/%0d_content.bin", ID), "rb");
    void'($fread(content, file));
    $fclose(file);
    file = $fopen($sformatf("held/%0d_reads.bin", ID), "rb");
    void'($fread(reads, file));
    $fclose(file);
    file = $fopen($sformatf("held/%0d_writes.bin", ID), "rb");
    void'($fread(writes, file));
    $fclose(file);
  end
  always_comb
    for (int k = 0; k < READ; ++k)
      data[BITS*k +: BITS] = content[layer * SIZE + reads[place * READ + k]][BITS-1:0];
  always @(posedge clk) begin
    if (next) place <= place == TOKENS - 1 ? 0 : place + 1;
    if (come) begin
      // Nothing reads in a cycle in which an entry comes.
      for (int k = 0; k < NEW; ++k)
        if (writes[(step * ENTRY_TOKENS + part) * NEW + k] >= 0)
          content[layer * SIZE + writes[(step * ENTRY_TOKENS + part) * NEW + k]] = (8*BYTES)'(what[BITS*k +: BITS]);
      part <= part == ENTRY_TOKENS - 1 ? 0 : part + 1;
      if (part == ENTRY_TOKENS - 1) begin
        layer <= layer == LAYERS - 1 ? 0 : layer + 1;
        if (layer == LAYERS - 1) step <= step + 1;
      end
    end
  end
endmodule
