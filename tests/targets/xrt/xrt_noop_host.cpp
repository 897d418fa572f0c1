// Buffers of the real XRT on its device without hardware (XCL_EMULATION_MODE=noop).  Prints one line per finding,
// "name value"; the test knows what each must be.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include "xrt/xrt_bo.h"
#include "xrt/xrt_device.h"

template <typename Action> static void refuses(const char *name, Action action) {
  try {
    action();
    std::printf("%s no\n", name);
  } catch (const std::exception &error) {
    std::printf("%s yes\n", name);
  }
}

int main() {
  constexpr size_t bytes = 4096;
  xrt::device device{0};
  xrt::bo buffer{device, bytes, xrt::bo::flags::normal, 0};
  std::vector<uint8_t> sent(bytes), back(bytes);
  for (size_t i = 0; i < bytes; ++i)
    sent[i] = static_cast<uint8_t>(i * 7);

  buffer.write(sent.data(), bytes, 0);
  buffer.sync(XCL_BO_SYNC_BO_TO_DEVICE, bytes, 0);
  buffer.sync(XCL_BO_SYNC_BO_FROM_DEVICE);
  buffer.read(back.data(), bytes, 0);
  std::printf("moved %s\n", sent == back ? "yes" : "no");
  std::printf("size %zu\n", buffer.size());
  std::printf("map_on_page %s\n", reinterpret_cast<uintptr_t>(buffer.map()) % 4096 == 0 ? "yes" : "no");

  xrt::bo part{buffer, 64, 128};
  uint8_t first = 0;
  part.read(&first, 1, 0);
  std::printf("part_starts_at %d\n", first == sent[128] ? 128 : -1);
  std::printf("part_address %llu\n", static_cast<unsigned long long>(part.address() - buffer.address()));

  refuses("refuses_write_past_end", [&] { buffer.write(sent.data(), bytes, 1); });
  refuses("refuses_read_past_end", [&] { buffer.read(back.data(), bytes, 1); });
  refuses("refuses_part_past_end", [&] { xrt::bo beyond{buffer, 64, bytes}; });
  refuses("refuses_part_at_odd_offset", [&] { xrt::bo odd{buffer, 64, 3}; });
  refuses("refuses_unaligned_host_memory",
          [&] { xrt::bo user{device, sent.data() + (reinterpret_cast<uintptr_t>(sent.data()) % 4096 == 0), bytes - 1, 0}; });
}
