// Python binding of the solver.

#pragma once

namespace wbmpc {

void expose_solver();

}  // namespace wbmpc
