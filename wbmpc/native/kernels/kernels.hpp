// Small dense linear algebra of the solver and of the fused action model, on plain
// memory: pointers and sizes only, so that each variant can be compiled for a wider
// vector unit than the libraries that own the memory. Nothing in here allocates,
// throws or shares inline code with other translation units.
//
// Matrices are stored by columns; `ld` is the distance between columns. A symmetric
// result is written in full unless stated otherwise.

#pragma once

namespace wbmpc {

enum KernelStatus {
  kKernelOk = 0,
  kKernelNotPositiveDefinite = 1,
  kKernelNotFinite = 2,  // NaN, infinite, or an entry above 1e30 in size
};

// One step of the Riccati sweep for semi-implicit Euler,
//
//   dx' = F0 dx + W (Gx dx + Gu du),   W = [dt^2 T; dt I],   F0 = [J, dt T; 0, I],
//
// where Gx, Gu are the derivatives of the acceleration. J and T are the identity but
// for the 6x6 blocks of the free-flyer, given below.
struct RiccatiStep {
  int nv;
  int nu;
  double dt_s;
  const double* base_j;  // (6, 6)
  const double* base_t;  // (6, 6)
  const double* gx;      // (nv, 2 nv)
  const double* gu;      // (nv, nu)
  const double* lx;      // (2 nv)
  const double* lu;      // (nu)
  const double* lxx;     // (2 nv, 2 nv)
  const double* lxu;     // (2 nv, nu)
  const double* luu;     // (nu, nu)
  const double* next_vx;   // (2 nv)
  const double* next_vxx;  // (2 nv, 2 nv), symmetric
  const double* gap;       // (2 nv), or null at a feasible trajectory
  double regularization;   // added to the diagonals of Quu and Vxx

  double* qx;
  double* qu;
  double* qxx;
  double* qxu;
  double* quu;
  double* feedforward;  // k, (nu)
  double* gain;         // K, (nu, 2 nv) by rows
  double* quu_k;        // Quu k, (nu)
  double* vx;
  double* vxx;
};

struct Kernels {
  const char* name;

  // Doubles of scratch memory that `riccati_step` needs.
  long (*riccati_workspace)(int nv, int nu);
  KernelStatus (*riccati_step)(const RiccatiStep* step, double* workspace);
};

// Defined by the variants that this machine's compiler builds.
extern "C" const Kernels* wbmpc_kernels_generic();
extern "C" const Kernels* wbmpc_kernels_x86_64_v3();

// The fastest variant that this processor runs; environment variable WBMPC_KERNELS
// names another one ("generic", "x86-64-v3").
const Kernels& kernels();

}  // namespace wbmpc
