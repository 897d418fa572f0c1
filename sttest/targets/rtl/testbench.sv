// Clocks the twin until every graph has finished or stands still, for simulators without C++.
module testbench;
  parameter GRAPHS = 1;
  localparam QUIET_CLOCKS = 6;  // as in testbench.cpp

  reg clk = 0;
  reg [GRAPHS-1:0] report = 0;
  reg [GRAPHS-1:0] settled = 0;
  reg [GRAPHS-1:0] finished = 0;
  wire [GRAPHS-1:0] done, moving;
  reg [63:0] clocks = 0;
  reg [63:0] limit;
  integer quiet [0:GRAPHS-1];
  integer graph;

  twin dut (.clk(clk), .report(report), .done(done), .moving(moving));

  initial begin
    if (!$value$plusargs("clocks=%d", limit)) limit = {64{1'b1}};
    for (graph = 0; graph < GRAPHS; graph = graph + 1) quiet[graph] = 0;
    #1;
    while (settled != {GRAPHS{1'b1}} && clocks < limit) begin
      for (graph = 0; graph < GRAPHS; graph = graph + 1) if (!settled[graph]) begin
        quiet[graph] = moving[graph] ? 0 : quiet[graph] + 1;
        if (done[graph]) finished[graph] = 1;
        settled[graph] = done[graph] || quiet[graph] > QUIET_CLOCKS;
        report[graph] = settled[graph] && !done[graph];
      end
      #1 clk = 1;
      #1 clk = 0;
      report = 0;
      #1 clocks = clocks + 1;
    end
    for (graph = 0; graph < GRAPHS; graph = graph + 1)
      if (finished[graph]) $display("graph %0d done", graph);
      else if (settled[graph]) $display("graph %0d deadlock", graph);
      else $display("graph %0d limit", graph);
    $finish;
  end
endmodule
