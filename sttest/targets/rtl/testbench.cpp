// Clocks the twin until every graph has finished or stands still; logs what it tells.
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/prctl.h>

#include "Vtwin.h"
#include "verilated.h"
#if VM_TRACE_FST
#include "verilated_fst_c.h"
using Waveform = VerilatedFstC;
#elif VM_TRACE
#include "verilated_vcd_c.h"
using Waveform = VerilatedVcdC;
#else
struct Waveform {};
#endif
#if FAULTS
#include "Vtwin___024root.h"
#include "fault_sites.h"
void Vtwin___024root___eval_settle(Vtwin___024root* vlSelf);
#endif

// A graph in which nothing moves stands still for ever once the FIFOs have fetched what they hold.
constexpr int QUIET_CLOCKS = 6;

static std::vector<std::vector<uint64_t>> sides(2 * FIFOS + 1);

extern "C" void twin_access(int op, int tokens, long long now) { sides[op].insert(sides[op].end(), tokens, now); }

extern "C" void twin_finish(int id, long long now) { std::printf("finish %d %lld\n", id, now); }

extern "C" void twin_blocked(int id, int op, int need, int have) {
    std::printf("blocked %d %d %d %d\n", id, op, need, have);
}

extern "C" void twin_wrong(int fifo, int got, int expected, long long now) {
    std::printf("wrong %d %d %d %lld\n", fifo, got, expected, now);
}

// Bit `index` of a port of up to 64 bits, or of a wider one.
template <typename Port>
static bool bit(const Port& port, int index) {
    if constexpr (std::is_integral_v<Port>) return (uint64_t(port) >> index) & 1;
    else return (port[index / 32] >> (index % 32)) & 1;
}

template <typename Port>
static void set_bit(Port& port, int index, bool value) {
    if constexpr (std::is_integral_v<Port>) port = Port((port & ~(uint64_t(1) << index)) | (uint64_t(value) << index));
    else port[index / 32] = (port[index / 32] & ~(1U << (index % 32))) | (unsigned(value) << (index % 32));
}

// The clock edges of a waveform: what stands before an edge is at ten times its number.
struct Window {
    std::string path;
    uint64_t first = 0, last = UINT64_MAX;
};

static void clock(Vtwin& twin, Waveform& waveform, const Window& window, uint64_t number) {
    (void)waveform, (void)window, (void)number;
#if VM_TRACE
    const bool shown = !window.path.empty() && number >= window.first && number <= window.last;
    if (shown) waveform.dump(10 * number);
#endif
    twin.clk = 1;
    twin.eval();
#if VM_TRACE
    if (shown) waveform.dump(10 * number + 5);
#endif
    twin.clk = 0;
    twin.eval();
}

// What stands behind NAME= in an argument; null if the argument is another.
static const char* value_of(const char* argument, const char* name) {
    const size_t length = std::strlen(name);
    return std::strncmp(argument, name, length) ? nullptr : argument + length;
}

// int64 (bytes per cycle, writes, reads), then the cycles of the writes and of the reads.
static void save(const std::string& path, const std::vector<uint64_t>& writes, const std::vector<uint64_t>& reads) {
    const bool wide = (!writes.empty() && writes.back() >> 32) || (!reads.empty() && reads.back() >> 32);
    const int64_t header[3] = {wide ? 8 : 4, int64_t(writes.size()), int64_t(reads.size())};
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (!file) {
        std::fprintf(stderr, "error: can't write %s\n", path.c_str());
        std::exit(1);
    }
    std::fwrite(header, sizeof header, 1, file);
    for (const auto* cycles : {&writes, &reads}) {
        if (wide) {
            std::fwrite(cycles->data(), 8, cycles->size(), file);
            continue;
        }
        const std::vector<uint32_t> narrow(cycles->begin(), cycles->end());
        std::fwrite(narrow.data(), 4, narrow.size(), file);
    }
    std::fclose(file);
}

#if FAULTS
// A bit that flips before a clock edge; wires then follow the registers as they do behind an edge.
struct Fault {
    int site = -1, byte = 0, mask = 0;
    uint64_t edge = 0;

    void strike(Vtwin& twin, uint64_t number) const {
        if (site < 0 || number != edge) return;
        fault_site(*twin.rootp, site)[byte] ^= char(mask);
        Vtwin___024root___eval_settle(twin.rootp);
    }
};
#endif

int main(int argc, char** argv) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody waits for it after that
    uint64_t limit = UINT64_MAX;
    Window window;
#if FAULTS
    Fault fault;
#endif
    for (int k = 1; k < argc; ++k) {
        if (const char* found = value_of(argv[k], "+clocks=")) limit = std::strtoull(found, nullptr, 10);
        if (const char* found = value_of(argv[k], "+wave=")) window.path = found;
        if (const char* found = value_of(argv[k], "+from=")) window.first = std::strtoull(found, nullptr, 10);
        if (const char* found = value_of(argv[k], "+to=")) window.last = std::strtoull(found, nullptr, 10);
#if FAULTS
        if (const char* found = value_of(argv[k], "+site=")) fault.site = std::atoi(found);
        if (const char* found = value_of(argv[k], "+byte=")) fault.byte = std::atoi(found);
        if (const char* found = value_of(argv[k], "+mask=")) fault.mask = std::atoi(found);
        if (const char* found = value_of(argv[k], "+edge=")) fault.edge = std::strtoull(found, nullptr, 10);
#endif
    }
    Verilated::commandArgs(argc, argv);
    Waveform waveform;
#if VM_TRACE
    Verilated::traceEverOn(true);
#endif
    Vtwin twin;
#if VM_TRACE
    twin.trace(&waveform, 99);
    if (!window.path.empty()) waveform.open(window.path.c_str());
#endif
    twin.clk = 0;
    for (int graph = 0; graph < GRAPHS; ++graph) set_bit(twin.report, graph, false);
    twin.eval();

    std::vector<int> quiet(GRAPHS, 0);
    std::vector<const char*> verdict(GRAPHS, nullptr);
    int running = GRAPHS;
    uint64_t clocks = 0;
    for (; running && clocks < limit; ++clocks) {
#if FAULTS
        fault.strike(twin, clocks);
#endif
        for (int graph = 0; graph < GRAPHS; ++graph) {
            if (verdict[graph]) continue;
            quiet[graph] = bit(twin.moving, graph) ? 0 : quiet[graph] + 1;
            if (bit(twin.done, graph)) verdict[graph] = "done";
            else if (quiet[graph] > QUIET_CLOCKS) verdict[graph] = "deadlock";
            if (!verdict[graph]) continue;
            running -= 1;
            if (quiet[graph] > QUIET_CLOCKS) set_bit(twin.report, graph, true);
        }
        clock(twin, waveform, window, clocks);
        for (int graph = 0; graph < GRAPHS; ++graph) set_bit(twin.report, graph, false);
    }
    for (int graph = 0; graph < GRAPHS; ++graph)
        std::printf("graph %d %s\n", graph, verdict[graph] ? verdict[graph] : "limit");
#if FAULTS
    // Access times are those of the run without a fault; thousands of runs shall not write them.
    std::printf("edges %llu left %d\n", (unsigned long long)clocks, fault_tokens_left(*twin.rootp));
    if (fault.site >= 0) {
        twin.final();
        return 0;
    }
#endif
    std::filesystem::create_directories("times");
    for (int fifo = 0; fifo < FIFOS; ++fifo)
        save("times/" + std::to_string(fifo) + ".bin", sides[2 * fifo + 1], sides[2 * fifo]);
    twin.final();
#if VM_TRACE
    if (!window.path.empty()) waveform.close();
#endif
    return 0;
}
