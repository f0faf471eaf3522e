// Scratch memory for the kernels.

#pragma once

#include <cstdint>
#include <vector>

namespace wbmpc {

// Doubles on a cache line's border.
class Scratch {
 public:
  explicit Scratch(long size = 0) : memory_(static_cast<std::size_t>(size) + 8, 0.0) {}

  double* data() {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    return memory_.data() + ((64 - address % 64) % 64) / sizeof(double);
  }

  void reserve(long size) {
    const auto wanted = static_cast<std::size_t>(size) + 8;
    if (memory_.size() < wanted) memory_.assign(wanted, 0.0);
  }

 private:
  std::vector<double> memory_;
};

}  // namespace wbmpc
