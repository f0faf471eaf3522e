#include <cstdlib>
#include <cstring>

#include "kernels.hpp"

namespace wbmpc {
namespace {

const Kernels& choose() {
  const Kernels& generic = *wbmpc_kernels_generic();
  const char* wanted = std::getenv("WBMPC_KERNELS");
  if (wanted != nullptr && std::strcmp(wanted, generic.name) == 0) return generic;
#ifdef WBMPC_HAS_X86_64_V3
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return *wbmpc_kernels_x86_64_v3();
  }
#endif
  return generic;
}

}  // namespace

const Kernels& kernels() {
  static const Kernels& chosen = choose();
  return chosen;
}

}  // namespace wbmpc
