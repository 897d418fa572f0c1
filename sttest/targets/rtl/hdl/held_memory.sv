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

// Tensors in turn; of some, parts are read by numbers that come before them: the next run of tokens of each in turn.
module chosen_parts #(
  parameter int WIDTH = 32,
  parameter int SEGMENTS = 1,
  parameter int ALL = 1,                     // tokens of everything
  parameter int NUMBERS = 1,                 // that come at a time
  parameter int KNOWN = 1,                   // that are kept
  parameter bit [32*SEGMENTS-1:0] START = 0,  // of each segment the first token,
  parameter bit [32*SEGMENTS-1:0] CHOSEN = 0, // parts that are read, 0 for one that needs no number,
  parameter bit [32*SEGMENTS-1:0] PARTS = 0,  // parts in memory,
  parameter bit [32*SEGMENTS-1:0] RUNS = 0,   // runs of each,
  parameter bit [32*SEGMENTS-1:0] TOKENS = 0, // and tokens of a run
  parameter int ID = 0
) (
  input  logic                  clk,
  input  logic                  next,
  output logic [WIDTH-1:0]      data,
  input  logic                  come,
  input  logic [32*NUMBERS-1:0] what  // numbers of parts, as binary32
);
  localparam int BYTES = (WIDTH + 7) / 8;
  logic [8*BYTES-1:0] content [ALL];
  logic [31:0] numbers [KNOWN];
  int file, token = 0, part = 0, run = 0, segment = 0, known = 0;
  initial begin
    file = $fopen($sformatf("held/%0d_content.bin", ID), "rb");
    void'($fread(content, file));
    $fclose(file);
  end
  // Whatever comes, no address lies outside of memory: what is no part's number is taken for the first.
  function automatic int number_of(logic [31:0] number, int parts);
    logic [63:0] whole;
    if (number[31] || number[30:23] < 8'd127 || number[30:23] > 8'd157) return 0;
    whole = (64'({1'b1, number[22:0]}) << (number[30:23] - 8'd127)) >> 23;
    return whole < 64'(parts) ? int'(whole) : 0;
  endfunction
  int chosen, parts, runs, tokens, place;
  always_comb begin
    chosen = CHOSEN[32*segment +: 32];
    parts = PARTS[32*segment +: 32];
    runs = RUNS[32*segment +: 32];
    tokens = TOKENS[32*segment +: 32];
    place = chosen == 0 ? 0 : number_of(numbers[part], parts);
    place = START[32*segment +: 32] + (place * runs + run) * tokens + token;
    data = content[place][WIDTH-1:0];
  end
  always @(posedge clk) begin
    if (come) begin
      for (int k = 0; k < NUMBERS; ++k) numbers[known + k] = what[32*k +: 32];
      known <= known + NUMBERS >= KNOWN ? 0 : known + NUMBERS;
    end
    if (next) begin
      token <= token == tokens - 1 ? 0 : token + 1;
      if (token == tokens - 1) begin
        part <= part >= chosen - 1 ? 0 : part + 1;
        if (part >= chosen - 1) begin
          run <= run == runs - 1 ? 0 : run + 1;
          if (run == runs - 1) segment <= segment == SEGMENTS - 1 ? 0 : segment + 1;
        end
      end
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
