// The kind of robot that the structured parts are written for.

#pragma once

#include <pinocchio/multibody.hpp>

namespace wbmpc {

// A free-flyer, and joints of one position and one velocity each behind it.
bool has_free_flyer_and_single_joints(const pinocchio::Model& model);

}  // namespace wbmpc
