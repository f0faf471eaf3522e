// How each kind of residual enters the fused Gauss-Newton product.

#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <crocoddyl/core/costs/cost-sum.hpp>
#include <crocoddyl/multibody/contacts/multiple-contacts.hpp>

#include "fused_assembly.hpp"
#include "response.hpp"

namespace wbmpc {

using CostItem = crocoddyl::CostItemTpl<double>;
using CostData = crocoddyl::CostDataAbstractTpl<double>;
using CostSum = crocoddyl::CostModelSumTpl<double>;
using CostSumData = crocoddyl::CostDataSumTpl<double>;
using Contacts = crocoddyl::ContactModelMultipleTpl<double>;

// First row of each contact among the forces, in the order of the contacts' names, or
// -1 if it is inactive.
using ContactRows = std::vector<Eigen::Index>;

// A cost term of one node.
class FusedTerm {
 public:
  using Item = std::shared_ptr<const CostItem>;
  using Data = std::shared_ptr<CostData>;

  FusedTerm(Item item, Data data) : item_(std::move(item)), data_(std::move(data)) {}
  virtual ~FusedTerm() = default;
  FusedTerm(const FusedTerm&) = delete;
  FusedTerm& operator=(const FusedTerm&) = delete;

  // Rows of its own that depend on the acceleration through ChainRule.
  virtual Eigen::Index response_rows() const { return 0; }
  // Rows of its own that it fills completely.
  virtual Eigen::Index other_rows() const { return 0; }
  // Whether it reads derivatives that only Crocoddyl's own terms look at.
  virtual bool needs_shared_derivatives() const { return false; }

  void set_rows(Eigen::Index response, Eigen::Index other);

  // Adds itself at the point that the residual was last evaluated at, if active.
  void assemble(FusedAssembly& assembly, const VectorRef& x, const VectorRef& u,
                const ContactRows& contacts);

 protected:
  // Residual's derivatives and weights; the activation is up to date.
  virtual void add(FusedAssembly& assembly, const VectorRef& x, const VectorRef& u,
                   const ContactRows& contacts) = 0;

  Residual& residual() const { return *item_->cost->get_residual(); }
  const std::shared_ptr<ResidualData>& residual_data() const { return data_->residual; }
  // Weighted second and first derivative of the activation, one entry per row.
  auto weights() const { return item_->weight * data_->activation->Arr.diagonal(); }
  auto gradients() const { return item_->weight * data_->activation->Ar; }

  Eigen::Index response_row_ = 0;
  Eigen::Index other_row_ = 0;

 private:
  Item item_;
  Data data_;
};

// Why these costs cannot be fused, or an empty string.
std::string why_not_fused(const CostSum& costs);

// One term for each cost.
std::vector<std::unique_ptr<FusedTerm>> make_terms(const CostSum& costs,
                                                   CostSumData& data,
                                                   const Contacts& contacts);

}  // namespace wbmpc
