// How the hardware tells the testbench what happens: calls into C++ under Verilator, lines of text elsewhere.
`ifdef VERILATOR
package twin_log;
  import "DPI-C" function void twin_access(input int op, input int tokens, input longint now);
  import "DPI-C" function void twin_finish(input int id, input longint now);
  import "DPI-C" function void twin_blocked(input int id, input int op, input int need, input int have);
  import "DPI-C" function void twin_wrong(input int fifo, input int got, input int expected, input longint now);
endpackage
`define TWIN_ACCESS(op, tokens, now) twin_log::twin_access(op, tokens, now)
`define TWIN_FINISH(id, now) twin_log::twin_finish(id, now)
`define TWIN_BLOCKED(id, op, need, have) twin_log::twin_blocked(id, op, need, have)
`define TWIN_WRONG(fifo, got, expected, now) twin_log::twin_wrong(fifo, got, expected, now)
`else
`define TWIN_ACCESS(op, tokens, now) $display("access %0d %0d %0d", op, tokens, now)
`define TWIN_FINISH(id, now) $display("finish %0d %0d", id, now)
`define TWIN_BLOCKED(id, op, need, have) $display("blocked %0d %0d %0d %0d", id, op, need, have)
`define TWIN_WRONG(fifo, got, expected, now) $display("wrong %0d %0d %0d %0d", fifo, got, expected, now)
`endif
