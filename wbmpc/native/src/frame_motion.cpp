#include "frame_motion.hpp"

#include "motion_columns.hpp"

namespace wbmpc {
namespace {

using pinocchio::FrameIndex;
using pinocchio::JointIndex;
using pinocchio::Motion;
using pinocchio::SE3;

}  // namespace

SE3 frame_placement(const pinocchio::Model& model, const pinocchio::Data& data,
                    FrameIndex id) {
  const auto& frame = model.frames[id];
  return data.oMi[frame.parentJoint] * frame.placement;
}

Motion frame_velocity(const pinocchio::Model& model, const pinocchio::Data& data,
                      FrameIndex id) {
  const auto& frame = model.frames[id];
  return frame.placement.actInv(data.v[frame.parentJoint]);
}

Motion frame_acceleration(const pinocchio::Model& model, const pinocchio::Data& data,
                          FrameIndex id, const Eigen::VectorXd& a) {
  const auto& frame = model.frames[id];
  Motion from_joints = Motion::Zero();
  for (const JointIndex i : model.supports[frame.parentJoint]) {
    for (int k = model.idx_vs[i]; k < model.idx_vs[i] + model.nvs[i]; ++k) {
      from_joints.toVector() += data.J.col(k) * a[k];
    }
  }
  return frame.placement.actInv(data.a[frame.parentJoint]) +
         frame_placement(model, data, id).actInv(from_joints);
}

FrameDerivatives::FrameDerivatives(const pinocchio::Model& model)
    : jacobian(Matrix6x::Zero(6, model.nv)),
      dv_dq(Matrix6x::Zero(6, model.nv)),
      da_dq(Matrix6x::Zero(6, model.nv)),
      da_dv(Matrix6x::Zero(6, model.nv)) {}

void FrameDerivatives::update_velocity(const pinocchio::Model& model,
                                       const pinocchio::Data& data, FrameIndex id) {
  const SE3 frame_to_world = frame_placement(model, data, id);
  for (const JointIndex i : model.supports[model.frames[id].parentJoint]) {
    if (i == 0) continue;  // the world has no columns
    const JointIndex parent = model.parents[i];
    Motion v_parent = Motion::Zero();
    if (parent > 0) v_parent = frame_to_world.actInv(data.ov[parent]);
    for (int k = model.idx_vs[i]; k < model.idx_vs[i] + model.nvs[i]; ++k) {
      const Motion axis = frame_to_world.actInv(column(data.J, k));
      jacobian.col(k) = axis.toVector();
      dv_dq.col(k) = v_parent.cross(axis).toVector();
    }
  }
}

void FrameDerivatives::update_acceleration(const pinocchio::Model& model,
                                           const pinocchio::Data& data, FrameIndex id) {
  const SE3 frame_to_world = frame_placement(model, data, id);
  const Motion v_frame = frame_velocity(model, data, id);
  for (const JointIndex i : model.supports[model.frames[id].parentJoint]) {
    if (i == 0) continue;
    const JointIndex parent = model.parents[i];
    const Motion v_joint = frame_to_world.actInv(data.ov[i]);
    Motion v_parent = Motion::Zero();
    Motion a_parent = Motion::Zero();
    if (parent > 0) {
      v_parent = frame_to_world.actInv(data.ov[parent]);
      a_parent = frame_to_world.actInv(data.oa[parent]);
    }
    for (int k = model.idx_vs[i]; k < model.idx_vs[i] + model.nvs[i]; ++k) {
      const Motion axis = column(jacobian, k);
      const Motion dv = column(dv_dq, k);
      da_dq.col(k) =
          (a_parent.cross(axis) + (v_parent - v_frame).cross(dv)).toVector();
      da_dv.col(k) = (v_parent + v_joint - v_frame).cross(axis).toVector();
    }
  }
}

}  // namespace wbmpc
