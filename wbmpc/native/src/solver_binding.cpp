#include "solver_binding.hpp"

#include <boost/python.hpp>

#include "../kernels/kernels.hpp"
#include "solver.hpp"

namespace wbmpc {
namespace {

namespace python = boost::python;

double times_calc(const SolverFDDP& self) { return self.times().calc_s; }
double times_calc_diff(const SolverFDDP& self) { return self.times().calc_diff_s; }
double times_backward(const SolverFDDP& self) { return self.times().backward_s; }
double times_forward(const SolverFDDP& self) { return self.times().forward_s; }
std::size_t trials(const SolverFDDP& self) { return self.times().trials; }

python::str kernel_name() { return python::str(kernels().name); }

}  // namespace

void expose_solver() {
  python::def("kernels", &kernel_name,
              "Variant of the compiled kernels in use: x86-64-v3 (AVX2) or generic.");
  python::class_<SolverFDDP, python::bases<crocoddyl::SolverFDDP>, boost::noncopyable>(
      "SolverFDDP",
      "crocoddyl.SolverFDDP with a backward pass of half the operations.\n\n"
      "Same iterates. The times are wall-clock times of the last `solve`.",
      python::init<std::shared_ptr<crocoddyl::ShootingProblem>>(
          python::args("self", "problem")))
      .add_property("structured", &SolverFDDP::structured,
                    "Whether the last backward pass used the integrator's structure.")
      .add_property("calc_s", &times_calc)
      .add_property("calc_diff_s", &times_calc_diff)
      .add_property("backward_s", &times_backward)
      .add_property("forward_s", &times_forward)
      .add_property("trials", &trials, "Trials of the line search.");
}

}  // namespace wbmpc
