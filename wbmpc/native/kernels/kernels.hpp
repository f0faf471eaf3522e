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

// Rows of the matrices that the kernels share with their callers are padded to this.
enum { kPadding = 4 };

// Forward dynamics with nc rigid contact rows,
//
//   [M J'; J -damping] [a; -f] = [torque; -drift].
struct ContactDynamics {
  int nv;
  int nc;
  const double* mass;  // (nv, nv), upper triangle
  int mass_ld;
  const double* jacobian;  // (nc, nv)
  int jacobian_ld;
  const double* torque;  // (nv), less the nonlinear effects
  const double* drift;   // (nc)
  double damping;

  double* factors;  // kept for the derivatives
  double* acceleration;
  double* force;
};

// Derivatives of the above for torques that act on the joints after the first nv - nu
// coordinates.
struct ContactDerivatives {
  int nv;
  int nc;
  int nu;
  const double* factors;     // of the last forward dynamics
  const double* dtau_dq;     // (nv, nv) by rows, of the inverse dynamics
  const double* dtau_dv;     // (nv, nv) by rows
  const double* ddrift_dx;   // (nc, 2 nv)
  int ddrift_ld;

  // Transposes, (2 nv + nu, nv) and (2 nv + nu, nc), rows padded.
  double* acceleration_t;
  double* force_t;
  double* da_dx;  // (nv, 2 nv)
  double* da_du;  // (nv, nu)
};

// Gauss-Newton model of a cost whose residual rows are, in this order,
//
//   the nv accelerations, rows of any kind, and the nc forces,
//
// with one weight per row but for the forces, which share a symmetric matrix.
struct GaussNewton {
  int ndx;
  int nu;
  int nv;
  int rows;  // of any kind
  int nc;
  const double* jacobian_t;  // (ndx + nu, nv + rows + nc), rows padded
  const double* weights;     // (nv + rows)
  const double* force_weights;  // (nc, nc)
  const double* gradients;      // (nv + rows + nc), weighted
  const double* diagonal;       // (ndx + nu), added to the Hessian

  double* lx;
  double* lu;
  double* lxx;
  double* lxu;
  double* luu;
};

// Residual rows r = e(x) + A a(x, u) from the derivatives of e and of a.
struct ChainRule {
  int nz;  // ndx + nu
  int nv;
  int rows;
  const double* acceleration_t;  // (nz, nv), rows padded
  const double* selection;       // A, (rows, nv)
  double* jacobian_t;            // (nz, rows), rows padded; holds de/dx at first
};

struct Kernels {
  const char* name;

  // Doubles of scratch memory that `riccati_step` needs.
  long (*riccati_workspace)(int nv, int nu);
  KernelStatus (*riccati_step)(const RiccatiStep* step, double* workspace);

  long (*contact_factors)(int nv, int nc);
  KernelStatus (*contact_dynamics)(const ContactDynamics* problem);
  long (*contact_workspace)(int nv, int nc);
  void (*contact_derivatives)(const ContactDerivatives* problem, double* workspace);

  long (*gauss_newton_workspace)(int nz, int columns);
  void (*gauss_newton)(const GaussNewton* problem, double* workspace);
  void (*chain_rule)(const ChainRule* problem);
};

// Defined by the variants that this machine's compiler builds.
extern "C" const Kernels* wbmpc_kernels_generic();
extern "C" const Kernels* wbmpc_kernels_x86_64_v3();

// The fastest variant that this processor runs; environment variable WBMPC_KERNELS
// names another one ("generic", "x86-64-v3").
const Kernels& kernels();

}  // namespace wbmpc
