// Angular momentum, Table I row 5; twin of
// wbmpc/residuals/angular_momentum_response.py.

#pragma once

#include "centroidal_response.hpp"

namespace wbmpc {

// r = l' + A l, (3,) Nm, about the centre of mass, world axes; the reference is zero.
class AngularMomentumResponse : public ResponseResidual {
 public:
  EIGEN_MAKE_ALIGNED_OPERATOR_NEW

  // gain: (3,) diagonal of A [1/s].
  AngularMomentumResponse(std::shared_ptr<State> state, const Eigen::VectorXd& gain,
                          std::size_t nu, bool literal);

  std::shared_ptr<ResidualData> createData(Collector* collector) override;

  std::shared_ptr<crocoddyl::ResidualModelBase> cloneAsDouble() const override {
    return std::make_shared<AngularMomentumResponse>(*this);
  }

  const Eigen::VectorXd& gain() const { return gain_; }

 protected:
  void value(ResponseData& data, const VectorRef& x, Acceleration a) const override;
  void derivatives(ResponseData& data, const VectorRef& x,
                   Acceleration a) const override;

 private:
  Eigen::VectorXd gain_;
};

}  // namespace wbmpc
