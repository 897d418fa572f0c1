// Drives FIFOs whose wishes to put and take are bits of random words, and prints what happens in every cycle:
// put, take, space, avail and wrong, 64 bits each.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "Vbench.h"

static uint64_t wish(std::mt19937_64 &random, int kind) {
  uint64_t one = random(), other = random();
  return kind == 0 ? one : kind == 1 ? one | other : kind == 2 ? one & other : ~0ull;
}

int main(int count, char **arguments) {
  const long cycles = std::atol(arguments[1]);
  std::mt19937_64 random(std::atol(arguments[2]));
  Vbench bench;
  auto edge = [&] { bench.clk = 0; bench.eval(); bench.clk = 1; bench.eval(); };
  bench.reset = 1;
  bench.want_put = bench.want_take = 0;
  for (int cycle = 0; cycle < 3; cycle++) edge();
  bench.reset = 0;
  int putting = 0, taking = 0;
  for (long cycle = 0; cycle < cycles; cycle++) {
    if (cycle % 61 == 0) putting = random() % 4, taking = random() % 4;
    bench.want_put = wish(random, putting);
    bench.want_take = wish(random, taking);
    bench.clk = 0;
    bench.eval();
    const uint64_t row[5] = {bench.put, bench.take, bench.space, bench.avail, bench.wrong};
    std::fwrite(row, sizeof row, 1, stdout);
    bench.clk = 1;
    bench.eval();
  }
}
