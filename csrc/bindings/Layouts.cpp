//===- Layouts.cpp - Linear maps and bank conflicts of layout objects -----------------===//
#include "frontend/values/layouts/Layouts.h"
#include "bindings/Bindings.h"
#include "dialect/hk_amd/HkAmdDialect.h"
#include "dialect/hk_nv/HkNvDialect.h"
#include "frontend/semantics/layouts/BankConflicts.h"
#include "mlir/IR/MLIRContext.h"
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace hocket;

static void addRows(py::dict &result, const char *name, const LinearLayout &layout, Dim dim) {
  result[name] = layout.hasInDim(dim) ? layout.getBasisRows(dim) : BasisRows();
}

/// Throws a ValueError if `layout` cannot be the layout of a buffer of `shape`.
static void requirePlace(hk::SharedLayout layout, const std::vector<int64_t> &shape) {
  auto ofMatrices = llvm::dyn_cast<hk_nv::MmaSharedAttr>(layout);
  auto element = mlir::IntegerType::get(layout.getContext(), ofMatrices ? ofMatrices.getElementBits() : 8);
  if (std::string whyNot = layout.whyNotTile(shape, element); !whyNot.empty())
    throw py::value_error(whyNot);
}

/// Returns {"register": rows, "lane": rows, "warp": rows, "block": rows} of a distributed layout; for a shared layout,
/// {"offset": rows, "block": rows, "paddings": list of (interval, padding)}. Element i of a list `rows` is a tensor
/// coordinate. The coordinates of an element of the tensor are the XOR of the coordinates `rows`[i] for all bits i that
/// are set in its register, lane, warp, block or offset.
static py::dict layoutBases(py::object layout, const std::vector<int64_t> &shape) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<hk::HkDialect, hk_amd::HkAmdDialect, hk_nv::HkNvDialect>();
  mlir::Attribute attribute = frontend::layoutFromPython(&context, layout);
  py::dict result;
  if (auto distributed = llvm::dyn_cast_or_null<hk::DistributedLayout>(attribute)) {
    LinearLayout map = distributed.toLinearLayout(shape);
    addRows(result, "register", map, Dim::Register);
    addRows(result, "lane", map, Dim::Lane);
    addRows(result, "warp", map, Dim::Warp);
    addRows(result, "block", map, Dim::Block);
  } else if (auto shared = llvm::dyn_cast_or_null<hk::SharedLayout>(attribute)) {
    requirePlace(shared, shape);
    LinearLayout map = shared.toLinearLayout(shape);
    addRows(result, "offset", map, Dim::Offset);
    addRows(result, "block", map, Dim::Block);
    py::list paddings;
    for (auto [interval, padding] : shared.getPaddings())
      paddings.append(py::make_tuple(interval, padding));
    result["paddings"] = paddings;
  } else {
    throw py::value_error(py::repr(layout).cast<std::string>() + " has no linear map");
  }
  return result;
}

/// Calls `function` with a new context and the target `targetName`. Raises ValueError for invalid arguments of the
/// Python function.
template <typename Function>
static auto ask(const std::string &targetName, Function function) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<hk::HkDialect, hk_amd::HkAmdDialect, hk_nv::HkNvDialect>();
  try {
    return function(&context, frontend::targetNamed(targetName));
  } catch (const frontend::BankQuestionError &error) {
    static constexpr const char *kParameters[] = {"distr_ty", "shared_ty", "access", "target"};
    throw py::value_error(std::string(kParameters[error.argument]) + ": " + error.what() +
                          (error.hint.empty() ? "" : " (" + error.hint + ")"));
  }
}

/// Returns, for each warp, (number of wavefronts of an access, number of wavefronts without bank conflicts). A
/// wavefront is one pass over the banks of shared memory.
static std::vector<std::pair<int64_t, int64_t>> bankWavefronts(py::object tensorType, py::object sharedType,
                                                               py::object access, const std::string &target) {
  return ask(target, [&](mlir::MLIRContext *context, const TargetInfo &info) {
    std::vector<std::pair<int64_t, int64_t>> result;
    for (const Wavefronts &warp : frontend::answer(context, {tensorType, sharedType, access}, info))
      result.emplace_back(warp.actual, warp.ideal);
    return result;
  });
}

/// Returns a dictionary for each bank phase of warp 0. A bank phase is a set of lanes whose accesses shared memory
/// processes together.
static py::list bankPhases(py::object tensorType, py::object sharedType, py::object access, const std::string &target) {
  return ask(target, [&](mlir::MLIRContext *context, const TargetInfo &info) {
    py::list result;
    for (const Phase &phase : frontend::phasesOf(context, {tensorType, sharedType, access}, /*warp=*/0, info))
      result.append(py::dict(py::arg("register") = phase.reg, py::arg("bytes") = phase.bytes,
                             py::arg("banks") = phase.banks, py::arg("lanes") = phase.lanes,
                             py::arg("addresses") = phase.addresses, py::arg("actual") = phase.wavefronts.actual,
                             py::arg("ideal") = phase.wavefronts.ideal));
    return result;
  });
}

void hocket::bindings::bindLayouts(py::module_ &module) {
  module.def("layout_bases", &layoutBases, py::arg("layout"), py::arg("shape"),
             "Returns the bases of a layout for tiles of `shape`; the caller has checked rank and sizes.");
  module.def("bank_wavefronts", &bankWavefronts, py::arg("distr_ty"), py::arg("shared_ty"), py::arg("access"),
             py::arg("target"));
  module.def("bank_phases", &bankPhases, py::arg("distr_ty"), py::arg("shared_ty"), py::arg("access"),
             py::arg("target"));
}
