#include "response.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace wbmpc {

void ResponseData::bind(Collector* collector, bool needs_joint) {
  using Multibody = crocoddyl::DataCollectorMultibodyTpl<double>;
  using Joint = crocoddyl::DataCollectorJointTpl<double>;
  auto* multibody = dynamic_cast<Multibody*>(collector);
  if (multibody == nullptr) {
    throw std::invalid_argument(
        "the data collector of a response residual must hold Pinocchio data "
        "(DataCollectorMultibody)");
  }
  rigid_body = multibody->pinocchio;
  auto* with_joint = dynamic_cast<Joint*>(collector);
  if (with_joint != nullptr) {
    joint = with_joint->joint.get();
  } else if (needs_joint) {
    throw std::invalid_argument(
        "the data collector of a response residual must hold joint accelerations "
        "(DataCollectorJoint)");
  }
}

ResponseResidual::ResponseResidual(std::shared_ptr<State> state, std::size_t nr,
                                   std::size_t nu, bool literal)
    : Residual(state, nr, nu, true, true, !literal),
      pinocchio_(state->get_pinocchio()),
      literal_(literal) {}

void ResponseResidual::calc(const std::shared_ptr<ResidualData>& data,
                            const VectorRef& x, const VectorRef&) {
  auto& d = static_cast<ResponseData&>(*data);
  value(d, x, acceleration(d));
}

void ResponseResidual::calc(const std::shared_ptr<ResidualData>& data,
                            const VectorRef& x) {
  value(static_cast<ResponseData&>(*data), x, nullptr);
}

void ResponseResidual::calcDiff(const std::shared_ptr<ResidualData>& data,
                                const VectorRef& x, const VectorRef&) {
  auto& d = static_cast<ResponseData&>(*data);
  local_derivatives(d, x);
  if (!literal_) apply_chain_rule(d);
}

void ResponseResidual::local_derivatives(ResponseData& data, const VectorRef& x) const {
  derivatives(data, x, acceleration(data));
}

void ResponseResidual::calcDiff(const std::shared_ptr<ResidualData>& data,
                                const VectorRef& x) {
  derivatives(static_cast<ResponseData&>(*data), x, nullptr);
}

std::shared_ptr<ResidualData> ResponseResidual::createData(Collector* collector) {
  return allocate<ResponseData>(this, collector);
}

std::shared_ptr<crocoddyl::ResidualModelBase> ResponseResidual::cloneAsFloat() const {
  throw std::runtime_error("response residuals exist in double precision only");
}

void ResponseResidual::apply_chain_rule(ResponseData& data) const {
  data.Rx.noalias() += data.dr_da * data.joint->da_dx;
  data.Ru.noalias() = data.dr_da * data.joint->da_du;
}

ResponseResidual::Acceleration ResponseResidual::acceleration(
    const ResponseData& data) const {
  return literal_ ? nullptr : &data.joint->a;
}

void check_size(const char* what, Eigen::Index size, Eigen::Index expected) {
  if (size == expected) return;
  throw std::invalid_argument(std::string(what) + " has " + std::to_string(size) +
                              " entries, expected " + std::to_string(expected));
}

}  // namespace wbmpc
