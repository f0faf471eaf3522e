// One variant of the kernels. CMake compiles this file once for each vector unit, with
// WBMPC_VARIANT and WBMPC_VARIANT_NAME set.

#include "contact.hpp"
#include "gauss_newton.hpp"
#include "riccati.hpp"

#define WBMPC_JOIN(a, b) a##b
#define WBMPC_TABLE(variant) WBMPC_JOIN(wbmpc_kernels_, variant)

extern "C" const wbmpc::Kernels* WBMPC_TABLE(WBMPC_VARIANT)() {
  static const wbmpc::Kernels table = {
      WBMPC_VARIANT_NAME,
      wbmpc::riccati_workspace,
      wbmpc::riccati_step,
      wbmpc::contact_factors,
      wbmpc::contact_dynamics,
      wbmpc::contact_workspace,
      wbmpc::contact_derivatives,
      wbmpc::gauss_newton_workspace,
      wbmpc::gauss_newton,
      wbmpc::chain_rule,
  };
  return &table;
}
