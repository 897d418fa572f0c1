// Clocks a bench of modules: Vbench CLOCKS.
#include <cstdlib>

#include "Vbench.h"

int main(int count, char** given) {
    if (count < 2) return 2;
    Verilated::commandArgs(count, given);
    Vbench bench;
    for (long clock = 0; clock < std::atol(given[1]) + 2; clock++) {
        bench.reset = clock < 2;
        bench.clk = 0;
        bench.eval();
        bench.clk = 1;
        bench.eval();
    }
    bench.final();
}
