#include "centroidal.hpp"

#include "motion_columns.hpp"

namespace wbmpc {
namespace {

using pinocchio::Force;
using pinocchio::JointIndex;
using pinocchio::Motion;

// Moves forces (or momenta) from the world's origin to the centre of mass. The point
// itself depends on q: `total` is the quantity that the columns differentiate, and the
// linear rows of Ag are m dc/dq.
void translate_to_com(const pinocchio::Data& data, const Eigen::Vector3d& total,
                      Matrix6x& columns) {
  const Eigen::Vector3d per_mass = total / data.mass[0];
  for (Eigen::Index k = 0; k < columns.cols(); ++k) {
    const Eigen::Vector3d linear = columns.col(k).head<3>();
    const Eigen::Vector3d com_shift = data.Ag.col(k).head<3>();
    columns.col(k).tail<3>() += linear.cross(data.com[0]) + per_mass.cross(com_shift);
  }
}

}  // namespace

Force centroidal_momentum_rate(const pinocchio::Data& data,
                               const Eigen::Ref<const Eigen::VectorXd>& v,
                               const Eigen::VectorXd& a) {
  Force rate;
  rate.toVector().noalias() = data.Ag * a;
  rate.toVector().noalias() += data.dAg * v;
  return rate;
}

CentroidalDerivatives::CentroidalDerivatives(const pinocchio::Model& model)
    : dh_dq(Matrix6x::Zero(6, model.nv)),
      drate_dq(Matrix6x::Zero(6, model.nv)),
      drate_dv(Matrix6x::Zero(6, model.nv)),
      subtree_rate_(model.njoints, Force::Zero()) {}

void CentroidalDerivatives::update_momentum(const pinocchio::Model& model,
                                            const pinocchio::Data& data) {
  for (JointIndex i = 1; i < static_cast<JointIndex>(model.njoints); ++i) {
    const Force subtree_momentum = data.oMi[i].act(data.h[i]);
    const JointIndex parent = model.parents[i];
    for (int k = model.idx_vs[i]; k < model.idx_vs[i] + model.nvs[i]; ++k) {
      const Motion axis = column(data.J, k);
      Force dh = axis.cross(subtree_momentum);
      if (parent > 0) dh += data.oYcrb[i] * data.ov[parent].cross(axis);
      dh_dq.col(k) = dh.toVector();
    }
  }
  translate_to_com(data, data.hg.linear(), dh_dq);
}

void CentroidalDerivatives::update_rate(const pinocchio::Model& model,
                                        const pinocchio::Data& data) {
  const auto njoints = static_cast<JointIndex>(model.njoints);
  subtree_rate_[0].setZero();
  for (JointIndex i = 1; i < njoints; ++i) {
    const Force momentum = data.oinertias[i] * data.ov[i];
    subtree_rate_[i] = data.oinertias[i] * data.oa[i] + data.ov[i].cross(momentum);
  }
  for (JointIndex i = njoints - 1; i > 0; --i) {
    const JointIndex parent = model.parents[i];
    subtree_rate_[parent] += subtree_rate_[i];
    for (int k = model.idx_vs[i]; k < model.idx_vs[i] + model.nvs[i]; ++k) {
      const Motion axis = column(data.J, k);
      Force drate = axis.cross(subtree_rate_[i]);
      if (parent > 0) {
        const Motion dv = data.ov[parent].cross(axis);
        const Motion da = data.oa[parent].cross(axis) + data.ov[parent].cross(dv);
        drate += data.oYcrb[i] * da;
        drate.toVector().noalias() += data.doYcrb[i] * dv.toVector();
      }
      drate_dq.col(k) = drate.toVector();
    }
  }
  drate_dv = data.dFdv;
  translate_to_com(data, subtree_rate_[0].linear(), drate_dq);
  // The centre of mass does not depend on v: only the lever arm remains.
  translate_to_com(data, Eigen::Vector3d::Zero(), drate_dv);
}

}  // namespace wbmpc
