// Tells classes written in Python from compiled ones.

#pragma once

#include <boost/python/detail/wrapper_base.hpp>

namespace wbmpc {

// Crocoddyl binds its abstract classes through a wrapper that Python classes derive
// from.
template <typename T>
bool is_written_in_python(const T& object) {
  return dynamic_cast<const boost::python::detail::wrapper_base*>(&object) != nullptr;
}

}  // namespace wbmpc
