#include "fused_terms.hpp"

#include <typeinfo>

#include <boost/core/demangle.hpp>
#include <crocoddyl/core/costs/residual.hpp>
#include <crocoddyl/core/residuals/control.hpp>
#include <crocoddyl/core/residuals/joint-acceleration.hpp>
#include <crocoddyl/multibody/contacts/contact-6d.hpp>
#include <crocoddyl/multibody/residuals/contact-force.hpp>
#include <crocoddyl/multibody/residuals/contact-wrench-cone.hpp>
#include <crocoddyl/multibody/residuals/state.hpp>

#include "joint_response.hpp"
#include "python_derived.hpp"

namespace wbmpc {
namespace {

using Eigen::Index;
using AccelerationResidual = crocoddyl::ResidualModelJointAccelerationTpl<double>;
using ControlResidual = crocoddyl::ResidualModelControlTpl<double>;
using ForceResidual = crocoddyl::ResidualModelContactForceTpl<double>;
using StateResidual = crocoddyl::ResidualModelStateTpl<double>;
using WrenchConeResidual = crocoddyl::ResidualModelContactWrenchConeTpl<double>;
using Contact6D = crocoddyl::ContactModel6DTpl<double>;

// r = a - a_ref: weights on rows that are there already.
class AccelerationTerm : public FusedTerm {
 public:
  using FusedTerm::FusedTerm;

 protected:
  void add(FusedAssembly& assembly, const VectorRef&, const VectorRef&,
           const ContactRows&) override {
    assembly.acceleration_weights() += weights();
    assembly.acceleration_gradients() += gradients();
  }
};

// r = u - u_ref.
class ControlTerm : public FusedTerm {
 public:
  using FusedTerm::FusedTerm;

 protected:
  void add(FusedAssembly& assembly, const VectorRef&, const VectorRef&,
           const ContactRows&) override {
    assembly.diagonal().tail(assembly.nu()) += weights();
    assembly.direct_gradient().tail(assembly.nu()) += gradients();
  }
};

// r = x (-) x_ref: the identity but for the free-flyer's position.
class StateTerm : public FusedTerm {
 public:
  using FusedTerm::FusedTerm;

 protected:
  void add(FusedAssembly& assembly, const VectorRef& x, const VectorRef& u,
           const ContactRows&) override {
    const Index rest = assembly.ndx() - 6;
    assembly.diagonal().segment(6, rest) += weights().tail(rest);
    assembly.direct_gradient().segment(6, rest) += gradients().tail(rest);
    const Eigen::Matrix<double, 6, 1> base = weights().head<6>();
    if (base.isZero(0.0) && gradients().head<6>().isZero(0.0)) return;
    residual().calcDiff(residual_data(), x, u);
    const Eigen::Matrix<double, 6, 6> jacobian =
        residual_data()->Rx.topLeftCorner<6, 6>();
    assembly.base_hessian() += jacobian.transpose() * base.asDiagonal() * jacobian;
    assembly.direct_gradient().head<6>() +=
        jacobian.transpose() * gradients().head<6>();
  }
};

// Rows of the acceleration with two more entries each.
class JointResponseTerm : public FusedTerm {
 public:
  using FusedTerm::FusedTerm;

  Index other_rows() const override {
    return static_cast<Index>(response().joints().size());
  }

 protected:
  void add(FusedAssembly& assembly, const VectorRef&, const VectorRef&,
           const ContactRows&) override {
    const JointResponse& joints = response();
    const Index n = other_rows();
    auto rows = assembly.rows(other_row_, n);
    for (Index i = 0; i < n; ++i) {
      const Index joint = 6 + joints.joints()[static_cast<std::size_t>(i)];
      if (joints.literal()) {
        rows.col(i).setZero();
      } else {
        rows.col(i) = assembly.acceleration(joint);
      }
      rows(joint, i) += joints.kp()[i];
      rows(assembly.nv() + joint, i) += joints.kd()[i];
    }
    assembly.row_weights().segment(other_row_, n) = weights();
    assembly.row_gradients().segment(other_row_, n) = gradients();
  }

 private:
  const JointResponse& response() const {
    return static_cast<const JointResponse&>(residual());
  }
};

// The other responses: what they depend on besides the acceleration, and the matrix
// that selects it.
class ResponseTerm : public FusedTerm {
 public:
  using FusedTerm::FusedTerm;

  Index response_rows() const override {
    return static_cast<Index>(residual().get_nr());
  }

 protected:
  void add(FusedAssembly& assembly, const VectorRef& x, const VectorRef&,
           const ContactRows&) override {
    auto& response = static_cast<ResponseResidual&>(residual());
    auto& data = static_cast<ResponseData&>(*residual_data());
    const Index n = response_rows();
    response.local_derivatives(data, x);
    auto rows = assembly.rows(response_row_, n);
    rows.topRows(assembly.ndx()) = data.Rx.transpose();
    rows.bottomRows(assembly.nu()).setZero();
    if (response.literal()) {
      assembly.selection().middleRows(response_row_, n).setZero();
    } else {
      assembly.selection().middleRows(response_row_, n) = data.dr_da;
    }
    assembly.row_weights().segment(response_row_, n) = weights();
    assembly.row_gradients().segment(response_row_, n) = gradients();
  }
};

// Terms on the wrench of one contact share its six rows.
class WrenchTerm : public FusedTerm {
 public:
  WrenchTerm(Item item, Data data, std::size_t contact)
      : FusedTerm(std::move(item), std::move(data)), contact_(contact) {}

 protected:
  void add(FusedAssembly& assembly, const VectorRef&, const VectorRef&,
           const ContactRows& contacts) override {
    const Index row = contacts[contact_];
    if (row < 0) return;  // no contact, no derivatives
    auto all_weights = assembly.force_weights();
    auto all_gradients = assembly.force_gradients();
    add_wrench(all_weights.block<6, 6>(row, row), all_gradients.segment<6>(row));
  }

  virtual void add_wrench(Eigen::Ref<Eigen::Matrix<double, 6, 6>, 0,
                                     Eigen::OuterStride<>> wrench_weights,
                          Eigen::Ref<Eigen::Matrix<double, 6, 1>> gradient) = 0;

 private:
  std::size_t contact_;
};

// r = f - f_ref.
class ForceTerm : public WrenchTerm {
 public:
  using WrenchTerm::WrenchTerm;

 protected:
  void add_wrench(Eigen::Ref<Eigen::Matrix<double, 6, 6>, 0, Eigen::OuterStride<>>
                      wrench_weights,
                  Eigen::Ref<Eigen::Matrix<double, 6, 1>> gradient) override {
    wrench_weights.diagonal() += weights();
    gradient += gradients();
  }
};

// r = A f; most rows are inactive most of the time.
class WrenchConeTerm : public WrenchTerm {
 public:
  using WrenchTerm::WrenchTerm;

 protected:
  void add_wrench(Eigen::Ref<Eigen::Matrix<double, 6, 6>, 0, Eigen::OuterStride<>>
                      wrench_weights,
                  Eigen::Ref<Eigen::Matrix<double, 6, 1>> gradient) override {
    const auto& cone = static_cast<const WrenchConeResidual&>(residual());
    const auto& a = cone.get_reference().get_A();
    const Eigen::VectorXd weight = weights();
    const Eigen::VectorXd slope = gradients();
    for (Index i = 0; i < a.rows(); ++i) {
      if (weight[i] == 0.0 && slope[i] == 0.0) continue;
      const Eigen::Matrix<double, 6, 1> row = a.row(i).transpose();
      wrench_weights += weight[i] * row * row.transpose();
      gradient += slope[i] * row;
    }
  }
};

// Any other residual: its own Jacobians, row by row.
class OtherTerm : public FusedTerm {
 public:
  using FusedTerm::FusedTerm;

  Index other_rows() const override { return static_cast<Index>(residual().get_nr()); }
  bool needs_shared_derivatives() const override { return true; }

 protected:
  void add(FusedAssembly& assembly, const VectorRef& x, const VectorRef& u,
           const ContactRows&) override {
    const Index n = other_rows();
    const Index nv = assembly.nv();
    Residual& model = residual();
    const ResidualData& data = *residual_data();
    model.calcDiff(residual_data(), x, u);
    auto rows = assembly.rows(other_row_, n);
    rows.setZero();
    if (model.get_q_dependent()) rows.topRows(nv) = data.Rx.leftCols(nv).transpose();
    if (model.get_v_dependent()) {
      rows.middleRows(nv, nv) = data.Rx.rightCols(nv).transpose();
    }
    if (model.get_u_dependent()) rows.bottomRows(assembly.nu()) = data.Ru.transpose();
    assembly.row_weights().segment(other_row_, n) = weights();
    assembly.row_gradients().segment(other_row_, n) = gradients();
  }
};

template <typename Model>
const Model* exactly(const Residual& residual) {
  if (typeid(residual) != typeid(Model)) return nullptr;
  return static_cast<const Model*>(&residual);
}

// Place of the 6D contact at a frame among the contacts; their number if none.
std::size_t contact_at(const Contacts& contacts, pinocchio::FrameIndex frame) {
  std::size_t place = 0;
  for (const auto& entry : contacts.get_contacts()) {
    const auto& contact = *entry.second->contact;
    if (contact.get_id() == frame && typeid(contact) == typeid(Contact6D)) break;
    ++place;
  }
  return place;
}

template <typename Term, typename Model>
std::unique_ptr<FusedTerm> wrench_term(const Model& residual, FusedTerm::Item item,
                                       FusedTerm::Data data, const Contacts& contacts) {
  const std::size_t place = contact_at(contacts, residual.get_id());
  if (residual.is_fwddyn() && place < contacts.get_contacts().size()) {
    return std::make_unique<Term>(item, data, place);
  }
  return std::make_unique<OtherTerm>(item, data);
}

std::unique_ptr<FusedTerm> make_term(FusedTerm::Item item, FusedTerm::Data data,
                                     const Contacts& contacts) {
  const Residual& residual = *item->cost->get_residual();
  if (exactly<AccelerationResidual>(residual)) {
    return std::make_unique<AccelerationTerm>(item, data);
  }
  if (exactly<ControlResidual>(residual)) {
    return std::make_unique<ControlTerm>(item, data);
  }
  if (exactly<StateResidual>(residual)) return std::make_unique<StateTerm>(item, data);
  if (const auto* force = exactly<ForceResidual>(residual)) {
    return wrench_term<ForceTerm>(*force, item, data, contacts);
  }
  if (const auto* cone = exactly<WrenchConeResidual>(residual)) {
    return wrench_term<WrenchConeTerm>(*cone, item, data, contacts);
  }
  if (exactly<JointResponse>(residual)) {
    return std::make_unique<JointResponseTerm>(item, data);
  }
  if (dynamic_cast<const ResponseResidual*>(&residual) != nullptr) {
    return std::make_unique<ResponseTerm>(item, data);
  }
  return std::make_unique<OtherTerm>(item, data);
}

}  // namespace

void FusedTerm::set_rows(Eigen::Index response, Eigen::Index other) {
  response_row_ = response;
  other_row_ = other;
}

void FusedTerm::assemble(FusedAssembly& assembly, const VectorRef& x,
                         const VectorRef& u, const ContactRows& contacts) {
  if (!item_->active) return;  // the weights of its rows stay zero
  item_->cost->get_activation()->calcDiff(data_->activation, data_->residual->r);
  add(assembly, x, u, contacts);
}

std::string why_not_fused(const CostSum& costs) {
  using ResidualCost = crocoddyl::CostModelResidualTpl<double>;
  for (const auto& entry : costs.get_costs()) {
    const auto& cost = *entry.second->cost;
    const std::string name = "cost '" + entry.first + "'";
    if (typeid(cost) != typeid(ResidualCost)) {
      return name + " is a " + boost::core::demangle(typeid(cost).name()) +
             ", not a CostModelResidual";
    }
    if (is_written_in_python(*cost.get_residual())) {
      return "the residual of " + name + " is written in Python";
    }
    if (is_written_in_python(*cost.get_activation())) {
      return "the activation of " + name + " is written in Python";
    }
  }
  return "";
}

std::vector<std::unique_ptr<FusedTerm>> make_terms(const CostSum& costs,
                                                   CostSumData& data,
                                                   const Contacts& contacts) {
  std::vector<std::unique_ptr<FusedTerm>> terms;
  Index first_other = 0;
  for (const auto& entry : costs.get_costs()) {
    auto term = make_term(entry.second, data.costs.at(entry.first), contacts);
    first_other += term->response_rows();
    terms.push_back(std::move(term));
  }
  Index response = 0;
  Index other = first_other;
  for (const auto& term : terms) {
    term->set_rows(response, other);
    response += term->response_rows();
    other += term->other_rows();
  }
  return terms;
}

}  // namespace wbmpc
