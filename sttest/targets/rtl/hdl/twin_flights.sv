// Read bursts on their way to their ports, one after the other. From the cycle on in which a burst is due, and so many
// units `late`, NUM units pass per cycle; a beat is DEN units. `there` says to which port beats come, `there_bytes` how
// many bytes of the burst have come so far. The port has them in the next cycle.
module twin_flights #(
  parameter int PORTS = 1,
  parameter int BEAT_BYTES = 64,
  parameter int NUM = 1,
  parameter int DEN = 1,
  parameter int FLIGHTS = 1
) (
  input  logic             clk,
  input  logic             tick,
  input  logic [63:0]      now,
  input  logic             start,
  input  logic [63:0]      due,
  input  logic [31:0]      late,
  input  logic [31:0]      beats,
  input  logic [31:0]      port,
  input  logic [31:0]      burst,
  input  logic [31:0]      slot,
  output logic [PORTS-1:0] there,
  output logic [31:0]      there_burst,
  output logic [31:0]      there_slot,
  output logic [31:0]      there_bytes,
  output logic             moving
);
  logic [63:0] flight_due [0:FLIGHTS-1];
  logic [31:0] flight_late [0:FLIGHTS-1];
  logic [31:0] flight_beats [0:FLIGHTS-1];
  logic [31:0] flight_port [0:FLIGHTS-1];
  logic [31:0] flight_burst [0:FLIGHTS-1];
  logic [31:0] flight_slot [0:FLIGHTS-1];
  logic [31:0] head = 0;  // the oldest
  logic [31:0] tail = 0;
  logic [31:0] flights = 0;

  // The one whose beats come; without latency it may be the one that starts in this very cycle.
  logic        at_once, comes, last, pushes, pops;
  logic [31:0] of_late, of_beats, of_port;
  assign at_once = start && flights == 0 && now >= due;
  assign comes = at_once || (flights != 0 && now >= flight_due[head]);
  assign of_late = at_once ? late : flight_late[head];
  assign of_beats = at_once ? beats : flight_beats[head];
  assign of_port = at_once ? port : flight_port[head];

  logic        begun = 0;
  logic [31:0] left = 0;  // units that came and are no beat yet
  logic [31:0] come = 0;  // beats
  logic [31:0] units, beats_next;
  assign units = begun ? left + NUM : NUM - of_late;
  assign beats_next = come + units / DEN > of_beats ? of_beats : come + units / DEN;
  assign last = beats_next == of_beats;
  assign there = comes ? {{(PORTS - 1){1'b0}}, 1'b1} << of_port : {PORTS{1'b0}};
  assign there_burst = at_once ? burst : flight_burst[head];
  assign there_slot = at_once ? slot : flight_slot[head];
  assign there_bytes = beats_next * BEAT_BYTES;
  assign pushes = start && !(at_once && last);
  assign pops = comes && last && !at_once;
  assign moving = flights != 0;

  always @(posedge clk) if (tick) begin
    if (pushes) begin
      flight_due[tail] <= due;
      flight_late[tail] <= late;
      flight_beats[tail] <= beats;
      flight_port[tail] <= port;
      flight_burst[tail] <= burst;
      flight_slot[tail] <= slot;
      tail <= tail == FLIGHTS - 1 ? 0 : tail + 1;
    end
    if (pops) head <= head == FLIGHTS - 1 ? 0 : head + 1;
    flights <= flights + pushes - pops;
    if (comes) begin
      begun <= !last;
      left <= units % DEN;
      come <= last ? 0 : beats_next;
    end
  end
endmodule
