// Forward dynamics in contact with one Gauss-Newton product for all cost terms.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include <crocoddyl/multibody/actions/contact-fwddyn.hpp>

#include "fused_assembly.hpp"
#include "fused_terms.hpp"

namespace wbmpc {

using ContactAction = crocoddyl::DifferentialActionModelContactFwdDynamicsTpl<double>;
using ContactActionData =
    crocoddyl::DifferentialActionDataContactFwdDynamicsTpl<double>;
using ActionData = crocoddyl::DifferentialActionDataAbstractTpl<double>;
using Actuation = crocoddyl::ActuationModelAbstractTpl<double>;

// What the stock data hold, but for the inverse of the contact matrix (Kinv) and the
// derivatives of single costs.
struct FusedActionData : public ContactActionData {
  EIGEN_MAKE_ALIGNED_OPERATOR_NEW

  explicit FusedActionData(ContactAction* model);

  // With `force_rows` of the active contacts.
  FusedSizes sizes(Eigen::Index force_rows) const;

  std::vector<std::unique_ptr<FusedTerm>> terms;
  Scratch factors;  // what the dynamics leave for their derivatives
  ContactRows contact_rows;
  bool shared_derivatives;  // some term needs what only Crocoddyl's own terms read
};

// Takes the place of crocoddyl::DifferentialActionModelContactFwdDynamics: the same
// numbers, faster. The terminal node (no u) is Crocoddyl's own.
class FusedAction : public ContactAction {
 public:
  EIGEN_MAKE_ALIGNED_OPERATOR_NEW

  // Throws std::invalid_argument with why_not().
  FusedAction(std::shared_ptr<State> state, std::shared_ptr<Actuation> actuation,
              std::shared_ptr<Contacts> contacts, std::shared_ptr<CostSum> costs,
              double damping = 0.0);

  // Why these models cannot be fused, or an empty string.
  static std::string why_not(const State& state, const Actuation& actuation,
                             const CostSum& costs);

  void calc(const std::shared_ptr<ActionData>& data, const VectorRef& x,
            const VectorRef& u) override;
  void calc(const std::shared_ptr<ActionData>& data, const VectorRef& x) override {
    ContactAction::calc(data, x);
  }
  void calcDiff(const std::shared_ptr<ActionData>& data, const VectorRef& x,
                const VectorRef& u) override;
  void calcDiff(const std::shared_ptr<ActionData>& data, const VectorRef& x) override {
    ContactAction::calcDiff(data, x);
  }
  std::shared_ptr<ActionData> createData() override;
  bool checkData(const std::shared_ptr<ActionData>& data) override;

  std::shared_ptr<crocoddyl::DifferentialActionModelBase> cloneAsDouble()
      const override {
    return std::make_shared<FusedAction>(*this);
  }

 private:
  void solve_dynamics(FusedActionData& data) const;
  void differentiate_dynamics(FusedActionData& data, FusedAssembly& assembly,
                              const VectorRef& x) const;
  void share_derivatives(FusedActionData& data, FusedAssembly& assembly) const;
};

}  // namespace wbmpc
