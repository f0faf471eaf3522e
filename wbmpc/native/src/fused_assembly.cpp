#include "fused_assembly.hpp"

#include <algorithm>

namespace wbmpc {
namespace {

Eigen::Index padded(Eigen::Index rows) {
  return (rows + kPadding - 1) / kPadding * kPadding;
}

}  // namespace

FusedAssembly::FusedAssembly(const FusedSizes& sizes, Scratch& memory)
    : nv_(sizes.nv),
      nu_(sizes.nu),
      response_rows_(sizes.response_rows),
      rows_(sizes.response_rows + sizes.other_rows),
      nc_(sizes.force_rows),
      ld_(padded(2 * nv_ + nu_)) {
  const Index columns = nv_ + rows_ + nc_;
  const Index nz = 2 * nv_ + nu_;
  const Index work = kernels().gauss_newton_workspace(static_cast<int>(nz),
                                                      static_cast<int>(columns));
  memory.reserve(padded(work) + columns * (ld_ + 2) + nc_ * nc_ +
                 response_rows_ * nv_ + 2 * nz);
  workspace_ = memory.data();
  jacobian_t_ = workspace_ + padded(work);
  // Terms that are not active leave their rows as they are.
  std::fill_n(column(nv_), rows_ * ld_, 0.0);
  double* next = column(columns);
  const auto take = [&next](Index count) {
    double* begin = next;
    std::fill_n(begin, count, 0.0);
    next += count;
    return begin;
  };
  weights_ = take(nv_ + rows_);
  gradients_ = take(columns);
  force_weights_ = take(nc_ * nc_);
  selection_ = take(response_rows_ * nv_);
  diagonal_ = take(nz);
  direct_gradient_ = take(nz);
}

FusedAssembly::Block FusedAssembly::rows(Index begin, Index count) {
  return Block(column(nv_ + begin), ndx() + nu_, count, Eigen::OuterStride<>(ld_));
}

void FusedAssembly::apply_chain_rule() {
  if (response_rows_ == 0) return;
  ChainRule problem;
  problem.nz = static_cast<int>(ndx() + nu_);
  problem.nv = static_cast<int>(nv_);
  problem.rows = static_cast<int>(response_rows_);
  problem.acceleration_t = acceleration_t();
  problem.selection = selection_;
  problem.jacobian_t = column(nv_);
  kernels().chain_rule(&problem);
}

void FusedAssembly::finish(double* lx, double* lu, double* lxx, double* lxu,
                           double* luu) {
  GaussNewton problem;
  problem.ndx = static_cast<int>(ndx());
  problem.nu = static_cast<int>(nu_);
  problem.nv = static_cast<int>(nv_);
  problem.rows = static_cast<int>(rows_);
  problem.nc = static_cast<int>(nc_);
  problem.jacobian_t = jacobian_t_;
  problem.weights = weights_;
  problem.force_weights = force_weights_;
  problem.gradients = gradients_;
  problem.diagonal = diagonal_;
  problem.lx = lx;
  problem.lu = lu;
  problem.lxx = lxx;
  problem.lxu = lxu;
  problem.luu = luu;
  kernels().gauss_newton(&problem, workspace_);
  Vector(lx, ndx()) += direct_gradient().head(ndx());
  Vector(lu, nu_) += direct_gradient().tail(nu_);
  Matrix(lxx, ndx(), ndx()).topLeftCorner<6, 6>() += base_hessian_;
}

}  // namespace wbmpc
