#include "solver.hpp"

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <exception>

#include <crocoddyl/core/integrator/euler.hpp>
#include <crocoddyl/multibody/states/multibody.hpp>
#include <pinocchio/spatial.hpp>

#include "../kernels/kernels.hpp"
#include "free_flyer.hpp"

namespace wbmpc {
namespace {

using Euler = crocoddyl::IntegratedActionModelEulerTpl<double>;
using EulerData = crocoddyl::IntegratedActionDataEulerTpl<double>;
using ActionModel = crocoddyl::ActionModelAbstractTpl<double>;
using MultibodyState = crocoddyl::StateMultibodyTpl<double>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

// Adds the time until it goes out of scope.
class Stopwatch {
 public:
  explicit Stopwatch(double& total_s) : total_s_(total_s), start_(Clock::now()) {}
  ~Stopwatch() {
    total_s_ += std::chrono::duration<double>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  double& total_s_;
  Clock::time_point start_;
};

// Euler step whose control is the torque itself.
bool has_structure(ActionModel& model) {
  const auto* euler = dynamic_cast<Euler*>(&model);
  if (euler == nullptr || euler->get_nu() == 0) return false;
  if (euler->get_control()->get_nw() != euler->get_nu()) return false;
  const auto state = std::dynamic_pointer_cast<MultibodyState>(euler->get_state());
  return state != nullptr && has_free_flyer_and_single_joints(*state->get_pinocchio());
}

/// Carries the first exception out of a parallel region, which none may leave: a cost
/// written in Python throws as any other may.
class FirstError {
 public:
  template <typename Work>
  void guard(const Work& work) {
    if (found_.load(std::memory_order_relaxed)) return;
    try {
      work();
    } catch (...) {
      if (!found_.exchange(true)) error_ = std::current_exception();
    }
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::atomic<bool> found_{false};
  std::exception_ptr error_;
};

}  // namespace

SolverFDDP::SolverFDDP(std::shared_ptr<crocoddyl::ShootingProblem> problem)
    : crocoddyl::SolverFDDP(problem) {}

double SolverFDDP::calcDiff() {
  if (iter_ == 0) {  // the first stage of a solve
    times_ = StageTimes();
    cost_ = evaluate();
  } else {
    const Stopwatch watch(times_.calc_diff_s);
    cost_ = problem_->calcDiff(xs_, us_);
  }
  ffeas_ = computeDynamicFeasibility();
  gfeas_ = computeInequalityFeasibility();
  hfeas_ = computeEqualityFeasibility();
  return cost_;
}

double SolverFDDP::evaluate() {
  const auto& models = problem_->get_runningModels();
  const auto& datas = problem_->get_runningDatas();
  const auto nodes = static_cast<std::ptrdiff_t>(problem_->get_T());
  double wall_s = 0.0;
  double calc_s = 0.0;
  double calc_diff_s = 0.0;
  FirstError error;
  {
    const Stopwatch watch(wall_s);
#pragma omp parallel for schedule(dynamic) num_threads(problem_->get_nthreads()) \
    reduction(+ : calc_s, calc_diff_s)
    for (std::ptrdiff_t i = 0; i < nodes; ++i) {
      const auto t = static_cast<std::size_t>(i);
      error.guard([&] {
        {
          const Stopwatch node_watch(calc_s);
          models[t]->calc(datas[t], xs_[t], us_[t]);
        }
        const Stopwatch node_watch(calc_diff_s);
        models[t]->calcDiff(datas[t], xs_[t], us_[t]);
      });
    }
    error.rethrow();
    const auto& terminal = problem_->get_terminalModel();
    terminal->calc(problem_->get_terminalData(), xs_.back());
    terminal->calcDiff(problem_->get_terminalData(), xs_.back());
  }
  times_.calc_s = wall_s * calc_s / (calc_s + calc_diff_s);
  times_.calc_diff_s = wall_s - times_.calc_s;
  double cost = problem_->get_terminalData()->cost;
  for (const auto& data : datas) cost += data->cost;
  return cost;
}

void SolverFDDP::forwardPass(double step_length) {
  const Stopwatch watch(times_.forward_s);
  ++times_.trials;
  crocoddyl::SolverFDDP::forwardPass(step_length);
}

void SolverFDDP::backwardPass() {
  const Stopwatch watch(times_.backward_s);
  structured_ = is_structured();
  if (structured_) {
    structured_pass();
  } else {
    crocoddyl::SolverFDDP::backwardPass();
  }
}

bool SolverFDDP::is_structured() const {
  const ActionModel* known = nullptr;
  for (const auto& model : problem_->get_runningModels()) {
    if (model.get() == known) continue;
    if (!has_structure(*model)) return false;
    known = model.get();
  }
  return known != nullptr;
}

void SolverFDDP::structured_pass() {
  finish_terminal_node();
  for (std::size_t node = problem_->get_T(); node-- > 0;) structured_step(node);
}

void SolverFDDP::finish_terminal_node() {
  const auto& data = problem_->get_terminalData();
  Vxx_.back() = data->Lxx;
  Vx_.back() = data->Lx;
  if (!std::isnan(preg_)) Vxx_.back().diagonal().array() += preg_;
  if (!is_feasible_) Vx_.back().noalias() += Vxx_.back() * fs_.back();
}

void SolverFDDP::structured_step(std::size_t t) {
  const auto& model = static_cast<Euler&>(*problem_->get_runningModels()[t]);
  const auto& data = static_cast<EulerData&>(*problem_->get_runningDatas()[t]);
  const pinocchio::Motion base_step(data.dx.head<6>());
  Matrix6 base_t;
  pinocchio::Jexp6(base_step, base_t);
  const Matrix6 base_j = pinocchio::exp6(base_step).toActionMatrixInverse();

  RiccatiStep step;
  step.nv = static_cast<int>(model.get_state()->get_nv());
  step.nu = static_cast<int>(model.get_nu());
  step.dt_s = model.get_dt();
  step.base_j = base_j.data();
  step.base_t = base_t.data();
  step.gx = data.differential->Fx.data();
  step.gu = data.differential->Fu.data();
  step.lx = data.Lx.data();
  step.lu = data.Lu.data();
  step.lxx = data.Lxx.data();
  step.lxu = data.Lxu.data();
  step.luu = data.Luu.data();
  step.next_vx = Vx_[t + 1].data();
  step.next_vxx = Vxx_[t + 1].data();
  step.gap = is_feasible_ ? nullptr : fs_[t].data();
  step.regularization = std::isnan(preg_) ? 0.0 : preg_;
  step.qx = Qx_[t].data();
  step.qu = Qu_[t].data();
  step.qxx = Qxx_[t].data();
  step.qxu = Qxu_[t].data();
  step.quu = Quu_[t].data();
  step.feedforward = k_[t].data();
  step.gain = K_[t].data();
  step.quu_k = Quuk_[t].data();
  step.vx = Vx_[t].data();
  step.vxx = Vxx_[t].data();
  scratch_.reserve(kernels().riccati_workspace(step.nv, step.nu));
  if (kernels().riccati_step(&step, scratch_.data()) != kKernelOk) {
    // As Crocoddyl reports it; solve() then raises the regularization.
    throw crocoddyl::Exception("backward_error", __FILE__, __func__, __LINE__);
  }
}

}  // namespace wbmpc
