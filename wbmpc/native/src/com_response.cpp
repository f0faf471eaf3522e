#include "com_response.hpp"

namespace wbmpc {

CoMResponse::CoMResponse(std::shared_ptr<State> state, const Eigen::VectorXd& c_ref,
                         const Eigen::VectorXd& kp, const Eigen::VectorXd& kd,
                         std::size_t nu, bool literal)
    : ResponseResidual(state, 3, nu, literal), kp_(kp), kd_(kd) {
  check_size("kp", kp_.size(), 3);
  check_size("kd", kd_.size(), 3);
  set_reference(c_ref);
}

void CoMResponse::set_reference(const Eigen::VectorXd& c_ref) {
  check_size("c_ref", c_ref.size(), 3);
  c_ref_ = c_ref;
}

std::shared_ptr<ResidualData> CoMResponse::createData(Collector* collector) {
  return allocate<CentroidalResponseData>(this, collector);
}

void CoMResponse::value(ResponseData& data, const VectorRef& x, Acceleration a) const {
  const pinocchio::Data& rigid_body = *data.rigid_body;
  data.r = kd_.cwiseProduct(rigid_body.vcom[0]) +
           kp_.cwiseProduct(rigid_body.com[0] - c_ref_);
  if (a != nullptr) {
    const auto rate = centroidal_momentum_rate(rigid_body, x.tail(nv()), *a);
    data.r += rate.linear() / rigid_body.mass[0];
  }
}

void CoMResponse::derivatives(ResponseData& data, const VectorRef&,
                              Acceleration a) const {
  const pinocchio::Data& rigid_body = *data.rigid_body;
  CentroidalDerivatives& centroidal =
      static_cast<CentroidalResponseData&>(data).centroidal;
  const double mass = rigid_body.mass[0];
  auto dr_dq = data.Rx.leftCols(nv());
  auto dr_dv = data.Rx.rightCols(nv());
  centroidal.update_momentum(model(), rigid_body);
  data.dr_da = rigid_body.Ag.topRows<3>() / mass;
  dr_dv = kd_.asDiagonal() * data.dr_da;
  dr_dq = kp_.asDiagonal() * data.dr_da;
  dr_dq += (kd_ / mass).asDiagonal() * centroidal.dh_dq.topRows<3>();
  if (a != nullptr) {
    centroidal.update_rate(model(), rigid_body);
    dr_dq += centroidal.drate_dq.topRows<3>() / mass;
    dr_dv += centroidal.drate_dv.topRows<3>() / mass;
  }
}

}  // namespace wbmpc
