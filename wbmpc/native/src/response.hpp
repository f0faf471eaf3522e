// What all response residuals share; C++ twin of wbmpc/residuals/base.py.
//
// A residual here reads the rigid-body quantities that the forward contact dynamics
// of Crocoddyl (DifferentialActionModelContactFwdDynamics) has just computed, instead
// of computing them again:
//
//   calc(x, u), calc(x)   pinocchio::computeAllTerms and computeCentroidalMomentum.
//                         data.a holds the accelerations at zero joint acceleration.
//   calcDiff(x, u)        the above, then pinocchio::computeRNEADerivatives with the
//                         contact forces as external forces. What the forces enter
//                         (of, dFdq, tau) is not a kinematic quantity and is not used.
//   calcDiff(x)           nothing beyond calc(x); residuals get by with that.

#pragma once

#include <memory>

#include <crocoddyl/core/data/joint.hpp>
#include <crocoddyl/core/residual-base.hpp>
#include <crocoddyl/multibody/data/multibody.hpp>
#include <crocoddyl/multibody/states/multibody.hpp>

namespace wbmpc {

using Residual = crocoddyl::ResidualModelAbstractTpl<double>;
using ResidualData = crocoddyl::ResidualDataAbstractTpl<double>;
using Collector = crocoddyl::DataCollectorAbstractTpl<double>;
using State = crocoddyl::StateMultibodyTpl<double>;
using VectorRef = Eigen::Ref<const Eigen::VectorXd>;

// Residual data with direct access to what the action model shares.
struct ResponseData : public ResidualData {
  EIGEN_MAKE_ALIGNED_OPERATOR_NEW

  // Throws std::invalid_argument if `collector` lacks Pinocchio data, or joint data
  // while the residual needs accelerations.
  template <template <typename> class Model>
  ResponseData(Model<double>* model, Collector* collector, bool needs_joint)
      : ResidualData(model, collector),
        dr_da(Eigen::MatrixXd::Zero(model->get_nr(), model->get_state()->get_nv())) {
    bind(collector, needs_joint);
  }

  pinocchio::Data* rigid_body = nullptr;
  crocoddyl::JointDataAbstractTpl<double>* joint = nullptr;
  Eigen::MatrixXd dr_da;  // (nr, nv)

 private:
  void bind(Collector* collector, bool needs_joint);
};

// r(q, v, a) with a = a(x, u), or with the highest derivative left out (a == nullptr)
// in the literal reading and at the terminal node.
class ResponseResidual : public Residual {
 public:
  EIGEN_MAKE_ALIGNED_OPERATOR_NEW

  ResponseResidual(std::shared_ptr<State> state, std::size_t nr, std::size_t nu,
                   bool literal);

  void calc(const std::shared_ptr<ResidualData>& data, const VectorRef& x,
            const VectorRef& u) override;
  void calc(const std::shared_ptr<ResidualData>& data, const VectorRef& x) override;
  void calcDiff(const std::shared_ptr<ResidualData>& data, const VectorRef& x,
                const VectorRef& u) override;
  void calcDiff(const std::shared_ptr<ResidualData>& data,
                const VectorRef& x) override;
  std::shared_ptr<ResidualData> createData(Collector* collector) override;

  // There is no single-precision twin; throws std::runtime_error.
  std::shared_ptr<crocoddyl::ResidualModelBase> cloneAsFloat() const override;

  // The first half of calcDiff(data, x, u): derivatives at a fixed acceleration in
  // data.Rx, and those with respect to the acceleration in data.dr_da.
  void local_derivatives(ResponseData& data, const VectorRef& x) const;

  bool literal() const { return literal_; }

 protected:
  using Acceleration = const Eigen::VectorXd*;

  // Writes data.r.
  virtual void value(ResponseData& data, const VectorRef& x, Acceleration a) const = 0;

  // Writes dr/dq and dr/dv into data.Rx, and dr/da into data.dr_da.
  virtual void derivatives(ResponseData& data, const VectorRef& x,
                           Acceleration a) const = 0;

  // Adds dr/da da/dx to data.Rx and writes dr/da da/du into data.Ru.
  virtual void apply_chain_rule(ResponseData& data) const;

  const pinocchio::Model& model() const { return *pinocchio_; }
  Eigen::Index nv() const { return pinocchio_->nv; }

 private:
  Acceleration acceleration(const ResponseData& data) const;

  std::shared_ptr<pinocchio::Model> pinocchio_;
  bool literal_;
};

inline const pinocchio::Model& rigid_body_model(const Residual& residual) {
  return *std::static_pointer_cast<State>(residual.get_state())->get_pinocchio();
}

// Allocates data in Eigen's alignment, as Crocoddyl does.
template <typename Data, typename Model>
std::shared_ptr<ResidualData> allocate(Model* model, Collector* collector) {
  return std::allocate_shared<Data>(Eigen::aligned_allocator<Data>(), model, collector,
                                    !model->literal());
}

// Throws std::invalid_argument naming `what` unless `size` is `expected`.
void check_size(const char* what, Eigen::Index size, Eigen::Index expected);

}  // namespace wbmpc
