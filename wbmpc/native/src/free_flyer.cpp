#include "free_flyer.hpp"

namespace wbmpc {

bool has_free_flyer_and_single_joints(const pinocchio::Model& model) {
  if (model.njoints < 2 || model.joints[1].shortname() != "JointModelFreeFlyer") {
    return false;
  }
  for (std::size_t i = 2; i < static_cast<std::size_t>(model.njoints); ++i) {
    if (model.nqs[i] != 1 || model.nvs[i] != 1) return false;
  }
  return true;
}

}  // namespace wbmpc
