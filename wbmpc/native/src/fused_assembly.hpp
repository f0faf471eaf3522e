// Residual rows of a node, stacked for one Gauss-Newton product.

#pragma once

#include <Eigen/Core>

#include "../kernels/kernels.hpp"
#include "scratch.hpp"

namespace wbmpc {

// Numbers of coordinates, torques and rows of a node.
struct FusedSizes {
  Eigen::Index nv;
  Eigen::Index nu;
  Eigen::Index response_rows;  // depend on the acceleration through ChainRule
  Eigen::Index other_rows;
  Eigen::Index force_rows;
};

// The rows are the nv accelerations, rows of responses (see ChainRule), other rows, and
// the contact forces. Each is a column of the transposed Jacobian with respect to
// (dx, u); a term of the cost adds to the weights of rows that are there already, or
// fills rows of its own.
class FusedAssembly {
 public:
  using Index = Eigen::Index;
  using Vector = Eigen::Map<Eigen::VectorXd>;
  using Matrix = Eigen::Map<Eigen::MatrixXd>;
  using Block = Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

  // For `sizes`, with no terms in it; uses and overwrites `memory`.
  FusedAssembly(const FusedSizes& sizes, Scratch& memory);

  // Applies the chain rule to the rows of responses.
  void apply_chain_rule();

  // Writes the derivatives of the cost; each pointer as in GaussNewton.
  void finish(double* lx, double* lu, double* lxx, double* lxu, double* luu);

  Index nv() const { return nv_; }
  Index ndx() const { return 2 * nv_; }
  Index nu() const { return nu_; }

  // Rows [begin, begin + count) of responses and others (in this order) as columns of
  // the transposed Jacobian; zero until a term fills them.
  Block rows(Index begin, Index count);
  // A row of the acceleration, likewise.
  Vector acceleration(Index row) { return {column(row), ndx() + nu_}; }
  Block forces(Index count) { return rows(rows_, count); }
  double* acceleration_t() { return jacobian_t_; }
  double* force_t() { return column(nv_ + rows_); }

  Vector acceleration_weights() { return {weights_, nv_}; }
  Vector acceleration_gradients() { return {gradients_, nv_}; }
  Vector row_weights() { return {weights_ + nv_, rows_}; }
  Vector row_gradients() { return {gradients_ + nv_, rows_}; }
  Matrix force_weights() { return {force_weights_, nc_, nc_}; }
  Vector force_gradients() { return {gradients_ + nv_ + rows_, nc_}; }

  // Derivative of the response rows with respect to the acceleration.
  Matrix selection() { return {selection_, response_rows_, nv_}; }

  // Terms on dx and u themselves: Hessian's diagonal, gradient, and the Hessian of the
  // free-flyer's position.
  Vector diagonal() { return {diagonal_, ndx() + nu_}; }
  Vector direct_gradient() { return {direct_gradient_, ndx() + nu_}; }
  Eigen::Matrix<double, 6, 6>& base_hessian() { return base_hessian_; }

 private:
  double* column(Index j) { return jacobian_t_ + j * ld_; }

  Index nv_, nu_, response_rows_, rows_, nc_;
  Index ld_;
  double* jacobian_t_;
  double* weights_;
  double* gradients_;
  double* force_weights_;
  double* selection_;
  double* diagonal_;
  double* direct_gradient_;
  double* workspace_;
  Eigen::Matrix<double, 6, 6> base_hessian_ = Eigen::Matrix<double, 6, 6>::Zero();
};

}  // namespace wbmpc
