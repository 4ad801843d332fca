//===- LayoutClasses.cpp - The table of layout classes, and conversions -------------===//
#include "frontend/values/LanguageObjects.h"
#include "frontend/values/layouts/LayoutClass.h"
#include "support/CompileError.h"

namespace hocket::frontend {

// Fields --------------------------------------------------------------------------------------------------------------

llvm::SmallVector<int64_t> intsFromPython(py::handle values) {
  llvm::SmallVector<int64_t> result;
  if (!values.is_none())
    for (py::handle value : values)
      result.push_back(value.cast<int64_t>());
  return result;
}

hk::BasisRows rowsFromPython(py::handle rows) {
  hk::BasisRows result;
  if (rows.is_none())
    return result;
  for (py::handle row : rows)
    result.push_back(row.cast<hk::BasisRows::value_type>());
  return result;
}

py::object toPythonField(llvm::ArrayRef<int64_t> values) {
  py::list result;
  for (int64_t value : values)
    result.append(value);
  return result;
}

py::object toPythonField(const hk::BasisRows &rows) {
  py::list result;
  for (const auto &row : rows)
    result.append(toPythonField(llvm::to_vector_of<int64_t>(row)));
  return result;
}

void requireValid(mlir::MLIRContext *context, const char *pythonName,
                  llvm::function_ref<mlir::LogicalResult(EmitError)> verify) {
  std::string problem;
  mlir::ScopedDiagnosticHandler handler(context, [&](mlir::Diagnostic &reported) { problem = reported.str(); });
  if (succeeded(verify([&] { return mlir::emitError(mlir::UnknownLoc::get(context)); })))
    return;
  PyErr_SetString(PyExc_ValueError, (std::string(pythonName) + ": " + problem).c_str());
  throw py::error_already_set();
}

// Table of layout classes ---------------------------------------------------------------------------------------------

/// Returns the table entry of PaddedSharedLayout. The Python class has a list of pairs (interval, padding), but the
/// attribute has a list of intervals and a list of paddings.
static LayoutClass paddedSharedLayout() {
  LayoutClass result{"PaddedSharedLayout", mlir::TypeID::get<hk::PaddedSharedAttr>(), {}, {}};
  result.fromPython = [](mlir::MLIRContext *context, py::handle object) -> mlir::Attribute {
    llvm::SmallVector<int64_t> intervals, paddings;
    for (py::handle pair : object.attr("interval_padding_pairs")) {
      auto [interval, padding] = pair.cast<std::pair<int64_t, int64_t>>();
      intervals.push_back(interval);
      paddings.push_back(padding);
    }
    hk::BasisRows offset = rowsFromPython(object.attr("offset_bases")),
                  block = rowsFromPython(object.attr("cga_layout"));
    llvm::SmallVector<int64_t> shape = intsFromPython(object.attr("shape"));
    requireValid(context, "PaddedSharedLayout", [&](EmitError emitError) {
      return hk::PaddedSharedAttr::verify(emitError, intervals, paddings, offset, block, shape);
    });
    return hk::PaddedSharedAttr::get(context, intervals, paddings, offset, block, shape);
  };
  result.toPython = [](mlir::Attribute layout) {
    auto padded = llvm::cast<hk::PaddedSharedAttr>(layout);
    py::list pairs;
    for (auto [interval, padding] : padded.getPaddings())
      pairs.append(toPythonField(llvm::ArrayRef<int64_t>{interval, padding}));
    py::dict arguments;
    arguments["interval_padding_pairs"] = pairs;
    arguments["offset_bases"] = toPythonField(padded.getOffset());
    arguments["cga_layout"] = toPythonField(padded.getBlock());
    arguments["shape"] = toPythonField(padded.getShape());
    return arguments;
  };
  return result;
}

/// Returns the table entry of a layout class without parameters.
template <typename AttrT>
static LayoutClass undecidedLayout(const char *pythonName) {
  return {pythonName, mlir::TypeID::get<AttrT>(),
          [](mlir::MLIRContext *context, py::handle) -> mlir::Attribute { return AttrT::get(context); },
          [](mlir::Attribute) { return py::dict(); }};
}

std::span<const LayoutClass> neutralLayoutClasses() {
  using hk::BlockedAttr, hk::SliceAttr, hk::LinearAttr, hk::DotOperandAttr, hk::SwizzledSharedAttr;
  static const LayoutClass classes[] = {
      layoutClass("BlockedLayout", Field("size_per_thread", &BlockedAttr::getSizePerThread),
                  Field("threads_per_warp", &BlockedAttr::getThreadsPerWarp),
                  Field("warps_per_cta", &BlockedAttr::getWarpsPerCta), Field("order", &BlockedAttr::getOrder),
                  optionalList(Field("cga_layout", &BlockedAttr::getBlock))),
      layoutClass("SliceLayout", Field("dim", &SliceAttr::getDim), Field("parent", &SliceAttr::getParent)),
      layoutClass("DistributedLinearLayout", Field("reg_bases", &LinearAttr::getReg),
                  Field("lane_bases", &LinearAttr::getLane), Field("warp_bases", &LinearAttr::getWarp),
                  Field("block_bases", &LinearAttr::getBlock), Field("shape", &LinearAttr::getShape)),
      layoutClass("DotOperandLayout", Field("operand_index", &DotOperandAttr::getOpIdx),
                  Field("parent", &DotOperandAttr::getParent), Field("k_width", &DotOperandAttr::getKWidth)),
      layoutClass("SwizzledSharedLayout", Field("vec", &SwizzledSharedAttr::getVec),
                  Field("per_phase", &SwizzledSharedAttr::getPerPhase),
                  Field("max_phase", &SwizzledSharedAttr::getMaxPhase), Field("order", &SwizzledSharedAttr::getOrder),
                  optionalList(Field("cga_layout", &SwizzledSharedAttr::getBlock))),
      paddedSharedLayout(),
      layoutClass("SharedLinearLayout", Field("offset_bases", &hk::SharedLinearAttr::getOffset),
                  optionalList(Field("block_bases", &hk::SharedLinearAttr::getBlock)),
                  Field("alignment", &hk::SharedLinearAttr::getAlignment)),
      undecidedLayout<hk::AutoAttr>("AutoLayout"),
      undecidedLayout<hk::CoalescedAttr>("CoalescedLayout"),
  };
  return classes;
}

/// Calls `visit` with each entry of the three tables, until `visit` returns true.
static void forEachLayoutClass(llvm::function_ref<bool(const LayoutClass &)> visit) {
  for (auto classes : {neutralLayoutClasses, amdLayoutClasses, nvidiaLayoutClasses})
    for (const LayoutClass &layoutClass : classes())
      if (visit(layoutClass))
        return;
}

const LayoutClass *layoutClassOf(mlir::Attribute layout) {
  const LayoutClass *found = nullptr;
  forEachLayoutClass([&](const LayoutClass &layoutClass) {
    if (layoutClass.attribute == layout.getTypeID())
      found = &layoutClass;
    return found != nullptr;
  });
  return found;
}

// Conversion between Python objects and attributes --------------------------------------------------------------------

mlir::Attribute layoutFromPython(mlir::MLIRContext *context, py::handle object) {
  mlir::Attribute layout;
  forEachLayoutClass([&](const LayoutClass &layoutClass) {
    if (!py::isinstance(object, languageObject(layoutClass.pythonName)))
      return false;
    layout = layoutClass.fromPython(context, object);
    return true;
  });
  return layout;
}

py::object layoutToPython(mlir::Attribute layout) {
  const LayoutClass *layoutClass = layoutClassOf(layout);
  if (!layoutClass)
    throw InternalError("layout attribute without a Python class");
  return languageObject(layoutClass->pythonName)(**layoutClass->toPython(layout));
}

std::string describeLayout(mlir::Attribute layout) { return py::repr(layoutToPython(layout)).cast<std::string>(); }

} // namespace hocket::frontend
