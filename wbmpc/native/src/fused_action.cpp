#include "fused_action.hpp"

#include <limits>
#include <stdexcept>
#include <typeinfo>

#include <crocoddyl/multibody/actuations/floating-base.hpp>
#include <pinocchio/algorithm/centroidal.hpp>
#include <pinocchio/algorithm/compute-all-terms.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>

#include "free_flyer.hpp"

namespace wbmpc {
namespace {

using Eigen::Index;

std::vector<std::unique_ptr<FusedTerm>> terms_of(ContactAction& model,
                                                 CostSumData& data) {
  return make_terms(*model.get_costs(), data, *model.get_contacts());
}

// Each thread works in memory of its own, and on one node at a time: scratch memory
// that stays in its cache.
struct ThreadMemory {
  Scratch assembly;
  Scratch dynamics;
};

ThreadMemory& thread_memory() {
  thread_local ThreadMemory memory;
  return memory;
}

void find_contact_rows(const Contacts& contacts, ContactRows& rows) {
  rows.clear();
  Index row = 0;
  for (const auto& entry : contacts.get_contacts()) {
    const auto& item = *entry.second;
    rows.push_back(item.active ? row : -1);
    if (item.active) row += static_cast<Index>(item.contact->get_nc());
  }
}

}  // namespace

FusedActionData::FusedActionData(ContactAction* model)
    : ContactActionData(model),
      terms(terms_of(*model, *costs)),
      shared_derivatives(false) {
  const auto nv = static_cast<int>(model->get_state()->get_nv());
  const auto nc = static_cast<int>(model->get_contacts()->get_nc_total());
  factors.reserve(kernels().contact_factors(nv, nc));
  for (const auto& term : terms) {
    shared_derivatives = shared_derivatives || term->needs_shared_derivatives();
  }
}

FusedSizes FusedActionData::sizes(Index force_rows) const {
  FusedSizes result{Fx.rows(), Fu.cols(), 0, 0, force_rows};
  for (const auto& term : terms) {
    result.response_rows += term->response_rows();
    result.other_rows += term->other_rows();
  }
  return result;
}

FusedAction::FusedAction(std::shared_ptr<State> state,
                         std::shared_ptr<Actuation> actuation,
                         std::shared_ptr<Contacts> contacts,
                         std::shared_ptr<CostSum> costs, double damping)
    : ContactAction(state, actuation, contacts, costs, damping, true) {
  const std::string reason = why_not(*state, *actuation, *costs);
  if (!reason.empty()) throw std::invalid_argument(reason);
}

std::string FusedAction::why_not(const State& state, const Actuation& actuation,
                                 const CostSum& costs) {
  using FloatingBase = crocoddyl::ActuationModelFloatingBaseTpl<double>;
  if (!has_free_flyer_and_single_joints(*state.get_pinocchio())) {
    return "the robot is not a free-flyer with joints of one degree of freedom";
  }
  if (typeid(actuation) != typeid(FloatingBase)) {
    return "the actuation is not an ActuationModelFloatingBase";
  }
  return why_not_fused(costs);
}

void FusedAction::calc(const std::shared_ptr<ActionData>& data, const VectorRef& x,
                       const VectorRef& u) {
  auto& d = static_cast<FusedActionData&>(*data);
  const auto q = x.head(static_cast<Index>(state_->get_nq()));
  const auto v = x.tail(static_cast<Index>(state_->get_nv()));
  pinocchio::computeAllTerms(get_pinocchio(), d.pinocchio, q, v);
  pinocchio::computeCentroidalMomentum(get_pinocchio(), d.pinocchio);
  d.pinocchio.M.diagonal() += get_armature();
  get_actuation()->calc(d.multibody.actuation, x, u);
  get_contacts()->calc(d.multibody.contacts, x);
  solve_dynamics(d);
  d.xout = d.pinocchio.ddq;
  get_contacts()->updateAcceleration(d.multibody.contacts, d.pinocchio.ddq);
  get_contacts()->updateForce(d.multibody.contacts, d.pinocchio.lambda_c);
  d.multibody.joint->a = d.pinocchio.ddq;
  d.multibody.joint->tau = u;
  get_costs()->calc(d.costs, x, u);
  d.cost = d.costs->cost;
}

void FusedAction::solve_dynamics(FusedActionData& d) const {
  const auto nc = static_cast<Index>(get_contacts()->get_nc());
  d.pinocchio.lambda_c.resize(nc);
  d.pinocchio.torque_residual = d.multibody.actuation->tau - d.pinocchio.nle;
  ContactDynamics problem;
  problem.nv = static_cast<int>(state_->get_nv());
  problem.nc = static_cast<int>(nc);
  problem.mass = d.pinocchio.M.data();
  problem.mass_ld = static_cast<int>(d.pinocchio.M.outerStride());
  problem.jacobian = d.multibody.contacts->Jc.data();
  problem.jacobian_ld = static_cast<int>(d.multibody.contacts->Jc.outerStride());
  problem.torque = d.pinocchio.torque_residual.data();
  problem.drift = d.multibody.contacts->a0.data();
  problem.damping = get_damping_factor();
  problem.factors = d.factors.data();
  problem.acceleration = d.pinocchio.ddq.data();
  problem.force = d.pinocchio.lambda_c.data();
  if (kernels().contact_dynamics(&problem) != kKernelOk) {
    // The solver refuses what is not a number.
    d.pinocchio.ddq.setConstant(std::numeric_limits<double>::quiet_NaN());
    d.pinocchio.lambda_c.setConstant(std::numeric_limits<double>::quiet_NaN());
  }
}

void FusedAction::calcDiff(const std::shared_ptr<ActionData>& data, const VectorRef& x,
                           const VectorRef& u) {
  auto& d = static_cast<FusedActionData&>(*data);
  const auto force_rows = static_cast<Index>(get_contacts()->get_nc());
  FusedAssembly assembly(d.sizes(force_rows), thread_memory().assembly);
  differentiate_dynamics(d, assembly, x);
  if (d.shared_derivatives) share_derivatives(d, assembly);
  find_contact_rows(*get_contacts(), d.contact_rows);
  for (const auto& term : d.terms) term->assemble(assembly, x, u, d.contact_rows);
  assembly.apply_chain_rule();
  assembly.finish(d.Lx.data(), d.Lu.data(), d.Lxx.data(), d.Lxu.data(), d.Luu.data());
}

void FusedAction::differentiate_dynamics(FusedActionData& d, FusedAssembly& assembly,
                                         const VectorRef& x) const {
  const auto q = x.head(static_cast<Index>(state_->get_nq()));
  const auto v = x.tail(static_cast<Index>(state_->get_nv()));
  pinocchio::computeRNEADerivatives(get_pinocchio(), d.pinocchio, q, v, d.xout,
                                    d.multibody.contacts->fext);
  get_contacts()->updateRneaDiff(d.multibody.contacts, d.pinocchio);
  get_contacts()->calcDiff(d.multibody.contacts, x);
  ContactDerivatives problem;
  problem.nv = static_cast<int>(state_->get_nv());
  problem.nc = static_cast<int>(get_contacts()->get_nc());
  problem.nu = static_cast<int>(nu_);
  problem.factors = d.factors.data();
  problem.dtau_dq = d.pinocchio.dtau_dq.data();
  problem.dtau_dv = d.pinocchio.dtau_dv.data();
  problem.ddrift_dx = d.multibody.contacts->da0_dx.data();
  problem.ddrift_ld = static_cast<int>(d.multibody.contacts->da0_dx.outerStride());
  problem.acceleration_t = assembly.acceleration_t();
  problem.force_t = assembly.force_t();
  problem.da_dx = d.Fx.data();
  problem.da_du = d.Fu.data();
  Scratch& memory = thread_memory().dynamics;
  memory.reserve(kernels().contact_workspace(problem.nv, problem.nc));
  kernels().contact_derivatives(&problem, memory.data());
}

void FusedAction::share_derivatives(FusedActionData& d,
                                    FusedAssembly& assembly) const {
  const auto nc = static_cast<Index>(get_contacts()->get_nc());
  const auto forces = assembly.forces(nc);
  d.multibody.joint->da_dx = d.Fx;
  d.multibody.joint->da_du = d.Fu;
  d.df_dx.topRows(nc) = forces.topRows(assembly.ndx()).transpose();
  d.df_du.topRows(nc) = forces.bottomRows(assembly.nu()).transpose();
  get_contacts()->updateAccelerationDiff(d.multibody.contacts, d.Fx);
  get_contacts()->updateForceDiff(d.multibody.contacts, d.df_dx.topRows(nc),
                                  d.df_du.topRows(nc));
}

std::shared_ptr<ActionData> FusedAction::createData() {
  return std::allocate_shared<FusedActionData>(
      Eigen::aligned_allocator<FusedActionData>(), this);
}

bool FusedAction::checkData(const std::shared_ptr<ActionData>& data) {
  return std::dynamic_pointer_cast<FusedActionData>(data) != nullptr;
}

}  // namespace wbmpc
