//===- Layouts.cpp - The linear map of a layout object ------------------------------===//
#include "frontend/semantics/Layouts.h"
#include "bindings/Bindings.h"
#include "dialect/hk/HkDialect.h"
#include "mlir/IR/MLIRContext.h"
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace hocket;

static void addRows(py::dict &result, const char *name, const LinearLayout &layout, Dim dim) {
  result[name] = layout.hasInDim(dim) ? layout.getBasisRows(dim) : BasisRows();
}

/// {"register": rows, "lane": rows, "warp": rows} of a distributed layout; {"offset": rows} of a shared one, with
/// "paddings", a list of (interval, padding). Row i is the coordinate that bit i contributes by XOR.
static py::dict layoutBases(py::object layout, const std::vector<int64_t> &shape) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<hk::HkDialect>();
  mlir::Attribute attribute = frontend::layoutFromPython(&context, layout);
  py::dict result;
  if (auto distributed = llvm::dyn_cast_or_null<hk::DistributedLayout>(attribute)) {
    LinearLayout map = distributed.toLinearLayout(shape);
    addRows(result, "register", map, Dim::Register);
    addRows(result, "lane", map, Dim::Lane);
    addRows(result, "warp", map, Dim::Warp);
  } else if (auto shared = llvm::dyn_cast_or_null<hk::SharedLayout>(attribute)) {
    addRows(result, "offset", shared.toLinearLayout(shape), Dim::Offset);
    py::list paddings;
    for (auto [interval, padding] : shared.getPaddings())
      paddings.append(py::make_tuple(interval, padding));
    result["paddings"] = paddings;
  } else {
    throw py::value_error(py::repr(layout).cast<std::string>() + " has no linear map");
  }
  return result;
}

void hocket::bindings::bindLayouts(py::module_ &module) {
  module.def("layout_bases", &layoutBases, py::arg("layout"), py::arg("shape"),
             "The bases of a layout of tiles of `shape`; its rank and sizes have been checked.");
}
