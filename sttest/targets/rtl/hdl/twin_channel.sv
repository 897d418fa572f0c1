// A memory channel: serves one burst at a time, never idle while one waits; ports take turns, burst by burst.
//
// NUM beats pass per DEN cycles. A burst holds the channel until its last beat has passed. LATENCY cycles behind,
// its beats come to the port: `there` says to which, `there_bytes` how many bytes of the burst have come so far.
// The port has them in the next cycle.
module twin_channel #(
  parameter int PORTS = 1,
  parameter longint LATENCY = 0,
  parameter int BEAT_BYTES = 64,
  parameter int NUM = 1,
  parameter int DEN = 1,
  parameter int FLIGHTS = 1
) (
  input  logic                clk,
  input  logic                tick,
  input  logic [63:0]         now,
  input  logic [PORTS-1:0]    wants,
  input  logic [PORTS*32-1:0] bytes,
  input  logic [PORTS*32-1:0] bursts,
  input  logic [PORTS*32-1:0] slots,
  output logic [PORTS-1:0]    grant,
  output logic [PORTS-1:0]    there,
  output logic [31:0]         there_burst,
  output logic [31:0]         there_slot,
  output logic [31:0]         there_bytes,
  output logic                there_last,
  output logic                moving
);
  // Whose turn, and how long the channel is still taken, in beats * DEN.
  logic [31:0] served = PORTS - 1;
  logic [63:0] work = 0;
  logic [31:0] pick;
  logic        starts;
  int          port;

  always_comb begin
    pick = 0;
    for (port = PORTS - 1; port >= 0; port = port - 1) if (wants[port]) pick = port;
    for (port = PORTS - 1; port >= 0; port = port - 1) if (wants[port] && port > served) pick = port;
  end
  assign starts = work == 0 && wants != 0;
  assign grant = starts ? {{(PORTS - 1){1'b0}}, 1'b1} << pick : {PORTS{1'b0}};

  logic [31:0] new_beats, new_bytes;
  logic [63:0] new_work;
  assign new_bytes = bytes[pick * 32 +: 32];
  assign new_beats = ({32'd0, new_bytes} + BEAT_BYTES - 1) / BEAT_BYTES;
  assign new_work = new_beats * DEN;

  // Bursts between their start and their last beat, oldest at `head`.
  logic [31:0] flight_port [0:FLIGHTS-1];
  logic [31:0] flight_burst [0:FLIGHTS-1];
  logic [31:0] flight_slot [0:FLIGHTS-1];
  logic [31:0] flight_beats [0:FLIGHTS-1];
  logic [63:0] flight_start [0:FLIGHTS-1];
  logic [31:0] head = 0;
  logic [31:0] tail = 0;
  logic [31:0] flights = 0;

  // The one whose beats arrive; without latency it may be the one that starts in this very cycle.
  logic        at_once, arrives, pushes, pops;
  logic [31:0] rest = 0;
  logic [31:0] beats = 0;
  logic [31:0] sum, beats_next, of_port, of_beats;
  assign at_once = LATENCY == 0 && flights == 0 && starts;
  assign arrives = at_once || (flights != 0 && now >= flight_start[head] + LATENCY);
  assign of_port = at_once ? pick : flight_port[head];
  assign of_beats = at_once ? new_beats : flight_beats[head];
  assign sum = rest + NUM;
  assign beats_next = beats + sum / DEN > of_beats ? of_beats : beats + sum / DEN;
  assign there = arrives ? {{(PORTS - 1){1'b0}}, 1'b1} << of_port : {PORTS{1'b0}};
  assign there_burst = at_once ? bursts[pick * 32 +: 32] : flight_burst[head];
  assign there_slot = at_once ? slots[pick * 32 +: 32] : flight_slot[head];
  assign there_bytes = beats_next * BEAT_BYTES;
  assign there_last = beats_next == of_beats;
  assign pushes = starts && !(at_once && there_last);
  assign pops = arrives && there_last && !at_once;
  assign moving = wants != 0 || work != 0 || flights != 0;

  always @(posedge clk) if (tick) begin
    if (starts) served <= pick;
    if (starts) work <= new_work > NUM ? new_work - NUM : 0;
    else work <= work > NUM ? work - NUM : 0;
    if (pushes) begin
      flight_port[tail] <= pick;
      flight_burst[tail] <= bursts[pick * 32 +: 32];
      flight_slot[tail] <= slots[pick * 32 +: 32];
      flight_beats[tail] <= new_beats;
      flight_start[tail] <= now;
      tail <= tail == FLIGHTS - 1 ? 0 : tail + 1;
    end
    if (pops) head <= head == FLIGHTS - 1 ? 0 : head + 1;
    flights <= flights + pushes - pops;
    if (arrives) begin
      rest <= there_last ? 0 : sum % DEN;
      beats <= there_last ? 0 : beats_next;
    end
  end
endmodule
