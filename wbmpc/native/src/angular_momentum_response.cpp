#include "angular_momentum_response.hpp"

namespace wbmpc {

AngularMomentumResponse::AngularMomentumResponse(std::shared_ptr<State> state,
                                                 const Eigen::VectorXd& gain,
                                                 std::size_t nu, bool literal)
    : ResponseResidual(state, 3, nu, literal), gain_(gain) {
  check_size("gain", gain_.size(), 3);
}

std::shared_ptr<ResidualData> AngularMomentumResponse::createData(
    Collector* collector) {
  return allocate<CentroidalResponseData>(this, collector);
}

void AngularMomentumResponse::value(ResponseData& data, const VectorRef& x,
                                    Acceleration a) const {
  const pinocchio::Data& rigid_body = *data.rigid_body;
  data.r = gain_.cwiseProduct(rigid_body.hg.angular());
  if (a != nullptr) {
    data.r += centroidal_momentum_rate(rigid_body, x.tail(nv()), *a).angular();
  }
}

void AngularMomentumResponse::derivatives(ResponseData& data, const VectorRef&,
                                          Acceleration a) const {
  const pinocchio::Data& rigid_body = *data.rigid_body;
  CentroidalDerivatives& centroidal =
      static_cast<CentroidalResponseData&>(data).centroidal;
  auto dr_dq = data.Rx.leftCols(nv());
  auto dr_dv = data.Rx.rightCols(nv());
  centroidal.update_momentum(model(), rigid_body);
  data.dr_da = rigid_body.Ag.bottomRows<3>();
  dr_dv = gain_.asDiagonal() * data.dr_da;
  dr_dq = gain_.asDiagonal() * centroidal.dh_dq.bottomRows<3>();
  if (a != nullptr) {
    centroidal.update_rate(model(), rigid_body);
    dr_dq += centroidal.drate_dq.bottomRows<3>();
    dr_dv += centroidal.drate_dv.bottomRows<3>();
  }
}

}  // namespace wbmpc
