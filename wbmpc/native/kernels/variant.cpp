// One variant of the kernels. CMake compiles this file once for each vector unit, with
// WBMPC_VARIANT and WBMPC_VARIANT_NAME set.

#include "riccati.hpp"

#define WBMPC_JOIN(a, b) a##b
#define WBMPC_TABLE(variant) WBMPC_JOIN(wbmpc_kernels_, variant)

extern "C" const wbmpc::Kernels* WBMPC_TABLE(WBMPC_VARIANT)() {
  static const wbmpc::Kernels table = {
      WBMPC_VARIANT_NAME,
      wbmpc::riccati_workspace,
      wbmpc::riccati_step,
  };
  return &table;
}
