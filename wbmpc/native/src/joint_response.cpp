#include "joint_response.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace wbmpc {
namespace {

constexpr Eigen::Index kBaseQ = 7;
constexpr Eigen::Index kBaseV = 6;

}  // namespace

JointResponse::JointResponse(std::shared_ptr<State> state,
                             std::vector<Eigen::Index> joints, Eigen::VectorXd q_ref,
                             Eigen::VectorXd v_ref, Eigen::VectorXd kp,
                             Eigen::VectorXd kd, std::size_t nu, bool literal)
    : ResponseResidual(state, joints.size(), nu, literal),
      joints_(std::move(joints)),
      kp_(std::move(kp)),
      kd_(std::move(kd)) {
  const auto n = static_cast<Eigen::Index>(joints_.size());
  check_size("kp", kp_.size(), n);
  check_size("kd", kd_.size(), n);
  for (const Eigen::Index joint : joints_) {
    if (joint < 0 || joint >= nv() - kBaseV) {
      throw std::invalid_argument("joint index " + std::to_string(joint) +
                                  " is not among the " + std::to_string(nv() - kBaseV) +
                                  " actuated joints");
    }
  }
  set_reference(q_ref, v_ref);
}

void JointResponse::set_reference(const Eigen::VectorXd& q_ref,
                                  const Eigen::VectorXd& v_ref) {
  check_size("q_ref", q_ref.size(), kp_.size());
  check_size("v_ref", v_ref.size(), kp_.size());
  q_ref_ = q_ref;
  v_ref_ = v_ref;
}

void JointResponse::value(ResponseData& data, const VectorRef& x,
                          Acceleration a) const {
  const Eigen::Index nq = model().nq;
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    const double q = x[kBaseQ + joints_[i]];
    const double v = x[nq + kBaseV + joints_[i]];
    data.r[row] = kd_[row] * (v - v_ref_[row]) + kp_[row] * (q - q_ref_[row]);
    if (a != nullptr) data.r[row] += (*a)[kBaseV + joints_[i]];
  }
}

void JointResponse::derivatives(ResponseData& data, const VectorRef&,
                                Acceleration) const {
  data.Rx.setZero();
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    data.Rx(row, kBaseV + joints_[i]) = kp_[row];
    data.Rx(row, nv() + kBaseV + joints_[i]) = kd_[row];
  }
}

// dr/da only selects rows.
void JointResponse::apply_chain_rule(ResponseData& data) const {
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    data.Rx.row(row) += data.joint->da_dx.row(kBaseV + joints_[i]);
    data.Ru.row(row) = data.joint->da_du.row(kBaseV + joints_[i]);
  }
}

}  // namespace wbmpc
