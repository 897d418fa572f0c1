// A memory channel: takes one burst at a time, never idle while one waits.
//
// It counts in units, NUM of which pass per cycle. A beat is READ_DEN units, one that is written WRITE_DEN; a burst of
// a port that is RANDOM takes RANDOM_SHORT units at least where it has up to RANDOM_BYTES, else RANDOM_LONG. The next
// burst may be taken in the cycle within which the channel gets free, and begins with the `work` that is left then.
//
// Beats and responses come so long after a burst began, or BUSY_ so long after the channel was free for it, whichever
// is later. A write burst whose data aren't `whole` when it is taken holds the channel until they are.
module twin_channel #(
  parameter int PORTS = 1,
  parameter bit [PORTS-1:0] WRITES = 0,
  parameter bit [PORTS-1:0] RANDOM = 0,
  parameter longint LATENCY = 0,
  parameter longint BUSY_LATENCY = 0,
  parameter longint RESPONSE = 1,
  parameter longint BUSY_RESPONSE = 1,
  parameter longint ID_WAIT = 0,
  parameter int BEAT_BYTES = 64,
  parameter int NUM = 1,
  parameter int READ_DEN = 1,
  parameter int WRITE_DEN = 1,
  parameter int RANDOM_BYTES = 0,
  parameter int RANDOM_SHORT = 0,
  parameter int RANDOM_LONG = 0,
  parameter int READ_TURNS = 1,
  parameter int WRITE_TURNS = 1,
  parameter int FLIGHTS = 1,  // read bursts that every second one is at most on its way with
  parameter int ANSWERS = 1   // write bursts without response
) (
  input  logic                clk,
  input  logic                tick,
  input  logic [63:0]         now,
  input  logic [PORTS-1:0]    wants,
  input  logic [PORTS-1:0]    whole,    // whether all data are there of the burst that waits,
  input  logic [PORTS-1:0]    filled,   // and of the one taken last
  input  logic [PORTS*32-1:0] bytes,
  input  logic [PORTS*32-1:0] bursts,
  input  logic [PORTS*32-1:0] slots,
  output logic [PORTS-1:0]    grant,    // the burst is taken,
  output logic [PORTS-1:0]    ends,     // and it is known from which cycle on one ID may go elsewhere
  output logic [63:0]         leave,
  output logic [2*PORTS-1:0]  there,
  output logic [63:0]         there_burst,
  output logic [63:0]         there_slot,
  output logic [63:0]         there_bytes,
  output logic [PORTS-1:0]    answer,
  output logic [31:0]         answer_burst,
  output logic [31:0]         answer_slot,
  output logic                moving
);
  logic [63:0] work = 0;  // units until the channel is free
  logic        held = 0;
  logic        busy, starts, writes;
  logic [31:0] pick;
  assign busy = held || work >= NUM;
  assign starts = !busy && wants != 0;
  assign grant = starts ? {{(PORTS - 1){1'b0}}, 1'b1} << pick : {PORTS{1'b0}};
  assign writes = WRITES[pick];

  twin_turns #(.PORTS(PORTS), .WRITES(WRITES), .READ_TURNS(READ_TURNS), .WRITE_TURNS(WRITE_TURNS)) turns (
    .clk(clk), .tick(tick), .wants(wants), .takes(starts), .pick(pick));

  logic [31:0] new_bytes, new_beats, burst, slot;
  logic [63:0] beat_units, least_units, units;
  assign new_bytes = bytes[pick * 32 +: 32];
  assign burst = bursts[pick * 32 +: 32];
  assign slot = slots[pick * 32 +: 32];
  assign new_beats = ({32'd0, new_bytes} + BEAT_BYTES - 1) / BEAT_BYTES;
  assign beat_units = {32'd0, new_beats} * (writes ? WRITE_DEN : READ_DEN);
  assign least_units = !RANDOM[pick] ? 0 : new_bytes <= RANDOM_BYTES ? RANDOM_SHORT : RANDOM_LONG;
  // Until the burst is done, counted from this cycle; a channel takes no second burst within a cycle.
  assign units = work + (beat_units > least_units ? beat_units : least_units);

  // When the channel was last free, and `free_late` units behind the begin of that cycle; at first it always was.
  logic [63:0] free_at = 0;
  logic [31:0] free_late = 0;
  logic        used = 0;
  logic [63:0] work_next, idle_due, busy_due, due;
  logic        is_busy_due;
  assign work_next = starts ? (units > NUM ? units - NUM : 0) : work > NUM ? work - NUM : 0;
  assign idle_due = now + (writes ? RESPONSE : LATENCY);
  assign busy_due = free_at + (writes ? BUSY_RESPONSE : BUSY_LATENCY);
  assign is_busy_due = used && busy_due >= idle_due;
  assign due = is_busy_due ? busy_due : idle_due;

  always @(posedge clk) if (tick) begin
    work <= work_next;
    if (starts) used <= 1;
    if (starts || busy) begin
      free_at <= now + 1;
      free_late <= work_next[31:0];
    end
  end

  // A burst that holds the channel: what is known of it before its last data come.
  logic        holds, releases, answers, answers_move;
  logic [31:0] held_port = 0;
  logic [31:0] held_burst = 0;
  logic [31:0] held_slot = 0;
  logic [63:0] held_due = 0;
  logic [63:0] held_end = 0;
  logic [63:0] new_end, over;
  assign holds = starts && !whole[pick];
  assign releases = held && filled[held_port];
  assign new_end = now + (units > NUM ? (units + NUM - 1) / NUM : 1);
  assign over = !held ? new_end : held_end > now + 1 ? held_end : now + 1;
  assign leave = over + ID_WAIT;
  assign ends = releases ? {{(PORTS - 1){1'b0}}, 1'b1} << held_port : holds ? {PORTS{1'b0}} : grant;
  assign answers = releases || (starts && writes && !holds);

  always @(posedge clk) if (tick) begin
    if (holds) begin
      held <= 1;
      held_port <= pick;
      held_burst <= burst;
      held_slot <= slot;
      held_due <= due;
      held_end <= new_end;
    end else if (releases) held <= 0;
  end

  twin_answers #(.PORTS(PORTS), .FLIGHTS(ANSWERS)) answering (
    .clk(clk), .tick(tick), .now(now), .start(answers),
    .due(held ? held_due : due), .port(held ? held_port : pick), .burst(held ? held_burst : burst),
    .slot(held ? held_slot : slot), .answer(answer), .answer_burst(answer_burst), .answer_slot(answer_slot),
    .moving(answers_move));

  // The last beat of a burst and the first of the next may come in one cycle, so that they go on two ways in turn.
  logic       turn = 0;
  logic [1:0] flights_move;
  always @(posedge clk) if (tick && starts && !writes) turn <= !turn;
  genvar way;
  generate
    for (way = 0; way < 2; way = way + 1) begin : ways
      twin_flights #(.PORTS(PORTS), .BEAT_BYTES(BEAT_BYTES), .NUM(NUM), .DEN(READ_DEN), .FLIGHTS(FLIGHTS)) flights (
        .clk(clk), .tick(tick), .now(now), .start(starts && !writes && turn == way), .due(due),
        .late(is_busy_due ? free_late : work[31:0]), .beats(new_beats), .port(pick), .burst(burst), .slot(slot),
        .there(there[way * PORTS +: PORTS]), .there_burst(there_burst[way * 32 +: 32]),
        .there_slot(there_slot[way * 32 +: 32]), .there_bytes(there_bytes[way * 32 +: 32]), .moving(flights_move[way]));
    end
  endgenerate

  // While a burst holds the channel, whether anything moves is for the port to say that writes it.
  assign moving = starts || work != 0 || flights_move != 0 || answers_move;
endmodule
