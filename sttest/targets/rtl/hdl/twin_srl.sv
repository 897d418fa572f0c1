// A FIFO of shift registers: what is written in one cycle can be read in the next.
//
// `space` and `avail` are registered, so a place freed in a cycle is seen in the next, and a full FIFO
// takes no write in the cycle in which it is read. Tokens are numbered where they enter and checked where
// they leave. `id` is the number of the FIFO in the log; ops are 2 * id for a read, 2 * id + 1 for a write.
module twin_srl #(
  parameter int DEPTH = 2,
  parameter int INITIAL = 0
) (
  input  logic        clk,
  input  logic [31:0] id,
  input  logic [63:0] now,
  input  logic [31:0] put,
  input  logic [31:0] take,
  output logic [31:0] space,
  output logic [31:0] avail
);
  logic [31:0] store [0:DEPTH-1];  // place 0 is the newest; only touched by the one block below
  logic [31:0] count = INITIAL;
  logic [31:0] entered = INITIAL;
  logic [31:0] left = 0;
  int place;

  assign space = DEPTH - count;
  assign avail = count;

  initial for (place = 0; place < INITIAL; place = place + 1) store[place] = INITIAL - 1 - place;

  always @(posedge clk) begin
    if (take != 0) begin
      for (place = 0; place < take; place = place + 1)
        if (store[count - 1 - place] !== left + place)
          `TWIN_WRONG(id, store[count - 1 - place], left + place, now);
      `TWIN_ACCESS(2 * id, take, now);
    end
    if (put != 0) begin
      for (place = DEPTH - 1; place >= put; place = place - 1) store[place] = store[place - put];
      for (place = 0; place < put; place = place + 1) store[place] = entered + put - 1 - place;
      `TWIN_ACCESS(2 * id + 1, put, now);
    end
    if (put != 0 || take != 0) begin
      count <= count + put - take;
      entered <= entered + put;
      left <= left + take;
    end
  end
endmodule
