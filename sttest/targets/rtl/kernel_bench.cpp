// Clocks a kernel with its memory: argument n lies at (n + 1) * 2^32, and is read from and written to a file.
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <sys/prctl.h>

#include "Vbench.h"
#include "verilated.h"

static std::vector<std::vector<uint8_t>> memory(ARGUMENTS);
static int complaints = 0;

extern "C" void axi_complain(const char* what, long long address) {
    if (++complaints < 20) std::printf("complaint %s at %llx\n", what, address);
}

static uint8_t* place(long long address, const char* what) {
    static uint8_t nowhere[4];
    const uint64_t argument = uint64_t(address) >> 32, offset = uint64_t(address) & 0xFFFFFFFFu;
    if (argument >= 1 && argument <= ARGUMENTS && offset + 4 <= memory[argument - 1].size())
        return memory[argument - 1].data() + offset;
    axi_complain(what, address);
    return nowhere;
}

extern "C" int axi_fetch(long long address) {
    const uint8_t* at = place(address, "a read outside of its argument");
    return int(uint32_t(at[0]) | uint32_t(at[1]) << 8 | uint32_t(at[2]) << 16 | uint32_t(at[3]) << 24);
}

extern "C" void axi_store(long long address, int data, int bytes) {
    uint8_t* at = place(address, "a write outside of its argument");
    for (int n = 0; n < 4; ++n)
        if (bytes >> n & 1) at[n] = uint8_t(uint32_t(data) >> (8 * n));
}

static std::string file(int argument, const char* kind) {
    return "memory/" + std::to_string(argument) + kind;
}

// What a launch before has written is gone.
extern "C" void axi_launch(int) {
    for (int n = 0; n < ARGUMENTS; ++n) {
        std::ifstream in(file(n, ".bin"), std::ios::binary);
        memory[n].assign(std::istreambuf_iterator<char>(in), {});
    }
}

int main(int argc, char** argv) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody waits for it after that
    Verilated::commandArgs(argc, argv);
    const uint64_t limit = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : UINT64_MAX;
    Vbench bench;
    uint64_t cycles = 0;
    for (; cycles < limit && !bench.finished; ++cycles) {
        bench.ap_rst_n = cycles >= 8;
        for (int level : {1, 0}) {
            bench.ap_clk = level;
            bench.eval();
        }
    }
    for (int n = 0; n < ARGUMENTS; ++n) {
        std::ofstream out(file(n, ".out"), std::ios::binary);
        out.write(reinterpret_cast<const char*>(memory[n].data()), std::streamsize(memory[n].size()));
    }
    const bool finished = bench.finished;
    bench.final();
    std::printf("%s %llu %d\n", finished ? "done" : "limit", (unsigned long long)cycles, complaints);
    return 0;
}
