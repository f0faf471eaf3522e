// Data of the residuals on the centroidal momentum.

#pragma once

#include "centroidal.hpp"
#include "response.hpp"

namespace wbmpc {

struct CentroidalResponseData : public ResponseData {
  EIGEN_MAKE_ALIGNED_OPERATOR_NEW

  template <template <typename> class Model>
  CentroidalResponseData(Model<double>* model, Collector* collector, bool needs_joint)
      : ResponseData(model, collector, needs_joint),
        centroidal(rigid_body_model(*model)) {}

  CentroidalDerivatives centroidal;
};

}  // namespace wbmpc
