// FDDP with a backward pass that uses the structure of the integrator.

#pragma once

#include <memory>

#include <crocoddyl/core/solvers/fddp.hpp>

#include "scratch.hpp"

namespace wbmpc {

// Wall-clock time of each stage of the last solve, summed over its iterations.
// Values and derivatives of its first iteration are computed together, and their time
// is split by the work in each.
struct StageTimes {
  double calc_s = 0.0;
  double calc_diff_s = 0.0;
  double backward_s = 0.0;
  double forward_s = 0.0;
  std::size_t trials = 0;  // forward passes, that is trials of the line search
};

// The same iterates as crocoddyl::SolverFDDP. Where all nodes are semi-implicit Euler
// steps of a free-flying robot whose joints have one degree of freedom each, one
// Riccati step costs half the operations; elsewhere Crocoddyl's own pass is used.
class SolverFDDP : public crocoddyl::SolverFDDP {
 public:
  EIGEN_MAKE_ALIGNED_OPERATOR_NEW

  explicit SolverFDDP(std::shared_ptr<crocoddyl::ShootingProblem> problem);

  double calcDiff() override;
  void backwardPass() override;
  void forwardPass(double step_length) override;

  // Whether the last backward pass used the structure.
  bool structured() const { return structured_; }
  const StageTimes& times() const { return times_; }

 private:
  // Values and derivatives, node by node: each node's data are still in the cache when
  // its derivatives follow. Returns the cost.
  double evaluate();
  bool is_structured() const;
  void structured_pass();
  void structured_step(std::size_t node);
  void finish_terminal_node();

  Scratch scratch_;
  StageTimes times_;
  bool structured_ = false;
};

}  // namespace wbmpc
