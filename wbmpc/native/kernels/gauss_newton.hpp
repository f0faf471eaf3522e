// One Gauss-Newton product for all cost terms of a node, see kernels.hpp.

#pragma once

#include "dense.hpp"

namespace wbmpc {
namespace {

struct GaussNewtonMatrices {
  GaussNewtonMatrices(int nz, int columns, double* memory) {
    Arena arena{memory, 0};
    weighted = arena.matrix(nz, columns);
    hessian = arena.matrix(nz, nz);
    gradient = arena.matrix(nz, 1);
    size = arena.used;
  }

  Matrix weighted;  // J' W
  Matrix hessian;   // J' W J, lower triangle
  Matrix gradient;
  long size;
};

long gauss_newton_workspace(int nz, int columns) {
  return GaussNewtonMatrices(nz, columns, nullptr).size;
}

// Writes a symmetric block from its lower triangle.
inline void export_symmetric(const Matrix& from, double* to) {
  mirror_lower(from);
  export_matrix(from, to, from.cols);
}

void gauss_newton(const GaussNewton* problem, double* workspace) {
  const GaussNewton& p = *problem;
  const int nz = p.ndx + p.nu;
  const int plain = p.nv + p.rows;
  const GaussNewtonMatrices m(nz, plain + p.nc, workspace);
  const Matrix jacobian{const_cast<double*>(p.jacobian_t), nz, plain + p.nc,
                        padded(nz)};
  for (int j = 0; j < plain; ++j) {
    scale(m.weighted.ld, p.weights[j], jacobian.col(j), m.weighted.col(j));
  }
  const Matrix force_weights{const_cast<double*>(p.force_weights), p.nc, p.nc, p.nc};
  product(0, jacobian.columns(plain, p.nc), force_weights,
          m.weighted.columns(plain, p.nc));
  product_lower(0, jacobian, m.weighted, m.hessian);
  for (int i = 0; i < nz; ++i) m.hessian(i, i) += p.diagonal[i];
  for (int i = 0; i < m.gradient.ld; ++i) m.gradient.data[i] = 0.0;
  add_product(1.0, jacobian, p.gradients, m.gradient.data);

  for (int i = 0; i < p.ndx; ++i) p.lx[i] = m.gradient.data[i];
  for (int i = 0; i < p.nu; ++i) p.lu[i] = m.gradient.data[p.ndx + i];
  double* corner = m.hessian.col(p.ndx) + p.ndx;
  export_symmetric(Matrix{m.hessian.data, p.ndx, p.ndx, m.hessian.ld}, p.lxx);
  export_symmetric(Matrix{corner, p.nu, p.nu, m.hessian.ld}, p.luu);
  export_transposed(Matrix{m.hessian.data + p.ndx, p.nu, p.ndx, m.hessian.ld}, p.lxu,
                    p.ndx);
}

void chain_rule(const ChainRule* problem) {
  const ChainRule& p = *problem;
  const int ld = padded(p.nz);
  const Matrix acceleration{const_cast<double*>(p.acceleration_t), p.nz, p.nv, ld};
  const Matrix selection{const_cast<double*>(p.selection), p.rows, p.nv, p.rows};
  product(1, acceleration, selection, Matrix{p.jacobian_t, p.nz, p.rows, ld});
}

}  // namespace
}  // namespace wbmpc
