// How a port asks its channels for bursts: in order, at most one per cycle, and at most one waits at each channel.
//
// A burst may be asked for in the cycle in which its channel takes the port's burst before it there; the channel sees
// it in the next cycle then. A port with ONE_ID asks another channel only once the one before can be left. LINES are
// the port's channels.
module twin_requests #(
  parameter int LINES = 1,
  parameter int ROUTE = 0,
  parameter bit ONE_ID = 1,
  parameter int SLOTS = 1,
  parameter int BURSTS = 1,
  parameter int BURST_BYTES = 64,
  parameter int LAST_BYTES = 64
) (
  input  logic                clk,
  input  logic                tick,
  input  logic [63:0]         now,
  input  logic                may,       // the port wants to ask for burst `asked`
  input  logic [31:0]         complete,  // bursts whose data are there, of a port that writes
  input  logic [LINES-1:0]    grant,
  input  logic [LINES-1:0]    ends,
  input  logic [LINES*64-1:0] leave,
  output logic [31:0]         asked,     // bursts so far
  output logic [LINES-1:0]    wants,
  output logic [LINES-1:0]    whole,
  output logic [LINES-1:0]    filled,
  output logic [LINES*32-1:0] bytes,
  output logic [LINES*32-1:0] burst,
  output logic [LINES*32-1:0] slot,
  output logic                moving
);
  logic [31:0] to, place;
  logic        asks, at_once, allowed, timed;
  initial asked = 0;
  initial place = 0;
  twin_route #(.LINES(LINES), .BURSTS(BURSTS), .ROUTE(ROUTE)) route (
    .clk(clk), .step(tick && asks), .burst(asked), .to(to));

  logic [LINES-1:0] waiting = 0;
  assign at_once = may && allowed && !waiting[to];
  assign asks = may && allowed && (!waiting[to] || grant[to]);
  assign wants = at_once ? waiting | ({{(LINES - 1){1'b0}}, 1'b1} << to) : waiting;

  // With one ID all bursts that are not over lie in one channel, and the last of them tells when it can be left.
  logic [31:0] last_to = 0;
  logic [63:0] leave_at = 0;
  logic        open = 0;  // that isn't known yet
  assign timed = ONE_ID && LINES != 1 && asked != 0 && to != last_to;
  assign allowed = !timed || (!open && now >= leave_at);
  assign moving = may && (asks || (timed && !open && now < leave_at));

  logic [31:0] number;
  always @(posedge clk) if (tick) begin
    if (asks) begin
      asked <= asked + 1;
      place <= place == SLOTS - 1 ? 0 : place + 1;
      last_to <= to;
    end
    for (number = 0; number < LINES; number = number + 1)
      if (ends[number]) leave_at <= leave[number * 64 +: 64];
    // What ends in the cycle of a request is the new burst only if the channel has taken it; later, only that ends.
    if (asks) open <= !(at_once && grant[to] && ends[to]);
    else if (ends != 0) open <= 0;
  end

  genvar line;
  generate
    for (line = 0; line < LINES; line = line + 1) begin : lines
      logic [31:0] last_burst = 0;  // the one that waits, or was taken last
      logic [31:0] last_slot = 0;
      logic        is_new;
      assign is_new = at_once && to == line;
      assign burst[line * 32 +: 32] = is_new ? asked : last_burst;
      assign slot[line * 32 +: 32] = is_new ? place : last_slot;
      assign bytes[line * 32 +: 32] = burst[line * 32 +: 32] == BURSTS - 1 ? LAST_BYTES : BURST_BYTES;
      assign whole[line] = burst[line * 32 +: 32] < complete;
      assign filled[line] = last_burst < complete;
      always @(posedge clk) if (tick) begin
        if (asks && to == line) begin
          last_burst <= asked;
          last_slot <= place;
          waiting[line] <= !(at_once && grant[line]);
        end else if (grant[line]) waiting[line] <= 0;
      end
    end
  endgenerate
endmodule
