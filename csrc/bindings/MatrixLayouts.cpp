//===- MatrixLayouts.cpp - Facts about AMD's matrix cores for Python ------------------===//
#include "bindings/Bindings.h"
#include "dialect/hk_amd/MfmaSelection.h"
#include "dialect/hk_nv/HkNvDialect.h"
#include "frontend/values/layouts/Layouts.h"
#include "mlir/IR/MLIRContext.h"
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace hocket;

/// Returns the shapes [M, N, K] of the MFMA instructions of the GPU generation `version` (TargetInfo::mfmaVersion),
/// each once.
static std::vector<std::array<int, 3>> matrixShapes(int version) {
  std::vector<std::array<int, 3>> shapes;
  auto add = [&](const auto &instruction) {
    std::array shape{instruction.m, instruction.n, instruction.k};
    if (hasMfmaShape(version, shape[0], shape[1], shape[2]) && !llvm::is_contained(shapes, shape))
      shapes.push_back(shape);
  };
  llvm::for_each(olderMfmaShapes(), add);
  llvm::for_each(allMfmaInstructions(), add);
  llvm::for_each(allScaledMfmaInstructions(), add);
  return shapes;
}

/// Returns the layout of the scales of an operand of a scaled MFMA. `operand` is the layout of the operand, and `shape`
/// is the shape of the tensor of scales.
static py::object scaleLayout(py::object operand, const std::vector<int64_t> &shape) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<hk::HkDialect, hk_amd::HkAmdDialect, hk_nv::HkNvDialect>();
  auto dot = llvm::dyn_cast_or_null<hk::DotOperandAttr>(frontend::layoutFromPython(&context, operand));
  auto parent = dot ? llvm::dyn_cast<hk_amd::MfmaAttr>(dot.getParent()) : nullptr;
  bool hasScales = parent && parent.getRank() == 2 &&
                   findScaledMfma(parent.getVersion(), parent.getM(), parent.getN(), parent.getK());
  if (!hasScales)
    throw py::value_error("get_mfma_scale_layout: only a DotOperandLayout of an AMDMFMALayout of version 4 with "
                          "instr_shape [16, 16, 128] or [32, 32, 64] and two dimensions has scales, got " +
                          py::repr(operand).cast<std::string>());
  if (shape.size() != 2)
    throw py::value_error("get_mfma_scale_layout: shape must be [M, K / 32] or [N, K / 32], got " +
                          py::repr(py::cast(shape)).cast<std::string>());
  return frontend::layoutToPython(hk_amd::scaleLayoutOf(parent, dot.getOpIdx(), shape));
}

void hocket::bindings::bindMatrixLayouts(py::module_ &module) {
  module.def("matrix_shapes", &matrixShapes, py::arg("version"));
  module.def("scale_layout", &scaleLayout, py::arg("operand"), py::arg("shape"));
}
