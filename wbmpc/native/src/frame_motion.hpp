// A frame's spatial motion in its own axes, and its derivatives, from data that is
// already there.

#pragma once

#include <pinocchio/multibody.hpp>

#include "motion_columns.hpp"

namespace wbmpc {

// Placement in the world. Needs joint placements.
pinocchio::SE3 frame_placement(const pinocchio::Model& model,
                               const pinocchio::Data& data, pinocchio::FrameIndex id);

// Spatial velocity. Needs computeAllTerms.
pinocchio::Motion frame_velocity(const pinocchio::Model& model,
                                 const pinocchio::Data& data, pinocchio::FrameIndex id);

// Spatial acceleration for the joint accelerations `a`. Needs computeAllTerms, which
// leaves the acceleration at a = 0 in data.a.
pinocchio::Motion frame_acceleration(const pinocchio::Model& model,
                                     const pinocchio::Data& data,
                                     pinocchio::FrameIndex id,
                                     const Eigen::VectorXd& a);

// Derivatives of velocity and acceleration, each (6, nv), as
// pinocchio::getFrameAccelerationDerivatives(..., LOCAL) gives them. The derivative of
// the velocity with respect to v, and of the acceleration with respect to a, is
// `jacobian`. Columns of joints that do not move the frame stay zero.
struct FrameDerivatives {
  explicit FrameDerivatives(const pinocchio::Model& model);

  // Fills jacobian and dv_dq. Needs computeAllTerms.
  void update_velocity(const pinocchio::Model& model, const pinocchio::Data& data,
                       pinocchio::FrameIndex id);

  // Fills da_dq and da_dv. Needs update_velocity and computeRNEADerivatives.
  void update_acceleration(const pinocchio::Model& model, const pinocchio::Data& data,
                           pinocchio::FrameIndex id);

  Matrix6x jacobian;
  Matrix6x dv_dq;
  Matrix6x da_dq;
  Matrix6x da_dv;
};

}  // namespace wbmpc
