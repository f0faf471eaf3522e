// Upper-body joint tracking, Table I row 1; twin of wbmpc/residuals/joint_response.py.

#pragma once

#include <vector>

#include "response.hpp"

namespace wbmpc {

// r = a_J + Kd (v_J - v_ref) + Kp (q_J - q_ref), (n,) rad/s^2, for joints of one
// position and one velocity each behind a free-flyer root.
class JointResponse : public ResponseResidual {
 public:
  EIGEN_MAKE_ALIGNED_OPERATOR_NEW

  // joints: indices among the actuated joints; the rest (n,) in rad and seconds.
  JointResponse(std::shared_ptr<State> state, std::vector<Eigen::Index> joints,
                Eigen::VectorXd q_ref, Eigen::VectorXd v_ref, Eigen::VectorXd kp,
                Eigen::VectorXd kd, std::size_t nu, bool literal);

  void set_reference(const Eigen::VectorXd& q_ref, const Eigen::VectorXd& v_ref);

  std::shared_ptr<crocoddyl::ResidualModelBase> cloneAsDouble() const override {
    return std::make_shared<JointResponse>(*this);
  }

  const std::vector<Eigen::Index>& joints() const { return joints_; }
  const Eigen::VectorXd& q_ref() const { return q_ref_; }
  const Eigen::VectorXd& v_ref() const { return v_ref_; }
  const Eigen::VectorXd& kp() const { return kp_; }
  const Eigen::VectorXd& kd() const { return kd_; }

 protected:
  void value(ResponseData& data, const VectorRef& x, Acceleration a) const override;
  void derivatives(ResponseData& data, const VectorRef& x,
                   Acceleration a) const override;
  void apply_chain_rule(ResponseData& data) const override;

 private:
  std::vector<Eigen::Index> joints_;
  Eigen::VectorXd q_ref_, v_ref_, kp_, kd_;
};

}  // namespace wbmpc
