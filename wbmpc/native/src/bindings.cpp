// Python module wbmpc.native._native: the residuals under the names and signatures of
// their Python twins in wbmpc/residuals.

#include <vector>

#include <boost/python.hpp>
#include <eigenpy/eigenpy.hpp>

#include "angular_momentum_response.hpp"
#include "com_response.hpp"
#include "frame_response.hpp"
#include "fused_binding.hpp"
#include "joint_response.hpp"
#include "solver_binding.hpp"

namespace bp = boost::python;

namespace wbmpc {
namespace {

using StatePtr = std::shared_ptr<State>;
using DataPtr = std::shared_ptr<ResidualData>;

// Anything numpy can turn into a vector, as the Python twins accept it.
Eigen::VectorXd vector(const bp::object& values) {
  const bp::object array = bp::import("numpy").attr("array")(values, "float64");
  return bp::extract<Eigen::VectorXd>(array.attr("ravel")());
}

Eigen::Matrix3d matrix3(const bp::object& values) {
  check_size("rotation_ref, by rows,", bp::len(values), 3);
  const Eigen::VectorXd entries = vector(values);
  check_size("rotation_ref", entries.size(), 9);
  using RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
  return Eigen::Map<const RowMajor>(entries.data());
}

std::vector<Eigen::Index> indices(const bp::object& values) {
  std::vector<Eigen::Index> result;
  for (bp::stl_input_iterator<bp::object> it(values), end; it != end; ++it) {
    result.push_back(bp::extract<Eigen::Index>((*it).attr("__index__")()));
  }
  return result;
}

std::shared_ptr<JointResponse> make_joint(StatePtr state, bp::object joints,
                                          bp::object q_ref, bp::object v_ref,
                                          bp::object kp, bp::object kd, std::size_t nu,
                                          bool literal) {
  return std::make_shared<JointResponse>(state, indices(joints), vector(q_ref),
                                         vector(v_ref), vector(kp), vector(kd), nu,
                                         literal);
}

std::shared_ptr<CoMResponse> make_com(StatePtr state, bp::object c_ref, bp::object kp,
                                      bp::object kd, std::size_t nu, bool literal) {
  return std::make_shared<CoMResponse>(state, vector(c_ref), vector(kp), vector(kd), nu,
                                       literal);
}

std::shared_ptr<AngularMomentumResponse> make_angular_momentum(StatePtr state,
                                                               bp::object gain,
                                                               std::size_t nu,
                                                               bool literal) {
  return std::make_shared<AngularMomentumResponse>(state, vector(gain), nu, literal);
}

std::shared_ptr<FrameRotationResponse> make_frame_rotation(
    StatePtr state, pinocchio::FrameIndex frame_id, bp::object rotation_ref,
    bp::object kp, bp::object kd, std::size_t nu, bool literal) {
  return std::make_shared<FrameRotationResponse>(
      state, frame_id, matrix3(rotation_ref), vector(kp), vector(kd), nu, literal);
}

std::shared_ptr<FramePlacementResponse> make_frame_placement(
    StatePtr state, pinocchio::FrameIndex frame_id, const pinocchio::SE3& placement_ref,
    bp::object kp, bp::object kd, std::size_t nu, bool literal) {
  return std::make_shared<FramePlacementResponse>(
      state, frame_id, placement_ref, vector(kp), vector(kd), nu, literal);
}

void set_joint_reference(JointResponse& self, bp::object q_ref, bp::object v_ref) {
  self.set_reference(vector(q_ref), vector(v_ref));
}

void set_com_reference(CoMResponse& self, bp::object c_ref) {
  self.set_reference(vector(c_ref));
}

void set_rotation_reference(FrameRotationResponse& self, bp::object rotation_ref) {
  self.set_reference(matrix3(rotation_ref));
}

// calc, calcDiff and createData are bound per class: the ones inherited from
// crocoddyl's binding only serve residuals written in Python.
void calc(ResponseResidual& self, const DataPtr& data, const Eigen::VectorXd& x,
          const Eigen::VectorXd& u) {
  self.calc(data, x, u);
}

void calc_terminal(ResponseResidual& self, const DataPtr& data,
                   const Eigen::VectorXd& x) {
  self.calc(data, x);
}

void calc_diff(ResponseResidual& self, const DataPtr& data, const Eigen::VectorXd& x,
               const Eigen::VectorXd& u) {
  self.calcDiff(data, x, u);
}

void calc_diff_terminal(ResponseResidual& self, const DataPtr& data,
                        const Eigen::VectorXd& x) {
  self.calcDiff(data, x);
}

template <typename T>
using ResidualClass = bp::class_<T, bp::bases<ResponseResidual>, std::shared_ptr<T>>;

template <typename T, typename Maker, typename Keywords>
ResidualClass<T> expose(const char* name, const char* doc, Maker maker,
                        const Keywords& keywords) {
  ResidualClass<T> exposed(name, doc, bp::no_init);
  exposed.def("__init__",
              bp::make_constructor(maker, bp::default_call_policies(), keywords));
  bp::implicitly_convertible<std::shared_ptr<T>, std::shared_ptr<Residual>>();
  return exposed;
}

template <typename T, typename Value>
bp::object read_only(const Value& (T::*getter)() const) {
  return bp::make_function(getter, bp::return_value_policy<bp::return_by_value>());
}

void expose_base() {
  bp::class_<ResponseResidual, bp::bases<Residual>, boost::noncopyable>(
      "ResponseResidual",
      "A residual on a closed-loop response; see wbmpc.residuals.base.", bp::no_init)
      .def("calc", &calc, bp::args("self", "data", "x", "u"))
      .def("calc", &calc_terminal, bp::args("self", "data", "x"))
      .def("calcDiff", &calc_diff, bp::args("self", "data", "x", "u"))
      .def("calcDiff", &calc_diff_terminal, bp::args("self", "data", "x"))
      .def("createData", &ResponseResidual::createData,
           bp::with_custodian_and_ward_postcall<0, 2>(), bp::args("self", "collector"))
      .add_property("literal", &ResponseResidual::literal);
}

void expose_joint() {
  using T = JointResponse;
  expose<T>("ResidualModelJointResponse",
            "Twin of wbmpc.residuals.ResidualModelJointResponse.", &make_joint,
            (bp::arg("state"), bp::arg("joints"), bp::arg("q_ref"), bp::arg("v_ref"),
             bp::arg("kp"), bp::arg("kd"), bp::arg("nu"), bp::arg("literal") = false))
      .def("set_reference", &set_joint_reference, bp::args("self", "q_ref", "v_ref"))
      .add_property("q_ref", read_only(&T::q_ref))
      .add_property("v_ref", read_only(&T::v_ref))
      .add_property("kp", read_only(&T::kp))
      .add_property("kd", read_only(&T::kd));
}

void expose_com() {
  using T = CoMResponse;
  expose<T>("ResidualModelCoMResponse",
            "Twin of wbmpc.residuals.ResidualModelCoMResponse.", &make_com,
            (bp::arg("state"), bp::arg("c_ref"), bp::arg("kp"), bp::arg("kd"),
             bp::arg("nu"), bp::arg("literal") = false))
      .def("set_reference", &set_com_reference, bp::args("self", "c_ref"))
      .add_property("c_ref", read_only(&T::c_ref))
      .add_property("kp", read_only(&T::kp))
      .add_property("kd", read_only(&T::kd));
}

void expose_angular_momentum() {
  using T = AngularMomentumResponse;
  expose<T>("ResidualModelAngularMomentumResponse",
            "Twin of wbmpc.residuals.ResidualModelAngularMomentumResponse.",
            &make_angular_momentum,
            (bp::arg("state"), bp::arg("gain"), bp::arg("nu"),
             bp::arg("literal") = false))
      .add_property("gain", read_only(&T::gain));
}

// Gains of a frame residual live in its base class, which is not exposed.
template <typename T>
Eigen::VectorXd frame_kp(const T& self) {
  return self.kp();
}

template <typename T>
Eigen::VectorXd frame_kd(const T& self) {
  return self.kd();
}

template <typename T>
void expose_frame_properties(ResidualClass<T>& exposed) {
  exposed.add_property("frame_id", &T::frame_id)
      .add_property("kp", &frame_kp<T>)
      .add_property("kd", &frame_kd<T>);
}

void expose_frame_rotation() {
  using T = FrameRotationResponse;
  auto exposed = expose<T>(
      "ResidualModelFrameRotationResponse",
      "Twin of wbmpc.residuals.ResidualModelFrameRotationResponse.",
      &make_frame_rotation,
      (bp::arg("state"), bp::arg("frame_id"), bp::arg("rotation_ref"), bp::arg("kp"),
       bp::arg("kd"), bp::arg("nu"), bp::arg("literal") = false));
  exposed
      .def("set_reference", &set_rotation_reference, bp::args("self", "rotation_ref"))
      .add_property("rotation_ref", read_only(&T::rotation_ref));
  expose_frame_properties<T>(exposed);
}

void expose_frame_placement() {
  using T = FramePlacementResponse;
  auto exposed = expose<T>(
      "ResidualModelFramePlacementResponse",
      "Twin of wbmpc.residuals.ResidualModelFramePlacementResponse.",
      &make_frame_placement,
      (bp::arg("state"), bp::arg("frame_id"), bp::arg("placement_ref"), bp::arg("kp"),
       bp::arg("kd"), bp::arg("nu"), bp::arg("literal") = false));
  exposed.def("set_reference", &T::set_reference, bp::args("self", "placement_ref"))
      .add_property("placement_ref", read_only(&T::placement_ref));
  expose_frame_properties<T>(exposed);
}

}  // namespace
}  // namespace wbmpc

BOOST_PYTHON_MODULE(_native) {
  // Registers the base classes and the converters of every type used above.
  bp::import("crocoddyl");
  wbmpc::expose_base();
  wbmpc::expose_joint();
  wbmpc::expose_com();
  wbmpc::expose_angular_momentum();
  wbmpc::expose_frame_rotation();
  wbmpc::expose_frame_placement();
  wbmpc::expose_fused_action();
  wbmpc::expose_solver();
}
