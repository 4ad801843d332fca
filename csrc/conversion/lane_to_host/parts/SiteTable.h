//===- SiteTable.h - The table of sites of a host function ---------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_HOST_PARTS_SITETABLE_H
#define HOCKET_CONVERSION_LANE_TO_HOST_PARTS_SITETABLE_H

#include "emulator_abi/HostAbi.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

#include <optional>
#include <string>

namespace hocket {

/// The properties of an access or another operation at which a failure is reported.
struct Site {
  host_abi::SiteKind kind;
  int64_t bytes = 0;
  int64_t alignment = 0;                 ///< required alignment; 0: the width
  std::optional<unsigned> argument = {}; ///< kernel parameter whose array is accessed, if known
  std::string message = {};
  std::string from = {};                                        ///< the reads that an undefined value originates from
  host_abi::AtomicOrder order = host_abi::AtomicOrder::Relaxed; ///< ordering of an atomic access
  bool blockScope = false;                                      ///< an atomic access of block scope
  bool isStore = false;                                         ///< an atomic exchange whose result is unused
  int64_t unusedCopies = 0; ///< mask for reads: lanes whose number has one of these bits read an unused value
};

class SiteTable {
public:
  /// `areFenced`: the kernel has fences between blocks.
  SiteTable(mlir::MLIRContext *context, bool areFenced) : builder(context), areFenced(areFenced) {}

  /// Returns the number of a new site of `op`, or of an equal one.
  host_abi::SiteNumber add(mlir::Operation *op, Site site);
  /// Sets the warp pipeline stage of subsequent sites to the one with this label; null: no stage.
  void enterStage(mlir::StringAttr label) { stage = label; }
  /// Returns the value of host_abi::kSitesAttr.
  mlir::ArrayAttr encode();

private:
  mlir::Builder builder;
  bool areFenced;
  mlir::StringAttr stage;
  llvm::MapVector<mlir::Attribute, host_abi::SiteNumber> sites;
};

} // namespace hocket

#endif
