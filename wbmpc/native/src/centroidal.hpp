// Centroidal momentum, its rate, and their derivatives from data that is already there.

#pragma once

#include <vector>

#include <pinocchio/multibody.hpp>

#include "motion_columns.hpp"

namespace wbmpc {

// Rate of the momentum (linear, angular) about the centre of mass for the joint
// velocities `v` and accelerations `a`: (6,) [N, Nm], world axes. Needs
// computeAllTerms. Its data.dhg is no help: pinocchio 4.0.0 sums it up over calls.
pinocchio::Force centroidal_momentum_rate(const pinocchio::Data& data,
                                          const Eigen::Ref<const Eigen::VectorXd>& v,
                                          const Eigen::VectorXd& a);

// Derivatives of the centroidal momentum h and of its rate, each (6, nv), world axes.
// The same numbers as pinocchio::computeCentroidalDynamicsDerivatives, without its
// passes over the tree, and also right in the presence of external forces, where
// pinocchio::getCentroidalDynamicsDerivatives is not. The derivative of h with respect
// to v, and of its rate with respect to a, is data.Ag.
struct CentroidalDerivatives {
  explicit CentroidalDerivatives(const pinocchio::Model& model);

  // Fills dh_dq. Needs computeAllTerms.
  void update_momentum(const pinocchio::Model& model, const pinocchio::Data& data);

  // Fills drate_dq and drate_dv. Needs computeAllTerms, then computeRNEADerivatives.
  void update_rate(const pinocchio::Model& model, const pinocchio::Data& data);

  Matrix6x dh_dq;
  Matrix6x drate_dq;
  Matrix6x drate_dv;

 private:
  std::vector<pinocchio::Force> subtree_rate_;
};

}  // namespace wbmpc
