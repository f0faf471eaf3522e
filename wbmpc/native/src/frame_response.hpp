// Pelvis orientation and foot placement, Table I rows 3 and 4; twins of
// wbmpc/residuals/frame_response.py.

#pragma once

#include "frame_motion.hpp"
#include "response.hpp"

namespace wbmpc {

// Rows of a frame's second-order response, all in the frame's own axes.
class FrameResponse : public ResponseResidual {
 public:
  EIGEN_MAKE_ALIGNED_OPERATOR_NEW

  std::shared_ptr<ResidualData> createData(Collector* collector) override;

  pinocchio::FrameIndex frame_id() const { return frame_id_; }
  const Eigen::VectorXd& kp() const { return kp_; }
  const Eigen::VectorXd& kd() const { return kd_; }

 protected:
  // rows: 3 (the angular ones) or 6; kp [1/s^2], kd [1/s], each (rows,).
  FrameResponse(std::shared_ptr<State> state, pinocchio::FrameIndex frame_id,
                const Eigen::VectorXd& kp, const Eigen::VectorXd& kd, Eigen::Index rows,
                std::size_t nu, bool literal);

  // Task error, (rows,).
  virtual Eigen::VectorXd error(const pinocchio::SE3& frame_to_world) const = 0;

  // Adds Kp (d error / d body motion) `jacobian` to `dr_dq`.
  virtual void add_error_derivative(const pinocchio::SE3& frame_to_world,
                                    const Matrix6x& jacobian,
                                    Eigen::Ref<Eigen::MatrixXd> dr_dq) const = 0;

  void value(ResponseData& data, const VectorRef& x, Acceleration a) const override;
  void derivatives(ResponseData& data, const VectorRef& x,
                   Acceleration a) const override;

 private:
  pinocchio::FrameIndex frame_id_;
  Eigen::VectorXd kp_, kd_;
};

// r = w' + Kd w + Kp log(R_ref^T R), (3,) rad/s^2.
class FrameRotationResponse : public FrameResponse {
 public:
  EIGEN_MAKE_ALIGNED_OPERATOR_NEW

  FrameRotationResponse(std::shared_ptr<State> state, pinocchio::FrameIndex frame_id,
                        const Eigen::Matrix3d& rotation_ref, const Eigen::VectorXd& kp,
                        const Eigen::VectorXd& kd, std::size_t nu, bool literal);

  void set_reference(const Eigen::Matrix3d& rotation_ref);

  std::shared_ptr<crocoddyl::ResidualModelBase> cloneAsDouble() const override {
    return std::make_shared<FrameRotationResponse>(*this);
  }

  const Eigen::Matrix3d& rotation_ref() const { return rotation_ref_; }

 protected:
  Eigen::VectorXd error(const pinocchio::SE3& frame_to_world) const override;
  void add_error_derivative(const pinocchio::SE3& frame_to_world,
                            const Matrix6x& jacobian,
                            Eigen::Ref<Eigen::MatrixXd> dr_dq) const override;

 private:
  Eigen::Matrix3d rotation_ref_;
};

// r = n' + Kd n + Kp log6(M_ref^-1 M), (6,) [m/s^2, rad/s^2], n the spatial velocity.
class FramePlacementResponse : public FrameResponse {
 public:
  EIGEN_MAKE_ALIGNED_OPERATOR_NEW

  FramePlacementResponse(std::shared_ptr<State> state, pinocchio::FrameIndex frame_id,
                         const pinocchio::SE3& placement_ref, const Eigen::VectorXd& kp,
                         const Eigen::VectorXd& kd, std::size_t nu, bool literal);

  void set_reference(const pinocchio::SE3& placement_ref);

  std::shared_ptr<crocoddyl::ResidualModelBase> cloneAsDouble() const override {
    return std::make_shared<FramePlacementResponse>(*this);
  }

  const pinocchio::SE3& placement_ref() const { return placement_ref_; }

 protected:
  Eigen::VectorXd error(const pinocchio::SE3& frame_to_world) const override;
  void add_error_derivative(const pinocchio::SE3& frame_to_world,
                            const Matrix6x& jacobian,
                            Eigen::Ref<Eigen::MatrixXd> dr_dq) const override;

 private:
  pinocchio::SE3 placement_ref_;
};

}  // namespace wbmpc
