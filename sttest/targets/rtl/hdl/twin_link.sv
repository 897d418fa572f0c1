// A FIFO whose ends are apart: what is written in one cycle can be read RAW cycles later, and takes up a place meanwhile.
//
// `space` and `avail`, the checks and the log are those of twin_srl; `moving` while a token is on its way.
module twin_link #(
  parameter int DEPTH = 2,
  parameter int INITIAL = 0,
  parameter int RAW = 2
) (
  input  logic        clk,
  input  logic [31:0] id,
  input  logic [63:0] now,
  input  logic [31:0] put,
  input  logic [31:0] take,
  output logic [31:0] space,
  output logic [31:0] avail,
  output logic        moving
);
  logic [31:0] memory [0:DEPTH-1];  // touched only by the one block below, as are the next six
  logic [31:0] on_way [0:RAW-2];  // written so many cycles ago
  logic [31:0] head = 0;
  logic [31:0] tail = INITIAL % DEPTH;
  logic [31:0] count = INITIAL;
  logic [31:0] visible = INITIAL;
  logic [31:0] flying = 0;
  logic [31:0] entered = INITIAL;
  logic [31:0] left = 0;
  int place;

  assign space = DEPTH - count;
  assign avail = visible;
  assign moving = flying != 0;

  initial begin
    for (place = 0; place < INITIAL; place = place + 1) memory[place] = place;
    for (place = 0; place < RAW - 1; place = place + 1) on_way[place] = 0;
  end

  always @(posedge clk) begin
    for (place = 0; place < take; place = place + 1) begin
      if (memory[head] !== left + place) `TWIN_WRONG(id, memory[head], left + place, now);
      head = head == DEPTH - 1 ? 0 : head + 1;
    end
    if (take != 0) `TWIN_ACCESS(2 * id, take, now);
    for (place = 0; place < put; place = place + 1) begin
      memory[tail] = entered + place;
      tail = tail == DEPTH - 1 ? 0 : tail + 1;
    end
    if (put != 0) `TWIN_ACCESS(2 * id + 1, put, now);
    flying <= flying + put - on_way[RAW - 2];
    visible <= visible - take + on_way[RAW - 2];
    for (place = RAW - 2; place > 0; place = place - 1) on_way[place] = on_way[place - 1];
    on_way[0] = put;
    count <= count + put - take;
    entered <= entered + put;
    left <= left + take;
  end
endmodule
