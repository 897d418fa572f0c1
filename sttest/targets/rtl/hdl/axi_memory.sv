// Memory behind an AXI4 port in simulation: takes and gives when chance will, and complains of what AXI forbids.
module axi_memory #(
  parameter int WORD = 512,
  parameter int SEED = 1
) (
  input  logic              clk,
  input  logic              reset,
  input  logic              awvalid,
  output logic              awready,
  input  logic [63:0]       awaddr,
  input  logic [7:0]        awlen,
  input  logic              wvalid,
  output logic              wready,
  input  logic [WORD-1:0]   wdata,
  input  logic [WORD/8-1:0] wstrb,
  input  logic              wlast,
  output logic              bvalid,
  input  logic              bready,
  input  logic              arvalid,
  output logic              arready,
  input  logic [63:0]       araddr,
  input  logic [7:0]        arlen,
  output logic              rvalid,
  input  logic              rready,
  output logic [WORD-1:0]   rdata,
  output logic              rlast
);
  import "DPI-C" function int axi_fetch(input longint address);
  import "DPI-C" function void axi_store(input longint address, input int data, input int bytes);
  import "DPI-C" function void axi_complain(input string what, input longint address);
  localparam int BYTES = WORD / 8;
  localparam int QUEUE = 8;

  logic [31:0] chance = SEED * 32'h9e3779b9 + 1;
  always_ff @(posedge clk) begin
    logic [31:0] mixed;
    mixed = chance ^ (chance << 13);
    mixed = mixed ^ (mixed >> 17);
    chance <= mixed ^ (mixed << 5);
  end

  // Reads.
  longint read_at [QUEUE];
  int read_beats [QUEUE];
  int read_head = 0, read_tail = 0, read_count = 0, read_beat = 0;
  logic fetches, read_ends;
  assign arready = ~reset & chance[0] & read_count < QUEUE;
  assign fetches = read_count != 0 & chance[3:2] != 0 & (~rvalid | rready);
  assign read_ends = fetches & read_beat == read_beats[read_head] - 1;
  always_ff @(posedge clk)
    if (reset) rvalid <= 1'b0;
    else begin
      if (arvalid & arready) begin
        read_at[read_tail] <= araddr;
        read_beats[read_tail] <= int'(arlen) + 1;
        read_tail <= (read_tail + 1) % QUEUE;
        if ((araddr % 4096) + (longint'(arlen) + 1) * BYTES > 4096) axi_complain("a read crosses 4 KiB", araddr);
        if (araddr % BYTES != 0) axi_complain("a read begins inside a word", araddr);
      end
      if (fetches) begin
        for (int n = 0; n < WORD / 32; n++)
          rdata[n * 32 +: 32] <= axi_fetch(read_at[read_head] + longint'(read_beat) * BYTES + longint'(n) * 4);
        rlast <= read_ends;
        read_beat <= read_ends ? 0 : read_beat + 1;
        if (read_ends) read_head <= (read_head + 1) % QUEUE;
      end
      rvalid <= fetches | (rvalid & ~rready);
      read_count <= read_count + int'(arvalid & arready) - int'(read_ends);
    end

  // Writes.
  longint write_at [QUEUE];
  int write_beats [QUEUE];
  int write_head = 0, write_tail = 0, write_count = 0, write_beat = 0, unanswered = 0;
  logic stores, write_ends, answers;
  assign awready = ~reset & chance[5] & write_count < QUEUE;
  assign wready = ~reset & chance[8:7] != 0 & write_count != 0;
  assign stores = wvalid & wready;
  assign write_ends = stores & write_beat == write_beats[write_head] - 1;
  assign answers = unanswered != 0 & chance[10:9] == 0 & (~bvalid | bready);
  always_ff @(posedge clk)
    if (reset) bvalid <= 1'b0;
    else begin
      if (awvalid & awready) begin
        write_at[write_tail] <= awaddr;
        write_beats[write_tail] <= int'(awlen) + 1;
        write_tail <= (write_tail + 1) % QUEUE;
        if ((awaddr % 4096) + (longint'(awlen) + 1) * BYTES > 4096) axi_complain("a write crosses 4 KiB", awaddr);
        if (awaddr % BYTES != 0) axi_complain("a write begins inside a word", awaddr);
      end
      if (stores) begin
        for (int n = 0; n < WORD / 32; n++)
          axi_store(write_at[write_head] + longint'(write_beat) * BYTES + longint'(n) * 4, wdata[n * 32 +: 32],
                    {28'd0, wstrb[n * 4 +: 4]});
        if (wlast != write_ends) axi_complain("the last word of a burst is another", write_at[write_head]);
        write_beat <= write_ends ? 0 : write_beat + 1;
        if (write_ends) write_head <= (write_head + 1) % QUEUE;
      end
      bvalid <= answers | (bvalid & ~bready);
      write_count <= write_count + int'(awvalid & awready) - int'(write_ends);
      unanswered <= unanswered + int'(write_ends) - int'(answers);
    end

  // What is offered stays until it is taken.
  logic ar_waits = 0, aw_waits = 0, w_waits = 0;
  logic [63:0] ar_was, aw_was;
  logic [WORD-1:0] w_was;
  always_ff @(posedge clk) begin
    ar_waits <= ~reset & arvalid & ~arready;
    aw_waits <= ~reset & awvalid & ~awready;
    w_waits <= ~reset & wvalid & ~wready;
    ar_was <= araddr;
    aw_was <= awaddr;
    w_was <= wdata;
    if (ar_waits & (~arvalid | araddr != ar_was)) axi_complain("a read is taken back", ar_was);
    if (aw_waits & (~awvalid | awaddr != aw_was)) axi_complain("a write is taken back", aw_was);
    if (w_waits & (~wvalid | wdata != w_was)) axi_complain("data is taken back", aw_was);
  end
endmodule

// The host of a kernel in simulation: addresses of arguments, start, and asking until it is done, so many times.
module axi_host #(
  parameter int ARGUMENTS = 1,
  parameter int LAUNCHES = 2
) (
  input  logic        clk,
  input  logic        reset,
  output logic        awvalid,
  input  logic        awready,
  output logic [11:0] awaddr,
  output logic        wvalid,
  input  logic        wready,
  output logic [31:0] wdata,
  input  logic        bvalid,
  output logic        bready,
  output logic        arvalid,
  input  logic        arready,
  output logic [11:0] araddr,
  input  logic        rvalid,
  output logic        rready,
  input  logic [31:0] rdata,
  output logic        finished
);
  import "DPI-C" function void axi_launch(input int number);
  int number = 0, launch = 0;  // of the next register to write: halves of arguments, then the start
  logic asking = 0;
  assign araddr = 0;
  assign bready = 1;
  assign rready = 1;
  assign finished = launch == LAUNCHES;
  assign awaddr = number == 2 * ARGUMENTS ? 12'd0 : 12'(16 + 12 * (number / 2) + 4 * (number % 2));
  assign wdata = number == 2 * ARGUMENTS ? 32'd1 : number % 2 == 1 ? number / 2 + 1 : 32'd0;
  always_ff @(posedge clk)
    if (reset) begin
      awvalid <= 0;
      wvalid <= 0;
      arvalid <= 0;
    end else if (!finished) begin
      if (!asking && !awvalid && !wvalid && !bvalid) begin
        if (number == 2 * ARGUMENTS) axi_launch(launch);
        awvalid <= 1;
        wvalid <= 1;
      end
      if (awvalid && awready) awvalid <= 0;
      if (wvalid && wready) wvalid <= 0;
      if (bvalid) begin
        number <= number == 2 * ARGUMENTS ? 0 : number + 1;
        asking <= number == 2 * ARGUMENTS;
      end
      if (asking && !arvalid && !rvalid) arvalid <= 1;
      if (arvalid && arready) arvalid <= 0;
      if (rvalid && asking && rdata[1]) begin
        asking <= 0;
        launch <= launch + 1;
      end
    end
endmodule
