// The Riccati step, see kernels.hpp. The transposes of Gx and Gu are kept, so that
// every product has the form A B' and reads both operands along columns.

#pragma once

#include "dense.hpp"

namespace wbmpc {
namespace {

struct RiccatiMatrices {
  RiccatiMatrices(int nv, int nu, double* workspace) {
    const int ndx = 2 * nv;
    Arena arena{workspace, 0};
    v = arena.matrix(ndx, ndx);
    gx_t = arena.matrix(ndx, nv);
    gu_t = arena.matrix(nu, nv);
    vw = arena.matrix(ndx, nv);
    coupling = arena.matrix(ndx, nv);
    weight = arena.matrix(nv, nv);
    half = arena.matrix(ndx, nv);
    gu_weight = arena.matrix(nu, nv);
    vf = arena.matrix(ndx, ndx);
    qxx = arena.matrix(ndx, ndx);
    qxu = arena.matrix(ndx, nu);
    quu = arena.matrix(nu, nu);
    factor = arena.matrix(nu, nu);
    factor_t = arena.matrix(nu, nu);
    vectors = arena.matrix(ndx, 2);
    feedforward = arena.matrix(nu, 1);
    size = arena.used;
  }

  Matrix v;         // the next node's Vxx
  Matrix gx_t;      // Gx', (2 nv, nv)
  Matrix gu_t;      // Gu', (nu, nv)
  Matrix vw;        // V W
  Matrix coupling;  // F0' V W, then that + Gx' W' V W
  Matrix weight;    // W' V W
  Matrix half;      // F0' V W + Gx' W' V W / 2
  Matrix gu_weight;
  Matrix vf;  // V F0
  Matrix qxx;
  Matrix qxu;
  Matrix quu;
  Matrix factor;    // L of Quu
  Matrix factor_t;
  Matrix vectors;
  Matrix feedforward;
  long size;
};

// y = T' x or J' x on the six rows of the base.
WBMPC_INLINE void base_transposed(const double* block, const double* x, double* y) {
  for (int i = 0; i < 6; ++i) {
    double sum = 0.0;
    for (int k = 0; k < 6; ++k) sum += block[6 * i + k] * x[k];
    y[i] = sum;
  }
}

// y = F0' x for a column x of (2 nv) entries.
WBMPC_INLINE void drift_transposed(const RiccatiStep& s, const double* x, double* y) {
  const int nv = s.nv;
  double from_base[6];
  base_transposed(s.base_t, x, from_base);
  for (int i = 0; i < 6; ++i) y[nv + i] = x[nv + i] + s.dt_s * from_base[i];
  for (int i = 6; i < nv; ++i) y[nv + i] = x[nv + i] + s.dt_s * x[i];
  base_transposed(s.base_j, x, y);
  for (int i = 6; i < nv; ++i) y[i] = x[i];
}

// y = W' x.
WBMPC_INLINE void input_transposed(const RiccatiStep& s, const double* x, double* y) {
  const double dt2 = s.dt_s * s.dt_s;
  double from_base[6];
  base_transposed(s.base_t, x, from_base);
  for (int i = 0; i < 6; ++i) y[i] = dt2 * from_base[i] + s.dt_s * x[s.nv + i];
  for (int i = 6; i < s.nv; ++i) y[i] = dt2 * x[i] + s.dt_s * x[s.nv + i];
}

// to = V block, for the first six columns of V.
WBMPC_INLINE void value_base(const Matrix& v, const double* block, int column,
                             double factor, double* to) {
  for (int k = 0; k < 6; ++k) {
    axpy(v.ld, factor * block[6 * column + k], v.col(k), to);
  }
}

// V W and V F0.
inline void value_products(const RiccatiStep& s, RiccatiMatrices& m) {
  const Matrix& v = m.v;
  const int nv = s.nv;
  const double dt2 = s.dt_s * s.dt_s;
  for (int j = 0; j < nv; ++j) {
    double* vw = m.vw.col(j);
    double* vf_q = m.vf.col(j);
    double* vf_v = m.vf.col(nv + j);
    scale(v.ld, s.dt_s, v.col(nv + j), vw);
    scale(v.ld, 1.0, v.col(nv + j), vf_v);
    if (j < 6) {
      scale(v.ld, 0.0, v.col(j), vf_q);
      value_base(v, s.base_j, j, 1.0, vf_q);
      value_base(v, s.base_t, j, dt2, vw);
      value_base(v, s.base_t, j, s.dt_s, vf_v);
    } else {
      scale(v.ld, 1.0, v.col(j), vf_q);
      axpy(v.ld, dt2, v.col(j), vw);
      axpy(v.ld, s.dt_s, v.col(j), vf_v);
    }
  }
}

// Qxx (lower triangle), Qxu, Quu (lower triangle) without the Hessians of the cost.
inline void hamiltonian(const RiccatiStep& s, RiccatiMatrices& m) {
  for (int j = 0; j < s.nv; ++j) {
    drift_transposed(s, m.vw.col(j), m.coupling.col(j));
    input_transposed(s, m.vw.col(j), m.weight.col(j));
    for (int i = s.nv; i < m.weight.ld; ++i) m.weight.col(j)[i] = 0.0;
    for (int i = 2 * s.nv; i < m.coupling.ld; ++i) m.coupling.col(j)[i] = 0.0;
  }
  for (int j = 0; j < 2 * s.nv; ++j) {
    double* column = m.qxx.col(j);
    drift_transposed(s, m.vf.col(j), column);
    for (int i = 2 * s.nv; i < m.qxx.ld; ++i) column[i] = 0.0;
  }
  product(0, m.gx_t, m.weight, m.half);
  const int entries = m.half.ld * m.half.cols;
  for (int i = 0; i < entries; i += kWidth) {
    const Vector drift = load(m.coupling.data + i);
    const Vector input = load(m.half.data + i);
    store(m.half.data + i, drift + 0.5 * input);
    store(m.coupling.data + i, drift + input);
  }
  product_lower(1, m.gx_t, m.half, m.qxx);
  product_lower(1, m.half, m.gx_t, m.qxx);
  product(0, m.coupling, m.gu_t, m.qxu);
  product(0, m.gu_t, m.weight, m.gu_weight);
  product(0, m.gu_weight, m.gu_t, m.quu);
}

inline void add_cost(const double* from, const Matrix& to) {
  for (int j = 0; j < to.cols; ++j) {
    const double* column = from + static_cast<long>(j) * to.rows;
    for (int i = 0; i < to.rows; ++i) to.col(j)[i] += column[i];
  }
}

// Adds the cost's derivatives and writes Qx, Qu, Qxx, Qxu, Quu.
inline void finish_hamiltonian(const RiccatiStep& s, RiccatiMatrices& m) {
  const int nv = s.nv;
  const int ndx = 2 * nv;
  add_cost(s.lxx, m.qxx);
  add_cost(s.lxu, m.qxu);
  add_cost(s.luu, m.quu);
  for (int i = 0; i < s.nu; ++i) m.quu(i, i) += s.regularization;
  mirror_lower(m.qxx);
  double* input = m.vectors.col(0);
  double* qx = m.vectors.col(1);
  input_transposed(s, s.next_vx, input);
  drift_transposed(s, s.next_vx, qx);
  for (int i = 0; i < ndx; ++i) qx[i] += s.lx[i];
  for (int i = ndx; i < m.vectors.ld; ++i) qx[i] = 0.0;
  add_product(1.0, m.gx_t, input, qx);
  double* qu = m.feedforward.data;
  for (int i = 0; i < m.feedforward.ld; ++i) qu[i] = i < s.nu ? s.lu[i] : 0.0;
  add_product(1.0, m.gu_t, input, qu);
  for (int i = 0; i < ndx; ++i) s.qx[i] = qx[i];
  for (int i = 0; i < s.nu; ++i) s.qu[i] = qu[i];
  export_matrix(m.qxx, s.qxx, ndx);
  export_matrix(m.qxu, s.qxu, ndx);
  export_matrix(m.quu, s.quu, s.nu);
}

// k and K; leaves L^-1 Qux (transposed) in m.qxu and K' in m.half.
inline bool gains(const RiccatiStep& s, RiccatiMatrices& m) {
  import_matrix(m.quu.data, m.quu.ld, m.factor);
  if (!cholesky(m.factor)) return false;
  import_transposed(m.factor.data, m.factor.ld, m.factor_t);
  solve_lower_transposed(m.qxu, m.factor);
  const Matrix gain = m.half.columns(0, s.nu);
  import_matrix(m.qxu.data, m.qxu.ld, gain);
  solve_lower(gain, m.factor_t);
  export_matrix(gain, s.gain, 2 * s.nv);
  double* k = m.feedforward.data;
  solve_vector(m.factor, k);
  solve_vector_transposed(m.factor, k);
  for (int j = 0; j < s.nu; ++j) s.feedforward[j] = k[j];
  for (int j = 0; j < s.nu; ++j) s.quu_k[j] = dot(s.nu, s.quu + j * s.nu, k);
  return true;
}

// Vx and Vxx = Qxx - Y' Y with Y = L^-1 Qux, symmetric by construction.
inline bool value(const RiccatiStep& s, RiccatiMatrices& m) {
  const int ndx = 2 * s.nv;
  product_lower(-1, m.qxu, m.qxu, m.qxx);
  for (int i = 0; i < ndx; ++i) m.qxx(i, i) += s.regularization;
  mirror_lower(m.qxx);
  export_matrix(m.qxx, s.vxx, ndx);
  double* vx = m.vectors.col(1);
  add_product(-1.0, m.half.columns(0, s.nu), s.qu, vx);
  if (s.gap != nullptr) add_product(1.0, m.qxx, s.gap, vx);
  for (int i = 0; i < ndx; ++i) s.vx[i] = vx[i];
  return is_usable(s.vx, ndx) && is_usable(s.vxx, ndx * ndx);
}

long riccati_workspace(int nv, int nu) {
  return RiccatiMatrices(nv, nu, nullptr).size;
}

KernelStatus riccati_step(const RiccatiStep* step, double* workspace) {
  const RiccatiStep& s = *step;
  RiccatiMatrices m(s.nv, s.nu, workspace);
  import_matrix(s.next_vxx, 2 * s.nv, m.v);
  import_transposed(s.gx, s.nv, m.gx_t);
  import_transposed(s.gu, s.nv, m.gu_t);
  value_products(s, m);
  hamiltonian(s, m);
  finish_hamiltonian(s, m);
  if (!gains(s, m)) return kKernelNotPositiveDefinite;
  return value(s, m) ? kKernelOk : kKernelNotFinite;
}

}  // namespace
}  // namespace wbmpc
