// Columns of a (6, nv) matrix read as spatial motions.

#pragma once

#include <pinocchio/multibody.hpp>

namespace wbmpc {

using Matrix6x = pinocchio::Data::Matrix6x;

inline pinocchio::Motion column(const Matrix6x& motions, Eigen::Index k) {
  return pinocchio::Motion(motions.col(k));
}

}  // namespace wbmpc
