#include "frame_response.hpp"

#include <stdexcept>
#include <string>

#include <pinocchio/spatial.hpp>

namespace wbmpc {
namespace {

struct FrameResponseData : public ResponseData {
  EIGEN_MAKE_ALIGNED_OPERATOR_NEW

  template <template <typename> class Model>
  FrameResponseData(Model<double>* model, Collector* collector, bool needs_joint)
      : ResponseData(model, collector, needs_joint),
        frame(rigid_body_model(*model)) {}

  FrameDerivatives frame;
};

}  // namespace

FrameResponse::FrameResponse(std::shared_ptr<State> state,
                             pinocchio::FrameIndex frame_id, const Eigen::VectorXd& kp,
                             const Eigen::VectorXd& kd, Eigen::Index rows,
                             std::size_t nu, bool literal)
    : ResponseResidual(state, static_cast<std::size_t>(rows), nu, literal),
      frame_id_(frame_id),
      kp_(kp),
      kd_(kd) {
  check_size("kp", kp_.size(), rows);
  check_size("kd", kd_.size(), rows);
  if (frame_id_ >= model().frames.size()) {
    throw std::invalid_argument("frame index " + std::to_string(frame_id_) +
                                " is not among the " +
                                std::to_string(model().frames.size()) + " frames");
  }
}

std::shared_ptr<ResidualData> FrameResponse::createData(Collector* collector) {
  return allocate<FrameResponseData>(this, collector);
}

void FrameResponse::value(ResponseData& data, const VectorRef&, Acceleration a) const {
  const pinocchio::Data& rigid_body = *data.rigid_body;
  const Eigen::Index rows = kp_.size();
  const auto velocity = frame_velocity(model(), rigid_body, frame_id_);
  data.r = kp_.cwiseProduct(error(frame_placement(model(), rigid_body, frame_id_)));
  data.r += kd_.cwiseProduct(velocity.toVector().tail(rows));
  if (a != nullptr) {
    const auto spatial = frame_acceleration(model(), rigid_body, frame_id_, *a);
    data.r += spatial.toVector().tail(rows);
  }
}

void FrameResponse::derivatives(ResponseData& data, const VectorRef&,
                                Acceleration a) const {
  const pinocchio::Data& rigid_body = *data.rigid_body;
  FrameDerivatives& frame = static_cast<FrameResponseData&>(data).frame;
  const Eigen::Index rows = kp_.size();
  auto dr_dq = data.Rx.leftCols(nv());
  auto dr_dv = data.Rx.rightCols(nv());
  frame.update_velocity(model(), rigid_body, frame_id_);
  data.dr_da = frame.jacobian.bottomRows(rows);
  dr_dq = kd_.asDiagonal() * frame.dv_dq.bottomRows(rows);
  dr_dv = kd_.asDiagonal() * data.dr_da;
  add_error_derivative(frame_placement(model(), rigid_body, frame_id_), frame.jacobian,
                       dr_dq);
  if (a != nullptr) {
    frame.update_acceleration(model(), rigid_body, frame_id_);
    dr_dq += frame.da_dq.bottomRows(rows);
    dr_dv += frame.da_dv.bottomRows(rows);
  }
}

FrameRotationResponse::FrameRotationResponse(std::shared_ptr<State> state,
                                             pinocchio::FrameIndex frame_id,
                                             const Eigen::Matrix3d& rotation_ref,
                                             const Eigen::VectorXd& kp,
                                             const Eigen::VectorXd& kd, std::size_t nu,
                                             bool literal)
    : FrameResponse(state, frame_id, kp, kd, 3, nu, literal),
      rotation_ref_(rotation_ref) {}

void FrameRotationResponse::set_reference(const Eigen::Matrix3d& rotation_ref) {
  rotation_ref_ = rotation_ref;
}

Eigen::VectorXd FrameRotationResponse::error(
    const pinocchio::SE3& frame_to_world) const {
  return pinocchio::log3(
      Eigen::Matrix3d(rotation_ref_.transpose() * frame_to_world.rotation()));
}

void FrameRotationResponse::add_error_derivative(
    const pinocchio::SE3& frame_to_world, const Matrix6x& jacobian,
    Eigen::Ref<Eigen::MatrixXd> dr_dq) const {
  const Eigen::Matrix3d rotation =
      rotation_ref_.transpose() * frame_to_world.rotation();
  Eigen::Matrix3d jlog;
  pinocchio::Jlog3(rotation, jlog);
  const Eigen::Matrix3d gain = kp().asDiagonal() * jlog;
  dr_dq.noalias() += gain * jacobian.bottomRows<3>();
}

FramePlacementResponse::FramePlacementResponse(std::shared_ptr<State> state,
                                               pinocchio::FrameIndex frame_id,
                                               const pinocchio::SE3& placement_ref,
                                               const Eigen::VectorXd& kp,
                                               const Eigen::VectorXd& kd,
                                               std::size_t nu, bool literal)
    : FrameResponse(state, frame_id, kp, kd, 6, nu, literal),
      placement_ref_(placement_ref) {}

void FramePlacementResponse::set_reference(const pinocchio::SE3& placement_ref) {
  placement_ref_ = placement_ref;
}

Eigen::VectorXd FramePlacementResponse::error(
    const pinocchio::SE3& frame_to_world) const {
  return pinocchio::log6(placement_ref_.actInv(frame_to_world)).toVector();
}

void FramePlacementResponse::add_error_derivative(
    const pinocchio::SE3& frame_to_world, const Matrix6x& jacobian,
    Eigen::Ref<Eigen::MatrixXd> dr_dq) const {
  Eigen::Matrix<double, 6, 6> jlog;
  pinocchio::Jlog6(placement_ref_.actInv(frame_to_world), jlog);
  const Eigen::Matrix<double, 6, 6> gain = kp().asDiagonal() * jlog;
  dr_dq.noalias() += gain * jacobian;
}

}  // namespace wbmpc
