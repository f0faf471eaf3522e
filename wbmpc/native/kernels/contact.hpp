// Forward dynamics in contact and its derivatives, see kernels.hpp.

#pragma once

#include "dense.hpp"

namespace wbmpc {
namespace {

struct ContactFactors {
  ContactFactors(int nv, int nc, double* memory) {
    Arena arena{memory, 0};
    mass = arena.matrix(nv, nv);
    jacobian = arena.matrix(nc, nv);
    delassus = arena.matrix(nc, nc);
    vectors = arena.matrix(nv, 1);
    size = arena.used;
  }

  Matrix mass;      // L of M
  Matrix jacobian;  // J L^-T
  Matrix delassus;  // L of J M^-1 J' + damping
  Matrix vectors;
  long size;
};

long contact_factors(int nv, int nc) { return ContactFactors(nv, nc, nullptr).size; }

KernelStatus contact_dynamics(const ContactDynamics* problem) {
  const ContactDynamics& p = *problem;
  const ContactFactors f(p.nv, p.nc, p.factors);
  import_transposed(p.mass, p.mass_ld, f.mass);
  import_matrix(p.jacobian, p.jacobian_ld, f.jacobian);
  if (!cholesky(f.mass)) return kKernelNotPositiveDefinite;
  solve_lower_transposed(f.jacobian, f.mass);
  product(0, f.jacobian, f.jacobian, f.delassus);
  for (int i = 0; i < p.nc; ++i) f.delassus(i, i) += p.damping;
  if (!cholesky(f.delassus)) return kKernelNotPositiveDefinite;

  double* a = f.vectors.data;
  for (int i = 0; i < p.nv; ++i) a[i] = p.torque[i];
  solve_vector(f.mass, a);
  for (int i = 0; i < p.nc; ++i) p.force[i] = -p.drift[i];
  for (int j = 0; j < p.nv; ++j) {
    for (int i = 0; i < p.nc; ++i) p.force[i] -= f.jacobian(i, j) * a[j];
  }
  solve_vector(f.delassus, p.force);
  solve_vector_transposed(f.delassus, p.force);
  for (int j = 0; j < p.nv; ++j) a[j] += dot(p.nc, f.jacobian.col(j), p.force);
  solve_vector_transposed(f.mass, a);
  for (int i = 0; i < p.nv; ++i) p.acceleration[i] = a[i];
  return kKernelOk;
}

struct ContactMatrices {
  ContactMatrices(int nv, int nc, double* memory) {
    Arena arena{memory, 0};
    inputs = arena.matrix(2 * nv, nv + nc);
    inverse = arena.matrix(nv + nc, nv + nc);
    mass_root = arena.matrix(nv, nv);
    root = arena.matrix(nv, nc);
    contact = arena.matrix(nv, nc);
    reduced = arena.matrix(nv, nc);
    reduced_t = arena.matrix(nc, nv);
    delassus_t = arena.matrix(nc, nc);
    delassus_root = arena.matrix(nc, nc);
    delassus_inverse = arena.matrix(nc, nc);
    mobility = arena.matrix(nv, nv);
    size = arena.used;
  }

  Matrix inputs;     // [dtau_dx; ddrift_dx]', (2 nv, nv + nc)
  Matrix inverse;    // [-A, -B; B', C] of the solution a = A tau - B drift and so on
  Matrix mass_root;  // L^-T
  Matrix root;       // M^-1 J' (L of S)^-T, with S = J M^-1 J' + damping
  Matrix contact;    // B = M^-1 J' S^-1
  Matrix reduced;    // L^-1 J' (L of S)^-T
  Matrix reduced_t;
  Matrix delassus_t;
  Matrix delassus_root;
  Matrix delassus_inverse;
  Matrix mobility;  // -A
  long size;
};

long contact_workspace(int nv, int nc) { return ContactMatrices(nv, nc, nullptr).size; }

// -A = (M^-1 J' ...)(...)' - M^-1, and B.
inline void mobility_and_contact(const ContactFactors& f, const ContactMatrices& m) {
  set_identity(m.mass_root);
  solve_lower_transposed(m.mass_root, f.mass);
  import_transposed(f.jacobian.data, f.jacobian.ld, m.reduced);
  solve_lower_transposed(m.reduced, f.delassus);
  import_transposed(m.reduced.data, m.reduced.ld, m.reduced_t);
  product(0, m.mass_root, m.reduced_t, m.root);
  product(0, m.root, m.root, m.mobility);
  product(-1, m.mass_root, m.mass_root, m.mobility);
  import_transposed(f.delassus.data, f.delassus.ld, m.delassus_t);
  import_matrix(m.root.data, m.root.ld, m.contact);
  solve_lower(m.contact, m.delassus_t);
}

// S^-1.
inline void invert_delassus(const ContactFactors& f, const ContactMatrices& m) {
  set_identity(m.delassus_root);
  solve_lower_transposed(m.delassus_root, f.delassus);
  product(0, m.delassus_root, m.delassus_root, m.delassus_inverse);
}

inline void assemble_inverse(int nv, int nc, const ContactMatrices& m) {
  for (int j = 0; j < nv; ++j) {
    for (int i = 0; i < nv; ++i) m.inverse(i, j) = m.mobility(i, j);
    for (int i = 0; i < nc; ++i) m.inverse(nv + i, j) = m.contact(j, i);
  }
  for (int j = 0; j < nc; ++j) {
    for (int i = 0; i < nv; ++i) m.inverse(i, nv + j) = -m.contact(i, j);
    for (int i = 0; i < nc; ++i) m.inverse(nv + i, nv + j) = -m.delassus_inverse(i, j);
  }
}

inline void gather_inputs(const ContactDerivatives& p, const ContactMatrices& m) {
  const int nv = p.nv;
  for (int j = 0; j < nv; ++j) {
    double* column = m.inputs.col(j);
    const double* dq = p.dtau_dq + static_cast<long>(j) * nv;
    const double* dv = p.dtau_dv + static_cast<long>(j) * nv;
    for (int i = 0; i < nv; ++i) column[i] = dq[i];
    for (int i = 0; i < nv; ++i) column[nv + i] = dv[i];
    for (int i = 2 * nv; i < m.inputs.ld; ++i) column[i] = 0.0;
  }
  import_transposed(p.ddrift_dx, p.ddrift_ld, m.inputs.columns(nv, p.nc));
}

void contact_derivatives(const ContactDerivatives* problem, double* workspace) {
  const ContactDerivatives& p = *problem;
  const int nv = p.nv;
  const int ndx = 2 * nv;
  const int nz = ndx + p.nu;
  const ContactFactors f(nv, p.nc, const_cast<double*>(p.factors));
  const ContactMatrices m(nv, p.nc, workspace);
  mobility_and_contact(f, m);
  invert_delassus(f, m);
  assemble_inverse(nv, p.nc, m);
  gather_inputs(p, m);

  // The product also writes the padding below its rows: torques come after it.
  const Matrix a_t{p.acceleration_t, ndx, nv, padded(nz)};
  const Matrix f_t{p.force_t, ndx, p.nc, padded(nz)};
  product(0, m.inputs, m.inverse, a_t);
  product(0, m.inputs, Matrix{m.inverse.data + nv, p.nc, nv + p.nc, m.inverse.ld}, f_t);
  const int first = nv - p.nu;
  for (int j = 0; j < nv; ++j) {
    for (int i = 0; i < p.nu; ++i) a_t.col(j)[ndx + i] = -m.mobility(first + i, j);
    for (int i = nz; i < a_t.ld; ++i) a_t.col(j)[i] = 0.0;
  }
  for (int j = 0; j < p.nc; ++j) {
    for (int i = 0; i < p.nu; ++i) f_t.col(j)[ndx + i] = -m.contact(first + i, j);
    for (int i = nz; i < f_t.ld; ++i) f_t.col(j)[i] = 0.0;
  }
  export_transposed(a_t, p.da_dx, nv);
  export_transposed(Matrix{a_t.data + ndx, p.nu, nv, a_t.ld}, p.da_du, nv);
}

}  // namespace
}  // namespace wbmpc
