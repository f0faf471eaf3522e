#include "fused_binding.hpp"

#include <boost/python.hpp>

#include "fused_action.hpp"

namespace wbmpc {
namespace {

namespace python = boost::python;

python::tuple fusable(const State& state, const Actuation& actuation,
                      const CostSum& costs) {
  const std::string reason = FusedAction::why_not(state, actuation, costs);
  return python::make_tuple(reason.empty(), reason);
}

}  // namespace

void expose_fused_action() {
  using Pointer = std::shared_ptr<FusedAction>;
  python::def("fusable", &fusable, python::args("state", "actuation", "costs"));
  python::class_<FusedActionData, python::bases<ContactActionData>,
                 std::shared_ptr<FusedActionData>, boost::noncopyable>(
      "DifferentialActionDataFused",
      "Data of DifferentialActionModelFused.\n\n"
      "As Crocoddyl's, but Kinv and the derivatives of single costs stay empty.",
      python::no_init);
  python::class_<FusedAction, python::bases<ContactAction>, Pointer>(
      "DifferentialActionModelFused",
      "crocoddyl.DifferentialActionModelContactFwdDynamics, faster.\n\n"
      "The same numbers from one Gauss-Newton product for all cost terms and one\n"
      "inverse of the contact matrix. Raises ValueError with the reason that\n"
      "`fusable` gives.",
      python::init<std::shared_ptr<State>, std::shared_ptr<Actuation>,
                   std::shared_ptr<Contacts>, std::shared_ptr<CostSum>,
                   python::optional<double>>(python::args(
          "self", "state", "actuation", "contacts", "costs", "inv_damping")))
      .def("createData", &FusedAction::createData, python::args("self"));
  python::implicitly_convertible<
      Pointer,
      std::shared_ptr<crocoddyl::DifferentialActionModelAbstractTpl<double>>>();
}

}  // namespace wbmpc
