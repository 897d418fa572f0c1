// A set of scores that is read from its front while what is kept of it, and of another one, is appended to its back.
//
// Its pivot is the first score of a row: row `number` gives it if as many low bits of `random` are 0 as the number has.
module score_set #(
  parameter int LANES = 16,
  parameter int ROWS = 64,
  parameter int BITS = 16,
  localparam int ROW = ROWS > 1 ? $clog2(ROWS) : 1
) (
  input  logic                  clk,
  input  logic                  reset,
  input  logic                  start,     // whether what comes from the next cycle on are rows from number 0 on
  input  logic                  drop,      // whether the set is empty from the next cycle on, what it takes now included
  input  logic                  fill,      // whether a whole row comes
  input  logic [LANES*BITS-1:0] fill_row,
  input  logic                  move,
  input  logic                  packs,     // whether there is a row of which it keeps scores
  input  logic                  flushes,
  input  logic [LANES-1:0]      keep,
  input  logic [LANES*BITS-1:0] compared,
  input  logic [15:0]           random,
  input  logic                  reads,
  output logic [LANES*BITS-1:0] row,
  output logic [BITS-1:0]       pivot
);
  function automatic logic [ROW-1:0] next_place(logic [ROW-1:0] place);
    return 32'(place) == ROWS - 1 ? '0 : place + 1'b1;
  endfunction
  logic [ROW-1:0] front, back, back_next;
  logic [15:0] number, mask;
  logic packed_put, put;
  logic [LANES*BITS-1:0] packed_row, put_row;
  zero_eliminator #(.LANES(LANES), .WIDTH(BITS)) eliminator (
    .clk, .clear(reset), .move, .valid(packs), .flush(flushes), .keep, .data(compared), .put(packed_put),
    .put_data(packed_row)
  );
  assign put = fill | move & packed_put;
  assign put_row = fill ? fill_row : packed_row;
  assign back_next = put ? next_place(back) : back;
  memory #(.WIDTH(LANES*BITS), .DEPTH(ROWS)) rows (
    .clk, .put, .put_place(back), .put_data(put_row), .take(move & reads), .take_place(front), .take_data(row)
  );
  always_comb begin
    mask = number;
    for (int by = 1; by < 16; by += by) mask = mask | (mask >> by);
  end
  always_ff @(posedge clk)
    if (reset) begin
      front <= '0;
      back <= '0;
      number <= '0;
    end else begin
      back <= back_next;
      front <= drop ? back_next : move & reads ? next_place(front) : front;
      number <= start ? '0 : number + 16'(put);
      if (put & (random & mask) == 0) pivot <= put_row[BITS-1:0];
    end
endmodule

// The k largest of a stream of scores by quick-select, in the order in which they came, of equal ones the first.
//
// A job is how many scores there are (bits 15 to 0) and how many are kept (31 to 16).  Rows of scores fill a memory and
// the first of two sets.  A pass reads a set from its front and appends what is greater or less than the pivot to the
// backs of both; one of them is the next set, the other is dropped.  The last reading compares all scores with the
// k-th largest.  A row that leaves has LANES scores with their places above them, zeros behind the last one.
// The engine stops as a whole in a cycle in which what it takes has not come, or there is no room for what it puts.
module top_k #(
  parameter int LANES = 16,
  parameter int ROWS = 64,
  parameter int BITS = 16,
  localparam int PLACE = LANES * ROWS > 1 ? $clog2(LANES * ROWS) : 1,
  localparam int ROW = ROWS > 1 ? $clog2(ROWS) : 1,
  localparam int COUNT = $clog2(LANES + 1)
) (
  input  logic                          clk,
  input  logic                          reset,
  input  logic                          job_avail,
  output logic                          job_take,
  input  logic [31:0]                   job_data,
  input  logic                          row_avail,
  output logic                          row_take,
  input  logic [LANES*BITS-1:0]         row_data,
  input  logic                          kept_space,
  output logic                          kept_put,
  output logic [LANES*(PLACE+BITS)-1:0] kept_data
);
  typedef enum logic [1:0] {JOB, FILL, PASS, FILTER} state_t;
  state_t state;
  logic [15:0] scores, rank, count, left, step, rows, ties, equal_seen, more, equals;
  logic [15:0] random;
  logic [BITS-1:0] pivot;
  logic current;  // which set is read

  function automatic logic [15:0] rows_of(logic [15:0] n);
    return 16'((32'(n) + LANES - 1) / LANES);
  endfunction

  // What a cycle does.  A row is read in one step, compared in the next, packed in the one after that.
  logic searches, filters, reads, compares, packs, flushes, moves;
  assign searches = state == PASS;
  assign filters = state == FILTER;
  assign reads = (searches | filters) & step < rows;
  assign compares = (searches | filters) & step != 0 & step <= rows;
  assign packs = (searches | filters) & step >= 2 & step < rows + 2;
  assign flushes = (searches | filters) & step == rows + 2;

  // All scores.
  logic [LANES*BITS-1:0] all_row, row, greater_row, less_row;
  memory #(.WIDTH(LANES*BITS), .DEPTH(ROWS)) all_scores (
    .clk, .put(row_take), .put_place(ROW'(step)), .put_data(row_data), .take(moves & reads & filters),
    .take_place(ROW'(step)), .take_data(all_row)
  );
  assign row = filters ? all_row : current ? less_row : greater_row;

  // Compare.
  logic [LANES-1:0] above, below, same;
  logic [LANES*BITS-1:0] compared;
  always_ff @(posedge clk)
    if (moves & compares) begin
      compared <= row;
      for (int lane = 0; lane < LANES; lane++) begin
        above[lane] <= lane < 32'(left) & row[lane*BITS +: BITS] > pivot;
        below[lane] <= lane < 32'(left) & row[lane*BITS +: BITS] < pivot;
        same[lane] <= lane < 32'(left) & row[lane*BITS +: BITS] == pivot;
      end
    end

  // Two sets: what is greater, and what is less.  All scores are in the first one at the start.
  logic starts, drops_greater, drops_less;
  logic [BITS-1:0] greater_pivot, less_pivot;
  score_set #(.LANES(LANES), .ROWS(ROWS), .BITS(BITS)) greater (
    .clk, .reset, .start(starts), .drop(drops_greater), .fill(row_take), .fill_row(row_data), .move(moves),
    .packs(packs & searches), .flushes(flushes & searches), .keep(above), .compared, .random,
    .reads(reads & searches & ~current), .row(greater_row), .pivot(greater_pivot)
  );
  score_set #(.LANES(LANES), .ROWS(ROWS), .BITS(BITS)) less (
    .clk, .reset, .start(starts), .drop(drops_less), .fill(1'b0), .fill_row({(LANES*BITS){1'b0}}), .move(moves),
    .packs(packs & searches), .flushes(flushes & searches), .keep(below), .compared, .random,
    .reads(reads & searches & current), .row(less_row), .pivot(less_pivot)
  );

  // Pack what is kept at last.
  logic [LANES-1:0] keep;
  logic [LANES*(PLACE+BITS)-1:0] placed;
  logic [LANES*COUNT-1:0] aboves, sames;  // places up to each that are above, or the same
  logic [15:0] above_now, same_now, room;
  always_comb begin
    for (int lane = 0; lane < LANES; lane++) begin
      aboves[lane*COUNT +: COUNT] = COUNT'(above[lane]);
      sames[lane*COUNT +: COUNT] = COUNT'(same[lane]);
    end
    for (int by = 1; by < LANES; by += by)
      for (int lane = LANES - 1; lane >= by; lane--) begin
        aboves[lane*COUNT +: COUNT] = aboves[lane*COUNT +: COUNT] + aboves[(lane-by)*COUNT +: COUNT];
        sames[lane*COUNT +: COUNT] = sames[lane*COUNT +: COUNT] + sames[(lane-by)*COUNT +: COUNT];
      end
    above_now = 16'(aboves[(LANES-1)*COUNT +: COUNT]);
    same_now = 16'(sames[(LANES-1)*COUNT +: COUNT]);
    room = ties - equal_seen;
    for (int lane = 0; lane < LANES; lane++) begin
      keep[lane] = above[lane] | same[lane] & 16'(sames[lane*COUNT +: COUNT]) <= room;
      placed[lane*(PLACE+BITS) +: PLACE+BITS] =
        {PLACE'((32'(step) - 2) * LANES + lane), compared[lane*BITS +: BITS]};
    end
  end
  logic kept_wanted;
  zero_eliminator #(.LANES(LANES), .WIDTH(PLACE+BITS)) chosen (
    .clk, .clear(reset), .move(moves), .valid(packs & filters), .flush(flushes & filters), .keep, .data(placed),
    .put(kept_wanted), .put_data(kept_data)
  );

  // Control.
  logic found, in_greater, last_row;
  assign in_greater = rank <= more;
  assign found = ~in_greater & rank <= more + equals;
  assign last_row = step == rows - 1'b1;
  assign moves = (state != JOB | job_avail) & (state != FILL | row_avail) & (~kept_wanted | kept_space) & ~reset;
  assign job_take = moves & state == JOB;
  assign row_take = moves & state == FILL;
  assign kept_put = moves & kept_wanted;
  assign starts = moves & (state == JOB | state == FILL & last_row | searches & flushes);
  assign drops_greater = moves & (state == JOB | searches & flushes & ~in_greater);
  assign drops_less = moves & searches & flushes & (in_greater | found);

  always_ff @(posedge clk)
    if (reset) begin
      state <= JOB;
      current <= 1'b0;
    end else if (moves) begin
      step <= step + 1'b1;
      if (compares) left <= 32'(left) > LANES ? left - 16'(LANES) : '0;
      if (state == FILL | searches & (packs | flushes)) random <= (random >> 1) ^ (random[0] ? 16'hB400 : 16'h0);
      case (state)
        JOB: begin
          state <= FILL;
          scores <= job_data[15:0];
          count <= job_data[15:0];
          rank <= job_data[31:16];
          rows <= rows_of(job_data[15:0]);
          step <= '0;
          random <= 16'hACE1;
          current <= 1'b0;
        end
        FILL: begin
          if (last_row) begin
            step <= '0;
            left <= scores;
            more <= '0;
            equals <= '0;
            equal_seen <= '0;
            ties <= scores;
            pivot <= '0;
            state <= rank == scores ? FILTER : PASS;
          end
        end
        PASS: begin
          if (step == 0) pivot <= current ? less_pivot : greater_pivot;
          if (packs) begin
            more <= more + above_now;
            equals <= equals + same_now;
          end
          if (flushes) begin
            step <= '0;
            more <= '0;
            equals <= '0;
            current <= ~in_greater;
            if (found) begin
              state <= FILTER;
              ties <= rank - more;
              rows <= rows_of(scores);
              left <= scores;
            end else begin
              count <= in_greater ? more : count - more - equals;
              left <= in_greater ? more : count - more - equals;
              rows <= rows_of(in_greater ? more : count - more - equals);
              if (~in_greater) rank <= rank - more - equals;
            end
          end
        end
        FILTER: begin
          if (packs) equal_seen <= same_now > room ? ties : equal_seen + same_now;
          if (flushes) state <= JOB;
        end
      endcase
    end
endmodule
