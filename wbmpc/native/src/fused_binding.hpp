// Python binding of the fused action model.

#pragma once

namespace wbmpc {

void expose_fused_action();

}  // namespace wbmpc
