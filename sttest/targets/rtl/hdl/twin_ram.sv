// A FIFO of a memory and output registers: what is written in one cycle is fetched in the next and can be
// read in the one after. The registers, LANES of them for a reader that takes that many in a cycle, are
// part of the depth.
//
// Ports, numbering and checks as in twin_srl.
module twin_ram #(
  parameter int DEPTH = 2,
  parameter int INITIAL = 0,
  parameter int LANES = 1
) (
  input  logic        clk,
  input  logic [31:0] id,
  input  logic [63:0] now,
  input  logic [31:0] put,
  input  logic [31:0] take,
  output logic [31:0] space,
  output logic [31:0] avail
);
  localparam int READY = INITIAL < LANES ? INITIAL : LANES;
  logic [31:0] memory [0:DEPTH-1];  // touched only by the one block below, as are the next five
  logic [31:0] lane [0:LANES-1];
  logic [31:0] head = READY % DEPTH;
  logic [31:0] tail = INITIAL % DEPTH;
  logic [31:0] stored = INITIAL - READY;
  logic [31:0] fetched = READY;
  logic [31:0] count = INITIAL;
  logic [31:0] visible = READY;
  logic [31:0] entered = INITIAL;
  logic [31:0] left = 0;
  int place;

  assign space = DEPTH - count;
  assign avail = visible;

  initial begin
    for (place = 0; place < INITIAL; place = place + 1) memory[place] = place;
    for (place = 0; place < READY; place = place + 1) lane[place] = place;
  end

  always @(posedge clk) if (put != 0 || take != 0 || stored != 0) begin
    if (take != 0) begin
      for (place = 0; place < take; place = place + 1)
        if (lane[place] !== left + place) `TWIN_WRONG(id, lane[place], left + place, now);
      for (place = take; place < LANES; place = place + 1) lane[place - take] = lane[place];
      fetched = fetched - take;
      `TWIN_ACCESS(2 * id, take, now);
    end
    while (stored != 0 && fetched != LANES) begin
      lane[fetched] = memory[head];
      head = head == DEPTH - 1 ? 0 : head + 1;
      stored = stored - 1;
      fetched = fetched + 1;
    end
    if (put != 0) begin
      for (place = 0; place < put; place = place + 1) begin
        memory[tail] = entered + place;
        tail = tail == DEPTH - 1 ? 0 : tail + 1;
      end
      stored = stored + put;
      `TWIN_ACCESS(2 * id + 1, put, now);
    end
    visible <= fetched;
    count <= count + put - take;
    entered <= entered + put;
    left <= left + take;
  end
endmodule
