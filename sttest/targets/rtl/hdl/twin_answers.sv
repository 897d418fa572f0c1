// Responses of write bursts on their way to their ports: at most one per cycle, each later than the one before.
// `answer` says to which port one comes; the port has it in the next cycle, the one it is due.
module twin_answers #(
  parameter int PORTS = 1,
  parameter int FLIGHTS = 1
) (
  input  logic             clk,
  input  logic             tick,
  input  logic [63:0]      now,
  input  logic             start,
  input  logic [63:0]      due,
  input  logic [31:0]      port,
  input  logic [31:0]      burst,
  input  logic [31:0]      slot,
  output logic [PORTS-1:0] answer,
  output logic [31:0]      answer_burst,
  output logic [31:0]      answer_slot,
  output logic             moving
);
  logic [63:0] flight_due [0:FLIGHTS-1];
  logic [31:0] flight_port [0:FLIGHTS-1];
  logic [31:0] flight_burst [0:FLIGHTS-1];
  logic [31:0] flight_slot [0:FLIGHTS-1];
  logic [31:0] head = 0;  // the oldest
  logic [31:0] tail = 0;
  logic [31:0] flights = 0;

  logic at_once, pushes, pops;
  assign at_once = start && flights == 0 && now + 1 >= due;
  assign pushes = start && !at_once;
  assign pops = flights != 0 && now + 1 >= flight_due[head];
  assign answer = at_once || pops ? {{(PORTS - 1){1'b0}}, 1'b1} << (at_once ? port : flight_port[head]) : {PORTS{1'b0}};
  assign answer_burst = at_once ? burst : flight_burst[head];
  assign answer_slot = at_once ? slot : flight_slot[head];
  assign moving = flights != 0;

  always @(posedge clk) if (tick) begin
    if (pushes) begin
      flight_due[tail] <= due;
      flight_port[tail] <= port;
      flight_burst[tail] <= burst;
      flight_slot[tail] <= slot;
      tail <= tail == FLIGHTS - 1 ? 0 : tail + 1;
    end
    if (pops) head <= head == FLIGHTS - 1 ? 0 : head + 1;
    flights <= flights + pushes - pops;
  end
endmodule
