//===- LayoutExport.cpp - Layout attributes as Python objects, and as the text of their Python constructors -===//
#include "dialect/hk_amd/HkAmdDialect.h"
#include "frontend/semantics/layouts/Layouts.h"
#include "frontend/semantics/operators/Broadcast.h"
#include "frontend/values/LanguageObjects.h"
#include "llvm/ADT/TypeSwitch.h"

namespace hocket::frontend {

static std::vector<int64_t> list(llvm::ArrayRef<int64_t> values) { return values.vec(); }

using Rows = std::vector<std::vector<int64_t>>;

static Rows rowsOf(const hk::BasisRows &bases) {
  Rows rows;
  for (const auto &row : bases)
    rows.emplace_back(row.begin(), row.end());
  return rows;
}

static Rows pairsOf(hk::PaddedSharedAttr layout) {
  Rows pairs;
  for (auto [interval, padding] : layout.getPaddings())
    pairs.push_back({interval, padding});
  return pairs;
}

py::object layoutToPython(mlir::Attribute layout) {
  auto make = [](const char *className, auto &&...fields) -> py::object {
    return languageObject(className)(std::forward<decltype(fields)>(fields)...);
  };
  return llvm::TypeSwitch<mlir::Attribute, py::object>(layout)
      .Case([&](hk::BlockedAttr a) {
        return make("BlockedLayout", list(a.getSizePerThread()), list(a.getThreadsPerWarp()), list(a.getWarpsPerCta()),
                    list(a.getOrder()));
      })
      .Case([&](hk::SliceAttr a) { return make("SliceLayout", a.getDim(), layoutToPython(a.getParent())); })
      .Case([&](hk::LinearAttr a) {
        return make("DistributedLinearLayout", rowsOf(a.getReg()), rowsOf(a.getLane()), rowsOf(a.getWarp()),
                    rowsOf(a.getBlock()), list(a.getShape()));
      })
      .Case([&](hk::DotOperandAttr a) {
        return make("DotOperandLayout", a.getOpIdx(), layoutToPython(a.getParent()), a.getKWidth());
      })
      .Case([&](hk_amd::MfmaAttr a) {
        py::object tiles = a.getTilesPerWarp().empty() ? py::none() : py::cast(list(a.getTilesPerWarp()));
        return make("amd.AMDMFMALayout", a.getVersion(), list(a.getInstrShape()), a.getTransposed(),
                    list(a.getWarpsPerCta()), a.getElementBits(), tiles);
      })
      .Case([&](hk::SwizzledSharedAttr a) {
        return make("SwizzledSharedLayout", a.getVec(), a.getPerPhase(), a.getMaxPhase(), list(a.getOrder()));
      })
      .Case([&](hk::PaddedSharedAttr a) {
        return make("PaddedSharedLayout", pairsOf(a), rowsOf(a.getOffset()), Rows(), list(a.getShape()));
      })
      .Default([](mlir::Attribute) -> py::object { throw InternalError("layout attribute without a Python class"); });
}

static std::string describeRows(const Rows &rows) {
  std::string text = "[";
  for (auto [i, row] : llvm::enumerate(rows))
    text += (i ? ", " : "") + describeShape(row);
  return text + "]";
}

std::string describeLayout(mlir::Attribute layout) {
  auto call = [](const char *className, llvm::ArrayRef<std::string> fields) {
    std::string text;
    for (const std::string &field : fields)
      text += (text.empty() ? "" : ", ") + field;
    return className + ("(" + text + ")");
  };
  return llvm::TypeSwitch<mlir::Attribute, std::string>(layout)
      .Case([&](hk::BlockedAttr a) {
        return call("BlockedLayout", {describeShape(a.getSizePerThread()), describeShape(a.getThreadsPerWarp()),
                                      describeShape(a.getWarpsPerCta()), describeShape(a.getOrder())});
      })
      .Case([&](hk::SliceAttr a) {
        return call("SliceLayout", {std::to_string(a.getDim()), describeLayout(a.getParent())});
      })
      .Case([&](hk::LinearAttr a) {
        return call("DistributedLinearLayout", {describeRows(rowsOf(a.getReg())), describeRows(rowsOf(a.getLane())),
                                                describeRows(rowsOf(a.getWarp())), describeRows(rowsOf(a.getBlock())),
                                                describeShape(a.getShape())});
      })
      .Case([&](hk::DotOperandAttr a) {
        std::string index = std::to_string(a.getOpIdx()), parent = describeLayout(a.getParent());
        if (a.getKWidth() == 0)
          return call("DotOperandLayout", {index, parent});
        return call("DotOperandLayout", {index, parent, std::to_string(a.getKWidth())});
      })
      .Case([&](hk_amd::MfmaAttr a) {
        llvm::SmallVector<std::string> fields = {std::to_string(a.getVersion()), describeShape(a.getInstrShape()),
                                                 a.getTransposed() ? "True" : "False",
                                                 describeShape(a.getWarpsPerCta())};
        if (a.getElementBits() != 32 || !a.getTilesPerWarp().empty())
          fields.push_back(std::to_string(a.getElementBits()));
        if (!a.getTilesPerWarp().empty())
          fields.push_back(describeShape(a.getTilesPerWarp()));
        return call("AMDMFMALayout", fields);
      })
      .Case([&](hk::SwizzledSharedAttr a) {
        return call("SwizzledSharedLayout", {std::to_string(a.getVec()), std::to_string(a.getPerPhase()),
                                             std::to_string(a.getMaxPhase()), describeShape(a.getOrder())});
      })
      .Case([&](hk::PaddedSharedAttr a) {
        return call("PaddedSharedLayout",
                    {describeRows(pairsOf(a)), describeRows(rowsOf(a.getOffset())), "[]", describeShape(a.getShape())});
      })
      .Default([](mlir::Attribute) -> std::string { return "an unknown layout"; });
}

} // namespace hocket::frontend
