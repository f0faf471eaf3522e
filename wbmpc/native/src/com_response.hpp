// Centre-of-mass tracking, Table I row 2; twin of wbmpc/residuals/com_response.py.

#pragma once

#include "centroidal_response.hpp"

namespace wbmpc {

// r = c'' + Kd c' + Kp (c - c_ref), (3,) m/s^2, world axes.
class CoMResponse : public ResponseResidual {
 public:
  EIGEN_MAKE_ALIGNED_OPERATOR_NEW

  // c_ref [m], kp [1/s^2], kd [1/s], each (3,).
  CoMResponse(std::shared_ptr<State> state, const Eigen::VectorXd& c_ref,
              const Eigen::VectorXd& kp, const Eigen::VectorXd& kd, std::size_t nu,
              bool literal);

  void set_reference(const Eigen::VectorXd& c_ref);
  std::shared_ptr<ResidualData> createData(Collector* collector) override;

  std::shared_ptr<crocoddyl::ResidualModelBase> cloneAsDouble() const override {
    return std::make_shared<CoMResponse>(*this);
  }

  const Eigen::VectorXd& c_ref() const { return c_ref_; }
  const Eigen::VectorXd& kp() const { return kp_; }
  const Eigen::VectorXd& kd() const { return kd_; }

 protected:
  void value(ResponseData& data, const VectorRef& x, Acceleration a) const override;
  void derivatives(ResponseData& data, const VectorRef& x,
                   Acceleration a) const override;

 private:
  Eigen::VectorXd c_ref_, kp_, kd_;
};

}  // namespace wbmpc
